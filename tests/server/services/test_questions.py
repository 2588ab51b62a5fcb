"""What a request for an analysis may ask beyond the view: moves, length, tag, priority, open deals."""

from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf import json_format

import sniffai
from sniffai import wire
from sniffai.v1 import analysis_pb2, move_pb2
from sniffai.v1 import analysis_service_pb2 as pb
from sniffai_server.calls.callers import Priority
from tests.server.support import (
    TIMEOUT,
    LoopbackServer,
    choice,
    deal,
    failure,
    running_server,
    story,
    stubs_of,
    view_message,
)
from tests.waiting import wait_until

FEW = {"simulations": 600}
KINDS = {
    "RecommendMove": pb.RecommendMoveRequest,
    "Analyze": pb.AnalyzeRequest,
    "StreamAnalyze": pb.StreamAnalyzeRequest,
}


def ask(stubs: SimpleNamespace, method: str, **fields: Any) -> analysis_pb2.Analysis:
    """The (final) analysis that a method answers with."""
    request = KINDS[method](**{"view": view_message(choice()), "limits": FEW, **fields})
    answer = stubs.call(method, request)
    return (answer[-1] if isinstance(answer, list) else answer).analysis


def moves(*tiles: str) -> list[move_pb2.Move]:
    return [move_pb2.Move(tile=tile) for tile in tiles]


def listed(found: analysis_pb2.Analysis) -> list[str]:
    return [entry.move.tile for entry in found.moves]


@pytest.mark.parametrize("method", KINDS)
def test_every_legal_move_is_listed_also_without_a_visit(stubs: SimpleNamespace, method: str) -> None:
    found = ask(stubs, method, limits={"simulations": 1})
    assert sorted(listed(found)) == sorted(choice()["hand"])
    assert [entry.visits for entry in found.moves] == [1, 0, 0, 0, 0, 0, 0]
    unvisited = found.moves[-1]
    assert unvisited.availability == 1
    assert not unvisited.HasField("loss")
    assert not unvisited.HasField("best_probability")
    assert (len(unvisited.values), unvisited.loss_significant, found.omitted_move_count) == (0, False, 0)


@pytest.mark.parametrize("method", KINDS)
def test_moves_are_included_and_excluded(stubs: SimpleNamespace, method: str) -> None:
    some = ask(stubs, method, include_moves=moves("6|6", "0|1"))
    assert sorted(listed(some)) == ["0|1", "6|6"]
    assert some.omitted_move_count == 5
    assert sum(entry.visits for entry in some.moves) == 600
    rest = ask(stubs, method, exclude_moves=moves("6|6", "0|1"))
    assert sorted(listed(rest)) == ["0|0", "0|2", "1|2", "1|4", "5|6"]
    assert rest.omitted_move_count == 2


@pytest.mark.parametrize("method", KINDS)
def test_it_can_be_told_how_others_choose(stubs: SimpleNamespace, method: str) -> None:
    plain = ask(stubs, method)
    other = 1 - choice()["seat"]
    assert list(ask(stubs, method, opponents=[{"seat": other, "name": "full"}]).moves) == list(plain.moves)
    found = {
        name: [entry.visits for entry in ask(stubs, method, opponents=[{"seat": other, "name": name}]).moves]
        for name in ("casual", "1300", "policy", "hasty:misjudges=8")
    }
    visits = [[entry.visits for entry in plain.moves], *found.values()]
    assert len({tuple(each) for each in visits}) == 5


@pytest.mark.parametrize("method", KINDS)
def test_opponents_that_there_are_not_are_refused(stubs: SimpleNamespace, method: str) -> None:
    own = choice()["seat"]
    for opponents, violations in (
        ([{"seat": own, "name": "casual"}], [("opponents[0].seat", "SEAT_OUT_OF_RANGE")]),
        ([{"seat": 2, "name": "casual"}], [("opponents[0].seat", "SEAT_OUT_OF_RANGE")]),
        ([{"seat": -1, "name": ""}], [("opponents[0].seat", "SEAT_OUT_OF_RANGE"), ("opponents[0].name", "REQUIRED")]),
        ([{"seat": 1 - own, "name": "nobody"}], [("opponents[0].name", "UNKNOWN_OPPONENT")]),
        ([{"seat": 1 - own, "name": "learned"}], [("opponents[0].name", "UNKNOWN_OPPONENT")]),
        ([{"seat": 1 - own, "name": "9"}], [("opponents[0].name", "RATING_OUT_OF_RANGE")]),
        ([{"seat": 1 - own, "name": "full"}] * 2, [("opponents", "TOO_MANY")]),
    ):
        error = failure(lambda opponents=opponents: ask(stubs, method, opponents=opponents))  # type: ignore[misc]
        assert (error.code, error.violations) == ("INVALID_ARGUMENT", violations)


