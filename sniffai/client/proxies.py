"""The proxy that gRPC would go through: it reads variables of the environment, and names the proxy in no error."""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from sniffai.addresses import Address

VARIABLES: Final = ("grpc_proxy", "https_proxy", "http_proxy")
"""In gRPC's order. The first one that is set counts, even if it is empty. gRPC ignores the upper-case variables."""
EXCEPTIONS: Final = ("no_grpc_proxy", "no_proxy")
DIRECT: Final = ("grpc.enable_http_proxy", 0)
"""The option of a channel that uses no proxy."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy and the variable that names it."""

    variable: str
    address: str
    """``host:port``, without a name and password in it."""

    def __str__(self) -> str:
        return f"the proxy {self.address} (variable {self.variable}; no_proxy can name servers to reach without it)"


def proxy_of(address: Address, environment: Mapping[str, str] = os.environ) -> Proxy | None:
    """The proxy that gRPC uses for a server; ``None`` if there is none, or for this machine."""
    variable = next((name for name in VARIABLES if name in environment), None)
    if variable is None or not address.host or address.is_local:
        return None
    try:
        url = urlsplit(environment[variable])
        host, port = url.hostname, url.port
    except ValueError:
        return None
    if url.scheme != "http" or not host:
        return None
    exceptions = next((environment[name] for name in EXCEPTIONS if name in environment), "")
    if any(_covers(entry.strip(), address.host) for entry in exceptions.split(",")):
        return None
    return Proxy(variable, f"{host}:{port}" if port else host)


def _covers(entry: str, host: str) -> bool:
    """Whether an entry of ``no_proxy`` matches a host: a network that contains it, or a suffix of its name."""
    if not entry:
        return False
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return host.lower().endswith(entry.lower())
