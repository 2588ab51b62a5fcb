"""The twin itself against the facts in tests/data: what it is compared with must be right first."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.positions import FEW_WORLDS
from tests.reference import Layout, Round, at_random, parse, rounded
from tests.reference_belief import (
    Sight,
    assignments_of,
    by_replay,
    by_tables,
    replay_size,
    seen,
    worlds_by_replay,
)

DATA = Path(__file__).parent / "data"
ROUNDS = [json.loads(line) for line in (DATA / "rounds.jsonl").read_text().splitlines()]
BELIEFS = [json.loads(line) for line in (DATA / "beliefs.jsonl").read_text().splitlines()]


def test_the_example_of_the_rules() -> None:
    layout = Layout()
    counts = []
    for tile, at in [("4|4", None), ("4|6", "4|4:LINE_A"), ("1|4", "4|4:LINE_B"), ("2|4", "4|4:SIDE_A")]:
        layout.place(parse(tile), at)
        counts.append((layout.count, layout.points))
    assert counts == [(8, 0), (14, 0), (15, 15), (13, 0)]


@pytest.mark.parametrize(("pips", "taken"), [(0, 0), (2, 0), (3, 5), (5, 5), (7, 5), (8, 10), (12, 10), (13, 15)])
def test_rounding(pips: int, taken: int) -> None:
    assert rounded(pips) == taken


def begin(record: dict[str, Any]) -> Round:
    hands = [[parse(tile) for tile in hand] for hand in record["hands"]]
    talon = [parse(tile) for tile in record["talon"]]
    return Round(record["players"], hands, talon, record["leader"], list(record["scores"]))


def check_step(round_: Round, step: dict[str, Any]) -> None:
    assert round_.seat == step["seat"]
    legal = [(str(tile), at or "") for tile, at in round_.legal_moves()]
    assert sorted(legal) == sorted((tile, at or "") for tile, at in step["legal"])
    tile, at = step["play"]
    assert round_.play(parse(tile), at) == step["points"]
    assert round_.layout.count == step["total"]
    assert [[str(end), value] for end, value in round_.layout.contributions()] == step["contributions"]


def test_every_recorded_round() -> None:
    for record in ROUNDS:
        round_ = begin(record)
        for step in record["steps"]:
            check_step(round_, step)
        assert round_.over
        assert [sorted(map(str, hand)) for hand in round_.hands] == [sorted(hand) for hand in record["left"]]
        ends = round_.scores, round_.went_out, round_.blocked, round_.match_winner
        assert ends == (record["final_scores"], record["out"], record["blocked"], record["match_winner"])


def test_every_recorded_belief() -> None:
    for record in BELIEFS:
        dealt_hand = [parse(tile) for tile in record["deal"]]
        sight = Sight(record["players"], record["seat"], record["leader"], dealt_hand, record["events"])
        assignments, marginals = by_tables(sight)
        assert assignments == record["assignments"]
        assert {tile: pytest.approx(row, abs=1e-9) for tile, row in record["marginals"].items()} == marginals


@pytest.mark.parametrize(("players", "seed", "placements"), FEW_WORLDS)
def test_counting_by_tables_is_counting_by_replay(players: int, seed: int, placements: int) -> None:
    round_ = at_random(players, seed, placements)
    sight = seen(round_, round_.seat)
    assert replay_size(sight) >= 30
    assignments, marginals = by_tables(sight)
    assert assignments > 1
    assert (assignments, marginals) == by_replay(sight)


@pytest.mark.parametrize(("players", "seed", "placements"), FEW_WORLDS[::4])
def test_the_assignments_of_one_world(players: int, seed: int, placements: int) -> None:
    round_ = at_random(players, seed, placements)
    sight = seen(round_, round_.seat)
    worlds = worlds_by_replay(sight)
    assert {world: assignments_of(sight, world) for world in worlds} == worlds


def test_a_replay_is_the_round() -> None:
    for seed in range(30):
        round_ = at_random(2 + seed % 3, seed, 40)
        again = round_.again()
        assert again.over
        assert (again.events, again.hands, again.scores) == (round_.events, round_.hands, round_.scores)
