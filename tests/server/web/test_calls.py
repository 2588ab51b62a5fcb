"""Calls by HTTP: Connect with JSON and with protobuf's bytes, gRPC-Web, and what goes wrong."""

import gzip
import json
import re
import struct
import urllib.parse
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from google.protobuf import json_format

from benchmarks.server.raw import RawConnection
from sniffai.v1 import analysis_service_pb2, engine_service_pb2, rules_service_pb2
from tests.server.support import TIMEOUT, LoopbackServer, choice, failure, running_server, stubs_of
from tests.server.web.client import Answer, call, enveloped, messages

RULES, ANALYSIS = "sniffai.v1.RulesService", "sniffai.v1.AnalysisService"
QUICK = {"view": choice(), "limits": {"simulations": "2000"}, "seed": "1"}


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackServer]:
    with running_server(web_port=0) as running:
        yield running


@pytest.fixture(scope="module")
def port(server: LoopbackServer) -> int:
    assert server.server.web is not None
    return server.server.web.port


@pytest.fixture(scope="module")
def stubs(server: LoopbackServer) -> Iterator[SimpleNamespace]:
    with stubs_of(server.address) as calls:
        yield calls


def error_of(answer: Answer) -> tuple[str, str]:
    """The code and the reason of an error."""
    error = answer.json
    (info,) = (detail["debug"] for detail in error["details"] if detail["type"] == "google.rpc.ErrorInfo")
    assert info["domain"] == "sniffai"
    return error["code"], info["reason"]


def test_json_is_protobufs_own(port: int, stubs: SimpleNamespace) -> None:
    answer = call(port, f"{ANALYSIS}/RecommendMove", QUICK)
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json["analysis"]["effectiveLimits"]["time"] == "60s"
    assert answer.json["analysis"]["moves"][0]["pointsNow"] == 0  # what is 0 is there
    request = json_format.ParseDict(QUICK, analysis_service_pb2.RecommendMoveRequest())
    expected = stubs.analysis.RecommendMove(request)
    assert json_format.ParseDict(answer.json, type(expected)()) == expected
    assert float(answer.headers["trailer-sniffai-search-ms"]) > 0


def test_binary_messages(port: int, stubs: SimpleNamespace) -> None:
    request = rules_service_pb2.DealRoundRequest(players=2, seed=5)
    answer = call(port, f"{RULES}/DealRound", request.SerializeToString(), kind="application/proto")
    assert rules_service_pb2.DealRoundResponse.FromString(answer.body) == stubs.rules.DealRound(request)
    assert answer.headers["content-type"] == "application/proto"


@pytest.mark.parametrize("kind", ["json", "proto"])
def test_a_stream_ends_with_its_metadata(port: int, kind: str) -> None:
    asked = json_format.ParseDict(QUICK, analysis_service_pb2.StreamAnalyzeRequest())
    body = json.dumps(QUICK).encode() if kind == "json" else asked.SerializeToString()
    answer = call(port, f"{ANALYSIS}/StreamAnalyze", enveloped(body), kind=f"application/connect+{kind}")
    *results, (flags, end) = messages(answer.body)
    last = analysis_service_pb2.StreamAnalyzeResponse()
    json_format.Parse(results[-1][1], last) if kind == "json" else last.ParseFromString(results[-1][1])
    assert (answer.status, flags, last.analysis.final) == (200, 2, True)
    assert {"x-request-id", "sniffai-search-ms"} == {*json.loads(end)["metadata"]}


def test_grpc_web(port: int) -> None:
    request = rules_service_pb2.DealRoundRequest(players=2, seed=5)
    body = enveloped(request.SerializeToString())
    answer = call(port, f"{RULES}/DealRound", body, kind="application/grpc-web+proto")
    (_, message), (flags, trailers) = messages(answer.body)
    assert rules_service_pb2.DealRoundResponse.FromString(message).seed == 5
    assert (flags, b"grpc-status: 0" in trailers) == (0x80, True)


def test_the_request_id_is_the_clients(port: int) -> None:
    answer = call(port, f"{RULES}/DealRound", {"players": 2}, headers={"x-request-id": "mine-1"})
    assert answer.headers["trailer-x-request-id"] == "mine-1"


def test_an_error_names_the_field(port: int) -> None:
    answer = call(port, f"{RULES}/DealRound", {"players": 7})
    assert (answer.status, answer.json["code"]) == (400, "invalid_argument")
    (bad,) = (one["debug"] for one in answer.json["details"] if one["type"] == "google.rpc.BadRequest")
    (violation,) = bad["fieldViolations"]
    assert (violation["field"], violation["reason"]) == ("players", "PLAYERS_OUT_OF_RANGE")


