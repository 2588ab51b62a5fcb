"""HTTP of one server: its application and its port."""

from collections.abc import Sequence
from typing import Final

import grpc

from sniffai.addresses import join_address
from sniffai_server.access.tls import Certificates, SecurityError
from sniffai_server.settings import Settings
from sniffai_server.web.application import Application
from sniffai_server.web.calls import Calls
from sniffai_server.web.methods import Methods
from sniffai_server.web.origins import Origins
from sniffai_server.web.pages import Pages
from sniffai_server.web.port import WebPort


class Web:
    """Serves the methods that are added to it. Created inside a running event loop.

    :param certificates: for HTTPS; ``None`` for plaintext.
    :param interceptors: those of the gRPC port.
    """

    def __init__(
        self,
        settings: Settings,
        certificates: Certificates | None,
        interceptors: Sequence[grpc.aio.ServerInterceptor],
    ) -> None:
        self._settings = settings
        self._certificates = certificates
        self._interceptors = interceptors
        self._listening: WebPort | None = None
        self.methods: Final = Methods()
        """The methods that it serves. Add all of them before :meth:`bind`."""

    @property
    def port(self) -> int:
        """The TCP port; 0 before :meth:`bind`."""
        return 0 if self._listening is None else self._listening.port

    @property
    def url(self) -> str:
        """The URL of the port; of the page, where it is served."""
        scheme = "http" if self._certificates is None else "https"
        return f"{scheme}://{join_address(self._settings.web_host_name, self.port)}{'/' if self._settings.web else ''}"

    def count_connections(self) -> int:
        """How many connections are open."""
        return 0 if self._listening is None else self._listening.count_connections()

    def bind(self) -> None:
        """Bind the port.

        :raises ListenError: an address is taken, or this machine does not have it.
        :raises SecurityError: other machines could reach the port in plaintext.
        """
        settings = self._settings
        listening = WebPort(settings, settings.http_port or 0, self._certificates)
        if self._certificates is None and not settings.insecure and not listening.place.is_local:
            listening.cut()
            raise SecurityError(
                f"other machines can reach {settings.web_host} ({', '.join(listening.place.ips)}),"
                " so it requires TLS files or --insecure"
            )
        origins = Origins(settings, is_local=listening.place.is_local)
        calls = Calls(self.methods, self._interceptors, origins, settings)
        self._app = Application(self.methods, calls, Pages() if settings.web else None, origins, settings)
        self._listening = listening

    def start(self) -> None:
        """Start to answer."""
        if self._listening is not None:
            self._listening.start(self._app)

    async def stop(self, grace: float) -> None:
        """Refuse new calls, and give open calls the grace period."""
        if self._listening is not None:
            await self._listening.stop(grace)

    def cut(self) -> None:
        """Cut off open calls."""
        if self._listening is not None:
            self._listening.cut()
