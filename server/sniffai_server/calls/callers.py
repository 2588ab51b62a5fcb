"""Who calls: by API key, by client certificate, or by address."""

import ipaddress
from contextvars import ContextVar
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Any, Final


class Priority(IntEnum):
    """How urgent a search is; the lower number goes first."""

    INTERACTIVE = 0
    """Somebody waits for a move."""
    ANALYSIS = 1
    """Somebody studies a position."""
    BULK = 2
    """Nobody waits: archives, tournaments, measurements."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A client and what it may ask for."""

    name: str
    """The name of its key, the name in its certificate, or its address without the port."""
    best: Priority = Priority.INTERACTIVE
    """The most urgent priority it may ask for."""
    calls: int = 0
    """How many of its calls may be open at the same time; 0 for any number."""
    rate: int = 0
    """How many calls it may begin in a minute; 0 for any number."""


NAME_BYTES: Final = 64
"""How much of a certificate's common name makes a client's name."""

CALLER: Final[ContextVar[Caller]] = ContextVar("CALLER")
"""Who made the call that this task answers; set where keys are checked."""


def caller_of(context: Any) -> Caller:
    """Who makes a call: as authenticated, else by its connection."""
    known = CALLER.get(None)
    return Caller(connection_name(context)) if known is None else known


def connection_name(context: Any) -> str:
    """The common name in the client's certificate, else the address it calls from, without the port."""
    names = context.auth_context().get("x509_common_name", ())
    for name in names:
        return f"cn:{bytes(name)[:NAME_BYTES].decode(errors='replace')}"
    return peer_host(context.peer())


def peer_host(peer: str) -> str:
    """The host in gRPC's name of a peer, such as ``"127.0.0.1"`` of ``"ipv4:127.0.0.1:50312"``."""
    kind, _, address = peer.partition(":")
    if kind not in ("ipv4", "ipv6"):
        return kind or "unknown"
    return _plain(address.rpartition(":")[0])


@lru_cache(maxsize=256)
def _plain(host: str) -> str:
    """An IP address in its usual form."""
    host = host.replace("%5B", "[").replace("%5D", "]").strip("[]")
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return host
