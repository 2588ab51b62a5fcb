"""The terms of a review in words of the reader's language, and its numbers."""

from collections.abc import Sequence
from typing import Final
from unicodedata import bidirectional

from sniffai.checks import joins, steers
from sniffai.explain.description import move_name
from sniffai.explain.languages import Words
from sniffai.explain.level_words import level_name
from sniffai.explain.numbers import fixed
from sniffai.review.ledger import StepKind
from sniffai.review.story import Placement, Subject
from sniffai.review.strength import level_names
from sniffai.review.verdict import Verdict
from sniffai.search.analysis import LineStep
from sniffai.view import View

LINE_STEPS: Final = 4
"""Most moves shown of the best line, after the best move itself."""


NAME_LETTERS: Final = 40
"""Longest name shown, in characters, so that rows and charts keep their shape."""


def verdict_name(verdict: Verdict, say: Words) -> str:
    """A class of placements."""
    return {
        Verdict.NONE: say.say("good"),
        Verdict.DOUBTFUL: say.say("doubtful"),
        Verdict.ERROR: say.say("error"),
        Verdict.BLUNDER: say.say("blunder"),
    }[verdict]


def verdict_count(verdict: Verdict, count: int, say: Words) -> str:
    """The number of placements of a class of mistakes."""
    if verdict is Verdict.BLUNDER:
        return say.count("{count} blunder", "{count} blunders", count, count=count)
    if verdict is Verdict.ERROR:
        return say.count("{count} error", "{count} errors", count, count=count)
    return say.count("{count} doubtful", "{count} doubtful", count, count=count)


def source_name(source: str, say: Words) -> str:
    """How the values of a placement came about."""
    return {"forced": say.say("forced"), "exact": say.say("exact"), "search": say.say("searched")}[source]


def phase_name(phase: str, say: Words) -> str:
    """A phase of a round."""
    return {"opening": say.say("opening"), "middle": say.say("middle"), "end": say.say("end")}[phase]


def luck_name(kind: StepKind, say: Words) -> str:
    """A kind of luck."""
    return {
        StepKind.LOT: say.say("lead at random"),
        StepKind.DEAL: say.say("the leader's own deal"),
        StepKind.HANDS: say.say("hands that turn out"),
        StepKind.DRAW: say.say("draws"),
        StepKind.OTHERS: say.say("between the seat's turns"),
        StepKind.END: say.say("the end of rounds"),
    }[kind]


def scale_names(players: int, say: Words) -> list[str]:
    """The levels of the scale, lowest first."""
    return [level_name(name, say) for name in level_names(players)]


def seat_name(subject: Subject, seat: int, say: Words, letters: int = NAME_LETTERS) -> str:
    """The name of who sits at a seat, with the seat where others have that name; the seat where there is no name.

    :param letters: of the name, at most.
    """
    names = [_shortened(name, letters) for name in subject.names]
    numbered = say.say("Seat {seat}", seat=seat)
    name = names[seat]
    if not name:
        return numbered
    return name if names.count(name) == 1 else f"{name} ({numbered})"


def placements_of(subject: Subject, seat: int, say: Words, letters: int = NAME_LETTERS) -> str:
    """What the placements of a seat changed, as a row of an account; ``letters`` as for :func:`seat_name`."""
    return say.say("placements: {player}", player=seat_name(subject, seat, say, letters))


def _shortened(name: str, letters: int) -> str:
    return isolated(name if len(name) <= letters else f"{name[: letters - 1]}…")


def isolated(name: str) -> str:
    """A name of unknown origin, isolated so that its writing direction and control characters affect nothing else."""
    safe = "".join(sign for place, sign in enumerate(name) if not steers(sign) or joins(name, place))
    turned = any(bidirectional(sign) in ("R", "AL", "AN") for sign in safe)
    return f"\u2068{safe}\u2069" if turned else safe


def placement_name(placement: Placement, say: Words) -> str:
    """Where a placement is in the match."""
    return say.say("Round {round}, event {event}", round=placement.round + 1, event=placement.event + 1)


def team_name(subject: Subject, team: int, say: Words) -> str:
    """A team: its seat, or both its seats."""
    if subject.players < 4:
        return seat_name(subject, team, say)
    first, second = (seat_name(subject, seat, say) for seat in (team, team + 2))
    return say.say("{first} and {second}", first=first, second=second)


def line_text(line: Sequence[LineStep], say: Words) -> str:
    """What is expected after the first move of a line; a question mark after a step that depends on hidden tiles."""
    return " · ".join(
        f"{move_name(step.move, say)}{'?' if step.estimated else ''}" for step in line[1 : LINE_STEPS + 1]
    )


def line_note(say: Words) -> str:
    """What a question mark in a line says."""
    return say.say("In a line, a question mark follows a move that depends on hidden tiles.")


def percent(chance: float, signed: bool = False) -> str:
    """A chance in per cent to one place."""
    return fixed(100 * chance, signed=signed) + "%"


def numbering_note(say: Words) -> str:
    """How people count rounds and events; JSON and the wire count both from 0."""
    return say.say("Rounds and events are numbered from 1, seats from 0.")


def unknown_notes(subject: Subject, final: bool, say: Words) -> list[str]:
    """What cannot be told of a match that one seat saw."""
    if subject.whole:
        return []
    notes = [
        say.say(
            "Only the tiles of seat {seat} are known. Events between its turns are one total, because the others' skill"
            " cannot be separated from luck.",
            seat=subject.stories[0].seats[0],
        )
    ]
    last = subject.stories[-1].source
    if not final and isinstance(last, View) and last.over:
        notes.append(say.say("The scores after the last round are not known, so its settlement is left out."))
    return notes


def points_start_note(say: Words) -> str:
    """What an account in points begins with."""
    return say.say("In points the start is what the leads are worth.")
