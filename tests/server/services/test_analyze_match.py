"""AnalyzeMatch: every placement once, then the whole; records that are wrong; order, cancel, caps, shutdown."""

import gc
import threading
import time
from collections.abc import Iterator
from functools import cache
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

import sniffai
from sniffai import Limits, MatchRecord, Round, SeatRecord, View, wire
from sniffai.client import AsyncClient, Client, ServiceError
from sniffai.equity import load
from sniffai.play.arena import play_rounds
from sniffai.play.arena_result import ArenaSpec
from sniffai.play.levels import named_player
from sniffai.records.matchfile import format_match
from sniffai.review import Review, Subject, review
from sniffai.search.searcher import Searcher
from sniffai.v1 import analysis_pb2, notice_pb2, review_pb2
from sniffai.v1 import analysis_service_pb2 as pb
from sniffai_server.load.admission import Priority
from sniffai_server.settings import Settings
from tests.server.support import (
    TIMEOUT,
    LoopbackServer,
    choice,
    failure,
    running_server,
    snapshot,
    stubs_of,
    view_message,
)
from tests.waiting import wait_until

FEW = {"simulations": 60}
LONG = {"simulations": 50_000_000}
SHORT = {2: 14, 3: 17, 4: 40}
"""By players, a match that begins with two short rounds, with draws, mistakes and forced moves."""


@cache
def match(players: int = 2, rounds: int = 2) -> tuple[Round, ...]:
    spec = ArenaSpec("random", "random", players, 1, True, 5)
    found = play_rounds(spec, [named_player("level:attentive")] * players, SHORT[players])
    return tuple(round_ for round_, _ in zip(found, range(rounds), strict=False))


@cache
def reviewed(players: int) -> Review:
    """What the library finds in that match."""
    return review(Subject.of_rounds(match(players)), Limits(**FEW), seed=7)


def request(players: int = 2, **fields: Any) -> pb.AnalyzeMatchRequest:
    return pb.AnalyzeMatchRequest(**{"match": wire.write_record(match(players)), "limits": FEW, **fields})


def ask(stubs: SimpleNamespace, timeout: float = TIMEOUT, **fields: Any) -> list[pb.AnalyzeMatchResponse]:
    return list(stubs.analysis.AnalyzeMatch(request(**fields), timeout=timeout))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_piece_comes_once_and_the_summary_last(stubs: SimpleNamespace, players: int) -> None:
    found = ask(stubs, players=players, seed=7, client_tag="tag", language_code="ja")
    kinds = [message.WhichOneof("result") for message in found]
    assert kinds.count("summary") == 1 and kinds[-1] == "summary"
    events = [type(event).__name__ for round_ in match(players) for event in round_.history]
    assert (kinds.count("decision"), kinds.count("draw")) == (events.count("Play"), events.count("Draw"))
    pieces = [message.decision if message.HasField("decision") else message.draw for message in found[:-1]]
    assert sorted(piece.index for piece in pieces) == list(range(len(pieces)))
    assert [message.done_count for message in found] == [*range(1, len(pieces) + 1), len(pieces)]
    assert {message.total_count for message in found} == {len(pieces)}
    summary = found[-1].summary
    assert (summary.client_tag, summary.seed, summary.deterministic) == ("tag", 7, True)
    assert summary.effective_limits.simulations == 60


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_seats_record_is_reviewed_as_in_the_whole_match(server: LoopbackServer, players: int) -> None:
    """From the record, its message and its text: the seat's own decisions, and nothing of the others."""
    record = SeatRecord.seen_by(MatchRecord.of(match(players)), 1)
    own = [one for one in reviewed(players).judged if one.placement.seat == 1]
    with Client(server.address) as client:
        for given in (record, wire.write_seat_record(record), record.to_text()):
            found = list(client.analyze_match(given, Limits(simulations=60), seed=7))
            decisions = sorted((m.decision for m in found if m.HasField("decision")), key=lambda one: one.index)
            told = [wire.write_decision(one, decision.index) for one, decision in zip(own, decisions, strict=True)]
            assert told == decisions
            summary = found[-1].summary
            assert [player.seat for player in summary.players] == [1]
            assert summary.account.final
            assert review_pb2.STEP_KIND_OTHERS in {luck.kind for luck in summary.account.luck}


