"""``sniffai play``: a match against levels at the terminal."""

import secrets
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import Final, NoReturn

import click

from sniffai.cli.forms import named
from sniffai.cli.game import Game, LeaveError
from sniffai.cli.parts import BadInput, lang_option, read_text
from sniffai.cli.review import show_review
from sniffai.cli.saver import Keeper, Saver, check_new
from sniffai.cli.table_words import LEVEL, player_name
from sniffai.cli.terminal import ReaderGoneError, progress_bar, tell, tell_folded
from sniffai.errors import LimitsError
from sniffai.explain.languages import Words, words
from sniffai.play.levels import LEVELS
from sniffai.play.match import HUMAN, MAX_SIMULATIONS, SIMULATIONS, Match, MatchSetup
from sniffai.play.saves import resume_match
from sniffai.play.table import OwnTable, Table
from sniffai.review import of_record, review
from sniffai.rules import TEAMS
from sniffai.search.params import Limits
from sniffai.seeds import MAX_SEED

DEFAULT_LEVEL: Final = "casual"
REVIEW_SIMULATIONS: Final = 2_000
"""Of each survey: a match is reviewed in some seconds."""
SEED_BITS: Final = 32
"""Of a random seed: short enough to be typed again."""


@click.command("play")
@click.argument("levels", nargs=-1, metavar="[LEVEL]...")
@click.option("--players", type=click.IntRange(2, 4), help="Seats at the table. [default: 2, or a seat for each LEVEL]")
@click.option("--seat", type=click.IntRange(0, 3), help="Your seat. [default: 0]")
@click.option("--seed", type=click.IntRange(0, MAX_SEED), help="Seed of the random numbers. [default: a random one]")
@click.option(
    "--score", "scores", type=int, multiple=True, help="Score to start with; repeat it for each team. [default: 0]"
)
@click.option("--practice", is_flag=True, help="Placements may be taken back.")
@click.option(
    "--simulations",
    type=click.IntRange(1, MAX_SIMULATIONS),
    help=f"Simulations of a hint, or of a level without its own limit. [default: {SIMULATIONS}]",
)
@click.option("--save", "path", metavar="FILE", help="Where to save. [default: a new file, sniffai.match]")
@click.option("--resume", metavar="FILE", help="Go on with a saved match.")
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw the tiles in ASCII.")
@lang_option
def command(
    levels: tuple[str, ...],
    players: int | None,
    seat: int | None,
    seed: int | None,
    scores: tuple[int, ...],
    practice: bool,
    simulations: int | None,
    path: str | None,
    resume: str | None,
    ascii_only: bool,
    language_code: str | None,
) -> int:
    """Play a match against levels, in the terminal.

    LEVEL is newcomer, casual, attentive, club or full, or a player by name such as search:seconds=1. One LEVEL sits at
    every other seat; several sit in the order of the seats. With 4 seats your partner sits opposite. What you type
    is a number or a letter, and Enter; ? lists the letters. The match is saved after each move.
    """
    say = words(language_code or "en")
    if resume is not None:
        given = (levels, players, seat, seed, scores, practice, simulations)
        if any(value not in ((), None, False) for value in given):
            raise click.UsageError("a resumed match keeps its own seats, seed, scores and limits")
        match, own = _resumed(resume)
    else:
        setup, own = _setup(levels, players, seat or 0, seed, scores, practice, simulations or SIMULATIONS)
        match = _new_match(setup)
    table = OwnTable(match, own, Limits(simulations=match.setup.simulations))
    if path is not None:
        check_new(path)
    saver = Saver(table, resume if path is None else path, say)
    if resume is None:
        tell(say.say("Seed {seed}", seed=match.setup.seed))
    return _played(Game(table, say, saver, lambda: _review(table, say), ascii_only), saver)


def _played(game: Game, keeper: Keeper) -> int:
    with _hang_up_ends():
        try:
            keeper.begin()
            game.play()
        except LeaveError:
            keeper.save("")
        except (ReaderGoneError, OSError):  # nobody can be told any more
            keeper.leave()
            raise
        except (KeyboardInterrupt, SystemExit):
            tell()
            keeper.save("")
            raise
    return keeper.status


def _resumed(path: str) -> tuple[Match, int]:
    text = read_text(path)
    with named(path):
        match = resume_match(text)
    people = [seat for seat, name in enumerate(match.setup.seats) if name == HUMAN]
    if len(people) != 1:
        raise BadInput(f"{path}: a match with one person is expected, not with {len(people)}")
    return match, people[0]


def _setup(
    levels: tuple[str, ...],
    players: int | None,
    seat: int,
    seed: int | None,
    scores: tuple[int, ...],
    practice: bool,
    simulations: int,
) -> tuple[MatchSetup, int]:
    """How the match begins, and the player's seat."""
    count = players or max(2, len(levels) + 1)
    others = levels or (DEFAULT_LEVEL,)
    if count > 4 or len(others) not in (1, count - 1):
        raise click.UsageError(f"{len(others)} LEVELs do not fit {count} seats: give one, or one for each other seat")
    if seat >= count:
        raise click.BadParameter(f"there is no seat {seat} at a table of {count}", param_hint="--seat")
    if scores and len(scores) != TEAMS[count]:
        raise click.UsageError(f"--score must be given once for each team: {TEAMS[count]} times")
    known = {level.name for level in LEVELS}
    if HUMAN in others:
        raise click.UsageError("one person plays: name a level or a player for each other seat")
    named_others = [LEVEL + name if name in known else name for name in others]
    seats = named_others * (count - 1) if len(others) == 1 else named_others
    seats.insert(seat, HUMAN)
    number = secrets.randbits(SEED_BITS) if seed is None else seed
    return MatchSetup(tuple(seats), number, scores or None, practice, simulations), seat


def _new_match(setup: MatchSetup) -> Match:
    try:
        return Match(setup)
    except LimitsError as error:
        if error.reason != "UNKNOWN_PLAYER":
            raise
        levels = ", ".join(level.name for level in LEVELS)
        raise BadInput(f"LEVEL is one of {levels}, or a player by name: {error.message}") from None


def _review(table: Table, say: Words) -> None:
    """Review the match that is over."""
    record = table.record()
    assert record is not None, "the match is over"
    limits = Limits(simulations=REVIEW_SIMULATIONS)
    names = tuple(
        (f"Seat{seat}", say.say("you") if seat == table.seat else player_name(name, say))
        for seat, name in enumerate(table.seats)
    )
    with progress_bar() as bar:
        task = bar.add_task("")
        reviewed = review(
            of_record(replace(record, tags=names)),
            limits,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    show_review(reviewed, say.language_code, write=tell_folded)


@contextmanager
def _hang_up_ends() -> Iterator[None]:
    """A terminal that is closed ends the command as SIGTERM does, so that the match is saved."""
    if not hasattr(signal, "SIGHUP") or signal.getsignal(signal.SIGHUP) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGHUP, _hang_up)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _hang_up(number: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)
