"""Play this version against another one, on paired deals: ``python benchmarks/versions.py OTHER --deals 3000``.

OTHER is a folder with another version's ``sniffai`` and a built ``sniffai_ext`` (side by side, or that in ``ext``). It
plays in a process of its own, which is asked for a move and waited for, so both have the machine to themselves in turn.
Deals and seating are those of ``sniffai arena``; the result is from this version's side.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from sniffai import Move, View
from sniffai.play.arena import Contestant, play_pairing
from sniffai.play.arena_result import ArenaResult, ArenaSpec
from sniffai.play.levels import named_player
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


class OtherVersion:
    """A player of another version."""

    def __init__(self, folder: Path, name: str) -> None:
        path = os.pathsep.join(map(str, (folder.resolve(), folder.resolve() / "ext")))
        self._process = subprocess.Popen(
            [sys.executable, "-c", ANSWER, name],
            cwd=folder,  # what lies in this folder would come first
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`sniffai.play.players.Player`."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(seed, view, file=self._process.stdin, flush=True)
        return Move.of(self._process.stdout.readline().strip())


def main() -> None:
    """Print the margin and what a decision took each side."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="folder of the other version")
    parser.add_argument(
        "--player", default="search:seconds=0.003", help="player of both versions (default: %(default)s)"
    )
    parser.add_argument("--players", type=int, default=2, choices=PLAYERS, help="seats (default: 2)")
    parser.add_argument("--deals", type=int, default=3000, help="deals, each in every seating (default: 3000)")
    parser.add_argument("--seed", type=int, default=12, help="seed of the deals (default: 12)")
    options = parser.parse_args()
    spec = ArenaSpec(options.player, options.player, options.players, options.deals, seed=options.seed)
    other = Contestant(OtherVersion(options.other, options.player))
    this = Contestant(named_player(options.player))
    pairings = tuple(play_pairing(spec, other, this, number) for number in range(options.deals))
    result = ArenaResult(spec, pairings, (other.cost, this.cost))
    times = [f"{1000 * cost.mean_seconds:.2f} ms" for cost in (this.cost, other.cost)]
    print(
        f"{options.players} seats, {options.deals} deals: {result.margin.mean:+.2f} ± "
        f"{result.margin.standard_error:.2f} points a round; a decision took {times[0]}, the other one's {times[1]}"
    )


if __name__ == "__main__":
    main()
