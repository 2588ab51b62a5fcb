"""``sniffai play``: a match against levels at the terminal."""

import secrets
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Final, NoReturn

import click

from sniffai.cli.forms import named
from sniffai.cli.game import Game, LeaveError
from sniffai.cli.hosted_play import HostedPlay, NewMatch
from sniffai.cli.parts import BadInput, lang_option, read_text
from sniffai.cli.remote import Remote, remote_options
from sniffai.cli.saver import Keeper, Saver, check_new
from sniffai.cli.setting import Setting
from sniffai.cli.table_words import LEVEL, player_name
from sniffai.cli.terminal import ReaderGoneError, ask, tell, tell_folded
from sniffai.errors import LimitsError
from sniffai.explain.languages import Words, words
from sniffai.names import read_name
from sniffai.play.levels import LEVELS, names_level
from sniffai.play.match import HUMAN, MAX_SIMULATIONS, SIMULATIONS, Match, MatchSetup
from sniffai.play.saves import resume_match
from sniffai.play.table import OwnTable, Table
from sniffai.search.params import Limits
from sniffai.seeds import MAX_SEED

if TYPE_CHECKING:
    from sniffai.client.hosted_table import HostedTable

REVIEW_SIMULATIONS: Final = 2_000
"""Of each survey: a match is reviewed in some seconds."""
SEED_BITS: Final = 32
"""Of a random seed: short enough to be typed again."""


@click.command("play")
@click.argument("levels", nargs=-1, metavar="[LEVEL]...")
@click.option("--players", type=click.IntRange(2, 4), help="Seats at the table. [default: 2, or a seat for each LEVEL]")
@click.option("--seat", type=click.IntRange(0, 3), help="Your seat. [default: 0]")
@click.option("--seed", type=click.IntRange(0, MAX_SEED), help="Seed of the random numbers. [default: a random one]")
@click.option("--score", "scores", type=int, multiple=True, help="Points to start from, once a team. [default: 0]")
@click.option("--practice", is_flag=True, help="Placements may be taken back.")
@click.option(
    "--simulations",
    type=click.IntRange(1, MAX_SIMULATIONS),
    help=f"Simulations of a hint, or of a level without its own limit. [default: {SIMULATIONS}]",
)
@click.option("--save", "path", metavar="FILE", help="Where to save. [default: a new file, sniffai.match]")
@click.option("--resume", metavar="FILE|MATCH", help="Go on with a saved match, or with --server one of yours there.")
@remote_options
@click.option("--join", "invitation", metavar="INVITATION", help="Take the seat of an invitation; - asks for it.")
@click.option("--name", metavar="NAME", help="Your name, shown to the other seats.")
@click.option("listed", "--list", is_flag=True, help="List your matches on the server.")
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
    remote: Remote | None,
    invitation: str | None,
    name: str | None,
    listed: bool,
    ascii_only: bool,
    language_code: str | None,
) -> int:
    """Play a match against levels, in the terminal.

    LEVEL is a level such as club (sniffai info lists them), a number of rating points such as 1350, or a player by
    name such as search:seconds=1. One LEVEL sits at every other seat; several sit in the order of the seats. With 4
    seats your partner sits opposite. What you type is a number or a letter, and Enter; ? lists the letters. The match
    is saved after each move.

    With --server a server hosts the match, and keeps it. LEVEL can be human there: another person, who joins by an
    invitation.
    """
    say = words(language_code or "en")
    setting = Setting(levels, players, seat, seed, scores, practice, simulations)
    if remote is not None:
        if path is not None:
            raise click.UsageError("--save is for matches without --server: a server keeps its own")
        at = HostedPlay(remote, say, _own_name(name or ""))
        return _hosted(at, setting, resume, invitation, listed, say, ascii_only)
    for option, value in (("--join", invitation), ("--name", name), ("--list", listed or None)):
        if value is not None:
            raise click.UsageError(f"{option} needs --server")
    if resume is not None:
        if setting != Setting():
            raise click.UsageError("a resumed match keeps its own seats, seed, scores and limits")
        match, own = _resumed(resume)
    else:
        setup, own = _setup(setting)
        match = _new_match(setup)
    table = OwnTable(match, own, Limits(simulations=match.setup.simulations))
    if path is not None:
        check_new(path)
    saver = Saver(table, resume if path is None else path, say)
    if resume is None:
        tell(say.say("Seed {seed}", seed=match.setup.seed))
    return _played(Game(table, say, saver, lambda: _review(table, say), ascii_only), saver)