def test_the_error_of_a_stream_is_in_its_last_message(port: int) -> None:
    answer = call(port, f"{ANALYSIS}/StreamAnalyze", enveloped(b"{}"), kind="application/connect+json")
    ((flags, end),) = messages(answer.body)
    error = json.loads(end)["error"]
    assert (answer.status, flags, error["code"]) == (200, 2, "invalid_argument")
    assert error["details"][0]["debug"]["reason"] == "REQUIRED"


@pytest.mark.parametrize(
    ("path", "body", "options", "status", "code", "reason"),
    [
        (f"{RULES}/Nothing", {}, {}, 404, "unimplemented", "UNKNOWN_METHOD"),
        ("", {}, {}, 404, "unimplemented", "UNKNOWN_METHOD"),
        (f"{RULES}/DealRound", {}, {"kind": "text/plain"}, 415, "invalid_argument", "WRONG_CONTENT_TYPE"),
        (f"{RULES}/DealRound", {}, {"kind": "application/grpc"}, 415, "invalid_argument", "WRONG_CONTENT_TYPE"),
        (f"{ANALYSIS}/StreamAnalyze", {}, {}, 415, "invalid_argument", "WRONG_CONTENT_TYPE"),
        (f"{RULES}/DealRound", {}, {"method": "PUT"}, 405, "invalid_argument", "WRONG_HTTP_METHOD"),
        (f"{RULES}/DealRound", b'{"players":', {}, 400, "invalid_argument", "NOT_JSON"),
        (f"{RULES}/DealRound", b'{"players": "\xff"}', {}, 400, "invalid_argument", "NOT_JSON"),
        (f"{RULES}/DealRound", {"playerz": 2}, {}, 400, "invalid_argument", "NOT_JSON_OF_MESSAGE"),
        (f"{RULES}/DealRound", b"\xff", {"kind": "application/proto"}, 400, "invalid_argument", "UNDECODABLE"),
        (f"{RULES}/DealRound", b" " * (2 << 20), {}, 429, "resource_exhausted", "REQUEST_TOO_LARGE"),
        (
            f"{RULES}/DealRound",
            {},
            {"headers": {"connect-timeout-ms": "soon"}},
            400,
            "invalid_argument",
            "MALFORMED_CALL",
        ),
        (f"{RULES}/DealRound", {}, {"headers": {"x-name": "Zoë"}}, 400, "invalid_argument", "MALFORMED_CALL"),
    ],
)
def test_refused(port: int, path: str, body: Any, options: dict[str, Any], status: int, code: str, reason: str) -> None:
    answer = call(port, path, body, **options)
    assert (answer.status, error_of(answer)) == (status, (code, reason))
    assert answer.headers["trailer-x-request-id"]


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate", "zstd", "nothing", "gzip, identity"])
def test_a_compressed_request(port: int, encoding: str) -> None:
    answer = call(port, f"{RULES}/DealRound", gzip.compress(b"{}"), headers={"content-encoding": encoding})
    assert (answer.status, error_of(answer)) == (501, ("unimplemented", "UNKNOWN_ENCODING"))
    assert answer.headers["accept-encoding"] == "identity"
    assert "identity" in answer.json["message"]
    assert answer.headers["trailer-x-request-id"]


def test_a_compressed_get(port: int) -> None:
    path = "sniffai.v1.EngineService/GetEngineInfo?message={}&encoding=json&compression=gzip"
    answer = call(port, path, method="GET")
    assert (answer.status, error_of(answer)) == (501, ("unimplemented", "UNKNOWN_ENCODING"))


def test_a_compressed_stream(port: int) -> None:
    body = enveloped(gzip.compress(b"{}"), flags=1)
    options: dict[str, Any] = {"kind": "application/connect+json", "headers": {"connect-content-encoding": "gzip"}}
    answer = call(port, f"{ANALYSIS}/StreamAnalyze", body, **options)
    ((_, end),) = messages(answer.body)
    error = json.loads(end)["error"]
    assert (error["code"], error["details"][0]["debug"]["reason"]) == ("unimplemented", "UNKNOWN_ENCODING")
    assert answer.headers["connect-accept-encoding"] == "identity"


