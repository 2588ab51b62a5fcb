"""Play this version against another one, on paired deals: ``python benchmarks/versions.py OTHER --deals 3000``.

OTHER is a folder with another version's ``sniffai`` and a built ``sniffai_ext`` (side by side, or that in ``ext``). It
plays in a process of its own, which is asked for a move and waited for, so both have the machine to themselves in turn.
Deals and seating are those of ``sniffai arena``; the result is from this version's side, with the luck of the draws
and less it. With ``--h1 0.5`` it stops as soon as it is clear whether this version gains half a point a round, or
nothing.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from sniffai import Move, View
from sniffai.play.adjusted import AdjustedMean
from sniffai.play.arena import Contestant, play_pairing
from sniffai.play.arena_result import ArenaResult, ArenaSpec, Pairing, take_in
from sniffai.play.levels import named_player
from sniffai.play.sequential import SequentialTest
from sniffai.rules import PLAYERS

ANSWER = """
import sys
from sniffai import View
try:
    from sniffai.play.levels import named_player
except ImportError:  # before the library had rooms
    from sniffai.levels import named_player
player = named_player(sys.argv[1])
for line in sys.stdin:
    seed, text = line.rstrip().split(" ", 1)
    print(player.choose(View.from_text(text), int(seed)), flush=True)
"""


class VersionProcess:
    """A process with a version's ``sniffai``, which answers lines with lines.

    :param folder: of the version.
    :param code: what it runs.
    :param argument: its only one.
    """

    def __init__(self, folder: Path, code: str, argument: str) -> None:
        path = os.pathsep.join(map(str, (folder.resolve(), folder.resolve() / "ext")))
        self._process = subprocess.Popen(
            [sys.executable, "-c", code, argument],
            cwd=folder,  # what lies in this folder would come first
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )

    def ask(self, *words: object) -> str:
        """Its answer to a line."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(*words, file=self._process.stdin, flush=True)
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


class OtherVersion(VersionProcess):
    """A player of another version."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(folder, ANSWER, name)

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`sniffai.play.players.Player`."""
        return Move.of(self.ask(seed, view))


def main() -> None:
    """Print the margin and what a decision took each side."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="folder of the other version")
    parser.add_argument(
        "--player", default="search:seconds=0.003", help="player of this version (default: %(default)s)"
    )
    parser.add_argument("--other-player", help="player of the other version (default: that of this one)")
    parser.add_argument("--players", type=int, default=2, choices=PLAYERS, help="seats (default: 2)")
    parser.add_argument("--deals", type=int, default=3000, help="deals, each in every seating (default: 3000)")
    parser.add_argument("--seed", type=int, default=12, help="seed of the deals (default: 12)")
    parser.add_argument("--h0", type=float, default=0.0, help="points a round of no gain (default: 0)")
    parser.add_argument("--h1", type=float, help="points a round of a gain; default: all deals are played")
    options = parser.parse_args()
    test = None if options.h1 is None else SequentialTest(options.h0, options.h1)
    other_player = options.other_player or options.player
    spec = ArenaSpec(other_player, options.player, options.players, options.deals, seed=options.seed, test=test)
    version = OtherVersion(options.other, other_player)
    other = Contestant(version)
    this = Contestant(named_player(options.player))
    pairings: list[Pairing] = []
    mean = AdjustedMean()
    while len(pairings) < options.deals and (test is None or test.judge(mean).verdict is None):
        pairings.append(play_pairing(spec, other, this, len(pairings)))
        take_in(mean, pairings[-1], "points")
    version.close()
    result = ArenaResult(spec, tuple(pairings), (other.cost, this.cost))
    times = [f"{1000 * cost.mean_seconds:.2f} ms" for cost in (this.cost, other.cost)]
    print(
        f"{options.players} seats, {len(pairings)} deals: {result.margin.mean:+.2f} ± "
        f"{result.margin.standard_error:.2f} points a round, less luck {mean.estimate.mean:+.2f} ± "
        f"{mean.estimate.standard_error:.2f}; a decision took {times[0]}, the other one's {times[1]}"
    )
    if result.test_state is not None:
        low, high = result.test_state.interval
        print(f"accepted: {result.test_state.verdict or 'neither'}; {low:+.2f} to {high:+.2f} wherever it stopped")


if __name__ == "__main__":
    main()
