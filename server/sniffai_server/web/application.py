"""The ASGI application: calls of methods by Connect and gRPC-Web.

Whatever comes in as a POST is a call: it gets a request id, a log line and metrics like calls of the gRPC port, even if
it is refused because its content type or its method does not exist.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import grpc
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.server import ConnectASGIApplication, Endpoint
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import Message

from sniffai_server.calls.refusals import HttpRefusedError
from sniffai_server.settings import Settings
from sniffai_server.web.codecs import JsonCodec, ProtoCodec
from sniffai_server.web.exchange import EXCHANGE, Exchange, Gate
from sniffai_server.web.methods import Method, Methods
from sniffai_server.web.reply import Reply

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

REFUSED: Final = "/refused"
"""The path under which the Connect library writes the errors of requests that it would not answer in JSON."""
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


class Application:
    """Serves methods by HTTP.

    :param interceptors: those of the gRPC port. The first of them sees refused requests, too.
    """

    def __init__(
        self, methods: Methods, interceptors: Sequence[grpc.aio.ServerInterceptor], settings: Settings
    ) -> None:
        self._methods = methods
        self._interceptors = interceptors
        self._settings = settings
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
        """Answer one request."""
        connection = scope["state"]["connection"]
        connection.call_begins()
        reply = Reply(scope, receive, send, connection, self._settings.write_seconds)
        try:
            await self._answer(scope, reply)
        finally:
            connection.call_ends(whole=reply.whole)

    async def _answer(self, scope: Scope, reply: Reply) -> None:
        method, interceptors = self._methods.get(scope["path"]), self._interceptors
        if method is None:
            method, reply.status = Method(scope["path"].lstrip("/"), None, Empty, NOBODY), 404
            scope = _as_refused(scope)
        elif (refusal := _refusal(scope, method)) is not None:
            method, reply.status = method.refusing(refusal, NOBODY), refusal.status
            scope, interceptors = _as_refused(scope), interceptors[:1]
        exchange = Exchange(method, interceptors, reply.connection, self._settings.max_request_bytes, self._turn)
        EXCHANGE.set(exchange)

        async def receive() -> Any:
            return await exchange.receive(reply.receive)

        try:
            await self._connect(scope, receive, reply.send)
        finally:
            exchange.close()


def _endpoint(info: MethodInfo[Any, Any]) -> Any:
    if info.stream_type is StreamType.SERVER_STREAM:
        return Endpoint.server_stream(info, lambda body, _: EXCHANGE.get().answers(body))
    return Endpoint.unary(info, lambda body, _: EXCHANGE.get().answer(body))


def _refusal(scope: Scope, method: Method) -> HttpRefusedError | None:
    """Why the library would answer a request without asking :class:`Gate`; ``None`` if it asks."""
    allowed = ("POST", "GET") if method.reads_only else ("POST",)
    if scope["method"] not in allowed:
        return HttpRefusedError(
            "WRONG_HTTP_METHOD", f"{' or '.join(allowed)} is expected, not {scope['method'][:20]}", 405
        )
    timeout = _header(scope, b"connect-timeout-ms")
    if timeout and not re.fullmatch(r"[0-9]{1,10}", timeout):
        return HttpRefusedError(
            "MALFORMED_CALL", "connect-timeout-ms: a whole number of milliseconds of at most 10 digits is expected"
        )
    version = _header(scope, b"connect-protocol-version")
    if version not in ("", "1"):
        return HttpRefusedError("MALFORMED_CALL", "connect-protocol-version: 1 is expected")
    if scope["method"] == "GET":
        return None
    expected = (*(STREAM if method.streams else UNARY), *GRPC_WEB)
    given = _header(scope, b"content-type").partition(";")[0].strip().lower()
    if given in expected:
        return None
    shown = given[:80] if given.isprintable() else ""
    return HttpRefusedError(
        "WRONG_CONTENT_TYPE", f"{expected[0]} or {expected[1]} is expected as content type, not {shown or 'none'}", 415
    )


def _header(scope: Scope, name: bytes) -> str:
    for key, value in scope["headers"]:
        if key == name:
            return str(value.decode("latin-1"))
    return ""


def _as_refused(scope: Scope) -> Scope:
    """A request that the library passes to :class:`Gate`, so that the error is written in JSON."""
    dropped = (b"content-type", b"content-encoding", b"connect-protocol-version", b"connect-timeout-ms")
    headers = [(key, value) for key, value in scope["headers"] if key not in dropped]
    headers.append((b"content-type", b"application/json"))
    return {**scope, "path": REFUSED, "method": "POST", "headers": headers}
