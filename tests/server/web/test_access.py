"""Who may call by HTTP, and over what: API keys, TLS, client certificates, addresses; and how the port ends."""

import builtins
import gc
import http.client
import json
import ssl
import threading
import time
from asyncio.sslproto import SSLProtocol
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme

from sniffai_server import cli
from sniffai_server.access.keys import entry_of, make_key
from sniffai_server.access.tls import SecurityError
from sniffai_server.listening import ListenError
from sniffai_server.settings import Settings
from sniffai_server.web import WebError, web_of
from tests.server.support import LoopbackServer, choice, read_again, running_server
from tests.server.web.client import Answer, call, enveloped, messages
from tests.server.web.raw import connected, head, request, rest, until
from tests.waiting import TIMEOUT, wait_until

DEAL = "sniffai.v1.RulesService/DealRound"
STREAM = "sniffai.v1.AnalysisService/StreamAnalyze"
LONG = json.dumps({"view": choice(), "limits": {"time": "60s"}, "reportInterval": "0.05s"}).encode()
OPEN_STREAM = request(STREAM, enveloped(LONG), "application/connect+json")


def port_of(server: LoopbackServer) -> int:
    assert server.server.web is not None
    return server.server.web.port


# API keys


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, str]]:
    """The port of a server with keys, and a key."""
    file, key = tmp_path_factory.mktemp("keys") / "keys.toml", make_key()
    file.write_text(entry_of("alice", key, {}), encoding="utf-8")
    with running_server(web_port=0, keys_file=str(file)) as server:
        yield port_of(server), key


def test_a_key_lets_its_client_in(keyed: tuple[int, str]) -> None:
    port, key = keyed
    assert call(port, DEAL, {"players": 2}, headers={"authorization": f"Bearer {key}"}).status == 200


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({}, "KEY_MISSING"),
        ({"authorization": "Basic YWxpY2U6"}, "KEY_MISSING"),
        ({"authorization": "Bearer sniffai_guess"}, "KEY_UNKNOWN"),
    ],
)
def test_without_one_a_call_is_refused(keyed: tuple[int, str], headers: dict[str, str], reason: str) -> None:
    answer = call(keyed[0], DEAL, b"not even read", headers=headers)
    assert (answer.status, answer.json["code"]) == (401, "unauthenticated")
    assert answer.json["details"][0]["debug"]["reason"] == reason
    assert "guess" not in answer.body.decode()


def test_a_body_without_a_key_is_not_read(keyed: tuple[int, str]) -> None:
    with connected(
        keyed[0], head(DEAL, "application/json", "content-length: 1000000", "expect: 100-continue")
    ) as client:
        assert until(client, b"KEY_MISSING").startswith(b"HTTP/1.1 401")


def test_a_health_check_needs_no_key(keyed: tuple[int, str]) -> None:
    assert call(keyed[0], "grpc.health.v1.Health/Check", {}).json == {"status": "SERVING"}


# TLS


def secured(port: int, context: ssl.SSLContext) -> Answer:
    """A call over TLS."""
    connection = http.client.HTTPSConnection("localhost", port, timeout=TIMEOUT, context=context)
    try:
        connection.request("POST", f"/{DEAL}", b'{"players": 2}', {"content-type": "application/json"})
        answer = connection.getresponse()
        return Answer(answer.status, dict(answer.getheaders()), answer.read())
    finally:
        connection.close()


def files_of(folder: Path, ca: trustme.CA) -> dict[str, Any]:
    """A certificate of a CA, as settings."""
    issued = ca.issue_cert("localhost")
    issued.private_key_pem.write_to_path(folder / "key.pem")
    issued.cert_chain_pems[0].write_to_path(folder / "cert.pem")
    return {"tls_cert": str(folder / "cert.pem"), "tls_key": str(folder / "key.pem")}


