"""The group of commands, and how whatever goes wrong is told: one line on standard error, never a traceback."""

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any, Final

import click

from sniffai.errors import SniffError
from sniffai.version import VERSION

COMMANDS: Final = {
    "arena": "Let players play paired deals against each other.",
    "belief-report": "Measure how good the beliefs are, in self-play.",
    "bench": "Measure the speed of rollouts and search.",
    "deal": "Deal a round by lot.",
    "draw": "Draw a view or a round.",
    "equity": "Tell, build, check and draw the chance to win a match.",
    "info": "Tell the version and the games that are played.",
    "ladder": "Let a row of players play, each against the one below.",
    "perft": "Count sequences of placements.",
    "recommend": "Recommend a move for what one seat knows.",
    "replay": "Replay recorded rounds and check everything.",
    "review": "Review a match: mistakes, luck and skill.",
    "tally": "Draw a score in strokes and blocks.",
    "temperatures": "Fit how sharply a player follows the policy.",
    "train": "Train the nets by self-play.",
}
"""What each does; it is ``command`` in the module of that name beside this one (``_`` for ``-``), imported only when it
is called."""

EXTRAS: Final = {
    "google": "client",
    "grpc": "client",
    "grpc_status": "client",
    "matplotlib": "plot",
    "resvg_py": "draw",
}
"""Which extra of the package brings a module that may be missing."""


class CommandGroup(click.Group):
    """Finds its commands by module."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, for the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"sniffai.cli.{cmd_name.replace('-', '_')}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in the help, none of which is imported for it."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=CommandGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="sniffai")
@click.pass_context
def group(ctx: click.Context) -> None:
    """American Sniff: ask for a move, study rounds, keep score."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(args: Sequence[str] | None = None) -> int:
    """Run a command line (by default the process's own) and return the exit status."""
    try:
        done: Any = group.main(args=args, prog_name="sniffai", standalone_mode=False)
    except click.ClickException as error:
        return _fail(error.format_message(), error.exit_code)
    except click.Abort:
        return _fail("stopped", 130)
    except SniffError as error:
        return _fail(str(error), 2)
    except ModuleNotFoundError as error:
        return _fail_for_module(error)
    except BrokenPipeError:
        _give_up_output()
        return 0
    except OSError as error:
        _give_up_output()
        return _fail(error.strerror or str(error), 1)
    return done if isinstance(done, int) else 0


def _give_up_output() -> None:
    """Nobody takes what is still to be written: let it go without a word."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, status: int) -> int:
    click.echo(f"sniffai: {' '.join(message.split())}", err=True)
    return status


def _fail_for_module(error: ModuleNotFoundError) -> int:
    """A part of the package that was not installed; anything else missing is a defect of ours."""
    extra = EXTRAS.get((error.name or "").partition(".")[0])
    if extra is None:
        raise error
    return _fail(f"{error.name} is missing; it comes with: pip install 'sniffai[{extra}]'", 2)
