"""One server: its services and interceptors, from start to drain."""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
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
    job_service_pb2,
    job_service_pb2_grpc,
    match_service_pb2,
    match_service_pb2_grpc,
    rules_service_pb2,
    rules_service_pb2_grpc,
)
from sniffai_server.access.auth import Auth
from sniffai_server.access.keys import Keys
from sniffai_server.access.quotas import Quotas
from sniffai_server.access.tls import SecurityError, certificates_of
from sniffai_server.calls.handlers import HEALTH, Chain
from sniffai_server.calls.intake import WINDOW, Holdings, Intake
from sniffai_server.calls.pace import Stalls, hush_hang_ups
from sniffai_server.calls.reader import Reader
from sniffai_server.jobs.jobs import Jobs
from sniffai_server.listening import ListenError, find_place, free_unix
from sniffai_server.load.admission import SlotQueue
from sniffai_server.load.searches import Searches
from sniffai_server.load.warm import warm_up
from sniffai_server.matches.host import Host
from sniffai_server.matches.levels import LevelSeats
from sniffai_server.matches.place import Place
from sniffai_server.matches.store import store_of
from sniffai_server.observe.metrics import Metrics, MetricsPort
from sniffai_server.observe.observer import Observer
from sniffai_server.observe.tracing import Tracing
from sniffai_server.reloads import Reloads
from sniffai_server.services.analysis import AnalysisService
from sniffai_server.services.engine import EngineService
from sniffai_server.services.jobs import JobService
from sniffai_server.services.matches import MatchService
from sniffai_server.services.reflection import add_reflection
from sniffai_server.services.reviews import Reviews
from sniffai_server.services.rules import RulesService
from sniffai_server.services.watches import Watches
from sniffai_server.settings import Settings
from sniffai_server.web import web_of

log = logging.getLogger(__name__)

MATCH_SERVICE: Final = match_service_pb2.DESCRIPTOR.services_by_name["MatchService"].full_name
SERVICES: Final = (
    analysis_service_pb2.DESCRIPTOR.services_by_name["AnalysisService"].full_name,
    rules_service_pb2.DESCRIPTOR.services_by_name["RulesService"].full_name,
    engine_service_pb2.DESCRIPTOR.services_by_name["EngineService"].full_name,
    MATCH_SERVICE,
)
JOB_SERVICE: Final = job_service_pb2.DESCRIPTOR.services_by_name["JobService"].full_name
"""Told of only where jobs are run; elsewhere it refuses every call."""
PLAY_MOVE: Final = f"{MATCH_SERVICE}/PlayMove"
"""Whoever waits for its answer comes before the work for levels and watchers."""
METADATA_BYTES: Final = 8192
"""Maximum size of a call's metadata. gRPC always refuses twice as much, and calls between the two by chance."""
WRITE_BUFFER: Final = 16_384
"""Bytes of an answer that gRPC buffers beyond the client's window."""
LAST_WORD_SECONDS: Final = 0.3
"""Time limit for telling health watches that the server is shutting down."""
CUT_SECONDS: Final = 0.3
"""Time limit for calls to end once they are cut off."""
LAST_STEPS_SECONDS: Final = 0.6
"""Time limit for ending the search threads, the metrics port and the spans."""
STEP_SECONDS: Final = 0.005
"""Seconds between two checks whether the last steps have ended."""
AGE_GRACE_SECONDS: Final = 30.0
"""How much longer than the longest search a call may last on a connection that is too old."""


