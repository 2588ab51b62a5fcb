"""Measure what a review calls mistakes, and write sniffai/data/review.json.

Run it whenever a level, the search or the review has changed: python tools/measure_review.py --matches 10

    losses        what a decision loses, by level and number of seats, in matches of each level against itself
    false alarms  how often placements of the search itself are called mistakes by a review with twice its simulations
    luck          whether luck is 0 on average in matches of the search against itself, by kind of luck
    lead margins  what the lead is worth in points, from rounds of the policy against itself
"""

import argparse
import json
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from sniffai.equity.table import STEP
from sniffai.jobs.processes import Processes
from sniffai.lab.equity.rounds import play_rounds as play_scored
from sniffai.play.arena import play_rounds
from sniffai.play.arena_result import ArenaSpec
from sniffai.play.levels import LEVELS, named_player
from sniffai.play.statistics import mean_and_error, ratio_and_error, wilson_interval
from sniffai.review import Judged, Review, StepKind, Subject, Verdict, jobs_of, review, run_job
from sniffai.review.strength import MEASURED
from sniffai.rules import PLAYERS, TEAMS, margins_of, team_of
from sniffai.search.params import Limits

FILE = Path(__file__).resolve().parent.parent / "sniffai" / MEASURED
POLICY_ROUNDS = 100_000
"""Rounds behind the lead margins: they are exact to 0.2 points."""


AHEAD: Final = 0.9
"""A position is as good as won from this chance on; its verdicts are counted apart as ``ahead``."""


def options(args: Sequence[str]) -> argparse.Namespace:
    """The options of a command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=10, help="matches of each level, and of the search [10]")
    parser.add_argument("--simulations", type=int, default=20_000, help="of each survey [20000]")
    parser.add_argument("--seed", type=int, default=1, help="decides deals and searches [1]")
    parser.add_argument("--workers", type=int, default=1, help="processes [1]")
    parser.add_argument("--players", type=int, nargs="*", default=PLAYERS, help="numbers of seats [2 3 4]")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--false-alarms", action="store_true", help="measure these and luck only, write nothing")
    only.add_argument("--levels", action="store_true", help="measure the levels only, keep the rest of the file")
    return parser.parse_args(args)


def subjects(player: str, players: int, given: argparse.Namespace, limits: Limits) -> Iterator[Subject]:
    """Matches of a player against itself."""
    spec = ArenaSpec(player, player, players, given.matches, True, given.seed, limits)
    seats = [named_player(player, limits)] * players
    for number in range(given.matches):
        yield Subject.of_rounds(list(play_rounds(spec, seats, number)))


def level_losses(players: int, given: argparse.Namespace) -> dict[str, Any]:
    """What a decision of each level loses, in points, and how its decisions are called."""
    limits = Limits(simulations=given.simulations)
    losses = {}
    for level in LEVELS:
        by_match = [_choices(subject, given) for subject in subjects(f"level:{level.name}", players, given, limits)]
        losses[level.name] = loss_row = _loss_row(by_match)
        print(f"{players} seats, {level.name}: {loss_row}", flush=True)
    return losses


def _choices(subject: Subject, given: argparse.Namespace) -> list[Judged]:
    """The decisions of a match, judged."""
    jobs = [job for job in jobs_of(subject, Limits(simulations=given.simulations), given.seed) if not job.forced]
    with Processes(given.workers) as processes:
        return [judged for judged in processes.in_order(run_job, jobs) if isinstance(judged, Judged)]


def _loss_row(by_match: Sequence[Sequence[Judged]]) -> dict[str, Any]:
    every = [judged for match in by_match for judged in match]
    points = ratio_and_error(
        [sum(judged.points_loss for judged in match) for match in by_match], list(map(len, by_match))
    )
    chances = [judged.win_probability_loss for judged in every]
    return {
        "mean": round(points.mean, 4),
        "standard_error": round(points.standard_error, 4) if len(by_match) > 1 else None,
        "decisions": len(every),
        "win_probability": round(sum(chances) / len(chances), 5),
        "verdicts": _verdicts(every),
        "ahead": _verdicts([judged for judged in every if _chance(judged) >= AHEAD]),
    }


def _verdicts(judged: Sequence[Judged]) -> dict[str, int]:
    return {str(verdict): sum(each.verdict is verdict for each in judged) for verdict in Verdict}


def _chance(judged: Judged) -> float:
    """The mover's chance to win the match before its placement."""
    assert judged.value is not None, "there was a choice"
    return judged.value.chances[judged.placement.view.team]


