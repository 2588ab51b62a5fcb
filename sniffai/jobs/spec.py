"""A job as pure data: what is to be done, so that anybody can do it and anybody can do it again."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Final, Self

from sniffai.checks import as_whole, check_encodable, check_members, is_listed, keep, read_kind, shown
from sniffai.errors import LimitsError, NotationError
from sniffai.jobs.engine import engine_version
from sniffai.jobs.kinds import check_kind
from sniffai.records.strict_json import loads, unreadable
from sniffai.search.params import Limits

MOST_NUMBER: Final = 2**63 - 1


@dataclass(frozen=True)
class JobSpec:
    """One job.

    :raises LimitsError: there is no such kind, or a field is of a wrong type or out of range.
    """

    kind: str
    """What is done: a key of :data:`sniffai.jobs.kinds.KINDS`."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What it is done with, as plain values for JSON: players by name, seats, the seed."""
    numbers: range = range(0)
    """Which of the numbered pieces of the whole (deals, rounds, standings) it does: within 0..2**63-1, one by one."""
    records: tuple[str, ...] = ()
    """Texts that it reads, such as match records. Never names of files: a job runs on another machine."""
    limits: Limits = field(default_factory=Limits)
    """For searches. Where a clock ends one, the same job may give another result."""
    engine: str = field(default_factory=engine_version)
    """The engine that it is for: see :func:`sniffai.jobs.engine.engine_version`."""

    def __post_init__(self) -> None:
        check_kind(self.kind)
        keep(self, "parameters", _read_parameters(self.parameters))
        keep(self, "numbers", _read_numbers(self.numbers))
        keep(self, "records", _read_texts(self.records))
        read_kind(self.limits, Limits, "limits", "NOT_LIMITS")
        read_kind(self.engine, str, "engine", "NOT_TEXT")
        check_encodable(self.engine, "engine")

    def __hash__(self) -> int:
        return hash(self.address)

    @cached_property
    def address(self) -> str:
        """32 hexadecimal digits that tell it from every other job: a hash of :meth:`to_json`."""
        return hashlib.blake2b(self.to_json().encode(), digest_size=16).hexdigest()

    @property
    def pieces(self) -> range:
        """The numbers, at least one.

        :raises LimitsError: there are none.
        """
        if not self.numbers:
            raise LimitsError("at least one piece is expected", reason="BAD_NUMBERS", field="numbers")
        return self.numbers

    def read(self, names: Iterable[str]) -> dict[str, Any]:
        """The parameters by these names.

        :raises LimitsError: there are others, or one is missing.
        """
        return _members(self.parameters, list(names), where="parameters")

    # JSON

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        limits = {limit.name: getattr(self.limits, limit.name) for limit in fields(Limits)}
        return {
            "kind": self.kind,
            "parameters": self.parameters,
            "numbers": [self.numbers.start, self.numbers.stop],
            "records": list(self.records),
            "limits": {name: value for name, value in limits.items() if value not in (None, False)},
            "engine": self.engine,
        }

    def to_json(self) -> str:
        """The canonical text: equal jobs have the same text, in ASCII and one line. :meth:`from_json` reads it."""
        return canonical(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read :meth:`to_json` back.

        :raises NotationError: it is not JSON.
        :raises LimitsError: it is not a job; ``field`` says where.
        """
        try:
            value = loads(text)
        except (NotationError, ValueError, RecursionError) as error:
            raise unreadable(error, text) from None
        return cls.from_dict(value)

    @classmethod
    def from_dict(cls, value: object) -> Self:
        """Read :meth:`to_dict` back.

        :raises LimitsError: it is not a job; ``field`` says where.
        """
        names = [spec_field.name for spec_field in fields(cls)]
        members = _members(value, names)
        limits = _members(members["limits"], (), [limit.name for limit in fields(Limits)], "limits")
        try:
            read = Limits(**limits)
        except LimitsError as error:
            raise error.at("limits") from None
        return cls(**{**members, "numbers": _as_range(members["numbers"]), "limits": read})


def slices(count: int, size: int) -> Iterator[range]:
    """The numbers from 0 to before ``count``, in slices of ``size``; the last one may be shorter."""
    for start in range(0, count, size):
        yield range(start, min(start + size, count))


def canonical(value: Any) -> str:
    """Plain values as JSON: equal values have the same text, in ASCII and one line.

    :raises ValueError: a number is NaN or infinite, or there is a cycle.
    :raises TypeError: something is no plain value.
    """
    return json.dumps(value, ensure_ascii=True, allow_nan=False, sort_keys=True, separators=(",", ":"))


def _members(value: object, names: Sequence[str], optional: Sequence[str] = (), where: str = "") -> dict[str, Any]:
    """The members of an object: those of ``names``, and of ``optional`` those that it has.

    :raises LimitsError: it is no object, has others, or one is missing.
    """
    if not isinstance(value, Mapping):
        raise LimitsError(f"an object is expected, not {shown(value)}", reason="NOT_AN_OBJECT", field=where)
    try:
        check_members(value, names, optional, LimitsError)
    except LimitsError as error:
        raise error.at(where) from None
    return dict(value)


def _read_parameters(value: object) -> dict[str, Any]:
    """A copy of the parameters as JSON has them.

    :raises LimitsError: they are not plain values.
    """
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        message = f"an object of names and values is expected, not {shown(value)}"
        raise LimitsError(message, reason="NOT_AN_OBJECT", field="parameters")
    try:
        text = canonical(dict(value))
        copy: dict[str, Any] = loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        message = f"plain values for JSON are expected: {error}"
        raise LimitsError(message, reason="NOT_PLAIN", field="parameters") from None
    return copy


def _as_range(value: object) -> object:
    """``[start, stop]`` as a range; other values are left for their check."""
    if isinstance(value, list) and len(value) == 2 and None not in (ends := [as_whole(end) for end in value]):
        return range(*ends)  # type: ignore[arg-type]
    return value


def _read_numbers(value: object) -> range:
    if not isinstance(value, range) or value.step != 1 or not 0 <= value.start <= value.stop <= MOST_NUMBER:
        message = f"a range within 0..{MOST_NUMBER} is expected, one by one, not {shown(value)}"
        raise LimitsError(message, reason="BAD_NUMBERS", field="numbers")
    return value


def _read_texts(value: object) -> tuple[str, ...]:
    if not is_listed(value):
        raise LimitsError(f"a list of texts is expected, not {shown(value)}", reason="NOT_TEXTS", field="records")
    texts = tuple(value)
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            message = f"a text is expected, not {shown(text)}"
            raise LimitsError(message, reason="NOT_TEXT", field=f"records[{index}]")
        check_encodable(text, f"records[{index}]")
    return texts
