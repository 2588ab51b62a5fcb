"""What it is worth to know the opponents: ``python -m benchmarks.opponents level:casual``.

A search plays whole matches against a player three times, on the same deals: with its own model of the other seats,
told that they are that player, and with a model that it learns from what they placed in earlier rounds of the match.
With ``--deals`` it plays single rounds for points, and cannot learn. Prints points a round and matches won, and what
the others gain over the first, in points a round with 95 % intervals. See docs/search.md.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from sniffai.jobs.processes import Processes, available_cores
from sniffai.moves import Move
from sniffai.play.arena import play_game
from sniffai.play.arena_result import ArenaSpec, Game, Pairing
from sniffai.play.learned import learned_opponent
from sniffai.play.levels import named_player, opponent_named
from sniffai.play.players import Player, SearchPlayer
from sniffai.play.statistics import ratio_and_error
from sniffai.rules import TEAMS, team_of
from sniffai.search.opponents import Opponent
from sniffai.search.params import Limits, SearchParams
from sniffai.search.searcher import Searcher
from sniffai.view import View

MODELS: Final = ("own", "told", "learned")
"""What the search knows."""


@dataclass
class LearningPlayer:
    """A search that learns how the other teams' seats choose, from one round of a match to the next."""

    player: SearchPlayer
    _past: list[View] = field(default_factory=list)
    """What its seat knew at its last choice in each earlier round."""
    _last: View | None = None
    _known: Mapping[int, Opponent] = field(default_factory=dict)

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`Player`."""
        if self._last is not None and self._last.dealt != view.dealt:
            self._past.append(self._last)
            others = [seat for seat in range(view.players) if team_of(view.players, seat) != view.team]
            self._known = {seat: learned_opponent(self._past, seat) for seat in others}
        self._last = view
        analysis = Searcher(view, seed=seed, params=self.player.params, opponents=self._known).run(self.player.limits)
        return self.player.pick(analysis, seed)


@dataclass
class LearningSeats:
    """One learning player for each seat, so that each knows what its own seat saw only."""

    player: SearchPlayer
    _seats: dict[int, LearningPlayer] = field(default_factory=dict)

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`Player`."""
        return self._seats.setdefault(view.seat, LearningPlayer(self.player)).choose(view, seed)


def contestant(model: str, spec: ArenaSpec) -> Player:
    """A new player for one match."""
    search = SearchPlayer(spec.limits, SearchParams(objective="match" if spec.whole_matches else "round"))
    if model == "learned":
        return LearningSeats(search)
    return search if model == "own" else replace(search, opponents=opponent_named(spec.a))


def play(spec: ArenaSpec, models: Sequence[str], number: int) -> list[Pairing]:
    """One match in every seating, with each model."""
    return [tuple(play_seated(spec, model, number, team) for team in range(TEAMS[spec.players])) for model in models]


def play_seated(spec: ArenaSpec, model: str, number: int, team: int) -> Game:
    """One match in one seating. The search knows nothing of other matches."""
    level, search = named_player(spec.a), contestant(model, spec)
    seats = [search if team_of(spec.players, seat) == team else level for seat in range(spec.players)]
    return play_game(spec, seats, number)


def report(spec: ArenaSpec, models: Sequence[str], played: Sequence[Sequence[Pairing]]) -> None:
    """Print what was won with each model, and what the others gain over the first."""
    totals = [[_margin(pairing) for pairing in pairings] for pairings in zip(*played, strict=True)]
    rounds = [[sum(game.rounds for game in pairing) for pairing in pairings] for pairings in zip(*played, strict=True)]
    won = [[_won(pairing) for pairing in pairings] for pairings in zip(*played, strict=True)]
    for k, model in enumerate(models):
        points = ratio_and_error(totals[k], rounds[k])
        games = len(played) * len(played[0][k])
        matches = f", {sum(won[k])} of {games} won" if spec.whole_matches else ""
        print(f"{model}: {points.mean:+.2f} ± {points.standard_error:.2f} points a round{matches}")
        if k:
            each = [a / m - b / n for a, m, b, n in zip(totals[k], rounds[k], totals[0], rounds[0], strict=True)]
            gain = ratio_and_error(each, [1] * len(each))
            low, high = gain.interval()
            print(f"  over {models[0]}: {gain.mean:+.2f} ± {gain.standard_error:.2f} (95 %: {low:+.2f} to {high:+.2f})")


def _margin(pairing: Pairing) -> float:
    return sum(game.margins[team] for team, game in enumerate(pairing))


def _won(pairing: Pairing) -> int:
    return sum(game.winner == team for team, game in enumerate(pairing))


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options, play, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("player", nargs="?", default="level:casual")
    parser.add_argument("--players", type=int, default=2, choices=(2, 3, 4))
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--deals", type=int, help="single rounds in place of matches")
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--models", nargs="+", choices=MODELS, help="default: all; without learned for single rounds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=available_cores())
    given = parser.parse_args(arguments)
    limits = Limits(simulations=given.simulations)
    count, whole = given.deals or given.matches, given.deals is None
    spec = ArenaSpec(given.player, "search", given.players, count, whole, given.seed, limits, luck=False)
    models = given.models or (MODELS if whole else MODELS[:2])
    work = partial(play, spec, tuple(models))
    with Processes(given.workers) as processes:
        report(spec, models, list(processes.in_order(work, range(count))))


if __name__ == "__main__":
    main()
