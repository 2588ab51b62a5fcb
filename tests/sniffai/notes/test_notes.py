"""The notes of a table: written as a person would, they come back as the same view; errors say what would fit."""

import json
from pathlib import Path
from random import Random

import pytest

import sniffai
from sniffai import Round, SniffError, View
from sniffai.cli.forms import load
from sniffai.notes import looks_like_notes, parse_notes
from sniffai.rules import TEAMS
from tests.sniffai.notes_writer import Writer

DATA = Path(__file__).parents[2] / "data"
TRACES = [json.loads(line) for line in (DATA / "rounds.jsonl").read_text(encoding="utf-8").splitlines()]
START = ("players", "hands", "talon", "leader", "scores")


def replayed(trace: dict[str, object]) -> Round:
    round_ = Round(**{key: trace[key] for key in START})  # type: ignore[arg-type]
    for step in trace["steps"]:  # type: ignore[attr-defined]
        round_.play(sniffai.Move(*step["play"]))
    return round_


def seen(round_: Round, seat: int, events: int) -> View:
    return View.from_round(round_.start, seat, round_.history[:events])


@pytest.mark.parametrize("part", range(9))
def test_what_a_person_writes_down_comes_back(part: int) -> None:
    """Every round of the vectors, from a random seat, at a random moment and at its end."""
    for number in range(part, len(TRACES), 9):
        lots = Random(number)
        round_ = replayed(TRACES[number])
        for events in (lots.randrange(len(round_.history) + 1), len(round_.history)):
            view = seen(round_, lots.randrange(round_.start.players), events)
            text = Writer(lots).view(view)
            assert View.from_table(text) == view, text
            assert looks_like_notes(text), text


def test_the_views_of_the_beliefs_and_the_examples_come_back() -> None:
    lines = (DATA / "beliefs.jsonl").read_text(encoding="utf-8").splitlines()
    for number, known in enumerate(map(json.loads, lines)):
        view = View.from_events(
            players=known["players"],
            seat=known["seat"],
            leader=known["leader"],
            hand=known["deal"],
            events=known["events"],
            scores=[0] * TEAMS[known["players"]],
        )
        assert View.from_table(Writer(Random(number)).view(view)) == view
    for file in sorted((DATA.parents[1] / "examples" / "positions").glob("*.json")):
        view = load(str(file)).view()
        writer = Writer(Random(file.name))
        assert View.from_table(writer.snapshot(view) if view.leader is None else writer.view(view)) == view


def test_a_table_without_history_comes_back() -> None:
    for number in range(0, len(TRACES), 5):
        lots = Random(number)
        round_ = Round(**{key: TRACES[number][key] for key in START})
        for _ in range(lots.randrange(12)):
            if not round_.over:
                round_.play(lots.choice(round_.legal_moves()))
        if round_.over:
            continue
        view = round_.view(round_.seat).without_voids()
        assert View.from_table(Writer(lots).snapshot(view)) == view


