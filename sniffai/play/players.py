"""Players that choose a move from what their seat may know, by name and parameters: ``"search:seconds=0.01"``.

A player is deterministic unless a clock ends its search: the same view and seed give the same move. Two equal players
on the same deals with swapped seats therefore tie exactly.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Protocol, cast, get_args, runtime_checkable

from sniffai.checks import keep, read_whole, shown
from sniffai.errors import LimitsError
from sniffai.moves import Move
from sniffai.rules import team_of
from sniffai.search.analysis import Analysis
from sniffai.search.candidates import distinct_moves
from sniffai.search.nets import load_policy
from sniffai.search.opponents import Opponent
from sniffai.search.params import Limits, Objective, SearchParams
from sniffai.search.searcher import Searcher
from sniffai.view import View
from sniffai_ext.flat import flat_values


class Player(Protocol):
    """Chooses a move for one seat."""

    def choose(self, view: View, seed: int) -> Move:
        """A legal move of the view's seat, which is to place a tile.

        :param seed: 0..2**64-1; decides the player's random choices.
        """
        ...


@runtime_checkable
class Thinker(Player, Protocol):
    """A player that searches, then chooses by what the search found."""

    @property
    def limits(self) -> Limits:
        """The limits of its search."""
        ...

    def searcher(self, view: View, seed: int, *, inferred: bool = True) -> Searcher:
        """The search, ready to run within :attr:`limits`.

        :param inferred: whether answers have the inferred belief.
        """
        ...

    def pick(self, analysis: Analysis, seed: int) -> Move:
        """The choice after an analysis by :meth:`searcher`; the seat is to place a tile."""
        ...


@runtime_checkable
class Teller(Player, Protocol):
    """A player that tells how it chooses by lot."""

    def chances(self, view: View) -> dict[Move, float]:
        """The chance of each move that ``choose`` may return, above 0, together 1; the seat is to place a tile."""
        ...


def thinker_of(player: Player) -> Thinker | None:
    """The player if it searches. ``isinstance`` takes a fifth of a millisecond to find that out."""
    return cast(Thinker, player) if hasattr(player, "searcher") else None


@dataclass(frozen=True, slots=True)
class RandomPlayer:
    """Any distinct legal move, each with the same chance."""

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`Player`."""
        return random.Random(seed).choice(distinct_moves(view))

    def chances(self, view: View) -> dict[Move, float]:
        """See :class:`Teller`."""
        return even_chances(distinct_moves(view))


@dataclass(frozen=True, slots=True)
class GreedyPlayer:
    """A move with the most points now; chooses among equal moves at random."""

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`Player`."""
        return random.Random(seed).choice(self._best(view))

    def chances(self, view: View) -> dict[Move, float]:
        """See :class:`Teller`."""
        return even_chances(self._best(view))

    def _best(self, view: View) -> list[Move]:
        moves = distinct_moves(view)
        points = [view.points(move) for move in moves]
        most = max(points)
        return [move for move, scored in zip(moves, points, strict=True) if scored == most]


def even_chances(moves: Sequence[Move]) -> dict[Move, float]:
    """Each of some moves with the same chance."""
    return dict.fromkeys(moves, 1 / len(moves))


@dataclass(frozen=True, slots=True)
class PolicyPlayer:
    """The move that the policy rates highest, without any search."""

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`Player`. The seed has no effect."""
        tile, at, _ = load_policy(view.players).rate(view.core())[0]
        return Move.from_codes(tile, at)


