"""What the server writes down of a call, and what it never does."""

import io
import json
import logging
import os
import queue
import re
import signal
import subprocess
import sys
import time
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest

from sniffai.v1 import analysis_service_pb2, engine_service_pb2, rules_service_pb2
from sniffai_server.calls.current import CALL, Call
from sniffai_server.observe.logs import JsonFormatter, TextFormatter, _Writer
from sniffai_server.observe.observer import cancel_code
from sniffai_server.services import rules as rules_service
from tests.server.support import TIMEOUT, choice, failure, recommend, story, stubs_of, view_message

COMMAND = [sys.executable, "-m", "sniffai_server", "serve", "--port", "0", "--slots", "1"]
OBSERVER = "sniffai_server.observe.observer"


def fields_of(caplog: pytest.LogCaptureFixture, method: str, count: int = 1) -> dict[str, Any]:
    """The fields of a call's log line, which is written just after its client has its answer."""
    end = time.monotonic() + TIMEOUT
    while True:
        found = [
            record.__dict__["fields"]
            for record in caplog.records
            if record.name == OBSERVER and record.__dict__["fields"]["method"].endswith(method)
        ]
        if len(found) >= count:
            return dict(found[-1])
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_line_for_each_call(stubs: SimpleNamespace, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        recommend(stubs, view_message(choice()), limits={"simulations": 300})
        fields = fields_of(caplog, "RecommendMove")
    assert re.fullmatch(r"[0-9a-f]{32}", fields.pop("request_id"))
    assert 0 < fields.pop("seconds") < TIMEOUT
    assert 0 <= fields.pop("queue_wait") < TIMEOUT
    assert fields == {
        "client": "127.0.0.1",
        "method": "sniffai.v1.AnalysisService/RecommendMove",
        "code": "OK",
        "priority": "interactive",
        "simulations": 300,
        "stop_reason": "simulations",
    }


def test_a_failed_call(stubs: SimpleNamespace, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        failure(lambda: recommend(stubs, view_message(story() | {"hand": ["9|9"]})))
        fields = fields_of(caplog, "RecommendMove")
    assert (fields["code"], fields["reason"]) == ("INVALID_ARGUMENT", "UNKNOWN_TILE")
    assert "simulations" not in fields


def test_a_cancelled_call(stubs: SimpleNamespace, caplog: pytest.LogCaptureFixture) -> None:
    request = analysis_service_pb2.AnalyzeRequest(view=view_message(choice()), limits={"time": {"seconds": 15}})
    with caplog.at_level(logging.INFO):
        call = stubs.analysis.Analyze.future(request, timeout=TIMEOUT)
        time.sleep(0.2)
        call.cancel()
        fields = fields_of(caplog, "Analyze")
    assert (fields["code"], fields["stop_reason"]) == ("CANCELLED", "stopped")
    assert fields["simulations"] > 0


@pytest.mark.parametrize(("left", "code"), [(0.0, "DEADLINE_EXCEEDED"), (3.0, "CANCELLED"), (None, "CANCELLED")])
def test_logs_tell_a_missed_deadline_from_a_cancelled_call(left: float | None, code: str) -> None:
    assert cancel_code(SimpleNamespace(time_remaining=lambda: left)) == code


def test_health_checks_are_not_logged(stubs: SimpleNamespace, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        stubs.channel.unary_unary("/grpc.health.v1.Health/Check")(b"", timeout=TIMEOUT)
        recommend(stubs, view_message(story()))
        fields_of(caplog, "RecommendMove")
    assert not any("grpc.health" in record.getMessage() for record in caplog.records)


def request_id(stubs: SimpleNamespace, given: str | None = None) -> str:
    metadata = () if given is None else (("x-request-id", given),)
    request = rules_service_pb2.ListLegalMovesRequest(view=view_message(story()))
    _, call = stubs.rules.ListLegalMoves.with_call(request, timeout=TIMEOUT, metadata=metadata)
    return dict(call.trailing_metadata())["x-request-id"]


def test_the_request_id_is_echoed(stubs: SimpleNamespace) -> None:
    assert request_id(stubs, "my-id:7.a_b") == "my-id:7.a_b"
    made = {request_id(stubs) for _ in range(5)}
    assert len(made) == 5


@pytest.mark.parametrize("given", ["", "a b", 'a"}', "x" * 65, "a/b"])
def test_a_request_id_that_is_no_plain_word_is_replaced(stubs: SimpleNamespace, given: str) -> None:
    assert re.fullmatch(r"[0-9a-f]{32}", request_id(stubs, given))


def test_the_request_id_comes_with_errors_and_beside_other_trailers(stubs: SimpleNamespace) -> None:
    request = analysis_service_pb2.RecommendMoveRequest(view=view_message(choice()), limits={"simulations": 10})
    metadata = (("x-request-id", "seven"),)
    _, call = stubs.analysis.RecommendMove.with_call(request, timeout=TIMEOUT, metadata=metadata)
    trailers = dict(call.trailing_metadata())
    assert trailers["x-request-id"] == "seven"
    assert float(trailers["sniffai-search-ms"]) > 0
    broken = analysis_service_pb2.RecommendMoveRequest()
    error = failure(lambda: stubs.analysis.RecommendMove(broken, timeout=TIMEOUT, metadata=metadata))
    assert (error.trailers["x-request-id"], error.reason) == ("seven", "REQUIRED")
    raw = stubs.channel.unary_unary("/sniffai.v1.AnalysisService/Analyze")
    error = failure(lambda: raw(b"\xff", timeout=TIMEOUT, metadata=metadata))
    assert (error.trailers["x-request-id"], error.reason) == ("seven", "UNDECODABLE")


def test_an_internal_error_names_the_request(
    stubs: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(view: object) -> None:
        raise ValueError("broken")

    monkeypatch.setattr(rules_service, "Belief", fail)
    request = rules_service_pb2.ValidateViewRequest(view=view_message(story()))
    lines = io.StringIO()
    handler = logging.StreamHandler(lines)
    handler.setFormatter(JsonFormatter())
    logging.getLogger("sniffai_server").addHandler(handler)
    try:
        metadata = (("x-request-id", "seven"),)
        error = failure(lambda: stubs.rules.ValidateView(request, timeout=TIMEOUT, metadata=metadata))
    finally:
        logging.getLogger("sniffai_server").removeHandler(handler)
    line = json.loads(lines.getvalue().splitlines()[0])
    assert line["message"] == f"internal error {error.metadata['id']}"
    assert (line["level"], line["request_id"]) == ("error", "seven")
    assert "ValueError: broken" in line["exception"]


def record(message: str, **extra: Any) -> logging.LogRecord:
    made = logging.LogRecord("sniffai_server", logging.INFO, "file", 1, message, (), None)
    made.__dict__.update(extra)
    return made


def test_json_is_one_line_whatever_the_text() -> None:
    text = JsonFormatter().format(record('two\nlines "quoted"', fields={"code": "OK", "seconds": 0.5}))
    assert "\n" not in text
    line = json.loads(text)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line.pop("time"))
    assert line == {
        "level": "info",
        "logger": "sniffai_server",
        "message": 'two\nlines "quoted"',
        "code": "OK",
        "seconds": 0.5,
    }


def test_text_for_people() -> None:
    assert TextFormatter().format(record("done", fields={"code": "OK"})).endswith("INFO sniffai_server: done code=OK")
    token = CALL.set(Call(request_id="seven"))
    try:
        assert TextFormatter().format(record("done")).endswith("INFO sniffai_server: done request_id=seven")
    finally:
        CALL.reset(token)


FORGED = "x\n2030-01-01 00:00:00,000 INFO sniffai_server: forged code=OK\r\x1b[2J\x9b\u2028\u202e\x7f\ud800"


@pytest.mark.parametrize("place", ["client", "message", "argument", "logger", "exception"])
def test_no_name_forges_a_line_or_a_field(place: str) -> None:
    """Whatever a client, a certificate or an error is called."""
    made = record("%s ended" if place == "argument" else "done", fields={"client": "cn:alice", "code": "OK"})
    if place == "client":
        made.__dict__["fields"] = {"client": f"cn:{FORGED}", "code": "OK"}
    elif place == "message":
        made.msg = FORGED
    elif place == "argument":
        made.args = (FORGED,)
    elif place == "logger":
        made.name = FORGED
    else:
        made.exc_info = (ValueError, ValueError(FORGED), None)
    text = TextFormatter().format(made)
    first, *others = text.splitlines()
    assert all(line.isprintable() for line in (first, *others))
    assert all(line.startswith("    ") for line in others)
    assert bool(others) is (place == "exception")
    assert len(re.findall(r" code=", re.sub(r'"[^"]*"', "", first))) == (1 if place in ("client", "exception") else 2)
    (line,) = JsonFormatter().format(made).splitlines()
    assert line.isprintable()
    assert line.isascii()
    assert json.loads(line)["code"] == "OK"


def test_a_plain_field_needs_no_quotes() -> None:
    fields = {"client": "cn:J\u00f6rg", "empty": "", "spaced": "a b", "quoted": '"', "seconds": 0.5}
    told = TextFormatter().format(record("done", fields=fields))
    assert told.endswith('done client=cn:J\u00f6rg empty="" spaced="a b" quoted="\\"" seconds=0.5')


def test_a_call_of_a_method_that_does_not_exist(stubs: SimpleNamespace, caplog: pytest.LogCaptureFixture) -> None:
    """It has its line and its metric, under one name for all; it waits for no request."""
    with caplog.at_level(logging.INFO):
        for name in ("/sniffai.v1.AnalysisService/Guess", "/x/" + "y" * 500):
            call = stubs.channel.stream_stream(name)(iter(()), timeout=TIMEOUT)
            error = failure(lambda call=call: list(call))
            assert (error.code, error.reason) == ("UNIMPLEMENTED", "UNKNOWN_METHOD")
        fields = fields_of(caplog, "unknown", 2)
    assert (fields["code"], fields["reason"]) == ("UNIMPLEMENTED", "UNKNOWN_METHOD")
    assert fields["asked"] == ("x/" + "y" * 500)[:128]
    unary = stubs.channel.unary_unary("/sniffai.v1.RulesService/None")
    assert failure(lambda: unary(b"", timeout=TIMEOUT)).code == "UNIMPLEMENTED"


MORE = 600
"""Lines, of which a pipe takes about 200."""


@cache
def log_of_a_process(form: str, calls: int) -> str:
    """What a server writes of two calls with secrets, and of more calls, before anybody reads it."""
    process = subprocess.Popen(
        [*COMMAND, "--log-format", form], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        with stubs_of(process.stdout.readline().split()[-1]) as stubs:
            secret = (("authorization", "Bearer sniffai_SECRET"), ("x-request-id", "one"))
            request = analysis_service_pb2.RecommendMoveRequest(view=view_message(choice()), limits={"simulations": 9})
            stubs.analysis.RecommendMove(request, timeout=TIMEOUT, metadata=secret)
            failure(lambda: recommend(stubs, view_message(choice() | {"hand": ["6|6", "9|9"]})))
            ask, nothing = stubs.engine.GetEngineInfo, engine_service_pb2.GetEngineInfoRequest()
            for _ in range(calls // 50):
                assert all(call.result() for call in [ask.future(nothing, timeout=TIMEOUT) for _ in range(50)])
        process.send_signal(signal.SIGTERM)
        out, log = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, out) == (0, "")
    return log


@pytest.mark.parametrize(("form", "calls"), [("json", MORE), ("text", 0)])
def test_the_log_of_a_process_tells_no_hands_and_no_keys(form: str, calls: int) -> None:
    log = log_of_a_process(form, calls)
    assert "SECRET" not in log
    assert not re.search(r"\d\|\d", log)
    lines = [line for line in log.splitlines() if "RecommendMove" in line]
    assert len(lines) == 2
    if form == "json":
        first, second = map(json.loads, lines)
        assert (first["request_id"], first["code"], first["simulations"]) == ("one", "OK", 9)
        assert (second["code"], second["reason"]) == ("INVALID_ARGUMENT", "UNKNOWN_TILE")
    else:
        assert "request_id=one" in lines[0]
        assert "reason=UNKNOWN_TILE" in lines[1]


def test_a_log_that_nobody_reads_delays_no_call() -> None:
    """Many more calls than a pipe takes lines are answered."""
    lines = map(json.loads, log_of_a_process("json", MORE).splitlines())
    assert sum("GetEngineInfo" in line["message"] for line in lines) == MORE


def writer_of(descriptor: int, *messages: str) -> _Writer:
    """A writer that has these lines to write."""
    lines: queue.Queue[logging.LogRecord | None] = queue.Queue()
    for message in messages:
        lines.put(logging.LogRecord("tests", logging.INFO, "", 0, message, (), None))
    lines.put(None)
    return _Writer(lines, descriptor, JsonFormatter())


def test_a_standard_error_that_does_not_wait() -> None:
    """As a parent leaves a pipe that it has made non-blocking: what does not fit at once is written later, whole."""
    source, sink = os.pipe()
    os.set_blocking(sink, False)
    messages = [json.dumps({"message": str(number) * 100_000}) for number in range(5)]
    writer = writer_of(sink, *messages)
    writer.start()
    time.sleep(0.05)
    read = b""
    while read.count(b"\n") < len(messages):
        read += os.read(source, 1 << 16)
    writer.join(TIMEOUT)
    os.close(source)
    os.close(sink)
    assert read.decode().splitlines() == messages


def test_a_log_line_after_a_broken_one_begins_on_a_line_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a disk that is full for a while."""
    written: list[bytes] = []

    def write(_descriptor: int, data: memoryview) -> int:
        if len(written) == 1:
            written.append(b"")
            raise OSError(28, "No space left on device")
        written.append(bytes(data)[: 5 if not written else None])
        return len(written[-1])

    writer = writer_of(-1, '{"first": 1}', '{"second": 2}', '{"third": 3}')
    monkeypatch.setattr("sniffai_server.observe.logs.os", SimpleNamespace(write=write))
    writer.run()
    told = b"".join(written).decode().splitlines()
    assert (told[0], told[1], told[-1]) == ('{"fir', '{"second": 2}', '{"third": 3}')
