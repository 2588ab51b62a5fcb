"""One server that jobs are given to: its channel, how much it takes, and whether it can be asked now."""

import logging
import socket
import time
from collections import Counter
from collections.abc import Callable
from enum import Enum, auto
from typing import Any, Final

from sniffai.client.blocking import channel_of
from sniffai.client.calls import Stubs
from sniffai.client.connection import Connection, Options
from sniffai.client.errors import ServiceError, service_error
from sniffai.v1 import engine_service_pb2, job_service_pb2

FIRST_REST: Final = 0.25
"""Seconds for which a server that is away is left alone at first; each rest is twice the one before."""
LONGEST_REST: Final = 4.0
REFUSAL_REST: Final = 0.05
"""Seconds for which a name gets no more jobs after one of several servers behind it refused one."""
REFUSALS: Final = 2
"""How often each server behind a name may refuse before the name gets no more jobs."""
SEVERAL: Final = 4
"""How many servers are taken to be behind a name that only gRPC can look up."""
ASK_SECONDS: Final = 5.0
"""Seconds within which a server says that it is there. It gets jobs only then: otherwise they might wait for long."""
OPTIONS: Final[Options] = [
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.ping_timeout_ms", 10_000),  # otherwise a minute, while nothing else is sent
    ("grpc.http2.max_pings_without_data", 0),  # a job sends nothing until it is done
    ("grpc.initial_reconnect_backoff_ms", 250),
    ("grpc.min_reconnect_backoff_ms", 5_000),  # the time for a handshake, too
    ("grpc.max_reconnect_backoff_ms", 5_000),
    ("grpc.max_receive_message_length", -1),
    ("grpc.dns_min_time_between_resolutions_ms", 5_000),
]
"""Options of the channels: a server that hangs or vanishes in the middle of a job is noticed within 40 s, and the new
addresses of a name within seconds of the loss of an old one."""

UNFIT: Final = ("PERMISSION_DENIED", "UNAUTHENTICATED", "UNIMPLEMENTED")
"""Statuses that say that a server does no jobs for this client."""

log = logging.getLogger(__name__)


class Verdict(Enum):
    """What a failed call says of the server and the job."""

    AWAY = auto()
    """The server cannot be reached, or is about to end: the job goes elsewhere."""
    BUSY = auto()
    """The server has enough to do: it gets fewer jobs, later."""
    DIED = auto()
    """The job ended in the middle, perhaps by its own fault: it is tried again a few times."""
    UNFIT = auto()
    """The server does no jobs for this client or of this engine, now or later."""
    WRONG = auto()
    """The job is wrong, or larger than the server allows: it would fail everywhere."""


def verdict_of(error: ServiceError) -> Verdict:
    """What a failed call says."""
    if error.reason == "JOB_DIED" or error.code in ("INTERNAL", "UNKNOWN"):
        return Verdict.DIED
    if error.reason == "ENGINE_VERSION" or error.code in UNFIT:
        return Verdict.UNFIT
    if error.reason == "SHUTTING_DOWN":
        return Verdict.AWAY
    if error.reason == "EXPIRED_IN_QUEUE" or error.retry_after is not None:
        return Verdict.BUSY
    if error.code == "DEADLINE_EXCEEDED":
        return Verdict.DIED
    return Verdict.AWAY if error.code in ("UNAVAILABLE", "CANCELLED") else Verdict.WRONG


