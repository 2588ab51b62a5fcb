"""The executor ``grpc``: jobs spread over servers that run them (``sniffai-server serve --jobs``)."""

import time
from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import Any, Final, Self

from sniffai.client.connection import Connection, Tls
from sniffai.client.errors import ServiceError, job_error
from sniffai.client.job_servers import JobServer, Verdict
from sniffai.errors import LimitsError
from sniffai.jobs.errors import LostJobError
from sniffai.jobs.processes import MOST_TRIES, check_workers
from sniffai.jobs.result import JobResult
from sniffai.jobs.spec import JobSpec
from sniffai.jobs.waiting import WaitingJob, WaitingJobs

JOB_TIMEOUT: Final = 3600.0
"""Seconds that one job may take on a server by default, waiting included."""
FIRST_PATIENCE: Final = 20.0
"""Seconds for which all servers may be away before any of them has answered."""
PATIENCE: Final = 300.0
"""The same after one has answered: time to restart all of them."""


class GrpcExecutor:
    """Runs jobs on servers: see :class:`sniffai.jobs.Executor`.

    A job goes to the server that has fewest. If a server is away, ends, or is full, its jobs go to others, and it is
    asked again later. A server of another engine, or that runs no jobs for this client, is left out, with a line in the
    log. Jobs have the priority ``bulk`` on every server.

    :param addresses: of the servers, as :class:`sniffai.client.Client` takes them. A name with several addresses stands
        for a server behind each; calls take turns. ``ipv4:`` and ``ipv6:`` with several are as many servers.
    :param workers: jobs at once on all servers together, 1..1024; without it one more on each server than it runs
        searches at once. Of the servers behind a name one is asked for that.
    :param tls: TLS files and names; without it nothing is encrypted.
    :param api_key: sent with each call.
    :param timeout: seconds that a job may take on a server, waiting included.
    :raises LimitsError: an argument is out of range.
    :raises OSError: a file of ``tls`` cannot be read.
    """

    def __init__(
        self,
        addresses: Iterable[str],
        workers: int | None = None,
        *,
        tls: Tls | None = None,
        api_key: str | None = None,
        timeout: float = JOB_TIMEOUT,
    ) -> None:
        self._workers = None if workers is None else check_workers(workers)
        named = [Connection(address, timeout, tls, api_key, False) for address in addresses]
        connections = [
            replace(connection, address=address)
            for connection in named
            for address in connection.where.endpoints or (connection.address,)
        ]
        if not connections:
            message = "an address is expected, such as grpc:127.0.0.1:50051"
            raise LimitsError(message, reason="BAD_ADDRESS", field="executor")
        self._servers = [JobServer(connection, self._workers) for connection in connections]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers:
            server.close()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("an executor cannot be copied or pickled: its connections belong to one process")

    def run(self, specs: Iterable[JobSpec]) -> Generator[JobResult, None, None]:
        """The results as they come.

        :raises LostJobError: a job was given out again and again, and never came back.
        :raises ServiceError: no server can be reached, or none does jobs, or one refuses a job.
        """
        for server in self._servers:
            server.renew()
        spread = _Spread(self._servers, specs, self._workers)
        try:
            yield from spread.results()
        finally:
            spread.cancel()


