"""The log on standard error: JSON lines for machines, or text for people."""

import contextlib
import json
import logging
import queue
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from logging.handlers import QueueHandler, QueueListener
from typing import Any, Final, TextIO

from sniffai_server.calls import CALL

WAITING_LINES: Final = 10_000
"""Lines that may wait to be written."""


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
        return json.dumps(line)


class TextFormatter(logging.Formatter):
    """Time, level, logger and message, then the fields as ``name=value``."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging's name)
        """The line, without a traceback."""
        fields = " ".join(f"{name}={value}" for name, value in _call_fields(record).items())
        return f"{super().formatMessage(record)} {fields}".rstrip()


class _Queued(QueueHandler):
    """Formats at once, where the call is known, and leaves the writing to a thread; a full queue loses lines."""

    def enqueue(self, record: logging.LogRecord) -> None:
        """Put a line into the queue, or drop it."""
        with contextlib.suppress(queue.Full):
            self.queue.put_nowait(record)


class _Writer(QueueListener):
    """Writes what is queued; told to end, it ends after the last line."""

    def enqueue_sentinel(self) -> None:
        """Wait for a place behind the last line."""
        self.queue.put(self._sentinel)  # type: ignore[attr-defined]  # as logging's own does, without waiting


@contextmanager
def open_log(form: str, level: str, stream: TextIO = sys.stderr) -> Iterator[None]:
    """Send what this process logs to a stream, to the end of the block.

    A stream that takes nothing for a while holds up no call: up to :data:`WAITING_LINES` wait, more are lost.

    :param form: ``"json"`` or ``"text"``.
    :param level: ``"debug"``, ``"info"``, ``"warning"`` or ``"error"``.
    """
    lines: queue.Queue[logging.LogRecord] = queue.Queue(WAITING_LINES)
    queued = _Queued(lines)
    queued.setFormatter(JsonFormatter() if form == "json" else TextFormatter())
    logging.basicConfig(level=level.upper(), handlers=[queued], force=True)
    writer = _Writer(lines, logging.StreamHandler(stream))
    writer.start()
    try:
        yield
    finally:
        logging.getLogger().removeHandler(queued)
        writer.stop()


def _call_fields(record: logging.LogRecord) -> dict[str, Any]:
    """The fields of a record; those of a call's log line have its request id, the others get it here."""
    fields: dict[str, Any] = getattr(record, "fields", {})
    call = CALL.get(None)
    return fields if call is None or fields else {"request_id": call.request_id}
