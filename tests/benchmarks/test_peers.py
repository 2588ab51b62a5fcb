"""The rules as the peers play them, and the worlds they are given. No peer's package is needed."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import sniffai
from benchmarks.peers.plain_round import TEXTS, PlainRound, tiles_of
from benchmarks.peers.worlds import Worlds, action_of, move_of

ROUNDS = [json.loads(line) for line in (Path(__file__).parents[1] / "data" / "rounds.jsonl").read_text().splitlines()]


def action(placement: list[str | None]) -> int:
    tile, at = placement
    return action_of(sniffai.Move.parse(f"{tile}@{at}" if at else str(tile)))


def begin(record: dict[str, Any]) -> PlainRound:
    hands = [sum(1 << TEXTS.index(tile) for tile in hand) for hand in record["hands"]]
    talon = [TEXTS.index(tile) for tile in record["talon"]]
    return PlainRound(record["players"], hands, talon, record["leader"], record["scores"])


@pytest.mark.parametrize("players", [2, 3, 4])
def test_recorded_rounds_have_the_same_moves_counts_and_scores(players: int) -> None:
    for record in (record for record in ROUNDS if record["players"] == players):
        round_ = begin(record)
        for step in record["steps"]:
            assert round_.seat == step["seat"]
            assert list(round_.legal_actions()) == sorted({action(placement) for placement in step["legal"]})
            gains = sum(round_.gains)
            round_.play(action(step["play"]))
            assert round_.count == step["total"]
            assert round_.over or sum(round_.gains) - gains == step["points"]
        assert round_.over and not round_.legal_actions()
        assert list(round_.scores) == record["final_scores"]
        assert [[TEXTS[tile] for tile in tiles_of(hand)] for hand in round_.hands] == record["left"]


def play_at_random(players: int, seed: int) -> list[tuple[sniffai.View, PlainRound]]:
    """Every decision of a round: what its seat knows, and the plain round with the true hands."""
    lots, round_ = Random(seed), sniffai.Round.deal(players, seed)
    order = [tile.index for hand in round_.hands for tile in hand] + [tile.index for tile in round_.talon]
    plain = PlainRound.dealt(players, order, round_.start.leader, round_.scores)
    decisions = []
    while not round_.over:
        decisions.append((round_.view(round_.seat), plain.copy()))
        move = lots.choice(round_.legal_moves())
        round_.play(move)
        plain.play(action_of(move))
    return decisions


PUBLIC = ("players", "seat", "before", "gains", "arms", "plain", "count", "sniff", "whole", "forced", "over", "record")


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(5))
def test_a_world_of_a_view_differs_from_the_truth_in_hidden_tiles_only(players: int, seed: int) -> None:
    for view, truth in play_at_random(players, seed):
        world = Worlds(view, seed).sample()
        assert [getattr(world, name) for name in PUBLIC] == [getattr(truth, name) for name in PUBLIC]
        assert world.hands[view.seat] == truth.hands[view.seat]
        assert [hand.bit_count() for hand in world.hands] == list(view.hand_sizes)
        assert len(world.talon) == view.talon_size
        held = sum(world.hands) + sum(1 << tile for tile in world.talon)
        assert held == sum(truth.hands) + sum(1 << tile for tile in truth.talon)
        assert world.legal_actions() == truth.legal_actions()


def test_an_action_is_played_where_it_is_legal() -> None:
    for view, truth in play_at_random(2, 7):
        for legal in truth.legal_actions():
            assert action_of(move_of(view, legal)) == legal


def test_margins_of_all_seats_sum_to_nothing() -> None:
    for players in (2, 3, 4):
        _, round_ = play_at_random(players, 3)[-1]
        round_.play(round_.legal_actions()[0])
        assert sum(round_.margins()) == 0


def test_a_copy_is_independent() -> None:
    _, round_ = play_at_random(2, 5)[2]
    before = round_.record, list(round_.hands), list(round_.gains)
    other = round_.copy()
    other.play(other.legal_actions()[0])
    assert (round_.record, round_.hands, round_.gains) == before
