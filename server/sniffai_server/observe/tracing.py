"""OpenTelemetry spans, one for each call, sent by OTLP. Needs the extra ``otel``."""

from collections.abc import Mapping
from typing import Any, Final

import grpc

from sniffai.addresses import Address, AddressError, read_address
from sniffai.checks import shown
from sniffai.client.proxies import DIRECT
from sniffai.version import VERSION

FAULTS: Final = ("UNKNOWN", "DEADLINE_EXCEEDED", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS")
"""Statuses that are the server's failure, by OpenTelemetry's conventions for servers."""
NUMBERS: Final = {code.name: code.value[0] for code in grpc.StatusCode}


EXPORT_SECONDS: Final = 2
"""Time limit for sending spans, so that a missing collector does not delay the shutdown for longer."""


class TracingError(Exception):
    """Tracing cannot start; ``str()`` says why."""


class Tracing:
    """Makes a span for each call of a server.

    :param provider: OpenTelemetry's ``TracerProvider``.
    :raises TracingError: OpenTelemetry is not installed.
    """

    def __init__(self, provider: Any) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("sniffai_server", VERSION)
        self._trace = _import("opentelemetry.trace")
        self._propagator = _import("opentelemetry.trace.propagation.tracecontext").TraceContextTextMapPropagator()

    @classmethod
    def to(cls, endpoint: str) -> "Tracing":
        """Tracing that sends spans to an OTLP collector over gRPC, such as ``http://127.0.0.1:4317``.

        :raises TracingError: OpenTelemetry is not installed, its variables are invalid, or the endpoint is.
        """
        address, plain = read_endpoint(endpoint)
        sdk, export = _import("opentelemetry.sdk.trace"), _import("opentelemetry.sdk.trace.export")
        resources = _import("opentelemetry.sdk.resources")
        otlp = _import("opentelemetry.exporter.otlp.proto.grpc.trace_exporter")
        resource = resources.Resource.create({"service.name": "sniffai-server", "service.version": VERSION})
        options = (DIRECT,) if address.is_local else ()
        try:
            provider = sdk.TracerProvider(resource=resource, shutdown_on_exit=False)
            exporter = otlp.OTLPSpanExporter(
                endpoint=endpoint, insecure=plain, timeout=EXPORT_SECONDS, channel_options=options
            )
            provider.add_span_processor(export.BatchSpanProcessor(exporter))
        except Exception as error:  # one of OpenTelemetry's own variables is invalid
            raise TracingError(f"OpenTelemetry cannot start; check the variables OTEL_...: {error!r}") from error
        return cls(provider)

    def begin(self, method: str, metadata: Any) -> Any:
        """Start the span of a call. A ``traceparent`` in the metadata is its parent."""
        carrier = {key: value for key, value in metadata or () if isinstance(value, str)}
        service, _, name = method.rpartition("/")
        return self._tracer.start_span(
            method,
            context=self._propagator.extract(carrier),
            kind=self._trace.SpanKind.SERVER,
            attributes={"rpc.system": "grpc", "rpc.service": service, "rpc.method": name},
        )

    def end(self, span: Any, fields: Mapping[str, Any]) -> None:
        """End a span; ``fields`` are those of the call's log line."""
        code = fields["code"]
        span.set_attribute("rpc.grpc.status_code", NUMBERS[code])
        for name, value in fields.items():
            if name not in ("method", "code", "seconds"):
                span.set_attribute(f"sniffai.{name}", value)
        if code in FAULTS:
            span.set_status(self._trace.StatusCode.ERROR, fields.get("reason", code))
        span.end()

    def close(self) -> None:
        """Send the remaining spans, which may take long."""
        self._provider.shutdown()


def read_endpoint(endpoint: str) -> tuple[Address, bool]:
    """The address of a collector, and whether it is reached in plaintext.

    :raises TracingError: the endpoint is not ``http://HOST:PORT`` or ``https://HOST:PORT``.
    """
    scheme, _, rest = endpoint.strip().rpartition("://")
    if scheme.lower() not in ("http", "https"):
        raise TracingError(f"otlp_endpoint: http://HOST:PORT or https://HOST:PORT is expected, not {shown(endpoint)}")
    try:
        return read_address(rest.rstrip("/")), scheme.lower() == "http"
    except AddressError as error:
        raise TracingError(f"otlp_endpoint: {error}") from None


def _import(module: str) -> Any:
    try:
        return __import__(module, fromlist=["_"])
    except ImportError as error:
        raise TracingError("otlp_endpoint requires OpenTelemetry: pip install 'sniffai[otel]'") from error
