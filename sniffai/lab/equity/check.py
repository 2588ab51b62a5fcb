"""Checks a table against whole matches: random scores and leaders, other seeds, the real rules.

Nothing of how a table is made is used: the core plays each match from its scores to the target, round by round.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random
from statistics import NormalDist
from typing import Any, Final, NamedTuple

from sniffai.checks import read_integer, read_integers, read_players
from sniffai.equity.table import STEP, Equity
from sniffai.errors import LimitsError
from sniffai.jobs.executor import Executor, executor_or, in_order
from sniffai.jobs.spec import JobSpec
from sniffai.moves import Move
from sniffai.play.arena import MOST_ROUNDS, play_round
from sniffai.play.levels import named_player
from sniffai.play.players import Player
from sniffai.round import Round
from sniffai.rules import TARGET, TEAMS, team_of
from sniffai.search.candidates import distinct_moves
from sniffai.search.nets import load_policy
from sniffai.search.params import Limits
from sniffai.seeds import check_seed, derived_seed
from sniffai.view import View
from sniffai_ext.equity_rounds import play_matches

LEAST_CHANCE: Final = 0.02
"""Scores at which some team has a smaller chance are not drawn: its count would be too small for a test."""

SIGNIFICANCE: Final = 0.001
"""The probability that a correct table fails the check."""

CONFIDENCE: Final = NormalDist().inv_cdf(0.975)
"""Standard errors in half a 95 % interval."""


@dataclass(frozen=True, slots=True)
class WinTaker:
    """A player that wins the match at once where it can, and else plays like another player."""

    player: Player

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`Player`."""
        needed = TARGET[view.players] - view.scores_now[team_of(view.players, view.seat)]
        winning = [move for move in distinct_moves(view) if view.points(move) >= needed]
        return winning[0] if winning else self.player.choose(view, seed)


class Standing(NamedTuple):
    """The scores and the leader from which matches are played on."""

    scores: tuple[int, ...]
    """Points by team."""
    leader: int
    """The seat that leads next."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One standing: the chances of the table, and the results of the matches."""

    standing: Standing
    chances: tuple[float, ...]
    """By team, by the table."""
    errors: tuple[float, ...]
    """The errors that the table states: half 95 % intervals."""
    won: tuple[int, ...]
    """Matches won, by team."""

    @property
    def matches(self) -> int:
        """Matches that were decided."""
        return sum(self.won)

    @property
    def shares(self) -> tuple[float, ...]:
        """Of the matches, by team."""
        return tuple(count / self.matches for count in self.won)

    @property
    def margins(self) -> tuple[float, ...]:
        """By team, how far share and chance may differ: half a 95 % interval of both errors together."""
        return tuple(
            (error**2 + CONFIDENCE**2 * chance * (1 - chance) / self.matches) ** 0.5
            for chance, error in zip(self.chances, self.errors, strict=True)
        )

    @property
    def agrees(self) -> bool:
        """Whether every share lies within its margin. By chance alone about 5 in 100 do not, with 3 seats about 11."""
        return all(
            abs(share - chance) <= margin
            for share, chance, margin in zip(self.shares, self.chances, self.margins, strict=True)
        )

    @property
    def statistic(self) -> float:
        """Pearson's chi square over the teams, with what the table's own error adds to the variance."""
        variance = sum(chance * (1 - chance) for chance in self.chances) / self.matches
        stated = sum((error / CONFIDENCE) ** 2 for error in self.errors)
        scale = self.matches / (1 + stated / variance)
        return scale * sum(
            (share - chance) ** 2 / chance for share, chance in zip(self.shares, self.chances, strict=True)
        )


