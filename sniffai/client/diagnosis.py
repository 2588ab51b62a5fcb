"""Finds out step by step why a server cannot be reached: name, connection, TLS.

gRPC reports only that the connection failed or was closed, which can have five causes.
"""

import contextlib
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from sniffai.addresses import Address

STEP_SECONDS: Final = 0.5
"""Time limit of each step. A slower step leaves the cause unknown."""
EXPIRED, NOT_YET_VALID, WRONG_NAME, WRONG_IP = 10, 9, 62, 64
"""OpenSSL's error numbers for certificates. All other errors concern the CA."""


class Kind(Enum):
    """Kinds of causes."""

    UNREACHABLE = "unreachable"
    """The name or the network, or no server is listening."""
    TLS_SPOKEN = "tls spoken"
    """The server uses TLS, the client does not."""
    TLS_NOT_SPOKEN = "tls not spoken"
    """The client uses TLS, the server does not."""
    NOT_TRUSTED = "not trusted"
    """The server's certificate is not from a CA that the client trusts, or is not valid now."""
    WRONG_NAME = "wrong name"
    """The server's certificate is not for this host."""
    CLIENT_CERTIFICATE = "client certificate"
    """The server requires a client certificate, or another one."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Cause:
    """The cause for which a server cannot be reached."""

    kind: Kind
    text: str
    """A short description, with "it" for the server."""


@dataclass(frozen=True, slots=True)
class Trust:
    """The TLS files of a client, in PEM."""

    ca: Path | str | None = None
    """``None`` for the CAs of the system."""
    cert: Path | str | None = None
    key: Path | str | None = None
    server_name: str | None = None
    """The name expected in the server's certificate; ``None`` for the host of the address."""


def why_unreachable(address: Address, trust: Trust | None) -> Cause | None:
    """Why no call reaches a server; ``None`` if the cause is unknown.

    :param trust: for a client with TLS; ``None`` for one without.
    """
    if not (address.host or address.path):
        return None
    try:
        with _connected(address) as connection:
            return _why_no_plaintext(connection) if trust is None else _why_no_tls(connection, address, trust)
    except TimeoutError:
        text = "it does not answer"
    except socket.gaierror as error:
        text = f"the name {address.host} is not known ({error.strerror})"
    except ConnectionRefusedError:
        text = "nothing listens there"
    except FileNotFoundError:
        text = "there is no such socket"
    except OSError as error:
        text = f"it cannot be reached: {error.strerror or error}"
    return Cause(Kind.UNREACHABLE, text)


@contextlib.contextmanager
def _connected(address: Address) -> Iterator[socket.socket]:
    if address.host:
        connection = socket.create_connection((address.host, address.port), STEP_SECONDS)
    else:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(STEP_SECONDS)
    with connection:
        if address.path:
            connection.connect(address.path)
        yield connection


def _why_no_plaintext(connection: socket.socket) -> Cause | None:
    """Whether the server expects TLS: it answers a handshake."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    try:
        with context.wrap_socket(connection):
            spoken = True
    except ssl.SSLError as error:
        spoken = "ALERT" in (error.reason or "")
    except OSError:
        spoken = False
    return Cause(Kind.TLS_SPOKEN, "it speaks TLS") if spoken else None


def _why_no_tls(connection: socket.socket, address: Address, trust: Trust) -> Cause | None:
    try:
        context = ssl.create_default_context(cafile=trust.ca)
        if trust.cert is not None:
            context.load_cert_chain(trust.cert, trust.key, password=lambda: b"")
    except (OSError, ValueError) as error:
        return Cause(Kind.OTHER, f"a TLS file of the client cannot be used: {getattr(error, 'reason', '') or error}")
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.set_alpn_protocols(["h2"])
    name = trust.server_name or address.host or "localhost"
    try:
        with context.wrap_socket(connection, server_hostname=name) as secure:
            # In TLS 1.3 the server checks the client's certificate after the client has finished the handshake. If it
            # accepts the certificate, it sends data at once.
            return None if secure.recv(1) else _certificate_refused(trust)
    except ssl.SSLCertVerificationError as error:
        return _not_trusted(error, name)
    except ssl.SSLError as error:
        reason = error.reason or str(error)
        if "CERTIFICATE" in reason or "UNKNOWN_CA" in reason:
            return _certificate_refused(trust)
        if "WRONG_VERSION" in reason or "HTTP" in reason:
            return Cause(Kind.TLS_NOT_SPOKEN, "it does not speak TLS")
        return Cause(Kind.OTHER, f"the TLS handshake fails: {reason}")
    except ConnectionResetError:
        return _certificate_refused(trust)


def _certificate_refused(trust: Trust) -> Cause:
    if trust.cert is None:
        return Cause(Kind.CLIENT_CERTIFICATE, "it asks for a client certificate, and none is shown")
    return Cause(Kind.CLIENT_CERTIFICATE, "it does not accept the client certificate that is shown")


def _not_trusted(error: ssl.SSLCertVerificationError, name: str) -> Cause:
    if error.verify_code in (WRONG_NAME, WRONG_IP):
        return Cause(Kind.WRONG_NAME, f"its certificate has another name than {name}")
    if error.verify_code == EXPIRED:
        return Cause(Kind.NOT_TRUSTED, "its certificate has expired")
    if error.verify_code == NOT_YET_VALID:
        return Cause(Kind.NOT_TRUSTED, "its certificate is not valid yet")
    return Cause(Kind.NOT_TRUSTED, f"its certificate is not trusted: {error.verify_message}")