@pytest.mark.parametrize("players", [2, 4])
def test_the_answer_is_that_of_the_library(stubs: SimpleNamespace, players: int) -> None:
    found = ask(stubs, players=players, seed=7)
    own = reviewed(players)
    decisions = sorted((m.decision for m in found if m.HasField("decision")), key=lambda one: one.index)
    for told, one in zip(decisions, own.judged, strict=True):
        assert told == wire.write_decision(one, told.index)
    assert found[-1].summary.account == wire.write_summary(own, own.limits).account
    assert list(found[-1].summary.players) == list(wire.write_summary(own, own.limits).players)


def test_the_totals_of_a_review_add_up_on_the_wire(stubs: SimpleNamespace) -> None:
    account = ask(stubs)[-1].summary.account
    for team in range(2):
        for unit in ("win_probability", "points"):
            changes = [change.changes for change in (*account.skill, *account.luck)]
            parts = [getattr(values[team], unit) for values in (account.start, *changes)]
            assert sum(parts) == pytest.approx(getattr(account.result[team], unit), abs=1e-9)
    assert {one.seat for one in account.skill} == {0, 1}


def test_a_match_whose_last_round_was_only_dealt(stubs: SimpleNamespace) -> None:
    """An hour of work was lost to an error at the end: nothing of that round has a value yet."""
    (first,) = match(2, 1)
    dealt = Round.deal(2, 7, first.next_leader(1), first.scores)
    for record in (
        {"match": wire.write_record([first, dealt])},
        {"match": None, "text": format_match(MatchRecord.of([first, dealt]))},
    ):
        summary = ask(stubs, **record)[-1].summary
        assert len(summary.rounds) == 2
        assert not summary.account.final
        for team, outlook in enumerate(summary.account.result):
            chance = load(2).chance(first.scores, first.went_out)[team]
            assert outlook.win_probability == pytest.approx(chance)


def test_a_view_before_the_first_decision_of_its_seat(stubs: SimpleNamespace) -> None:
    seen = View.from_text("view players=2 seat=0 leader=1 scores=15,0 hand=0|1,0|6,2|4,2|6,3|5,3|6,4|6 : 1|2")
    (only,) = ask(stubs, match=None, view=wire.write_view(seen))
    assert only.WhichOneof("result") == "summary"
    assert (only.done_count, only.total_count) == (0, 0)
    assert only.summary.account.start == only.summary.account.result
    assert only.summary.rounds[0].steps == []


def test_a_mistake_is_shown_with_its_line_reasons_and_belief(stubs: SimpleNamespace) -> None:
    decisions = [message.decision for message in ask(stubs) if message.HasField("decision")]
    mistakes = [one for one in decisions if one.verdict > review_pb2.VERDICT_NONE]
    assert mistakes
    for one in mistakes:
        assert one.best.line[0].move == one.best.move != one.played
        assert len(one.belief.tiles) == 28
        assert one.win_probability_loss >= 0.005
        assert one.source != analysis_pb2.SOURCE_FORCED
    forced = [one for one in decisions if one.source == analysis_pb2.SOURCE_FORCED]
    assert forced
    assert not any(one.HasField("best") or one.values or one.HasField("belief") for one in forced)


def test_text_rounds_and_view_are_read(stubs: SimpleNamespace) -> None:
    record = format_match(MatchRecord.of(match(), {"Seat0": "Ann"}))
    by_text, by_rounds = (ask(stubs, match=None, text=record), ask(stubs))
    assert by_text[-1].summary.account == by_rounds[-1].summary.account
    assert [player.name for player in by_text[-1].summary.players] == ["Ann", ""]
    view = match()[0].view(1)
    seen = ask(stubs, match=None, view=wire.write_view(view))
    assert {message.decision.seat for message in seen if message.HasField("decision")} == {1}
    assert [player.seat for player in seen[-1].summary.players] == [1]