def test_a_compressed_call_of_grpc_web(port: int) -> None:
    body = enveloped(gzip.compress(b""), flags=1)
    options: dict[str, Any] = {"kind": "application/grpc-web+proto", "headers": {"grpc-encoding": "gzip"}}
    answer = call(port, f"{RULES}/DealRound", body, **options)
    told = answer.body.lower() + repr(answer.headers).encode()
    assert b"grpc-status: 12" in told or b"'grpc-status': '12'" in told
    assert answer.headers["grpc-accept-encoding"] == "identity"


@pytest.mark.parametrize("encoding", ["identity", ""])
def test_a_request_that_is_said_not_to_be_compressed(port: int, encoding: str) -> None:
    answer = call(port, f"{RULES}/DealRound", {"players": 2}, headers={"content-encoding": encoding})
    assert answer.status == 200


def test_encodings_on_the_grpc_port(server: LoopbackServer) -> None:
    """There gRPC itself reads gzip, and refuses what it does not know before this server sees the call."""
    with grpc.insecure_channel(server.address, compression=grpc.Compression.Gzip) as channel:
        ask = channel.unary_unary(f"/{RULES}/DealRound", lambda request: request.SerializeToString())
        assert ask(rules_service_pb2.DealRoundRequest(players=2), timeout=TIMEOUT)
    with RawConnection(server.address) as connection:
        stream = connection.open(f"{RULES}/DealRound", {"grpc-encoding": "br"})
        connection.data(stream, struct.pack(">BI", 1, 4) + b"abcd", end=True)
        assert connection.wait(stream)
        head = bytes(connection.streams[stream].head)
    assert re.search(rb"grpc-status.1[23]", head), head
    assert b"grpc-encoding" in head, head


def test_a_deadline_gives_what_was_found_so_far(port: int) -> None:
    asked = {"view": choice(), "limits": {"time": "30s"}}
    answer = call(port, f"{ANALYSIS}/RecommendMove", asked, headers={"connect-timeout-ms": "1500"})
    assert answer.json["analysis"]["stopReason"] == "STOP_REASON_DEADLINE"


def test_a_method_without_an_implementation(port: int, stubs: SimpleNamespace) -> None:
    """Such as the newest of the health service."""
    answer = call(port, "grpc.health.v1.Health/List", {})
    assert (answer.status, error_of(answer)) == (501, ("unimplemented", "UNKNOWN_METHOD"))
    ask = stubs.channel.unary_unary("/grpc.health.v1.Health/List")
    told = failure(lambda: ask(b"", timeout=TIMEOUT))
    assert (told.code, told.reason) == ("UNIMPLEMENTED", "UNKNOWN_METHOD")


def test_health(port: int) -> None:
    assert call(port, "grpc.health.v1.Health/Check", {}).json == {"status": "SERVING"}


def test_what_only_reads_may_be_asked_by_get(port: int) -> None:
    asked = urllib.parse.urlencode({"message": '{"deal": {"players": 7}}', "encoding": "json", "connect": "v1"})
    answer = call(port, f"{RULES}/DescribeRound?{asked}", method="GET")
    assert (answer.status, answer.json["code"]) == (400, "invalid_argument")
    answer = call(port, "sniffai.v1.EngineService/GetEngineInfo?message={}&encoding=json", method="GET")
    assert (answer.status, answer.json["maxRequestBytes"]) == (200, 1 << 20)
    answer = call(port, "sniffai.v1.EngineService/GetEngineInfo?message=&encoding=proto&base64=1", method="GET")
    assert engine_service_pb2.GetEngineInfoResponse.FromString(answer.body).levels
    answer = call(port, f"{RULES}/DealRound?message={{}}&encoding=json", method="GET")
    assert error_of(answer) == ("invalid_argument", "WRONG_HTTP_METHOD")


@pytest.mark.parametrize(
    ("method", "allowed"), [(f"{RULES}/DealRound", "POST"), ("sniffai.v1.EngineService/GetEngineInfo", "POST, GET")]
)
def test_a_refused_method_of_http_names_those_there_are(port: int, method: str, allowed: str) -> None:
    answer = call(port, method, {}, method="PUT")
    assert (answer.status, answer.headers["allow"]) == (405, allowed)


@pytest.mark.parametrize("query", ["", "encoding=json", "message=%7B%7D", "message=%7B%7D&encoding=xml"])
def test_a_get_without_a_message_is_refused(port: int, query: str) -> None:
    answer = call(port, f"sniffai.v1.EngineService/GetEngineInfo?{query}", method="GET")
    assert (answer.status, error_of(answer)) == (400, ("invalid_argument", "MALFORMED_CALL"))
