"""Bad input to rounds and views: which error, where, and why; never another exception."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sniffai
from sniffai import HistoryError, MoveError, SniffError, TileError, ViewError
from tests.pairing_library import library_round, texts
from tests.reference import SET, Round, at_random, teams
from tests.reference_belief import Sight, places_of_play
from tests.reference_history import Watch, first_fault, is_explained
from tests.strategies import whole_rounds

HAND = ["1|4", "1|1", "2|3", "0|0", "0|6", "5|5", "6|6"]
EVENTS: list[dict[str, Any]] = [
    {"play": "1|4", "at": None, "seat": 0, "points": 5},
    {"play": "4|4", "at": "1|4:HIGH", "seat": 1},
    {"play": "1|1", "at": "1|4:LOW", "seat": 0},
    {"draw": 2, "seat": 1},
    {"play": "1|5", "at": "1|1:LINE_B", "seat": 1},
    {"play": "5|5", "at": "1|5:HIGH", "seat": 0},
    {"play": "2|5", "at": "5|5:LINE_B", "seat": 1},
    {"play": "2|3", "at": "2|5:LOW", "seat": 0},
    {"play": "3|3", "at": "2|3:HIGH", "seat": 1},
    {"draw": 3, "seat": 0, "tiles": ["0|1", "0|2", "3|6"]},
    {"play": "3|6", "at": "3|3:LINE_B", "seat": 0},
]
GOOD: dict[str, Any] = {"players": 2, "seat": 0, "leader": 0, "hand": HAND, "events": EVENTS, "scores": [0, 0]}


def expect(act: Callable[[], object], kind: type[SniffError], field: str, reason: str) -> None:
    """One error, of this kind exactly, at this field, for this reason, in words."""
    with pytest.raises(SniffError) as caught:
        act()
    error = caught.value
    assert (type(error), error.field, error.reason) == (kind, field, reason)
    assert len(error.message) > 10
    assert str(error) == (f"{field}: {error.message}" if field else error.message)


def test_the_good_history_is_good() -> None:
    view = sniffai.View.from_events(**GOOD)
    assert view.must == "wait"
    assert texts(view.hand) == ["0|0", "0|1", "0|2", "0|6", "6|6"]
    assert sniffai.Belief(view).assignments > 0


FRAMES = [
    ("players", 1, ViewError, "players", "PLAYERS_OUT_OF_RANGE"),
    ("players", 5, ViewError, "players", "PLAYERS_OUT_OF_RANGE"),
    ("players", 0, ViewError, "players", "PLAYERS_OUT_OF_RANGE"),
    ("players", "2", ViewError, "players", "NOT_A_NUMBER"),
    ("players", True, ViewError, "players", "NOT_A_NUMBER"),
    ("players", None, ViewError, "players", "NOT_A_NUMBER"),
    ("players", 10**30, ViewError, "players", "NUMBER_OUT_OF_RANGE"),
    ("seat", 2, ViewError, "seat", "SEAT_OUT_OF_RANGE"),
    ("seat", -1, ViewError, "seat", "SEAT_OUT_OF_RANGE"),
    ("seat", 1.0, ViewError, "seat", "NOT_A_NUMBER"),
    ("leader", 2, ViewError, "leader", "SEAT_OUT_OF_RANGE"),
    ("leader", -1, ViewError, "leader", "SEAT_OUT_OF_RANGE"),
    ("leader", None, ViewError, "leader", "NOT_A_NUMBER"),
    ("scores", [250, 0], ViewError, "scores[0]", "SCORE_PAST_TARGET"),
    ("scores", [0, 255], ViewError, "scores[1]", "SCORE_PAST_TARGET"),
    ("scores", [0, 3], ViewError, "scores[1]", "NOT_A_MULTIPLE_OF_5"),
    ("scores", [-12, 0], ViewError, "scores[0]", "NOT_A_MULTIPLE_OF_5"),
    ("scores", [0], ViewError, "scores", "WRONG_NUMBER_OF_SCORES"),
    ("scores", [0, 0, 0], ViewError, "scores", "WRONG_NUMBER_OF_SCORES"),
    ("scores", [0, "5"], ViewError, "scores[1]", "NOT_A_NUMBER"),
    ("scores", [0, -(10**9)], ViewError, "scores[1]", "NUMBER_OUT_OF_RANGE"),
    ("scores", 5, ViewError, "scores", "NOT_NUMBERS"),
    ("hand", [*HAND[:2], "3|7", *HAND[3:]], TileError, "hand[2]", "UNKNOWN_TILE"),
    ("hand", [*HAND[:2], "3|2", *HAND[3:]], TileError, "hand[2]", "UNKNOWN_TILE"),
    ("hand", [*HAND[:2], 23, *HAND[3:]], TileError, "hand[2]", "UNKNOWN_TILE"),
    ("hand", [*HAND[:2], None, *HAND[3:]], TileError, "hand[2]", "UNKNOWN_TILE"),
    ("hand", [*HAND[:6], "1|1"], TileError, "hand[6]", "TILE_TWICE"),
    ("hand", HAND[:6], TileError, "hand", "WRONG_HAND_SIZE"),
    ("hand", [*HAND, "2|2"], TileError, "hand", "WRONG_HAND_SIZE"),
    ("hand", [], TileError, "hand", "WRONG_HAND_SIZE"),
    ("hand", "1|4", TileError, "hand", "NOT_TILES"),
    ("hand", None, TileError, "hand", "NOT_TILES"),
    ("events", None, ViewError, "events", "NOT_EVENTS"),
    ("events", "4|6", ViewError, "events", "NOT_EVENTS"),
    ("events", EVENTS[0], ViewError, "events", "NOT_EVENTS"),
]


@pytest.mark.parametrize(("key", "value", "kind", "field", "reason"), FRAMES)
def test_the_fields_around_the_events_are_checked(
    key: str, value: Any, kind: type[SniffError], field: str, reason: str
) -> None:
    expect(lambda: sniffai.View.from_events(**{**GOOD, key: value}), kind, field, reason)


WRONG_EVENTS = [
    # form
    (0, "1|4", ViewError, "", "NOT_AN_EVENT"),
    (0, None, ViewError, "", "NOT_AN_EVENT"),
    (0, {}, ViewError, "", "NOT_AN_EVENT"),
    (0, {"seat": 0}, ViewError, "", "NOT_AN_EVENT"),
    (3, {"draw": 2, "pass": True, "seat": 1}, ViewError, "", "NOT_AN_EVENT"),
    (1, {"play": "4|4", "at": "1|4:HIGH"}, ViewError, "seat", "NOT_A_NUMBER"),
    (1, {"play": "4|4", "at": "1|4:HIGH", "seat": "1"}, ViewError, "seat", "NOT_A_NUMBER"),
    (1, {"play": "4|4", "at": "1|4:HIGH", "seat": 1, "player": 1}, ViewError, "player", "UNKNOWN_FIELD"),
    (3, {"draw": "2", "seat": 1}, ViewError, "draw", "NOT_A_NUMBER"),
    (3, {"pass": 1, "seat": 1}, ViewError, "pass", "WRONG_TYPE"),
    # whose turn
    (0, {"play": "1|4", "at": None, "seat": 1}, ViewError, "seat", "NOT_THE_TURN"),
    (2, {"play": "1|1", "at": "1|4:LOW", "seat": 1}, ViewError, "seat", "NOT_THE_TURN"),
    (3, {"draw": 2, "seat": 0, "tiles": ["0|1", "0|2"]}, ViewError, "seat", "NOT_THE_TURN"),
    (3, {"pass": True, "seat": 0}, ViewError, "seat", "NOT_THE_TURN"),
    (1, {"play": "4|4", "at": "1|4:HIGH", "seat": 2}, ViewError, "seat", "SEAT_OUT_OF_RANGE"),
    # placements
    (1, {"play": "4|7", "at": "1|4:HIGH", "seat": 1}, TileError, "play", "UNKNOWN_TILE"),
    (1, {"play": None, "at": "1|4:HIGH", "seat": 1}, TileError, "play", "UNKNOWN_TILE"),
    (1, {"play": "4|4", "at": "1|4:SIDE_A", "seat": 1}, MoveError, "at", "UNKNOWN_ATTACHMENT_POINT"),
    (1, {"play": "4|4", "at": "4:HIGH", "seat": 1}, MoveError, "at", "UNKNOWN_ATTACHMENT_POINT"),
    (1, {"play": "4|4", "at": "4|6:HIGH", "seat": 1}, MoveError, "at", "ATTACHMENT_POINT_NOT_ON_TABLE"),
    (2, {"play": "1|1", "at": "1|4:HIGH", "seat": 0}, MoveError, "at", "ATTACHMENT_POINT_JOINED"),
    (2, {"play": "1|4", "at": "4|4:LINE_B", "seat": 0}, MoveError, "play", "TILE_ON_TABLE"),
    (4, {"play": "4|6", "at": "4|4:SIDE_A", "seat": 1}, MoveError, "at", "SIDE_CLOSED"),
    (4, {"play": "1|5", "at": "1|1:SIDE_A", "seat": 1}, MoveError, "at", "NOT_THE_SNIFF"),
    (1, {"play": "2|5", "at": "1|4:HIGH", "seat": 1}, MoveError, "at", "TILE_DOES_NOT_FIT"),
    (1, {"play": "4|4", "at": None, "seat": 1}, MoveError, "at", "ATTACHMENT_POINT_MISSING"),
    (0, {"play": "1|4", "at": "1|1:LINE_A", "seat": 0}, MoveError, "at", "LEAD_JOINS_NOTHING"),
    (2, {"play": "1|2", "at": "1|4:LOW", "seat": 0}, MoveError, "play", "TILE_NOT_IN_HAND"),
    (1, {"play": "1|1", "at": "1|4:LOW", "seat": 1}, ViewError, "play", "TILE_IN_OWN_HAND"),
    (0, {"play": "1|4", "at": None, "seat": 0, "points": 10}, ViewError, "points", "WRONG_POINTS"),
    (1, {"play": "4|4", "at": "1|4:HIGH", "seat": 1, "points": 9}, ViewError, "points", "WRONG_POINTS"),
    (6, {"play": "4|5", "at": "5|5:LINE_B", "seat": 1}, HistoryError, "play", "NO_DEAL_EXPLAINS"),
    (10, {"play": "6|6", "at": "3|3:LINE_B", "seat": 0}, MoveError, "at", "TILE_DOES_NOT_FIT"),
    # draws
    (0, {"draw": 1, "seat": 0, "tiles": ["0|1"]}, ViewError, "draw", "DRAW_NOT_ALLOWED"),
    (5, {"draw": 1, "seat": 0, "tiles": ["0|1"]}, ViewError, "draw", "DRAW_NOT_ALLOWED"),
    (3, {"draw": 0, "seat": 1}, ViewError, "draw", "DRAW_COUNT_OUT_OF_RANGE"),
    (3, {"draw": -1, "seat": 1}, ViewError, "draw", "DRAW_COUNT_OUT_OF_RANGE"),
    (3, {"draw": 15, "seat": 1}, ViewError, "draw", "DRAW_COUNT_OUT_OF_RANGE"),
    (3, {"draw": 2, "seat": 1, "tiles": ["0|1", "1|5"]}, ViewError, "tiles", "HIDDEN_TILES_GIVEN"),
    (9, {"draw": 3, "seat": 0}, ViewError, "tiles", "WRONG_NUMBER_OF_TILES"),
    (9, {"draw": 3, "seat": 0, "tiles": ["0|1", "3|6"]}, ViewError, "tiles", "DRAW_COUNT_MISMATCH"),
    (9, {"draw": 2, "seat": 0, "tiles": ["0|1", "0|7"]}, TileError, "tiles[1]", "UNKNOWN_TILE"),
    (9, {"draw": 2, "seat": 0, "tiles": ["0|1", "0|1"]}, TileError, "tiles[1]", "TILE_TWICE"),
    (9, {"draw": 2, "seat": 0, "tiles": ["0|1", "0|6"]}, TileError, "tiles[1]", "TILE_TWICE"),
    (9, {"draw": 2, "seat": 0, "tiles": ["0|1", "1|5"]}, TileError, "tiles[1]", "TILE_TWICE"),
    (9, {"draw": 3, "seat": 0, "tiles": ["0|1", "3|6", "0|2"]}, ViewError, "tiles[2]", "DRAW_NOT_ALLOWED"),
    (10, {"draw": 1, "seat": 0, "tiles": ["1|2"]}, ViewError, "draw", "DRAW_NOT_ALLOWED"),
    # passes
    (0, {"pass": True, "seat": 0}, ViewError, "pass", "PASS_NOT_ALLOWED"),
    (3, {"pass": True, "seat": 1}, ViewError, "pass", "PASS_NOT_ALLOWED"),
    (4, {"pass": True, "seat": 1}, ViewError, "pass", "PASS_NOT_ALLOWED"),
    (9, {"pass": True, "seat": 0}, ViewError, "pass", "PASS_NOT_ALLOWED"),
]


@pytest.mark.parametrize(("index", "event", "kind", "field", "reason"), WRONG_EVENTS)
def test_one_wrong_event(index: int, event: Any, kind: type[SniffError], field: str, reason: str) -> None:
    events = [*EVENTS[:index], event, *EVENTS[index + 1 :]]
    path = f"events[{index}].{field}" if field else f"events[{index}]"
    expect(lambda: sniffai.View.from_events(**{**GOOD, "events": events}), kind, path, reason)


def told(round_: Round, seat: int, events: list[dict[str, Any]]) -> sniffai.View:
    return sniffai.View.from_events(
        players=round_.players,
        seat=seat,
        leader=round_.leader,
        hand=texts(round_.dealt[seat]),
        events=events,
        scores=round_.scores_before,
    )


@pytest.mark.parametrize(
    ("players", "seed"), [(2, 0), (2, 7), (2, 124), (3, 0), (3, 5), (3, 27), (4, 0), (4, 36), (4, 2)]
)
def test_nothing_happens_after_the_end(players: int, seed: int) -> None:
    """For each number of seats: one gone out, a block, the target reached."""
    round_ = at_random(players, seed, len(SET), [150] * teams(players))
    assert round_.over
    events = round_.seen_by(0)
    seat, field = round_.seat, f"events[{len(events)}].seat"
    expect(lambda: told(round_, 0, [*events, {"pass": True, "seat": seat}]), ViewError, field, "ROUND_OVER")
    expect(lambda: told(round_, 0, [*events, {"draw": 1, "seat": seat}]), ViewError, field, "ROUND_OVER")


@pytest.mark.parametrize(("players", "seed"), [(2, 442), (3, 29), (4, 9)])
def test_a_pass_with_a_tile_that_fits(players: int, seed: int) -> None:
    """The talon is empty, and the seat's own hand could play."""
    round_ = at_random(players, seed, 18)
    assert not round_.talon
    events = round_.seen_by(round_.seat)
    late = {"pass": True, "seat": round_.seat}
    field = f"events[{len(events)}].pass"
    expect(lambda: told(round_, round_.seat, [*events, late]), ViewError, field, "PASS_NOT_ALLOWED")


