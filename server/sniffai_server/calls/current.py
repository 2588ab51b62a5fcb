"""Facts about the call in progress, for its log line, metrics and span."""

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

from sniffai.search.analysis import Analysis
from sniffai_server.calls.callers import Priority

CUT_OFF: Final = ("CANCELLED", "DEADLINE_EXCEEDED")
"""Statuses of calls whose clients no longer wait."""


@dataclass(slots=True)
class Call:
    """One call, filled in as it proceeds. It contains nothing of the request's content."""

    request_id: str = ""
    """Given by the client or generated."""
    method: str = ""
    """Such as ``"sniffai.v1.AnalysisService/Analyze"``."""
    asked: str = ""
    """The start of the method name that the client requested, if there is no such method."""
    client: str = ""
    """The caller: the name of a key or certificate, or an address."""
    reason: str = ""
    """Why it failed, ``UPPER_SNAKE``; empty if it did not, or if the reason is not one of this server's."""
    priority: Priority | None = None
    """The priority of its search; ``None`` without a search."""
    queue_wait: float | None = None
    """Seconds that its search waited for a slot; ``None`` if it never got one."""
    searched: list[Analysis] = field(default_factory=list)
    """The results of its searches."""
    last_word: "asyncio.Future[None] | None" = None
    """Sends an error status; done when the status is sent or the call is over."""


def stop_reason_of(analysis: Analysis, code: str) -> str:
    """The stop reason of a search whose call ended with a status.

    If a search was stopped and its call was not cut off, the server is shutting down: ``"shutdown"``.
    """
    return "shutdown" if analysis.stop_reason == "stopped" and code not in CUT_OFF else analysis.stop_reason


CALL: Final[ContextVar[Call]] = ContextVar("CALL")
"""The call that this task answers."""


def current_call() -> Call:
    """The call in progress; a new one outside of a call."""
    return CALL.get(None) or Call()
