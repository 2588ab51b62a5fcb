"""The connection of a client: credentials, retries, load balancing."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import grpc

from sniffai.addresses import Address, AddressError, read_address
from sniffai.checks import keep, read_flag, read_path, shown
from sniffai.client.arguments import MAX_SECONDS, check_seconds, check_text
from sniffai.client.errors import ServiceError, service_error
from sniffai.client.proxies import DIRECT, proxy_of
from sniffai.errors import LimitsError, RecordError
from sniffai.v1 import analysis_service_pb2, engine_service_pb2, match_service_pb2, rules_service_pb2

DEFAULT_TIMEOUT: Final = 10.0
"""Seconds that a call may take by default."""

REVIEW_TIMEOUT: Final = 3600.0
"""Seconds that the review of a match may take by default."""

MAX_TIMEOUT: Final = MAX_SECONDS
"""The maximum timeout in seconds: a day."""

CONNECTING: Final = ("address", "timeout", "tls", "api_key", "wait_for_ready")
"""The parameters of the clients' constructors."""

MAX_ADDRESS: Final = 1000
"""Maximum length of an address and of a server name, in characters."""

UNREACHED: Final = ("UNAVAILABLE", "DEADLINE_EXCEEDED")
"""Statuses that may mean that no server was reached."""

Options: TypeAlias = list[tuple[str, str | int]]

SERVICES: Final = [
    service.full_name
    for module in (analysis_service_pb2, rules_service_pb2, engine_service_pb2, match_service_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
]

RETRIES: Final = {
    "maxAttempts": 4,
    "initialBackoff": "0.1s",
    "maxBackoff": "2s",
    "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE", "CANCELLED"],
}
"""gRPC waits a random time up to the backoff, or the time in the server's ``grpc-retry-pushback-ms``. Retries are safe:
most calls change nothing, and those that do have a key by which the server knows them again.

A server that ends answers ``CANCELLED`` to calls that arrive at that moment. A call that the client itself cancels is
not retried."""

THROTTLE: Final = {"maxTokens": 20, "tokenRatio": 0.1}
"""While more than half of the recent calls fail, none is retried, so that retries do not overload a server."""


@dataclass(frozen=True, slots=True)
class Tls:
    """TLS files and names of a client. Files are read when the client is created."""

    root: Path | str | None = None
    """The CA certificates (PEM) for the server's certificate; ``None`` for those of the system."""
    certificate: Path | str | None = None
    """The client's certificate (PEM), if the server requires one; together with ``key``."""
    key: Path | str | None = None
    """The private key (PEM) of ``certificate``."""
    server_name: str | None = None
    """The name expected in the server's certificate; ``None`` for the host of the address."""

    def __post_init__(self) -> None:
        for field in ("root", "certificate", "key"):
            path = getattr(self, field)
            if path is not None and not _is_path(path):
                raise LimitsError(f"a path is expected, not {shown(path)}", reason="BAD_PATH", field=field)
        check_text(self.server_name, "server_name", MAX_ADDRESS)

    def credentials(self) -> grpc.ChannelCredentials:
        """The credentials for gRPC.

        :raises OSError: a file cannot be read.
        :raises LimitsError: only one of certificate and key is given.
        """
        if (self.certificate is None) != (self.key is None):
            field = "key" if self.key is None else "certificate"
            raise LimitsError("certificate and key must be given together", reason="KEY_MISSING", field=field)
        return grpc.ssl_channel_credentials(_bytes(self.root), _bytes(self.key), _bytes(self.certificate))


@dataclass(frozen=True, slots=True)
class Connection:
    """What a client's channel and each of its calls need."""

    address: str
    timeout: float
    tls: Tls | None
    api_key: str | None
    wait_for_ready: bool

    def __post_init__(self) -> None:
        keep(self, "timeout", check_timeout(self.timeout))
        _check_address(self.address)
        if self.tls is not None and not isinstance(self.tls, Tls):
            raise LimitsError(f"Tls is expected, not {shown(self.tls)}", reason="NOT_TLS", field="tls")
        keep(self, "wait_for_ready", read_flag(self.wait_for_ready, "wait_for_ready"))
        if self.api_key is not None:
            check_key(self.api_key)

    @property
    def where(self) -> Address:
        """The parsed address."""
        return read_address(self.address)

    @property
    def options(self) -> Options:
        """The channel's options: retries, balancing over all addresses of a name, and no proxy for this machine."""
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
        """The metadata of each call. Without TLS, anyone who can read the network can read the API key."""
        return () if self.api_key is None else (("authorization", f"Bearer {check_key(self.api_key)}"),)

    def failure(self, error: Any) -> ServiceError:
        """The error of a failed call. If the server may not have been reached, it names the proxy in between."""
        failed = service_error(error)
        proxy = proxy_of(self.where)
        if proxy is None or failed.reason or failed.code not in UNREACHED:
            return failed
        return ServiceError(
            failed.code, f"{failed.message}, through {proxy}", "", failed.violations, failed.retry_after
        )

    def deadline(self, timeout: float | None) -> float:
        """The seconds that a call may take.

        :raises LimitsError: the timeout is out of range.
        """
        return self.timeout if timeout is None else check_timeout(timeout)


def check_timeout(timeout: float) -> float:
    """The timeout itself.

    :raises LimitsError: it is no number of seconds above 0, or more than a day.
    """
    return check_seconds(timeout, "timeout")


def check_key(key: str) -> str:
    """An API key without surrounding whitespace.

    :raises LimitsError: it is empty, or contains characters that no key has.
    """
    plain = key.strip() if isinstance(key, str) else ""
    if not plain:
        raise LimitsError("an API key is expected", reason="NOT_A_KEY", field="api_key")
    if not (plain.isascii() and plain.isprintable()):
        raise LimitsError("an API key has printable ASCII characters only", reason="NOT_A_KEY", field="api_key")
    return plain


def _check_address(address: object) -> None:
    """:raises LimitsError: the address is invalid."""
    if not isinstance(address, str):
        raise LimitsError(f"text is expected, not {shown(address)}", reason="NOT_A_TEXT", field="address")
    check_text(address, "address", MAX_ADDRESS)
    try:
        read_address(address)
    except AddressError as error:
        raise LimitsError(str(error), reason="BAD_ADDRESS", field="address") from None


def _is_path(path: object) -> bool:
    try:
        return isinstance(path, (str, Path)) and bool(read_path(path))
    except RecordError:
        return False


def _bytes(file: Path | str | None) -> bytes | None:
    return None if file is None else Path(file).read_bytes()
