"""How a client reaches its server: credentials, retries, balance."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import grpc

from sniffai.addresses import Address, read_address
from sniffai.client.errors import ServiceError, service_error
from sniffai.client.proxies import DIRECT, proxy_of
from sniffai.v1 import analysis_service_pb2, engine_service_pb2, rules_service_pb2

DEFAULT_TIMEOUT: Final = 10.0
"""Seconds that a call may take unless the caller says otherwise."""

REVIEW_TIMEOUT: Final = 3600.0
"""The same for the review of a match."""

MAX_TIMEOUT: Final = 86_400.0
"""The longest timeout, in seconds: a day."""

UNREACHED: Final = ("UNAVAILABLE", "DEADLINE_EXCEEDED")
"""Statuses that may mean that no server was reached."""

Options: TypeAlias = list[tuple[str, str | int]]

SERVICES: Final = [
    service.full_name
    for module in (analysis_service_pb2, rules_service_pb2, engine_service_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
]

RETRIES: Final = {
    "maxAttempts": 4,
    "initialBackoff": "0.1s",
    "maxBackoff": "2s",
    "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"],
}
"""gRPC waits a random time up to the backoff, or what the server asks for by ``grpc-retry-pushback-ms``. Nothing that
these services do is done twice by a second try: they keep no state."""

THROTTLE: Final = {"maxTokens": 20, "tokenRatio": 0.1}
"""While more than half of the late calls fail, none is tried again: retries must not bury a server."""


@dataclass(frozen=True, slots=True)
class Tls:
    """How a client and its server prove who they are. Files are read when the connection is made."""

    root: Path | str | None = None
    """The certificates (PEM) of the authorities that may vouch for the server; ``None``: those of the system."""
    certificate: Path | str | None = None
    """The client's own certificate (PEM), where the server asks for one; with ``key``."""
    key: Path | str | None = None
    """The private key (PEM) of ``certificate``."""
    server_name: str | None = None
    """The name that the server's certificate must have; ``None``: the host of the address."""

    def credentials(self) -> grpc.ChannelCredentials:
        """The same for gRPC.

        :raises OSError: a file cannot be read.
        :raises ValueError: a certificate without its key, or a key alone.
        """
        if (self.certificate is None) != (self.key is None):
            raise ValueError("certificate and key go together")
        return grpc.ssl_channel_credentials(_bytes(self.root), _bytes(self.key), _bytes(self.certificate))


@dataclass(frozen=True, slots=True)
class Connection:
    """Everything that the channel of a client needs, and what each of its calls has."""

    address: str
    timeout: float
    tls: Tls | None
    api_key: str | None
    wait_for_ready: bool

    def __post_init__(self) -> None:
        check_timeout(self.timeout)
        read_address(self.address)
        if self.api_key is not None:
            check_key(self.api_key)

    @property
    def where(self) -> Address:
        """The address, read."""
        return read_address(self.address)

    @property
    def options(self) -> Options:
        """The channel's options: retries, balance over all addresses of a name, and no proxy to this machine."""
        config = {
            "loadBalancingConfig": [{"round_robin": {}}],
            "methodConfig": [{"name": [{"service": name} for name in SERVICES], "retryPolicy": RETRIES}],
            "retryThrottling": THROTTLE,
        }
        options: Options = [
            ("grpc.service_config", json.dumps(config)),
            ("grpc.enable_retries", 1),
            ("grpc.service_config_disable_resolution", 1),
        ]
        if self.where.is_local:
            options.append(DIRECT)
        if self.tls is not None and self.tls.server_name is not None:
            options.append(("grpc.ssl_target_name_override", self.tls.server_name))
        return options

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What each call carries. Without TLS whoever can read the network can read the key."""
        return () if self.api_key is None else (("authorization", f"Bearer {check_key(self.api_key)}"),)

    def failure(self, error: Any) -> ServiceError:
        """The error of a failed call; where no server may have been reached, it names the proxy on the way."""
        failed = service_error(error)
        proxy = proxy_of(self.where)
        if proxy is None or failed.reason or failed.code not in UNREACHED:
            return failed
        return ServiceError(
            failed.code, f"{failed.message}, through {proxy}", "", failed.violations, failed.retry_after
        )

    def deadline(self, timeout: float | None) -> float:
        """The seconds that a call may take.

        :raises ValueError: the timeout is out of range.
        """
        return self.timeout if timeout is None else check_timeout(timeout)


def check_timeout(timeout: float) -> float:
    """The timeout itself.

    :raises ValueError: it is no number of seconds above 0, or more than a day.
    """
    number = isinstance(timeout, (int, float)) and not isinstance(timeout, bool) and math.isfinite(timeout)
    if not number or not 0 < timeout <= MAX_TIMEOUT:
        raise ValueError(f"a timeout is above 0 and at most {MAX_TIMEOUT:,.0f} seconds")
    return float(timeout)


def check_key(key: str) -> str:
    """An API key, without the spaces and the end of a line around it.

    :raises ValueError: it is empty, or has signs that no key has.
    """
    plain = key.strip() if isinstance(key, str) else ""
    if not plain:
        raise ValueError("an API key is expected")
    if not (plain.isascii() and plain.isprintable()):
        raise ValueError("an API key is printable ASCII")
    return plain


def _bytes(file: Path | str | None) -> bytes | None:
    return None if file is None else Path(file).read_bytes()
