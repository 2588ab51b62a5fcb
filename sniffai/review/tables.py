"""A review as tables of text: for a terminal, in the reader's language."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sniffai.explain import render
from sniffai.explain.description import joined_sentences, move_name
from sniffai.explain.languages import Words, read_language, words
from sniffai.explain.level_words import level_name
from sniffai.explain.numbers import fixed, uncertain
from sniffai.explain.whereabouts import Chances, exact_note, whereabouts
from sniffai.review.judge import Judged
from sniffai.review.story import Subject
from sniffai.review.summary import Review
from sniffai.review.terms import (
    luck_name,
    numbering_note,
    percent,
    phase_name,
    placement_name,
    placements_of,
    points_start_note,
    seat_name,
    source_name,
    team_name,
    unknown_notes,
    verdict_name,
)
from sniffai.review.values import Value
from sniffai.review.verdict import Verdict
from sniffai.tiles import TILES

LEAST_TOLD: Final = 0.05
"""A tile is told of where the others' choices change how likely it is in a place by as much."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """One table."""

    title: str
    columns: tuple[str, ...]
    """A name that ends in ``>`` is that of a column aligned to the right, in ``?`` of one that a narrow page can do
    without. None where there is a note only."""
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    """What is to be said below it."""


def text_tables(
    review: Review, language_code: str = "en", *, every: bool = False, beliefs: bool = False
) -> Iterator[TextTable]:
    """The players, their phases, the account, and the placements.

    :param language_code: see :func:`sniffai.explain.read_language`.
    :param every: whether every placement is listed; else those that were doubtful or worse.
    :param beliefs: whether a table for each of them tells where the hidden tiles were likely to be.
    :raises LimitsError: the language is unknown.
    """
    say = words(read_language(language_code))
    yield _players(review, say)
    yield _phases(review, say)
    yield _account(review, say)
    listed = review.judged if every else review.mistakes
    if listed:
        yield _placements(review.subject, listed, say)
    if beliefs and listed:
        yield from _beliefs(review.subject, listed, say)


def result_line(review: Review, language_code: str = "en") -> str:
    """The result in one line."""
    say = words(read_language(language_code))
    end = say.say("result") if review.account.final else say.say("so far")
    return f"{end}: {' · '.join(percent(chance) for chance in review.account.result.chances)}"


def _players(review: Review, say: Words) -> TextTable:
    """One column per seat, so that narrow pages have room."""
    columns = ("", *(seat_name(review.subject, player.seat, say) + ">" for player in review.players))
    return TextTable("", columns, tuple(zip(*_player_columns(review, say), strict=True)))


def _player_columns(review: Review, say: Words) -> Iterator[tuple[str, ...]]:
    """The names of the rows, then what each seat did."""
    yield (
        say.say("decisions"),
        *(verdict_name(verdict, say) for verdict in reversed(Verdict)),
        say.say("errors per decision"),
        say.say("loss in all"),
        "±",
        say.say("points"),
        say.say("luck"),
        say.say("strength"),
        "",
    )
    for player in review.players:
        tally, rate, strength = player.total, player.total.error_rate, player.strength
        strength_text = ("–", "")
        if strength is not None:
            interval = f"{fixed(strength.scale)} ({fixed(strength.low)}–{fixed(strength.high)})"
            strength_text = level_name(strength.level, say), interval
        yield (
            str(tally.decision_count),
            *(str(tally.verdicts[verdict]) for verdict in reversed(Verdict)),
            "–" if rate is None else percent(rate),
            percent(tally.win_probability_loss),
            uncertain(100 * tally.win_probability_loss_error) + "%",
            fixed(tally.points_loss),
            percent(player.luck.chances[player.team], True),
            *strength_text,
        )