def test_a_history_that_is_right_step_by_step_but_that_no_deal_explains() -> None:
    """Two seats of three lack so much that the unseen tiles do not fill their hands."""
    hand = ["0|0", "1|1", "2|2", "3|3", "4|4", "5|5"]
    events: list[dict[str, Any]] = [
        {"play": "5|5", "at": None, "seat": 0},
        {"draw": 10, "seat": 1},
        {"pass": True, "seat": 1},
    ]
    lacking_fives = [tile for tile in SET if 5 not in tile and str(tile) not in hand]
    assert len(lacking_fives) == 16
    frame: dict[str, Any] = {"players": 3, "seat": 0, "leader": 0, "hand": hand, "scores": [0, 0, 0]}
    assert sniffai.Belief(sniffai.View.from_events(events=events, **frame)).assignments > 0
    none_left = [*events, {"pass": True, "seat": 2}]
    with pytest.raises(HistoryError) as caught:
        sniffai.View.from_events(events=none_left, **frame)
    assert caught.value.reason == "NO_DEAL_EXPLAINS"
    assert caught.value.field.startswith("events")


# any wrong history -------------------------------------------------------------------------------------------------


@st.composite
def spoilt(draw: st.DrawFn) -> tuple[Round, Sight]:
    """A seat's history with one to three things changed: most are wrong afterwards, some are still right."""
    round_ = draw(whole_rounds())
    seat = draw(st.integers(0, round_.players - 1))
    events = [dict(event) for event in round_.seen_by(seat)][: draw(st.integers(1, 40))]
    hand = list(round_.dealt[seat])
    for _ in range(draw(st.integers(1, 3))):
        if events:
            events = draw(change(events))
    return round_, Sight(round_.players, seat, round_.leader, hand, events)


