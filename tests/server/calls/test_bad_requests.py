"""Every way to get a request wrong that we know of: INVALID_ARGUMENT, the field's path, the reason."""

import copy
from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf import json_format

from sniffai.v1 import analysis_service_pb2, rules_service_pb2
from tests.server.support import (
    TIMEOUT,
    choice,
    deal,
    failure,
    lines,
    recommend,
    snapshot,
    story,
    vector_view,
    view_message,
)

Change = Callable[[dict[str, Any]], Any]
Rows = list[tuple[str, Change, str, str]]
"""What is done to a good request, by name, and the field and reason that the server must tell."""


def cases(rows: Rows) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("change", "field", "reason"), [pytest.param(*row[1:], id=row[0]) for row in rows])


def event(view: dict[str, Any], index: int) -> dict[str, Any]:
    return view["record"]["events"][index]


def append(view: dict[str, Any], *events: dict[str, Any]) -> None:
    view["record"]["events"] += events


def play(seat: int, tile: str, at: str = "") -> dict[str, Any]:
    return {"seat": seat, "play": {"tile": tile, "at": at}}


BROKEN_RECORDS: Rows = [
    ("no players", lambda v: v.pop("players"), "view.players", "PLAYERS_OUT_OF_RANGE"),
    ("1 seat", lambda v: v.update(players=1), "view.players", "PLAYERS_OUT_OF_RANGE"),
    ("5 seats", lambda v: v.update(players=5), "view.players", "PLAYERS_OUT_OF_RANGE"),
    ("-2 seats", lambda v: v.update(players=-2), "view.players", "PLAYERS_OUT_OF_RANGE"),
    ("seat 2 of 2", lambda v: v.update(seat=2), "view.seat", "SEAT_OUT_OF_RANGE"),
    ("seat -1", lambda v: v.update(seat=-1), "view.seat", "SEAT_OUT_OF_RANGE"),
    ("leader 2 of 2", lambda v: v["record"].update(leader=2), "view.record.leader", "SEAT_OUT_OF_RANGE"),
    ("one score", lambda v: v.update(scores=[5]), "view.scores", "WRONG_NUMBER_OF_SCORES"),
    ("score at the target", lambda v: v.update(scores=[0, 250]), "view.scores[1]", "SCORE_PAST_TARGET"),
    ("score past the target", lambda v: v.update(scores=[9999, 0]), "view.scores[0]", "SCORE_PAST_TARGET"),
    ("score between two strokes", lambda v: v.update(scores=[0, 3]), "view.scores[1]", "NOT_A_MULTIPLE_OF_5"),
    ("debt between two strokes", lambda v: v.update(scores=[-7, 0]), "view.scores[0]", "NOT_A_MULTIPLE_OF_5"),
    ("score far below zero", lambda v: v.update(scores=[0, -30001]), "view.scores[1]", "NUMBER_OUT_OF_RANGE"),
    ("the least number", lambda v: v.update(scores=[0, -(2**31)]), "view.scores[1]", "NUMBER_OUT_OF_RANGE"),
    ("unknown tile", lambda v: v["hand"].__setitem__(1, "7|8"), "view.hand[1]", "UNKNOWN_TILE"),
    ("high half first", lambda v: v["hand"].__setitem__(1, "6|5"), "view.hand[1]", "UNKNOWN_TILE"),
    ("empty tile", lambda v: v["hand"].__setitem__(1, ""), "view.hand[1]", "UNKNOWN_TILE"),
    ("tile twice", lambda v: v["hand"].__setitem__(1, "6|6"), "view.hand[1]", "TILE_TWICE"),
    ("hand too small", lambda v: v["hand"].pop(), "view.hand", "WRONG_HAND_SIZE"),
    ("hand too large", lambda v: v["hand"].append("3|3"), "view.hand", "WRONG_HAND_SIZE"),
    ("no hand", lambda v: v.pop("hand"), "view.hand", "WRONG_HAND_SIZE"),
    ("no position", lambda v: v.pop("record"), "view", "POSITION_MISSING"),
    ("event of no kind", lambda v: append(v, {"seat": 0}), "view.record.events[3]", "EVENT_KIND_MISSING"),
    ("lead by the wrong seat", lambda v: event(v, 0).update(seat=1), "view.record.events[0].seat", "NOT_THE_TURN"),
    ("event of seat 7", lambda v: event(v, 1).update(seat=7), "view.record.events[1].seat", "SEAT_OUT_OF_RANGE"),
    (
        "unknown tile played",
        lambda v: event(v, 2)["play"].update(tile="9|9"),
        "view.record.events[2].play.tile",
        "UNKNOWN_TILE",
    ),
    (
        "tile played twice",
        lambda v: event(v, 2)["play"].update(tile="6|6"),
        "view.record.events[2].play.tile",
        "TILE_ON_TABLE",
    ),
    (
        "own tile played by another",
        lambda v: event(v, 2)["play"].update(tile="5|6"),
        "view.record.events[2].play.tile",
        "TILE_IN_OWN_HAND",
    ),
    (
        "tile not held",
        lambda v: event(v, 0)["play"].update(tile="5|5"),
        "view.record.events[0].play.tile",
        "TILE_NOT_IN_HAND",
    ),
    (
        "tile that does not fit",
        lambda v: event(v, 2)["play"].update(tile="4|5"),
        "view.record.events[2].play.at",
        "TILE_DOES_NOT_FIT",
    ),
    (
        "no such point",
        lambda v: event(v, 2)["play"].update(at="6|6:TOP"),
        "view.record.events[2].play.at",
        "UNKNOWN_ATTACHMENT_POINT",
    ),
    (
        "point of a tile not on the table",
        lambda v: event(v, 2)["play"].update(at="3|6:HIGH"),
        "view.record.events[2].play.at",
        "ATTACHMENT_POINT_NOT_ON_TABLE",
    ),
    (
        "side of the sniff too early",
        lambda v: event(v, 2)["play"].update(at="6|6:SIDE_A"),
        "view.record.events[2].play.at",
        "SIDE_CLOSED",
    ),
    (
        "no point",
        lambda v: event(v, 2)["play"].pop("at"),
        "view.record.events[2].play.at",
        "ATTACHMENT_POINT_MISSING",
    ),
    (
        "a lead with a point",
        lambda v: event(v, 0)["play"].update(at="6|6:LINE_A"),
        "view.record.events[0].play.at",
        "LEAD_JOINS_NOTHING",
    ),
    (
        "wrong points",
        lambda v: event(v, 0)["play"].update(points=5),
        "view.record.events[0].play.points",
        "WRONG_POINTS",
    ),
    (
        "draw of 0 tiles",
        lambda v: event(v, 1)["draw"].update(count=0),
        "view.record.events[1].draw.count",
        "DRAW_COUNT_OUT_OF_RANGE",
    ),
    (
        "draw of -1 tiles",
        lambda v: event(v, 1)["draw"].update(count=-1),
        "view.record.events[1].draw.count",
        "DRAW_COUNT_OUT_OF_RANGE",
    ),
    (
        "draw of more than the talon",
        lambda v: event(v, 1)["draw"].update(count=15),
        "view.record.events[1].draw.count",
        "DRAW_COUNT_OUT_OF_RANGE",
    ),
    (
        "tiles that another seat drew",
        lambda v: event(v, 1)["draw"].update(tiles=["3|3", "4|6"]),
        "view.record.events[1].draw.tiles",
        "HIDDEN_TILES_GIVEN",
    ),
    (
        "own draw with a tile that fits",
        lambda v: append(v, {"seat": 0, "draw": {"tiles": ["3|3"]}}),
        "view.record.events[3].draw.count",
        "DRAW_NOT_ALLOWED",
    ),
    (
        "pass with a talon",
        lambda v: append(v, {"seat": 0, "pass": {}}),
        "view.record.events[3].pass",
        "PASS_NOT_ALLOWED",
    ),
    (
        "draw before the lead",
        lambda v: v["record"].update(events=[{"seat": 0, "draw": {"tiles": ["3|3"]}}]),
        "view.record.events[0].draw.count",
        "DRAW_NOT_ALLOWED",
    ),
    (
        "a tile that the draw ruled out",
        lambda v: append(v, play(0, "5|6", "6|6:LINE_B"), play(1, "3|6", "6|6:SIDE_A")),
        "view.record.events[4].play.tile",
        "NO_DEAL_EXPLAINS",
    ),
    ("129 events", lambda v: append(v, *[{"seat": 0, "pass": {}}] * 126), "view.record.events", "TOO_MANY"),
]