@dataclass(frozen=True)
class CheckResult:
    """All standings of a check."""

    comparisons: tuple[Comparison, ...]

    @property
    def agreeing(self) -> int:
        """Standings where every share lies within the errors: see :attr:`Comparison.agrees`."""
        return sum(comparison.agrees for comparison in self.comparisons)

    @cached_property
    def statistic(self) -> float:
        """Pearson's chi square over all standings."""
        return sum(comparison.statistic for comparison in self.comparisons)

    @property
    def degrees(self) -> int:
        """Its degrees of freedom."""
        return sum(len(comparison.won) - 1 for comparison in self.comparisons)

    @property
    def p_value(self) -> float:
        """The probability of so large a statistic if the table is correct (Wilson and Hilferty's approximation)."""
        spread = 2 / (9 * self.degrees)
        cube = (self.statistic / self.degrees) ** (1 / 3)
        return 1 - NormalDist().cdf((cube - (1 - spread)) / spread**0.5)

    @property
    def bias(self) -> float:
        """How much more often the leaders won than the table says, on average over the standings."""
        return sum(self._leaders(lambda row, team: row.shares[team] - row.chances[team])) / len(self.comparisons)

    @property
    def bias_margin(self) -> float:
        """Half the width of a 95 % interval of :attr:`bias`. The table's errors may all have the same sign."""
        count = len(self.comparisons)
        lots = sum(self._leaders(lambda row, team: row.chances[team] * (1 - row.chances[team]) / row.matches))
        stated = sum(self._leaders(lambda row, team: row.errors[team])) / count
        return float((CONFIDENCE**2 * lots / count**2 + stated**2) ** 0.5)

    @property
    def passed(self) -> bool:
        """Whether neither scatter nor bias is larger than chance explains for a correct table."""
        bound = NormalDist().inv_cdf(1 - SIGNIFICANCE / 4) / CONFIDENCE
        return self.p_value >= SIGNIFICANCE / 2 and abs(self.bias) <= bound * self.bias_margin

    def _leaders(self, worth: Callable[[Comparison, int], float]) -> Iterator[float]:
        for row in self.comparisons:
            yield worth(row, row.standing.leader % len(row.won))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        names = ("statistic", "degrees", "p_value", "bias", "bias_margin", "agreeing", "passed")
        return {
            **{name: getattr(self, name) for name in names},
            "standings": [
                {**row.standing._asdict(), "chances": row.chances, "errors": row.errors, "won": row.won}
                for row in self.comparisons
            ],
        }


def held_out(equity: Equity, count: int, seed: int) -> list[Standing]:
    """Random standings: scores from the lowest of the table to the highest, and any leader.

    :param count: at least 1.
    :param seed: 0..2**64-1.
    """
    lots = Random(check_seed(seed))
    standings: list[Standing] = []
    scores = range(equity.lowest, TARGET[equity.players], STEP)
    while len(standings) < count:
        points = tuple(lots.choice(scores) for _ in range(TEAMS[equity.players]))
        standing = Standing(points, lots.randrange(equity.players))
        if standing not in standings and min(equity.chance(*standing)) >= LEAST_CHANCE:
            standings.append(standing)
    return standings


def check(
    equity: Equity,
    *,
    player: str | None = None,
    standings: int = 50,
    matches: int = 2000,
    seed: int = 2,
    workers: int = 1,
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
) -> CheckResult:
    """Play matches on from random standings.

    :param player: by name, at every seat; the table's own if not given. It knows the scores.
    :param standings: at least 1.
    :param matches: from each standing, at least 100.
    :param seed: decides standings, deals and lots, 0..2**64-1.
    :param workers: processes; 1 plays in this one.
    :param executor: plays instead of such processes; it stays open.
    :param progress: called with the number of standings done.
    :raises LimitsError: a number out of range, or no such player.
    """
    if standings < 1 or matches < 100:
        message = f"at least 1 standing and 100 matches are expected, not {standings} and {matches}"
        raise LimitsError(message, reason="OUT_OF_RANGE", field="matches")
    name = str(equity.made["player"]) if player is None else player
    named_player(name, Limits())
    chosen = held_out(equity, standings, seed)
    base = {"player": name, "players": equity.players}
    jobs = (
        JobSpec("equity-matches", base | standing._asdict() | {"seed": derived_seed(seed, number)}, range(matches))
        for number, standing in enumerate(chosen)
    )
    rows = []
    with executor_or(executor, workers) as open_:
        for standing, result in zip(chosen, in_order(open_, jobs), strict=True):
            won = tuple(result.value)
            rows.append(Comparison(standing, equity.chance(*standing), equity.error(*standing), won))
            if progress is not None:
                progress(len(rows))
    return CheckResult(tuple(rows))


def play_job(job: JobSpec) -> list[int]:
    """Matches played on from one standing, counted by the team that won: the work of the kind ``equity-matches``.

    :raises SniffError: there is no such player, or a parameter out of range.
    """
    given = job.read(("player", "players", "scores", "leader", "seed"))
    players, seed = read_players(given["players"], LimitsError), check_seed(given["seed"])
    player = named_player(given["player"], Limits())
    standing = Standing(read_integers(given["scores"], "scores"), read_integer(given["leader"], "leader"))
    if given["player"] == "policy":
        return list(play_matches(load_policy(players), *standing, len(job.pieces), seed))
    won = [0] * TEAMS[players]
    for number in job.pieces:
        winner = _match_winner(player, players, standing, derived_seed(seed, number))
        if winner is not None:
            won[winner] += 1
    return won


def _match_winner(player: Player, players: int, standing: Standing, seed: int) -> int | None:
    scores, leader = standing
    taker = WinTaker(player)
    for index in range(MOST_ROUNDS):
        dealt = Round.deal(players, derived_seed(seed, index), leader, scores)
        round_ = play_round(dealt, [taker] * players, derived_seed(seed, index, 1))
        if round_.match_winner is not None:
            return round_.match_winner
        leader, scores = round_.next_leader(derived_seed(seed, index, 2)), round_.scores
    return None
