"""Callers of a class take turns on the slots of a real server, and what is less urgent makes way."""

import time
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from sniffai.v1 import analysis_service_pb2 as pb
from sniffai_server.load.admission import Priority, SlotQueue
from sniffai_server.load.turns import Turn
from tests.server.access.test_security import KeyFile, bearer, keys
from tests.server.services.test_analyze_match import request as review_request
from tests.server.support import TIMEOUT, choice, failure, running_server, stubs_of, view_message
from tests.waiting import wait_until

__all__ = ["keys"]

LONG = {"time": {"seconds": 15}}
SHORT = {"simulations": 2000}


def request(limits: dict[str, Any], **fields: Any) -> pb.AnalyzeRequest:
    return pb.AnalyzeRequest(view=view_message(choice()), limits=limits, **fields)


def of(key: str) -> list[tuple[str, str]]:
    return list(bearer(key).items())


@pytest.fixture
def callers(keys: KeyFile) -> SimpleNamespace:
    return SimpleNamespace(file=str(keys.path), a=of(keys.add("a")), b=of(keys.add("b")))


def test_one_callers_long_searches_do_not_starve_the_others(callers: SimpleNamespace) -> None:
    """Two run and sixty-four wait: what fits into the queue. The other caller is neither refused nor kept waiting."""
    with running_server(keys_file=callers.file) as server, stubs_of(server.address) as stubs:
        searches = server.server.searches
        ask = stubs.analysis.Analyze
        calls = [ask.future(request(LONG), metadata=callers.a, timeout=TIMEOUT) for _ in range(66)]
        wait_until(lambda: searches.busy == 2 and searches.queue.depth(Priority.ANALYSIS) == 64)
        started = time.monotonic()
        for _ in range(3):
            assert ask(request(SHORT), metadata=callers.b, timeout=TIMEOUT).analysis.effort.simulations == 2000
        assert time.monotonic() - started < 5
        refused = [call for call in calls if call.done()]
        assert 1 <= len(refused) <= 3
        for call in refused:
            assert failure(call.result).metadata == {"displaced": "true"}
        for call in calls:
            call.cancel()
        wait_until(lambda: searches.busy == 0)
    assert (searches.queue.reserved, searches.queue.paused) == (0, 0)


def test_a_long_bulk_review_makes_way_for_an_interactive_search(callers: SimpleNamespace) -> None:
    with running_server(slots=1, keys_file=callers.file) as server, stubs_of(server.address) as stubs:
        searches = server.server.searches
        review = stubs.analysis.AnalyzeMatch(review_request(limits=LONG), metadata=callers.a, timeout=TIMEOUT)
        wait_until(lambda: searches.busy == 1)
        started = time.monotonic()
        for _ in range(5):
            answer = stubs.analysis.RecommendMove(
                pb.RecommendMoveRequest(view=view_message(choice()), limits=SHORT), metadata=callers.b, timeout=TIMEOUT
            )
            assert answer.analysis.effort.simulations == 2000
        assert time.monotonic() - started < 3
        assert review.is_active()
        review.cancel()
        wait_until(lambda: searches.busy == 0)


def test_answers_do_not_depend_on_turns(callers: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches of two callers hand one slot over again and again; their answers are that of one alone."""
    limits = {"simulations": 400_000}
    paused, hand_over = list[int](), SlotQueue.hand_over

    def counted(queue: SlotQueue, turn: Turn, kept: int) -> None:
        hand_over(queue, turn, kept)
        paused.append(queue.paused)

    monkeypatch.setattr(SlotQueue, "hand_over", counted)
    with running_server(slots=1, keys_file=callers.file) as server, stubs_of(server.address) as stubs:
        queue, ask = server.server.searches.queue, stubs.analysis.Analyze
        first = ask.future(request(LONG, priority="PRIORITY_INTERACTIVE"), metadata=callers.a, timeout=TIMEOUT)
        wait_until(lambda: queue.busy == 1)
        found = [ask.future(request(limits, seed=7), metadata=key, timeout=TIMEOUT) for key in (callers.a, callers.b)]
        wait_until(lambda: queue.depth(Priority.ANALYSIS) == 2)
        first.cancel()  # now both want the slot, however late either of them was sent
        answers = [one.result().SerializeToString() for one in found]
        assert sum(paused) >= 2
        alone = ask(request(limits, seed=7), metadata=callers.a, timeout=TIMEOUT)
        assert alone.analysis.deterministic and not queue.paused
    assert answers == [alone.SerializeToString()] * 2


@pytest.mark.usefixtures("much_for_the_answer")
def test_a_deadline_in_a_pause_is_kept(callers: SimpleNamespace) -> None:
    """A bulk search that made way answers before its deadline with what it had, though it got no slot again."""
    with running_server(slots=1, keys_file=callers.file) as server, stubs_of(server.address) as stubs:
        queue = server.server.searches.queue
        bulk = stubs.analysis.Analyze.future(request(LONG, priority="PRIORITY_BULK"), metadata=callers.a, timeout=2.0)
        wait_until(lambda: queue.busy == 1)
        time.sleep(0.2)
        urgent = stubs.analysis.Analyze.future(
            request(LONG, priority="PRIORITY_INTERACTIVE"), metadata=callers.b, timeout=TIMEOUT
        )
        wait_until(lambda: queue.paused == 1)
        assert bulk.result().analysis.effort.simulations > 0
        assert not urgent.done()
        urgent.cancel()
        wait_until(lambda: queue.busy == 0)


@pytest.mark.parametrize("how", ["cancel", "drain"])
def test_a_paused_search_ends_with_its_call_and_with_the_server(callers: SimpleNamespace, how: str) -> None:
    with running_server(slots=1, keys_file=callers.file) as server, stubs_of(server.address) as stubs:
        queue = server.server.searches.queue
        bulk = stubs.analysis.Analyze.future(
            request(LONG, priority="PRIORITY_BULK"), metadata=callers.a, timeout=TIMEOUT
        )
        wait_until(lambda: queue.busy == 1)
        urgent = stubs.analysis.Analyze.future(
            request(LONG, priority="PRIORITY_INTERACTIVE"), metadata=callers.b, timeout=TIMEOUT
        )
        wait_until(lambda: queue.paused == 1)
        if how == "cancel":
            bulk.cancel()
            wait_until(lambda: queue.paused == 0)
            urgent.cancel()
            wait_until(lambda: queue.busy == 0 and queue.reserved == 0)
        else:
            server.call(server.server.drain())
            assert {bulk.code(), urgent.code()} == {grpc.StatusCode.OK}
