"""Prometheus metrics of one server, and the port that serves them."""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from typing import Final
from wsgiref.simple_server import WSGIServer

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    ProcessCollector,
    start_http_server,
)
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from sniffai.addresses import join_address
from sniffai.play.match_log import MatchState, StepKind
from sniffai.search.analysis import Analysis
from sniffai.version import VERSION
from sniffai_server.calls.callers import Priority
from sniffai_server.calls.current import Call, stop_reason_of
from sniffai_server.calls.holdings import Holding
from sniffai_server.calls.intake import Holdings
from sniffai_server.calls.pace import Stalls
from sniffai_server.listening import ListenError, find_place, reason_of
from sniffai_server.load.admission import SlotQueue
from sniffai_server.observe.logs import lost_lines

SECONDS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60)
SPEEDS: Final = (1e3, 3e3, 1e4, 3e4, 1e5, 2e5, 3e5, 5e5, 1e6)
BYTES: Final = tuple(float(1 << power) for power in range(16, 31, 2))

log = logging.getLogger(__name__)


class Metrics:
    """The metrics of one server; servers share nothing.

    :param queue: its depth, slots and memory are reported.
    :param holdings: the resources that callers occupy, which are reported.
    :param stalls: the writes that wait for their clients, which are reported.
    """

    def __init__(self, queue: SlotQueue, holdings: Holdings, stalls: Stalls) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        self._calls = self._counter("requests", "Finished calls", "method", "code")
        self._open = self._gauge("requests_in_flight", "Calls in progress", "method")
        self._seconds = self._histogram("request_duration_seconds", "Duration of a call", SECONDS, "method")
        self._refused = self._counter("rejected", "Failed calls, by the reason that the client got", "reason")
        self._waits = self._histogram("queue_wait_seconds", "Time that a search waited for a slot", SECONDS, "priority")
        self._stops = self._counter("searches", "Finished searches, by what ended them", "stop_reason")
        self._simulations = self._counter("simulations", "Simulations done")
        self._speeds = self._histogram("search_simulations_per_second", "Speed of a search", SPEEDS)
        self._search_seconds = self._histogram("search_duration_seconds", "Time that a search held its slot", SECONDS)
        self._trees = self._histogram("tree_bytes", "Size of a search's tree at its end", BYTES)
        self._gauge("build_info", "The version, in a label", "version").labels(VERSION).set(1)
        self.http_connections = self._gauge("http_connections", "Connections of HTTP clients")
        """Set by the server that serves HTTP."""
        self.jobs = self._gauge("jobs", "Jobs that have a process")
        """Set by the server."""
        self._reloads = self._counter("reloads", "Attempts to read a file again", "file", "result")
        self._steps = self._counter("match_steps", "Steps of hosted matches that were stored", "kind", "by")
        self._stored = self._histogram("match_store_seconds", "Time until a change of a match was stored", SECONDS)
        self.registry.register(_LostLines())
        self._tell(queue)
        self._tell_held(holdings, stalls)

    @contextmanager
    def open_call(self, method: str) -> Iterator[None]:
        """Count a call as open."""
        gauge = self._open.labels(method)
        with gauge.track_inprogress():
            yield

    def ended(self, call: Call, code: str, seconds: float) -> None:
        """Count a call that ended."""
        self._calls.labels(call.method, code).inc()
        self._seconds.labels(call.method).observe(seconds)
        if call.reason:
            self._refused.labels(call.reason).inc()
        if call.queue_wait is not None and call.priority is not None:
            self._waits.labels(call.priority.name.lower()).observe(call.queue_wait)
        for analysis in call.searched:
            self._searched(analysis, stop_reason_of(analysis, code))

    def watch_reloads(self, file: str) -> None:
        """Start the counters of a file at 0."""
        for result in ("ok", "failed"):
            self._reloads.labels(file, result)

    def reloaded(self, file: str, result: str) -> None:
        """Count a file that was read again: ``"ok"``, or ``"failed"`` if it could not be used."""
        self._reloads.labels(file, result).inc()

    def watch_matches(self, counts: Callable[[], Mapping[str, int]]) -> None:
        """Add gauges of the hosted matches by state.

        :param counts: how many there are, as of a few seconds ago.
        """
        matches = self._gauge("matches", "Hosted matches", "state")
        for state in MatchState:
            matches.labels(state.value).set_function(partial(_count, counts, state.value))

    def stepped(self, kind: StepKind, by: str) -> None:
        """Count a step of a match that was stored."""
        self._steps.labels(kind.value, by).inc()

    def stored(self, seconds: float) -> None:
        """Count a change of a match that was stored."""
        self._stored.observe(seconds)

    def level_searched(self, call: Call) -> None:
        """Count the search for a level of a match, which belongs to no call."""
        if call.queue_wait is not None and call.priority is not None:
            self._waits.labels(call.priority.name.lower()).observe(call.queue_wait)
        for analysis in call.searched:
            self._searched(analysis, stop_reason_of(analysis, "OK"))

    def _searched(self, analysis: Analysis, stop: str) -> None:
        effort = analysis.effort
        self._stops.labels(stop).inc()
        self._simulations.inc(effort.simulations)
        self._search_seconds.observe(effort.seconds)
        if effort.simulations and effort.seconds > 0:
            self._speeds.observe(effort.simulations / effort.seconds)
            self._trees.observe(effort.memory_bytes)

    def _tell(self, queue: SlotQueue) -> None:
        """Add gauges that read the queue when they are scraped."""
        depth = self._gauge("queue_depth", "Searches that wait for a slot", "priority")
        for priority in Priority:
            depth.labels(priority.name.lower()).set_function(partial(queue.depth, priority))
        callers = self._gauge("queue_callers", "Callers with searches that wait for a slot", "priority")
        for priority in Priority:
            callers.labels(priority.name.lower()).set_function(partial(queue.callers, priority))
        self._gauge("queue_size", "Searches that may wait for a slot").set(queue.size)
        self._gauge("slots", "Searches that may run at the same time").set(queue.slots)
        self._gauge("slots_busy", "Running searches").set_function(lambda: queue.busy)
        self._gauge("slots_of_one_caller", "Slots of the caller that holds most").set_function(lambda: queue.most_slots)
        self._gauge("searches_paused", "Searches that are paused and wait to continue").set_function(
            lambda: queue.paused
        )
        self._gauge("tree_reserved_bytes", "Memory reserved for searches").set_function(lambda: queue.reserved)
        self._gauge("tree_limit_bytes", "Memory that all searches may take together").set(queue.memory)

    def _tell_held(self, holdings: Holdings, stalls: Stalls) -> None:
        """Add gauges that read what callers occupy when they are scraped."""
        held = self._gauge("held", "What callers occupy", "what")
        limit = self._gauge("held_limit", "How much all callers together may occupy", "what")
        for resource in fields(holdings):
            holding: Holding = getattr(holdings, resource.name)
            held.labels(resource.name).set_function(partial(getattr, holding, "held"))
            limit.labels(resource.name).set(holding.most)
        self._gauge("stalled_writes", "Messages that wait for a client that does not read").set_function(
            lambda: stalls.count
        )

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"sniffai_{name}", text, labels, registry=self.registry)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(f"sniffai_{name}", text, labels, registry=self.registry)

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(f"sniffai_{name}", text, labels, buckets=buckets, registry=self.registry)


