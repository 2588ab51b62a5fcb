"""The plots of a report, as SVG that takes its colours from the page.

Nothing is shown by colour alone: lines are dashed differently, classes of mistakes have marks of their own.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sniffai.draw.svg import element, escaped, label
from sniffai.explain.languages import Words
from sniffai.explain.numbers import fixed
from sniffai.review.judge import Judged
from sniffai.review.strength import Strength
from sniffai.review.summary import Review
from sniffai.review.terms import luck_name, percent, placements_of, scale_names, seat_name
from sniffai.review.values import Value
from sniffai.review.verdict import Verdict
from sniffai.rules import team_of

# Lengths are in the units of the SVG, in which the widest plot is 960 wide. They were chosen by eye.

WIDTH: Final = 960.0
LEFT: Final = 64.0
RIGHT: Final = 16.0
TEXT: Final = 14.0
INK: Final = "currentColor"

ROW_LETTERS: Final = 14
"""Letters of a player's name beside a bar."""

DASHES: Final = ("", "7 5", "2 4", "9 4 2 4")
"""Of the lines, by seat."""


@dataclass(frozen=True, slots=True)
class Axis:
    """From numbers to pixels, the other way round where ``first`` is above ``last``."""

    low: float
    high: float
    first: float
    last: float

    def __call__(self, value: float) -> float:
        """Where a number lies."""
        return self.first + (value - self.low) / (self.high - self.low) * (self.last - self.first)


class Timeline:
    """The placements of a review in a row, with the rounds' ends between them."""

    def __init__(self, review: Review) -> None:
        self.places: dict[tuple[int, int], float] = {}
        self.bounds: list[float] = [0.0]
        at = 0.0
        for round_ in review.rounds:
            for judgement in round_.judged:
                at += 1
                self.places[judgement.placement.round, judgement.placement.event] = at
            at += 1
            self.bounds.append(at)
        self.axis = Axis(0.0, max(at, 1.0), LEFT, WIDTH - RIGHT)

    def x(self, judgement: Judged) -> float:
        """Where a placement lies."""
        return self.axis(self.places[judgement.placement.round, judgement.placement.event])

    def frame(self, top: float, bottom: float, say: Words) -> Iterator[str]:
        """Lines between rounds, each round's number where there is room."""
        step = max(1, math.ceil(len(self.bounds) / 24))
        for i, (start, end) in enumerate(zip(self.bounds, self.bounds[1:], strict=False)):
            x = self.axis(end)
            yield element("line", x1=x, x2=x, y1=top, y2=bottom, class_="grid")
            if i % step == 0:
                yield label(str(i + 1), self.axis((start + end) / 2), bottom + 14, TEXT, INK, font_weight="400")
        yield label(say.say("round"), LEFT - 10, bottom + 14, TEXT, INK, text_anchor="end", font_weight="400")


def chance_chart(review: Review, say: Words) -> str:
    """Every seat's chance to win the match as it saw it itself, before each of its decisions."""
    height, top, bottom = 360.0, 14.0, 322.0
    times, scale = Timeline(review), Axis(0.0, 1.0, bottom, top)
    shapes = list(times.frame(top, bottom, say))
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = scale(share)
        shapes.append(element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_="grid"))
        shapes.append(label(f"{100 * share:.0f}%", LEFT - 10, y, TEXT, INK, text_anchor="end", font_weight="400"))
    for player in review.players:
        line = _line_of(review, player.seat, times, scale)
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in line)
        shapes.append(
            element(
                "polyline",
                points=points,
                class_=f"line seat{player.seat}",
                stroke_dasharray=DASHES[player.seat] or None,
            )
        )
    for judgement in review.judged:
        if judgement.verdict.mistake and judgement.value is not None:
            y = scale(_inside(judgement.value.chances[judgement.placement.team]))
            shapes.append(linked_mark(judgement, times.x(judgement), y, say))
    return wide_chart(height, say.say("Chance to win the match"), shapes, say)


