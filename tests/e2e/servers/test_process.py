"""The process of a server: signals at any time, an end that comes whatever hangs, a log that holds JSON only."""

import fcntl
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
import pytest

from sniffai.v1 import analysis_service_pb2, engine_service_pb2
from sniffai.version import VERSION
from tests.server.support import TIMEOUT, choice, stubs_of, view_message

SERVE = [sys.executable, "-m", "sniffai_server", "serve", "--port", "0", "--slots", "1"]


class Process:
    """A server's process, and the lines of its log."""

    def __init__(self, *flags: str, command: list[str] = SERVE, **streams: Any) -> None:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
        self.popen = subprocess.Popen([*command, *flags], text=True, **streams)
        self._log: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        self._log += self.popen.stderr or ()

    @property
    def address(self) -> str:
        assert self.popen.stdout is not None
        return self.popen.stdout.readline().split()[-1]

    def end(self, *numbers: int) -> tuple[int, float]:
        """Send signals, a little apart; returns the exit status and the seconds to the end."""
        started = time.monotonic()
        for number in numbers or (signal.SIGTERM,):
            self.popen.send_signal(number)
            time.sleep(0.05)
        status = self.popen.wait(TIMEOUT)
        return status, time.monotonic() - started

    @property
    def log(self) -> list[dict[str, Any]]:
        """The lines, each of which is JSON; only after the end."""
        self._reader.join(TIMEOUT)
        return [json.loads(line) for line in self._log]

    @property
    def messages(self) -> list[str]:
        return [line["message"] for line in self.log]

    def close(self) -> None:
        """End it, and let its streams go."""
        self.popen.kill()
        self.popen.wait(TIMEOUT)
        self._reader.join(TIMEOUT)
        for stream in (self.popen.stdout, self.popen.stderr):
            if stream is not None:
                stream.close()

    def until(self, words: str) -> None:
        """Wait for a line of the log."""
        end = time.monotonic() + TIMEOUT
        while not any(words in line for line in self._log):
            assert time.monotonic() < end
            time.sleep(0.01)


@contextmanager
def process(*flags: str, **options: Any) -> Iterator[Process]:
    made = Process(*flags, **options)
    try:
        yield made
    finally:
        made.close()


@contextmanager
def full_pipe() -> Iterator[int]:
    """The end of a pipe that is full, and that nobody reads."""
    source, sink = os.pipe()
    os.set_blocking(sink, False)
    try:
        while True:
            os.write(sink, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(sink, True)
    yield sink
    os.close(source)
    os.close(sink)


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ((), []),
        (("--web-port", "0"), [r"serving HTTP on http://127\.0\.0\.1:(\d+)"]),
        (("--web", "--web-port", "0"), [r"serving HTTP and the page on http://127\.0\.0\.1:(\d+)/"]),
    ],
    ids=["gRPC", "HTTP", "page"],
)
def test_the_first_lines_name_every_address(flags: tuple[str, ...], expected: list[str]) -> None:
    """On standard output and in the log, in which start, shutdown and end are lines as well."""
    with process(*flags) as server:
        lines = [server.popen.stdout.readline().rstrip("\n") for _ in (0, *expected)]
        shown = [line.removeprefix(f"sniffai-server {VERSION} ") for line in lines]
        for line, form in zip(shown, [r"listening on 127\.0\.0\.1:(\d+)", *expected], strict=True):
            found = re.fullmatch(form, line)
            assert found, line
            socket.create_connection(("127.0.0.1", int(found[1]))).close()
        assert server.end() == (0, pytest.approx(0, abs=2))
        assert server.popen.stdout.read() == ""  # nothing else is ever printed there
        starting, *addresses, shutting_down, ended = server.messages
        assert starting == f"sniffai-server {VERSION} is starting"
        assert addresses == shown
        assert (shutting_down, ended) == ("shutting down: SIGTERM", "the server has stopped")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_before_the_server_listens(number: signal.Signals) -> None:
    """While the process imports, or while it starts: one clear line, no traceback."""
    for wait in (0.2, 0.6):
        status, seconds, text = signalled_after(wait, number)
        while "init_import_site" in text:  # on a busy machine Python itself may not have started yet
            status, seconds, text = signalled_after(wait, number)
        # Before the first line of Python the status is the system's own; after the start it is that of the drain.
        assert status in (128 + number, -number, 0)
        assert seconds < 4
        assert "Traceback" not in text
        assert status != 128 + number or f"stopped by {number.name}" in text


