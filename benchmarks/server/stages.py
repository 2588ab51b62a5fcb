"""What a ``RecommendMove`` costs apart from its search, from the bytes of the request to the bytes of the answer.

    python -m benchmarks.server.stages                                   # processor time by stage
    python -m benchmarks.server.stages --against ../other                # two versions in turns
    python -m benchmarks.server.stages --against ../other --instructions # instructions, by valgrind: some ten minutes

The other version is a built checkout with its own ``.venv``. Each search makes one simulation. README.md has figures.
"""

import argparse
import json
import re
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import sniffai
from sniffai import wire
from sniffai.search.params import Limits
from sniffai.v1.analysis_service_pb2 import RecommendMoveRequest

DEALS: Final = 12
"""Rounds for each number of seats."""
REPEATS: Final = 5
"""Measurements of each request in one run; the shortest one counts."""
STAGES: Final = ("decode", "read", "search", "reasons", "write", "encode")
PARTS: Final = ("read", "answer")
"""What is counted in instructions: decoding and reading a request, and writing its answer with the reasons."""
EVERY: Final = 4
"""Of the requests, one in so many is counted in instructions: valgrind is slow."""
ROUNDS: Final = 2
ONE: Final = Limits(simulations=1)


def main() -> None:
    """Measure one or two versions, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="another built checkout of this repository")
    parser.add_argument("--turns", type=int, default=7, help="runs of each version (default: %(default)s)")
    parser.add_argument("--instructions", action="store_true", help="count instructions instead of time")
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        repeat(options.part, options.rounds)
    elif options.json:
        print(json.dumps(measured(list(requests()))))
    else:
        here = Path.cwd()
        roots = [here] if options.against is None else [options.against.resolve(), here]
        if options.instructions:
            print_table([{part: instructions(root, part) for part in PARTS} for root in roots], "instructions")
        else:
            runs = [[timed(root) for root in roots] for _ in range(options.turns)]
            print_table([shortest(column) for column in zip(*runs, strict=True)], "microseconds")


def command(root: Path, *arguments: str) -> list[str]:
    """Run this file by the Python of a checkout, whatever that checkout has in its place."""
    return [str(root / ".venv" / "bin" / "python"), str(Path(__file__).resolve()), *arguments]


def timed(root: Path) -> dict[str, float]:
    """Microseconds by stage, measured by a process of a checkout."""
    done = subprocess.run(command(root, "--json"), cwd=root, capture_output=True, text=True, check=True)
    times: dict[str, float] = json.loads(done.stdout)
    return times


def shortest(runs: Sequence[dict[str, float]]) -> dict[str, float]:
    """The least of all runs, stage by stage: other work on the machine only ever adds time."""
    return {stage: min(run[stage] for run in runs) for stage in runs[0]}


def instructions(root: Path, part: str) -> float:
    """Instructions of one part of a request, without the start of the process."""
    counts = []
    for rounds in (0, ROUNDS):
        valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        own = command(root, "--part", part, "--rounds", str(rounds))
        done = subprocess.run([*valgrind, *own], cwd=root, capture_output=True, text=True, check=True)
        match = re.search(r"Collected : (\d+)", done.stderr)
        assert match is not None
        counts.append(int(match[1]))
    return (counts[1] - counts[0]) / ROUNDS / len(list(requests())[::EVERY])


def print_table(columns: Sequence[dict[str, float]], unit: str) -> None:
    """One row for each stage, and their sum, for one request."""
    names = ("this version",) if len(columns) == 1 else ("before", "after")
    rows = [[stage, *(f"{column[stage]:,.0f}" for column in columns)] for stage in columns[0]]
    total = ["all", *(f"{sum(column.values()):,.0f}" for column in columns)]
    print(f"{unit} for one request, the mean of {len(list(requests()))}")
    for row in ([unit, *names], ["---"] * (len(columns) + 1), *rows, total):
        print(f"| {' | '.join(row)} |")


def requests() -> Iterator[bytes]:
    """Requests for a move: one for each third placement of some rounds with 2, 3 and 4 seats."""
    for players in (2, 3, 4):
        for seed in range(DEALS):
            round_ = sniffai.Round.deal(players, seed)
            while not round_.over:
                moves = round_.legal_moves()
                if len(round_.moves) % 3 == 0 and len(moves) > 1:
                    view = wire.write_view(round_.view(round_.seat))
                    yield RecommendMoveRequest(view=view, seed=seed).SerializeToString()
                round_.play(moves[seed % len(moves)])


def measured(messages: Sequence[bytes]) -> dict[str, float]:
    """Microseconds of processor time by stage, the mean over the requests."""
    best = [
        [min(times) for times in zip(*(times_of(message) for _ in range(REPEATS)), strict=True)] for message in messages
    ]
    return {stage: 1e6 * statistics.fmean(times) for stage, times in zip(STAGES, zip(*best, strict=True), strict=True)}


def times_of(message: bytes) -> list[float]:
    """Seconds of each stage of one request."""
    marks = [time.process_time()]

    def mark(value: Any) -> Any:
        marks.append(time.process_time())
        return value

    request = mark(RecommendMoveRequest.FromString(message))
    question = mark(wire.read_question(request))
    analysis = mark(question.searcher().run(ONE))
    reasons = mark(question.reasons(analysis))
    mark(mark(wire.write_recommendation(analysis, question.warnings, reasons=reasons)).SerializeToString())
    return [end - begin for begin, end in pairwise(marks)]


def repeat(part: str, rounds: int) -> None:
    """Do one part of every request some times over, after all parts once."""
    work: list[Callable[[], Any]] = []
    for message in list(requests())[::EVERY]:
        question = wire.read_question(RecommendMoveRequest.FromString(message))
        analysis = question.searcher().run(ONE)
        reads, answers = _parts(message, question, analysis)
        answers()
        work.append(reads if part == "read" else answers)
    for _ in range(rounds):
        for step in work:
            step()


def _parts(message: bytes, question: Any, analysis: Any) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """The two parts of a request."""
    return (
        lambda: wire.read_question(RecommendMoveRequest.FromString(message)).searcher(),
        lambda: wire.write_recommendation(
            analysis, reasons=question.reasons(analysis), prospect=question.prospect(analysis)
        ).SerializeToString(),
    )


if __name__ == "__main__":
    main()
