"""The ASGI application of the HTTP port: calls of methods, and the files of the page."""

from typing import Any

from sniffai_server.settings import Settings
from sniffai_server.web.calls import Calls
from sniffai_server.web.methods import Methods
from sniffai_server.web.origins import Origins
from sniffai_server.web.reply import Reply


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
        is_file = self._pages is not None and scope["method"] in ("GET", "HEAD") and scope["path"] not in self._methods
        try:
            await (self._pages if is_file else self._calls)(scope, reply.receive, reply.send)
        finally:
            connection.call_ends(whole=reply.whole)
