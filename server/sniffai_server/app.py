"""One server: its services wired together, from start to drain."""

import asyncio
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import aio as health

from sniffai.v1 import (
    analysis_service_pb2,
    analysis_service_pb2_grpc,
    engine_service_pb2,
    engine_service_pb2_grpc,
    rules_service_pb2,
    rules_service_pb2_grpc,
)
from sniffai.version import VERSION
from sniffai_server.admission import SlotQueue
from sniffai_server.analysis_service import AnalysisService
from sniffai_server.auth import Auth
from sniffai_server.engine_service import EngineService
from sniffai_server.guard import Guard
from sniffai_server.handlers import HEALTH
from sniffai_server.keys import Keys
from sniffai_server.metrics import Metrics, MetricsPort
from sniffai_server.observer import Observer
from sniffai_server.quotas import Quotas
from sniffai_server.reflection import add_reflection
from sniffai_server.rules_service import RulesService
from sniffai_server.searches import Searches
from sniffai_server.settings import Settings, join_address
from sniffai_server.tls import server_credentials
from sniffai_server.tracing import Tracing
from sniffai_server.warm import warm_up
from sniffai_server.watches import Watches

SERVICES: Final = (
    analysis_service_pb2.DESCRIPTOR.services_by_name["AnalysisService"].full_name,
    rules_service_pb2.DESCRIPTOR.services_by_name["RulesService"].full_name,
    engine_service_pb2.DESCRIPTOR.services_by_name["EngineService"].full_name,
)
STREAMS: Final = 1000
"""Calls that one connection may have open; a client with more waits on its own side."""
LAST_WORD_SECONDS: Final = 1.0
"""How long at most it may take to tell all who watch the health that the server goes down."""
AGE_GRACE_SECONDS: Final = 30.0
"""How much longer than the longest search a call may go on over a connection that is too old."""


class ListenError(Exception):
    """The address cannot be listened on: it is taken, or not this machine's."""


class Server:
    """A gRPC server, made inside a running event loop. :meth:`start` it, then :meth:`drain` it.

    :param tracing: makes a span of each call; where it is not given, ``settings.otlp_endpoint`` decides.
    :raises KeysError: the file of API keys cannot be used.
    :raises TracingError: there is an ``otlp_endpoint``, but no OpenTelemetry.
    """

    def __init__(self, settings: Settings, tracing: Tracing | None = None) -> None:
        self.settings = settings
        self.searches = Searches(SlotQueue(settings.slots, settings.queue_size, settings.search_memory))
        self.metrics = Metrics(self.searches.queue)
        self.metrics_port: MetricsPort | None = None
        endpoint = settings.otlp_endpoint
        self._tracing = tracing if tracing or not endpoint else Tracing.to(endpoint)
        self._health = health.HealthServicer()
        self._watches = Watches()
        keys = Keys(Path(settings.keys_file), settings) if settings.keys_file else None
        observer, auth = Observer(self.metrics, self._tracing), Auth(settings, keys, Quotas())
        interceptors = [observer, auth, self._watches, Guard()]
        self._grpc = grpc.aio.server(interceptors=interceptors, options=_options(settings))
        self._add_services()

    async def start(self) -> int:
        """Warm up, then listen; returns the port.

        :raises ListenError: an address is taken, or not this machine's.
        :raises SecurityError: a TLS file cannot be used, or plaintext would be open to other machines.
        """
        port = self._bind()
        await asyncio.to_thread(warm_up)
        await self._grpc.start()
        for name in SERVICES:
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        return port

    async def drain(self) -> None:
        """Say NOT_SERVING, take no new calls, let those in flight answer with what they have, and stop."""
        told = asyncio.ensure_future(self._health.enter_graceful_shutdown())
        await asyncio.wait({told}, timeout=LAST_WORD_SECONDS)
        told.cancel()
        await asyncio.sleep(self.settings.drain_delay)
        stopped = asyncio.ensure_future(self._grpc.stop(self.settings.grace_seconds))
        self.searches.finish_early()
        await self._watches.end()
        await stopped
        self.searches.close()
        if self.metrics_port is not None:
            await asyncio.to_thread(self.metrics_port.close)
        if self._tracing is not None:
            await asyncio.to_thread(self._tracing.close)

    def _bind(self) -> int:
        """Take the ports, metrics included."""
        settings, credentials = self.settings, server_credentials(self.settings)
        try:
            if credentials is None:
                port = self._grpc.add_insecure_port(settings.address)
            else:
                port = self._grpc.add_secure_port(settings.address, credentials)
        except RuntimeError as error:
            raise ListenError(f"cannot listen on {settings.address}") from error
        if settings.metrics_port is not None:
            try:
                self.metrics_port = MetricsPort(self.metrics, settings.metrics_host, settings.metrics_port)
            except OSError as error:
                address = join_address(settings.metrics_host, settings.metrics_port)
                raise ListenError(f"cannot serve metrics on {address}") from error
        return port

    def _add_services(self) -> None:
        analysis = AnalysisService(self.settings, self.searches)
        analysis_service_pb2_grpc.add_AnalysisServiceServicer_to_server(analysis, self._grpc)
        rules_service_pb2_grpc.add_RulesServiceServicer_to_server(RulesService(), self._grpc)
        engine_service_pb2_grpc.add_EngineServiceServicer_to_server(EngineService(self.settings), self._grpc)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._grpc)
        if self.settings.reflects:
            add_reflection((*SERVICES, HEALTH), self._grpc)


def _options(settings: Settings) -> Sequence[tuple[str, Any]]:
    """The options of gRPC's own machinery."""
    longest = settings.max_seconds + AGE_GRACE_SECONDS
    seconds = {
        "grpc.keepalive_time_ms": settings.keepalive_seconds,
        "grpc.keepalive_timeout_ms": settings.keepalive_timeout,
        "grpc.http2.ping_timeout_ms": settings.keepalive_timeout,  # else a minute, while nothing else is sent
        "grpc.http2.min_recv_ping_interval_without_data_ms": settings.min_ping_seconds,
        "grpc.max_connection_age_ms": settings.max_connection_seconds,
        "grpc.max_connection_age_grace_ms": longest,
    }
    return [
        ("grpc.so_reuseport", 0),  # a second server on the port must fail, not take half of the calls
        ("grpc.max_receive_message_length", settings.max_request_bytes),
        ("grpc.max_concurrent_streams", STREAMS),
        ("grpc.keepalive_permit_without_calls", 1),
        *((name, min(round(value * 1000), 2**31 - 1)) for name, value in seconds.items()),
    ]


async def serve(settings: Settings) -> None:
    """Run a server until SIGTERM or SIGINT, then drain it.

    :raises ListenError: its address cannot be listened on.
    :raises SecurityError: its port cannot be secured as the settings say.
    :raises KeysError: its file of API keys cannot be used.
    :raises TracingError: there is an ``otlp_endpoint``, but no OpenTelemetry.
    """
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    server = Server(settings)
    port = await server.start()
    print(f"sniffai-server {VERSION} listening on {replace(settings, port=port).address}", flush=True)
    await stop.wait()
    await server.drain()