def self_reviews(players: int, given: argparse.Namespace) -> list[Review]:
    """Matches of the search against itself, reviewed with twice its simulations."""
    played, reviewed = Limits(simulations=given.simulations), Limits(simulations=2 * given.simulations)
    return [
        review(subject, reviewed, seed=given.seed + 1, workers=given.workers)
        for subject in subjects("search", players, given, played)
    ]


def false_alarms(reviews: Sequence[Review]) -> dict[str, Any]:
    """How many decisions of the search a review calls mistakes."""
    choices = [judged for reviewed in reviews for judged in reviewed.judged if judged.searched]
    mistakes = sum(judged.verdict.mistake for judged in choices)
    doubtful = sum(judged.verdict is not Verdict.NONE for judged in choices)
    return {
        "decisions": len(choices),
        "mistakes": mistakes,
        "interval": [round(end, 5) for end in wilson_interval(mistakes, len(choices))],
        "doubtful_or_worse": doubtful,
        "mean_loss": round(sum(judged.points_loss for judged in choices) / len(choices), 4),
    }


def luck(reviews: Sequence[Review]) -> dict[str, Any]:
    """The mean of each kind of luck, in chance to win the match, for the team of the seat it befell.

    What befell nobody in particular (the lot and the end) is told for team 0.
    """
    means = {}
    for kind in StepKind:
        values = [
            step.change.chances[0 if step.seat is None else team_of(reviewed.subject.players, step.seat)]
            for reviewed in reviews
            for round_ in reviewed.rounds
            for step in round_.steps
            if step.kind is kind and kind.luck
        ]
        if len(values) > 1:
            mean = mean_and_error(values)
            means[str(kind)] = {
                "mean": round(mean.mean, 5),
                "standard_error": round(mean.standard_error, 5),
                "steps": len(values),
            }
    return means


def lead_margins(players: int, seed: int) -> list[float]:
    """The mean margin of a round in points, by team, counted from the team that leads."""
    net = play_scored("policy", players, POLICY_ROUNDS, seed).net() * STEP
    means = [float(mean) for mean in net.mean(axis=0)]
    margins = margins_of(means)
    assert len(margins) == TEAMS[players] and math.isclose(sum(margins), 0.0, abs_tol=1e-6)
    return [round(margin, 2) for margin in margins[:-1]] + [-round(sum(round(each, 2) for each in margins[:-1]), 2)]


def _measure_levels(given: argparse.Namespace) -> None:
    """Measure what the levels lose, and keep the rest of the file."""
    report = json.loads(FILE.read_text(encoding="utf-8"))
    report |= {"level_simulations": given.simulations, "level_matches": given.matches}
    for players in given.players:
        report["losses"][str(players)] = level_losses(players, given)
        FILE.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def main(args: Sequence[str]) -> None:
    """Measure, and write unless only the false alarms are wanted."""
    given = options(args)
    if given.levels:
        _measure_levels(given)
        return
    report: dict[str, Any] = {
        "level_simulations": given.simulations,
        "level_matches": given.matches,
        "simulations": given.simulations,
        "matches": given.matches,
        "seed": given.seed,
        "lead_margins": {str(players): lead_margins(players, given.seed) for players in given.players},
        "losses": {},
        "false_alarms": {},
        "luck": {},
    }
    for players in given.players:
        if not given.false_alarms:
            report["losses"][str(players)] = level_losses(players, given)
        reviews = self_reviews(players, given)
        report["false_alarms"][str(players)] = false_alarms(reviews)
        report["luck"][str(players)] = luck(reviews)
        print(f"{players} seats: {report['false_alarms'][str(players)]}", flush=True)
        print(f"{players} seats: {report['luck'][str(players)]}", flush=True)
    if not given.false_alarms:
        FILE.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