@cases(BROKEN_RECORDS)
def test_broken_record(stubs: SimpleNamespace, change: Change, field: str, reason: str) -> None:
    view = story()
    change(view)
    refuses(stubs, view, field, reason)


def own_draw(view: dict[str, Any], *tiles: str, **draw: Any) -> None:
    """Make seat 0 unable to play, then draw."""
    view["hand"][1] = "2|2"
    append(view, {"seat": 0, "draw": {"tiles": tiles, **draw}})


OWN_DRAWS: Rows = [
    ("without tiles", lambda v: own_draw(v, count=1), "view.record.events[3].draw.tiles", "WRONG_NUMBER_OF_TILES"),
    (
        "count and tiles differ",
        lambda v: own_draw(v, "3|3", count=2),
        "view.record.events[3].draw.tiles",
        "DRAW_COUNT_MISMATCH",
    ),
    ("a huge count", lambda v: own_draw(v, count=2**31 - 1), "view.record.events[3].draw.count", "NUMBER_OUT_OF_RANGE"),
    ("a tile seen before", lambda v: own_draw(v, "4|6"), "view.record.events[3].draw.tiles[0]", "TILE_TWICE"),
    ("a tile twice", lambda v: own_draw(v, "3|3", "3|3"), "view.record.events[3].draw.tiles[1]", "TILE_TWICE"),
    (
        "on after a tile that fits",
        lambda v: own_draw(v, "3|6", "3|3"),
        "view.record.events[3].draw.tiles[1]",
        "DRAW_NOT_ALLOWED",
    ),
    ("an unknown tile", lambda v: own_draw(v, "3|7"), "view.record.events[3].draw.tiles[0]", "UNKNOWN_TILE"),
    (
        "then another tile than the drawn one",
        lambda v: (own_draw(v, "3|6"), append(v, play(0, "4|4", "4|6:LOW"))),
        "view.record.events[4].play.tile",
        "TILE_NOT_IN_HAND",
    ),
]


