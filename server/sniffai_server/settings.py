"""Everything an operator can set: the one schema behind flags, environment, file and documentation.

A setting ``max_seconds`` is the flag ``--max-seconds``, the variable ``SNIFFAI_MAX_SECONDS`` and the key
``max_seconds`` of the file.
"""

from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from typing import Any, Final

from sniffai.addresses import Address, AddressError, is_loopback, join_address, read_host, read_unix
from sniffai.checks import shown
from sniffai.errors import PortableError
from sniffai.search.params import MAX_SECONDS, MAX_SIMULATIONS, MIN_MEMORY_BYTES, EffectiveLimits
from sniffai_server.cores import usable_cores

MEBIBYTE: Final = 1 << 20
MOST_BYTES: Final = 1 << 50
DAY: Final = 86_400


class SettingError(PortableError, ValueError):
    """A setting that cannot be; ``str()`` says what is expected.

    :param name: the setting.
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


@dataclass(frozen=True, slots=True)
class Rule:
    """What a setting is for and may be."""

    text: str
    """One sentence for a person, without its full stop."""
    least: float | None
    most: float | None
    choices: tuple[str, ...]
    shown_default: str
    """The default in words, where it is not a plain value."""

    def fault(self, value: object) -> str:
        """What is wrong with a value of the right type; empty for a good one."""
        if self.choices and value not in self.choices:
            return f"one of {', '.join(self.choices)} is expected"
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return ""
        if self.least is not None and not value >= self.least:
            return f"at least {self.least:,} is expected"
        if self.most is not None and not value <= self.most:
            return f"at most {self.most:,} is expected"
        return ""


def setting(
    default: Any,
    text: str,
    *,
    least: float | None = None,
    most: float | None = None,
    choices: tuple[str, ...] = (),
    shown_default: str = "",
) -> Any:
    """A field of :class:`Settings`; a callable default is called for each new object."""
    metadata = {"rule": Rule(text, least, most, choices, shown_default)}
    if isinstance(default, Callable):  # type: ignore[arg-type]
        return field(default_factory=default, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Settings:
    """One server's settings.

    :raises SettingError: a value out of range or of the wrong type.
    """

    host: str = setting(
        "127.0.0.1", "name or address to listen on, or unix:PATH; only this machine can reach the default"
    )
    port: int = setting(50051, "TCP port to listen on, 0 for any", least=0, most=65535)
    insecure: bool = setting(False, "serve without TLS on an address that other machines can reach")
    reflection: bool | None = setting(
        None, "serve gRPC reflection, by which clients learn the contract", shown_default="only on loopback addresses"
    )
    tls_cert: str = setting("", "file with the server's certificate chain, PEM")
    tls_key: str = setting("", "file with the private key of tls_cert, PEM")
    tls_client_ca: str = setting("", "file with the CAs whose certificates clients must show, PEM")
    keys_file: str = setting("", "file with the API keys, made by `sniffai-server key`; without it nobody needs a key")

    slots: int = setting(
        usable_cores, "searches at the same time", least=1, most=9999, shown_default="the cores that the quota leaves"
    )
    queue_size: int = setting(64, "searches that may wait for a slot", least=0, most=100_000)
    default_seconds: float = setting(
        1.0, "time of a search whose request sets neither time nor simulations", least=0.001, most=MAX_SECONDS
    )
    max_seconds: float = setting(60.0, "most time of one search", least=0.001, most=MAX_SECONDS)
    max_simulations: int = setting(100_000_000, "most simulations of one search", least=1, most=MAX_SIMULATIONS)
    max_search_bytes: int = setting(
        256 * MEBIBYTE, "most memory of one search's tree, in bytes", least=MIN_MEMORY_BYTES, most=MOST_BYTES
    )
    max_total_bytes: int = setting(
        0,
        "most memory of all trees together, in bytes; what does not fit waits",
        least=0,
        most=MOST_BYTES,
        shown_default="twice slots times max_search_bytes",
    )
    max_request_bytes: int = setting(
        MEBIBYTE, "largest request, in bytes; a round's record takes less than 10 kB", least=1024, most=MEBIBYTE
    )

    max_held_bytes: int = setting(
        64 * MEBIBYTE,
        "most memory of the requests of all open calls, in bytes; one client may have a quarter",
        least=1024,
        most=MOST_BYTES,
    )
    max_connections: int = setting(
        1000, "connections that all clients together may have; further ones are closed", least=1, most=1_000_000
    )
    max_streams: int = setting(
        256,
        "calls that one connection may have open; a client with more waits on its own side",
        least=1,
        most=1_000_000,
    )
    max_calls: int = setting(
        1000, "calls that all clients together may have open; one client may have a quarter", least=1, most=1_000_000
    )
    max_watches: int = setting(
        100,
        "health watches and reflection streams that may be open, and health checks; one client may have a quarter",
        least=1,
        most=1_000_000,
    )
    request_seconds: float = setting(10.0, "time that a request has to arrive", least=0.01, most=DAY)
    write_seconds: float = setting(
        10.0, "time after which a stream ends whose reader takes nothing", least=0.01, most=DAY
    )

    client_calls: int = setting(0, "calls that one client may have open, 0 for any number", least=0, most=1_000_000)
    client_rate: int = setting(
        0, "calls that one client may begin in a minute, 0 for any number", least=0, most=1_000_000
    )

    grace_seconds: float = setting(5.0, "time that calls in flight have to end after SIGTERM", least=0, most=DAY)
    drain_delay: float = setting(
        0.0, "seconds of NOT_SERVING before calls are refused, for load balancers to notice", least=0, most=DAY
    )
    keepalive_seconds: float = setting(60.0, "seconds of silence before a client is pinged", least=1, most=DAY)
    keepalive_timeout: float = setting(20.0, "seconds that a client has to answer a ping", least=1, most=DAY)
    min_ping_seconds: float = setting(20.0, "clients that ping more often are cut off", least=0, most=DAY)
    max_idle_seconds: float = setting(
        120.0, "time after which a connection without a call is closed in good order", least=1, most=DAY
    )
    max_connection_seconds: float = setting(
        300.0, "age at which a connection is closed in good order, so that clients spread", least=1, most=DAY
    )

    log_format: str = setting("json", "form of the log on standard error", choices=("json", "text"))
    log_level: str = setting("info", "what is logged", choices=("debug", "info", "warning", "error"))
    metrics_host: str = setting("127.0.0.1", "name or address to serve Prometheus metrics on")
    metrics_port: int | None = setting(
        None, "TCP port to serve Prometheus metrics on, 0 for any", least=0, most=65535, shown_default="no metrics"
    )
    otlp_endpoint: str = setting("", "where OpenTelemetry spans go, such as http://127.0.0.1:4317; needs sniffai[otel]")

    health_ca: str = setting("", "file with the CAs that `sniffai-server health` trusts, PEM", shown_default="tls_cert")
    health_cert: str = setting("", "file with the certificate that `sniffai-server health` shows, PEM")
    health_key: str = setting("", "file with the private key of health_cert, PEM")
    health_name: str = setting("", "name that `sniffai-server health` expects in the server's certificate")

    def __post_init__(self) -> None:
        for one in settings_fields():
            self._check(one)
        self._check_hosts()
        for name, other in (("tls_cert", "tls_key"), ("health_cert", "health_key")):
            if bool(getattr(self, name)) != bool(getattr(self, other)):
                missing, given = (name, other) if getattr(self, other) else (other, name)
                raise SettingError(missing, f"is needed as well, since {given} is given")
        if self.tls_client_ca and not self.tls_cert:
            raise SettingError("tls_cert", "is needed as well, since tls_client_ca is given")
        if self.max_total_bytes and self.max_total_bytes < MIN_MEMORY_BYTES:
            raise SettingError("max_total_bytes", f"0 or at least {MIN_MEMORY_BYTES:,} is expected")

    def _check(self, one: "Field[Any]") -> None:
        value = getattr(self, one.name)
        if not is_of(one, value):
            raise SettingError(one.name, f"{type_name(one)} is expected")
        if fault := rule_of(one).fault(value):
            raise SettingError(one.name, fault)
        if isinstance(value, str) and not value.isprintable():
            raise SettingError(one.name, f"a text without control characters is expected, not {shown(value)}")

    def _check_hosts(self) -> None:
        for name in ("host", "metrics_host"):
            try:
                if name != "host" or read_unix(self.host) is None:
                    read_host(getattr(self, name))
            except AddressError as error:
                raise SettingError(name, str(error)) from None

    @property
    def search_memory(self) -> int:
        """Bytes that all trees may take together: by default as much again, for searches that have made way."""
        return self.max_total_bytes or 2 * self.slots * self.max_search_bytes

    @property
    def caps(self) -> EffectiveLimits:
        """The most that one request can ask for."""
        memory = min(self.max_search_bytes, self.search_memory)
        return EffectiveLimits(simulations=self.max_simulations, seconds=self.max_seconds, memory_bytes=memory)

    @property
    def default_limits(self) -> EffectiveLimits:
        """The limits of a search whose request sets none."""
        return replace(self.caps, seconds=min(self.default_seconds, self.max_seconds))

    @property
    def socket(self) -> Address | None:
        """The Unix socket to listen on; ``None`` for a host and a port."""
        return read_unix(self.host)

    @property
    def host_name(self) -> str:
        """The host, without the brackets of an IPv6 address; only where :attr:`socket` is ``None``."""
        return read_host(self.host)

    @property
    def metrics_host_name(self) -> str:
        """The same of the host for metrics."""
        return read_host(self.metrics_host)

    @property
    def address(self) -> str:
        """``host:port``, an IPv6 host in brackets, or ``unix:path``."""
        return self.socket.text if self.socket else join_address(self.host_name, self.port)

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the address."""
        return self.socket is not None or is_loopback(self.host_name)

    @property
    def reflects(self) -> bool:
        """Whether reflection is served."""
        return self.is_local if self.reflection is None else self.reflection


def settings_fields() -> "Iterator[Field[Any]]":
    """The fields of :class:`Settings`, in order."""
    yield from fields(Settings)


def rule_of(one: "Field[Any]") -> Rule:
    """What a setting may be."""
    rule: Rule = one.metadata["rule"]
    return rule


def kind_of(one: "Field[Any]") -> type:
    """The type of a setting's value, ``None`` aside."""
    types: dict[Any, type] = {bool | None: bool, int | None: int, bool: bool, int: int, float: float, str: str}
    return types[one.type]


def default_of(one: "Field[Any]") -> Any:
    """The value of a setting that nobody gives."""
    return one.default if one.default_factory is MISSING else one.default_factory()


def is_of(one: "Field[Any]", value: object) -> bool:
    """Whether a value is of a setting's type; a whole number passes for a number."""
    kind = kind_of(one)
    if value is None:
        return one.type in (bool | None, int | None)
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return type(value) is kind


def type_name(one: "Field[Any]") -> str:
    """The type of a setting's value in words."""
    return {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}[kind_of(one)]