def broken() -> Iterator[tuple[str, dict[str, Any], str, str]]:
    """Name, fields, path and reason."""
    record = wire.write_record(match())
    text = format_match(MatchRecord.of(match()))
    yield "nothing", {"match": None}, "match", "REQUIRED"
    yield "no round", {"match": review_pb2.RecordedMatch()}, "match.rounds", "NO_ROUNDS"
    many = review_pb2.RecordedMatch(rounds=[record.rounds[0]] * 201)
    yield "too many rounds", {"match": many}, "match.rounds", "TOO_MANY"
    names = review_pb2.RecordedMatch(rounds=record.rounds, names=["a"] * 5)
    yield "too many names", {"match": names}, "match.names", "TOO_MANY"
    names = review_pb2.RecordedMatch(rounds=record.rounds, names=["a", "b" * 129])
    yield "a long name", {"match": names}, "match.names[1]", "TOO_LONG"
    moved = review_pb2.RecordedMatch()
    moved.CopyFrom(record)
    moved.rounds[1].moves[3].tile = "9|9"
    yield "no tile", {"match": moved}, "match.rounds[1].moves[3].tile", "UNKNOWN_TILE"
    moved = review_pb2.RecordedMatch()
    moved.CopyFrom(record)
    moved.rounds[1].moves[3].tile = moved.rounds[1].moves[2].tile
    yield "a tile twice", {"match": moved}, "match.rounds[1].moves[3].tile", "TILE_ON_TABLE"
    scores = review_pb2.RecordedMatch()
    scores.CopyFrom(record)
    scores.rounds[1].scores[0] += 5
    yield "other scores", {"match": scores}, "match.rounds[1].scores", "WRONG_SCORES"
    yield "no record", {"match": None, "text": "once upon a time"}, "text", "UNREADABLE"
    yield "a long number", {"match": None, "text": f'{{"players": {"2" * 5000}}}'}, "text", "UNREADABLE"
    yield "empty text", {"match": None, "text": " "}, "text", "UNREADABLE"
    yield "a long text", {"match": None, "text": "#" * 500_001}, "text", "TOO_LONG"
    yield "wrong points", {"match": None, "text": text.replace(" +", " +5", 1)}, "text", "WRONG_POINTS"
    yield "a snapshot", {"match": None, "view": view_message(snapshot())}, "view", "NO_EVENTS"
    other = view_message(choice())
    other.hand[0] = "7|7"
    yield "a broken view", {"match": None, "view": other}, "view.hand[0]", "UNKNOWN_TILE"
    yield "a long tag", {"client_tag": "a" * 129}, "client_tag", "TOO_LONG"
    yield "no simulation", {"limits": {"simulations": 0}}, "limits.simulations", "LIMIT_OUT_OF_RANGE"
    yield "a seed below 0", {"seed": -1}, "seed", "SEED_OUT_OF_RANGE"


@pytest.mark.parametrize(("fields", "path", "reason"), [row[1:] for row in broken()], ids=[row[0] for row in broken()])
def test_errors_name_the_path(stubs: SimpleNamespace, fields: dict[str, Any], path: str, reason: str) -> None:
    told = failure(lambda: ask(stubs, **fields))
    assert told.code == "INVALID_ARGUMENT"
    assert told.violations[0] == (path, reason)


def test_a_wrong_text_is_reported_with_its_line(stubs: SimpleNamespace) -> None:
    lines = format_match(MatchRecord.of(match())).splitlines()
    lines[4] = "leader 9"
    told = failure(lambda: ask(stubs, match=None, text="\n".join(lines)))
    assert told.descriptions[0].startswith("line ")


def test_an_error_says_what_a_limit_must_be(stubs: SimpleNamespace) -> None:
    told = failure(lambda: ask(stubs, limits={"memory_bytes": 65_535}))
    assert (told.violations[0][0], told.descriptions[0]) == (
        "limits.memory_bytes",
        "a search must have at least 65536 bytes",
    )


def test_limits_are_capped_with_a_warning() -> None:
    with running_server(max_simulations=30) as server, stubs_of(server.address) as stubs:
        summary = ask(stubs, limits=LONG)[-1].summary
        assert summary.effective_limits.simulations == 30
        assert [(one.field, one.reason) for one in summary.warnings] == [("limits.simulations", "CLAMPED")]
        assert [one.field for one in ask(stubs, priority=9)[-1].summary.warnings] == ["limits.simulations", "priority"]


def test_cancel_frees_the_slots() -> None:
    with running_server() as server, stubs_of(server.address) as stubs:
        call = stubs.analysis.AnalyzeMatch(request(limits=LONG), timeout=TIMEOUT)
        searches = server.server.searches
        wait_until(lambda: searches.busy == 2)
        call.cancel()
        wait_until(lambda: searches.busy == 0)
        assert ask(stubs)[-1].HasField("summary")