def _count(counts: Callable[[], Mapping[str, int]], state: str) -> int:
    return counts().get(state, 0)


class _LostLines(Collector):
    """The number of log lines that this process has lost."""

    def collect(self) -> Iterator[CounterMetricFamily]:
        """The one sample."""
        yield CounterMetricFamily("sniffai_log_lines_lost", "Log lines that were lost", lost_lines())


class MetricsPort:
    """Serves the metrics over HTTP, at ``/metrics``, on every address of a host, in threads of its own.

    :raises ListenError: the address is taken, or this machine does not have it.
    """

    def __init__(self, metrics: Metrics, host: str, port: int) -> None:
        place = find_place(host, port, "serve metrics")
        self.port = place.port
        """The TCP port."""
        self._served: list[tuple[WSGIServer, threading.Thread]] = []
        try:
            for ip in place.ips:
                served = start_http_server(place.port, ip, metrics.registry)
                served[0].handle_error = _tell_fault  # type: ignore[method-assign, assignment]
                self._served.append(served)
        except OSError as error:
            self.close()
            raise ListenError(f"cannot serve metrics on {join_address(host, port)}: {reason_of(error)}") from error

    def close(self) -> None:
        """Stop serving."""
        for server, thread in self._served:
            server.shutdown()
            server.server_close()
            thread.join()


def _tell_fault(_request: object, client: object) -> None:
    """Log a failed request for metrics, for example of a client that disconnected."""
    log.info("a request for metrics from %s failed", client, exc_info=True)
