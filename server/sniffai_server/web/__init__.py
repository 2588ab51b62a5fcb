"""The services over HTTP: Connect and gRPC-Web on a port of their own, for browsers, phones and curl.

Everything else here needs the extra ``web`` and is imported only if the settings ask for HTTP.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import grpc

from sniffai.extras import what_to_install
from sniffai_server.access.tls import Certificates
from sniffai_server.settings import Settings

if TYPE_CHECKING:
    from sniffai_server.web.server import Web


class WebError(Exception):
    """HTTP cannot be served; ``str()`` says why."""


def web_of(
    settings: Settings, certificates: Certificates | None, interceptors: Sequence[grpc.aio.ServerInterceptor]
) -> "Web | None":
    """What serves HTTP; ``None`` if the settings do not ask for it.

    :raises WebError: the extra is not installed.
    """
    if settings.http_port is None:
        return None
    try:
        from sniffai_server.web.server import Web
    except ImportError as error:
        advice = what_to_install(error, "web")
        if advice is None:
            raise
        raise WebError(advice) from error
    return Web(settings, certificates, interceptors)