@cases(OWN_DRAWS)
def test_broken_own_draw(stubs: SimpleNamespace, change: Change, field: str, reason: str) -> None:
    view = story()
    change(view)
    refuses(stubs, view, field, reason)


BROKEN_SNAPSHOTS: Rows = [
    ("unknown tile", lambda s: s["placements"][0].update(tile="x"), "view.snapshot.placements[0].tile", "UNKNOWN_TILE"),
    (
        "does not fit",
        lambda s: s["placements"][1].update(tile="4|5"),
        "view.snapshot.placements[1].at",
        "TILE_DOES_NOT_FIT",
    ),
    (
        "own tile on the table",
        lambda s: s["placements"][1].update(tile="5|6"),
        "view.snapshot.placements[1].tile",
        "TILE_TWICE",
    ),
    ("one size", lambda s: s.update(hand_sizes=[6]), "view.snapshot.hand_sizes", "WRONG_NUMBER_OF_SIZES"),
    ("size 0", lambda s: s.update(hand_sizes=[6, 0]), "view.snapshot.hand_sizes[1]", "SIZE_OUT_OF_RANGE"),
    ("own size", lambda s: s.update(hand_sizes=[7, 7]), "view.snapshot.hand_sizes[0]", "WRONG_HAND_SIZE"),
    ("sum of sizes", lambda s: s.update(hand_sizes=[6, 7]), "view.snapshot.hand_sizes", "TILES_DO_NOT_ADD_UP"),
    ("talon", lambda s: s.update(talon_size=15), "view.snapshot.talon_size", "SIZE_OUT_OF_RANGE"),
    ("void of no seat", lambda s: s["voids"][0].update(seat=2), "view.snapshot.voids[0].seat", "SEAT_OUT_OF_RANGE"),
    ("void suit 7", lambda s: s["voids"][0].update(suits=[7]), "view.snapshot.voids[0].suits[0]", "SUIT_OUT_OF_RANGE"),
    ("own void", lambda s: s["voids"][0].update(seat=0, suits=[5]), "view.snapshot.voids", "VOID_SUIT_HELD"),
    (
        "all suits void",
        lambda s: s["voids"][0].update(suits=[0, 1, 2, 3, 4, 5, 6]),
        "view.snapshot.voids",
        "NO_DEAL_EXPLAINS",
    ),
    ("drawn tile", lambda s: s.update(drawn_tile="3|3"), "view.snapshot.drawn_tile", "TILE_NOT_IN_HAND"),
    ("drawn tile unknown", lambda s: s.update(drawn_tile="33"), "view.snapshot.drawn_tile", "UNKNOWN_TILE"),
]


