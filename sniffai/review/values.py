"""What a moment of a match is worth to every team: the unit of all accounts of luck and skill."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from sniffai.search.analysis import TeamValue


@dataclass(frozen=True, slots=True)
class Value:
    """A prospect of every team, or the difference of two."""

    chances: tuple[float, ...]
    """The chance to win the match, by team: 0..1, together 1 (of a difference: together 0)."""
    margins: tuple[float, ...]
    """The margin of the whole round in points, by team, what it has brought so far included; together 0."""

    @classmethod
    def zero(cls, teams: int) -> Self:
        """No difference."""
        return cls((0.0,) * teams, (0.0,) * teams)

    @classmethod
    def of(cls, values: Sequence[TeamValue], banked: Sequence[float]) -> Self:
        """What an analysis expects.

        :param values: by team.
        :param banked: the margin that the round has brought before the analysed decision, by team.
        """
        return cls(
            tuple(value.win_probability for value in values),
            tuple(value.expected_margin + margin for value, margin in zip(values, banked, strict=True)),
        )

    @classmethod
    def mean(cls, values: Sequence["Value"]) -> Self:
        """The mean of at least one."""
        return cls(_means(value.chances for value in values), _means(value.margins for value in values))

    @classmethod
    def total(cls, values: Iterable["Value"], teams: int) -> Self:
        """The sum of any number."""
        summands: list[Value] = [cls.zero(teams), *values]
        return cls(_sums(value.chances for value in summands), _sums(value.margins for value in summands))

    def __add__(self, other: "Value") -> "Value":
        return Value(
            tuple(a + b for a, b in zip(self.chances, other.chances, strict=True)),
            tuple(a + b for a, b in zip(self.margins, other.margins, strict=True)),
        )

    def __sub__(self, other: "Value") -> "Value":
        return Value(
            tuple(a - b for a, b in zip(self.chances, other.chances, strict=True)),
            tuple(a - b for a, b in zip(self.margins, other.margins, strict=True)),
        )

    def to_dict(self) -> dict[str, list[float]]:
        """Plain values, for JSON."""
        return {"win_probability": list(self.chances), "points": list(self.margins)}


def _sums(rows: Iterable[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(map(sum, zip(*rows, strict=True)))


def _means(rows: Iterable[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(sum(column) / len(column) for column in zip(*rows, strict=True))
