"""Results as JSON lines: a heading, then one result a line, in the order in which they came."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

from sniffai.errors import BusyError, RecordError
from sniffai.jobs.result import JobResult
from sniffai.jobs.results import Heading, not_ours, result_of, row_of
from sniffai.jobs.spec import JobSpec

SYNC_SECONDS: Final = 1.0
"""Least time between two waits for the disk, which a power cut could cost. A kill of the process costs nothing."""


class JsonLines:
    """A file of results: see :class:`Results`.

    A line that was cut off at the end of the file, by a kill in mid-write, is removed.

    :param heading: of the results that are to be added.
    :raises RecordError: it holds something else, or a line is damaged.
    :raises BusyError: another process writes to it.
    :raises OSError: it cannot be read or written.
    """

    def __init__(self, path: Path, heading: Heading) -> None:
        self.path = path
        self._places: dict[str, tuple[int, int]] = {}
        self._file = path.open("a+b", buffering=0)
        try:
            lock_file(self._file.fileno(), path)
            self._end = self._read(heading)
            if not self._end:
                self._append(heading.to_json().encode() + b"\n")
        except BaseException:
            self._file.close()
            raise
        self._synced = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # a device or a pipe has nothing to wait for
            os.fsync(self._file.fileno())
        self._file.close()

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, address: str) -> bool:
        return address in self._places

    def read(self, address: str) -> JobResult:
        """See :class:`Results`."""
        return result_of(json.loads(self._line(*self._places[address])))

    def add(self, spec: JobSpec, result: JobResult) -> None:
        """See :class:`Results`."""
        line = json.dumps(row_of(spec, result), allow_nan=False, separators=(",", ":")).encode() + b"\n"
        start = self._end
        self._append(line)
        self._places[result.address] = start, len(line)
        if time.monotonic() - self._synced >= SYNC_SECONDS:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._end

    def rows(self) -> Iterator[dict[str, Any]]:
        """All results as they stand there: see :func:`row_of`."""
        for start, size in self._places.values():
            yield json.loads(self._line(start, size))

    def clear(self) -> None:
        """Remove all results."""
        self._end = min((start for start, _ in self._places.values()), default=self._end)
        self._file.truncate(self._end)
        self._places.clear()

    def _line(self, start: int, size: int) -> bytes:
        self._file.seek(start)
        line = b""
        while len(line) < size and (more := self._file.read(size - len(line))):
            line += more
        return line

    def _append(self, line: bytes) -> None:
        rest = memoryview(line)
        while rest:
            rest = rest[self._file.write(rest) :]
        self._end += len(line)

    def _read(self, heading: Heading) -> int:
        """Note where each result stands. Returns where the last whole line ends, and cuts off what follows."""
        end = 0
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    if number == 1 and not heading.to_json().encode().startswith(line):
                        raise not_ours(self.path)
                    break
                if number == 1:
                    text = line.decode("utf-8", "replace")
                    Heading.from_json(text, str(self.path)).check(heading, str(self.path))
                else:
                    self._places[self._address(line, number)] = end, len(line)
                end += len(line)
        self._file.truncate(end)
        return end

    def _address(self, line: bytes, number: int) -> str:
        try:
            return result_of(json.loads(line)).address
        except (ValueError, RecursionError, TypeError, AttributeError, RecordError):
            message = f"{self.path}: line {number} is damaged: remove it, and its job is done again"
            raise RecordError(message, reason="NOT_RESULTS_FILE", field="results") from None


def lock_file(file: int, path: Path) -> None:
    """Keep other processes out of a file until it is closed, where the system has such locks.

    :raises BusyError: another one is in it.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        message = f"{path}: another process writes results to it"
        raise BusyError(message, reason="RESULTS_BUSY", field="results") from None
    except OSError:  # a file system without locks
        return
