"""A contest of two players and its result: margins, matches won and the cost of decisions, with errors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from typing import Any, Self

from sniffai.checks import keep, read_flag, read_kind, read_players, read_whole
from sniffai.errors import LimitsError, RecordError
from sniffai.play.adjusted import AdjustedMean
from sniffai.play.levels import named_player
from sniffai.play.sequential import Measure, SequentialTest, TestState
from sniffai.play.statistics import Estimate, ratio_and_error, relabelling_test, wilson_interval
from sniffai.rules import TEAMS
from sniffai.search.params import MAX_SIMULATIONS, Limits
from sniffai.seeds import check_seed


@dataclass(frozen=True, slots=True)
class ArenaSpec:
    """Who plays whom, what they play, and how often.

    :raises LimitsError: a value out of range, or no such player.
    """

    a: str
    """The first player, such as ``"greedy"``."""
    b: str
    """The second player, such as ``"search:seconds=0.01"``; results are from its side."""
    players: int = 2
    """Seats, 2..4."""
    pairings: int = 500
    """Deals, or matches, each played in every seating; at least 1."""
    whole_matches: bool = False
    """Whether a pairing is a match from 0 to the target (docs/rules.md §2, §7) rather than one round."""
    seed: int = 0
    """Seed of the deals and all other random choices, 0..2**64-1."""
    limits: Limits = field(default_factory=Limits)
    """For searches that set no limit of their own."""
    luck: bool = True
    """Whether the luck in each round is worked out (:mod:`sniffai.play.luck`): it takes half a millisecond a round."""
    test: SequentialTest | None = None
    """The test that ends the contest before all pairings are played; ``None``: all are played."""

    def __post_init__(self) -> None:
        keep(self, "players", read_players(self.players, LimitsError))
        keep(self, "whole_matches", read_flag(self.whole_matches, "whole_matches"))
        keep(self, "luck", read_flag(self.luck, "luck"))
        if self.test is not None:
            read_kind(self.test, SequentialTest, "test", "NOT_A_TEST")
            if self.test.of == "wins" and not self.whole_matches:
                raise LimitsError("single rounds win no match: test points", reason="NO_MATCHES", field="of")
        read_kind(self.limits, Limits, "limits", "NOT_LIMITS")
        keep(self, "pairings", read_whole(self.pairings, "pairings", 1, MAX_SIMULATIONS))
        keep(self, "seed", check_seed(self.seed))
        named_player(self.a, self.limits)
        named_player(self.b, self.limits)


@dataclass(frozen=True, slots=True)
class Game:
    """One round, or one whole match, in one seating."""

    margins: tuple[float, ...]
    """By team, over all rounds: its gains less the mean of the other teams' gains, in points."""
    winner: int | None
    """The team that won the match; ``None`` for a single round, or a match given up as endless."""
    out: int
    """Rounds that ended by going out."""
    blocked: int
    """Rounds that ended blocked."""
    target: int
    """Rounds that ended by reaching the target."""
    luck: tuple[float, ...] = ()
    """By team: how lucky it was, in points of its margin; empty if that was not worked out."""
    match_luck: tuple[float, ...] = ()
    """By team: how lucky it was, in shares of the match; empty for a single round as well."""

    @property
    def rounds(self) -> int:
        """Rounds played."""
        return self.out + self.blocked + self.target

    def to_list(self) -> list[Any]:
        """Plain values, for JSON: the fields in their order, without the luck where that was not worked out."""
        outcome = [list(self.margins), self.winner, self.out, self.blocked, self.target]
        return [*outcome, list(self.luck), list(self.match_luck)] if self.luck else outcome

    @classmethod
    def from_list(cls, values: Sequence[Any]) -> Self:
        """Read :meth:`to_list` back."""
        margins, winner, out, blocked, target, *luck = values
        return cls(tuple(margins), winner, out, blocked, target, *map(tuple, luck))


