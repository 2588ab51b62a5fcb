"""Play one match between players by name, one a seat, and write its record.

Such as: python tools/record_match.py level:attentive level:club --seed 5 --out attentive-club.match
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from sniffai import MatchRecord, dump_match
from sniffai.play.arena import play_rounds
from sniffai.play.arena_result import ArenaSpec
from sniffai.play.levels import named_player
from sniffai.search.params import Limits


def options(args: Sequence[str]) -> argparse.Namespace:
    """The options of a command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("players", nargs="+", help="2, 3 or 4 players, such as level:club or search:simulations=1000")
    parser.add_argument("--seed", type=int, default=1, help="decides the deals and every lot [1]")
    parser.add_argument("--simulations", type=int, default=10_000, help="of a search that names no limit [10000]")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    return parser.parse_args(args)


def main(args: Sequence[str]) -> None:
    """Play and write."""
    given = options(args)
    given.out.open("a").close()  # it can be written, or says so before the match is played
    limits = Limits(simulations=given.simulations)
    spec = ArenaSpec(given.players[0], given.players[-1], len(given.players), 1, True, given.seed, limits)
    rounds = list(play_rounds(spec, [named_player(name, limits) for name in given.players], 0))
    seats = {f"Seat{seat}": name.removeprefix("level:") for seat, name in enumerate(given.players)}
    tags = {"Event": " – ".join(seats.values()), "Seed": str(given.seed), **seats}
    dump_match(MatchRecord.of(rounds, tags), given.out)
    print(f"{given.out}: {len(rounds)} rounds, scores {' '.join(map(str, rounds[-1].scores))}")


if __name__ == "__main__":
    main(sys.argv[1:])