@cases(BROKEN_SNAPSHOTS)
def test_broken_snapshot(stubs: SimpleNamespace, change: Change, field: str, reason: str) -> None:
    view = snapshot()
    change(view["snapshot"])
    refuses(stubs, view, field, reason)


def refuses(stubs: SimpleNamespace, view: dict[str, Any], field: str, reason: str) -> None:
    """Every RPC that takes a view refuses this one in the same words; ValidateView tells them as data."""
    message = view_message(view)
    for call, request in (
        (stubs.analysis.RecommendMove, analysis_service_pb2.RecommendMoveRequest(view=message)),
        (stubs.analysis.Analyze, analysis_service_pb2.AnalyzeRequest(view=message)),
        (partial(stubs.call, "StreamAnalyze"), analysis_service_pb2.StreamAnalyzeRequest(view=message)),
        (stubs.rules.ListLegalMoves, rules_service_pb2.ListLegalMovesRequest(view=message)),
    ):
        told = failure(lambda call=call, request=request: call(request, timeout=TIMEOUT))
        assert (told.code, told.violations, told.reason, told.domain) == (
            "INVALID_ARGUMENT",
            [(field, reason)],
            reason,
            "sniffai",
        )
        assert told.message == f"{field}: {told.descriptions[0]}"
    verdict = stubs.rules.ValidateView(rules_service_pb2.ValidateViewRequest(view=message), timeout=TIMEOUT)
    assert not verdict.valid
    assert [(violation.field, violation.reason) for violation in verdict.violations] == [(field, reason)]
    assert not verdict.HasField("facts")


def test_pass_with_a_playable_tile_in_the_own_hand(stubs: SimpleNamespace) -> None:
    vector = next(
        line
        for line in lines("beliefs.jsonl")
        if line["talon"] == 0 and stubs.rules.ListLegalMoves(legal_request(line), timeout=TIMEOUT).moves
    )
    view = json_format.MessageToDict(vector_view(vector), preserving_proto_field_name=True)
    append(view, {"seat": vector["seat"], "pass": {}})
    refuses(stubs, view, f"view.record.events[{len(vector['events'])}].pass", "PASS_NOT_ALLOWED")


def legal_request(vector: dict[str, Any]) -> rules_service_pb2.ListLegalMovesRequest:
    return rules_service_pb2.ListLegalMovesRequest(view=vector_view(vector))


def test_several_faults_are_reported_at_once(stubs: SimpleNamespace) -> None:
    view = story()
    view["hand"][2] = "9|9"
    event(view, 0)["play"]["tile"] = "66"
    event(view, 2)["play"]["at"] = "nowhere"
    told = failure(lambda: recommend(stubs, view_message(view)))
    assert told.violations == [
        ("view.hand[2]", "UNKNOWN_TILE"),
        ("view.record.events[0].play.tile", "UNKNOWN_TILE"),
        ("view.record.events[2].play.at", "UNKNOWN_ATTACHMENT_POINT"),
    ]


def test_at_most_16_violations_each_cut_to_size(stubs: SimpleNamespace) -> None:
    view = story()
    view["hand"] = ["\u2603" * 5000] * 25
    told = failure(lambda: recommend(stubs, view_message(view)))
    assert told.code == "INVALID_ARGUMENT"
    assert len(told.violations) == 16
    assert told.metadata["violation_count"] == "25"
    assert all(len(description) <= 200 and description.isascii() for description in told.descriptions)


@pytest.mark.parametrize("method", ["RecommendMove", "Analyze", "StreamAnalyze"])
def test_empty_request(stubs: SimpleNamespace, method: str) -> None:
    request = getattr(analysis_service_pb2, f"{method}Request")()
    told = failure(lambda: stubs.call(method, request))
    assert (told.code, told.violations) == ("INVALID_ARGUMENT", [("view", "REQUIRED")])


@pytest.mark.parametrize("method", ["ListLegalMoves", "ValidateView"])
def test_empty_rules_request(stubs: SimpleNamespace, method: str) -> None:
    request = getattr(rules_service_pb2, f"{method}Request")()
    told = failure(lambda: getattr(stubs.rules, method)(request))
    assert (told.code, told.violations) == ("INVALID_ARGUMENT", [("view", "REQUIRED")])


