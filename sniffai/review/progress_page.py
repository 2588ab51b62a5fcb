"""The progress of players over several matches, as a page and as tables."""

from collections.abc import Iterator, Sequence
from typing import Final

from sniffai.draw.svg import element, escaped, label
from sniffai.explain.languages import Words, read_language, words
from sniffai.explain.level_words import level_name
from sniffai.explain.numbers import fixed, uncertain
from sniffai.review.charts import INK, LEFT, RIGHT, TEXT, WIDTH, Axis, wide_chart
from sniffai.review.markup import document, section, small, table
from sniffai.review.progress import PlayerMatch, PlayerProgress
from sniffai.review.strength import Strength
from sniffai.review.summary import DecisionTally
from sniffai.review.tables import TextTable
from sniffai.review.terms import isolated, percent

HEIGHT: Final = 240.0
"""Of a plot, in its units."""


def progress_report(progress: Sequence[PlayerProgress], language_code: str = "en") -> str:
    """The page: what each player's decisions lost from match to match.

    :param language_code: see :func:`sniffai.explain.read_language`.
    :raises LimitsError: the language is unknown.
    """
    say = words(read_language(language_code))
    note = small(
        say.say(
            "Points lost in a decision, against the best move: the lower, the better. A bar, and ± in the"
            " table, is the 95% interval of one match: how far the decisions differ."
        )
    )
    parts = [
        section(
            isolated(player.name),
            note + _chart(player, say) + table(_heads(say), _rows(player, say), "phases"),
        )
        for player in progress
    ]
    return document(say.say("Progress over several matches"), "\n".join(parts), say)


def progress_tables(progress: Sequence[PlayerProgress], language_code: str = "en") -> Iterator[TextTable]:
    """A table for each player.

    :param language_code: see :func:`sniffai.explain.read_language`.
    :raises LimitsError: the language is unknown.
    """
    say = words(read_language(language_code))
    match, date, *numbers = _heads(say)
    columns = (match, date + "?", *(f"{head}>" for head in numbers))
    for player in progress:
        yield TextTable(isolated(player.name), columns, tuple(_rows(player, say)))


def _heads(say: Words) -> tuple[str, ...]:
    return (
        say.say("match"),
        say.say("date"),
        say.say("decisions"),
        say.say("errors per decision"),
        say.say("points per decision"),
        "±",
        say.say("luck"),
        say.say("strength"),
    )


def _rows(player: PlayerProgress, say: Words) -> list[tuple[str, ...]]:
    rows = []
    for match in player.matches:
        luck = percent(match.summary.luck.chances[match.summary.team], True)
        row = _row(match.summary.total, match.loss_interval, luck, match.summary.strength, say)
        rows.append((isolated(match.match.title), isolated(match.match.date), *row))
    return [*rows, (say.say("all"), "", *_row(player.total, player.loss_interval, "", player.strength, say))]


def _row(tally: DecisionTally, interval: float, luck: str, strength: Strength | None, say: Words) -> tuple[str, ...]:
    rate = "–" if tally.error_rate is None else percent(tally.error_rate)
    return (str(tally.decision_count), rate, *_per_decision(tally, interval), luck, _strength(strength, say))


def _per_decision(tally: DecisionTally, interval: float) -> tuple[str, str]:
    if not tally.decision_count:
        return "–", ""
    return fixed(tally.points_loss / tally.decision_count, 2), uncertain(interval, 2)


def _strength(strength: Strength | None, say: Words) -> str:
    return "–" if strength is None else f"{level_name(strength.level, say)} {fixed(strength.scale)}"


def _chart(player: PlayerProgress, say: Words) -> str:
    """One point a match, with its interval."""
    known = [match for match in player.matches if match.summary.total.decision_count]
    spreads = [(_loss(match), match.loss_interval) for match in known]
    most = max([1.0, *(loss + reach for loss, reach in spreads)])
    bottom, top = HEIGHT - 30, 14.0
    across, up = Axis(0.0, len(known) + 1.0, LEFT, WIDTH - RIGHT), Axis(0.0, most, bottom, top)
    shapes = []
    for share in (0.0, most / 2, most):
        shapes.append(element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=up(share), y2=up(share), class_="grid"))
        shapes.append(label(fixed(share), LEFT - 10, up(share), TEXT, INK, text_anchor="end", font_weight="400"))
    line = " ".join(f"{across(i + 1.0):.1f},{up(loss):.1f}" for i, (loss, _) in enumerate(spreads))
    shapes.append(element("polyline", points=line, class_="line seat0"))
    for i, (match, (loss, reach)) in enumerate(zip(known, spreads, strict=True)):
        x = across(i + 1.0)
        shapes.append(
            element("line", x1=x, x2=x, y1=up(max(0.0, loss - reach)), y2=up(loss + reach), class_="interval seat0")
        )
        title = element("title", escaped(f"{match.match.title}: {fixed(loss, 2)}"))
        shapes.append(element("circle", title, cx=x, cy=up(loss), r=5, class_="dot seat0"))
        shapes.append(label(str(i + 1), x, bottom + 16, TEXT, INK, font_weight="400"))
    shapes.append(label(say.say("match"), LEFT - 10, bottom + 16, TEXT, INK, text_anchor="end", font_weight="400"))
    return wide_chart(HEIGHT, say.say("points per decision"), shapes, say)


def _loss(match: PlayerMatch) -> float:
    tally = match.summary.total
    return tally.points_loss / tally.decision_count
