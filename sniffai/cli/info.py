"""``sniffai info``: what this engine, or the one behind a server, is."""

import json
import platform

import click

from sniffai.cli.parts import json_option, read_address, show, table
from sniffai.rules import HAND_SIZE, PLAYERS, TALON_SIZE, TARGET, TEAMS
from sniffai.version import VERSION


@click.command("info")
@click.option("--server", metavar="ADDRESS", callback=read_address, help="Ask the server at HOST:PORT.")
@json_option
def command(server: str | None, as_json: bool) -> None:
    """Print the version and the games that are played; with --server also the limits set there."""
    if server is not None:
        _print_server(server, as_json)
    elif as_json:
        click.echo(json.dumps({"engine_version": VERSION, "tables": _games()}, indent=2))
    else:
        click.echo(f"sniffai {VERSION}, Python {platform.python_version()} on {platform.machine()}")
        _print_games()


def _games() -> list[dict[str, int]]:
    return [
        {
            "players": players,
            "team_count": TEAMS[players],
            "hand_size": HAND_SIZE[players],
            "talon_size": TALON_SIZE[players],
            "target": TARGET[players],
        }
        for players in PLAYERS
    ]


def _print_games() -> None:
    made = table("players>", "teams>", "hand>", "talon>", "target>")
    for game in _games():
        made.add_row(*map(str, game.values()))
    show(made)


def _print_server(server: str, as_json: bool) -> None:
    from sniffai import wire
    from sniffai.client import Client, ServiceError

    try:
        with Client(server) as client:
            info = client.info()
    except ServiceError as error:
        raise click.ClickException(f"{server}: {error}") from None
    if as_json:
        click.echo(wire.to_json(info))
        return
    click.echo(f"{server}: sniffai {info.engine_version}, {info.search_slot_count} searches at a time")
    for name, limits in (("default", info.default_limits), ("most", info.max_limits)):
        click.echo(f"{name}: {wire.read_limits(limits)}")
