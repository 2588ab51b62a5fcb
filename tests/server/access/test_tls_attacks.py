"""Attacks on the handshake of TLS, by gRPC and by HTTP: others are served meanwhile, and nothing stays of them."""

import contextlib
import os
import socket
import ssl
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import grpc
import pytest
import trustme

from sniffai.v1 import engine_service_pb2, engine_service_pb2_grpc
from tests.server.support import TIMEOUT, running_server
from tests.server.web.raw import connected
from tests.waiting import wait_until

MANY = 30
DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """A server that wants client certificates, on both ports, and what a good client needs."""
    folder: Path = tmp_path_factory.mktemp("tls")
    ca = trustme.CA()
    own, client = ca.issue_cert("localhost", "127.0.0.1"), ca.issue_cert("ann")
    ca.cert_pem.write_to_path(folder / "ca.pem")
    own.cert_chain_pems[0].write_to_path(folder / "cert.pem")
    own.private_key_pem.write_to_path(folder / "key.pem")
    files = {"tls_cert": "cert.pem", "tls_key": "key.pem", "tls_client_ca": "ca.pem"}
    settings = {name: str(folder / file) for name, file in files.items()}
    credentials = grpc.ssl_channel_credentials(
        ca.cert_pem.bytes(), client.private_key_pem.bytes(), client.cert_chain_pems[0].bytes()
    )
    with running_server(web_port=0, request_seconds=1.0, **settings) as server:
        assert server.server.web is not None
        ports = {"grpc": int(server.address.rpartition(":")[2]), "http": server.server.web.port}
        yield SimpleNamespace(server=server, ca=ca, client=client, credentials=credentials, ports=ports)


def context_of(secured: SimpleNamespace, certificate: trustme.LeafCert | None) -> ssl.SSLContext:
    context = ssl.create_default_context()
    secured.ca.configure_trust(context)
    if certificate is not None:
        certificate.configure_cert(context)
    return context


def hello(secured: SimpleNamespace) -> bytes:
    """What a client sends first."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context_of(secured, None).wrap_bio(incoming, outgoing, server_hostname="localhost")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


def served(secured: SimpleNamespace) -> None:
    """A new client is answered by gRPC, and gets through the handshake of HTTP."""
    with grpc.secure_channel(
        f"localhost:{secured.ports['grpc']}", secured.credentials, [("grpc.use_local_subchannel_pool", 1)]
    ) as channel:
        stub = engine_service_pb2_grpc.EngineServiceStub(channel)
        assert stub.GetEngineInfo(engine_service_pb2.GetEngineInfoRequest(), timeout=TIMEOUT).engine_version
    assert answer_to(secured, "http", secured.client).startswith(b"HTTP/1.1 ")


def answer_to(secured: SimpleNamespace, port: str, certificate: trustme.LeafCert | None) -> bytes:
    """What a client with a certificate gets to a request by HTTP; empty if the handshake fails."""
    with (
        contextlib.suppress(OSError),
        connected(secured.ports[port]) as plain,
        context_of(secured, certificate).wrap_socket(plain, server_hostname="localhost") as wrapped,
    ):
        wrapped.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
        return wrapped.recv(100)
    return b""


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


OPENINGS: dict[str, Callable[[bytes], bytes]] = {
    "silent": lambda hello: b"",
    "half a hello": lambda hello: hello[:40],
    "a hello and no more": lambda hello: hello,
    "plain HTTP": lambda hello: b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n",
    "plain HTTP/2": lambda hello: b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9),
    "garbage": lambda hello: bytes(range(256)) * 8,
    "an endless record": lambda hello: b"\x16\x03\x01\xff\xff" + b"x" * 70_000,
    "an alert": lambda hello: b"\x15\x03\x03\x00\x02\x02\x28",
}


@pytest.mark.parametrize("port", ["grpc", "http"])
def test_openings_that_lead_nowhere(secured: SimpleNamespace, port: str) -> None:
    """All at once, and held open: a new client is served, and each is closed once its time is over."""
    before, first = descriptors(), hello(secured)
    with contextlib.ExitStack() as stack:
        clients: list[socket.socket] = []
        for make in OPENINGS.values():
            for _ in range(MANY):
                with contextlib.suppress(OSError):  # some are closed while they send
                    clients.append(stack.enter_context(connected(secured.ports[port], make(first))))
        served(secured)
        for client in clients:
            with contextlib.suppress(ConnectionError):
                while client.recv(65536):
                    pass
    wait_until(lambda: descriptors() <= before)
    served(secured)


@pytest.mark.parametrize("port", ["grpc", "http"])
def test_certificates_that_open_nothing(secured: SimpleNamespace, port: str) -> None:
    now = datetime.now(UTC)
    wrong: list[trustme.LeafCert | None] = [
        None,
        trustme.CA().issue_cert("ann"),
        secured.ca.issue_cert("ann", not_before=now - 9 * DAY, not_after=now - DAY),
        secured.ca.issue_cert("ann", not_before=now + DAY, not_after=now + 9 * DAY),
    ]
    before = descriptors()
    for certificate in wrong * 3:
        assert answer_to(secured, port, certificate) == b""
    served(secured)
    wait_until(lambda: descriptors() <= before)


@pytest.mark.parametrize("port", ["grpc", "http"])
def test_records_that_are_none_end_the_connection(secured: SimpleNamespace, port: str) -> None:
    """After the handshake: a record that cannot be decrypted, and a second hello."""
    for data in (b"\x17\x03\x03\x00\x20" + bytes(32), hello(secured)):
        with (
            connected(secured.ports[port]) as plain,
            context_of(secured, secured.client).wrap_socket(plain, server_hostname="localhost") as wrapped,
            contextlib.suppress(OSError),
        ):
            os.write(wrapped.fileno(), data)
            while os.read(wrapped.fileno(), 65536):
                pass
    served(secured)


@pytest.mark.parametrize("port", ["grpc", "http"])
@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_old_versions_of_tls_are_refused(secured: SimpleNamespace, port: str) -> None:
    for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
        context = context_of(secured, secured.client)
        context.minimum_version = context.maximum_version = version
        context.set_ciphers("ALL:@SECLEVEL=0")
        with connected(secured.ports[port]) as plain, pytest.raises(OSError):  # noqa: PT011
            context.wrap_socket(plain, server_hostname="localhost")
