"""Players that choose a move from what their seat may know, by name and parameters: ``"search:seconds=0.01"``.

A player is deterministic unless a clock ends its search: the same view and seed give the same move. Two equal players
on the same deals with swapped seats therefore tie exactly.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Protocol

from sniffai.errors import LimitsError, SniffError
from sniffai.moves import Move
from sniffai.nets import load_policy
from sniffai.params import Limits, SearchParams
from sniffai.report import Analysis
from sniffai.search import analyze, distinct_moves
from sniffai.shown import shown
from sniffai.view import View


class Player(Protocol):
    """Chooses a move for one seat."""

    def choose(self, view: View, seed: int) -> Move:
        """A legal move of the view's seat, which is to place a tile.

        :param seed: 0..2**64-1; decides what the player leaves to chance.
        """
        ...


@dataclass(frozen=True, slots=True)
class RandomPlayer:
    """Any distinct legal move, each with the same chance."""

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`Player`."""
        return random.Random(seed).choice(distinct_moves(view))


@dataclass(frozen=True, slots=True)
class GreedyPlayer:
    """A move with the most points now; equal ones by lot."""

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`Player`."""
        moves = distinct_moves(view)
        points = [view.points(move) for move in moves]
        most = max(points)
        return random.Random(seed).choice([move for move, scored in zip(moves, points, strict=True) if scored == most])


@dataclass(frozen=True, slots=True)
class PolicyPlayer:
    """The move that the policy rates highest, without any search."""

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`Player`. Nothing is left to chance."""
        tile, at, _ = load_policy(view.players).rate(view.core())[0]
        return Move.from_codes(tile, at)


@dataclass(frozen=True, slots=True)
class SearchPlayer:
    """The recommended move of a search."""

    limits: Limits = Limits()
    params: SearchParams = SearchParams()

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`Player`."""
        return self.pick(self.analyze(view, seed), seed)

    def analyze(self, view: View, seed: int) -> Analysis:
        """What the search thinks of every move."""
        return analyze(view, self.limits, seed=seed, params=self.params)

    def pick(self, analysis: Analysis, seed: int) -> Move:
        """The choice after an analysis of the view."""
        assert analysis.best is not None, "a player is asked only when it is to place a tile"
        return analysis.best.move


PLAYERS: Final = ("random", "greedy", "policy", "search")
"""The names that :func:`parse_player` knows."""


_SIMPLE: Final[dict[str, Player]] = {"random": RandomPlayer(), "greedy": GreedyPlayer(), "policy": PolicyPlayer()}


def parse_player(text: str, defaults: Limits | None = None) -> Player:
    """A player by name, with parameters such as ``search:simulations=1000,exploration=40``.

    :param defaults: limits of a search that names none.
    :raises LimitsError: the name or a parameter is unknown or out of range.
    """
    name, _, rest = text.partition(":")
    given = _parameters(rest)
    if name in _SIMPLE:
        if given:
            raise LimitsError(f"{name} has no parameters", reason="UNKNOWN_PARAMETER", field="player")
        return _SIMPLE[name]
    if name == "search":
        return _search_player(given, defaults or Limits())
    raise LimitsError(f"{shown(name)} is none of {', '.join(PLAYERS)}", reason="UNKNOWN_PLAYER", field="player")


def _search_player(given: dict[str, str], defaults: Limits) -> SearchPlayer:
    limits = {name: given.pop(name) for name in ("simulations", "seconds", "memory_bytes") if name in given}
    own = Limits(**{name: _number(name, text, float if name == "seconds" else int) for name, text in limits.items()})
    known = {field.name: _flag if field.type in (bool, bool | None) else float for field in fields(SearchParams)}
    if unknown := sorted(set(given) - set(known)):
        raise LimitsError(f"search has no parameter {shown(unknown[0])}", reason="UNKNOWN_PARAMETER", field="player")
    params = replace(SearchParams(), **{name: _number(name, text, known[name]) for name, text in given.items()})
    bounded = own.simulations is not None or own.seconds is not None
    return SearchPlayer(own if bounded else replace(defaults, memory_bytes=own.memory_bytes), params)


def _parameters(text: str) -> dict[str, str]:
    pairs: Sequence[str] = text.split(",") if text else ()
    given = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign:
            raise LimitsError(f"{shown(pair)} is not name=value", reason="PARAMETER_SYNTAX", field="player")
        given[name] = value
    return given


def _flag(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError
    return text == "1"


def _number(name: str, text: str, kind: Callable[[str], Any]) -> Any:
    try:
        return kind(text)
    except SniffError:
        raise
    except ValueError:
        raise LimitsError(f"{shown(text)} is not a number", reason="NOT_A_NUMBER", field=name) from None
