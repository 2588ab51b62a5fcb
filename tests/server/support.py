"""A real server on a loopback port for the tests, calls to it, and the positions that they ask about."""

import asyncio
import contextlib
import itertools
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from google.protobuf import json_format
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, QuotaFailure, RetryInfo
from grpc_status import rpc_status

from sniffai.v1 import (
    analysis_service_pb2,
    analysis_service_pb2_grpc,
    engine_service_pb2_grpc,
    match_service_pb2_grpc,
    rules_service_pb2,
    rules_service_pb2_grpc,
    view_pb2,
)
from sniffai_server.app import Server
from sniffai_server.load import budget
from sniffai_server.settings import Settings
from tests.waiting import TIMEOUT, wait_until

DATA = Path(__file__).parent.parent / "data"


class LoopbackServer:
    """A server in a thread with an event loop of its own."""

    def __init__(self, settings: Settings) -> None:
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop = self._runner.get_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self.server, port = self.call(self._start(settings))
        self.address = f"127.0.0.1:{port}"

    def _run(self) -> None:
        with self._runner:  # which ends the calls that are still answered
            self._loop.run_forever()

    async def _start(self, settings: Settings) -> tuple[Server, int]:
        server = Server(settings)
        return server, await server.start()

    def call(self, coroutine: Any) -> Any:
        """Run a coroutine on the server's loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(TIMEOUT)

    def soon(self, call: Callable[[], Any]) -> None:
        """Have the server's loop call a function, which holds it up for as long as it takes."""
        self._loop.call_soon_threadsafe(call)

    def close(self) -> None:
        self.call(self.server.drain())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(TIMEOUT)


@pytest.fixture
def much_for_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers in this process keep half of a call's time to send the answer.

    The twentieth that they keep otherwise is too little here: now and then the process stops for a tenth of a second
    and more, while Python looks for garbage among all that the tests have made.
    """
    monkeypatch.setattr(budget, "MARGIN_SHARE", 0.5)


@contextlib.contextmanager
def running_server(**settings: Any) -> Iterator[LoopbackServer]:
    server = LoopbackServer(Settings(**{"port": 0, "slots": 2, "matches_database": "memory", **settings}))
    try:
        yield server
    finally:
        server.close()


@contextlib.contextmanager
def stubs_of(address: str) -> Iterator[SimpleNamespace]:
    """The services' stubs, a call of AnalysisService by name, and the channel."""
    with grpc.insecure_channel(address) as channel:
        analysis = analysis_service_pb2_grpc.AnalysisServiceStub(channel)

        def call(method: str, request: Any, timeout: float = TIMEOUT) -> Any:
            """The answer; of a stream all of them."""
            answer = getattr(analysis, method)(request, timeout=timeout)
            return list(answer) if method.startswith("Stream") else answer

        yield SimpleNamespace(
            channel=channel,
            call=call,
            analysis=analysis,
            rules=rules_service_pb2_grpc.RulesServiceStub(channel),
            engine=engine_service_pb2_grpc.EngineServiceStub(channel),
            matches=match_service_pb2_grpc.MatchServiceStub(channel),
        )


def read_again(server: LoopbackServer) -> None:
    """Let a server read its TLS files again, and wait until it has, whatever came of it."""
    registry = server.server.metrics.registry

    def count() -> float:
        labels = [{"file": "tls", "result": result} for result in ("ok", "failed")]
        return sum(registry.get_sample_value("sniffai_reloads_total", label) or 0 for label in labels)

    before = count()
    server.server.reloads.force()
    wait_until(lambda: count() > before)


def view_message(value: dict[str, Any]) -> view_pb2.PlayerView:
    return json_format.ParseDict(value, view_pb2.PlayerView())


def failure(call: Callable[[], Any]) -> SimpleNamespace:
    """What a call that must fail tells: code, message, reason, details and trailing metadata."""
    try:
        call()
    except grpc.RpcError as error:
        return told(error)
    raise AssertionError("the call succeeded")


