"""The log on standard error: JSON lines for machines, or text for people, and nothing between them.

Whatever else writes to standard error while the log is open (gRPC's core, a library's print, Python itself) becomes
lines of the log, too. A standard error that nobody reads, or that is full, holds up neither a call nor the end.
"""

import contextlib
import faulthandler
import fcntl
import json
import logging
import os
import queue
import select
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from logging.handlers import QueueHandler
from types import TracebackType
from typing import Any, Final

from sniffai_server.calls.current import CALL

WAITING_LINES: Final = 10_000
"""Lines that may wait to be written."""
LAST_LINES_SECONDS: Final = 0.3
"""How long the last lines may take to be written once the log ends."""
STANDARD_ERROR: Final = 2
PIPE_BYTES: Final = 1 << 20
"""What others may write at one go."""
MOST_RAW: Final = 8192
"""The longest line that something else writes; the rest begins another."""
NOT_PLAIN: Final = frozenset(' "=\\')
"""Signs that put a field of the text form into quotes."""

_raw_log: Final = logging.getLogger("stderr")
_log: Final = logging.getLogger(__name__)
_lost = 0


def lost_lines() -> int:
    """Lines that nobody took since the process began."""
    return _lost


def escaped(text: str) -> str:
    """A text in one line without signs that a terminal obeys: control characters, ends of lines, directions."""
    return "".join(sign if sign.isprintable() else _escape(sign) for sign in text)


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time, level, logger, message, the call's request id, and the fields of the record."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_call_fields(record),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return _json(line)


class TextFormatter(logging.Formatter):
    """Time, level, logger and message, then the fields as ``name=value``, in one line; a traceback below, indented."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s")

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        head = f"{self.formatTime(record)} {record.levelname} {escaped(record.name)}: {escaped(record.getMessage())}"
        fields = [f"{name}={_field(value)}" for name, value in _call_fields(record).items()]
        lines = [" ".join([head, *fields])]
        if record.exc_info:
            lines += [f"    {escaped(line)}" for line in self.formatException(record.exc_info).split("\n")]
        return "\n".join(lines)


class _Queued(QueueHandler):
    """Formats at once, where the call is known, and leaves the writing to a thread; a full queue loses lines."""

    def enqueue(self, record: logging.LogRecord) -> None:
        """Put a line into the queue, or drop it."""
        try:
            self.queue.put_nowait(record)
        except queue.Full:
            _lose()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (logging's name)
        """A record that cannot be formatted is lost, without a word on standard error."""
        _lose()


class _Writer(threading.Thread):
    """Writes what is queued to a descriptor. It waits as long as a write takes; nobody waits for it."""

    def __init__(self, lines: "queue.Queue[logging.LogRecord | None]", descriptor: int, formatter: logging.Formatter):
        super().__init__(name="log", daemon=True)
        self._lines = lines
        self._descriptor = descriptor
        self._formatter = formatter
        self._told = _lost
        self._before = b""

    def run(self) -> None:
        """Write, to the end of the queue."""
        while (record := self._lines.get()) is not None:
            if self._write(record.getMessage()) and self._told < _lost:
                self._tell_lost()

    def close(self) -> None:
        """Let the thread write the last lines, as long as that takes no more than a moment."""
        end = time.monotonic() + LAST_LINES_SECONDS
        with contextlib.suppress(queue.Full):
            self._lines.put(None, timeout=LAST_LINES_SECONDS)
            self.join(max(0.0, end - time.monotonic()))

    def _write(self, line: str) -> bool:
        """Write a line; says whether anybody took it. The next one begins on its own, even after half of one."""
        whole = memoryview(self._before + line.encode("utf-8", "backslashreplace") + b"\n")
        left = whole
        try:
            while left:
                left = left[self._write_some(left) :]
        except OSError:
            if left is not whole:
                self._before = b"\n"
            _lose()
            return False
        self._before = b""
        return True

    def _write_some(self, data: memoryview) -> int:
        """Write as much as fits; a descriptor that others have made non-blocking is waited for like any other."""
        while True:
            try:
                return os.write(self._descriptor, data)
            except BlockingIOError:
                select.select([], [self._descriptor], [])

    def _tell_lost(self) -> None:
        count, self._told = _lost - self._told, _lost
        record = _log.makeRecord(_log.name, logging.WARNING, "", 0, "%d lines of the log were lost", (count,), None)
        self._write(self._formatter.format(record))


class _Captured:
    """Standard error of this process, turned into lines of the log.

    The pipe in its place never makes a writer wait: what does not fit is lost.
    """

    def __init__(self) -> None:
        self.real = os.dup(STANDARD_ERROR)
        self._source, sink = os.pipe()
        os.set_blocking(sink, False)
        os.dup2(sink, STANDARD_ERROR)
        os.close(sink)
        with contextlib.suppress(OSError, AttributeError):
            fcntl.fcntl(STANDARD_ERROR, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        if faulthandler.is_enabled():
            faulthandler.enable(self.real)  # a process that crashes turns nothing into lines any more
        self._thread = threading.Thread(target=self._read, name="stderr", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Give standard error back, once what was written to it has become lines."""
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()
        os.dup2(self.real, STANDARD_ERROR)  # the pipe's last writer is gone: the thread ends
        self._thread.join(LAST_LINES_SECONDS)

    def _read(self) -> None:
        waiting = b""
        while data := os.read(self._source, MOST_RAW):
            *lines, waiting = (waiting + data).split(b"\n")
            if len(waiting) > MOST_RAW:
                lines, waiting = [*lines, waiting], b""
            for line in lines:
                self._tell(line)
        self._tell(waiting)
        os.close(self._source)

    def _tell(self, line: bytes) -> None:
        if line.strip():
            _raw_log.warning("%s", line.decode("utf-8", "backslashreplace").rstrip())


