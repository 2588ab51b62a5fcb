"""Calls of methods by Connect and gRPC-Web, as an ASGI application.

Whatever comes in as a POST is a call: it gets a request id, a log line and metrics like calls of the gRPC port, even if
it is refused because its content type or its method does not exist.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qs

import grpc
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.server import ConnectASGIApplication, Endpoint
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import Message

from sniffai_server.calls.handlers import unknown_method
from sniffai_server.calls.refusals import HttpRefusedError
from sniffai_server.settings import Settings
from sniffai_server.web.codecs import JsonCodec, ProtoCodec
from sniffai_server.web.exchange import EXCHANGE, Exchange, Gate
from sniffai_server.web.methods import Method, Methods
from sniffai_server.web.origins import Origins
from sniffai_server.web.reply import Reply

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

REFUSED: Final = "/refused"
"""The path under which the Connect library writes the errors of requests that it would not answer in JSON."""
UNKNOWN: Final = "unknown"
"""The name of all methods that do not exist, in log and metrics."""
UNARY: Final = ("application/json", "application/proto")
STREAM: Final = ("application/connect+json", "application/connect+proto")
GRPC_WEB: Final = ("application/grpc-web", "application/grpc-web+proto", "application/grpc-web+json")
NOBODY: Final[MethodInfo[Any, Any]] = MethodInfo(
    name="refused",
    service_name="",
    input=bytes,
    output=Message,
    idempotency_level=IdempotencyLevel.UNKNOWN,
    stream_type=StreamType.UNARY,
)


class _Connect(ConnectASGIApplication[None]):
    """The Connect library's application for some methods."""

    path = ""


class Calls:
    """Serves methods by HTTP.

    :param interceptors: those of the gRPC port. The first of them sees refused requests, too.
    """

    def __init__(
        self,
        methods: Methods,
        interceptors: Sequence[grpc.aio.ServerInterceptor],
        origins: Origins,
        settings: Settings,
    ) -> None:
        self._methods = methods
        self._interceptors = interceptors
        self._origins = origins
        self._most = settings.max_request_bytes
        self._turn = asyncio.Lock()
        endpoints: dict[str, Any] = {path: _endpoint(method.info) for path, method in methods.items()}
        endpoints[REFUSED] = _endpoint(NOBODY)
        self._connect = _Connect(
            service=None,
            endpoints=lambda _: endpoints,
            interceptors=[Gate()],
            read_max_bytes=settings.max_request_bytes,
            compressions=(),
            codecs=[ProtoCodec(), JsonCodec()],
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. What it sends goes through the reply in the scope."""
        reply: Reply = scope["state"]["reply"]
        method, interceptors = self._methods.get(scope["path"]), self._interceptors
        headers = dict(scope["headers"])
        refusal = self._origins.refusal(headers)
        if refusal is None and method is not None:
            refusal = _refusal(scope, headers, method)
        if refusal is not None:
            if refusal.status == HTTPStatus.METHOD_NOT_ALLOWED and method is not None:
                reply.allow = _verbs(method)
            method = (method or Method(UNKNOWN, unknown_method(), Empty, NOBODY)).refusing(refusal, NOBODY)
            reply.status, interceptors = refusal.status, interceptors[:1]
            scope = _as_refused(scope)
        elif method is None:
            method, reply.status = Method(scope["path"].lstrip("/"), None, Empty, NOBODY), HTTPStatus.NOT_FOUND
            scope = _as_refused(scope)
        exchange = Exchange(method, interceptors, reply.connection, self._most, self._turn)
        EXCHANGE.set(exchange)

        async def received() -> Any:
            return await exchange.receive(receive)

        try:
            await self._connect(scope, received, send)
        finally:
            exchange.close()


def _endpoint(info: MethodInfo[Any, Any]) -> Any:
    if info.stream_type is StreamType.SERVER_STREAM:
        return Endpoint.server_stream(info, lambda body, _: EXCHANGE.get().answers(body))
    return Endpoint.unary(info, lambda body, _: EXCHANGE.get().answer(body))


def _refusal(scope: Scope, headers: Mapping[bytes, bytes], method: Method) -> HttpRefusedError | None:
    """Why the library would answer a request without asking :class:`Gate`; ``None`` if it asks."""
    verb = scope["method"]
    allowed = _verbs(method)
    if verb not in allowed:
        return HttpRefusedError(
            "WRONG_HTTP_METHOD", f"{' or '.join(allowed)} is expected, not {verb[:20]}", HTTPStatus.METHOD_NOT_ALLOWED
        )
    if not all(value.isascii() for _, value in scope["headers"]):
        return HttpRefusedError("MALFORMED_CALL", "a header holds a character that is not ASCII")
    timeout = _header(headers, b"connect-timeout-ms")
    if timeout and not re.fullmatch(r"[0-9]{1,10}", timeout):
        return HttpRefusedError(
            "MALFORMED_CALL", "connect-timeout-ms: a whole number of milliseconds of at most 10 digits is expected"
        )
    version = _header(headers, b"connect-protocol-version")
    if version not in ("", "1"):
        return HttpRefusedError("MALFORMED_CALL", "connect-protocol-version: 1 is expected")
    if verb == "GET":
        return _query_refusal(scope["query_string"].decode())
    expected = (*(STREAM if method.streams else UNARY), *GRPC_WEB)
    given = _header(headers, b"content-type").partition(";")[0].strip().lower()
    if given in expected:
        return None
    shown = given[:80] if given.isprintable() else ""
    return HttpRefusedError(
        "WRONG_CONTENT_TYPE",
        f"{expected[0]} or {expected[1]} is expected as content type, not {shown or 'none'}",
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    )


def _verbs(method: Method) -> tuple[str, ...]:
    """The methods of HTTP by which a method may be called."""
    return ("POST", "GET") if method.reads_only else ("POST",)


def _query_refusal(query: str) -> HttpRefusedError | None:
    """Why the library would not answer a GET; ``None`` if it does."""
    encoding = parse_qs(query).get("encoding", [""])[0]
    if encoding in ("json", "proto"):
        return None
    return HttpRefusedError("MALFORMED_CALL", "encoding=json or encoding=proto is expected in the query")


def _header(headers: Mapping[bytes, bytes], name: bytes) -> str:
    return headers.get(name, b"").decode("latin-1")


def _as_refused(scope: Scope) -> Scope:
    """A request that the library passes to :class:`Gate`, so that the error is written in JSON."""
    dropped = (b"content-type", b"content-encoding", b"connect-protocol-version", b"connect-timeout-ms")
    headers = [(key, value) for key, value in scope["headers"] if key not in dropped and value.isascii()]
    headers.append((b"content-type", b"application/json"))
    return {**scope, "path": REFUSED, "method": "POST", "headers": headers}