def _phases(review: Review, say: Words) -> TextTable:
    """By phase: mistakes of decisions, and their loss."""
    rows = [
        (
            seat_name(review.subject, player.seat, say),
            *(
                f"{tally.mistakes}/{tally.decision_count}  {percent(tally.win_probability_loss)}"
                for tally in player.phases.values()
            ),
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
    parts += [(placements_of(subject, seat, say), value, True) for seat, value in account.moves.items()]
    parts += [(luck_name(kind, say), value, True) for kind, value in account.luck.items()]
    parts.append((say.say("result") if account.final else say.say("so far"), account.result, False))
    rows = []
    for name, value, signed in parts:
        cells = zip(value.chances, value.margins, strict=True)
        rows.append(
            (name, *(f"{percent(chance, signed)}  {fixed(points, signed=signed):>7}" for chance, points in cells))
        )
    columns = ("", *(f"{team_name(subject, team, say)}>" for team in range(subject.teams)))
    title = say.say("chance to win the match, and points")
    notes = [points_start_note(say), *unknown_notes(subject, account.final, say)]
    return TextTable(title, columns, tuple(rows), joined_sentences(notes))


def _placements(subject: Subject, listed: Sequence[Judged], say: Words) -> TextTable:
    columns = (
        say.say("round"),
        say.say("event"),
        say.say("player"),
        say.say("played"),
        say.say("best move"),
        say.say("loss") + ">",
        "±>",
        say.say("points") + ">",
        say.say("class"),
        say.say("values") + "?",
    )
    rows = tuple(_placement(subject, judgement, say) for judgement in listed)
    return TextTable("", columns, rows, "\n".join([numbering_note(say), *_contrasts(listed, say)]))


def _contrasts(listed: Sequence[Judged], say: Words) -> Iterator[str]:
    """Which placements were better than the best move against careless opponents."""
    for judgement in listed:
        contrast = judgement.contrast
        if contrast is not None:
            where = placement_name(judgement.placement, say)
            yield say.say("{place}: {text}", place=where, text=render(contrast, say.language_code))


def _placement(subject: Subject, judgement: Judged, say: Words) -> tuple[str, ...]:
    placement = judgement.placement
    plain = (
        str(placement.round + 1),
        str(placement.event + 1),
        seat_name(subject, placement.seat, say),
        move_name(placement.played, say),
    )
    source = source_name(judgement.source, say)
    if judgement.best is None:
        return (*plain, "", "", "", "", "", source)
    best = "=" if judgement.was_best else move_name(judgement.best.move, say)
    cells = (
        percent(judgement.win_probability_loss),
        uncertain(100 * judgement.win_probability_loss_error),
        fixed(judgement.points_loss),
    )
    return (*plain, best, *cells, verdict_name(judgement.verdict, say), source)


def _beliefs(subject: Subject, listed: Sequence[Judged], say: Words) -> Iterator[TextTable]:
    """Where the hidden tiles were likely to be, at each placement where the others' choices say something of it."""
    tables = [table for judgement in listed if (table := _belief(subject, judgement, say)) is not None]
    yield from tables
    if tables:
        share = percent(LEAST_TOLD)
        left_out = say.say("Tiles of which the others' choices change less than {share} are left out.", share=share)
        yield TextTable("", (), (), f"{exact_note(say)}\n{left_out}")
    else:
        yield TextTable("", (), (), say.say("The others' choices say nothing more here."))


def _belief(subject: Subject, judgement: Judged, say: Words) -> TextTable | None:
    if judgement.belief is None or judgement.inferred_belief is None:
        return None
    exact, inferred = (_chances(belief.table.tolist()) for belief in (judgement.belief, judgement.inferred_belief))
    where = whereabouts(
        judgement.placement.view,
        exact,
        inferred,
        judgement.inferred_belief.effective_sample_size,
        lambda seat: seat_name(subject, seat, say),
        say,
        LEAST_TOLD,
    )
    if not where.rows:
        return None
    title = say.say("{place}: hidden tiles", place=placement_name(judgement.placement, say))
    return TextTable(title, where.columns, where.rows, where.note)


def _chances(rows: Sequence[Sequence[float]]) -> Chances:
    return {str(tile): row for tile, row in zip(TILES, rows, strict=True)}
