"""A test that clients can connect with a certificate: the server does a handshake with itself before it uses one.

There are two handshakes. OpenSSL describes best what is wrong with a certificate. gRPC's own TLS decides: it does not
accept everything that OpenSSL does, such as Ed25519 keys or the curve P-521, and shows clients only a closed
connection.
"""

import contextlib
import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import grpc

from sniffai.client.proxies import DIRECT

PROOF_SECONDS: Final = 5.0
"""Time limit of gRPC's handshake, which takes milliseconds."""
NO_NAME: Final = "Hostname Verification Check failed"
KINDS: Final = "RSA with 2048 bits or more, or ECDSA with the curve P-256 or P-384"
MISMATCH: Final = "the key does not belong to the first certificate (the server's own must come first in the file)"
EXPECTED: Final = {
    "KEY_VALUES_MISMATCH": MISMATCH,
    "NO_CERTIFICATE_ASSIGNED": MISMATCH,
    "NO_SHARED_CIPHER": f"gRPC's TLS does not support this kind of key: {KINDS} is expected",
    "EE_KEY_TOO_SMALL": f"the key is too small: {KINDS} is expected",
    "CA_MD_TOO_WEAK": "the signature of a certificate is too weak: SHA-256 or better is expected",
}
"""OpenSSL's reasons for files that no server can use, and our messages."""


class ProofError(Exception):
    """Clients could not connect; ``str()`` says why."""


def prove(files: tuple[Path, Path], chain: bytes, key: bytes, ca: bytes | None) -> None:
    """Do the handshakes.

    :param files: the files of ``chain`` and ``key``, since OpenSSL reads only files.
    :param ca: the CAs of client certificates.
    :raises ProofError: a handshake fails.
    """
    names = _openssl(files, chain, ca)
    with _grpc_server(chain, key, ca) as port:
        message = _grpc_client(port, chain, names[0] if names else "localhost")
    if "CERTIFICATE_VERIFY_FAILED" in message:
        raise ProofError(f"gRPC clients do not accept the certificate: {message.rpartition('FAILED:')[2].strip()}")
    if message and NO_NAME not in message:
        raise ProofError(f"gRPC's TLS does not support this kind of key: {KINDS} is expected")


def words_of(error: ssl.SSLError) -> str:
    """What is wrong with a certificate and its key, from an error of OpenSSL."""
    if error.reason is None:
        return "the certificate or the key is damaged"
    return EXPECTED.get(error.reason, error.reason)


def _openssl(files: tuple[Path, Path], chain: bytes, ca: bytes | None) -> list[str]:
    """A handshake in memory; returns the hosts that the certificate names.

    :raises ProofError: it fails, or the certificate names nothing.
    """
    server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # here a certificate is its own CA
    try:
        _load(client, chain, "certificate")
        server.load_cert_chain(*files, password=lambda: b"")
        if ca is not None:
            _load(server, ca, "CA certificate")
        shown = _shake(server, client)
    except ssl.SSLCertVerificationError as error:
        raise ProofError(f"the certificate cannot be used: {error.verify_message}") from None
    except ssl.SSLError as error:
        raise ProofError(words_of(error)) from None
    names = [name for kind, name in shown.get("subjectAltName", ()) if kind in ("DNS", "IP Address")]
    common = [name for part in shown.get("subject", ()) for kind, name in part if kind == "commonName" and name.strip()]
    if not shown.get("subjectAltName") and not common:
        raise ProofError("the certificate names no host")
    return [name.replace("*", "x") for name in names or common]


def _load(context: ssl.SSLContext, pem: bytes, name: str) -> None:
    """Trust certificates.

    :raises ProofError: they are damaged.
    """
    try:
        context.load_verify_locations(cadata=pem.decode("ascii", "ignore"))
    except ssl.SSLError:
        raise ProofError(f"the {name} is damaged") from None


def _shake(server: ssl.SSLContext, client: ssl.SSLContext) -> dict[str, Any]:
    """A handshake without a network; returns the certificate that the client received.

    :raises ssl.SSLError: it fails.
    """
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [client.wrap_bio(to_client, to_server), server.wrap_bio(to_server, to_client, server_side=True)]
    for _ in range(3):
        for end in ends:
            with contextlib.suppress(ssl.SSLWantReadError):
                end.do_handshake()
    return ends[0].getpeercert() or {}


@contextlib.contextmanager
def _grpc_server(chain: bytes, key: bytes, ca: bytes | None) -> Iterator[int]:
    """A gRPC server without services, on a free port of this machine.

    :raises ProofError: gRPC cannot read the files.
    """
    with ThreadPoolExecutor(1) as executor:
        server = grpc.server(executor, options=[("grpc.so_reuseport", 0)])
        credentials = grpc.ssl_server_credentials([(key, chain)], ca, require_client_auth=False)
        try:
            port = server.add_secure_port("127.0.0.1:0", credentials)
        except RuntimeError:
            raise ProofError(f"gRPC's TLS cannot read the files: PEM with {KINDS} is expected") from None
        server.start()
        try:
            yield port
        finally:
            server.stop(0).wait()


def _grpc_client(port: int, chain: bytes, name: str) -> str:
    """Call the server; returns gRPC's message if the connection fails, empty if the server answers."""
    options: list[tuple[str, Any]] = [
        ("grpc.ssl_target_name_override", name),
        ("grpc.use_local_subchannel_pool", 1),
        DIRECT,
    ]
    with grpc.secure_channel(f"127.0.0.1:{port}", grpc.ssl_channel_credentials(chain), options) as channel:
        try:
            call: Any = channel.unary_unary("/sniffai.v1.Proof/Prove")
            call(b"", timeout=PROOF_SECONDS)
        except grpc.RpcError as error:
            answered = error.code() is grpc.StatusCode.UNIMPLEMENTED
            return "" if answered else error.details() or error.code().name
    return ""
