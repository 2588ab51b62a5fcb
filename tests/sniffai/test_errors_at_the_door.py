"""Whatever a caller hands over: an error of the library's own, with field and reason, short, and at once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sniffai
from sniffai import equity
from sniffai import review as reviews
from sniffai.checks import read_integer, read_integers, shown
from sniffai.draw import hand_svg, layout_svg, plan_growing_layout, plan_layout, position_svg, tally_svg
from sniffai.errors import LimitsError, MoveError, NotationError, RecordError, SniffError, TileError, ViewError
from sniffai.events import Draw, Pass, Play, read_events
from sniffai.explain import Reason, compare, describe, prospect, reasons, render, render_all, sentences
from sniffai.history import History, Snapshot
from sniffai.moves import Move
from sniffai.perft_counts import divide, perft
from sniffai.records.matchfile import decode, dump_match, format_match, load_match, parse_match
from sniffai.records.record import Ending, MatchRecord, RoundRecord
from sniffai.tiles import Tile, read_tiles, tile_mask
from tests.spending import at_most

NAN = float("nan")
HUGE = 10**5000


def nested(depth: int = 5000) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


class Broken:
    def __repr__(self) -> str:
        raise KeyError("no words")


class Unwritable:
    def __repr__(self) -> str:
        return "\ud800"


ODD: dict[str, Any] = {
    "number": HUGE,
    "long number": 10**4000,
    "nested": nested(),
    "text": "x" * 200_000,
    "bytes": b"x" * 200_000,
    "list": list(range(100_000)),
    "dictionary": {i: i for i in range(100_000)},
    "broken": Broken(),
    "unwritable": Unwritable(),
    "surrogate": "\ud800",
    "array": np.zeros(10_000),
    "none": None,
    "nan": NAN,
    "complex": 1j,
    "float": 1.5,
}


def expect(act: Callable[[], object], kind: type[SniffError], field: str) -> None:
    """An error of this kind exactly, at this field, short and soon."""
    with at_most(0.5), pytest.raises(SniffError) as caught:
        act()
    error = caught.value
    assert (type(error), error.field) == (kind, field)
    assert error.reason == error.reason.upper() != ""
    assert error.message and len(str(error)) < 400
    str(error).encode()


@pytest.fixture(scope="module")
def round_() -> sniffai.Round:
    return sniffai.Round.deal(2, 1)


@pytest.fixture(scope="module")
def played() -> sniffai.Round:
    whole = sniffai.Round.deal(2, 1)
    while not whole.over:
        whole.play(whole.legal_moves()[0])
    return whole


def position(round_: sniffai.Round, *events: Any) -> History:
    return History(round_.start.leader, round_.start.hands[0], events)


# what a message shows


@pytest.mark.parametrize("value", ODD.values(), ids=ODD.keys())
def test_a_value_is_shown_in_80_characters(value: Any) -> None:
    with at_most(0.1):
        text = shown(value)
    assert 0 < len(text) <= 80
    text.encode()


@pytest.mark.parametrize("value", ["4|6", 5, None, (1, 2), ["a", 1.5], {"a": 1}, b"x", "it's", Tile(4, 6)])
def test_a_short_value_is_shown_whole(value: Any) -> None:
    assert shown(value) == repr(value)


def test_a_value_without_a_text_is_shown_by_its_type() -> None:
    assert shown(HUGE) == "<int>"
    assert shown(Unwritable()) == "<Unwritable>"


@pytest.mark.parametrize("value", ODD.values(), ids=ODD.keys())
def test_odd_values_raise_only_errors_of_the_library(value: Any, round_: sniffai.Round) -> None:
    deal = round_.start
    doors: list[Callable[[], object]] = [
        lambda: read_integer(value, "x"),
        lambda: read_integers([value], "x"),
        lambda: Tile(value, 1),
        lambda: Tile(1, value),
        lambda: Tile.parse(value),
        lambda: Tile.of(value),
        lambda: read_tiles([value], "x"),
        lambda: tile_mask([value]),
        lambda: Move.parse(value),
        lambda: Move.of(value),
        lambda: Move("0|0", value if value is not None else 5),
        lambda: read_events([value]),
        lambda: read_events([{"play": value, "seat": 0}]),
        lambda: read_events([{"pass": True, "seat": 0, value if value.__hash__ else 5: 1}]),
        lambda: read_events([{"draw": value, "seat": 0}]),
        lambda: read_events([{"draw": 1, "seat": 0, "tiles": [value]}]),
        lambda: read_events([{"pass": True, "seat": value}]),
        lambda: read_events([Play(value, Move("0|0"))]),
        lambda: read_events([Play(0, value)]),
        lambda: read_events([Draw(value, 1)]),
        lambda: read_events([Draw(0, value)]),
        lambda: read_events([Draw(0, 1, (value,))]),
        lambda: read_events([Pass(value)]),
        lambda: sniffai.View(value, 0, (0, 0), position(round_)),
        lambda: sniffai.View(2, value, (0, 0), position(round_)),
        lambda: sniffai.View(2, 0, value, position(round_)),
        lambda: sniffai.View(2, 0, (value, 0), position(round_)),
        lambda: sniffai.View(2, 0, (0, 0), value),
        lambda: sniffai.View(2, 0, (0, 0), History(value, deal.hands[0], ())),
        lambda: sniffai.View(2, 0, (0, 0), History(0, value, ())),
        lambda: sniffai.View(2, 0, (0, 0), History(0, (value,), ())),
        lambda: sniffai.View(2, 0, (0, 0), History(0, deal.hands[0], value)),
        lambda: sniffai.View(2, 0, (0, 0), position(round_, value)),
        lambda: sniffai.View.from_round(value, 0, ()),
        lambda: sniffai.View.from_round(deal, value, ()),
        lambda: sniffai.Belief(value),
        lambda: perft(round_, value),
        lambda: divide(round_, value),
        lambda: perft(value, 1),
        lambda: parse_match(value),
        lambda: decode(value if not isinstance(value, bytes) else b"\xff"),
        lambda: MatchRecord(value, ()),
        lambda: MatchRecord.of([value]),
        lambda: MatchRecord.of([round_], {"Date": value if not isinstance(value, str) else "\ud800"}),
    ]
    for number, door in enumerate(doors):
        with at_most(0.5), pytest.raises(SniffError) as caught:
            door()
        assert len(caught.value.message) < 400, number
        assert len(caught.value.field) < 200, number
        str(caught.value).encode()


# tiles and moves


@pytest.mark.parametrize(
    "halves", [(None, 1), (1.5, 2), (True, 2), (1, "2"), (-1, 2), (2, 1), (6, 7), (HUGE, 1)], ids=shown
)
def test_a_tile_has_whole_halves(halves: Any) -> None:
    expect(lambda: Tile(*halves), TileError, "")


@pytest.mark.parametrize("value", [["4|6"], 5, None, {}, Tile(4, 6)])
def test_a_tile_is_read_from_text_only(value: Any) -> None:
    expect(lambda: Tile.parse(value), TileError, "")


@pytest.mark.parametrize("value", [5, None, ["4|6"], np.zeros(3), b"4|6"])
def test_a_move_is_read_from_text_only(value: Any) -> None:
    expect(lambda: Move.parse(value), MoveError, "")


# events made by hand

EVENTS: list[tuple[Any, str]] = [
    (Play(0, "x"), "move"),  # type: ignore[arg-type]
    (Play("x", Move("0|0")), "seat"),  # type: ignore[arg-type]
    (Play(True, Move("0|0")), "seat"),
    (Play(0, Move("0|0"), "5"), "points"),  # type: ignore[arg-type]
    (Play(0, Move("0|0"), 2**70), "points"),
    (Pass(None), "seat"),  # type: ignore[arg-type]
    (Pass(2**70), "seat"),
    (Draw("a", 1), "seat"),  # type: ignore[arg-type]
    (Draw("a", "b"), "count"),  # type: ignore[arg-type]
    (Draw(2**80, 1), "seat"),
    (Draw(2**80, 2**80), "count"),
    (Draw(0, 2, (Tile(0, 0),)), "tiles"),
    (Draw(0, 1, 5), "tiles"),  # type: ignore[arg-type]
    (Draw(0, 1, ("0|0",)), "tiles"),  # type: ignore[arg-type]
    (Draw(0, 1, [Tile(0, 0)]), "tiles"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("event", "part"), EVENTS, ids=shown)
def test_an_event_made_by_hand_is_checked(round_: sniffai.Round, event: Any, part: str) -> None:
    start = round_.start
    given = {"players": 2, "seat": 0, "leader": start.leader, "hand": start.hands[0], "scores": [0, 0]}
    expect(lambda: sniffai.View.from_events(events=[event], **given), ViewError, f"events[0].{part}")
    expect(lambda: sniffai.View(2, 0, (0, 0), position(round_, event)), ViewError, f"events[0].{part}")


def test_a_subclass_of_an_event_is_one() -> None:
    class Own(Pass):
        pass

    assert read_events([Own(0)]) == (Own(0),)


def test_an_unknown_key_is_named_briefly() -> None:
    expect(lambda: read_events([{"pass": True, "seat": 0, "oops": 1}]), ViewError, "events[0].oops")


# views made by hand


def test_a_view_made_by_hand_is_checked(round_: sniffai.Round) -> None:
    good = position(round_)
    make: Any = sniffai.View
    hand = round_.start.hands[0]
    cases: list[tuple[Callable[[], object], type[SniffError], str]] = [
        (lambda: make(2**70, 0, (0, 0), good), ViewError, "players"),
        (lambda: make("a", 0, (0, 0), good), ViewError, "players"),
        (lambda: make(2, "a", (0, 0), good), ViewError, "seat"),
        (lambda: make(2, 0, (0, "a"), good), ViewError, "scores[1]"),
        (lambda: make(2, 0, 5, good), ViewError, "scores"),
        (lambda: make(2, 0, (0, 0), None), ViewError, "position"),
        (lambda: make(2, 0, (0, 0), History("a", hand, ())), ViewError, "leader"),  # type: ignore[arg-type]
        (lambda: make(2, 0, (0, 0), History(0, (1, 2), ())), TileError, "hand"),  # type: ignore[arg-type]
        (lambda: make(2, 0, (0, 0), History(0, hand, [])), ViewError, "events"),  # type: ignore[arg-type]
    ]
    for act, kind, field in cases:
        expect(act, kind, field)


def test_scores_given_as_a_list_become_a_tuple(round_: sniffai.Round) -> None:
    view = sniffai.View(2, 0, [0, 0], position(round_))  # type: ignore[arg-type]
    assert view.scores == (0, 0)
    assert hash(view) == hash(sniffai.View(2, 0, (0, 0), position(round_)))


@pytest.mark.parametrize(
    ("part", "value", "kind", "field"),
    [
        ("placements", 5, ViewError, "placements"),
        ("placements", ("4|4",), ViewError, "placements[0]"),
        ("hand", 5, TileError, "hand"),
        ("hand", ("4|4",), TileError, "hand"),
        ("hand_sizes", [7, 7], ViewError, "hand_sizes"),
        ("hand_sizes", (7, 2**70), ViewError, "hand_sizes[1]"),
        ("talon_size", "x", ViewError, "talon_size"),
        ("voids", None, ViewError, "voids"),
        ("voids", ((), 5), ViewError, "voids[1]"),
        ("voids", ((), (2**14,)), ViewError, "voids[1]"),
        ("voids", ((), (2, 2)), ViewError, "voids[1]"),
        ("drawn_tile", "4|4", TileError, "drawn_tile"),
    ],
)
def test_a_snapshot_made_by_hand_is_checked(
    round_: sniffai.Round, part: str, value: Any, kind: type[SniffError], field: str
) -> None:
    parts = {
        "placements": (),
        "hand": round_.start.hands[0],
        "hand_sizes": (7, 7),
        "talon_size": 14,
        "voids": ((), ()),
        "drawn_tile": None,
    }
    expect(lambda: sniffai.View(2, 0, (0, 0), Snapshot(**parts | {part: value})), kind, field)


# perft and belief


@pytest.mark.parametrize("depth", ["x", NAN, 2**70, -1, 29, None, True, 1.0, HUGE], ids=shown)
def test_a_depth_is_a_small_number(round_: sniffai.Round, depth: Any) -> None:
    expect(lambda: perft(round_, depth), LimitsError, "depth")
    expect(lambda: divide(round_, depth), LimitsError, "depth")


def test_perft_counts_a_round() -> None:
    expect(lambda: perft(5, 1), ViewError, "round")  # type: ignore[arg-type]
    expect(lambda: divide(5, 1), ViewError, "round")  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [2**70, None, NAN, -1, "x", 10**13, True, HUGE], ids=shown)
def test_a_number_of_worlds_is_a_number(round_: sniffai.Round, number: Any) -> None:
    belief = sniffai.Belief(round_.view(0))
    expect(lambda: belief.worlds(number), LimitsError, "limit")
    expect(lambda: belief.sample_many(number, 1), LimitsError, "count")


@pytest.mark.parametrize("place", [1.0, np.zeros(3), np.array("talon"), None, True, -1, 2, "x", [0], HUGE], ids=shown)
def test_a_place_is_a_seat_or_the_talon(round_: sniffai.Round, place: Any) -> None:
    belief = sniffai.Belief(round_.view(0))
    expect(lambda: belief.probability("4|6", place), ViewError, "place")


def test_a_belief_is_of_a_view() -> None:
    expect(lambda: sniffai.Belief(5), ViewError, "view")  # type: ignore[arg-type]


# match records


def test_a_record_made_by_hand_is_checked(played: sniffai.Round) -> None:
    of: Any = MatchRecord.of
    make: Any = MatchRecord
    good = RoundRecord.of(played)
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: of([played], {"Date": 5}), "tags[0]"),
        (lambda: of([played], {5: "x"}), "tags[0]"),
        (lambda: of([played], {"Date": "\ud800"}), "tags[0]"),
        (lambda: of([played], 5), "tags"),
        (lambda: of([None]), "rounds[0]"),
        (lambda: of(5), "rounds"),
        (lambda: of([]), "rounds"),
        (lambda: make(9, ()), "players"),
        (lambda: make(2.0, ()), "players"),
        (lambda: make(2, [good]), "rounds"),
        (lambda: make(2, (None,)), "rounds[0]"),
        (lambda: make(2, (good,), {"a": "b"}), "tags"),
        (lambda: format_match(None), "record"),  # type: ignore[arg-type]
        (lambda: format_match(of([played], {"no name": "x" * 200_000})), "tags[no name]"),
    ]
    for act, field in cases:
        expect(act, RecordError, field)


def test_a_round_of_a_record_made_by_hand_is_looked_at(played: sniffai.Round) -> None:
    make: Any = RoundRecord
    start, events, ending, after = played.start, played.history, Ending(), played.scores
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: make(None, events, ending, after), "start"),
        (lambda: make(start, None, ending, after), "events"),
        (lambda: make(start, events, None, after), "ending"),
        (lambda: make(start, events, Ending(went_out=HUGE), after), "ending.went_out"),
        (lambda: make(start, events, ending, None), "after"),
        (lambda: make(start, events, ending, ("x", 0)), "after[0]"),
        (lambda: make(start, events, ending, after, 5), "lines"),
        (lambda: make(start, (None,), ending, after).replay(), "events[0]"),
        (lambda: make(start, (Pass(HUGE),), ending, after).replay(), "events[0].seat"),
        (lambda: format_match(MatchRecord(2, (make(start, (5,), ending, after),))), "rounds[0].events[0]"),
    ]
    for act, field in cases:
        expect(act, RecordError, field)


@pytest.mark.parametrize("text", [None, 5, b"x", ["x"]], ids=shown)
def test_a_match_is_read_from_text_only(text: Any) -> None:
    expect(lambda: parse_match(text), NotationError, "text")
    if not isinstance(text, bytes):
        expect(lambda: decode(text), NotationError, "data")


def test_a_tag_that_no_file_can_hold_is_refused() -> None:
    expect(lambda: parse_match('[Players "2"]\n[Date "\ud800"]\n'), RecordError, "tags[0]")


@pytest.mark.parametrize("path", ["", "a\0b", "\ud800", None, 5, NAN, "a\0" + "b" * 200_000], ids=shown)
def test_only_paths_that_the_system_takes_are_accepted(played: sniffai.Round, path: Any) -> None:
    expect(lambda: load_match(path), RecordError, "path")
    expect(lambda: dump_match(MatchRecord.of([played]), path), RecordError, "path")


def test_a_missing_file_raises_the_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_match(tmp_path / "nothing")


@pytest.mark.parametrize(
    "path", ["rounds[99]", "rounds[1].after", f"rounds[{'9' * 5000}]", "rounds[x]", 5, None], ids=shown
)
def test_a_place_is_one_of_the_record(played: sniffai.Round, path: Any) -> None:
    expect(lambda: MatchRecord.of([played]).place(path), RecordError, "path")


def test_a_place_outside_the_rounds_keeps_its_name(played: sniffai.Round) -> None:
    record = MatchRecord.of([played])
    assert record.place("players") == "players"
    assert record.place("rounds[0].events[2]") == "round 1, event 3"


# analyses, reviews, equity, pictures, words

FLAT: Any = np.array(5)
"""Looks like a list and is none: it has no dimension."""


@pytest.fixture(scope="module")
def analysis(round_: sniffai.Round) -> sniffai.Analysis:
    return sniffai.analyze(round_.view(round_.seat), sniffai.Limits(simulations=50))


def test_an_array_without_a_dimension_is_no_list(round_: sniffai.Round) -> None:
    view, table = round_.view(round_.seat), equity.load(2)
    cases: list[tuple[Callable[[], object], type[SniffError], str]] = [
        (lambda: sniffai.analyze(view, include_moves=FLAT), MoveError, "include_moves"),
        (lambda: sniffai.analyze(view, exclude_moves=FLAT), MoveError, "exclude_moves"),
        (lambda: sniffai.analyze_deal(round_, include_moves=FLAT), MoveError, "include_moves"),
        (lambda: sniffai.analyze_deal(round_, exclude_moves=FLAT), MoveError, "exclude_moves"),
        (lambda: table.chance(FLAT), ViewError, "scores"),
        (lambda: table.error(FLAT), ViewError, "scores"),
        (lambda: read_tiles(FLAT, "hand"), TileError, "hand"),
        (lambda: read_events(FLAT), ViewError, "events"),
        (lambda: MatchRecord.of(FLAT), RecordError, "rounds"),
        (lambda: sniffai.Deal.of(2, FLAT, [], 0, [0, 0]), TileError, "hands"),
        (lambda: hand_svg(FLAT), TileError, "hand"),
        (lambda: tally_svg(FLAT), ViewError, "scores"),
    ]
    for act, kind, field in cases:
        expect(act, kind, field)


@pytest.mark.parametrize("limits", [0, "", [], False, 5, "x", {}, HUGE], ids=shown)
def test_limits_of_a_review_are_limits(played: sniffai.Round, limits: Any) -> None:
    subject = reviews.Subject.of_rounds([played])
    for act in (
        lambda: reviews.review(subject, limits),
        lambda: reviews.jobs_of(subject, limits),
        lambda: reviews.collected(subject, limits, 0, []),
    ):
        expect(act, LimitsError, "limits")
        with pytest.raises(LimitsError) as caught:
            act()
        assert caught.value.reason == "NOT_LIMITS"


@pytest.mark.parametrize("value", ODD.values(), ids=ODD.keys())
def test_a_review_is_of_a_subject(played: sniffai.Round, value: Any) -> None:
    subject = reviews.Subject.of_rounds([played])
    cases: list[tuple[Callable[[], object], type[SniffError], str]] = [
        (lambda: reviews.review(value), RecordError, "subject"),
        (lambda: reviews.jobs_of(value), RecordError, "subject"),
        (lambda: reviews.collected(value, None, 0, []), RecordError, "subject"),
        (lambda: reviews.collected(subject, None, value, []), LimitsError, "seed"),
        (lambda: reviews.run_job(value), LimitsError, "job"),
        (lambda: reviews.html_report(value), RecordError, "review"),
        (lambda: reviews.decision_dict(value), RecordError, "judgement"),
        (lambda: reviews.of_record(value), RecordError, "record"),
        (lambda: reviews.Subject.of_view(value), ViewError, "view"),
    ]
    if value is not None:
        cases.append((lambda: reviews.review(subject, progress=value), LimitsError, "progress"))
        cases.append((lambda: reviews.jobs_of(subject, seed=value), LimitsError, "seed"))
    if not isinstance(value, str):
        cases.append((lambda: reviews.read_subject(value), NotationError, "text"))
    for act, kind, field in cases:
        expect(act, kind, field)
    with pytest.raises(RecordError, match="rounds"):
        reviews.Subject.of_rounds(value)
    with pytest.raises(RecordError, match="tags"):
        reviews.Subject.of_rounds([played], value)


@pytest.mark.parametrize("workers", [0, -1, "x", None, 1.5, True, HUGE], ids=shown)
def test_workers_are_counted(played: sniffai.Round, workers: Any) -> None:
    expect(lambda: reviews.review(reviews.Subject.of_rounds([played]), workers=workers), LimitsError, "workers")


@pytest.mark.parametrize("value", ODD.values(), ids=ODD.keys())
def test_equity_is_of_scores(value: Any) -> None:
    expect(lambda: equity.load(value), ViewError, "players")
    expect(lambda: equity.lead_value(value), LimitsError, "equity")
    expect(lambda: equity.save_equity(value, "x"), LimitsError, "equity")


@pytest.mark.parametrize("scores", [[], [0], 5, FLAT, "00", [0, 0, 0]], ids=shown)
def test_the_value_of_the_lead_checks_its_scores(scores: Any) -> None:
    expect(lambda: equity.lead_value(equity.load(2), scores), ViewError, "scores")


@pytest.mark.parametrize("players", [[], 10**6000, 2.0, True, 1, 5], ids=shown)
def test_a_table_is_for_so_many_seats(players: Any) -> None:
    expect(lambda: equity.load(players), ViewError, "players")


@pytest.mark.parametrize("path", ["", "a\0b", "\ud800", None, 5, NAN], ids=shown)
def test_a_table_has_a_path(path: Any) -> None:
    expect(lambda: equity.read_equity(path), RecordError, "path")
    expect(lambda: equity.save_equity(equity.load(2), path), RecordError, "path")


@pytest.mark.parametrize("value", ODD.values(), ids=ODD.keys())
def test_a_picture_is_of_a_layout_or_a_view(round_: sniffai.Round, value: Any) -> None:
    view = round_.view(0)
    cases: list[tuple[Callable[[], object], type[SniffError], str]] = [
        (lambda: layout_svg(value), ViewError, "layout"),
        (lambda: position_svg(value), ViewError, "view"),
        (lambda: plan_layout(value), ViewError, "layout"),
        (lambda: plan_layout(view.layout, value), LimitsError, "mark"),
        (lambda: plan_growing_layout(value), ViewError, "layout"),
        (lambda: plan_growing_layout(view.layout, value), LimitsError, "mark"),
        (lambda: layout_svg(view.layout, language_code=value), LimitsError, "language_code"),
    ]
    if value is not None and not isinstance(value, dict):
        cases.append((lambda: layout_svg(view.layout, moves=value), LimitsError, "moves"))
        cases.append((lambda: position_svg(view, moves=value), LimitsError, "moves"))
        cases.append((lambda: hand_svg([], moves=value), LimitsError, "moves"))
    for act, kind, field in cases:
        expect(act, kind, field)
    for draw in (hand_svg, tally_svg):
        with pytest.raises(SniffError):
            draw(value)


@pytest.mark.parametrize("mark", [-1, 0, 1, 13, 10**30, HUGE, 2.0, True, None], ids=shown)
def test_a_mark_out_of_range_is_refused(played: sniffai.Round, mark: Any) -> None:
    expect(lambda: plan_layout(played.layout, mark), LimitsError, "mark")


def test_the_number_of_scores_in_a_picture_is_limited() -> None:
    expect(lambda: tally_svg([50] * 10_000), LimitsError, "scores")
    expect(lambda: tally_svg([50] * 101), LimitsError, "scores")
    assert tally_svg([50] * 100).startswith("<svg")


@pytest.mark.parametrize("value", ODD.values(), ids=ODD.keys())
def test_reasons_are_of_a_view(round_: sniffai.Round, analysis: sniffai.Analysis, value: Any) -> None:
    view = round_.view(round_.seat)
    cases: list[tuple[Callable[[], object], type[SniffError], str]] = [
        (lambda: reasons(value, analysis), ViewError, "view"),
        (lambda: reasons(view, value), LimitsError, "analysis"),
        (lambda: prospect(value, analysis), ViewError, "view"),
        (lambda: prospect(view, value), LimitsError, "analysis"),
        (lambda: compare(value, analysis, "4|4"), ViewError, "view"),
        (lambda: compare(view, value, "4|4"), LimitsError, "analysis"),
        (lambda: describe(value), ViewError, "what"),
        (lambda: sentences(value), ViewError, "what"),
        (lambda: render(value), LimitsError, "reason"),
        (lambda: render(Reason(value)), LimitsError, "reason.kind"),
        (lambda: render_all([value]), LimitsError, "reason"),
    ]
    for act, kind, field in cases:
        expect(act, kind, field)
    with pytest.raises(LimitsError):
        render_all(value)
    with pytest.raises(SniffError):
        compare(view, analysis, value)
