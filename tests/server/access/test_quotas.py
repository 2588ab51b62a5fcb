"""What one client may ask for: first the accounts by themselves, then through a server."""

import time
from types import SimpleNamespace
from typing import Any

import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from sniffai.v1 import analysis_service_pb2, engine_service_pb2
from sniffai_server.access import quotas as quotas_module
from sniffai_server.access.quotas import Quotas
from sniffai_server.calls.callers import Caller
from sniffai_server.calls.refusals import QuotaError
from tests.server.support import TIMEOUT, choice, failure, running_server, stubs_of, view_message
from tests.waiting import wait_until


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def begin(quotas: Quotas, caller: Caller) -> None:
    with quotas.call(caller):
        pass


def test_calls_at_the_same_time() -> None:
    quotas, caller = Quotas(), Caller("a", calls=2)
    with quotas.call(caller):
        with quotas.call(caller):
            with pytest.raises(QuotaError) as refused, quotas.call(caller):
                pass
            begin(quotas, Caller("b", calls=2))
        begin(quotas, caller)
    assert (refused.value.client, refused.value.reason, refused.value.limit) == (
        "a",
        "TOO_MANY_CALLS",
        "2 calls at the same time",
    )
    assert refused.value.retry_after > 0


def test_a_failed_call_is_closed_too() -> None:
    quotas, caller = Quotas(), Caller("a", calls=1)
    for _ in range(3):
        with pytest.raises(KeyError), quotas.call(caller):
            raise KeyError


def test_calls_a_minute() -> None:
    clock = Clock()
    quotas, caller = Quotas(clock), Caller("a", rate=6)
    for _ in range(6):
        begin(quotas, caller)
    with pytest.raises(QuotaError) as refused:
        begin(quotas, caller)
    assert (refused.value.reason, refused.value.limit) == ("TOO_MANY_CALLS_A_MINUTE", "6 calls a minute")
    assert refused.value.retry_after == pytest.approx(10)
    clock.now += refused.value.retry_after - 0.1
    with pytest.raises(QuotaError):
        begin(quotas, caller)
    clock.now += 0.2
    begin(quotas, caller)
    with pytest.raises(QuotaError):
        begin(quotas, caller)


def test_refused_calls_cost_nothing_and_unused_quota_lasts_a_minute() -> None:
    clock = Clock()
    quotas, caller = Quotas(clock), Caller("a", rate=3)
    clock.now += 1e6
    for _ in range(3):
        begin(quotas, caller)
    for _ in range(100):
        with pytest.raises(QuotaError):
            begin(quotas, caller)
    clock.now += 20
    begin(quotas, caller)


def test_no_quota() -> None:
    quotas = Quotas(Clock())
    for _ in range(1000):
        begin(quotas, Caller("a"))
    assert len(quotas) == 0


def test_clients_with_their_whole_quota_left_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quotas_module, "SWEEP_AT", 10)
    clock = Clock()
    quotas = Quotas(clock)
    with quotas.call(Caller("open", calls=1, rate=1)):
        for number in range(1000):
            clock.now += 10
            begin(quotas, Caller(f"address {number}", rate=1))
        assert len(quotas) < 30
        with pytest.raises(QuotaError):
            begin(quotas, Caller("open", calls=1, rate=1))


def info(stubs: SimpleNamespace) -> Any:
    return stubs.engine.GetEngineInfo(engine_service_pb2.GetEngineInfoRequest(), timeout=TIMEOUT)


def test_rate_of_a_server() -> None:
    with running_server(client_rate=3) as server, stubs_of(server.address) as stubs:
        for _ in range(3):
            info(stubs)
        error = failure(lambda: info(stubs))
        health = health_pb2_grpc.HealthStub(stubs.channel)
        assert health.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT).status == 1
    assert (error.code, error.reason, error.domain) == ("RESOURCE_EXHAUSTED", "TOO_MANY_CALLS_A_MINUTE", "sniffai")
    assert error.quotas == [("client:127.0.0.1", "the quota is 3 calls a minute")]
    assert 0 < error.retry_after <= 20
    assert error.metadata == {"client": "127.0.0.1", "limit": "3 calls a minute"}
    assert "grpc-retry-pushback-ms" not in error.trailers


def test_open_calls_of_a_server() -> None:
    """A cancelled call is no longer open."""
    request = analysis_service_pb2.AnalyzeRequest(view=view_message(choice()), limits={"time": {"seconds": 15}})
    with running_server(client_calls=1) as server, stubs_of(server.address) as stubs:
        for _ in range(3):
            call = stubs.analysis.Analyze.future(request, timeout=TIMEOUT)
            wait_until(lambda: server.server.searches.busy == 1)
            assert failure(lambda: info(stubs)).reason == "TOO_MANY_CALLS"
            call.cancel()
            wait_until(lambda: server.server.searches.busy == 0)
            time.sleep(0.05)
