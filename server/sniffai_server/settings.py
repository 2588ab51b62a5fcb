"""The settings of a server: the one schema behind flags, environment variables, the file and the documentation.

A setting ``max_seconds`` is the flag ``--max-seconds``, the variable ``SNIFFAI_MAX_SECONDS`` and the key
``max_seconds`` of the file.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from typing import Any, Final

from sniffai.addresses import Address, AddressError, is_loopback, join_address, read_host, read_unix
from sniffai.checks import shown
from sniffai.errors import PortableError
from sniffai.search.params import MAX_SECONDS, MAX_SIMULATIONS, MIN_MEMORY_BYTES, EffectiveLimits
from sniffai_server.cores import usable_cores
from sniffai_server.urls import without_secrets

MEBIBYTE: Final = 1 << 20
MOST_BYTES: Final = 1 << 50
DAY: Final = 86_400
ANY_ORIGIN: Final = "*"
ORIGIN: Final = re.compile(r"https?://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")
"""An origin as browsers send it: in lower case, without a path."""
WEB_PORT: Final = 8080
"""The port for HTTP if only :attr:`Settings.web` is set."""


class SettingError(PortableError, ValueError):
    """An invalid setting; ``str()`` says what is expected.

    :param name: the setting.
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


@dataclass(frozen=True, slots=True)
class Rule:
    """What a setting means, and which values it allows."""

    text: str
    """Its description, without a full stop."""
    least: float | None
    most: float | None
    choices: tuple[str, ...]
    shown_default: str
    """The default in words, if it is not a fixed value."""

    def fault(self, value: object) -> str:
        """What is wrong with a value of the right type; empty if nothing is."""
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
        "127.0.0.1",
        "host name or IP address to listen on, or unix:PATH; the default accepts only calls from this machine",
    )
    port: int = setting(50051, "TCP port to listen on; 0 picks a free one", least=0, most=65535)
    insecure: bool = setting(False, "allow an address that other machines can reach without TLS")
    reflection: bool | None = setting(
        None,
        "serve gRPC reflection, so that tools can list services and messages",
        shown_default="only on loopback addresses",
    )
    tls_cert: str = setting("", "file with the server's certificate chain, PEM")
    tls_key: str = setting("", "file with the private key of tls_cert, PEM")
    tls_client_ca: str = setting("", "file with the CAs that sign client certificates, PEM; clients then need one")
    keys_file: str = setting(
        "", "file with the API keys, created by `sniffai-server key`; without it, no key is needed"
    )

    slots: int = setting(
        usable_cores,
        "number of searches that run at the same time",
        least=1,
        most=9999,
        shown_default="the CPU cores that the process may use",
    )
    queue_size: int = setting(64, "maximum number of searches that wait for a slot", least=0, most=100_000)
    default_seconds: float = setting(
        1.0, "seconds for a search whose request sets neither time nor simulations", least=0.001, most=MAX_SECONDS
    )
    max_seconds: float = setting(60.0, "maximum seconds for one search", least=0.001, most=MAX_SECONDS)
    max_simulations: int = setting(100_000_000, "maximum simulations for one search", least=1, most=MAX_SIMULATIONS)
    max_search_bytes: int = setting(
        256 * MEBIBYTE, "maximum memory for the tree of one search, in bytes", least=MIN_MEMORY_BYTES, most=MOST_BYTES
    )
    max_total_bytes: int = setting(
        0,
        "maximum memory for all trees together, in bytes; searches that do not fit wait",
        least=0,
        most=MOST_BYTES,
        shown_default="twice slots times max_search_bytes",
    )
    max_request_bytes: int = setting(
        MEBIBYTE,
        "maximum size of a request, in bytes; the record of a round takes less than 10 kB",
        least=1024,
        most=MEBIBYTE,
    )

    max_held_bytes: int = setting(
        64 * MEBIBYTE,
        "maximum memory for the requests of all open calls, in bytes; one client may use a quarter",
        least=1024,
        most=MOST_BYTES,
    )
    max_connections: int = setting(
        1000, "maximum number of connections from all clients; further ones are closed", least=1, most=1_000_000
    )
    max_streams: int = setting(
        256,
        "maximum number of open calls per connection; a client with more waits",
        least=1,
        most=1_000_000,
    )
    max_calls: int = setting(
        1000, "maximum number of open calls from all clients; one client may have a quarter", least=1, most=1_000_000
    )
    max_watches: int = setting(
        100,
        "maximum number of open health watches and reflection streams, and of health checks; a quarter per client",
        least=1,
        most=1_000_000,
    )
    request_seconds: float = setting(10.0, "seconds within which a request must arrive", least=0.01, most=DAY)
    write_seconds: float = setting(
        10.0, "seconds after which a stream ends if its client reads nothing", least=0.01, most=DAY
    )

    matches_database: str = setting(
        "",
        "where hosted matches are kept: the path of a file, a URL such as postgresql://user@host/name, or memory",
        shown_default="matches.db in the state directory; memory if it cannot be used",
    )
    max_matches: int = setting(
        1000,
        "maximum number of matches that wait for players or are played; one client may have a quarter, one without a"
        " key or certificate a quarter of what the others leave",
        least=1,
        most=10_000_000,
    )
    max_match_watches: int = setting(
        500,
        "maximum number of calls that watch matches or wait for their next event; a quarter per client",
        least=1,
        most=1_000_000,
    )
    match_wait_seconds: float = setting(
        1.0 * DAY,
        "seconds after which a match with a free seat ends if nobody takes one",
        least=1,
        most=3650 * DAY,
    )
    match_idle_seconds: float = setting(
        7.0 * DAY, "seconds without an event after which a match that is played ends", least=1, most=3650 * DAY
    )
    match_untouched_seconds: float = setting(
        1800.0,
        "seconds without an event after which a match of a client without a key or certificate ends if no person has"
        " ever moved in it and less than a quarter of max_matches is free",
        least=1,
        most=3650 * DAY,
    )
    match_keep_days: float = setting(
        90.0, "days after which a match that is over is removed; 0 keeps it for ever", least=0, most=36_500
    )
    max_kept_matches: int = setting(
        100_000,
        "maximum number of matches that are over and kept; the oldest are removed first; one client may have a quarter",
        least=1,
        most=1_000_000_000,
    )
    level_pause: float = setting(
        0.5,
        "seconds between two moments at which the move of a level may appear, so that it does not show how hard the"
        " move was; 0 shows it at once",
        least=0,
        most=60,
    )

    jobs: bool = setting(
        False, "run jobs of bulk work, for clients whose entry in keys_file has jobs = true; without a file, for all"
    )
    job_seconds: float = setting(600.0, "maximum seconds for which one job runs", least=0.1, most=DAY)
    job_bytes: int = setting(
        1024 * MEBIBYTE,
        "maximum memory of a process that runs jobs, in bytes; there are at most twice as many as slots",
        least=256 * MEBIBYTE,
        most=MOST_BYTES,
    )

    client_calls: int = setting(0, "maximum number of open calls per client; 0 for no limit", least=0, most=1_000_000)
    client_rate: int = setting(
        0, "maximum number of calls per client and minute; 0 for no limit", least=0, most=1_000_000
    )

    grace_seconds: float = setting(5.0, "seconds that open calls have to finish after SIGTERM", least=0, most=DAY)
    drain_delay: float = setting(
        0.0, "seconds between NOT_SERVING and the refusal of calls, so that load balancers notice", least=0, most=DAY
    )
    keepalive_seconds: float = setting(60.0, "seconds of silence after which a client is pinged", least=1, most=DAY)
    keepalive_timeout: float = setting(20.0, "seconds within which a client must answer a ping", least=1, most=DAY)
    min_ping_seconds: float = setting(
        20.0,
        "minimum seconds between two pings of a client; clients that ping more often are disconnected",
        least=0,
        most=DAY,
    )
    max_idle_seconds: float = setting(
        120.0, "seconds after which a connection without calls is closed gracefully", least=1, most=DAY
    )
    max_connection_seconds: float = setting(
        300.0,
        "age in seconds at which a connection is closed gracefully, so that clients spread over servers",
        least=1,
        most=DAY,
    )

    log_format: str = setting("json", "format of the log on standard error", choices=("json", "text"))
    log_level: str = setting("info", "lowest level that is logged", choices=("debug", "info", "warning", "error"))
    metrics_host: str = setting("127.0.0.1", "host name or IP address for Prometheus metrics")
    metrics_port: int | None = setting(
        None, "TCP port for Prometheus metrics; 0 picks a free one", least=0, most=65535, shown_default="no metrics"
    )
    web: bool = setting(False, "serve the page to play and study in a browser, on web_port; needs sniffai[web]")
    web_host: str = setting("127.0.0.1", "host name or IP address for HTTP")
    web_port: int | None = setting(
        None,
        "TCP port for HTTP, where browsers, phones and curl call the services; 0 picks a free one; needs sniffai[web]",
        least=0,
        most=65535,
        shown_default="no HTTP, or 8080 if web is set",
    )
    web_origins: str = setting(
        "",
        "origins whose web pages may call the services, such as https://play.example.com, with spaces between them;"
        " * for all",
        shown_default="only the server's own page",
    )
    otlp_endpoint: str = setting(
        "", "endpoint for OpenTelemetry spans, such as http://127.0.0.1:4317; needs sniffai[otel]"
    )

    health_ca: str = setting("", "file with the CAs that `sniffai-server health` trusts, PEM", shown_default="tls_cert")
    health_cert: str = setting("", "file with the client certificate of `sniffai-server health`, PEM")
    health_key: str = setting("", "file with the private key of health_cert, PEM")
    health_name: str = setting("", "host name that `sniffai-server health` expects in the server's certificate")

    def __post_init__(self) -> None:
        for spec in settings_fields():
            self._check(spec)
        self._check_hosts()
        self._check_origins()
        for name, other in (("tls_cert", "tls_key"), ("health_cert", "health_key")):
            if bool(getattr(self, name)) != bool(getattr(self, other)):
                missing, given = (name, other) if getattr(self, other) else (other, name)
                raise SettingError(missing, f"is required together with {given}")
        if self.tls_client_ca and not self.tls_cert:
            raise SettingError("tls_cert", "is required together with tls_client_ca")
        if self.max_total_bytes and self.max_total_bytes < MIN_MEMORY_BYTES:
            raise SettingError("max_total_bytes", f"0 or at least {MIN_MEMORY_BYTES:,} is expected")

    def _check(self, spec: "Field[Any]") -> None:
        value = getattr(self, spec.name)
        if not is_of(spec, value):
            raise SettingError(spec.name, f"{type_name(spec)} is expected")
        if fault := rule_of(spec).fault(value):
            raise SettingError(spec.name, fault)
        if isinstance(value, str) and not value.isprintable():
            raise SettingError(
                spec.name, f"a text without control characters is expected, not {shown(without_secrets(value))}"
            )

    def _check_origins(self) -> None:
        for origin in self.origins:
            if origin != ANY_ORIGIN and not ORIGIN.fullmatch(origin):
                raise SettingError(
                    "web_origins",
                    f"an origin such as https://play.example.com or http://localhost:5173 is expected,"
                    f" not {shown(origin)}",
                )

    def _check_hosts(self) -> None:
        for name in ("host", "metrics_host", "web_host"):
            try:
                if name != "host" or read_unix(self.host) is None:
                    read_host(getattr(self, name))
            except AddressError as error:
                raise SettingError(name, str(error)) from None

    @property
    def search_memory(self) -> int:
        """Bytes that all trees may take together. The default leaves as much again for paused searches."""
        return self.max_total_bytes or 2 * self.slots * self.max_search_bytes

    @property
    def caps(self) -> EffectiveLimits:
        """The largest limits that a request can get."""
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
        """The host for metrics, without brackets."""
        return read_host(self.metrics_host)

    @property
    def web_host_name(self) -> str:
        """The host for HTTP, without brackets."""
        return read_host(self.web_host)

    @property
    def origins(self) -> tuple[str, ...]:
        """The origins in :attr:`web_origins`."""
        return tuple(self.web_origins.split())

    @property
    def http_port(self) -> int | None:
        """The TCP port for HTTP; ``None`` for none."""
        return WEB_PORT if self.web and self.web_port is None else self.web_port

    @property
    def address(self) -> str:
        """``host:port``, an IPv6 host in brackets, or ``unix:path``."""
        return self.socket.text if self.socket else join_address(self.host_name, self.port)

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the address."""
        return self.socket is not None or is_loopback(self.host_name)

    @property
    def exposed_host(self) -> str | None:
        """A host that other machines can reach, as far as its name tells; ``None`` if there is none."""
        if not self.is_local:
            return self.host
        return self.web_host if self.http_port is not None and not is_loopback(self.web_host_name) else None

    @property
    def reflects(self) -> bool:
        """Whether reflection is served."""
        return self.is_local if self.reflection is None else self.reflection


def settings_fields() -> "Iterator[Field[Any]]":
    """The fields of :class:`Settings`, in order."""
    yield from fields(Settings)


def rule_of(spec: "Field[Any]") -> Rule:
    """The values that a setting allows."""
    rule: Rule = spec.metadata["rule"]
    return rule


def kind_of(spec: "Field[Any]") -> type:
    """The type of a setting's value, ``None`` aside."""
    types: dict[Any, type] = {bool | None: bool, int | None: int, bool: bool, int: int, float: float, str: str}
    return types[spec.type]


def default_of(spec: "Field[Any]") -> Any:
    """The value of a setting that is not given."""
    return spec.default if spec.default_factory is MISSING else spec.default_factory()


def is_of(spec: "Field[Any]", value: object) -> bool:
    """Whether a value has the type of a setting. A whole number counts as a number."""
    kind = kind_of(spec)
    if value is None:
        return spec.type in (bool | None, int | None)
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return type(value) is kind


def type_name(spec: "Field[Any]") -> str:
    """The type of a setting's value in words."""
    return {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}[kind_of(spec)]
