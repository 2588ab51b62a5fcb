"""The group of commands, and the reporting of errors: one line on standard error, never a traceback."""

import gc
import importlib
import sys
import time
from collections.abc import Sequence
from typing import Any, Final

import click

from sniffai.cli import terminal
from sniffai.cli.signs import complain
from sniffai.errors import SniffError
from sniffai.extras import what_to_install
from sniffai.version import VERSION

COMMANDS: Final = {
    "arena": "Play two players against each other on paired deals.",
    "belief-report": "Measure in self-play how accurate the beliefs are.",
    "bench": "Measure the speed of rollouts and search.",
    "deal": "Deal a random round.",
    "draw": "Draw a view or a round as a picture.",
    "equity": "Show, build and check tables of the chance to win a match.",
    "exploit": "Measure how much a player loses at least to one that knows it.",
    "info": "Print the version and the supported games.",
    "ladder": "Play each of several players against the one below.",
    "perft": "Count sequences of placements.",
    "play": "Play a match against levels.",
    "position": "Check what one seat knows, as written down at a table.",
    "recommend": "Recommend a move from what one seat knows.",
    "replay": "Replay recorded rounds and check every event.",
    "review": "Review a match: mistakes, luck and skill.",
    "tally": "Draw a score in strokes and blocks.",
    "temperatures": "Fit how sharply a player follows the policy.",
    "train": "Train the nets by self-play.",
}
"""What each does. A command is ``command`` in the module of its name (``_`` for ``-``), imported when it is used."""

READER_GONE: Final = 141
"""The exit status if the reader closed the output: that of programs that SIGPIPE ends."""
COSTLY_SECONDS: Final = 2.0
"""How long a command must have worked for its output to be kept if standard output cannot be written."""


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
        gc.enable()  # see sniffai.cli._load
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in the help; it imports none of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=CommandGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="sniffai")
@click.pass_context
def group(ctx: click.Context) -> None:
    """American Sniff: ask for a move, study rounds, keep score."""
    if ctx.invoked_subcommand is None:
        terminal.tell(ctx.get_help())


def run(args: Sequence[str] | None = None) -> int:
    """Run a command line (by default the process's own) and return the exit status: see :func:`sniffai.cli.main`."""
    if sys.stdout is None:
        return _fail("standard output is closed", 1)
    begun = time.monotonic()
    terminal.begin()
    try:
        return _run(args)
    except terminal.ReaderGoneError:
        terminal.give_up()
        return READER_GONE
    except OSError as error:
        terminal.give_up()
        message = f"standard output: {error.strerror or error}"
        if terminal.printed() and time.monotonic() - begun >= COSTLY_SECONDS:
            from sniffai.cli.output import kept

            message += f"; {kept('sniffai.txt', terminal.printed().encode())}"
        return _fail(message, 1)


def _run(args: Sequence[str] | None) -> int:
    """Run a command line and flush its output.

    :raises ReaderGoneError: the reader closed the output.
    :raises OSError: standard output cannot be written.
    """
    status = _status(args)
    terminal.finish()
    return status


def _status(args: Sequence[str] | None) -> int:
    try:
        done: Any = group.main(args=args, prog_name="sniffai", standalone_mode=False)
    except click.ClickException as error:
        return _fail(error.format_message(), error.exit_code)
    except click.Abort:
        return _fail("stopped", 130)
    except SniffError as error:
        return _fail(str(error), 2)
    except RuntimeError as error:
        from sniffai.jobs.errors import LostJobError

        if not isinstance(error, LostJobError):  # a defect of ours
            raise
        return _fail(str(error), 1)
    except ImportError as error:
        advice = what_to_install(error)
        if advice is None:  # a defect of ours
            raise
        return _fail(advice, 2)
    except SystemExit as left:
        if left.code != 1:  # a signal ends the process
            raise
        raise terminal.ReaderGoneError from None  # click found that nobody reads its help
    return done if isinstance(done, int) else 0


def _fail(message: str, status: int) -> int:
    complain(message)
    return status
