"""What is known of the call in progress, for its log line, its metrics and its span."""

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

from sniffai.search.analysis import Analysis
from sniffai_server.calls.callers import Priority

CUT_OFF: Final = ("CANCELLED", "DEADLINE_EXCEEDED")
"""Statuses of calls that nobody waits for any more."""


@dataclass(slots=True)
class Call:
    """One call, filled in as it goes. Nothing in it tells what the request was about."""

    request_id: str = ""
    """Given by the client or made here."""
    method: str = ""
    """Such as ``"sniffai.v1.AnalysisService/Analyze"``."""
    asked: str = ""
    """The beginning of the name that the client asked for, where there is no such method."""
    client: str = ""
    """Who calls: the name of a key or a certificate, or an address."""
    reason: str = ""
    """Why it failed, ``UPPER_SNAKE``; empty for a call that did not, or for no reason of ours."""
    priority: Priority | None = None
    """How urgent its search was; ``None`` without one."""
    queue_wait: float | None = None
    """Seconds that its search waited for a slot; ``None`` where it never got one."""
    searched: list[Analysis] = field(default_factory=list)
    """What its searches found."""
    last_word: "asyncio.Future[None] | None" = None
    """A status that is not OK, on its way; done when it has gone out, or the call is over."""


def stop_reason_of(found: Analysis, code: str) -> str:
    """What ended a search of a call that ended with a status.

    A search that is stopped, and whose call is not cut off, answers because the server goes down: ``"shutdown"``.
    """
    return "shutdown" if found.stop_reason == "stopped" and code not in CUT_OFF else found.stop_reason


CALL: Final[ContextVar[Call]] = ContextVar("CALL")
"""The call that this task answers."""


def current_call() -> Call:
    """The call in progress; outside of one, something to write to all the same."""
    return CALL.get(None) or Call()