@pytest.mark.parametrize("method", KINDS)
def test_moves_are_also_valued_against_careless_opponents(stubs: SimpleNamespace, method: str) -> None:
    plain, asked = ask(stubs, method), ask(stubs, method, careless=True)
    assert not any(entry.HasField("careless") for entry in plain.moves)
    assert all(entry.careless.team == choice()["seat"] for entry in asked.moves)
    assert [entry.values for entry in asked.moves] == [entry.values for entry in plain.moves]
    assert asked.effort.simulations == 900


def test_careless_is_refused_where_it_has_no_meaning(stubs: SimpleNamespace) -> None:
    error = failure(lambda: ask(stubs, "RecommendMove", careless=True, level="club"))
    assert error.violations == [("careless", "NOT_WITH_LEVEL")]
    deal = wire.write_deal(sniffai.Round.deal(2, 1))
    for method in ("Analyze", "StreamAnalyze"):
        error = failure(lambda method=method: ask(stubs, method, view=None, deal=deal, careless=True))  # type: ignore[misc]
        assert error.violations == [("careless", "NOT_WITH_DEAL")]


def test_a_seat_is_named_once(stubs: SimpleNamespace) -> None:
    view = wire.write_view(sniffai.Round.deal(3, 1, leader=0).view(0))
    twice = [{"seat": 1, "name": "casual"}, {"seat": 1, "name": "steady"}]
    error = failure(lambda: ask(stubs, "RecommendMove", view=view, opponents=twice))
    assert error.violations == [("opponents[1].seat", "SEAT_TWICE")]


@pytest.mark.parametrize("method", KINDS)
def test_the_answer_may_be_short(stubs: SimpleNamespace, method: str) -> None:
    whole, short = ask(stubs, method), ask(stubs, method, max_moves=3)
    assert short.omitted_move_count == 4
    assert list(short.moves) == list(whole.moves[:3])
    assert list(ask(stubs, method, max_moves=100).moves) == list(whole.moves)


@pytest.mark.parametrize("method", KINDS)
def test_how_sure_the_answer_is(stubs: SimpleNamespace, method: str) -> None:
    found = ask(stubs, method, limits={"simulations": 8000})
    assert sum(entry.best_probability for entry in found.moves) == pytest.approx(1)
    assert all(0 <= entry.best_probability <= 1 for entry in found.moves)
    assert not found.moves[0].loss_significant
    assert found.moves[-1].loss_significant
    assert 1 <= found.effective_sample_size <= found.worlds_used
    assert found.final


def test_the_tag_comes_back(stubs: SimpleNamespace) -> None:
    for method in KINDS:
        assert ask(stubs, method, client_tag="move 12 \u2603").client_tag == "move 12 \u2603"
        assert ask(stubs, method, view=view_message(story()), client_tag="x").client_tag == "x"


@pytest.mark.parametrize("method", KINDS)
def test_the_target_standard_error_ends_the_search(stubs: SimpleNamespace, method: str) -> None:
    found = ask(stubs, method, limits={"target_standard_error": 0.75, "simulations": 1_000_000})
    assert found.stop_reason == analysis_pb2.STOP_REASON_PRECISE
    assert found.deterministic
    assert found.moves[0].values[0].standard_error <= 0.75
    assert found.effective_limits.target_standard_error == 0.75


def test_a_decided_search_stops_early(stubs: SimpleNamespace) -> None:
    limits = {"simulations": 1_000_000, "stop_when_decided": True}
    found = ask(stubs, "Analyze", limits=limits, include_moves=moves("6|6", "0|1"))
    assert found.stop_reason == analysis_pb2.STOP_REASON_DECIDED
    assert found.deterministic
    assert found.effort.simulations < 1_000_000
    assert found.effective_limits.stop_when_decided