Pairing = tuple[Game, ...]
"""One deal or match in every seating; in game ``t`` player B has team ``t``, and A the others."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one player's decisions cost. A decision is a placement that the rules left a choice for."""

    decisions: int = 0
    seconds: float = 0.0
    """Wall-clock time of all of them."""
    simulations: int = 0
    """Simulations of all of them; 0 if the player does not search."""
    processor_seconds: float = 0.0
    """Processor time of all of them: less than :attr:`seconds` where other work shared the processor."""

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            self.decisions + other.decisions,
            self.seconds + other.seconds,
            self.simulations + other.simulations,
            self.processor_seconds + other.processor_seconds,
        )

    @property
    def mean_seconds(self) -> float:
        """Time of a decision; 0 if there was none."""
        return self.seconds / self.decisions if self.decisions else 0.0

    @property
    def simulations_per_second(self) -> float | None:
        """Speed of the searches, all overhead of a decision included; ``None`` if the player does not search."""
        return self.simulations / self.seconds if self.simulations else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "decisions": self.decisions,
            "seconds": self.seconds,
            "simulations": self.simulations,
            "processor_seconds": self.processor_seconds,
            "mean_seconds": self.mean_seconds,
            "simulations_per_second": self.simulations_per_second,
        }


@dataclass(frozen=True)
class ArenaResult:
    """The result, from B's side."""

    spec: ArenaSpec
    pairings: tuple[Pairing, ...]
    costs: tuple[Cost, Cost]
    """Of A and of B. Times depend on the machine and its load."""

    @cached_property
    def margin(self) -> Estimate:
        """B's margin per round, in points, over pairings."""
        totals = [_own_margin(pairing) for pairing in self.pairings]
        return ratio_and_error(totals, [sum(game.rounds for game in pairing) for pairing in self.pairings])

    @cached_property
    def adjusted_margin(self) -> AdjustedMean:
        """B's margin per round less the luck in it, in points; with the luck in it where that was not worked out."""
        return adjusted(self.pairings, "points")

    @cached_property
    def adjusted_wins(self) -> AdjustedMean:
        """The matches that B won, in percent of all above an even share, less the luck in them."""
        return adjusted(self.pairings, "wins")

    @cached_property
    def test_state(self) -> TestState | None:
        """How the test stands; ``None`` where there is none."""
        test = self.spec.test
        if test is None:
            return None
        return test.judge(self.adjusted_margin if test.of == "points" else self.adjusted_wins)

    @cached_property
    def margin_p_value(self) -> float:
        """The chance of at least such a margin, either way, between equal players: a permutation test."""
        return self._p_value(_own_margin)

    @property
    def matches(self) -> int:
        """Matches decided; 0 where single rounds were played."""
        return sum(game.winner is not None for pairing in self.pairings for game in pairing)

    @property
    def matches_won(self) -> int:
        """Matches that B won."""
        return sum(map(_own_wins, self.pairings))

    @property
    def even(self) -> float:
        """The share of matches that B wins if the players are equal: a half, with 3 seats a third."""
        return 1 / TEAMS[self.spec.players]

    @property
    def win_rate(self) -> float | None:
        """The share of matches that B won; ``None`` if none was decided."""
        return self.matches_won / self.matches if self.matches else None

    @property
    def win_interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval of the win rate, as if the matches of a pairing were independent.

        They lean to opposite results between close players, for whom it is therefore too wide rather than too narrow.
        """
        return wilson_interval(self.matches_won, self.matches) if self.matches else None

    @cached_property
    def win_p_value(self) -> float | None:
        """The chance of at least such a win rate, either way, between equal players; ``None`` without a match."""
        return self._p_value(_own_wins) if self.matches else None

    @property
    def rounds(self) -> int:
        """Rounds played."""
        return sum(game.rounds for pairing in self.pairings for game in pairing)

    @property
    def endings(self) -> dict[str, float]:
        """Shares of the rounds that ended by going out, blocked, and by reaching the target; together 1."""
        games = [game for pairing in self.pairings for game in pairing]
        return {name: sum(getattr(game, name) for game in games) / self.rounds for name in ("out", "blocked", "target")}

    def _p_value(self, worth: Callable[[Pairing], float]) -> float:
        """Of a permutation test over pairings, each of which is relabelled by chance.

        Between equal players it does not matter which game of a pairing is called which. With two teams that flips the
        sign of a pairing's result, or not; with three there are six ways.
        """
        rows = [[worth(game) for game in permutations(pairing)] for pairing in self.pairings]
        return relabelling_test(rows, seed=self.spec.seed)

    # JSON

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON: the summary, then every game. :meth:`from_dict` reads it back."""
        interval = self.win_interval
        less, wins = self.adjusted_margin, self.adjusted_wins
        return {
            **self._spec_dict(),
            "played": len(self.pairings),
            "mean_margin": self.margin.mean,
            "standard_error": self.margin.standard_error if len(self.pairings) > 1 else None,
            "margin_p_value": self.margin_p_value,
            "less_luck": _less_luck(less) if self.spec.luck else None,
            "test": None if self.spec.test is None else self.spec.test.to_dict() | self._state_dict(),
            "matches": self.matches,
            "matches_won": self.matches_won,
            "win_rate": self.win_rate,
            "win_interval": None if interval is None else list(interval),
            "win_p_value": self.win_p_value,
            "wins_less_luck": _less_luck(wins) if self.spec.luck and self.matches else None,
            "rounds": self.rounds,
            "endings": self.endings,
            "costs": {name: cost.to_dict() for name, cost in zip("ab", self.costs, strict=True)},
            "games": [[game.to_list() for game in pairing] for pairing in self.pairings],
        }

    def _spec_dict(self) -> dict[str, Any]:
        spec, limits = self.spec, self.spec.limits
        names = ("a", "b", "players", "pairings", "whole_matches", "seed", "luck")
        given = {name: getattr(limits, name) for name in ("simulations", "seconds", "memory_bytes")}
        return {**{name: getattr(spec, name) for name in names}, "limits": given}

    def _state_dict(self) -> dict[str, Any]:
        return {} if self.test_state is None else {"state": self.test_state.to_dict()}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Read :meth:`to_dict` back, also that of a version that did not work out luck; the summary is computed again.

        :raises RecordError: it does not have the form of one.
        :raises LimitsError: a value out of range, or no such player.
        """
        try:
            names = ("a", "b", "players", "pairings", "whole_matches", "seed")
            known = {name: value[name] for name in names} | {"luck": value.get("luck", False)}
            spec = ArenaSpec(**known, limits=Limits(**value["limits"]), test=_read_test(value.get("test")))
            pairings = tuple(tuple(map(Game.from_list, pairing)) for pairing in value["games"])
            a, b = (_read_cost(value["costs"][name]) for name in "ab")
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, LimitsError):
                raise
            raise RecordError("this is not the result of an arena", reason="UNREADABLE") from None
        return cls(spec, pairings, (a, b))


def adjusted(pairings: Iterable[Pairing], measure: Measure) -> AdjustedMean:
    """What B gains by some pairings, less luck.

    :param measure: in points a round, or in percent of matches above an even share.
    """
    mean = AdjustedMean()
    for pairing in pairings:
        take_in(mean, pairing, measure)
    return mean


def take_in(mean: AdjustedMean, pairing: Pairing, measure: Measure) -> None:
    """Add a pairing to a mean of :func:`adjusted`."""
    if measure == "points":
        luck = sum(game.luck[team] for team, game in enumerate(pairing) if game.luck)
        mean.add(_own_margin(pairing), sum(game.rounds for game in pairing), luck)
        return
    decided = sum(game.winner is not None for game in pairing)
    luck = sum(game.match_luck[team] for team, game in enumerate(pairing) if game.match_luck)
    mean.add(100 * (_own_wins(pairing) - decided / len(pairing)), decided, 100 * luck)


def _less_luck(mean: AdjustedMean) -> dict[str, Any]:
    """Plain values of a mean less luck."""
    estimate = mean.estimate
    error = estimate.standard_error if mean.groups > 1 else None
    return {"mean": estimate.mean, "standard_error": error, "variance_reduction": mean.reduction, "share": mean.share}


def _own_margin(games: Sequence[Game]) -> float:
    """B's margin over the games of a pairing, in points."""
    return sum(game.margins[team] for team, game in enumerate(games))


def _own_wins(games: Sequence[Game]) -> int:
    """Matches of a pairing that B won."""
    return sum(game.winner == team for team, game in enumerate(games))


def _read_test(value: Mapping[str, Any] | None) -> SequentialTest | None:
    if value is None:
        return None
    return SequentialTest(**{name: value[name] for name in ("h0", "h1", "alpha", "beta", "of")})


def _read_cost(value: Mapping[str, Any]) -> Cost:
    return Cost(value["decisions"], value["seconds"], value["simulations"], value.get("processor_seconds", 0.0))
