"""Callers, by API key, client certificate or address."""

import ipaddress
from contextvars import ContextVar
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Any, Final


class Priority(IntEnum):
    """How urgent a search is; the lower number goes first."""

    INTERACTIVE = 0
    """A person waits for a move."""
    ANALYSIS = 1
    """A person studies a position."""
    BULK = 2
    """Nobody waits: archives, tournaments, measurements."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A client and its quotas."""

    name: str
    """The name of its key, the name in its certificate, or its address without the port."""
    best: Priority = Priority.INTERACTIVE
    """The highest priority that it may request."""
    calls: int = 0
    """Maximum number of open calls; 0 for no limit."""
    rate: int = 0
    """Maximum number of calls per minute; 0 for no limit."""


NAME_BYTES: Final = 64
"""How many bytes of a certificate's common name are used as a client's name."""

CALLER: Final[ContextVar[Caller]] = ContextVar("CALLER")
"""The caller of the call that this task answers; set by the interceptor that checks keys."""


def caller_of(context: Any) -> Caller:
    """The caller of a call: as authenticated, otherwise by its connection."""
    known = CALLER.get(None)
    return Caller(connection_name(context)) if known is None else known


def connection_name(context: Any) -> str:
    """The common name in the client's certificate, otherwise the client's address without the port."""
    names = context.auth_context().get("x509_common_name", ())
    for name in names:
        return f"cn:{bytes(name)[:NAME_BYTES].decode(errors='replace')}"
    return peer_host(context.peer())


def peer_host(peer: str) -> str:
    """The host of a peer as gRPC names it, such as ``"127.0.0.1"`` of ``"ipv4:127.0.0.1:50312"``."""
    kind, _, address = peer.partition(":")
    if kind not in ("ipv4", "ipv6"):
        return kind or "unknown"
    return _plain(address.rpartition(":")[0])


@lru_cache(maxsize=256)
def _plain(host: str) -> str:
    """An IP address in canonical form."""
    host = host.replace("%5B", "[").replace("%5D", "]").strip("[]")
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return host
