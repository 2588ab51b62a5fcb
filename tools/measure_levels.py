"""Play the levels of play against each other, fit their ratings, and write sniffai/data/levels.json.

Run it whenever a level or the search has changed: python tools/measure_levels.py
What was measured of the present levels with the same seed and limits is kept, so an interrupted run can be resumed.
With --tables nothing is played: the tables of docs/strength.md are printed.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from sniffai.jobs.processes import available_cores
from sniffai.lab.ratings import contests_of, fit_ratings
from sniffai.play.arena import play_arena, play_rounds
from sniffai.play.arena_result import ArenaSpec
from sniffai.play.levels import LEVELS, Level, expected_result, find_level, named_player
from sniffai.play.ratings import LOWEST, MEASURED, Score, measured, score_of
from sniffai.play.statistics import wilson_interval
from sniffai.round import Round
from sniffai.search.candidates import distinct_moves
from sniffai.search.params import Limits
from sniffai.seeds import derived_seed
from sniffai.view import View

FILE = Path(__file__).resolve().parent.parent / "sniffai" / MEASURED

BATCH = 50
"""Pairings after which the file is written."""

TIMED_ROUNDS = 20
"""Rounds for each number of seats in which the time of a move is measured."""


def options(args: Sequence[str]) -> argparse.Namespace:
    """The options of a command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--matches", type=int, default=1000, help="matches of each two neighbours with 2 and with 4 seats [1000]")
    add("--matches-3", type=int, default=240, help="with 3 seats [240]")
    add("--others", type=int, default=120, help="of two levels that lie further apart, and of levels between two [120]")
    add("--simulations", type=int, default=2000, help="limit of the level of full strength [2000]")
    add("--seed", type=int, default=1, help="decides the deals [1]")
    add("--workers", type=int, default=available_cores(), help="processes [one a core]")
    add("--tables", action="store_true", help="print the tables of what was measured, and play nothing")
    return parser.parse_args(args)


Job = tuple[int, str, str, int]
"""Seats, the arena's A and B, and how many pairings."""


def wanted(given: argparse.Namespace) -> list[Job]:
    """Contests of named levels: those of neighbours, then those further apart; the slow ones of full strength last."""
    return sorted(pairs(given), key=lambda job: LEVELS[-1].name in job)


def pairs(given: argparse.Namespace) -> Iterator[Job]:
    """Contests of named levels."""
    names = [level.name for level in LEVELS]
    for a, b in pairwise(names):
        yield 2, a, b, pairings(given.matches, 2)
        yield 4, a, b, pairings(given.matches, 2)
    for a, b in pairwise(names):  # the arena's B is alone against two: so that half is even, each is that as often
        yield 3, a, b, pairings(given.matches_3, 6)
        yield 3, b, a, pairings(given.matches_3, 6)
    for step in (2, 3):
        for a, b in zip(names, names[step:], strict=False):
            yield 2, a, b, others(given, b)
            yield 4, a, b, others(given, b)


def between(given: argparse.Namespace, ratings: dict[str, int]) -> Iterator[Job]:
    """A level about half-way between each two neighbours, against the lower one and against the upper one."""
    for below, above in pairwise(LEVELS):
        middle = str(round((ratings[below.name] + ratings[above.name]) / 2, -1)).removesuffix(".0")
        yield 2, below.name, middle, others(given, above.name)
        yield 2, middle, above.name, others(given, above.name)


def others(given: argparse.Namespace, above: str) -> int:
    """Pairings of two levels that are no neighbours: fewer of the slow ones of full strength."""
    return pairings(given.others, 6 if above == LEVELS[-1].name else 2)