def trusting(ca: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    ca.configure_trust(context)
    return context


def test_tls_follows_its_files(tmp_path: Path) -> None:
    old, new = trustme.CA(), trustme.CA()
    with running_server(web_port=0, **files_of(tmp_path, old)) as server:
        assert secured(port_of(server), trusting(old)).status == 200
        with connected(port_of(server), request(DEAL, b"{}")) as plain:
            assert not rest(plain).startswith(b"HTTP")
        files_of(tmp_path, new)
        read_again(server)
        assert secured(port_of(server), trusting(new)).status == 200
        with pytest.raises(ssl.SSLError):
            secured(port_of(server), trusting(old))


def test_a_handshake_that_never_ends_is_cut_off(tmp_path: Path) -> None:
    with running_server(web_port=0, request_seconds=0.5, **files_of(tmp_path, trustme.CA())) as server:
        assert server.server.web is not None
        with connected(port_of(server)) as silent, connected(port_of(server), b"\x16\x03\x01\x02\x00\x01") as halfway:
            assert server.server.web.count_connections() <= 2
            assert [rest(silent), rest(halfway)] == [b"", b""]
        wait_until(lambda: server.server.web.count_connections() == 0)


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\n\r\n", b"\x15\x03\x03\x00\x02\x02\x28", b"\x16\x03\x01"])
def test_a_failed_handshake_leaves_nothing(tmp_path: Path, sent: bytes) -> None:
    """A quarter of a megabyte stayed of each, until Python looked for garbage among all objects."""

    def protocols() -> int:
        return sum(isinstance(one, SSLProtocol) for one in gc.get_objects())

    with running_server(web_port=0, **files_of(tmp_path, trustme.CA())) as server:
        assert server.server.web is not None
        gc.collect()
        before = protocols()
        gc.disable()
        try:
            for _ in range(20):
                with connected(port_of(server), sent):
                    pass
            wait_until(lambda: server.server.web.count_connections() == 0)
            wait_until(lambda: protocols() <= before)
        finally:
            gc.enable()


def test_a_shutdown_does_not_wait_for_a_handshake(tmp_path: Path) -> None:
    with running_server(web_port=0, **files_of(tmp_path, trustme.CA())) as server:
        assert server.server.web is not None
        with connected(port_of(server)) as silent:
            wait_until(lambda: server.server.web.count_connections() == 1)
            server.call(server.server.drain())
            assert rest(silent) == b""


def test_a_client_is_known_by_its_certificate(tmp_path: Path) -> None:
    ca = trustme.CA()
    ca.cert_pem.write_to_path(tmp_path / "ca.pem")
    settings = files_of(tmp_path, ca) | {"tls_client_ca": str(tmp_path / "ca.pem"), "client_rate": 1}
    with running_server(web_port=0, **settings) as server:
        context = trusting(ca)
        with pytest.raises((ssl.SSLError, OSError)):
            secured(port_of(server), context)
        ca.issue_cert(common_name="alice").configure_cert(context)
        assert secured(port_of(server), context).status == 200
        refused = secured(port_of(server), context)
    assert refused.json["details"][0]["debug"]["metadata"]["client"] == "cn:alice"


# Addresses


def test_other_machines_need_tls() -> None:
    with (
        pytest.raises(SecurityError, match="other machines can reach"),
        running_server(web_host="0.0.0.0", web_port=0),
    ):
        pass
    with running_server(web_host="0.0.0.0", web_port=0, insecure=True) as server:
        assert call(port_of(server), DEAL, {"players": 2}, headers={"host": "sniff.example.com"}).status == 200


def test_the_settings_are_checked_without_serving(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["config", "--web", "--web-host", "0.0.0.0"]) == 1
    assert "other machines can reach 0.0.0.0" in capsys.readouterr().err
    assert cli.main(["config", "--web-host", "0.0.0.0"]) == 0
    assert cli.main(["config", "--web"]) == 0


def test_a_port_that_is_taken_is_named() -> None:
    with running_server(web_port=0) as server:
        port = port_of(server)
        with pytest.raises(ListenError, match=f"cannot serve HTTP on 127.0.0.1:{port}"), running_server(web_port=port):
            pass


def test_ipv6() -> None:
    with running_server(web_host="::1", web_port=0) as server:
        connection = http.client.HTTPConnection("::1", port_of(server), timeout=TIMEOUT)
        connection.request("POST", f"/{DEAL}", b'{"players": 2}', {"content-type": "application/json"})
        assert connection.getresponse().status == 200
        connection.close()


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def without(name: str, *rest: Any, **options: Any) -> Any:
        if name.startswith("sniffai_server.web.server"):
            raise ModuleNotFoundError("No module named 'connectrpc'", name="connectrpc")
        return load(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(WebError, match=r"connectrpc is missing; it comes with: pip install 'sniffai\[web\]'"):
        web_of(Settings(web_port=0), None, [])
    assert web_of(Settings(), None, []) is None


def test_the_page_has_a_port_of_its_own() -> None:
    assert [Settings(**given).http_port for given in ({}, {"web": True}, {"web": True, "web_port": 0})] == [
        None,
        8080,
        0,
    ]


@pytest.mark.parametrize(
    "origins", ["play.example.com", "https://play.example.com/", "https://Play.example.com", "https://a,https://b"]
)
def test_what_is_no_origin_is_refused(origins: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["config", "--web-origins", origins]) == 1
    assert "flag --web-origins: an origin such as https://play.example.com" in capsys.readouterr().err


# The end


def test_a_shutdown_ends_streams_with_what_they_have() -> None:
    with running_server(web_port=0) as server:
        with connected(port_of(server), OPEN_STREAM) as client, connected(port_of(server)) as idle:
            first = client.recv(65536)
            drain = threading.Thread(target=server.call, args=(server.server.drain(),))
            drain.start()
            answer = first + rest(client)
            assert rest(idle) == b""
            drain.join(TIMEOUT)
        *_, (_, last), (flags, end) = messages(_dechunked(answer))
    assert json.loads(last)["analysis"]["stopReason"] == "STOP_REASON_SHUTDOWN"
    assert (flags, "error" in json.loads(end)) == (2, False)


def test_a_reader_that_takes_nothing_does_not_hold_the_end() -> None:
    with running_server(web_port=0, grace_seconds=0.5, write_seconds=60) as server:
        with connected(port_of(server), OPEN_STREAM, window=2048):
            gauge = server.server.metrics.registry.get_sample_value
            wait_until(lambda: gauge("sniffai_stalled_writes") == 1)
            started = time.monotonic()
            server.call(server.server.drain())
            assert time.monotonic() - started < 5
        with pytest.raises(OSError, match="refused"), connected(port_of(server)):
            pass


def _dechunked(answer: bytes) -> bytes:
    """The body of an answer in chunks."""
    body, parts = answer.partition(b"\r\n\r\n")[2], []
    while body:
        size, _, body = body.partition(b"\r\n")
        length = int(size, 16)
        parts.append(body[:length])
        body = body[length + 2 :]
    return b"".join(parts)