def _own_name(name: str) -> str:
    try:
        return read_name(name, "--name")
    except LimitsError as error:
        raise BadInput(f"--name: {error.message}") from None


def _played(game: Game, keeper: Keeper, begins: Callable[[], bool] = lambda: True) -> int:
    """Play. Returns the exit status.

    :param begins: waits for the match to begin, and returns whether it does.
    """
    with _hang_up_ends():
        try:
            keeper.begin()
            if begins():
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


def _setup(setting: Setting) -> tuple[MatchSetup, int]:
    """How a match of this process begins, and the player's seat."""
    seats, own = setting.seats()
    if seats.count(HUMAN) > 1:
        raise click.UsageError("one person plays: name a level or a player for each other seat, or a --server")
    players = tuple(LEVEL + name if names_level(name) else name for name in seats)
    seed = secrets.randbits(SEED_BITS) if setting.seed is None else setting.seed
    simulations = setting.simulations or SIMULATIONS
    return MatchSetup(players, seed, setting.scores or None, setting.practice, simulations), own


def _hosted(
    at: HostedPlay,
    setting: Setting,
    resume: str | None,
    invitation: str | None,
    listed: bool,
    say: Words,
    ascii_only: bool,
) -> int:
    """A match on a server: a new one, or one that there is."""
    if sum((resume is not None, invitation is not None, listed)) > 1:
        raise click.UsageError("--resume, --join and --list do not go together")
    if listed:
        return at.list_matches()
    if invitation is not None or resume is not None:
        if replace(setting, seat=None) != Setting() or (setting.seat is not None and resume is None):
            raise click.UsageError("a match on a server keeps its seats, scores and limits")
        ticket = at.join(_invitation(invitation)) if resume is None else at.resume(resume, setting.seat)
    else:
        ticket = at.create(_new_hosted(setting))

    def start(table: "HostedTable", keeper: Keeper) -> int:
        def begins() -> bool:
            at.invite(table, ticket)
            if table.wait_for_start():
                return True
            tell_folded(say.say("The match has ended before all seats were taken."))
            return False

        return _played(Game(table, say, keeper, lambda: _review(table, say), ascii_only), keeper, begins)

    return at.play(ticket, start)


def _new_hosted(setting: Setting) -> NewMatch:
    seats, own = setting.seats()
    limits = None if setting.simulations is None else Limits(simulations=setting.simulations)
    return NewMatch(seats, own, setting.scores, setting.seed, setting.practice, limits)


def _invitation(given: str | None) -> str:
    """An invitation, which is asked for so that it is in no list of commands."""
    return given if given not in (None, "-") else ask("Invitation: ") or ""


def _new_match(setup: MatchSetup) -> Match:
    try:
        return Match(setup)
    except LimitsError as error:
        if error.reason != "UNKNOWN_PLAYER":
            raise
        levels = ", ".join(level.name for level in LEVELS)
        message = f"LEVEL is one of {levels}, a number of rating points, or a player by name: {error.message}"
        raise BadInput(message) from None


def _review(table: Table, say: Words) -> None:
    """Review the match that is over. What that needs would take a tenth of the time in which the command starts."""
    from sniffai.cli.progress import progress_bar
    from sniffai.cli.review import show_review
    from sniffai.review import of_record, review

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
