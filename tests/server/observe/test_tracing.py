"""OpenTelemetry: one span a call, whatever its end."""

import asyncio
import sys
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from sniffai.v1 import analysis_service_pb2, rules_service_pb2
from sniffai_server.app import Server
from sniffai_server.observe.tracing import Tracing, TracingError
from sniffai_server.services import rules as rules_service
from sniffai_server.settings import Settings
from tests.server.support import TIMEOUT, LoopbackServer, choice, failure, recommend, story, stubs_of, view_message
from tests.waiting import wait_until


class TracedServer(LoopbackServer):
    """A server whose spans stay in memory."""

    def __init__(self, settings: Settings) -> None:
        self.exporter = InMemorySpanExporter()
        super().__init__(settings)

    async def _start(self, settings: Settings) -> tuple[Server, int]:
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        server = Server(settings, Tracing(provider))
        return server, await server.start()


@pytest.fixture
def traced() -> Iterator[SimpleNamespace]:
    server = TracedServer(Settings(port=0, slots=1))
    with stubs_of(server.address) as stubs:
        yield SimpleNamespace(stubs=stubs, exporter=server.exporter)
    server.close()


def span(traced: SimpleNamespace) -> Any:
    """The only span, once it is there."""
    wait_until(traced.exporter.get_finished_spans)
    (found,) = traced.exporter.get_finished_spans()
    return found


def test_an_answered_call(traced: SimpleNamespace) -> None:
    recommend(traced.stubs, view_message(choice()), limits={"simulations": 300})
    found = span(traced)
    assert (found.name, found.kind) == ("sniffai.v1.AnalysisService/RecommendMove", SpanKind.SERVER)
    attributes = dict(found.attributes)
    assert attributes["rpc.system"] == "grpc"
    assert attributes["rpc.service"] == "sniffai.v1.AnalysisService"
    assert attributes["rpc.method"] == "RecommendMove"
    assert attributes["rpc.grpc.status_code"] == 0
    assert attributes["sniffai.simulations"] == 300
    assert attributes["sniffai.stop_reason"] == "simulations"
    assert found.status.status_code == StatusCode.UNSET
    assert found.parent is None


def test_the_clients_span_is_the_parent(traced: SimpleNamespace) -> None:
    trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    request = rules_service_pb2.ListLegalMovesRequest(view=view_message(story()))
    metadata = (("traceparent", f"00-{trace}-{parent}-01"),)
    traced.stubs.rules.ListLegalMoves(request, timeout=TIMEOUT, metadata=metadata)
    found = span(traced)
    assert f"{found.context.trace_id:032x}" == trace
    assert f"{found.parent.span_id:016x}" == parent


def test_a_refused_call(traced: SimpleNamespace) -> None:
    failure(lambda: recommend(traced.stubs, view_message(story() | {"hand": ["9|9"]})))
    found = span(traced)
    assert found.attributes["rpc.grpc.status_code"] == 3
    assert found.attributes["sniffai.reason"] == "UNKNOWN_TILE"
    assert found.status.status_code == StatusCode.UNSET
    assert "9|9" not in found.to_json()


def test_a_cancelled_call_ends_its_span(traced: SimpleNamespace) -> None:
    request = analysis_service_pb2.AnalyzeRequest(view=view_message(choice()), limits={"time": {"seconds": 15}})
    call = traced.stubs.analysis.Analyze.future(request, timeout=TIMEOUT)
    time.sleep(0.2)
    call.cancel()
    assert span(traced).attributes["rpc.grpc.status_code"] == 1


def test_a_fault_of_the_server(traced: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(view: object) -> None:
        raise ValueError("secret")

    monkeypatch.setattr(rules_service, "Belief", fail)
    request = rules_service_pb2.ValidateViewRequest(view=view_message(story()))
    failure(lambda: traced.stubs.rules.ValidateView(request, timeout=TIMEOUT))
    found = span(traced)
    assert (found.attributes["rpc.grpc.status_code"], found.status.status_code) == (13, StatusCode.ERROR)
    assert "secret" not in found.to_json()


def test_an_endpoint_without_opentelemetry(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("opentelemetry")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(TracingError, match=r"pip install 'sniffai\[otel\]'"):
        Tracing.to("http://127.0.0.1:4317")


async def test_spans_go_to_a_collector() -> None:
    """A collector that is not there holds neither the calls nor, for long, the end of the server."""
    server = Server(Settings(port=0, slots=1, otlp_endpoint="http://127.0.0.1:1"))
    port = await server.start()
    with stubs_of(f"127.0.0.1:{port}") as stubs:
        request = rules_service_pb2.ListLegalMovesRequest(view=view_message(story()))
        assert (await asyncio.to_thread(stubs.rules.ListLegalMoves, request, timeout=TIMEOUT)).moves
    started = time.monotonic()
    await server.drain()
    assert time.monotonic() - started < 10