def pairings(matches: int, seatings: int) -> int:
    """Pairings that make at least so many matches."""
    return -(-matches // seatings)


class Measurements:
    """What has been measured, in a file."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.settings = {"full_simulations": given.simulations, "seed": given.seed}
        self.players = {level.name: repr(level.player) for level in LEVELS}
        old = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
        known = {name for name, player in old.get("players", {}).items() if self.players.get(name) == player}
        if old.get("full_simulations") != given.simulations:
            known -= {LEVELS[-1].name}
        if old.get("seed") != given.seed:
            known = set()
        self.contests = [row for row in old.get("contests", []) if {row["a"], row["b"]} <= known]
        self.between: list[dict[str, Any]] = old.get("between", []) if known >= set(self.players) else []
        self.ratings: dict[str, int] = {}
        self.fitted: dict[str, Any] = {}

    def play(self, rows: list[dict[str, Any]], players: int, a: str, b: str, pairings: int) -> None:
        """Play a contest up to so many pairings."""
        row = next(
            (contest for contest in rows if (contest["players"], contest["a"], contest["b"]) == (players, a, b)), None
        )
        if row is None:
            row = {"players": players, "a": a, "b": b, "pairings": 0, "won": 0, "matches": 0}
            rows.append(row)
        while row["pairings"] < pairings:
            count, first = min(BATCH, pairings - row["pairings"]), row["pairings"]
            seed = derived_seed(self.given.seed, first)  # other deals in every batch, the same for all contests
            limits = Limits(simulations=self.given.simulations)
            spec = ArenaSpec(f"level:{a}", f"level:{b}", players, count, True, seed, limits, luck=False)
            result = play_arena(spec, workers=self.given.workers)
            row["won"] += result.matches_won
            row["matches"] += result.matches
            row["pairings"] += count
            self.write()
        low, high = wilson_interval(row["won"], row["matches"])
        rate = row["won"] / row["matches"]
        print(f"{players} seats, {b} over {a}: {rate:.3f} ({low:.3f}..{high:.3f})", flush=True)

    def fit(self) -> None:
        """Fit the ratings to all contests of named levels."""
        even = contests_of(self.contests)
        fit = fit_ratings(even, [level.name for level in LEVELS])
        self.ratings = {name: LOWEST + round(points) for name, points in fit.points.items()}
        self.fitted = {
            "ratings": self.ratings,
            "rating_errors": {name: round(error, 1) for name, error in fit.errors.items()},
            "spreads": {str(players): round(spread, 3) for players, spread in fit.spreads.items()},
            "misfit": round(fit.misfit(even), 3),
        }

    def write(self, **more: Any) -> None:
        """Write the file."""
        measured = {**self.settings, "players": self.players, "contests": self.contests, "between": self.between}
        old = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
        kept = {name: old[name] for name in ("ratings", "spreads", "milliseconds") if name in old}
        text = json.dumps({**measured, **kept, **self.fitted, **more}, indent=1) + "\n"
        FILE.write_text(text, encoding="utf-8")


def move_times(seed: int) -> dict[str, dict[str, float]]:
    """Milliseconds of processor time that a move with a choice takes, by level: the mean and the longest."""
    views = [view for players in (2, 3, 4) for view in choices(players, seed)]
    times = {}
    for level in LEVELS:
        if level.max_simulations is not None:
            for view in {view.players: view for view in views}.values():  # it reads its nets
                level.player.choose(view, 0)
            spent = [timed(level, view, number) for number, view in enumerate(views)]
            times[level.name] = {"mean": round(sum(spent) / len(spent), 3), "longest": round(max(spent), 3)}
    return times


def timed(level: Level, view: View, seed: int) -> float:
    """Milliseconds of processor time of one move."""
    start = time.process_time()
    level.player.choose(view, seed)
    return 1000 * (time.process_time() - start)


def choices(players: int, seed: int) -> Iterator[View]:
    """Views of seats that have a choice, in rounds of the policy."""
    spec = ArenaSpec("policy", "policy", players, TIMED_ROUNDS, False, seed, luck=False)
    for number in range(TIMED_ROUNDS):
        for played in play_rounds(spec, [named_player("policy")] * players, number):
            round_ = Round.from_deal(played.start)
            for move in played.moves:
                view = round_.view(round_.seat)
                if len(distinct_moves(view)) > 1:
                    yield view
                round_.play(move)


def tables(report: Mapping[str, Any]) -> Iterator[str]:
    """Lines of Markdown: the levels, each against the one below; levels that lie further apart; levels between."""
    names = [level.name for level in LEVELS]
    yield "| level | rating | over the level below, 2 seats | 3 seats | 4 seats | a move, ms | longest |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for level in LEVELS:
        shares = [share_text(score) for score in level.scores] or [""] * 3
        spent = report["milliseconds"].get(level.name)
        times = ["", ""] if spent is None else [f"{spent['mean']:.2g}", f"{spent['longest']:.2g}"]
        yield f"| {' | '.join([level.name, f'{level.rating:,}', *shares, *times])} |"
    yield ""
    yield "| level | over | 2 seats | by rating | 4 seats | by rating |"
    yield "|---|---|---:|---:|---:|---:|"
    for step in (2, 3):
        for below, above in zip(names, names[step:], strict=False):
            cells = [cell for players in (2, 4) for cell in pair_cells(above, below, players)]
            yield f"| {' | '.join([above, below, *cells])} |"
    yield ""
    yield "| rating | against | 2 seats | by rating |"
    yield "|---:|---|---:|---:|"
    for row in report["between"]:
        score = Score(row["players"], row["won"], row["matches"])
        own, other = row["b"], row["a"]
        if own in names:
            own, other, score = other, own, Score(score.players, score.matches - score.won, score.matches)
        expected = expected_result(find_level(own), find_level(other), score.players)
        yield f"| {float(own):,.0f} | {other} | {share_text(score)} | {100 * expected:.1f} % |"


def pair_cells(level: str, other: str, players: int) -> tuple[str, str]:
    """The share measured, and the one that the ratings expect."""
    score = score_of(level, other, players)
    expected = expected_result(find_level(level), find_level(other), players)
    return "" if score is None else share_text(score), f"{100 * expected:.1f} %"


def share_text(score: Score) -> str:
    """A share won with its interval."""
    low, high = score.interval
    return f"{100 * score.rate:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def main(args: Sequence[str]) -> None:
    """Measure and write."""
    given = options(args)
    if given.tables:
        print("\n".join(tables(measured())))
        return
    measurements = Measurements(given)
    for part in (2, 1):  # the half of each contest first: so an interrupted run has something of all
        for players, a, b, count in wanted(given):
            measurements.play(measurements.contests, players, a, b, pairings(count, part))
    measurements.fit()
    measurements.write(milliseconds=move_times(given.seed))
    print(measurements.fitted, flush=True)
    for job in between(given, measurements.ratings):
        measurements.play(measurements.between, *job)


if __name__ == "__main__":
    main(sys.argv[1:])