def signalled_after(wait: float, number: signal.Signals) -> tuple[int, float, str]:
    """The status, the seconds to the end, and the log of a server that gets a signal soon after its start."""
    with process() as server:
        time.sleep(wait)
        status, seconds = server.end(number)
        server._reader.join(TIMEOUT)
        return status, seconds, "".join(server._log)


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [((signal.SIGINT, signal.SIGINT), "STOP_REASON_SHUTDOWN"), ((signal.SIGQUIT,), "")],
)
def test_a_second_signal_ends_the_delay(numbers: tuple[int, ...], reason: str) -> None:
    """The search in flight still answers; a third signal, or SIGQUIT, does not wait for it any more."""
    with process("--drain-delay", "60", "--grace-seconds", "10") as server, stubs_of(server.address) as stubs:
        request = analysis_service_pb2.AnalyzeRequest(view=view_message(choice()), limits={"time": {"seconds": 50}})
        call = stubs.analysis.Analyze.future(request, timeout=TIMEOUT)
        time.sleep(0.3)
        status, seconds = server.end(*numbers)
        assert (status, seconds < 4) == (0, True)
        if reason:
            assert (
                call.result().analysis.stop_reason
                == analysis_service_pb2.DESCRIPTOR.pool.FindEnumTypeByName("sniffai.v1.StopReason")
                .values_by_name[reason]
                .number
            )
        assert "the server has stopped" in server.messages


def test_signals_at_the_very_end() -> None:
    """While the last lines of the log wait for a reader, and nothing is left that a signal could hurry."""
    with full_pipe() as full, process(stderr=full) as server:
        assert server.address
        end = time.monotonic() + TIMEOUT
        while server.popen.poll() is None and time.monotonic() < end:
            server.popen.send_signal(signal.SIGTERM)
            server.popen.send_signal(signal.SIGHUP)
            time.sleep(0.005)
        assert server.popen.wait(TIMEOUT) == 0


LOOK_UP = """
import ctypes, sys
from sniffai_server import cli, listening
def look_up(*_):
    print("looking up", flush=True)
    mutex = ctypes.create_string_buffer(256)
    for _ in range(2):  # the second one waits for ever, and heeds no signal
        ctypes.CDLL(None).pthread_mutex_lock(mutex)
listening._ips = look_up
sys.argv = ["sniffai-server", "serve", "--host", "localhost", "--drain-delay", "60"]
cli.main()
"""


def test_a_name_look_up_that_never_ends() -> None:
    """The main thread is not there for signals; the process ends all the same, without a delay: nobody calls yet."""
    with process(command=[sys.executable, "-c", LOOK_UP]) as server:
        assert server.address
        status, seconds = server.end()
        assert (status, seconds < 4) == (1, True)
        assert server.messages[-1] == "the server did not shut down in time: exiting"


START = """
import os, signal, sys
from sniffai_server import cli, process
heed, number = process.Signals.__init__, getattr(signal, sys.argv[1])
def signalled(*arguments):
    os.kill(os.getpid(), number)
    heed(*arguments)
process.Signals.__init__ = signalled
sys.argv = ["sniffai-server", "serve", "--port", "0"]
cli.main()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGQUIT])
def test_a_signal_between_the_settings_and_the_start(number: signal.Signals) -> None:
    """The log is open already: the line is one of the log, and is not lost."""
    with process(command=[sys.executable, "-c", START, number.name]) as server:
        assert server.popen.wait(TIMEOUT) == 128 + number
        assert server.messages[-1] == f"stopped by {number.name} before the server listened"


def test_sighup_reads_the_files_again(tmp_path: Any) -> None:
    keys = tmp_path / "keys.toml"
    keys.write_text("", encoding="utf-8")
    with process("--keys-file", str(keys)) as server:
        assert server.address
        server.popen.send_signal(signal.SIGHUP)
        server.until("keys read again: 0 API keys, unchanged")
        keys.write_text("[alice]\n", encoding="utf-8")
        server.popen.send_signal(signal.SIGHUP)
        server.until("cannot be used, the previous version stays in force")
        assert server.end()[0] == 0


def test_a_standard_error_that_nobody_reads() -> None:
    with full_pipe() as full:
        with process(stderr=full) as server, stubs_of(server.address) as stubs:
            for _ in range(50):
                assert stubs.engine.GetEngineInfo(engine_service_pb2.GetEngineInfoRequest(), timeout=TIMEOUT)
            status, seconds = server.end()
            assert (status, seconds < 4) == (0, True)
        for flags in (["--port", "x"], ["--config", "/none"]):
            with process(*flags, stderr=full, stdout=full) as server:
                assert server.popen.wait(TIMEOUT) in (1, 2)


@pytest.mark.parametrize("streams", [">/dev/full", "<&- >&- 2>&-"])
def test_standard_streams_that_are_full_or_closed(streams: str) -> None:
    """The server serves all the same, and ends as ever."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = " ".join([*SERVE, "--port", str(port)])
    with process(command=["bash", "-c", f"exec {command} {streams}"]) as server:
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            grpc.channel_ready_future(channel).result(TIMEOUT)
        assert server.end()[0] == 0
        if "2>" not in streams:
            assert server.messages[-1] == "the server has stopped"
            assert any("cannot write to standard output" in line for line in server.messages) is ("full" in streams)