@pytest.mark.parametrize("method", ["RecommendMove", "Analyze"])
def test_another_seats_turn(stubs: SimpleNamespace, method: str) -> None:
    view = story()
    append(view, play(0, "5|6", "6|6:LINE_B"))
    request = getattr(analysis_service_pb2, f"{method}Request")(view=view_message(view))
    told = failure(lambda: getattr(stubs.analysis, method)(request))
    assert (told.code, told.violations) == ("INVALID_ARGUMENT", [("view.seat", "NOT_THE_TURN")])


def test_round_over(stubs: SimpleNamespace) -> None:
    view = choice()
    view.update(scores=[245, 0], record={"leader": 0, "events": [play(0, "1|4")]})
    told = failure(lambda: stubs.analysis.Analyze(analysis_service_pb2.AnalyzeRequest(view=view_message(view))))
    assert (told.code, told.violations) == ("INVALID_ARGUMENT", [("view.seat", "ROUND_OVER")])


BAD_SEARCHES: list[tuple[dict[str, Any], str, str]] = [
    ({"limits": {"simulations": 0}}, "limits.simulations", "LIMIT_OUT_OF_RANGE"),
    ({"limits": {"simulations": -5}}, "limits.simulations", "LIMIT_OUT_OF_RANGE"),
    ({"limits": {"time": "0s"}}, "limits.time", "LIMIT_OUT_OF_RANGE"),
    ({"limits": {"time": "-1s"}}, "limits.time", "LIMIT_OUT_OF_RANGE"),
    ({"limits": {"memory_bytes": 1}}, "limits.memory_bytes", "LIMIT_OUT_OF_RANGE"),
    ({"limits": {"target_standard_error": 0}}, "limits.target_standard_error", "LIMIT_OUT_OF_RANGE"),
    ({"limits": {"target_standard_error": -1}}, "limits.target_standard_error", "LIMIT_OUT_OF_RANGE"),
    ({"limits": {"target_standard_error": 1e9}}, "limits.target_standard_error", "LIMIT_OUT_OF_RANGE"),
    ({"limits": {"target_standard_error": "NaN"}}, "limits.target_standard_error", "LIMIT_OUT_OF_RANGE"),
    ({"max_moves": -1}, "max_moves", "NUMBER_OUT_OF_RANGE"),
    ({"client_tag": "x" * 129}, "client_tag", "TOO_LONG"),
    ({"include_moves": [{"tile": "6|6"}, {"tile": "3|3"}]}, "include_moves[1]", "MOVE_NOT_LEGAL"),
    ({"include_moves": [{"tile": "6|6", "at": "6|6:LINE_A"}]}, "include_moves[0]", "MOVE_NOT_LEGAL"),
    ({"exclude_moves": [{"tile": "7|7"}]}, "exclude_moves[0].tile", "UNKNOWN_TILE"),
    ({"exclude_moves": [{"tile": "6|6", "at": "nowhere"}]}, "exclude_moves[0].at", "UNKNOWN_ATTACHMENT_POINT"),
    ({"include_moves": [{"tile": "6|6"}] * 2}, "include_moves[1]", "MOVE_TWICE"),
    ({"include_moves": [{"tile": "6|6"}], "exclude_moves": [{"tile": "5|6"}]}, "exclude_moves", "INCLUDE_AND_EXCLUDE"),
    ({"exclude_moves": [{"tile": tile} for tile in choice()["hand"]]}, "exclude_moves", "NO_MOVE_LEFT"),
    ({"exclude_moves": [{"tile": "6|6"}] * 129}, "exclude_moves", "TOO_MANY"),
    ({"seed": -1}, "seed", "SEED_OUT_OF_RANGE"),
]


@pytest.mark.parametrize(("fields", "field", "reason"), BAD_SEARCHES)
@pytest.mark.parametrize("method", ["RecommendMove", "StreamAnalyze"])
def test_bad_search(stubs: SimpleNamespace, method: str, fields: dict[str, Any], field: str, reason: str) -> None:
    kind = getattr(analysis_service_pb2, f"{method}Request")
    request = json_format.ParseDict({"view": choice(), **fields}, kind())
    told = failure(lambda: stubs.call(method, request))
    assert (told.code, told.violations, told.reason) == ("INVALID_ARGUMENT", [(field, reason)], reason)


