"""The executor ``ray``: jobs spread over a Ray cluster, by actors that keep their tables and nets.

Ray decides where the actors run, and brings machines if more are wanted (its autoscaler). An actor that ends is
replaced here, and its jobs are given out again. Ray itself would count a try for every job that an actor had, also for
those that only waited behind one that kills its worker.
"""

import logging
import os
import re
import socket
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, Final, Self

from sniffai.checks import shown
from sniffai.errors import LimitsError, SniffError
from sniffai.extras import explained
from sniffai.jobs.engine import engine_version
from sniffai.jobs.errors import LostJobError
from sniffai.jobs.processes import AHEAD, MOST_TRIES, available_cores, check_workers
from sniffai.jobs.result import JobResult
from sniffai.jobs.run import run_job
from sniffai.jobs.spec import JobSpec
from sniffai.jobs.waiting import WaitingJob, WaitingJobs

try:
    # Before the import, which reads them: Ray tells nobody that it is used, and leaves variables for GPUs alone.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray
    from ray.exceptions import RayActorError, RayTaskError
except ImportError as error:
    raise explained(error) from None

LOOK_SECONDS: Final = 5.0
"""Seconds between two looks at the size of the cluster."""
SLOW_SECONDS: Final = 60.0
"""Seconds without any worker after which the log says so."""
STORE_BYTES: Final = 256 << 20
"""Memory of a local Ray for results that wait: far more than they take."""
ENDPOINT: Final = re.compile(r"(?:ray://)?\[?([^/\[\]]+)\]?:(\d{1,5})")
"""An address with a port, as opposed to ``auto``."""
CONNECT_SECONDS: Final = 10.0
ADDRESS_VARIABLE: Final = "RAY_ADDRESS"
"""Ray's own variable with the address of a cluster."""

log = logging.getLogger(__name__)


class Worker:
    """What an actor is: a process somewhere that does jobs, one after the other."""

    def engine(self) -> str:
        """The engine that is installed there."""
        return engine_version()

    def run(self, spec: str) -> str | SniffError:
        """Do a job, given and answered as JSON; or what is wrong with it."""
        try:
            return run_job(JobSpec.from_json(spec)).to_json()
        except SniffError as error:
            return error


class RayExecutor:
    """Runs jobs on a Ray cluster: see :class:`sniffai.jobs.Executor`.

    Each worker takes one core of the cluster. A worker that cannot have one yet gets no jobs: it makes Ray's autoscaler
    look for a machine, where there is one.

    :param address: of the cluster, as ``ray.init`` takes it; empty for that of the variable ``RAY_ADDRESS``, else
        for one that is started on this machine and ends with this executor.
    :param workers: 1..1024; without it as many as the cluster has cores, more as soon as it has more.
    :raises LimitsError: ``workers`` is out of range, or the cluster cannot be reached.
    """

    def __init__(self, address: str = "", workers: int | None = None) -> None:
        self._workers = None if workers is None else check_workers(workers)
        self._started = not ray.is_initialized()
        if self._started:
            _connect(address or os.environ.get(ADDRESS_VARIABLE, ""), self._workers)
        self._actors: list[_Actor] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        if self._started:
            ray.shutdown()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("an executor cannot be copied or pickled: its workers belong to one process")

    def run(self, specs: Iterable[JobSpec]) -> Generator[JobResult, None, None]:
        """The results as they come.

        :raises LostJobError: a job was given out again and again, and never came back.
        :raises LimitsError: the cluster has another engine installed (reason ``ENGINE_VERSION``).
        """
        spread = _Spread(self._actors, specs, self._workers)
        try:
            yield from spread.results()
        except BaseException:
            self._end()  # an actor cannot be made to leave its job
            raise

    def _end(self) -> None:
        """End the workers, whatever they are at."""
        while self._actors:
            self._actors.pop().kill()


class _Actor:
    """A worker as its driver sees it.

    :param failures: how many before it ended in a row, each before it did anything.
    """

    def __init__(self, failures: int = 0) -> None:
        self._handle: Any = ray.remote(num_cpus=1)(Worker).remote()
        self.failures = failures
        self.ready = False
        """Whether it has told its engine."""
        self.jobs: deque[WaitingJob] = deque()
        """What it has to do, in order."""

    def ask_engine(self) -> "Future[str]":
        """Its engine, as soon as it runs."""
        future: Future[str] = self._handle.engine.remote().future()
        return future

    def start(self, job: WaitingJob) -> "Future[str | SniffError]":
        """Give it one more job."""
        self.jobs.append(job)
        future: Future[str | SniffError] = self._handle.run.remote(job.text).future()
        return future

    def kill(self) -> None:
        """End it."""
        ray.kill(self._handle)


