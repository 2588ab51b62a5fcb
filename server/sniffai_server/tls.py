"""How the port is secured: plaintext on this machine only, TLS by files that may be replaced at any time."""

import logging
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc

from sniffai_server.settings import Settings

log = logging.getLogger(__name__)


class SecurityError(Exception):
    """The port cannot be secured as the settings say; ``str()`` says what is missing or wrong."""


def server_credentials(settings: Settings) -> grpc.ServerCredentials | None:
    """The credentials of the port; ``None`` for plaintext.

    :raises SecurityError: a file cannot be used, or plaintext would be open to other machines.
    """
    if not settings.tls_cert:
        if settings.is_local or settings.insecure:
            return None
        raise SecurityError(
            f"other machines can reach {settings.host}, so TLS is needed: set tls_cert and tls_key,"
            " or insecure (--insecure) to serve plaintext all the same"
        )
    certificates = _Certificates(settings)
    return grpc.dynamic_ssl_server_credentials(
        certificates.current, certificates.fetch, require_client_authentication=bool(settings.tls_client_ca)
    )


def channel_credentials(ca: str, cert: str, key: str) -> grpc.ChannelCredentials:
    """The credentials of a client of such a port.

    :param ca: file with the CAs to trust; empty for the system's.
    :param cert: file with the certificate to show, with ``key``; both empty for none.
    :raises SecurityError: a file cannot be read.
    """
    roots, chain, private = (_read(Path(name)) if name else None for name in (ca, cert, key))
    return grpc.ssl_channel_credentials(roots, private, chain)


class _Certificates:
    """The certificate, its key and the clients' CAs, read again for a handshake once a file has changed.

    Files that do not fit together (as while they are being replaced) leave those in force that were.
    """

    def __init__(self, settings: Settings) -> None:
        self._files = (Path(settings.tls_cert), Path(settings.tls_key))
        self._ca = Path(settings.tls_client_ca) if settings.tls_client_ca else None
        self._contents = self._read()
        self.current = self._check(self._contents)

    def fetch(self) -> Any:
        """The new configuration; ``None`` for the one in force. Called by gRPC for each handshake."""
        try:
            contents = self._read()
            if contents == self._contents:
                return None
            self.current = self._check(contents)
        except SecurityError as error:
            log.error("the TLS certificate stays as it was: %s", error)
            return None
        self._contents = contents
        log.info("TLS certificate read again")
        return self.current

    def _read(self) -> tuple[bytes, ...]:
        return tuple(_read(file) for file in (*self._files, *([self._ca] if self._ca else [])))

    def _check(self, contents: tuple[bytes, ...]) -> Any:
        """The configuration of gRPC for the files' contents, which fit together."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        _try(lambda: context.load_cert_chain(*self._files, password=lambda: b""), *self._files)
        if self._ca is not None:
            _try(lambda: context.load_verify_locations(self._ca), self._ca)
        if self._read() != contents:
            raise SecurityError("the files changed while they were read")
        chain, key, *roots = contents
        return grpc.ssl_server_certificate_configuration([(key, chain)], roots[0] if roots else None)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise SecurityError(f"file {file}: {error.strerror}") from None


def _try(load: Callable[[], object], *files: Path) -> None:
    try:
        load()
    except (OSError, ValueError) as error:
        names = " and ".join(map(str, files))
        raise SecurityError(f"file {names}: {getattr(error, 'reason', '') or error}") from None
