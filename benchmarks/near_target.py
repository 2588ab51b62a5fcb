"""Play this version against another one from fixed scores: ``python -m benchmarks.near_target OTHER --scores 185,185``.

Near the target margins say little, so what counts is the chance to win the match: certain if a team reached the target
in the round, else by the equity table at the scores that the round led to. The result is this version's mean chance
less an even share, in per cent. Deals are paired: each is played in every seating. OTHER is as in
``benchmarks/versions.py``.
"""

import argparse
import math
import statistics
from collections.abc import Sequence
from pathlib import Path

from benchmarks.versions import OtherVersion
from sniffai import Round
from sniffai.equity import Equity, load
from sniffai.play.levels import named_player
from sniffai.play.players import Player
from sniffai.rules import PLAYERS, TEAMS, team_of
from sniffai.seeds import derived_seed


def played(round_: Round, players: Sequence[Player], seed: int) -> Round:
    """Play a round to its end, each team by its player."""
    while not round_.over:
        moves = round_.legal_moves()
        if len(moves) > 1:
            player = players[team_of(round_.players, round_.seat)]
            moves = [player.choose(round_.view(round_.seat), derived_seed(seed, len(round_.moves)))]
        round_.play(moves[0])
    return round_


def chance(round_: Round, team: int, equity: Equity) -> float:
    """A team's chance to win the match after a round."""
    if round_.match_winner is not None:
        return float(round_.match_winner == team)
    return equity.chance(round_.scores, round_.went_out)[team]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the mean gain in chance, and its standard error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="folder of the other version")
    parser.add_argument("--players", type=int, default=2, choices=PLAYERS, help="seats (default: 2)")
    parser.add_argument(
        "--scores", default="185,185", help="by team, at the start of each round (default: %(default)s)"
    )
    parser.add_argument("--player", default="search:simulations=1000", help="of both versions (default: %(default)s)")
    parser.add_argument("--deals", type=int, default=900, help="deals, each in every seating (default: 900)")
    parser.add_argument("--seed", type=int, default=12, help="seed of the deals (default: 12)")
    options = parser.parse_args(arguments)
    scores, teams = [int(score) for score in options.scores.split(",")], TEAMS[options.players]
    this, other = named_player(options.player), OtherVersion(options.other, options.player)
    equity = load(options.players)
    gains = []
    for deal in range(options.deals):
        seed = derived_seed(options.seed, deal)
        total = 0.0
        for team in range(teams):
            players = [this if at == team else other for at in range(teams)]
            round_ = Round.deal(options.players, seed, leader=deal % options.players, scores=scores)
            total += chance(played(round_, players, seed), team, equity)
        gains.append(100 * (total / teams - 1 / teams))
    other.close()
    error = statistics.stdev(gains) / math.sqrt(len(gains))
    print(
        f"{options.players} seats from {options.scores}, {len(gains)} deals: "
        f"{statistics.fmean(gains):+.2f} ± {error:.2f} % of the matches"
    )


if __name__ == "__main__":
    main()