class _Spread:
    """The jobs of one run."""

    def __init__(self, actors: list[_Actor], specs: Iterable[JobSpec], workers: int | None) -> None:
        self._actors = actors
        self._waiting = WaitingJobs(specs)
        self._workers = workers
        self._over: SimpleQueue[tuple[_Actor, WaitingJob | None, Future[Any]]] = SimpleQueue()
        """Calls of actors that are over: with their job, or ``None`` where the actor was asked for its engine."""
        self._looked = -LOOK_SECONDS
        self._began = time.monotonic()
        self._told = False

    def results(self) -> Iterator[JobResult]:
        """The results as they come."""
        if not self._waiting.any():
            return
        while True:
            self._grow()
            self._give_out()
            if not self._waiting and not any(actor.jobs for actor in self._actors):
                return
            try:
                actor, job, call = self._over.get(timeout=LOOK_SECONDS)
            except Empty:
                self._tell_slow()
                continue
            if job is None:
                self._begun(actor, call)
            elif (result := self._take(actor, job, call)) is not None:
                yield result

    def _grow(self) -> None:
        """Have as many actors as are wanted."""
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        wanted = self._workers or max(1, min(1024, int(ray.cluster_resources().get("CPU", 0))))
        while len(self._actors) < wanted:
            self._add(_Actor())

    def _add(self, actor: _Actor) -> None:
        self._actors.append(actor)
        call = actor.ask_engine()
        call.add_done_callback(lambda call: self._over.put((actor, None, call)))

    def _begun(self, actor: _Actor, call: "Future[str]") -> None:
        """An actor tells its engine.

        :raises LimitsError: it is another one.
        """
        try:
            theirs = call.result()
        except RayActorError as error:
            if actor.failures + 1 >= MOST_TRIES:
                message = f"workers of the Ray cluster end before they begin: {_brief(error)}"
                raise LimitsError(message, reason="NO_WORKERS", field="executor") from None
            self._replace(actor, actor.failures + 1)
            return
        if theirs != engine_version():
            both = f"this is engine {engine_version()}, the Ray cluster has engine {theirs}"
            message = f"{both}: their results cannot be combined"
            raise LimitsError(message, reason="ENGINE_VERSION", field="engine")
        actor.ready = True

    def _give_out(self) -> None:
        """Give jobs to the actors that run, to those with fewest first."""
        for ahead in range(AHEAD):
            for actor in self._actors:
                if actor.ready and len(actor.jobs) <= ahead:
                    job = self._waiting.next()
                    if job is None:
                        return
                    self._start(actor, job)

    def _start(self, actor: _Actor, job: WaitingJob) -> None:
        call = actor.start(job)
        call.add_done_callback(lambda call: self._over.put((actor, job, call)))

    def _take(self, actor: _Actor, job: WaitingJob, call: "Future[str | SniffError]") -> JobResult | None:
        """Take a call that is over; the result, if it has one.

        :raises SniffError: the job is wrong.
        :raises LostJobError: workers ended at it too often.
        """
        if job not in actor.jobs:
            return None  # given out again, when the actor was replaced
        try:
            answer = call.result()
        except RayActorError as error:
            self._lost(actor, error)
            return None
        except RayTaskError as error:
            raise error.as_instanceof_cause() from None
        actor.jobs.remove(job)
        if isinstance(answer, SniffError):
            raise answer
        return JobResult.from_json(answer)

    def _lost(self, actor: _Actor, error: RayActorError) -> None:
        """An actor ended: what it was at counts a try, what waited behind that does not."""
        first = actor.jobs[0]
        first.tries += 1
        if first.tries >= MOST_TRIES:
            raise LostJobError(first.tries) from error
        self._waiting.give_back(actor.jobs)
        actor.jobs.clear()
        self._replace(actor, 0)

    def _replace(self, actor: _Actor, failures: int) -> None:
        self._actors.remove(actor)
        actor.kill()
        self._add(_Actor(failures))

    def _tell_slow(self) -> None:
        if not self._told and time.monotonic() - self._began > SLOW_SECONDS and not any(a.ready for a in self._actors):
            self._told = True
            log.warning("the Ray cluster has had no free core for %d s; still waiting for one", SLOW_SECONDS)


def _connect(address: str, workers: int | None) -> None:
    """Connect to a cluster, or start one on this machine.

    :raises LimitsError: there is none at the address.
    """
    _check_there(address)
    options: dict[str, Any] = {"address": address}
    if not address:
        cores = workers or available_cores()
        own = {"num_cpus": cores, "object_store_memory": STORE_BYTES, "include_dashboard": False}
        options = {"address": "local", **own}
    try:
        ray.init(**options, log_to_driver=False, logging_level="error")
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise _no_cluster(address, _brief(error)) from None


def _check_there(address: str) -> None:
    """Look whether anything listens at an address with a port. Ray itself would try for minutes.

    :raises LimitsError: nothing does.
    """
    where = ENDPOINT.fullmatch(address)
    if where is None:
        return
    try:
        socket.create_connection((where[1], int(where[2])), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise _no_cluster(address, getattr(error, "strerror", None) or str(error)) from None


def _no_cluster(address: str, why: str) -> LimitsError:
    message = f"no Ray cluster can be used at {shown(address) if address else 'this machine'}: {why}"
    return LimitsError(message, reason="NO_CLUSTER", field="executor")


def _brief(error: BaseException) -> str:
    """The last line of an error's text: Ray puts whole tracebacks before it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


def open_executor(address: str, workers: int | None) -> RayExecutor:
    """See :func:`sniffai.jobs.executor_named`.

    :raises LimitsError: the cluster cannot be reached.
    """
    return RayExecutor(address, workers)