@pytest.mark.parametrize(
    ("method", "asked", "expected"),
    [
        ("RecommendMove", pb.PRIORITY_UNSPECIFIED, Priority.INTERACTIVE),
        ("Analyze", pb.PRIORITY_UNSPECIFIED, Priority.ANALYSIS),
        ("StreamAnalyze", pb.PRIORITY_UNSPECIFIED, Priority.ANALYSIS),
        ("RecommendMove", pb.PRIORITY_BULK, Priority.BULK),
        ("Analyze", pb.PRIORITY_INTERACTIVE, Priority.INTERACTIVE),
    ],
)
def test_priorities(
    stubs: SimpleNamespace,
    server: LoopbackServer,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    asked: Any,
    expected: Priority,
) -> None:
    seen = []
    slot = server.server.searches.queue.slot

    def spy(admission: Any, *rest: Any) -> Any:
        seen.append(admission.priority)
        return slot(admission, *rest)

    monkeypatch.setattr(server.server.searches.queue, "slot", spy)
    ask(stubs, method, priority=asked)
    assert seen == [expected]


def test_an_unknown_priority_is_ignored_with_a_warning(stubs: SimpleNamespace) -> None:
    found = ask(stubs, "Analyze", priority=17)
    assert [(warning.field, warning.reason) for warning in found.warnings] == [("priority", "IGNORED")]


@pytest.mark.parametrize("method", ["Analyze", "StreamAnalyze"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_an_open_deal_is_studied(stubs: SimpleNamespace, method: str, players: int) -> None:
    dealt = deal(stubs, players, seed=3)
    request = KINDS[method](deal=dealt.deal, limits=FEW)
    answer = stubs.call(method, request)
    found = (answer[-1] if isinstance(answer, list) else answer).analysis
    exact = players != 3
    assert found.source == (analysis_pb2.SOURCE_EXACT if exact else analysis_pb2.SOURCE_SEARCH)
    assert found.belief.world_count == 1
    assert {share for row in found.belief.tiles for share in (*row.hands, row.talon)} == {0.0, 1.0}
    here = sniffai.analyze_deal(wire.read_round(dealt.deal), sniffai.Limits(simulations=600))
    there = wire.write_analysis(here)
    for message in (found, there):
        message.ClearField("effective_limits")
    assert found == there


def test_a_deal_is_studied_after_its_moves(stubs: SimpleNamespace) -> None:
    round_ = sniffai.Round.deal(2, 4)
    for _ in range(5):
        round_.play(round_.legal_moves()[0])
    found = stubs.call("Analyze", pb.AnalyzeRequest(deal=wire.write_deal(round_))).analysis
    assert {entry.move.tile for entry in found.moves} == {str(move.tile) for move in round_.legal_moves()}
    assert all(not step.estimated for entry in found.moves for step in entry.line)


def test_a_stream_request_reads_as_an_analyze_request() -> None:
    """The fields that both have are the same, so that a client can switch over."""
    one, other = pb.AnalyzeRequest.DESCRIPTOR, pb.StreamAnalyzeRequest.DESCRIPTOR
    shared = {field.name: field.number for field in other.fields if field.name != "report_interval"}
    assert shared == {field.name: field.number for field in one.fields}
    request = json_format.ParseDict({"view": choice(), "maxMoves": 2}, pb.StreamAnalyzeRequest())
    assert pb.AnalyzeRequest.FromString(request.SerializeToString()).max_moves == 2


def test_a_forced_move_does_not_wait_for_a_slot() -> None:
    """With the only slot taken and no room to wait, a move without a choice is told all the same."""
    with running_server(slots=1, queue_size=0) as server, stubs_of(server.address) as stubs:
        long = pb.AnalyzeRequest(view=view_message(choice()), limits={"time": {"seconds": 30}})
        running = stubs.analysis.Analyze.future(long, timeout=TIMEOUT)
        wait_until(lambda: server.server.searches.busy == 1)
        assert ask(stubs, "RecommendMove", view=view_message(story())).source == analysis_pb2.SOURCE_FORCED
        assert failure(lambda: ask(stubs, "RecommendMove")).reason == "QUEUE_FULL"
        running.cancel()
        wait_until(lambda: server.server.searches.busy == 0)
