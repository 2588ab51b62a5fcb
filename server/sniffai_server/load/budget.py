"""The budget of one search, from the request's limits, the server's caps and the call's deadline."""

import time
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from sniffai.search.params import EffectiveLimits, Limits
from sniffai.v1 import notice_pb2
from sniffai.wire import warning
from sniffai_server.calls.callers import Priority
from sniffai_server.load.turns import Admission
from sniffai_server.settings import Settings

Number = TypeVar("Number", int, float)

MIN_MARGIN: Final = 0.03
"""Seconds that are kept to send the answer, at least; of longer deadlines, a share is kept."""
MARGIN_SHARE: Final = 0.05

TREE_LEAST: Final = 1 << 20
"""Bytes that any tree may take."""
TREE_PER_SIMULATION: Final = 256
"""Bytes by which a tree may grow in one simulation; about 40 are usual."""
TREE_PER_SECOND: Final = 64 << 20
"""Bytes by which a tree may grow in a second; about 8 million are usual."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one search, and the moment at which it must end."""

    limits: EffectiveLimits
    """The limits of the request and the server, as reported to the client. They do not depend on the clock."""
    end: float | None
    """The latest end of the search, in seconds of ``time.monotonic()``; ``None`` for a call without a deadline."""

    @classmethod
    def of(cls, limits: EffectiveLimits, time_remaining: float | None) -> "Budget":
        """The budget of a call with ``time_remaining`` seconds left until its deadline."""
        if time_remaining is None:
            return cls(limits, None)
        margin = max(MIN_MARGIN, MARGIN_SHARE * time_remaining)
        return cls(limits, time.monotonic() + time_remaining - margin)

    @property
    def for_the_tree(self) -> EffectiveLimits:
        """The limits with no more memory than the search can use, so that a short search reserves little."""
        limits = self.limits
        memory = min(
            limits.memory_bytes,
            TREE_LEAST + TREE_PER_SIMULATION * limits.most_simulations,
            TREE_LEAST + TREE_PER_SECOND * limits.most_seconds,
        )
        return replace(limits, memory_bytes=int(memory))


def priority_warnings(requested: Priority, admission: Admission) -> list[notice_pb2.Warning]:
    """A warning if the client may not have the priority that it asked for."""
    if admission.priority == requested:
        return []
    best = admission.priority.name
    return [warning("priority", "CLAMPED", f"the highest priority that this client may request is {best}")]


def effective_limits(requested: Limits, settings: Settings) -> tuple[EffectiveLimits, list[notice_pb2.Warning]]:
    """The effective limits of a request, and a warning for each that was cut to the server's cap."""
    caps = settings.caps
    default = caps if requested.simulations else settings.default_limits
    warnings: list[notice_pb2.Warning] = []
    limits = EffectiveLimits(
        simulations=_capped(
            "simulations", requested.simulations or caps.most_simulations, caps.most_simulations, warnings
        ),
        seconds=_capped("time", requested.seconds or default.most_seconds, caps.most_seconds, warnings),
        memory_bytes=_capped("memory_bytes", requested.memory_bytes or caps.memory_bytes, caps.memory_bytes, warnings),
        stop_when_decided=requested.stop_when_decided,
        target_standard_error=requested.target_standard_error,
    )
    return limits, warnings


def _capped(field: str, wanted: Number, cap: Number, warnings: list[notice_pb2.Warning]) -> Number:
    if wanted <= cap:
        return wanted
    warnings.append(warning(f"limits.{field}", "CLAMPED", f"{wanted} is more than this server allows: {cap} was used"))
    return cap
