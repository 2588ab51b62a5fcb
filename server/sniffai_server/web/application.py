"""The ASGI application of the HTTP port: calls of methods, and the files of the page."""

from http import HTTPStatus
from typing import Any, Final

from starlette.responses import PlainTextResponse

from sniffai_server.settings import Settings
from sniffai_server.web.calls import Calls
from sniffai_server.web.methods import Methods
from sniffai_server.web.origins import Origins
from sniffai_server.web.reply import Reply

HEAD_BYTES: Final = 16_384
"""The most that the URL and the headers of a request may have; the port limits only heads that arrive in pieces."""


class Application:
    """Passes requests to calls or pages.

    :param pages: serves files; ``None`` for none.
    """

    def __init__(self, methods: Methods, calls: Calls, pages: Any, origins: Origins, settings: Settings) -> None:
        self._methods = methods
        self._calls = origins.around(calls)
        self._pages = pages
        self._write_seconds = settings.write_seconds

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answer one request."""
        connection = scope["state"]["connection"]
        connection.call_begins()
        reply = Reply(scope, receive, send, connection, self._write_seconds)
        scope["state"]["reply"] = reply
        try:
            await self._answerer(scope)(scope, reply.receive, reply.send)
        finally:
            connection.call_ends(whole=reply.whole)

    def _answerer(self, scope: dict[str, Any]) -> Any:
        """The ASGI application that answers a request."""
        fault = _fault(scope)
        if fault is not None:
            return PlainTextResponse(f"{fault.phrase}\n", fault, {"connection": "close"})
        is_file = self._pages is not None and scope["method"] in ("GET", "HEAD") and scope["path"] not in self._methods
        return self._pages if is_file else self._calls


def _fault(scope: dict[str, Any]) -> HTTPStatus | None:
    """Why a connection ends without an answer to its request; ``None`` if the request is sound."""
    sizes = [len(scope["raw_path"]), len(scope["query_string"])]
    sizes += [len(name) + len(value) for name, value in scope["headers"]]
    if sum(sizes) > HEAD_BYTES:
        return HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
    names = {name for name, _ in scope["headers"]}
    if {b"content-length", b"transfer-encoding"} <= names:
        return HTTPStatus.BAD_REQUEST  # a proxy in front may see another request than this server does (RFC 9112, 6.3)
    return None
