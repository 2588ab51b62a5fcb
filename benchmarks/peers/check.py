"""Whether the game written for OpenSpiel is American Sniff, and what its search is told is right and no more.

``python -m benchmarks.peers.check`` says what it found right, and fails at the first thing that is not.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import pyspiel

from benchmarks.peers.openspiel_sniff import SniffGame, SniffState
from benchmarks.peers.worlds import Worlds, action_of
from sniffai import Belief, Round, View
from sniffai.rules import PLAYERS
from sniffai.seeds import derived_seed
from sniffai.tiles import Tile, mask_tiles

ROUNDS: Final = Path(__file__).parents[2] / "tests" / "data" / "rounds.jsonl"
RANDOM_ROUNDS: Final = 300
VIEWS: Final = 10
SAMPLES_PER_WORLD: Final = 30
MOST_WORLDS: Final = 100


def main() -> None:
    """Check everything."""
    all_records = [json.loads(line) for line in ROUNDS.read_text().splitlines()]
    for players in PLAYERS:
        records = [record for record in all_records if record["players"] == players]
        placements = [replay(recorded_round(record), recorded_moves(record)) for record in records]
        placements += [replay(*random_round(players, number)) for number in range(RANDOM_ROUNDS)]
        print(f"{players} seats: {len(placements)} rounds, {sum(placements)} placements: same moves, counts, scores")
        game = pyspiel.load_game("python_american_sniff", {"players": players, "leader": players - 1})
        pyspiel.random_sim_test(game, num_sims=20, serialize=True, verbose=False)
        print(f"{players} seats: OpenSpiel's own test of a game passes")
        views = [check_worlds(view) for view in few_worlds(players)]
        print(f"{players} seats: {sum(views)} worlds of {len(views)} views: uniform, all of one information state")


def replay(round_: Round, moves: list[str]) -> int:
    """Play moves in the library and in the game side by side, the deal by chance nodes; how many there were."""
    state = dealt_state(round_)
    for move in moves:
        assert state.current_player() == round_.seat
        legal = round_.legal_moves()
        assert list(state.legal_actions()) == sorted({action_of(move) for move in legal})
        state.apply_action(action_of(next(each for each in legal if str(each) == move)))
        round_.play(move)
        plain = state.round
        assert plain is not None
        assert (plain.count, plain.scores) == (round_.count, round_.scores)
        assert [mask_tiles(hand) for hand in plain.hands] == list(round_.hands)
        assert len(plain.talon) == len(round_.talon)
    assert state.is_terminal() and round_.over
    return len(moves)


def dealt_state(round_: Round) -> SniffState:
    """The game's state at the start of a round."""
    scores = " ".join(map(str, round_.start.scores))
    game = SniffGame({"players": round_.players, "leader": round_.start.leader, "scores": scores})
    state = game.new_initial_state()
    for tile in [tile for hand in round_.start.hands for tile in hand] + list(round_.start.talon):
        state.apply_action(tile.index)
    return state


def recorded_round(record: dict[str, Any]) -> Round:
    """A round of the record as dealt."""
    return Round(**{key: record[key] for key in ("players", "hands", "talon", "leader", "scores")})


def recorded_moves(record: dict[str, Any]) -> list[str]:
    """Its placements; what the record says of each step is tested in tests/."""
    return [f"{tile}@{at}" if at else tile for tile, at in (step["play"] for step in record["steps"])]


def random_round(players: int, number: int) -> tuple[Round, list[str]]:
    """A random round, near the target now and then, and random placements to its end."""
    lots = Random(derived_seed(players, number))
    most = 245 if players == 2 else 195
    scores = [5 * lots.randrange(-4, most // 5) if number % 4 else most for _ in range(3 if players == 3 else 2)]
    start = Round.deal(players, number, scores=scores)
    played = start.copy()
    while not played.over:
        played.play(lots.choice(played.legal_moves()))
    return start, [str(move) for move in played.moves]


def few_worlds(players: int) -> Iterator[View]:
    """Views with a choice, which more than one world explains, but not many."""
    count = 0
    for number in range(10**6):
        round_, moves = random_round(players, number)
        for move in moves:
            if 1 < Belief(round_.view(round_.seat)).assignments <= MOST_WORLDS and len(round_.legal_moves()) > 1:
                yield round_.view(round_.seat)
                count += 1
                break
            round_.play(move)
        if count == VIEWS:
            return


def check_worlds(view: View) -> int:
    """Sample worlds as the search does: each as often as its weight says (chi-square), and all look alike to the seat.

    The order of the talon is not looked at.
    """
    worlds = {(world.hands, frozenset(world.talon)): world.weight for world in Belief(view).worlds(MOST_WORLDS) or []}
    source = Worlds(view, derived_seed(len(worlds)))
    game = SniffGame({"players": view.players})
    seen: Counter[tuple[tuple[tuple[Tile, ...], ...], frozenset[Tile]]] = Counter()
    strings = set()
    samples = SAMPLES_PER_WORLD * len(worlds)
    for _ in range(samples):
        round_ = source.sample()
        seen[tuple(map(mask_tiles, round_.hands)), frozenset(mask_tiles(sum(1 << t for t in round_.talon)))] += 1
        strings.add(game.state_of(round_).information_state_string(view.seat))
    assert len(strings) == 1 and set(seen) <= set(worlds)
    total = sum(worlds.values())
    expected = {world: samples * weight / total for world, weight in worlds.items()}
    statistic = sum((seen[world] - mean) ** 2 / mean for world, mean in expected.items())
    freedom = len(worlds) - 1
    assert statistic < freedom + 5 * math.sqrt(2 * freedom) + 10, f"chi-square {statistic:.0f} of {freedom}: {view}"
    return samples


if __name__ == "__main__":
    main()