@dataclass(frozen=True, slots=True)
class FlatPlayer:
    """A stranger to measure against: it tries each move in worlds dealt at random, and takes the best on average.

    It shares nothing with the search, and is never improved (:mod:`sniffai_ext.flat`). It plays for the points of the
    round.

    :raises LimitsError: ``worlds`` is out of range.
    """

    worlds: int = 200
    """Worlds for each decision, 1..1,000,000."""

    def __post_init__(self) -> None:
        keep(self, "worlds", read_whole(self.worlds, "worlds", 1, 1_000_000))

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`Player`."""
        tile, at, _ = flat_values(view.core(), self.worlds, seed)[0]
        return Move.from_codes(tile, at)


@dataclass(frozen=True, slots=True)
class SearchPlayer:
    """The recommended move of a search."""

    limits: Limits = Limits()
    params: SearchParams = SearchParams()
    opponents: Opponent | None = field(default=None, repr=False)
    """How the seats of the other teams choose, as far as that is known. Not in the text form, by which measurements of
    levels are known again."""

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`Player`."""
        return self.decide(view, seed)[0]

    def decide(self, view: View, seed: int) -> tuple[Move, int]:
        """The choice, and the simulations that it took."""
        searcher = self.searcher(view, seed, inferred=False)
        return searcher.choose(self.limits), searcher.simulations

    def searcher(self, view: View, seed: int, *, inferred: bool = True) -> Searcher:
        """The search, ready to run within :attr:`limits`.

        :param inferred: whether answers have the inferred belief.
        """
        others = None
        if self.opponents is not None:
            others = {seat: self.opponents for seat in range(view.players) if team_of(view.players, seat) != view.team}
        return Searcher(view, seed=seed, params=self.params, opponents=others, inferred=inferred)

    def analyze(self, view: View, seed: int) -> Analysis:
        """What the search thinks of every move. It tells no inferred belief."""
        return self.searcher(view, seed, inferred=False).run(self.limits)

    def pick(self, analysis: Analysis, seed: int) -> Move:
        """The choice after an analysis of the view."""
        assert analysis.best is not None, "a player chooses only when its seat has to place a tile"
        return analysis.best.move


def search_player(given: Mapping[str, Any], defaults: Limits | None = None) -> SearchPlayer:
    """The player of a search.

    :param given: values by the names of :data:`SEARCH_PARAMETERS`.
    :param defaults: limits where none is given.
    :raises LimitsError: a value is out of range.
    """
    own = Limits(**{name: given[name] for name in _LIMITS if name in given})
    params = replace(SearchParams(), **{name: value for name, value in given.items() if name not in _LIMITS})
    bounded = own.simulations is not None or own.seconds is not None
    return SearchPlayer(own if bounded else replace(defaults or Limits(), memory_bytes=own.memory_bytes), params)


# Parameters in text


@dataclass(frozen=True, slots=True)
class Kind:
    """How the value of a parameter is read."""

    read: Callable[[str], Any]
    """Raises ValueError if the text is not of this kind."""
    expected: str
    reason: str


def _objective(text: str) -> str:
    if text not in get_args(Objective):
        raise ValueError
    return text


def _flag(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError
    return text == "1"


WHOLE: Final = Kind(int, "a whole number", "NOT_A_NUMBER")
NUMBER: Final = Kind(float, "a number", "NOT_A_NUMBER")
TEXT: Final = Kind(str, "a text", "NOT_A_TEXT")
FLAG: Final = Kind(_flag, "0 or 1", "NOT_A_FLAG")
OBJECTIVE: Final = Kind(_objective, "match or round", "UNKNOWN_OBJECTIVE")

_KINDS: Final[Mapping[Any, Kind]] = {bool: FLAG, float: NUMBER, Objective: OBJECTIVE}
_LIMITS: Final = {"simulations": WHOLE, "seconds": NUMBER, "memory_bytes": WHOLE}

SEARCH_PARAMETERS: Final[Mapping[str, Kind]] = {
    **_LIMITS,
    **{field.name: _KINDS[field.type] for field in fields(SearchParams)},
}
"""The parameters of a player that searches, by name."""


def read_parameters(player: str, text: str, known: Mapping[str, Kind]) -> dict[str, Any]:
    """The parameters of a player: ``name=value``, separated by commas, each at most once.

    :param player: its name, for errors.
    :raises LimitsError: a name is unknown or given twice, or a value is not of its kind; ``field`` is the parameter,
        else ``"player"``.
    """
    values: dict[str, Any] = {}
    for pair in text.split(",") if text else ():
        name, sign, value = pair.partition("=")
        if not sign:
            raise LimitsError(f"name=value is expected, not {shown(pair)}", reason="PARAMETER_SYNTAX", field="player")
        if name not in known:
            there = f"; it has {', '.join(known)}" if known else ""
            message = f"{player} has no parameter {shown(name)}{there}"
            raise LimitsError(message, reason="UNKNOWN_PARAMETER", field="player")
        if name in values:
            raise LimitsError("it is given twice", reason="PARAMETER_TWICE", field=name)
        values[name] = _value(name, value, known[name])
    return values


def _value(name: str, text: str, kind: Kind) -> Any:
    try:
        return kind.read(text)
    except ValueError:
        raise LimitsError(f"{kind.expected} is expected, not {shown(text)}", reason=kind.reason, field=name) from None
