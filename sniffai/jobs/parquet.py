"""Results in Parquet: a folder of files, each of many results, and a journal of those that are in none yet.

    NAME.parquet/part-00000.parquet    results, written once and never changed
    NAME.parquet/part-00001.parquet
    NAME.parquet/_journal.jsonl        the newest results

A Parquet file can be read only once it is finished. So every result goes to the journal first, which a kill leaves
whole; a part is made of a full journal and appears under its name at once; then the journal begins anew. Readers of
such folders (pyarrow, pandas, Spark) take the parts for one table and pass over names that begin with ``_``.
"""

import json
import os
from pathlib import Path
from typing import Any, Final, Self

import pyarrow
import pyarrow.parquet

from sniffai.errors import RecordError
from sniffai.jobs.json_lines import JsonLines
from sniffai.jobs.result import JobResult
from sniffai.jobs.results import Heading, not_ours, result_of
from sniffai.jobs.spec import JobSpec

JOURNAL: Final = "_journal.jsonl"

MOST_ROWS: Final = 10_000
"""Results in a part, at most."""

MOST_BYTES: Final = 64 << 20
"""Bytes of the journal from which a part is made of it."""

HEADING: Final = b"sniffai_results"
"""Where the metadata of each part have the heading."""

SCHEMA: Final = pyarrow.schema(
    [
        ("address", pyarrow.string()),
        ("kind", pyarrow.string()),
        ("parameters", pyarrow.string()),
        ("start", pyarrow.int64()),
        ("stop", pyarrow.int64()),
        ("value", pyarrow.string()),
        ("seconds", pyarrow.float64()),
        ("measured", pyarrow.string()),
    ]
)
"""The columns. ``parameters``, ``value`` and ``measured`` are JSON."""


class ParquetFolder:
    """A folder of results: see :class:`Results`.

    :param heading: of the results that are to be added.
    :raises RecordError: it holds something else, or is damaged.
    :raises BusyError: another process writes to it.
    :raises OSError: it cannot be read or written.
    """

    def __init__(self, path: Path, heading: Heading) -> None:
        self.path, self._heading = path, heading
        if path.exists() and not (path / JOURNAL).exists() and (not path.is_dir() or any(path.iterdir())):
            raise not_ours(path)
        path.mkdir(exist_ok=True)
        self._journal = JsonLines(path / JOURNAL, heading)
        try:
            for torn in path.glob("*.tmp"):
                torn.unlink()
            self._parts = sorted(path.glob("part-*.parquet"))
            self._rows = {
                address: (number, row)
                for number, part in enumerate(self._parts)
                for row, address in enumerate(self._addresses(part))
            }
        except BaseException:
            self._journal.__exit__()
            raise
        self._open: tuple[int, Any] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._pack()
        finally:
            self._journal.__exit__()

    def __len__(self) -> int:
        return len(self._rows) + sum(address not in self._rows for address in self._journal)

    def __contains__(self, address: str) -> bool:
        return address in self._rows or address in self._journal

    def read(self, address: str) -> JobResult:
        """See :class:`Results`."""
        if address not in self._rows:
            return self._journal.read(address)
        number, row = self._rows[address]
        if self._open is None or self._open[0] != number:
            self._open = number, pyarrow.parquet.read_table(self._parts[number], partitioning=None)
        stored = self._open[1].slice(row, 1).to_pylist()[0]
        return result_of({**stored, "value": json.loads(stored["value"]), "measured": json.loads(stored["measured"])})

    def add(self, spec: JobSpec, result: JobResult) -> None:
        """See :class:`Results`."""
        self._journal.add(spec, result)
        if len(self._journal) >= MOST_ROWS or self._journal.size >= MOST_BYTES:
            self._pack()

    def _pack(self) -> None:
        """Make a part of the journal, and begin the journal anew. A kill in between leaves results in both."""
        rows = [row for row in self._journal.rows() if row["address"] not in self._rows]
        if rows:
            part = self.path / f"part-{len(self._parts):05}.parquet"
            table = pyarrow.Table.from_pylist([_columns(row) for row in rows], SCHEMA)
            beside = part.with_suffix(".tmp")
            with beside.open("wb") as file:
                heading = {HEADING: self._heading.to_json().encode()}
                pyarrow.parquet.write_table(table.replace_schema_metadata(heading), file, compression="zstd")
                file.flush()
                os.fsync(file.fileno())
            beside.replace(part)
            self._rows.update({row["address"]: (len(self._parts), number) for number, row in enumerate(rows)})
            self._parts.append(part)
        self._journal.clear()

    def _addresses(self, part: Path) -> list[str]:
        """The addresses in a part.

        :raises RecordError: it is no such part, or another command's or another engine's.
        """
        try:
            with pyarrow.parquet.ParquetFile(part) as file:
                heading = (file.schema_arrow.metadata or {}).get(HEADING, b"").decode("utf-8", "replace")
                Heading.from_json(heading, str(part)).check(self._heading, str(part))
                addresses: list[str] = file.read(["address"])["address"].to_pylist()
                return addresses
        except (pyarrow.ArrowException, KeyError) as error:
            message = f"{part} is damaged ({error}): remove it, and its jobs are done again"
            raise RecordError(message, reason="NOT_RESULTS_FILE", field="results") from None


def _columns(row: dict[str, Any]) -> dict[str, Any]:
    start, stop = row.pop("numbers")
    texts = {name: json.dumps(row[name], separators=(",", ":")) for name in ("parameters", "value", "measured")}
    return {**row, **texts, "start": start, "stop": stop}
