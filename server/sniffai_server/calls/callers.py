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


ADDRESS: Final = "address:"
CERTIFICATE: Final = "cn:"
"""What the name of a client begins with that has a certificate; no key has such a name."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A client and its quotas."""

    name: str
    """The name of its key, the name in its certificate, or its address: see :func:`peer_host`."""
    best: Priority = Priority.INTERACTIVE
    """The highest priority that it may request."""
    calls: int = 0
    """Maximum number of open calls; 0 for no limit."""
    rate: int = 0
    """Maximum number of calls per minute; 0 for no limit."""
    weight: int = 1
    """Its share of the slots beside others of the same class, at least 1."""
    jobs: bool = True
    """Whether it may run jobs, if the server runs any."""
    known: bool = False
    """Whether a key or a certificate tells who it is, and not its address alone."""

    @property
    def account(self) -> str:
        """Under which name its matches are counted: that of a client without a name begins with :data:`ADDRESS`."""
        return self.name if self.known else ADDRESS + self.name


NAME_BYTES: Final = 64
"""How many bytes of a certificate's common name are used as a client's name."""

NETWORK_BITS: Final = 64
"""Of an IPv6 address: whoever has one has the whole network, and so any number of addresses."""
LOCAL_NETWORKS: Final = tuple(map(ipaddress.IPv6Network, ("::1/128", "fe80::/10", "fc00::/7")))
"""Networks of one machine, link or site, where each address is a machine of its own."""

CALLER: Final[ContextVar[Caller]] = ContextVar("CALLER")
"""The caller of the call that this task answers; set by the interceptor that checks keys."""


def caller_of(context: Any) -> Caller:
    """The caller of a call: as authenticated, otherwise by its connection."""
    known = CALLER.get(None)
    if known is not None:
        return known
    name = connection_name(context)
    return Caller(name, known=name.startswith(CERTIFICATE))


def connection_name(context: Any) -> str:
    """The common name in the client's certificate, otherwise the client's address: see :func:`peer_host`."""
    names = context.auth_context().get("x509_common_name", ())
    for name in names:
        return f"{CERTIFICATE}{bytes(name)[:NAME_BYTES].decode(errors='replace')}"
    return peer_host(context.peer())


def peer_host(peer: str) -> str:
    """The host of a peer as gRPC names it, such as ``"127.0.0.1"`` of ``"ipv4:127.0.0.1:50312"``.

    Of an IPv6 address it is the network, such as ``"2a00:1450:4001:80b::/64"``, unless that is local.
    """
    kind, _, address = peer.partition(":")
    if kind not in ("ipv4", "ipv6"):
        return kind or "unknown"
    return _plain(address.rpartition(":")[0])


@lru_cache(maxsize=256)
def _plain(host: str) -> str:
    """An IP address in canonical form, or the network that stands for it."""
    host = host.replace("%5B", "[").replace("%5D", "]").strip("[]")
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    if any(address in network for network in LOCAL_NETWORKS):
        return str(address)
    return str(ipaddress.IPv6Network((int(address), NETWORK_BITS), strict=False))
