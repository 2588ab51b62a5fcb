"""The log on standard error: JSON lines for machines, or text for people.

Anything else that is written to standard error while the log is open, by gRPC's core, a library or Python itself,
becomes lines of the log. If standard error is full or not read, neither calls nor the shutdown are delayed.
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
"""Maximum number of lines that wait to be written."""
LAST_LINES_SECONDS: Final = 0.3
"""Time limit for the last lines when the log is closed."""
STANDARD_ERROR: Final = 2
PIPE_BYTES: Final = 1 << 20
"""Size of the pipe in place of standard error."""
MOST_RAW: Final = 8192
"""The longest line from other writers; the rest becomes another line."""
NOT_PLAIN: Final = frozenset(' "=\\')
"""Characters that make the text format quote a field."""

_raw_log: Final = logging.getLogger("stderr")
_log: Final = logging.getLogger(__name__)
_lost = 0


def lost_lines() -> int:
    """The number of lines lost since the process started."""
    return _lost


def escaped(text: str) -> str:
    """The text in one line, with control characters, line ends and direction marks escaped."""
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
    """Formats records at once, while the call is known, and leaves writing to a thread. A full queue drops lines."""

    def enqueue(self, record: logging.LogRecord) -> None:
        """Queue a line, or drop it if the queue is full."""
        try:
            self.queue.put_nowait(record)
        except queue.Full:
            _lose()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (logging's name)
        """Count a record that cannot be formatted as lost, and write nothing to standard error."""
        _lose()


class _Writer(threading.Thread):
    """Writes queued lines to a descriptor. It may block; nothing else waits for it."""

    def __init__(self, lines: "queue.Queue[logging.LogRecord | None]", descriptor: int, formatter: logging.Formatter):
        super().__init__(name="log", daemon=True)
        self._lines = lines
        self._descriptor = descriptor
        self._formatter = formatter
        self._told = _lost
        self._before = b""

    def run(self) -> None:
        """Write lines until the queue ends."""
        while (record := self._lines.get()) is not None:
            if self._write(record.getMessage()) and self._told < _lost:
                self._tell_lost()

    def close(self) -> None:
        """Let the thread write the last lines, within the time limit."""
        end = time.monotonic() + LAST_LINES_SECONDS
        with contextlib.suppress(queue.Full):
            self._lines.put(None, timeout=LAST_LINES_SECONDS)
            self.join(max(0.0, end - time.monotonic()))

    def _write(self, line: str) -> bool:
        """Write a line; returns whether it was written. After a partial line, the next one starts on a new line."""
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
        """Write as much as fits, and wait even if others made the descriptor non-blocking."""
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
    """Turns what is written to standard error into lines of the log.

    A pipe takes the place of standard error. Writers never wait: what does not fit is lost.
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
            faulthandler.enable(self.real)  # a crashing process cannot pass lines through the log
        self._thread = threading.Thread(target=self._read, name="stderr", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Restore standard error after what was written to it has become lines."""
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()
        os.dup2(self.real, STANDARD_ERROR)  # closes the last writer of the pipe, so the thread ends
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
    """Write the log of this process to standard error until the end of the block.

    While standard error is full, up to :data:`WAITING_LINES` lines wait; more are lost and counted by
    :func:`lost_lines`.

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


def _unraisable(failure: "sys.UnraisableHookArgs") -> None:
    """Log an error that cannot be raised, such as one in a destructor."""
    what = failure.err_msg or "Exception ignored in"
    error = failure.exc_value
    _log.error(
        "%s: %s", what, type(failure.object).__name__, exc_info=error and (type(error), error, failure.exc_traceback)
    )


def _thread_failed(failure: threading.ExceptHookArgs) -> None:
    if not issubclass(failure.exc_type, SystemExit):
        error = failure.exc_value
        name = failure.thread.name if failure.thread else "?"
        _log.error("thread %s failed", name, exc_info=error and (failure.exc_type, error, failure.exc_traceback))


def _failed(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    _log.critical("the process failed", exc_info=(kind, error, traceback))


def _escape(sign: str) -> str:
    return sign.encode("unicode_escape", "backslashreplace").decode("ascii")


def _field(value: Any) -> str:
    """A value in unambiguous form: quoted if it has a space, a quote, ``=`` or an invisible character."""
    text = str(value)
    return text if text and text.isprintable() and not NOT_PLAIN & set(text) else _json(text)


def _json(value: Any) -> str:
    """JSON in printable ASCII."""
    return json.dumps(value, default=str).replace("\x7f", "\\u007f")


def _call_fields(record: logging.LogRecord) -> dict[str, Any]:
    """The fields of a record. A call's own log line has its request id; other records of the call get it here."""
    fields: dict[str, Any] = getattr(record, "fields", {})
    call = CALL.get(None)
    return fields if call is None or fields else {"request_id": call.request_id}