@pytest.mark.parametrize("command", ["config", "--version"])
def test_output_for_a_full_device(command: str) -> None:
    told = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m sniffai_server {command} >/dev/full"],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert (told.returncode, told.stderr) == (1, "sniffai-server: No space left on device\n")


def test_a_collector_of_spans_that_does_not_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with process("--otlp-endpoint", endpoint) as server, stubs_of(server.address) as stubs:
            request = engine_service_pb2.GetEngineInfoRequest()
            for _ in range(12):  # more spans than one message takes
                calls = [stubs.engine.GetEngineInfo.future(request, timeout=TIMEOUT) for _ in range(50)]
                assert all(call.result() for call in calls)
            status, seconds = server.end()
            assert (status, seconds < 2) == (0, True)
            assert "the server has stopped" in server.messages


HANG = """
import sys, time
from sniffai_server import app, cli
async def hang(self, *_):
    time.sleep(60)
app.Server.drain = hang
sys.argv = ["sniffai-server", "serve", "--port", "0", "--grace-seconds", "0.2"]
cli.main()
"""


def test_a_process_that_hangs_ends_itself() -> None:
    """Within the grace period and two seconds, with one line and a status of its own."""
    with process(command=[sys.executable, "-c", HANG]) as server:
        assert server.address
        status, seconds = server.end()
        assert (status, server.messages[-1]) == (1, "the server did not shut down in time: exiting")
        assert 1.5 < seconds < 4


NOISE = """
import ctypes, os, sys, threading, warnings
from sniffai_server import cli, process
class Broken:
    def __del__(self):
        raise ValueError("in a destructor")
def fail():
    raise ValueError("in a thread")
async def serve(settings):
    print("printed", file=sys.stderr)
    os.write(2, b"raw\\nlines\\n")
    ctypes.CDLL(None).dprintf(2, b"from C\\n")
    warnings.warn("warned")
    Broken()
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    raise RuntimeError("unexpected")
process.serve = serve
sys.argv = ["sniffai-server", "serve"]
cli.main()
"""


def test_every_line_on_standard_error_becomes_json() -> None:
    with process(command=[sys.executable, "-c", NOISE]) as server:
        assert server.popen.wait(TIMEOUT) == 1
        told = json.dumps(server.log)
    for words in ("printed", "raw", "lines", "from C", "warned", "in a destructor", "in a thread", "unexpected"):
        assert words in told


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--host", "192.0.2.1", "--insecure"], "cannot listen on 192.0.2.1:0: cannot assign requested address"),
        (["--keys-file", "/none"], "file /none: No such file or directory"),
        (["--otlp-endpoint", "ftp://h:1"], "otlp_endpoint: http://HOST:PORT or https://HOST:PORT is expected"),
    ],
)
def test_the_log_says_why_the_server_could_not_start(flags: list[str], words: str) -> None:
    with process(*flags) as server:
        assert server.popen.wait(TIMEOUT) == 1
        assert server.log[-1]["level"] == "critical"
        assert words in server.log[-1]["message"]


def test_lost_log_lines_are_counted_and_reported() -> None:
    """The pipe is read at last; what was lost until then is told."""
    source, sink = os.pipe()
    fcntl.fcntl(sink, fcntl.F_SETPIPE_SZ, 4096)
    script = "import sniffai_server.observe.logs as logs; logs.WAITING_LINES = 20\n"
    script += "from sniffai_server import cli; import sys\n"
    script += "sys.argv = ['sniffai-server', 'serve', '--port', '0']; cli.main()"
    with process(command=[sys.executable, "-c", script], stderr=sink) as server, stubs_of(server.address) as stubs:
        request = engine_service_pb2.GetEngineInfoRequest()
        for _ in range(100):
            assert stubs.engine.GetEngineInfo(request, timeout=TIMEOUT)
        os.close(sink)
        read: list[str] = []
        with os.fdopen(source, encoding="utf-8") as lines:
            reader = threading.Thread(target=lambda: read.extend(lines), daemon=True)
            reader.start()
            end = time.monotonic() + TIMEOUT
            while not any("lines of the log were lost" in line for line in read):
                assert time.monotonic() < end
                time.sleep(0.01)
            assert server.end()[0] == 0
            reader.join(TIMEOUT)
    assert len(read) < 100
    assert all(json.loads(line) for line in read)
