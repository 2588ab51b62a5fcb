"""Why a server cannot be reached, found out step by step: the name, the connection, TLS.

gRPC tells no more than that the connection failed, or was closed, which may mean five things.
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
"""How long each step may take; what is slower stays unknown."""
EXPIRED, NOT_YET_VALID, WRONG_NAME, WRONG_IP = 10, 9, 62, 64
"""OpenSSL's numbers for what is wrong with a certificate; all others are about who vouches for it."""


class Kind(Enum):
    """What keeps a client from its server."""

    UNREACHABLE = "unreachable"
    """The name, the network, or nobody who listens."""
    TLS_SPOKEN = "tls spoken"
    """The server speaks TLS, the client does not."""
    TLS_NOT_SPOKEN = "tls not spoken"
    """The other way round."""
    NOT_TRUSTED = "not trusted"
    """The server's certificate has no authority that the client knows, or is not valid now."""
    WRONG_NAME = "wrong name"
    """The server's certificate is not for this host."""
    CLIENT_CERTIFICATE = "client certificate"
    """The server wants a certificate, or another one."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a server cannot be reached."""

    kind: Kind
    text: str
    """In a few words, with "it" for the server."""


@dataclass(frozen=True, slots=True)
class Trust:
    """How a client of a TLS server proves who it is and whom it trusts; files in PEM."""

    ca: Path | str | None = None
    """``None`` for the authorities of the system."""
    cert: Path | str | None = None
    key: Path | str | None = None
    server_name: str | None = None
    """The name expected in the server's certificate; ``None`` for the host of the address."""


def why_unreachable(address: Address, trust: Trust | None) -> Cause | None:
    """Why no call gets through to a server; ``None`` where that cannot be told.

    :param trust: of a client that speaks TLS; ``None`` for one that speaks plaintext.
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
    """Whether TLS is expected, as a server shows that is asked for a handshake."""
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
            # By TLS 1.3 a server looks at the client's certificate when the handshake is over for the client. One that
            # accepts it begins to speak at once.
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
