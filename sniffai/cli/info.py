"""``sniffai info``: the version and games of this engine, or of a server's."""

import platform
from typing import Any

import click

from sniffai.cli.parts import json_option
from sniffai.cli.remote import Remote, remote_options
from sniffai.cli.tables import show, text_table
from sniffai.cli.terminal import tell, tell_json, tell_json_text
from sniffai.play.levels import LEVELS
from sniffai.rules import HAND_SIZE, PLAYERS, TALON_SIZE, TARGET, TEAMS
from sniffai.version import VERSION


@click.command("info")
@remote_options
@json_option
def command(remote: Remote | None, as_json: bool) -> None:
    """Print the version, the supported games and the levels of play; with --server the limits of that server."""
    if remote is not None:
        _print_server(remote, as_json)
    elif as_json:
        tell_json({"engine_version": VERSION, "tables": _games(), "levels": _levels()}, indent=2)
    else:
        tell(f"sniffai {VERSION}, Python {platform.python_version()} on {platform.machine()}")
        _print_games()
        tell()
        _print_levels()


def _levels() -> list[dict[str, Any]]:
    return [
        {
            "name": level.name,
            "description": level.description,
            "rating": level.rating,
            "max_simulations": level.max_simulations,
            "mean_seconds": level.move_time and level.move_time.mean,
        }
        for level in LEVELS
    ]


def _print_levels() -> None:
    made = text_table("level", "rating>", "a move>", "how it plays")
    for level in LEVELS:
        spent = "" if level.move_time is None else f"{1000 * level.move_time.mean:.2g} ms"
        made.add_row(level.name, str(level.rating), spent, level.description)
    show(made)


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
    made = text_table("players>", "teams>", "hand>", "talon>", "target>")
    for game in _games():
        made.add_row(*map(str, game.values()))
    show(made)


def _print_server(remote: Remote, as_json: bool) -> None:
    from sniffai import wire

    info = remote.ask(lambda client: client.info())
    if as_json:
        tell_json_text(wire.to_json(info))
        return
    tell(f"{remote.address}: sniffai {info.engine_version}, {info.search_slot_count} searches at a time")
    for name, limits in (("default", info.default_limits), ("most", info.max_limits)):
        tell(f"{name}: {wire.read_limits(limits)}")