class _Spread:
    """The jobs of one run."""

    def __init__(self, servers: list[JobServer], specs: Iterable[JobSpec], workers: int | None) -> None:
        self._servers = servers
        self._waiting = WaitingJobs(specs)
        self._workers = workers
        self._open: dict[Any, tuple[JobServer, WaitingJob | None]] = {}
        """Calls by what they are for: a job, or ``None`` where a server is asked whether it is there."""
        self._over: SimpleQueue[Any] = SimpleQueue()
        """Calls that are over."""
        self._jobs = 0
        """Jobs that servers have."""
        self._heard = time.monotonic()
        """When a server last answered."""
        self._patience = FIRST_PATIENCE

    def results(self) -> Iterator[JobResult]:
        """The results as they come."""
        if not self._waiting.any():
            return
        while True:
            self._ask()
            self._give_out()
            if not self._jobs and not self._waiting:
                return
            try:
                call = self._over.get(timeout=self._seconds_to_wait())
            except Empty:
                continue
            server, job = self._open.pop(call)
            if job is None:
                self._told(server, call)
            elif (result := self._take(call, server, job)) is not None:
                yield result

    def cancel(self) -> None:
        """End the calls that are still open, and with them their jobs."""
        for call, (server, job) in self._open.items():
            server.open -= job is not None
            call.cancel()
        self._open.clear()

    def _ask(self) -> None:
        """Ask servers whether they are there."""
        now = time.monotonic()
        for server in self._servers:
            if server.to_be_asked and server.rests_until <= now:
                self._open[server.ask(self._over.put)] = server, None

    def _give_out(self) -> None:
        """Give jobs to servers that can take them."""
        while (server := self._free_server()) is not None:
            job = self._waiting.next()
            if job is None:
                return
            self._jobs += 1
            self._open[server.start(job.text, self._over.put)] = server, job

    def _free_server(self) -> JobServer | None:
        """The server with the fewest jobs of those that can take one now."""
        if self._workers is not None and self._jobs >= self._workers:
            return None
        now = time.monotonic()
        free = [server for server in self._servers if server.takes_jobs and server.rests_until <= now]
        return min(free, key=lambda server: server.open, default=None)

    def _seconds_to_wait(self) -> float | None:
        """How long to wait for the end of a call before a server can be asked or given a job; ``None`` for any time."""
        ends = [server.rests_until for server in self._servers if server.to_be_asked]
        if self._waiting and (self._workers is None or self._jobs < self._workers):
            ends += [server.rests_until for server in self._servers if server.takes_jobs]
        return max(0.0, min(ends) - time.monotonic()) if ends else None

    def _told(self, server: JobServer, call: Any) -> None:
        """A server was asked whether it is there.

        :raises ServiceError: no server is left.
        """
        failure = server.told(call)
        if failure is None:
            self._hear()
        else:
            self._judge(*failure, call)

    def _take(self, call: Any, server: JobServer, job: WaitingJob) -> JobResult | None:
        """Take a job that is over; the result, if it has one.

        :raises SniffError: the job is wrong.
        :raises LostJobError: it was given out too often.
        :raises ServiceError: no server is left, or the job is larger than one allows.
        """
        self._jobs -= 1
        if call.exception() is not None:
            self._failed(call, server, job)
            return None
        server.succeeded()
        self._hear()
        result = JobResult.from_json(call.result().result)
        if result.address != job.address:
            raise server.named(ServiceError("INTERNAL", "it gave the result of another job", "", ()))
        return result

    def _failed(self, call: Any, server: JobServer, job: WaitingJob) -> None:
        """Decide what becomes of a job that failed; errors as :meth:`_take`."""
        verdict, error = server.failed(call)
        if verdict is Verdict.WRONG:
            raise job_error(call) or error
        if verdict is Verdict.DIED:
            job.tries += 1
            if job.tries >= MOST_TRIES:
                raise LostJobError(job.tries, f"a server did not finish it ({error})") from None
        self._waiting.give_back([job])
        self._judge(verdict, error, call)

    def _judge(self, verdict: Verdict, error: ServiceError, call: Any) -> None:
        """Decide whether to go on after a failure.

        :raises SniffError: no server takes jobs of this engine.
        :raises ServiceError: no server takes jobs of this client, or none has answered for too long.
        """
        if error.reason:
            self._hear()
        if verdict is Verdict.UNFIT and all(each.unfit for each in self._servers):
            raise job_error(call) or error
        if time.monotonic() - self._heard > self._patience:
            raise error

    def _hear(self) -> None:
        self._heard, self._patience = time.monotonic(), PATIENCE


def open_executor(
    address: str, workers: int | None, *, tls: Tls | None = None, api_key: str | None = None
) -> GrpcExecutor:
    """See :func:`sniffai.jobs.executor_named`.

    :param address: addresses of servers, with commas between them.
    :raises LimitsError: one is none.
    """
    return GrpcExecutor([part for part in address.split(",") if part], workers, tls=tls, api_key=api_key)
