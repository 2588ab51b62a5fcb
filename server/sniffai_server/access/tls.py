"""TLS of the port, with files that may be replaced at any time. Plaintext is for this machine only."""

import codecs
import hashlib
import logging
import re
import ssl
import time
from pathlib import Path
from typing import Any, Final

import grpc

from sniffai.client.diagnosis import Trust
from sniffai_server.access.proof import ProofError, prove, words_of
from sniffai_server.files import read_file
from sniffai_server.settings import Settings

CERTIFICATE: Final = re.compile(rb"-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----")
CERTIFICATES: Final = re.compile(
    rb"-----BEGIN ([A-Z0-9]+ )?CERTIFICATE-----.*?-----END ([A-Z0-9]+ )?CERTIFICATE-----", re.DOTALL
)
"""Each certificate, without the text around it."""
PRIVATE_KEY: Final = re.compile(rb"-----BEGIN ([A-Z0-9]+ )?PRIVATE KEY-----")
ENCRYPTED: Final = re.compile(rb"-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED", re.MULTILINE)

log = logging.getLogger(__name__)


class SecurityError(Exception):
    """The TLS settings cannot be used; ``str()`` says what is missing or wrong."""


class Certificates:
    """The certificate, its key and the CAs of clients, read again when a file has changed.

    If the new files cannot be used, for example because they are just being replaced, the old ones stay in force.

    :raises SecurityError: a file cannot be used.
    """

    name: Final = "tls"
    """The name of these files in the log and the metrics."""

    def __init__(self, settings: Settings) -> None:
        self._files = (Path(settings.tls_cert), Path(settings.tls_key))
        self._ca = Path(settings.tls_client_ca) if settings.tls_client_ca else None
        self._unread = ""
        """Why the last attempt to read the files failed; empty if it did not."""
        self._seen = self._read()
        """The contents that were read last, whether in force or not."""
        self._current, self.context = self._proven(self._seen)
        """The files in force, as gRPC needs them and as Python does."""

    def credentials(self) -> grpc.ServerCredentials:
        """The credentials of one port; each handshake uses the files in force.

        They are not tested again at that point: a test takes a handshake itself, which may last for seconds.
        """
        first = latest = self._current

        def fetch() -> Any:
            nonlocal latest
            if latest is self._current:
                return None
            latest = self._current
            return latest

        return grpc.dynamic_ssl_server_credentials(first, fetch, require_client_authentication=self._ca is not None)

    def refresh(self, *, force: bool = False) -> str:
        """Read the files again; returns what is in force now, empty if nothing has changed.

        :param force: test the files and return what is in force in any case.
        :raises SecurityError: they have changed and cannot be used; raised once for each change.
        """
        try:
            contents = self._read()
        except SecurityError as error:
            if str(error) == self._unread and not force:
                return ""
            self._unread = str(error)
            raise
        self._unread = ""
        if contents == self._seen and not force:
            return ""
        self._seen = contents
        self._current, self.context = self._proven(contents)
        return f"certificate with the SHA-256 fingerprint {_fingerprint(contents[0])}"

    def _read(self) -> tuple[bytes, ...]:
        return tuple(_read(file) for file in (*self._files, *([self._ca] if self._ca else [])))

    def _proven(self, contents: tuple[bytes, ...]) -> tuple[Any, ssl.SSLContext]:
        """The files in gRPC's form and in Python's, after a test that clients can connect with them.

        :raises SecurityError: they cannot.
        """
        chain, key, *roots = contents
        cert_file, key_file = self._files
        _check_pem(cert_file, chain, CERTIFICATE, "certificate")
        _check_key(key_file, key)
        authorities = _authorities(self._ca, roots[0]) if self._ca is not None else None
        try:
            prove(self._files, chain, key, authorities)
        except ProofError as error:
            raise SecurityError(
                f"file {' and '.join(map(str, (*self._files, *filter(None, [self._ca]))))}: {error}"
            ) from None
        context = _context(self._files, authorities)
        if self._read() != contents:
            raise SecurityError("the files changed while they were read")
        return grpc.ssl_server_certificate_configuration([(key, chain)], authorities), context