@pytest.mark.parametrize(
    ("interval", "reason"),
    [("0s", "LIMIT_OUT_OF_RANGE"), ("-0.5s", "LIMIT_OUT_OF_RANGE"), ({"nanos": 2 * 10**9}, "NOT_A_DURATION")],
)
def test_bad_report_interval(stubs: SimpleNamespace, interval: Any, reason: str) -> None:
    request = analysis_service_pb2.StreamAnalyzeRequest(view=view_message(choice()))
    if isinstance(interval, str):
        request.report_interval.FromJsonString(interval)
    else:
        request.report_interval.nanos = interval["nanos"]
    told = failure(lambda: stubs.call("StreamAnalyze", request))
    assert (told.code, told.violations) == ("INVALID_ARGUMENT", [("report_interval", reason)])


def test_a_deal_that_is_over_or_broken_is_no_study(stubs: SimpleNamespace) -> None:
    answer, lead = next(scoring_leads(stubs))
    over = stubs.rules.ApplyMove(rules_service_pb2.ApplyMoveRequest(deal=answer.deal, move=lead.move)).deal
    for method in ("Analyze", "StreamAnalyze"):
        kind = getattr(analysis_service_pb2, f"{method}Request")
        told = failure(lambda method=method, kind=kind: stubs.call(method, kind(deal=over)))
        assert (told.code, told.violations) == ("INVALID_ARGUMENT", [("deal", "ROUND_OVER")])
        broken = kind(deal=answer.deal)
        broken.deal.hands[1].tiles[0] = "9|9"
        told = failure(lambda method=method, broken=broken: stubs.call(method, broken))
        assert (told.code, told.violations) == ("INVALID_ARGUMENT", [("deal.hands[1].tiles[0]", "UNKNOWN_TILE")])


def test_no_move_is_recommended_for_an_open_deal(stubs: SimpleNamespace) -> None:
    """Bytes of an AnalyzeRequest with a deal are no RecommendMoveRequest: the hands are not even looked at."""
    dealt = deal(stubs, players=2)
    data = analysis_service_pb2.AnalyzeRequest(deal=dealt.deal).SerializeToString()
    call = stubs.channel.unary_unary("/sniffai.v1.AnalysisService/RecommendMove")
    told = failure(lambda: call(data, timeout=TIMEOUT))
    assert (told.code, told.violations) == ("INVALID_ARGUMENT", [("view", "REQUIRED")])


@pytest.mark.parametrize(("seconds", "nanos"), [(1, 10**9), (1, -1), (0, -(10**9))])
def test_time_that_is_no_duration(stubs: SimpleNamespace, seconds: int, nanos: int) -> None:
    request = analysis_service_pb2.AnalyzeRequest(view=view_message(choice()))
    request.limits.time.seconds, request.limits.time.nanos = seconds, nanos
    told = failure(lambda: stubs.analysis.Analyze(request))
    assert told.code == "INVALID_ARGUMENT"
    assert ("limits.time", "NOT_A_DURATION") in told.violations


BAD_DEALS: Rows = [
    ("no deal", lambda r: r.pop("deal"), "deal", "REQUIRED"),
    ("no move", lambda r: r.pop("move"), "move", "REQUIRED"),
    ("5 seats", lambda r: r["deal"].update(players=5), "deal.players", "PLAYERS_OUT_OF_RANGE"),
    ("leader", lambda r: r["deal"].update(leader=2), "deal.leader", "SEAT_OUT_OF_RANGE"),
    ("score", lambda r: r["deal"].update(scores=[250, 0]), "deal.scores[0]", "SCORE_PAST_TARGET"),
    ("odd score", lambda r: r["deal"].update(scores=[0, 12]), "deal.scores[1]", "NOT_A_MULTIPLE_OF_5"),
    ("one hand", lambda r: r["deal"]["hands"].pop(), "deal.hands", "WRONG_NUMBER_OF_HANDS"),
    ("hand size", lambda r: r["deal"]["hands"][1]["tiles"].pop(), "deal.hands[1]", "WRONG_HAND_SIZE"),
    ("tile", lambda r: r["deal"]["hands"][1]["tiles"].__setitem__(2, "77"), "deal.hands[1].tiles[2]", "UNKNOWN_TILE"),
    (
        "tile twice",
        lambda r: r["deal"]["hands"][1]["tiles"].__setitem__(2, r["deal"]["hands"][0]["tiles"][0]),
        "deal.hands[1].tiles[2]",
        "TILE_TWICE",
    ),
    ("talon size", lambda r: r["deal"]["talon"].pop(), "deal.talon", "WRONG_TALON_SIZE"),
    ("talon tile", lambda r: r["deal"]["talon"].__setitem__(3, ""), "deal.talon[3]", "UNKNOWN_TILE"),
    ("past move", lambda r: r["deal"].update(moves=[{"tile": "8|8"}]), "deal.moves[0].tile", "UNKNOWN_TILE"),
    ("move's tile", lambda r: r["move"].update(tile="8|8"), "move.tile", "UNKNOWN_TILE"),
    ("move not held", lambda r: r["move"].update(tile=r["deal"]["talon"][0]), "move.tile", "TILE_NOT_IN_HAND"),
    ("lead with a point", lambda r: r["move"].update(at="6|6:LINE_A"), "move.at", "LEAD_JOINS_NOTHING"),
]


