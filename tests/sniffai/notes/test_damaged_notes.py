"""Notes with typing errors: whatever is wrong with them, the answer is an error of ours that names a place."""

from random import Random

import pytest

import sniffai
from sniffai import SniffError, View, wire
from sniffai.records.seat_record import read_noted
from tests.sniffai.notes.test_notes import TRACES, replayed
from tests.sniffai.notes_writer import Writer

SLIPS = (
    *("64", "6-4", "99", "+5", "draws", "draws 2", "draws 64 11", "passes", "-", "0", "3", "7:", "Ann:", "me", "@66"),
    *("64@66:", "64@:LOW", "64 at", "@", "hand", "hand now", "hand now 64", "scores", "scores now 1 2", "before x"),
    *("after", "after 5", "table 66 64", "table", "sizes 1 1", "talon", "talon 3", "talon x", "void", "void / 25"),
    *("drawn", "drawn 64", "round", "round 2", "leader 9", "end", "end out", "end blocked", "players 3", "seat 9"),
    *("=", ";;", "#", '[A "b"]', "[A", "\x00", "６", "一", "٣", "²", "64@66:LINE_A:x", "draws 99", "draws ²", "++5"),
    *("sizes ² 3", "hand 0 64", "players Ann Bob", "players me you", "players a a", "seat me", "end match 0", ""),
)


def damaged(text: str, lots: Random) -> str:
    """The text with some slips of the pen."""
    for _ in range(lots.randrange(1, 5)):
        place, lines = lots.randrange(len(text) + 1), text.split("\n")
        match lots.randrange(4):
            case 0:
                text = text[:place] + lots.choice(SLIPS) + text[place:]
            case 1:
                text = text[:place] + text[place + lots.randrange(1, 6) :]
            case 2:
                lines.insert(lots.randrange(len(lines) + 1), lots.choice(SLIPS))
                text = "\n".join(lines)
            case _:
                lines[lots.randrange(len(lines))] = lots.choice([lots.choice(lines), lots.choice(SLIPS)])
                text = "\n".join(lines)
    return text


def refusal(text: str) -> str | None:
    """The place that the error names; ``None`` if the text can be read all the same."""
    try:
        assert isinstance(read_noted(text), (View, sniffai.SeatRecord))
    except SniffError as error:
        return error.field
    wire.parse_text(text)
    return None


@pytest.mark.parametrize("part", range(4))
def test_every_slip_of_the_pen_is_an_error_with_its_place(part: int) -> None:
    places = []
    for number in range(part, 100, 4):
        lots = Random(number)
        round_ = replayed(TRACES[number])
        events = lots.randrange(len(round_.history) + 1)
        view = View.from_round(round_.start, lots.randrange(round_.start.players), round_.history[:events])
        places += [refusal(damaged(Writer(lots).view(view), lots)) for _ in range(12)]
    named = [place for place in places if place is not None]
    assert "" not in named
    assert 100 < len(named) < len(places)
