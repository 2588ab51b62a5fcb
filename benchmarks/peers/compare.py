"""The whole comparison in one run: speeds side by side, then duels at equal time and at equal simulations.

``python -m benchmarks.peers.compare`` writes ``results.json`` and the tables of ``README.md`` beside this file.
"""

import argparse
import json
import platform
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from benchmarks.peers.duel import Duel, fight, to_dict
from benchmarks.peers.report import duel_line, write_tables
from benchmarks.peers.speed import Speed, measure
from sniffai import Limits

HERE: Final = Path(__file__).parent
RESULTS: Final = HERE / "results.json"
README: Final = HERE / "README.md"

PACKAGES: Final = ("sniffai", "open_spiel", "pyplAI", "mittmcts", "numpy")
COUNTING: Final = ("sniffai", "sniffai-plain", "openspiel", "openspiel-rollouts", "openspiel-searcher", "mittmcts")
"""Engines that stop after a number of simulations."""
CLOCKED: Final = (*COUNTING, "pyplai")
"""Engines that stop by the clock."""

THOUSAND: Final = Limits(simulations=1000)
MS_10: Final = Limits(seconds=0.01)
MS_50: Final = Limits(seconds=0.05)
MS_200: Final = Limits(seconds=0.2)

POSITIONS: Final = 8
DUELS: Final = (
    Duel("openspiel-searcher", MS_10, 20, whole_matches=True),
    Duel("openspiel-searcher", MS_50, 20, whole_matches=True),
    Duel("openspiel-searcher", MS_50, 60, whole_matches=False),
    Duel("openspiel-searcher", MS_200, 16, whole_matches=False),
    Duel("openspiel-searcher", THOUSAND, 50, whole_matches=False),
    Duel("openspiel", MS_50, 6, whole_matches=True),
    Duel("pyplai", MS_50, 20, whole_matches=False),
    Duel("mittmcts", MS_50, 20, whole_matches=False),
    Duel("greedy", THOUSAND, 24, whole_matches=False, engine="openspiel-searcher"),
)
"""With pairings at a scale of 1. The last one shows that the strongest peer is no straw man."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, play, write."""
    options = _options(arguments)
    started = time.perf_counter()
    duels = [_play(duel, options) for duel in DUELS]
    # Last: it keeps the process on one core.
    speeds = [*_measure(COUNTING, THOUSAND, options), *_measure(CLOCKED, MS_200, options)]
    settings = f"--scale {options.scale:g} --workers {options.workers} --seed {options.seed}"
    results = {
        "command": f"benchmarks/peers/run.sh {settings}",
        "seconds": round(time.perf_counter() - started),
        "machine": machine(),
        "versions": {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}},
        "speeds": [speed.to_dict() for speed in speeds],
        "duels": duels,
    }
    options.output.write_text(json.dumps(results, indent=1) + "\n")
    if options.output == RESULTS:
        write_tables(README, results)
    say(f"{options.output} written after {results['seconds']} s")


def machine() -> str:
    """The processor and its number of cores."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, {len(names) or 1} cores"


def say(text: str) -> None:
    """A line for whoever waits."""
    print(text, file=sys.stderr, flush=True)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/peers/run.sh", description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1.0, help="how much to play and measure (1: about 10 minutes)")
    parser.add_argument("--workers", type=int, default=1, help="processes for the duels, each on an idle core (1)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the deals and lots (0)")
    parser.add_argument(
        "--output", type=Path, default=RESULTS, help="JSON file to write; README.md changes only with the usual one"
    )
    return parser.parse_args(arguments)


def _play(duel: Duel, options: argparse.Namespace) -> dict[str, Any]:
    scaled = duel.scaled(options.scale, options.seed)
    played = to_dict(scaled, fight(scaled, options.workers))
    say(duel_line(played))
    return played


def _measure(engines: Sequence[str], limits: Limits, options: argparse.Namespace) -> list[Speed]:
    speeds = measure(engines, limits, max(1, round(POSITIONS * options.scale)))
    for speed in speeds:
        what = f"{speed.engine}, {speed.positions}, {speed.limit}"
        say(f"{what}: {speed.per_second:,.0f} simulations/s, sniffai {speed.ratio:.1f} times that")
    return speeds


if __name__ == "__main__":
    main()