@cases(BAD_DEALS)
def test_bad_deal_or_move(stubs: SimpleNamespace, change: Change, field: str, reason: str) -> None:
    dealt = deal(stubs, players=2)
    value = json_format.MessageToDict(dealt.deal, preserving_proto_field_name=True)
    move = json_format.MessageToDict(dealt.state.legal_moves[0].move, preserving_proto_field_name=True)
    broken = copy.deepcopy({"deal": value, "move": move})
    change(broken)
    request = json_format.ParseDict(broken, rules_service_pb2.ApplyMoveRequest())
    told = failure(lambda: stubs.rules.ApplyMove(request))
    assert (told.code, told.violations) == ("INVALID_ARGUMENT", [(field, reason)])


@cases([row for row in BAD_DEALS if row[2].startswith("deal")])
def test_bad_deal_to_describe(stubs: SimpleNamespace, change: Change, field: str, reason: str) -> None:
    value = json_format.MessageToDict(deal(stubs, players=2).deal, preserving_proto_field_name=True)
    broken = {"deal": value}
    change(broken)
    request = json_format.ParseDict(broken, rules_service_pb2.DescribeRoundRequest())
    told = failure(lambda: stubs.rules.DescribeRound(request))
    assert (told.code, told.violations) == ("INVALID_ARGUMENT", [(field, reason)])


def scoring_leads(stubs: SimpleNamespace) -> Iterator[tuple[Any, Any]]:
    """Deals at 245 : 245, each with a lead that wins the match."""
    for seed in range(100):
        answer = stubs.rules.DealRound(rules_service_pb2.DealRoundRequest(players=2, seed=seed, scores=[245, 245]))
        yield from ((answer, legal) for legal in answer.state.legal_moves if legal.points_now)


def test_move_after_the_end(stubs: SimpleNamespace) -> None:
    answer, lead = next(scoring_leads(stubs))
    over = stubs.rules.ApplyMove(rules_service_pb2.ApplyMoveRequest(deal=answer.deal, move=lead.move))
    assert over.state.over
    told = failure(
        lambda: stubs.rules.ApplyMove(rules_service_pb2.ApplyMoveRequest(deal=over.deal, move={"tile": "0|0"}))
    )
    assert (told.code, told.violations) == ("INVALID_ARGUMENT", [("move", "ROUND_OVER")])


@pytest.mark.parametrize(
    ("fields", "field", "reason"),
    [
        ({}, "players", "PLAYERS_OUT_OF_RANGE"),
        ({"players": 1}, "players", "PLAYERS_OUT_OF_RANGE"),
        ({"players": 2, "leader": 2}, "leader", "SEAT_OUT_OF_RANGE"),
        ({"players": 2, "leader": -1}, "leader", "SEAT_OUT_OF_RANGE"),
        ({"players": 3, "scores": [0, 0]}, "scores", "WRONG_NUMBER_OF_SCORES"),
        ({"players": 3, "scores": [0, 0, 200]}, "scores[2]", "SCORE_PAST_TARGET"),
        ({"players": 3, "scores": [0, 1, 0]}, "scores[1]", "NOT_A_MULTIPLE_OF_5"),
        ({"players": 2, "seed": -1}, "seed", "SEED_OUT_OF_RANGE"),
    ],
)
def test_bad_deal_request(stubs: SimpleNamespace, fields: dict[str, Any], field: str, reason: str) -> None:
    told = failure(lambda: stubs.rules.DealRound(rules_service_pb2.DealRoundRequest(**fields)))
    assert (told.code, told.violations) == ("INVALID_ARGUMENT", [(field, reason)])