class Server:
    """A gRPC server, created inside a running event loop. :meth:`start` it, then :meth:`drain` it.

    :param tracing: makes a span for each call; if not given, ``settings.otlp_endpoint`` decides.
    :raises KeysError: the keys file cannot be used.
    :raises SecurityError: a TLS file cannot be used, or other machines could reach the port in plaintext.
    :raises TracingError: ``otlp_endpoint`` is set, but OpenTelemetry is not installed.
    """

    def __init__(self, settings: Settings, tracing: Tracing | None = None) -> None:
        self.settings = settings
        self.searches = Searches(SlotQueue(settings.slots, settings.queue_size, settings.search_memory))
        self.holdings, self.stalls = Holdings.of(settings), Stalls()
        self.jobs = Jobs(settings, self.searches)
        self.metrics = Metrics(self.searches.queue, self.holdings, self.stalls)
        self.metrics_port: MetricsPort | None = None
        self.host = Host(settings, LevelSeats(settings, self.searches), self.metrics)
        self.metrics.watch_matches(lambda: self.host.counts)
        self.metrics.jobs.set_function(lambda: self.jobs.count)
        endpoint = settings.otlp_endpoint
        self._tracing = tracing if tracing or not endpoint else Tracing.to(endpoint)
        self._health = health.HealthServicer()
        self._watches = Watches()
        self._certificates = certificates_of(settings)
        keys = Keys(Path(settings.keys_file), settings) if settings.keys_file else None
        self.reloads = Reloads([files for files in (self._certificates, keys) if files is not None], self.metrics)
        observer, auth = Observer(self.metrics, self._tracing), Auth(settings, keys, Quotas())
        intake = Intake(settings, self.holdings)
        within = {PLAY_MOVE: self.host.background.held_back}
        reader = Reader(intake, settings.write_seconds, self.stalls, within)
        interceptors = [observer, auth, intake, self._watches, reader]
        hush_hang_ups()
        self._grpc = grpc.aio.server(interceptors=[Chain(interceptors)], options=_options(settings))
        self.web = web_of(settings, self._certificates, interceptors)
        self._add_services()

    async def start(self) -> int:
        """Warm up, then listen; returns the port, 0 for a Unix socket.

        :raises ListenError: an address is taken, or this machine does not have it.
        :raises SecurityError: other machines could reach the port in plaintext.
        """
        store = await store_of(Place.of(self.settings), self.metrics.stored)
        await self.host.start(store, lasting=store.lasts)
        port = self._bind()
        await asyncio.to_thread(warm_up)
        await self._grpc.start()
        if self.web is not None:
            self.web.start()
            self.metrics.http_connections.set_function(self.web.count_connections)
        for name in self._services:
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        self.reloads.start()
        return port

    async def drain(self, no_delay: asyncio.Event | None = None, no_grace: asyncio.Event | None = None) -> None:
        """Report NOT_SERVING, refuse new calls, let open calls answer with what they have, and stop.

        It takes ``drain_delay``, at most ``grace_seconds``, and at most 1.2 seconds more, even if something hangs.

        :param no_delay: set to skip the rest of ``drain_delay``.
        :param no_grace: set to skip the rest of ``grace_seconds``.
        """
        no_delay, no_grace = no_delay or asyncio.Event(), no_grace or asyncio.Event()
        self.reloads.close()
        await _ended(self._health.enter_graceful_shutdown(), LAST_WORD_SECONDS)
        await _ended(no_delay.wait(), self.settings.drain_delay)
        stopped = asyncio.ensure_future(self._stop())
        hurried = asyncio.ensure_future(no_grace.wait())
        await asyncio.wait({stopped, hurried}, return_when=asyncio.FIRST_COMPLETED)
        hurried.cancel()
        if not stopped.done():
            log.warning("the grace period is over: open calls are cut off")
            if self.web is not None:
                self.web.cut()
            await _ended(self._grpc.stop(0), CUT_SECONDS)
            stopped.cancel()
        steps = [self.searches.close, self.jobs.close, self.host.close]
        if self.metrics_port is not None:
            steps.append(self.metrics_port.close)
        if self._tracing is not None:
            steps.append(self._tracing.close)
        unfinished = await _all_ended(steps, LAST_STEPS_SECONDS)
        if unfinished:
            log.warning("the shutdown no longer waits for %s", ", ".join(step.__qualname__ for step in unfinished))

    async def _stop(self) -> None:
        """Refuse new calls, and give open calls the grace period."""
        grace = self.settings.grace_seconds
        stops = [self._grpc.stop(grace)]
        if self.web is not None:
            stops.append(self.web.stop(grace))
        stopped = asyncio.gather(*stops)
        self.searches.finish_early()
        self.jobs.finish(grace)
        self.host.finish()
        await self._watches.end()
        await _ended(stopped, grace + CUT_SECONDS)

    def _bind(self) -> int:
        """Bind the ports, including that for metrics."""
        settings = self.settings
        if settings.socket is not None:
            free_unix(settings.socket)
            self._add_port(settings.socket.target, settings.socket.text)
            port = 0
        else:
            place = find_place(settings.host_name, settings.port)
            if self._certificates is None and not settings.insecure and not place.is_local:
                raise SecurityError(
                    f"other machines can reach {settings.host} ({', '.join(place.ips)}),"
                    " so it requires TLS files or --insecure"
                )
            for address in place.addresses:
                self._add_port(address.replace("%", "%25"), address)
            port = place.port
        if self.web is not None:
            self.web.bind()
        if settings.metrics_port is not None:
            self.metrics_port = MetricsPort(self.metrics, settings.metrics_host_name, settings.metrics_port)
        return port

    def _add_port(self, target: str, shown: str) -> None:
        """Make gRPC listen on an address that was free when it was checked.

        :raises ListenError: it cannot.
        """
        try:
            if self._certificates is None:
                self._grpc.add_insecure_port(target)
            else:
                self._grpc.add_secure_port(target, self._certificates.credentials())
        except RuntimeError as error:
            raise ListenError(f"cannot listen on {shown}: gRPC cannot bind it") from error

    def _add_services(self) -> None:
        """Add the services to gRPC, and to HTTP if it is served."""
        settings = self.settings
        reviews = Reviews(settings, self.searches)
        analysis = AnalysisService(settings, self.searches, reviews)
        rules, engine = RulesService(), EngineService(settings)
        matches = MatchService(settings, self.searches, self.host, self.holdings.match_watches, reviews)
        servers: list[Any] = [self._grpc, *([self.web.methods] if self.web is not None else [])]
        for server in servers:
            analysis_service_pb2_grpc.add_AnalysisServiceServicer_to_server(analysis, server)
            rules_service_pb2_grpc.add_RulesServiceServicer_to_server(rules, server)
            engine_service_pb2_grpc.add_EngineServiceServicer_to_server(engine, server)
            match_service_pb2_grpc.add_MatchServiceServicer_to_server(matches, server)
            health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        job_service_pb2_grpc.add_JobServiceServicer_to_server(JobService(self.jobs), self._grpc)
        if settings.reflects:
            add_reflection((*self._services, HEALTH), self._grpc)

    @property
    def _services(self) -> tuple[str, ...]:
        """The services that health and reflection tell of."""
        return (*SERVICES, JOB_SERVICE) if self.settings.jobs else SERVICES