def _context(files: tuple[Path, Path], authorities: bytes | None) -> ssl.SSLContext:
    """TLS for HTTP, with files that have been tested.

    :param authorities: the CAs of client certificates; ``None`` if clients need none.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    context.load_cert_chain(*files, password=lambda: b"")
    if authorities is not None:
        context.load_verify_locations(cadata=authorities.decode("ascii", "ignore"))
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def certificates_of(settings: Settings) -> Certificates | None:
    """The certificates of the ports; ``None`` for plaintext.

    :raises SecurityError: a file cannot be used, or other machines could reach the port in plaintext.
    """
    if settings.tls_cert:
        return Certificates(settings)
    exposed = settings.exposed_host
    if exposed is None or settings.insecure:
        return None
    raise SecurityError(
        f"other machines can reach {exposed}, so it requires TLS: set tls_cert and tls_key,"
        " or --insecure to serve without TLS"
    )


def channel_credentials(trust: Trust) -> grpc.ChannelCredentials:
    """The credentials of a client of such a port.

    :raises SecurityError: a file cannot be used.
    """
    roots = None
    if trust.ca:
        file = Path(trust.ca)
        roots = _authorities(file, _read(file))
    if not (trust.cert and trust.key):
        return grpc.ssl_channel_credentials(roots)
    cert, key = Path(trust.cert), Path(trust.key)
    chain, private = _read(cert), _read(key)
    _check_pem(cert, chain, CERTIFICATE, "certificate")
    _check_key(key, private)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(cert, key, password=lambda: b"")
    except ssl.SSLError as error:
        raise SecurityError(f"file {cert} and {key}: {words_of(error)}") from None
    return grpc.ssl_channel_credentials(roots, private, chain)


def _fingerprint(chain: bytes) -> str:
    """The SHA-256 fingerprint of the first certificate."""
    pem = chain[chain.index(b"-----BEGIN") :].decode("ascii", "replace")
    end = pem.index("-----END")
    first = pem[: pem.index("-----", end + len("-----END")) + len("-----")]
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(first.replace("\r", ""))).hexdigest()


def _read(file: Path) -> bytes:
    """The content of a file without UTF-8 byte order marks, which gRPC's TLS would read as part of the PEM text."""
    try:
        return read_file(file).replace(codecs.BOM_UTF8, b"")
    except OSError as error:
        raise SecurityError(f"file {file}: {error.strerror}") from None


def _check_key(file: Path, content: bytes) -> None:
    if ENCRYPTED.search(content):
        raise SecurityError(f"file {file}: the key is encrypted; a key without a passphrase is expected")
    _check_pem(file, content, PRIVATE_KEY, "private key")


def _check_pem(file: Path, content: bytes, kind: "re.Pattern[bytes]", name: str) -> None:
    if not content.strip():
        raise SecurityError(f"file {file}: it is empty; a {name} in PEM is expected")
    if not kind.search(content):
        hint = "; this file contains NUL bytes, as UTF-16 does" if b"\0" in content else ""
        raise SecurityError(f"file {file}: a {name} in PEM is expected{hint}")


def _authorities(file: Path, content: bytes) -> bytes:
    """The CA certificates that are valid now.

    Of two with the same name, such as an expired one and its successor, gRPC's TLS would try only the first.

    :raises SecurityError: one is damaged, or none is valid.
    """
    _check_pem(file, content, CERTIFICATE, "certificate")
    _dates(file, content)
    certificates = [match[0] for match in CERTIFICATES.finditer(content)]
    valid = [pem for pem in certificates if all(begin <= time.time() < end for begin, end in _dates(file, pem))]
    if not valid:
        raise SecurityError(f"file {file}: it contains no certificate that is valid today")
    if len(valid) < len(certificates):
        log.warning(
            "file %s: %d certificates are not valid today and are ignored", file, len(certificates) - len(valid)
        )
    return b"\n".join(valid) + b"\n"


def _dates(file: Path, content: bytes) -> list[tuple[float, float]]:
    """The first and last moment at which each certificate is valid. Certificates that are not of a CA are left out.

    :raises SecurityError: one is damaged.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(cadata=content.decode("ascii", "ignore"))
    except ssl.SSLError:
        raise SecurityError(f"file {file}: it contains a damaged certificate") from None
    return [
        (ssl.cert_time_to_seconds(str(decoded["notBefore"])), ssl.cert_time_to_seconds(str(decoded["notAfter"])))
        for decoded in context.get_ca_certs()
    ]