HEAD = "players 2; seat 0; leader 1; hand 64 11 05 35 66 21 03"
WRONG = {
    "a place is needed": (
        "players 2; seat 0; leader 0\nhand 61 12 64 11 22 33 44\n61\n1: 65\n0 12\n1 25",
        "MoveError PLACE_NOT_UNIQUE",
        "line 6: event 4: 2|5 fits at 1|2:HIGH and at 5|6:LOW; say which: 2|5@1|2:HIGH",
    ),
    "nothing fits": (
        f"{HEAD}\n55\n64",
        "MoveError TILE_DOES_NOT_FIT",
        "line 3: event 2: 4|6 fits nowhere: open are 5 at 5|5:LINE_A, 5 at 5|5:LINE_B",
    ),
    "the wrong place": (
        f"{HEAD}\n55\n53\n43@55",
        "MoveError TILE_DOES_NOT_FIT",
        "line 4: event 3: 3|4 does not fit at '55': 3|4 fits at 3|5:LOW",
    ),
    "a place that is taken": (
        f"{HEAD}\n55\n53\n54@55:LINE_A",
        "MoveError ATTACHMENT_POINT_JOINED",
        "line 4: event 3: 5|5:LINE_A is already joined; 4|5 fits at 5|5:LINE_B",
    ),
    "a side that is closed": (
        f"{HEAD}\n55\n53\n1 54@55:side_a",
        "MoveError SIDE_CLOSED",
        "line 4: event 3: ",
    ),
    "a typing error": (
        f"{HEAD}\n55\n53\npases",
        "NotationError UNREADABLE",
        "line 4: event 3: 'pases' is neither a tile, such as 64, nor 'draws N' nor 'passes'; is 'passes' meant?",
    ),
    "no such tile": (
        f"{HEAD}\n57",
        "NotationError UNREADABLE",
        "line 2: event 1: '57' is not a tile: a half has 0 to 6 pips",
    ),
    "a forgotten turn": (
        f"{HEAD}\n1 55\n0 53\n0 30",
        "ViewError NOT_THE_TURN",
        (
            "line 4: event 3: it is the turn of seat 1, not of seat 0: is a line of seat 1 missing, its"
            " tile, '1 draws N' or '1 passes'?"
        ),
    ),
    "a tile of the own hand": (
        f"{HEAD}\n55\n53\n1 30",
        "ViewError TILE_IN_OWN_HAND",
        "line 4: event 3: seat 1 cannot place 0|3: you hold it",
    ),
    "a tile that is not in the hand": (
        f"{HEAD}\n55\n56",
        "MoveError TILE_NOT_IN_HAND",
        "line 3: event 2: you do not hold 5|6; you hold 0|3, 0|5, 1|1, 1|2, 3|5, 4|6 and 6|6",
    ),
    "a tile on the table": (
        f"{HEAD}\n55\n53\n35",
        "MoveError TILE_ON_TABLE",
        "line 4: event 3: 3|5 is on the table already, as tile 2",
    ),
    "wrong points": (
        f"{HEAD}\n55\n53 +10",
        "MoveError WRONG_POINTS",
        (
            "line 3: event 2: 3|5 scores 0 at 5|5:LINE_A and 0 at 5|5:LINE_B, not 10; to say that the next seat drew 10"
            " tiles write 'draws 10'"
        ),
    ),
    "a draw while a tile fits": (
        f"{HEAD}\n55\ndraws 44",
        "ViewError DRAW_NOT_ALLOWED",
        (
            "line 3: event 2: you cannot draw: your 0|5 fits at 5|5:LINE_A and at 5|5:LINE_B, so it or"
            " another tile must be placed"
        ),
    ),
    "a pass with a talon": (
        f"{HEAD}\n55\n53\n1 passes",
        "ViewError PASS_NOT_ALLOWED",
        "line 4: event 3: the talon has 14 tiles: the seat must draw",
    ),
    "own draws with fewer tiles than counted": (
        "players 2; seat 0; leader 1; hand 64 11 00 33 66 21 03\n55\ndraws 3 44 22",
        "ViewError DRAW_COUNT_MISMATCH",
        "line 3: event 2: 3 tiles were drawn, but 2 are named: 4|4 and 2|2",
    ),
    "own draws without tiles": (
        "players 2; seat 0; leader 1; hand 64 11 00 33 66 21 03\n55\ndraws",
        "NotationError UNREADABLE",
        "line 3: event 2: which tiles did you draw? write 'draws 64 11'",
    ),
    "a tile after a draw that excludes it": (
        f"{HEAD}\n55\n53\n1 draws 2\n1 31\n0 11\n1 51@11",
        "HistoryError NO_DEAL_EXPLAINS",
        "line 7: event 6: seat 1 cannot hold 1|5: it drew or passed when that tile fitted",
    ),
    "a short hand": (
        "players 2; seat 0; leader 1\nhand 64 11 05\n55",
        "TileError WRONG_HAND_SIZE",
        (
            "line 2: hand: a dealt hand has 7 tiles with 2 players, not 3; a record has the hand as dealt, a"
            " snapshot the 'hand now'"
        ),
    ),
    "a tile twice in the hand": (
        "players 2; seat 0; leader 1\nhand 64 11 05 46 66 21 03\n55",
        "TileError TILE_TWICE",
        "line 2: 4|6 occurs twice",
    ),
    "the hand now beside events": (
        "players 2; seat 0; leader 1\nhand now 64 11 05\n55",
        "ViewError SNAPSHOT_IN_RECORD",
        (
            "line 2: 'hand now' belongs to a snapshot, which has no events; a record of events has the hand as"
            " dealt and the scores before the round"
        ),
    ),
    "the scores now beside events": (
        f"{HEAD}\nscores now 5 10\n55",
        "ViewError SNAPSHOT_IN_RECORD",
        (
            "line 2: 'scores now' belongs to a snapshot, which has no events; a record of events has the hand as"
            " dealt and the scores before the round"
        ),
    ),
    "scores of either kind": (
        f"{HEAD}\nscores 5 10\n55",
        "NotationError UNREADABLE",
        "line 2: are these the scores before the round or now? write 'scores before …' or 'scores now …'",
    ),
    "a dealt hand in a snapshot": (
        "players 2; seat 0\ntable 55\nhand 64 11; sizes 2 5",
        "ViewError RECORD_IN_SNAPSHOT",
        (
            "line 3: 'hand' belongs to a record of events; a snapshot has the hand and the scores of now; write"
            " 'hand now …'"
        ),
    ),
    "events beside a table": (
        "players 2; seat 0\ntable 55\n53",
        "ViewError RECORD_IN_SNAPSHOT",
        "line 3: events and 'table' cannot be given together: a snapshot is the table now, without its history",
    ),
    "a talon that does not add up": (
        "players 2; seat 0\ntable 55\nhand now 64 11; sizes 2 5; talon 9",
        "NotationError UNREADABLE",
        "line 3: 28 tiles less 1 on the table and 7 in hands leave a talon of 20",
    ),
    "a talon that no deal leaves": (
        "players 2; seat 0\ntable 55\nhand now 64 11; sizes 2 5",
        "ViewError SIZE_OUT_OF_RANGE",
        "talon_size: the talon has 0..14 tiles, not 20",
    ),
    "scores now that end the match": (
        "players 2; seat 0; leader 0; before 245 0\nhand 50 62 64 11 22 33 44\n05\n1 25",
        "ViewError ROUND_OVER",
        (
            "line 4: event 2: the round is over: team 0 won the match with 250 points; are the scores those of"
            " now instead of those before the round?"
        ),
    ),
    "a hand of another seat": (
        f"{HEAD}\nhand 1 00 22",
        "NotationError UNREADABLE",
        "line 2: 'hand' is also on line 1; notes have your own hand only",
    ),
    "a wrong ending": (
        f"{HEAD}\n55\nend out 0",
        "ViewError WRONG_ENDING",
        "line 3: end: by the events: unfinished, with 7 tiles in seat 0 and 6 tiles in seat 1; the notes say: out 0",
    ),
    "nobody leads": (
        "players 2; seat 0; hand 64 11 05 35 66 21 03; 55",
        "NotationError UNREADABLE",
        "leader: who leads? write 'leader 0', or the seat before the first tile",
    ),
    "no seat": ("players 2; hand 64", "NotationError UNREADABLE", "seat: which seat are you? write 'seat 0'"),
    "no players": ("seat 1; hand 64", "NotationError UNREADABLE", "players: how many play? write 'players 2'"),
    "five players": ("players 5; seat 1", "NotationError UNREADABLE", "line 1: players are 2, 3 or 4, not '5'"),
    "a seat that is none": (
        f"{HEAD}\n3 55",
        "NotationError UNREADABLE",
        "line 2: event 1: there is no seat 3: the seats are 0 to 1",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_an_error_names_the_line_and_offers_what_fits(case: str) -> None:
    text, kind, told = WRONG[case]
    with pytest.raises(SniffError) as failed:
        View.from_table(text)
    assert f"{type(failed.value).__name__} {failed.value.reason}" == kind
    assert str(failed.value).startswith(told)


def test_points_tell_which_place_was_meant() -> None:
    text = "players 2; seat 0; leader 0\nhand 61 12 64 11 22 33 44\n61\n1: 65\n0 12\n"
    with pytest.raises(sniffai.MoveError, match="say which"):
        View.from_table(text + "25")
    view = View.from_table(text + "25 +10")
    assert str(view.placements[-1]) == "2|5@1|2:HIGH"
    assert View.from_table(text + "25@1|2") == View.from_table(text + "25@2") == view


def test_wide_signs_and_names_are_read() -> None:
    wide = "players Ann Bob; seat Ann; hand ６４、１１ 0–5 ３｜５ 66 21 03; Bob: 55; me 53; Bob 3-4"
    assert View.from_table(wide) == View.from_table(f"{HEAD}; 55 35 34")


def test_a_block_need_not_have_its_passes() -> None:
    """Where the talon is empty and nobody can play, the passes follow."""
    blocked = next(trace for trace in TRACES if trace["blocked"])
    view = replayed(blocked).view(0)
    text = Writer(Random(1)).view(view).split("\n")
    while text[-1].split()[-1] in ("passes", "pass", "-"):
        text.pop()
    assert View.from_table("\n".join([*text, "end blocked"])) == view


def test_scores_go_on_from_round_to_round() -> None:
    trace = next(trace for trace in TRACES if trace["players"] == 3 and trace["out"] is not None)
    round_ = replayed(trace)
    first = Writer(Random(2)).view(round_.view(1)) + f"\nafter {' '.join(map(str, round_.scores))}\n"
    notes = parse_notes("round 1\n" + first.replace("; ", "\n") + "round 2\nhand 66 55 44 33 22 11\n")
    assert notes.rounds[1].scores == round_.scores
    assert notes.rounds[1].position.leader == round_.went_out  # type: ignore[union-attr]
    with pytest.raises(sniffai.NotationError, match="the scores before round 2 are not known"):
        parse_notes(
            "round 1\n" + first.partition("\nafter")[0].replace("; ", "\n") + "\nround 2\nhand 66 55 44 33 22 11"
        )