def _options(settings: Settings) -> Sequence[tuple[str, Any]]:
    """The options of the gRPC server."""
    longest = settings.max_seconds + AGE_GRACE_SECONDS
    if settings.jobs:
        longest = max(longest, 2 * settings.job_seconds)  # a job may rest, for as long as it runs in most cases
    seconds = {
        "grpc.keepalive_time_ms": settings.keepalive_seconds,
        "grpc.keepalive_timeout_ms": settings.keepalive_timeout,
        "grpc.http2.ping_timeout_ms": settings.keepalive_timeout,  # otherwise a minute, while nothing else is sent
        "grpc.http2.min_ping_interval_without_data_ms": settings.min_ping_seconds,
        "grpc.server_handshake_timeout_ms": settings.request_seconds,
        "grpc.max_connection_idle_ms": settings.max_idle_seconds,
        "grpc.max_connection_age_ms": settings.max_connection_seconds,
        "grpc.max_connection_age_grace_ms": longest,
    }
    return [
        ("grpc.so_reuseport", 0),  # a second server on the port must fail, not get half of the calls
        ("grpc.max_receive_message_length", settings.max_request_bytes),
        ("grpc.max_allowed_incoming_connections", settings.max_connections),
        ("grpc.max_concurrent_streams", settings.max_streams),
        ("grpc.max_metadata_size", METADATA_BYTES),
        ("grpc.absolute_max_metadata_size", 2 * METADATA_BYTES),
        ("grpc.http2.lookahead_bytes", WINDOW),
        ("grpc.http2.bdp_probe", 0),  # otherwise the window grows with the speed of the connection
        ("grpc.http2.write_buffer_size", WRITE_BUFFER),
        ("grpc.keepalive_permit_without_calls", 1),
        *((name, min(round(value * 1000), 2**31 - 1)) for name, value in seconds.items()),
    ]


async def _ended(work: Awaitable[object], seconds: float) -> None:
    """Wait for some work with a time limit. An error is logged."""
    task = asyncio.ensure_future(work)
    await asyncio.wait({task}, timeout=seconds)
    if not task.done():
        task.cancel()
    elif not task.cancelled() and task.exception() is not None:
        log.error("a step of the shutdown failed; the shutdown goes on", exc_info=task.exception())


async def _all_ended(steps: Sequence[Callable[[], None]], seconds: float) -> list[Callable[[], None]]:
    """Run steps in threads at the same time, with a time limit; returns those that did not end."""
    threads = {step: threading.Thread(target=step, name=step.__qualname__, daemon=True) for step in steps}
    for thread in threads.values():
        thread.start()
    end = time.monotonic() + seconds
    while any(thread.is_alive() for thread in threads.values()) and time.monotonic() < end:
        await asyncio.sleep(STEP_SECONDS)
    return [step for step, thread in threads.items() if thread.is_alive()]
