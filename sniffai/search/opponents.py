"""How another seat chooses, as a search may be told: in one of several ways at each placement, at random.

A search that is told nothing has a model of its own: see docs/search.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias, get_args

from sniffai.checks import keep, read_real, shown
from sniffai.equity import load as load_equity
from sniffai.errors import LimitsError
from sniffai.search.nets import load_policy
from sniffai_ext.seat_model import SeatModel

Kind: TypeAlias = Literal["careless", "policy", "hasty", "own"]
"""``careless``: the most points it sees; ``policy``: the move that the policy rates highest; ``hasty``: the same after
errors of judgement. As the players of these names, see :mod:`sniffai.play.players` and :mod:`sniffai.play.humanlike`.
``own``: as the search's own model of other seats says, see docs/search.md."""

MOST: Final = {"careless": 1.0, "policy": 0.0, "hasty": 1000.0, "own": 0.0}
"""The largest number of each kind."""

MOST_WAYS: Final = 32


@dataclass(frozen=True, slots=True)
class Way:
    """One way to choose a placement.

    :raises LimitsError: there is no such kind, or a number is out of range.
    """

    kind: Kind
    number: float = 0.0
    """``careless``: the chance to overlook the points of a placement, 0..1 (0 is the greedy player, 1 the random one);
    ``hasty``: the standard deviation of its errors in points where the match is even, 0..1000; the others: 0."""
    share: float = 1.0
    """How often it chooses this way, above 0, in proportion to all its ways together."""

    def __post_init__(self) -> None:
        if not isinstance(self.kind, str) or self.kind not in MOST:
            names = ", ".join(get_args(Kind))
            raise LimitsError(f"{shown(self.kind)} is not one of {names}", reason="UNKNOWN_KIND", field="kind")
        keep(self, "number", read_real(self.number, "number", 0, MOST[self.kind]))
        keep(self, "share", read_real(self.share, "share", 0, 1e9, open_below=True))


@dataclass(frozen=True, slots=True)
class Opponent:
    """How another seat chooses.

    :raises LimitsError: it has no way to choose, more than 32, or something else.
    """

    ways: tuple[Way, ...]
    """At each placement one of them, at random."""

    def __post_init__(self) -> None:
        if not isinstance(self.ways, tuple) or not all(isinstance(way, Way) for way in self.ways):
            raise LimitsError(f"a tuple of Ways is expected, not {shown(self.ways)}", reason="WRONG_TYPE", field="ways")
        if not 1 <= len(self.ways) <= MOST_WAYS:
            message = f"1..{MOST_WAYS} ways are expected, not {len(self.ways)}"
            raise LimitsError(message, reason="OUT_OF_RANGE", field="ways")

    def core(self, players: int) -> SeatModel:
        """The compiled core's form of it.

        :param players: seats, 2..4.
        """
        return _seat_model(self, players)


Opponents: TypeAlias = Mapping[int, Opponent | None] | None
"""By seat, how it chooses; ``None``, and seats that are not named: the search's own model."""


def seat_models(opponents: Opponents, players: int, seat: int) -> tuple[SeatModel | None, ...]:
    """The models of all seats, for the core; ``()`` if there is none.

    :param seat: the one that searches.
    :raises LimitsError: there is no such seat, it is the one that searches, or it is told something else;
        ``field`` is such as ``"opponents[1]"``.
    """
    if opponents is None:
        return ()
    if not isinstance(opponents, Mapping):
        message = f"a mapping from seats to Opponents is expected, not {shown(opponents)}"
        raise LimitsError(message, reason="NOT_OPPONENTS", field="opponents")
    models: list[SeatModel | None] = [None] * players
    for other, opponent in opponents.items():
        models[_read_seat(other, players, seat)] = _read(opponent, f"opponents[{other}]", players)
    return tuple(models) if any(model is not None for model in models) else ()


def _read_seat(value: Any, players: int, seat: int) -> int:
    if type(value) is not int or not 0 <= value < players or value == seat:
        others = ", ".join(str(other) for other in range(players) if other != seat)
        message = f"{shown(value)} is not one of the other seats: {others}"
        raise LimitsError(message, reason="SEAT_OUT_OF_RANGE", field="opponents")
    return value


def _read(value: Any, field: str, players: int) -> SeatModel | None:
    if value is None:
        return None
    if not isinstance(value, Opponent):
        raise LimitsError(f"an Opponent is expected, not {shown(value)}", reason="NOT_AN_OPPONENT", field=field)
    return None if all(way.kind == "own" for way in value.ways) else value.core(players)


@lru_cache(maxsize=64)
def _seat_model(opponent: Opponent, players: int) -> SeatModel:
    kinds = {way.kind for way in opponent.ways}
    return SeatModel(
        [(way.kind, way.number, way.share) for way in opponent.ways],
        load_policy(players) if kinds & {"policy", "hasty"} else None,
        load_equity(players).core if "hasty" in kinds else None,
    )
