"""Files of results by their names: how one is opened or begun."""

from pathlib import Path

from sniffai.checks import read_path, shown
from sniffai.errors import RecordError
from sniffai.jobs.engine import engine_version
from sniffai.jobs.json_lines import JsonLines
from sniffai.jobs.results import Heading, Results


def open_results(path: str | Path, command: str) -> Results:
    """Open a file of results, or begin one.

    :param path: its name, which ends in ``.jsonl`` (JSON lines) or ``.parquet`` (a folder of Parquet files).
    :param command: whose jobs it keeps, such as ``"arena"``.
    :raises RecordError: the name ends otherwise, the file is no such file or is damaged, or its results are another
        command's or another engine's; ``field`` is ``"results"``.
    :raises BusyError: another process writes to it.
    :raises OSError: it cannot be read or written.
    :raises ImportError: Parquet needs the extra ``parquet`` of the package.
    """
    file = read_path(path)
    heading = Heading(command, engine_version())
    if file.suffix == ".jsonl":
        return JsonLines(file, heading)
    if file.suffix == ".parquet":
        from sniffai.jobs.parquet import ParquetFolder

        return ParquetFolder(file, heading)
    message = f"the name of a file of results ends in .jsonl or .parquet, not as in {shown(str(path))}"
    raise RecordError(message, reason="UNKNOWN_FORMAT", field="results")
