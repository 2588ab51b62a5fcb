"""Clients that send slowly, read nothing, hang up, or open too much."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.server.support import LoopbackServer, choice, running_server
from tests.server.web.client import call, enveloped
from tests.server.web.raw import connected, head, request, rest, until
from tests.waiting import wait_until

DEAL = "sniffai.v1.RulesService/DealRound"
RECOMMEND = "sniffai.v1.AnalysisService/RecommendMove"
STREAM = "sniffai.v1.AnalysisService/StreamAnalyze"
LONG = json.dumps({"view": choice(), "limits": {"time": "60s"}, "reportInterval": "0.05s"}).encode()
UNARY_LONG = json.dumps({"view": choice(), "limits": {"time": "60s"}}).encode()
ONE = {"players": 2}


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackServer]:
    with running_server(web_port=0, request_seconds=1.0, write_seconds=1.0, max_idle_seconds=1.0) as running:
        yield running


def port_of(server: LoopbackServer) -> int:
    assert server.server.web is not None
    return server.server.web.port


def count(server: LoopbackServer, name: str, **labels: str) -> float:
    return server.server.metrics.registry.get_sample_value(f"sniffai_{name}", labels) or 0.0


def is_free(server: LoopbackServer) -> bool:
    """Whether the server holds nothing of any call."""
    held = [count(server, "held", what=what) for what in ("calls", "request_bytes")]
    return count(server, "slots_busy") == 0 and held == [0, 0]


@pytest.mark.parametrize(
    "sent",
    [
        head(DEAL, "application/json", "content-length: 20") + b'{"players',
        head(DEAL, "application/json", "transfer-encoding: chunked") + b"5\r\n{    \r\n",
        head(STREAM, "application/connect+json", "content-length: 2000") + b"\0\0\0\x07",
        head(DEAL, "application/json", "expect: 100-continue", "content-length: 20"),
    ],
    ids=["unary", "chunked", "stream", "continue"],
)
def test_a_body_that_never_ends_is_refused_in_time(server: LoopbackServer, sent: bytes) -> None:
    with connected(port_of(server), sent) as client:
        assert b"REQUEST_TOO_SLOW" in until(client, b"REQUEST_TOO_SLOW")
        wait_until(lambda: is_free(server))


def test_a_body_that_never_ends_ends_the_connection(server: LoopbackServer) -> None:
    with connected(port_of(server), head(DEAL, "application/json", "content-length: 20")) as client:
        assert b"REQUEST_TOO_SLOW" in rest(client)


@pytest.mark.parametrize("sent", [b"", b"POST / HTTP/1.1\r\nx-", b"\r\n"], ids=["nothing", "half a head", "a line"])
def test_a_request_that_never_begins_ends_the_connection(server: LoopbackServer, sent: bytes) -> None:
    with connected(port_of(server), sent) as client:
        assert rest(client)[:12] in (b"", b"HTTP/1.1 400")


def test_a_head_that_trickles_ends_the_connection(server: LoopbackServer) -> None:
    with connected(port_of(server), request(DEAL, b"{}")) as client:
        client.recv(65536)
        wait_until(lambda: not _trickles(client))


def _trickles(client: socket.socket) -> bool:
    """Send a byte; whether that works."""
    time.sleep(0.1)
    try:
        client.sendall(b"P")
    except OSError:
        return False
    return True


def test_a_connection_serves_one_call_after_the_other_until_it_is_idle(server: LoopbackServer) -> None:
    with connected(port_of(server), request(DEAL, b'{"players": 2}') * 3) as client:
        assert rest(client).count(b"HTTP/1.1 200") == 3


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(300),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /" + b"a" * 100_000,
        b"GET / HTTP/1.1\r\nhost: a\r\n" + b"x-a: b\r\n" * 5000,
        b"GET / HTTP/1.1\r\n\r\n",
        head(DEAL, "application/json", "content-length: 2", "transfer-encoding: chunked") + b"0\r\n\r\n",
        head(DEAL, "application/json", "content-length: -1"),
    ],
    ids=["TLS", "HTTP/2", "long URL", "many headers", "no host", "two lengths", "negative"],
)
def test_what_is_no_request_ends_the_connection(server: LoopbackServer, sent: bytes) -> None:
    with connected(port_of(server)) as client:
        try:
            client.sendall(sent)
        except OSError:
            return
        assert rest(client)[:12] in (b"", b"HTTP/1.1 400", b"HTTP/1.1 403")


def test_a_reader_that_takes_nothing_loses_its_stream(server: LoopbackServer) -> None:
    stalled = count(server, "rejected_total", reason="READER_STALLED")
    with connected(port_of(server), request(STREAM, enveloped(LONG), "application/connect+json"), window=2048):
        wait_until(lambda: count(server, "rejected_total", reason="READER_STALLED") == stalled + 1)
        wait_until(lambda: is_free(server))


@pytest.mark.parametrize(
    "sent",
    [request(STREAM, enveloped(LONG), "application/connect+json"), request(RECOMMEND, UNARY_LONG)],
    ids=["stream", "unary"],
)
def test_a_client_that_hangs_up_ends_its_search(server: LoopbackServer, sent: bytes) -> None:
    def cancelled() -> float:
        methods = ("sniffai.v1.AnalysisService/StreamAnalyze", "sniffai.v1.AnalysisService/RecommendMove")
        return sum(count(server, "requests_total", method=method, code="CANCELLED") for method in methods)

    before = cancelled()
    with connected(port_of(server), sent):
        wait_until(lambda: count(server, "slots_busy") == 1)
    wait_until(lambda: is_free(server))
    wait_until(lambda: cancelled() == before + 1)


def test_a_client_that_hangs_up_while_it_sends(server: LoopbackServer) -> None:
    with connected(port_of(server), head(DEAL, "application/json", "content-length: 20") + b"{"):
        wait_until(lambda: count(server, "held", what="calls") == 1)
    wait_until(lambda: is_free(server))


def test_a_huge_body_is_refused_before_it_has_arrived(server: LoopbackServer) -> None:
    with connected(port_of(server), head(DEAL, "application/json", f"content-length: {1 << 40}")) as client:
        client.sendall(b" " * (2 << 20))
        assert b"REQUEST_TOO_LARGE" in until(client, b"REQUEST_TOO_LARGE")


def test_deep_and_odd_json_is_an_error_like_any_other() -> None:
    bodies: list[Any] = [
        b"[" * 500_000,
        b'{"players": ' + b"9" * 100_000 + b"}",
        b'{"players": 1e999}',
        b'{"players": NaN}',
        b'{"players": 2, "players": 3}',
        b'{"seed": "\\ud800"}',
        b'{"players": {"a": ' * 90 + b"1" + b"}" * 180,
        b"null",
        b"[]",
        b"",
    ]
    with running_server(web_port=0) as server:
        for body in bodies:
            answer = call(port_of(server), DEAL, body)
            assert (answer.status, answer.json["code"]) == (400, "invalid_argument"), body[:40]


def test_a_header_twice_counts_twice(server: LoopbackServer) -> None:
    odd = request(DEAL, b"{}", "application/json", "x-name: \xe9", "x-name: plain")
    with connected(port_of(server), odd) as client:
        assert b"MALFORMED_CALL" in until(client, b"MALFORMED_CALL")


@pytest.mark.parametrize(
    "sent",
    [
        request(DEAL, b"{}", "application/json", f"x-a: {'b' * 20_000}"),
        f"GET / HTTP/1.1\r\nhost: localhost\r\nx-a: {'b' * 20_000}\r\n\r\n".encode(),
        f"GET /{'a' * 20_000} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode(),
        f"GET /?{'a' * 20_000} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode(),
    ],
    ids=["call", "file", "path", "query"],
)
def test_a_head_has_a_limit(server: LoopbackServer, sent: bytes) -> None:
    with connected(port_of(server), sent) as client:
        answer = rest(client)
        assert answer[:12] in (b"HTTP/1.1 431", b"HTTP/1.1 400")  # in pieces, it is no head at all


def test_a_request_with_two_lengths_hides_no_other(server: LoopbackServer) -> None:
    two = ("content-length: 100", "transfer-encoding: chunked")
    hidden = request(DEAL, b'{"players": 2}')
    with connected(port_of(server), head(DEAL, "application/json", *two) + b"0\r\n\r\n" + hidden) as client:
        answers = rest(client)
        assert answers.startswith(b"HTTP/1.1 400")
        assert answers.count(b"HTTP/1.1 ") == 1


def test_connections_are_counted(server: LoopbackServer) -> None:
    wait_until(lambda: count(server, "http_connections") == 0)
    with connected(port_of(server), request(DEAL, b'{"players": 2}')) as client:
        until(client, b"talon")
        assert count(server, "http_connections") == 1
    wait_until(lambda: count(server, "http_connections") == 0)


def test_too_many_connections_are_closed_at_once() -> None:
    with running_server(web_port=0, max_connections=3) as server:
        clients = [socket.create_connection(("127.0.0.1", port_of(server))) for _ in range(3)]
        try:
            for client in clients:
                client.settimeout(10)
                client.sendall(request(DEAL, b'{"players": 2}'))
                assert until(client, b"talon").startswith(b"HTTP/1.1 200")
            with connected(port_of(server)) as fourth:
                assert rest(fourth) == b""
        finally:
            for client in clients:
                client.close()
        wait_until(lambda: _answers(port_of(server)))


def test_connections_that_say_nothing_make_room() -> None:
    with running_server(web_port=0, max_connections=3) as server:
        silent = [socket.create_connection(("127.0.0.1", port_of(server))) for _ in range(9)]
        try:
            for _ in range(3):
                assert call(port_of(server), DEAL, ONE).status == 200
            assert count(server, "http_connections") <= 3
            silent[0].settimeout(10)
            assert rest(silent[0]) == b""
        finally:
            for client in silent:
                client.close()


def test_connections_that_end_before_they_are_opened_are_closed() -> None:
    """Many arrive at once, so that the first make room before anything is done with them."""
    with running_server(web_port=0, max_connections=3) as server, contextlib.ExitStack() as stack:
        busy = threading.Event()
        stack.callback(busy.set)
        server.soon(busy.wait)
        silent = [stack.enter_context(connected(port_of(server))) for _ in range(9)]
        busy.set()
        assert [rest(client) for client in silent[:6]] == [b""] * 6
        assert call(port_of(server), DEAL, ONE).status == 200


def _answers(port: int) -> bool:
    try:
        return call(port, DEAL, ONE).status == 200
    except OSError:
        return False


def test_open_calls_and_quotas_count_as_on_the_grpc_port() -> None:
    with running_server(web_port=0, client_calls=1) as server:
        sent = request(STREAM, enveloped(LONG), "application/connect+json")
        with connected(port_of(server), sent) as client:
            client.recv(1)
            answer = call(port_of(server), DEAL, ONE)
            assert (answer.status, answer.json["code"]) == (429, "resource_exhausted")
            assert answer.json["details"][0]["debug"]["reason"] == "TOO_MANY_CALLS"
            assert answer.headers["retry-after"] == "1"
        wait_until(lambda: call(port_of(server), DEAL, ONE).status == 200)


def test_an_old_connection_is_closed_after_its_answer() -> None:
    with (
        running_server(web_port=0, max_connection_seconds=1) as server,
        connected(port_of(server), request(DEAL, b'{"players": 2}')) as client,
    ):
        assert b"connection: close" not in until(client, b"talon")
        time.sleep(1.1)
        client.sendall(request(DEAL, b'{"players": 2}'))
        assert b"connection: close" in rest(client)
