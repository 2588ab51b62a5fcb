"""Play every level of play against the one below it, for 2, 3 and 4 seats, and write sniffai/data/levels.json.

Run it whenever a level or the search has changed: python tools/measure_levels.py --matches 200 --simulations 10000
"""

import argparse
import json
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from sniffai.play.arena import play_arena
from sniffai.play.arena_result import ArenaResult, ArenaSpec
from sniffai.play.levels import LEVELS, MEASURED, Level
from sniffai.play.workers import available_cores
from sniffai.rules import PLAYERS
from sniffai.search.params import Limits

FILE = Path(__file__).resolve().parent.parent / "sniffai" / MEASURED


def options(args: Sequence[str]) -> argparse.Namespace:
    """The options of a command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=200, help="match pairings of each two levels [200]")
    parser.add_argument("--simulations", type=int, default=10_000, help="limit of the level of full strength [10000]")
    parser.add_argument("--seed", type=int, default=1, help="decides the deals [1]")
    parser.add_argument("--workers", type=int, default=available_cores(), help="processes [one a core]")
    return parser.parse_args(args)


def measure(given: argparse.Namespace) -> dict[str, dict[str, dict[int, tuple[int, int]]]]:
    """Matches won and played, by level and number of seats: ``scores``.

    Of those with 3 seats ``alone`` has the ones that the level played alone against two.
    """
    scores: dict[str, dict[int, tuple[int, int]]] = {level.name: {} for level in LEVELS[1:]}
    alone: dict[str, dict[int, tuple[int, int]]] = {level.name: {} for level in LEVELS[1:]}
    for players in PLAYERS:
        for below, level in pairwise(LEVELS):
            won, matches = contest(given, players, below, level)
            scores[level.name][players] = won, matches
            if players == 3:  # the arena's B is alone: so that half is even, each of the two is that as often
                alone[level.name][players] = won, matches
                lost, others = contest(given, players, level, below)
                scores[level.name][players] = won + others - lost, matches + others
    return {"scores": scores, "alone": alone}


def contest(given: argparse.Namespace, players: int, a: Level, b: Level) -> tuple[int, int]:
    """Matches that B won, and matches played."""
    names = f"level:{a.name}", f"level:{b.name}"
    spec = ArenaSpec(*names, players, given.matches, True, given.seed, Limits(given.simulations))
    result = play_arena(spec, workers=given.workers)
    announce(result)
    return result.matches_won, result.matches


def announce(result: ArenaResult) -> None:
    """One line for whoever waits."""
    low, high = result.win_interval or (0.0, 1.0)
    spec = result.spec
    print(f"{spec.players} seats, {spec.b} over {spec.a}: {result.win_rate:.3f} ({low:.3f}..{high:.3f})", flush=True)


def main(args: Sequence[str]) -> None:
    """Measure and write."""
    given = options(args)
    report: dict[str, Any] = {
        "matches": given.matches,
        "full_simulations": given.simulations,
        "seed": given.seed,
        "players": {level.name: repr(level.player) for level in LEVELS},
        **measure(given),
    }
    FILE.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
