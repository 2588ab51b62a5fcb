"""Results kept in a file, so that a run that was cut off goes on where it was."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, Self

from sniffai.checks import shown
from sniffai.errors import RecordError
from sniffai.jobs.result import JobResult
from sniffai.jobs.spec import JobSpec

FORM: Final = 1
"""The version of the form of the files."""


class Results(Protocol):
    """Results by the address of their job. It is used in a ``with`` statement, which closes the file."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def __len__(self) -> int: ...

    def __contains__(self, address: str) -> bool: ...

    def read(self, address: str) -> JobResult:
        """A result that is there.

        :raises KeyError: it is not.
        """
        ...

    def add(self, spec: JobSpec, result: JobResult) -> None:
        """Keep a result: once this returns, a kill of the process does not lose it.

        :raises OSError: it cannot be written.
        """
        ...


@dataclass(frozen=True, slots=True)
class Heading:
    """What all results of a file have in common."""

    command: str
    """The command whose jobs they are, such as ``"arena"``."""
    engine: str
    """See :func:`sniffai.jobs.engine.engine_version`."""

    def to_json(self) -> str:
        """One line, which :meth:`from_json` reads."""
        return json.dumps({"sniffai_results": FORM, "command": self.command, "engine": self.engine})

    @classmethod
    def from_json(cls, text: str, name: str) -> Self:
        """Read :meth:`to_json` back.

        :param name: of the file.
        :raises RecordError: it is no such heading, or that of a later version.
        """
        try:
            value = json.loads(text)
            form, command, engine = value["sniffai_results"], value["command"], value["engine"]
        except (ValueError, RecursionError, KeyError, TypeError):
            form, command, engine = None, None, None
        if form is None or not isinstance(command, str) or not isinstance(engine, str):
            raise not_ours(name)
        if form != FORM:
            message = f"{name} has results in form {shown(form)}; this version reads form {FORM}"
            raise RecordError(message, reason="NOT_RESULTS_FILE", field="results")
        return cls(command, engine)

    def check(self, own: "Heading", name: str) -> None:
        """Check that results with the heading ``own`` belong into this file.

        :raises RecordError: they are another command's (reason ``OTHER_COMMAND``), or another engine's
            (``ENGINE_VERSION``).
        """
        if self.command != own.command:
            message = f"{name} has results of {shown(self.command)}, not of {shown(own.command)}: name another file"
            raise RecordError(message, reason="OTHER_COMMAND", field="results")
        if self.engine != own.engine:
            both = f"{name} is by engine {self.engine}, this is {own.engine}"
            message = f"{both}: their results cannot be combined; name another file"
            raise RecordError(message, reason="ENGINE_VERSION", field="results")


def not_ours(name: str | Path) -> RecordError:
    """The error for a file that holds something else."""
    return RecordError(f"{name} does not hold results of sniffai", reason="NOT_RESULTS_FILE", field="results")


def row_of(spec: JobSpec, result: JobResult) -> dict[str, Any]:
    """A result with what it is of: all of the job but its texts, which may be long."""
    plain_spec = spec.to_dict()
    return {
        "kind": plain_spec["kind"],
        "parameters": plain_spec["parameters"],
        "numbers": plain_spec["numbers"],
        **result.to_dict(),
    }


def result_of(row: Mapping[str, Any]) -> JobResult:
    """The result in a row of :func:`row_of`.

    :raises RecordError: it does not have the form of one.
    """
    return JobResult.from_dict({name: row[name] for name in JobResult.__slots__ if name in row})