TILES = st.sampled_from([str(tile) for tile in SET])
POINTS = st.sampled_from(
    [
        f"{tile}:{port}"
        for tile in SET
        for port in (["LINE_A", "LINE_B", "SIDE_A", "SIDE_B"] if tile.is_double else ["LOW", "HIGH"])
    ]
)


@st.composite
def change(draw: st.DrawFn, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One event left out, doubled, moved, or changed."""
    index = draw(st.integers(0, len(events) - 1))
    event = dict(events[index])
    others = [*events[:index], *events[index + 1 :]]
    way = draw(st.sampled_from(["drop", "double", "swap", "seat", "what", "what", "what"]))
    if way == "drop":
        return others
    if way == "double":
        return [*events[: index + 1], event, *events[index + 1 :]]
    if way == "swap":
        return [*others, event]
    if way == "seat":
        event["seat"] = draw(st.integers(0, 3))
    else:
        event = draw(changed(event))
    return [*events[:index], event, *events[index + 1 :]]


@st.composite
def changed(draw: st.DrawFn, event: dict[str, Any]) -> dict[str, Any]:
    """An event with another content, or of another kind."""
    seat = event["seat"]
    if "play" in event and draw(st.booleans()):
        key = draw(st.sampled_from(["play", "at"]))
        points = {} if draw(st.booleans()) else {"points": event.get("points")}
        kept = {name: value for name, value in event.items() if name != "points"}
        return {**kept, **points, key: draw(TILES if key == "play" else st.one_of(POINTS, st.none()))}
    if "draw" in event and draw(st.booleans()):
        number = event["draw"] + draw(st.sampled_from([-1, 1, 2]))
        tiles = {"tiles": (event["tiles"] + ["0|0", "3|4"])[: max(number, 0)]} if "tiles" in event else {}
        return {"draw": number, "seat": seat, **tiles}
    return draw(st.sampled_from([{"pass": True, "seat": seat}, {"draw": 1, "seat": seat}]))


@settings(max_examples=500)
@given(spoilt())
def test_a_changed_history_is_refused_exactly_when_it_is_wrong(case: tuple[Round, Sight]) -> None:
    round_, sight = case
    fault = first_fault(sight, round_.scores_before)
    try:
        view = told(round_, sight.seat, sight.events)
    except SniffError as error:
        check_refusal(error, sight, fault)
    else:
        assert fault is None
        assert is_explained(sight)
        assert sniffai.Belief(view).assignments > 0


def check_refusal(error: SniffError, sight: Sight, fault: int | None) -> None:
    """Refused for a reason, at the first wrong event, or because no deal explains what came before it."""
    assert re.fullmatch(r"[A-Z][A-Z0-9_]{2,62}", error.reason)
    if isinstance(error, HistoryError):
        assert fault is not None or not is_explained(sight)
        return
    assert fault is not None
    assert re.match(r"events\[(\d+)\]", error.field)
    assert error.field.startswith(f"events[{fault}]")


@settings(max_examples=120)
@given(whole_rounds(), st.data())
def test_whatever_another_seat_does_next_needs_a_deal(round_: Round, data: st.DataObject) -> None:
    seat = data.draw(st.integers(0, round_.players - 1), "seat")
    events = round_.seen_by(seat)
    stops = [index for index, event in enumerate(events) if index and event["seat"] != seat] or [0]
    stop = max(data.draw(st.sampled_from(stops), "stop"), data.draw(st.sampled_from(stops), "or later"))
    for event in data.draw(st.permutations(next_events(round_, seat, events[:stop])), "events")[:3]:
        check_next(round_, seat, events[:stop], event)


@pytest.mark.parametrize(
    ("players", "seed", "seat", "stop"), [(2, 0, 0, 8), (2, 45, 0, 8), (3, 1, 0, 15), (3, 4, 0, 22), (4, 32, 0, 19)]
)
def test_a_next_event_of_another_seat_is_accepted_exactly_if_a_deal_explains_it(
    players: int, seed: int, seat: int, stop: int
) -> None:
    """Both answers occur: some of it is explained, some not."""
    round_ = at_random(players, seed, len(SET))
    events = round_.seen_by(seat)[:stop]
    answers = {check_next(round_, seat, events, event) for event in next_events(round_, seat, events)}
    assert answers >= {True, False}


def check_next(round_: Round, seat: int, before: list[dict[str, Any]], event: dict[str, Any]) -> bool | None:
    """Whether a deal explains one event more; None if the rules forbid it anyway. The library must say the same."""
    sight = Sight(round_.players, seat, round_.leader, list(round_.dealt[seat]), [*before, event])
    if first_fault(sight, round_.scores_before) is not None:
        return None
    if is_explained(sight):
        assert sniffai.Belief(told(round_, seat, sight.events)).assignments > 0
        return True
    with pytest.raises(HistoryError) as caught:
        told(round_, seat, sight.events)
    assert caught.value.reason == "NO_DEAL_EXPLAINS"
    assert caught.value.field.startswith(f"events[{len(before)}]")
    return False


def next_events(round_: Round, seat: int, before: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All that another seat may be said to do, as far as ``seat`` can tell from the tiles that it sees."""
    watch = Watch(Sight(round_.players, seat, round_.leader, list(round_.dealt[seat]), before), [-1000] * 3)
    assert all(watch.allows(event) for event in before)
    unseen = [tile for tile in SET if tile not in watch.own and tile not in watch.layout.tiles]
    plays = [{"play": str(tile), "at": at} for tile in unseen for at in watch.layout.places_for(tile)]
    draws = [{"draw": number} for number in range(1, watch.talon + 1)]
    events: list[dict[str, Any]] = [*plays, *draws, {"pass": True}]
    return [{**event, "seat": watch.turn} for event in events]


# rounds ------------------------------------------------------------------------------------------------------------

DEAL: dict[str, Any] = {
    "players": 2,
    "hands": [HAND, ["4|4", "2|5", "3|5", "3|3", "0|4", "1|6", "2|2"]],
    "talon": ["0|5", "1|5", "0|1", "0|2", "3|6", "0|3", "1|2", "1|3", "2|4", "2|6", "3|4", "4|5", "4|6", "5|6"],
    "leader": 0,
    "scores": [0, 0],
}

WRONG_DEALS = [
    ("players", 1, ViewError, "players", "PLAYERS_OUT_OF_RANGE"),
    ("players", 5, ViewError, "players", "PLAYERS_OUT_OF_RANGE"),
    ("players", None, ViewError, "players", "NOT_A_NUMBER"),
    ("leader", 2, ViewError, "leader", "SEAT_OUT_OF_RANGE"),
    ("leader", -1, ViewError, "leader", "SEAT_OUT_OF_RANGE"),
    ("scores", [0, 250], ViewError, "scores[1]", "SCORE_PAST_TARGET"),
    ("scores", [7, 0], ViewError, "scores[0]", "NOT_A_MULTIPLE_OF_5"),
    ("scores", [0, 0, 0], ViewError, "scores", "WRONG_NUMBER_OF_SCORES"),
    ("scores", "00", ViewError, "scores", "NOT_NUMBERS"),
    ("hands", [HAND], TileError, "hands", "WRONG_NUMBER_OF_HANDS"),
    ("hands", [HAND, HAND], TileError, "hands[1][0]", "TILE_TWICE"),
    ("hands", [HAND, DEAL["hands"][1][:6]], TileError, "hands[1]", "WRONG_HAND_SIZE"),
    ("hands", [[*HAND[:6], "9|9"], DEAL["hands"][1]], TileError, "hands[0][6]", "UNKNOWN_TILE"),
    ("hands", [HAND, "4|4"], TileError, "hands[1]", "NOT_TILES"),
    ("hands", 7, TileError, "hands", "NOT_TILES"),
    ("talon", DEAL["talon"][:13], TileError, "talon", "WRONG_TALON_SIZE"),
    ("talon", [*DEAL["talon"][:13], "1|4"], TileError, "talon[13]", "TILE_TWICE"),
    ("talon", [*DEAL["talon"][:13], "6|5"], TileError, "talon[13]", "UNKNOWN_TILE"),
    ("talon", None, TileError, "talon", "NOT_TILES"),
]


@pytest.mark.parametrize(("key", "value", "kind", "field", "reason"), WRONG_DEALS)
def test_a_wrong_deal(key: str, value: Any, kind: type[SniffError], field: str, reason: str) -> None:
    assert not sniffai.Round(**DEAL).over
    expect(lambda: sniffai.Round(**{**DEAL, key: value}), kind, field, reason)


WRONG_MOVES = [
    ("0|1@1|4:LOW", MoveError, "tile", "TILE_NOT_IN_HAND"),
    ("1|4@4|4:LINE_B", MoveError, "tile", "TILE_ON_TABLE"),
    ("1|1@1|4:HIGH", MoveError, "at", "ATTACHMENT_POINT_JOINED"),
    ("1|1@2|2:LINE_A", MoveError, "at", "ATTACHMENT_POINT_NOT_ON_TABLE"),
    ("1|1@4|4:SIDE_A", MoveError, "at", "SIDE_CLOSED"),
    ("1|1@4|4:LINE_B", MoveError, "at", "TILE_DOES_NOT_FIT"),
    ("1|1", MoveError, "at", "ATTACHMENT_POINT_MISSING"),
    ("1|1@1|4:MIDDLE", MoveError, "at", "UNKNOWN_ATTACHMENT_POINT"),
    ("1|1@", MoveError, "at", "UNKNOWN_ATTACHMENT_POINT"),
    ("1|7@1|4:LOW", TileError, "tile", "UNKNOWN_TILE"),
    ("4|1@1|4:LOW", TileError, "tile", "UNKNOWN_TILE"),
    ("", TileError, "tile", "UNKNOWN_TILE"),
    (None, TileError, "tile", "UNKNOWN_TILE"),
    (7, TileError, "tile", "UNKNOWN_TILE"),
]


@pytest.mark.parametrize(("move", "kind", "field", "reason"), WRONG_MOVES)
def test_a_wrong_move(move: Any, kind: type[SniffError], field: str, reason: str) -> None:
    round_ = sniffai.Round(**DEAL)
    round_.play("1|4")
    round_.play("4|4@1|4:HIGH")
    before = round_.to_text()
    expect(lambda: round_.play(move), kind, field, reason)
    assert round_.to_text() == before


def test_the_leading_move_has_no_attachment_point() -> None:
    expect(lambda: sniffai.Round(**DEAL).play("1|4@1|1:LINE_A"), MoveError, "at", "LEAD_JOINS_NOTHING")


def test_no_move_after_the_end() -> None:
    round_ = library_round(at_random(2, 1, len(SET)))
    assert round_.over
    expect(lambda: round_.play("1|4"), MoveError, "", "ROUND_OVER")


def test_the_drawn_tile_is_forced() -> None:
    """A seat that has drawn may not place the tile elsewhere than it fits, nor another tile at all."""
    drawing = (twin for seed in range(500) if (twin := at_random(2, seed, 9)).forced)
    round_ = library_round(next(drawing))
    forced = round_.forced
    assert {move.tile for move in round_.legal_moves()} == {forced}
    other = next(tile for tile in round_.hands[round_.seat] if tile != forced)
    for at in round_.layout.attachment_points:
        with pytest.raises(MoveError):
            round_.play(sniffai.Move(other, at.name))


@pytest.mark.parametrize("seat", [-1, 2, None, "0", 1.0, True])
def test_a_view_of_no_seat(seat: Any) -> None:
    with pytest.raises(ViewError) as caught:
        sniffai.Round(**DEAL).view(seat)
    assert caught.value.field == "seat"


def test_places_of_play_are_those_of_others() -> None:
    """The twin's own bookkeeping, on the history above."""
    sight = Sight(2, 0, 0, [tile for tile in SET if str(tile) in HAND], EVENTS)
    assert {str(tile): at for tile, at in places_of_play(sight).items()} == {
        "4|4": (1, "1"),
        "1|5": (4, "1"),
        "2|5": (6, "1"),
        "3|3": (8, "1"),
    }
    assert first_fault(sight, [0, 0]) is None


def test_the_first_impossible_event_is_named_even_where_a_later_one_breaks_a_rule() -> None:
    """Seat 1 cannot have drawn eight tiles without a fit; that it later places a tile it cannot hold comes after."""
    events = [
        {"play": "0|5", "at": None, "seat": 0},
        {"draw": 8, "seat": 1},
        {"play": "0|3", "at": "0|5:LOW", "seat": 1},
        {"play": "3|4", "at": "0|3:HIGH", "seat": 0},
        {"play": "4|5", "at": "3|4:HIGH", "seat": 1},
    ]
    hand = ["3|4", "1|4", "4|4", "0|1", "0|5", "0|4", "0|0"]
    with pytest.raises(sniffai.HistoryError) as error:
        sniffai.View.from_events(players=2, seat=0, leader=0, scores=[0, 0], hand=hand, events=events)
    assert error.value.field == "events[1]"
