"""Which web pages may call the services.

A browser sends the requests of any page that its user opens, also to a server that only its own machine can reach. So
calls of pages from elsewhere are refused unless the settings name their origin, and a server of this machine alone
answers only to names of this machine: another name that leads here is a page's trick to look like the server's own.
"""

import ipaddress
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.middleware.cors import CORSMiddleware

from sniffai_server.calls.refusals import HttpRefusedError
from sniffai_server.settings import ANY_ORIGIN, Settings

SENT: Final = (
    "Authorization",
    "Connect-Protocol-Version",
    "Connect-Timeout-Ms",
    "Content-Type",
    "Grpc-Timeout",
    "Traceparent",
    "X-Grpc-Web",
    "X-Request-Id",
    "X-User-Agent",
)
"""Headers that pages may send."""
READ: Final = (
    "Grpc-Message",
    "Grpc-Status",
    "Grpc-Status-Details-Bin",
    "Retry-After",
    "Trailer-Sniffai-Search-Ms",
    "Trailer-X-Request-Id",
)
"""Headers that pages may read."""
MEMORY_SECONDS: Final = 7200
"""How long a browser may remember what a page may do; browsers allow no more."""


class Origins:
    """The origins of one server's settings.

    :param is_local: whether only this machine can reach the port.
    """

    def __init__(self, settings: Settings, *, is_local: bool) -> None:
        self._origins = settings.origins
        self._all = ANY_ORIGIN in settings.origins
        self._names = None
        if is_local and not self._all:
            own = (settings.web_host_name.lower(), *(urlsplit(origin).hostname for origin in self._origins))
            self._names = {"localhost", *own}

    def around(self, app: Any) -> Any:
        """The application, with the headers that let pages of the allowed origins call it (CORS)."""
        if not self._origins:
            return app
        return CORSMiddleware(
            app,
            allow_origins=self._origins,
            allow_methods=("GET", "POST"),
            allow_headers=SENT,
            allow_private_network=True,
            expose_headers=READ,
            max_age=MEMORY_SECONDS,
        )

    def refusal(self, headers: Mapping[bytes, bytes]) -> HttpRefusedError | None:
        """Why a page may not send a request; ``None`` if it may, or if no page sends it."""
        host = _text(headers, b"host").lower()
        if self._names is not None and not self._is_here(host):
            return HttpRefusedError(
                "HOST_REFUSED", "the server is known by another name here: web_origins has those of other pages", 403
            )
        origin = _text(headers, b"origin")
        if self._all or origin in self._origins:
            return None
        foreign = _text(headers, b"sec-fetch-site") in ("cross-site", "same-site")
        if (origin and urlsplit_netloc(origin) != host) or (not origin and foreign):
            return HttpRefusedError(
                "ORIGIN_REFUSED", "pages of this origin may not call the server: see web_origins", 403
            )
        return None

    def _is_here(self, host: str) -> bool:
        """Whether the host of a URL is this machine, told from its name alone."""
        name = host.rpartition("]")[0].lstrip("[") if host.startswith("[") else host.partition(":")[0]
        if name in (self._names or ()) or name.endswith(".localhost"):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def urlsplit_netloc(origin: str) -> str:
    """The host and port of an origin."""
    return origin.rpartition("://")[2].lower()


def _text(headers: Mapping[bytes, bytes], name: bytes) -> str:
    return headers.get(name, b"").decode("latin-1")