def _line_of(review: Review, seat: int, times: Timeline, scale: Axis) -> list[tuple[float, float]]:
    team = team_of(review.subject.players, seat)
    points = []
    for i, round_ in enumerate(review.rounds):
        points.append((times.axis(times.bounds[i]), scale(_inside(round_.account.start.chances[team]))))
        points += [
            (times.x(judgement), scale(_inside(judgement.value.chances[team])))
            for judgement in round_.judged
            if judgement.placement.seat == seat and judgement.value is not None
        ]
    points.append((times.axis(times.bounds[-1]), scale(_inside(review.account.result.chances[team]))))
    return points


def loss_chart(review: Review, say: Words) -> str:
    """The loss of each decision, one row per seat."""
    row, gap, top = 96.0, 26.0, 24.0
    times = Timeline(review)
    most = max([0.05, *(judgement.win_probability_loss for judgement in review.judged)])
    shapes: list[str] = []
    for i, player in enumerate(review.players):
        start = top + i * (row + gap)
        scale = Axis(0.0, most, start + row, start)
        shapes.append(
            label(seat_name(review.subject, player.seat, say), LEFT, start - 11, TEXT, INK, text_anchor="start")
        )
        for share in (0.0, most / 2, most):
            y = scale(share)
            shapes.append(element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_="grid"))
            shapes.append(label(percent(share), LEFT - 8, y, TEXT - 2, INK, text_anchor="end", font_weight="400"))
        own = (
            judgement
            for judgement in review.judged
            if judgement.placement.seat == player.seat and judgement.searched and judgement.win_probability_loss > 0
        )
        shapes += [_loss_bar(judgement, times.x(judgement), scale, say) for judgement in own]
    bottom = top + len(review.players) * (row + gap) - gap
    return wide_chart(bottom + 30, say.say("Loss of each decision"), [*times.frame(top, bottom, say), *shapes], say)


def _loss_bar(judgement: Judged, x: float, scale: Axis, say: Words) -> str:
    y, base = scale(judgement.win_probability_loss), scale(0.0)
    bar = element("line", x1=x, x2=x, y1=base, y2=y, class_=f"bar {judgement.verdict}")
    if judgement.verdict is Verdict.NONE:
        return bar
    return bar + (linked_mark(judgement, x, y, say) if judgement.verdict.mistake else mark(judgement.verdict, x, y))


def mark(verdict: Verdict, x: float, y: float, size: float = 6.0) -> str:
    """The mark of a class: a ring, a triangle, a square on its tip."""
    if verdict is Verdict.BLUNDER:
        points = f"{x},{y - 1.3 * size} {x + 1.3 * size},{y} {x},{y + 1.3 * size} {x - 1.3 * size},{y}"
        return element("polygon", points=points, class_="mark blunder")
    if verdict is Verdict.ERROR:
        points = f"{x},{y - 1.2 * size} {x + 1.1 * size},{y + 0.8 * size} {x - 1.1 * size},{y + 0.8 * size}"
        return element("polygon", points=points, class_="mark error")
    return element("circle", cx=x, cy=y, r=0.7 * size, class_="mark doubtful")


def linked_mark(judgement: Judged, x: float, y: float, say: Words) -> str:
    """A mark that links to the details of the placement."""
    title = say.say(
        "Round {round}, event {event}: {loss}",
        round=judgement.placement.round + 1,
        event=judgement.placement.event + 1,
        loss=percent(-judgement.win_probability_loss, signed=True),
    )
    return element("a", element("title", escaped(title)), mark(judgement.verdict, x, y), href=f"#{anchor(judgement)}")


def anchor(judgement: Judged) -> str:
    """The anchor of a placement in the report."""
    return f"r{judgement.placement.round + 1}e{judgement.placement.event + 1}"