class JobServer:
    """One address, with everything behind it. It gets jobs once it has answered, also after it was away.

    :param most: jobs at once that it may get; ``None`` for one more than it runs searches at once, and so many for each
        server behind a name.
    """

    def __init__(self, connection: Connection, most: int | None) -> None:
        self.connection = connection
        self.open = 0
        """Jobs that it has."""
        self.room: float = 0
        """Jobs that it may have; 0 until it has answered."""
        self.answers = False
        """Whether it has answered since it was away last."""
        self.asked = False
        """Whether it is asked whether it is there."""
        self.unfit: ServiceError | None = None
        """Why it takes no part any more."""
        self.rests_until = 0.0
        """By the monotonic clock."""
        self._most = most
        self._rest = 0.0
        self._refused = 0
        """How often in a row a refusal was all that came of it."""
        self._told_refusal = False
        self._channel = channel_of(connection, OPTIONS)
        self._stubs = Stubs(self._channel)

    def renew(self) -> None:
        """Begin another run: what left it out before is forgotten."""
        self.unfit, self.asked, self._refused = None, False, 0

    @property
    def takes_jobs(self) -> bool:
        """Whether it can get one more job, once it does not rest."""
        return self.unfit is None and self.answers and self.open < self.room

    @property
    def to_be_asked(self) -> bool:
        """Whether it is to be asked whether it is there, once it does not rest."""
        return self.unfit is None and not self.answers and not self.asked

    def ask(self, done: Callable[[Any], None]) -> Any:
        """Ask it whether it is there, and how many searches it runs at once; the call.

        :param done: gets the call when it is over, in a thread of gRPC.
        """
        self.asked = True
        request = engine_service_pb2.GetEngineInfoRequest()
        ask = self._stubs.engine.GetEngineInfo
        return _started(ask.future(request, timeout=ASK_SECONDS, metadata=self.connection.metadata), done)

    def told(self, call: Any) -> tuple[Verdict, ServiceError] | None:
        """Take the answer to :meth:`ask`; if it is none, what that says."""
        self.asked = False
        if call.exception() is not None:
            return self._failed(call)
        if self._most is None:
            each = call.result().search_slot_count + 1  # one lies ready, so that no slot waits for its next job
            self._most = each * (self._count_behind() or 1)
        self.answers, self.room = True, self.room or self._most
        return None

    def start(self, spec: str, done: Callable[[Any], None]) -> Any:
        """Give it a job; the call.

        :param done: as in :meth:`ask`.
        """
        self.open += 1
        request, run = job_service_pb2.RunJobRequest(spec=spec), self._stubs.jobs.RunJob
        timeout = self.connection.timeout
        return _started(run.future(request, timeout=timeout, metadata=self.connection.metadata), done)

    def succeeded(self) -> None:
        """It did a job."""
        self.open -= 1
        self._rest, self._refused = 0.0, 0
        self.room = min(self._most or 1, self.room + 0.1)

    def failed(self, call: Any) -> tuple[Verdict, ServiceError]:
        """It did not do a job: what that says."""
        self.open -= 1
        return self._failed(call)

    def _failed(self, call: Any) -> tuple[Verdict, ServiceError]:
        error = self.named(service_error(call))
        verdict = verdict_of(error)
        if verdict is Verdict.AWAY or error.code == "DEADLINE_EXCEEDED":
            self.answers = False
            self._rest = min(LONGEST_REST, 2 * self._rest or FIRST_REST)
            self._rest_for(self._rest)
        elif verdict is Verdict.BUSY:
            if self.answers:
                self.room = max(1.0, min(self.room, self.open))
            self._rest_for(error.retry_after or FIRST_REST)
        elif verdict is Verdict.UNFIT:
            self._refuse(error)
        return verdict, error

    def named(self, error: ServiceError) -> ServiceError:
        """The error with the address in its message."""
        where = f"{self.connection.address}: {error.message}"
        return ServiceError(error.code, where, error.reason, error.violations, error.retry_after)

    def close(self) -> None:
        """Close the connection."""
        self._channel.close()

    def _rest_for(self, seconds: float) -> None:
        self.rests_until = max(self.rests_until, time.monotonic() + seconds)

    def _refuse(self, error: ServiceError) -> None:
        """Leave it out; a name only once all servers behind it refuse jobs.

        Refusals come at once. While other jobs are open there, one of the servers may be at work on them.
        """
        self._rest_for(REFUSAL_REST)
        if self.open and self._refused:
            return
        behind = self._count_behind() or SEVERAL
        self._refused += 1
        if self._refused < REFUSALS * behind and behind > 1:
            if not self._told_refusal:
                log.warning("%s; the other servers behind this name get its jobs", error)
                self._told_refusal = True
            return
        if self.unfit is None:
            log.warning("%s; it gets no more jobs", error)
        self.unfit = error

    def _count_behind(self) -> int | None:
        """How many servers are behind the address; ``None`` where only gRPC can tell.

        A server may have an address of IPv4 and one of IPv6, as ``localhost`` does.
        """
        where = self.connection.where
        if where.path or not where.host:
            return 1 if where.path else None
        try:
            addresses = {
                info[:1] + info[4][:1] for info in socket.getaddrinfo(where.host, None, type=socket.SOCK_STREAM)
            }
        except OSError:
            return None
        return max(Counter(family for family, _ in addresses).values())


def _started(call: Any, done: Callable[[Any], None]) -> Any:
    call.add_done_callback(done)
    return call
