"""A review as tables of text: for a terminal, in the reader's language."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sniffai.explain.languages import Words, read_language, words
from sniffai.review.judge import Judged
from sniffai.review.summary import Review
from sniffai.review.terms import (
    level_name,
    luck_name,
    number,
    percent,
    phase_name,
    seat_name,
    source_name,
    team_name,
    verdict_name,
)
from sniffai.review.values import Value
from sniffai.review.verdict import Verdict

LINE_STEPS: Final = 3
"""Moves of the best line that a table has room for, after the best move itself."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """One table."""

    title: str
    columns: tuple[str, ...]
    """A name that ends in ``>`` is that of a column aligned to the right."""
    rows: tuple[tuple[str, ...], ...]


def text_tables(review: Review, language: str = "en", *, every: bool = False) -> Iterator[TextTable]:
    """The players, their phases, the account, and the placements.

    :param language: see :func:`sniffai.explain.read_language`.
    :param every: whether every placement is listed; else those that were doubtful or worse.
    :raises LimitsError: the language is unknown.
    """
    say = words(read_language(language))
    yield _players(review, say)
    yield _phases(review, say)
    yield _account(review, say)
    listed = review.judged if every else review.mistakes
    if listed:
        yield _placements(listed, say)


def result_line(review: Review, language: str = "en") -> str:
    """What came of it, in one line."""
    say = words(read_language(language))
    end = say.say("result") if review.account.final else say.say("so far")
    return f"{end}: {' · '.join(percent(chance) for chance in review.account.result.chances)}"


def _players(review: Review, say: Words) -> TextTable:
    columns = (
        "",
        say.say("decisions") + ">",
        *(verdict_name(verdict, say) + ">" for verdict in reversed(Verdict)),
        say.say("errors a decision") + ">",
        say.say("loss in all") + ">",
        "±>",
        say.say("points") + ">",
        say.say("luck") + ">",
        say.say("strength"),
    )
    rows = []
    for player in review.players:
        tally, rate, strength = player.tally, player.tally.error_rate, player.strength
        told = "–"
        if strength is not None:
            name = level_name(strength.level, say)
            told = f"{name} {number(strength.scale)} ({number(strength.low)}–{number(strength.high)})"
        rows.append(
            (
                seat_name(review.subject, player.seat, say),
                str(tally.decisions),
                *(str(tally.verdicts[verdict]) for verdict in reversed(Verdict)),
                "–" if rate is None else percent(rate),
                percent(tally.loss),
                number(100 * tally.loss_error),
                number(tally.points_loss),
                percent(player.luck.chances[player.team], True),
                told,
            )
        )
    return TextTable("", columns, tuple(rows))


def _phases(review: Review, say: Words) -> TextTable:
    """By phase: mistakes of decisions, and their loss."""
    rows = [
        (
            seat_name(review.subject, player.seat, say),
            *(f"{tally.mistakes}/{tally.decisions}  {percent(tally.loss)}" for tally in player.phases.values()),
        )
        for player in review.players
    ]
    phases = review.players[0].phases
    return TextTable(
        say.say("errors by phase, of decisions"), ("", *(f"{phase_name(phase, say)}>" for phase in phases)), tuple(rows)
    )


def _account(review: Review, say: Words) -> TextTable:
    """Start, skill and luck: together the result."""
    subject, account = review.subject, review.account
    parts: list[tuple[str, Value, bool]] = [(say.say("start"), account.start, False)]
    parts += [(say.say("placements of seat {seat}", seat=seat), value, True) for seat, value in account.moves.items()]
    parts += [(luck_name(kind, say), value, True) for kind, value in account.luck.items()]
    parts.append((say.say("result") if account.final else say.say("so far"), account.result, False))
    rows = []
    for name, value, signed in parts:
        cells = zip(value.chances, value.margins, strict=True)
        rows.append((name, *(f"{percent(chance, signed)}  {number(points, signed):>7}" for chance, points in cells)))
    columns = ("", *(f"{team_name(subject, team, say)}>" for team in range(subject.teams)))
    return TextTable(say.say("chance to win the match, and points"), columns, tuple(rows))


def _placements(listed: Sequence[Judged], say: Words) -> TextTable:
    columns = (
        say.say("round"),
        say.say("event"),
        say.say("seat"),
        say.say("played"),
        say.say("best move"),
        say.say("loss") + ">",
        "±>",
        say.say("points") + ">",
        say.say("class"),
        say.say("values"),
        say.say("best line"),
    )
    return TextTable("", columns, tuple(_placement(one, say) for one in listed))


def _placement(one: Judged, say: Words) -> tuple[str, ...]:
    choice = one.choice
    plain = (str(choice.round + 1), str(choice.event + 1), str(choice.seat), str(choice.played))
    source = source_name(one.source, say)
    if one.best is None:
        return (*plain, "", "", "", "", "", source, "")
    best = "=" if one.was_best else str(one.best.move)
    line = " ".join(f"{step.move}{'?' if step.estimated else ''}" for step in one.line[1 : LINE_STEPS + 1])
    cells = (percent(one.loss), number(100 * one.loss_error), number(one.points_loss))
    return (*plain, best, *cells, verdict_name(one.verdict, say), source, line)