def told(error: Any) -> SimpleNamespace:
    result = SimpleNamespace(code=error.code().name, message=error.details(), reason="", domain="", metadata={})
    result.violations, result.descriptions, result.quotas, result.retry_after = [], [], [], None
    result.trailers = dict(error.trailing_metadata() or ())
    status = rpc_status.from_call(error)
    for detail in status.details if status else ():
        info, bad, quota, retry = ErrorInfo(), BadRequest(), QuotaFailure(), RetryInfo()
        if detail.Unpack(info):
            result.reason, result.domain, result.metadata = info.reason, info.domain, dict(info.metadata)
        elif detail.Unpack(bad):
            result.violations += [(violation.field, violation.reason) for violation in bad.field_violations]
            result.descriptions += [violation.description for violation in bad.field_violations]
        elif detail.Unpack(quota):
            result.quotas += [(violation.subject, violation.description) for violation in quota.violations]
        elif detail.Unpack(retry):
            result.retry_after = retry.retry_delay.ToTimedelta().total_seconds()
    return result


def recommend(stubs: SimpleNamespace, view: view_pb2.PlayerView, timeout: float = TIMEOUT, **fields: Any) -> Any:
    request = analysis_service_pb2.RecommendMoveRequest(view=view, **fields)
    return stubs.analysis.RecommendMove(request, timeout=timeout)


def deal(stubs: SimpleNamespace, players: int, seed: int = 1) -> rules_service_pb2.DealRoundResponse:
    return stubs.rules.DealRound(rules_service_pb2.DealRoundRequest(players=players, seed=seed), timeout=TIMEOUT)


def lines(name: str, count: int | None = None) -> list[dict[str, Any]]:
    """The first ``count`` lines of a file of JSON lines in tests/data."""
    with open(DATA / name, encoding="utf-8") as file:
        return [json.loads(line) for line, _ in zip(file, range(10**9 if count is None else count), strict=False)]


def line(name: str, index: int) -> dict[str, Any]:
    """One line of such a file."""
    with open(DATA / name, encoding="utf-8") as file:
        found: dict[str, Any] = json.loads(next(itertools.islice(file, index, None)))
        return found


def story() -> dict[str, Any]:
    """Seat 0 of 2 led 6|6; seat 1 drew two tiles and played the second; seat 0 has one legal move, 5|6."""
    return {
        "players": 2,
        "seat": 0,
        "scores": [0, 0],
        "hand": ["6|6", "5|6", "0|1", "0|2", "1|2", "0|0", "1|1"],
        "record": {
            "leader": 0,
            "events": [
                {"seat": 0, "play": {"tile": "6|6"}},
                {"seat": 1, "draw": {"count": 2}},
                {"seat": 1, "play": {"tile": "4|6", "at": "6|6:LINE_A"}},
            ],
        },
    }


def choice() -> dict[str, Any]:
    """Seat 0 of 2 to lead: seven moves to choose from."""
    return {
        "players": 2,
        "seat": 0,
        "scores": [120, 85],
        "hand": ["6|6", "5|6", "0|1", "0|2", "1|2", "0|0", "1|4"],
        "record": {"leader": 0},
    }


def snapshot() -> dict[str, Any]:
    """The table of :func:`story`, without its history."""
    return {
        "players": 2,
        "seat": 0,
        "scores": [0, 0],
        "hand": ["5|6", "0|1", "0|2", "1|2", "0|0", "1|1"],
        "snapshot": {
            "placements": [{"tile": "6|6"}, {"tile": "4|6", "at": "6|6:LINE_A"}],
            "hand_sizes": [6, 8],
            "talon_size": 12,
            "voids": [{"seat": 1, "suits": [3]}],
        },
    }


def vector_view(value: dict[str, Any]) -> view_pb2.PlayerView:
    """The message of a line of beliefs.jsonl."""
    events = []
    for event in value["events"]:
        if "play" in event:
            what = {"play": {"tile": event["play"], "at": event["at"] or "", "points": event["points"]}}
        elif "draw" in event:
            what = {"draw": {"count": event["draw"], "tiles": event.get("tiles", [])}}
        else:
            what = {"pass": {}}
        events.append({"seat": event["seat"], **what})
    return view_message(
        {
            "players": value["players"],
            "seat": value["seat"],
            "hand": value["deal"],
            "record": {"leader": value["leader"], "events": events},
        }
    )
