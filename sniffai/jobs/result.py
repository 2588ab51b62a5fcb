"""What came of a job."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from sniffai.checks import shown
from sniffai.errors import RecordError


@dataclass(frozen=True, slots=True)
class Measured:
    """What a job's function returns where the job also measures something of the machine that did it."""

    value: Any
    """The result: the same on every machine."""
    measured: Mapping[str, Any]
    """Plain values for JSON that are not, such as seconds by player."""


@dataclass(frozen=True, slots=True)
class JobResult:
    """The result of a job, the same whoever did it but for :attr:`seconds` and :attr:`measured`."""

    address: str
    """Of its spec: see :attr:`JobSpec.address`."""
    value: Any
    """Plain values as JSON has them: lists, no tuples. Numbers are exact."""
    seconds: float
    """How long it took, wall-clock time."""
    measured: Mapping[str, Any] = field(default_factory=dict)
    """What it measured of the machine that did it, as plain values."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON: numbers come back exactly."""
        return {
            "address": self.address,
            "value": self.value,
            "seconds": self.seconds,
            "measured": dict(self.measured),
        }

    def to_json(self) -> str:
        """One line of JSON in ASCII, which :meth:`from_json` reads."""
        return json.dumps(self.to_dict(), allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read :meth:`to_json` back.

        :raises RecordError: it is not the result of a job.
        """
        try:
            return cls.from_dict(json.loads(text))
        except (ValueError, RecursionError):
            raise _unreadable(text) from None

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read :meth:`to_dict` back.

        :raises RecordError: it does not have the form of one.
        """
        try:
            result = cls(value["address"], value["value"], float(value["seconds"]), value["measured"])
            sound = isinstance(result.address, str) and isinstance(result.measured, Mapping) and len(value) == 4
        except (KeyError, TypeError, ValueError, OverflowError):
            sound = False
        if not sound:
            raise _unreadable(value)
        return result


def _unreadable(value: object) -> RecordError:
    return RecordError(f"the result of a job is expected, not {shown(value)}", reason="UNREADABLE")