def test_whatever_is_more_urgent_goes_first() -> None:
    """With one slot, a move is recommended while a review goes on."""
    with running_server(slots=1) as server, stubs_of(server.address) as stubs:
        with Client(server.address) as client:
            pieces = client.analyze_match(match(), Limits(simulations=30_000))
            first = next(iter(pieces))
            assert first.done_count == 1
            answer = client.recommend(view_message(choice()), Limits(simulations=1000), timeout=TIMEOUT)
            assert answer.analysis.effort.simulations == 1000
            assert first.total_count > 30
            pieces.close()
        wait_until(lambda: server.server.searches.busy == 0)
        assert stubs.call("Analyze", pb.AnalyzeRequest(view=view_message(choice()), limits=FEW)).analysis.final


def test_a_full_queue_refuses_a_review_but_does_not_end_one() -> None:
    with running_server(slots=1, queue_size=0) as server, stubs_of(server.address) as stubs:
        long = pb.AnalyzeRequest(view=view_message(choice()), limits={"time": {"seconds": 30}})
        blocker = stubs.analysis.Analyze.future(long, timeout=TIMEOUT)
        wait_until(lambda: server.server.searches.busy == 1)
        assert failure(lambda: ask(stubs)).reason == "QUEUE_FULL"
        blocker.cancel()
        wait_until(lambda: server.server.searches.busy == 0)
        call = stubs.analysis.AnalyzeMatch(request(limits={"simulations": 4000}), timeout=TIMEOUT)
        assert next(call).done_count == 1
        short = pb.AnalyzeRequest(view=view_message(choice()), limits={"simulations": 20_000})
        for _ in range(30):
            code = stubs.analysis.Analyze.future(short, timeout=TIMEOUT).code()
            assert code in (grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE)
        assert list(call)[-1].HasField("summary")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the threads that read a record."""
    names: list[str] = []
    whole = wire.read_reviewed

    def noted(request: pb.AnalyzeMatchRequest) -> tuple[Subject, list[notice_pb2.Warning]]:
        names.append(threading.current_thread().name)
        return whole(request)

    monkeypatch.setattr(wire, "read_reviewed", noted)
    return names


def test_a_refused_review_is_not_read(read: list[str]) -> None:
    with running_server(slots=1, queue_size=1) as server, stubs_of(server.address) as stubs:
        queue = server.server.searches.queue
        long = pb.AnalyzeRequest(view=view_message(choice()), limits={"time": {"seconds": 30}})
        blockers = [stubs.analysis.Analyze.future(long, timeout=TIMEOUT) for _ in range(2)]
        wait_until(lambda: sum(map(queue.depth, Priority)) == 1)
        times = []
        for _ in range(20):
            started = time.perf_counter()
            told = failure(lambda: ask(stubs))
            times.append(time.perf_counter() - started)
            assert (told.code, told.reason) == ("UNAVAILABLE", "QUEUE_FULL")
        assert min(times) < 0.02  # of those, the one that the machine delayed least
        assert read == []
        for blocker in blockers:
            blocker.cancel()
        wait_until(lambda: queue.busy == 0)
        assert ask(stubs)[-1].HasField("summary")
        assert [name.partition("_")[0] for name in read] == ["search"]


def test_no_more_reviews_of_a_class_are_under_way_than_there_are_slots(read: list[str]) -> None:
    with running_server(slots=1, queue_size=1) as server, stubs_of(server.address) as stubs:
        searches = server.server.searches
        first = stubs.analysis.AnalyzeMatch(request(limits={"time": {"nanos": 200_000_000}}), timeout=TIMEOUT)
        next(first)
        second = stubs.analysis.AnalyzeMatch(request(), timeout=TIMEOUT)
        assert wait_for_refusal(stubs).reason == "QUEUE_FULL"
        assert len(read) == 1
        urgent = stubs.analysis.AnalyzeMatch(request(priority="PRIORITY_ANALYSIS"), timeout=TIMEOUT)
        assert next(urgent).done_count == 1 and len(read) == 2
        urgent.cancel()
        first.cancel()
        assert list(second)[-1].HasField("summary") and len(read) == 3
        wait_until(lambda: searches.busy == 0)


def wait_for_refusal(stubs: SimpleNamespace) -> SimpleNamespace:
    """A review that finds no room to wait; where it came before the one that should take the room, once more."""
    while True:
        found = failure(lambda: ask(stubs, timeout=0.3))
        if found.reason:
            return found


def test_a_review_that_waits_for_others_can_be_cancelled(read: list[str]) -> None:
    with running_server(slots=1) as server, stubs_of(server.address) as stubs:
        calls = [stubs.analysis.AnalyzeMatch(request(limits=LONG), timeout=TIMEOUT) for _ in range(5)]
        wait_until(lambda: server.server.searches.busy == 1 and len(read) == 1)
        for call in calls:
            call.cancel()
        wait_until(lambda: server.server.searches.busy == 0)
        assert ask(stubs)[-1].HasField("summary")


@pytest.mark.parametrize("slots", [2, 3])
def test_a_review_begins_with_one_slot_free(slots: int) -> None:
    """It asks for as many searches as there are slots; those that find no room wait."""
    with running_server(slots=slots, queue_size=0) as server, stubs_of(server.address) as stubs:
        long = pb.AnalyzeRequest(view=view_message(choice()), limits={"time": {"seconds": 30}})
        blockers = [stubs.analysis.Analyze.future(long, timeout=TIMEOUT) for _ in range(slots - 1)]
        wait_until(lambda: server.server.searches.busy == slots - 1)
        assert ask(stubs, match=wire.write_record(match(rounds=1)))[-1].HasField("summary")
        for blocker in blockers:
            blocker.cancel()
        wait_until(lambda: server.server.searches.busy == 0)


def test_a_deadline_ends_it() -> None:
    with running_server() as server, stubs_of(server.address) as stubs:
        told = failure(lambda: ask(stubs, timeout=0.5, limits=LONG))
        assert told.code == "DEADLINE_EXCEEDED"
        assert told.reason in ("UNFINISHED", "")  # no reason where the client's own clock came first
        wait_until(lambda: server.server.searches.busy == 0)


def test_an_interrupted_review_frees_its_trees() -> None:
    """At once: a tree is many megabytes, and the garbage collector may come late."""
    with running_server(slots=1) as server, stubs_of(server.address) as stubs:
        gc.collect()
        gc.disable()
        try:
            for _ in range(2):
                assert failure(lambda: ask(stubs, timeout=0.3, limits=LONG)).code == "DEADLINE_EXCEEDED"
                wait_until(lambda: not any(isinstance(one, Searcher) and one.memory_bytes for one in gc.get_objects()))
        finally:
            gc.enable()


def test_a_review_ended_by_the_shutdown_says_so() -> None:
    server = LoopbackServer(Settings(port=0, slots=2))
    with stubs_of(server.address) as stubs:
        call = stubs.analysis.AnalyzeMatch(request(limits=LONG), timeout=TIMEOUT)
        wait_until(lambda: server.server.searches.busy == 2)
        server.close()
        told = failure(lambda: list(call))
        assert (told.code, told.reason) == ("UNAVAILABLE", "SHUTTING_DOWN")


def test_the_client_takes_every_form_of_a_record(server: LoopbackServer) -> None:
    record = MatchRecord.of(match())
    with Client(server.address) as client:
        forms = (record, format_match(record), match(), wire.write_record(match()))
        summaries = [list(client.analyze_match(form, Limits(simulations=40), seed=1))[-1].summary for form in forms]
        assert all(one.account == summaries[0].account for one in summaries)
        view = sniffai.View.from_text(match()[0].view(0).to_text())
        last = list(client.analyze_match(view, Limits(simulations=40), language_code="ja", priority="analysis"))[-1]
        assert [player.seat for player in last.summary.players] == [0]
        with pytest.raises(ServiceError, match="UNREADABLE"):
            list(client.analyze_match("nothing"))


async def test_the_asynchronous_client_does_the_same(server: LoopbackServer) -> None:
    async with AsyncClient(server.address) as client:
        found = [message async for message in client.analyze_match(match(), Limits(simulations=40), seed=1)]
    with Client(server.address) as client:
        assert found[-1] == list(client.analyze_match(match(), Limits(simulations=40), seed=1))[-1]