@contextmanager
def open_log(form: str, level: str) -> Iterator[None]:
    """Send what this process logs to standard error, to the end of the block.

    Up to :data:`WAITING_LINES` wait where standard error takes nothing; more are lost, counted by :func:`lost_lines`.

    :param form: ``"json"`` or ``"text"``.
    :param level: ``"debug"``, ``"info"``, ``"warning"`` or ``"error"``.
    """
    lines: queue.Queue[Any] = queue.Queue(WAITING_LINES)
    formatter = JsonFormatter() if form == "json" else TextFormatter()
    queued = _Queued(lines)
    queued.setFormatter(formatter)
    logging.basicConfig(level=level.upper(), handlers=[queued], force=True)
    captured = _Captured()
    writer = _Writer(lines, captured.real, formatter)
    writer.start()
    logging.captureWarnings(True)
    hooks = sys.unraisablehook, threading.excepthook, sys.excepthook
    sys.unraisablehook, threading.excepthook, sys.excepthook = _unraisable, _thread_failed, _failed
    try:
        yield
    finally:
        sys.unraisablehook, threading.excepthook, sys.excepthook = hooks
        logging.captureWarnings(False)
        captured.close()
        logging.getLogger().removeHandler(queued)
        writer.close()


def _lose() -> None:
    global _lost
    _lost += 1


def _unraisable(told: "sys.UnraisableHookArgs") -> None:
    """An error where none can be raised, such as in a destructor."""
    what = told.err_msg or "Exception ignored in"
    error = told.exc_value
    _log.error("%s: %s", what, type(told.object).__name__, exc_info=error and (type(error), error, told.exc_traceback))


def _thread_failed(told: threading.ExceptHookArgs) -> None:
    if not issubclass(told.exc_type, SystemExit):
        error = told.exc_value
        name = told.thread.name if told.thread else "?"
        _log.error("thread %s failed", name, exc_info=error and (told.exc_type, error, told.exc_traceback))


def _failed(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    _log.critical("the process failed", exc_info=(kind, error, traceback))


def _escape(sign: str) -> str:
    return sign.encode("unicode_escape", "backslashreplace").decode("ascii")


def _field(value: Any) -> str:
    """A value that cannot be taken for two: in quotes where it has a space, a quote, ``=`` or what cannot be seen."""
    text = str(value)
    return text if text and text.isprintable() and not NOT_PLAIN & set(text) else _json(text)


def _json(value: Any) -> str:
    """JSON in ASCII that can be seen."""
    return json.dumps(value, default=str).replace("\x7f", "\\u007f")


def _call_fields(record: logging.LogRecord) -> dict[str, Any]:
    """The fields of a record; those of a call's log line have its request id, the others get it here."""
    fields: dict[str, Any] = getattr(record, "fields", {})
    call = CALL.get(None)
    return fields if call is None or fields else {"request_id": call.request_id}
