"""Proof that clients can connect with a certificate: a handshake with ourselves, before anything is served by it.

It is done twice. OpenSSL says best what is wrong with a certificate. gRPC's own TLS has the last word: it does not take
all that OpenSSL takes, such as keys of Ed25519 or the curve P-521, and tells clients no more than a closed connection.
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
"""How long gRPC's handshake may take; it takes milliseconds."""
NO_NAME: Final = "Hostname Verification Check failed"
KINDS: Final = "RSA of 2048 bits or more, or ECDSA with the curve P-256 or P-384"
MISMATCH: Final = "the key is not that of the first certificate (the server's own comes first in its file)"
EXPECTED: Final = {
    "KEY_VALUES_MISMATCH": MISMATCH,
    "NO_CERTIFICATE_ASSIGNED": MISMATCH,
    "NO_SHARED_CIPHER": f"gRPC's TLS does not take this kind of key: {KINDS} is expected",
    "EE_KEY_TOO_SMALL": f"the key is too small: {KINDS} is expected",
    "CA_MD_TOO_WEAK": "the signature of a certificate is too weak: one with SHA-256 is expected",
}
"""OpenSSL's words for what is wrong with files that fit no server, and ours."""


class ProofError(Exception):
    """Nobody could connect; ``str()`` says why."""


def prove(files: tuple[Path, Path], chain: bytes, key: bytes, ca: bytes | None) -> None:
    """Do the handshakes.

    :param files: those that hold ``chain`` and ``key``; OpenSSL reads nothing else.
    :param ca: the authorities of the clients' certificates.
    :raises ProofError: one of them fails.
    """
    names = _openssl(files, chain, ca)
    with _grpc_server(chain, key, ca) as port:
        told = _grpc_client(port, chain, names[0] if names else "localhost")
    if "CERTIFICATE_VERIFY_FAILED" in told:
        raise ProofError(f"gRPC's clients do not take the certificate: {told.rpartition('FAILED:')[2].strip()}")
    if told and NO_NAME not in told:
        raise ProofError(f"gRPC's TLS does not take this kind of key: {KINDS} is expected")


def words_of(error: ssl.SSLError) -> str:
    """What is wrong with a certificate and its key, after OpenSSL has said so."""
    if error.reason is None:
        return "the certificate or the key is damaged"
    return EXPECTED.get(error.reason, error.reason)


def _openssl(files: tuple[Path, Path], chain: bytes, ca: bytes | None) -> list[str]:
    """A handshake in memory; returns the hosts that the certificate names.

    :raises ProofError: it fails, or the certificate names nothing.
    """
    server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # a certificate vouches for itself here
    try:
        _load(client, chain, "certificate")
        server.load_cert_chain(*files, password=lambda: b"")
        if ca is not None:
            _load(server, ca, "authorities' certificate")
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
    """A handshake without a network; returns the certificate as the client has seen it.

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
    """A server of gRPC without a service, on a port of this machine that the system chooses.

    :raises ProofError: gRPC cannot read the files.
    """
    with ThreadPoolExecutor(1) as executor:
        server = grpc.server(executor, options=[("grpc.so_reuseport", 0)])
        credentials = grpc.ssl_server_credentials([(key, chain)], ca, require_client_auth=False)
        try:
            port = server.add_secure_port("127.0.0.1:0", credentials)
        except RuntimeError:
            raise ProofError(f"gRPC's TLS cannot read the files: keys of {KINDS} are expected, in PEM") from None
        server.start()
        try:
            yield port
        finally:
            server.stop(0).wait()


def _grpc_client(port: int, chain: bytes, name: str) -> str:
    """Call the server; returns what gRPC says of a connection that fails, empty where the server answers."""
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