def account_chart(review: Review, team: int, say: Words, points: bool) -> str:
    """From start to result, bar by bar: placements by seat, luck by kind."""
    rows = _account_rows(review, say)
    numbers = [_of(value, team, points) for _, _, value in rows]
    ends, at = [], 0.0
    for (_, kind, _), change in zip(rows, numbers, strict=True):
        start = 0.0 if kind in ("start", "result") else at
        at = start + change
        ends.append((start, at))
    low, high = min(0.0, *(min(pair) for pair in ends)), max(0.0, *(max(pair) for pair in ends))
    scale = Axis(low, high if high > low else low + 1.0, 214.0, 436.0)
    shapes = [element("line", x1=scale(0), x2=scale(0), y1=0, y2=26 * len(rows), class_="axis")]
    for i, ((name, kind, _), (start, end), change) in enumerate(zip(rows, ends, numbers, strict=True)):
        y = 26.0 * i
        shapes.append(label(name, 204, y + 13, TEXT - 1, INK, text_anchor="end", font_weight="400"))
        x, width = scale(min(start, end)), max(1.0, abs(scale(end) - scale(start)))
        shapes.append(element("rect", x=x, y=y + 4, width=width, height=18, class_=f"fall {kind}"))
        signed = kind not in ("start", "result")
        text = fixed(change, signed=signed) if points else percent(change, signed)
        shapes.append(label(text, 448, y + 13, TEXT - 1, INK, text_anchor="start", font_weight="600"))
    return _svg(520, 26.0 * len(rows), say.say("Luck and skill"), shapes, "account")


def _account_rows(review: Review, say: Words) -> list[tuple[str, str, Value]]:
    """Name, class and value of each row."""
    subject, account = review.subject, review.account
    return [
        (say.say("start"), "start", account.start),
        *((placements_of(subject, seat, say, ROW_LETTERS), "skill", value) for seat, value in account.moves.items()),
        *((luck_name(kind, say), "luck", value) for kind, value in account.luck.items()),
        (say.say("result") if account.final else say.say("so far"), "result", account.result),
    ]


def _of(value: Value, team: int, points: bool) -> float:
    return value.margins[team] if points else value.chances[team]


def strength_chart(strength: Strength, seat: int, say: Words) -> str:
    """Where a player stands on the scale of levels, with its interval, in the colour of the seat."""
    names = scale_names(strength.players, say)
    scale = Axis(0.0, float(len(names) - 1), 40.0, 320.0)
    shapes = [element("line", x1=scale(0), x2=scale(len(names) - 1), y1=20, y2=20, class_="axis")]
    for i, name in enumerate(names):
        shapes.append(element("line", x1=scale(i), x2=scale(i), y1=15, y2=25, class_="axis"))
        shapes.append(label(name, scale(i), 40 + 15 * (i % 2), TEXT - 2, INK, font_weight="400"))
    shapes.append(
        element(
            "line",
            x1=scale(strength.low),
            x2=scale(strength.high) + 0.1,
            y1=20,
            y2=20,
            class_=f"interval seat{seat}",
        )
    )
    shapes.append(element("circle", cx=scale(strength.scale), cy=20, r=6, class_=f"dot seat{seat}"))
    return _svg(360, 64, say.say("Estimated strength"), shapes, "strength")


def legend(say: Words, review: Review) -> str:
    """The lines of the seats."""
    parts = []
    for player in review.players:
        line = element(
            "line",
            x1=0,
            x2=34,
            y1=8,
            y2=8,
            class_=f"line seat{player.seat}",
            stroke_dasharray=DASHES[player.seat] or None,
        )
        drawn = _svg(34, 16, seat_name(review.subject, player.seat, say), [line], "key")
        parts.append(f"<span>{drawn} {escaped(seat_name(review.subject, player.seat, say))}</span>")
    return "".join(parts)


def mark_key(verdict: Verdict, name: str) -> str:
    """A single mark, for a legend."""
    return _svg(20, 18, name, [mark(verdict, 10, 9)], "key")


def _inside(share: float) -> float:
    return min(1.0, max(0.0, share))


def swipe_cue(say: Words) -> str:
    """What a narrow screen says above something wider than it."""
    cue = say.say("Swipe sideways to see all of it.")
    return f'<p class="note cue">{escaped(cue)} ↔</p>'


def wide_chart(height: float, title: str, shapes: Sequence[str], say: Words) -> str:
    """A plot as wide as the page, which scrolls where that is too narrow."""
    return f'{swipe_cue(say)}<div class="wide" tabindex="0">{_svg(WIDTH, height, title, shapes, "chart")}</div>'


def _svg(width: float, height: float, title: str, shapes: Sequence[str], kind: str) -> str:
    return element(
        "svg",
        element("title", escaped(title)),
        *shapes,
        viewBox=f"0 0 {width:g} {height:g}",
        width=width,
        height=height,
        role="group" if kind == "chart" else "img",  # a picture would hide the links within
        class_=kind,
    )
