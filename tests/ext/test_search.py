"""The door of the core search: some root moves only, one known world, and what is refused."""

import math
from typing import Any

import pytest

from sniffai import Round
from sniffai.equity import load
from sniffai.search.nets import load_policy, load_world_value
from sniffai_ext.errors import SniffError
from sniffai_ext.search import Search
from sniffai_ext.search_options import SearchOptions
from sniffai_ext.tree_params import TreeParams
from sniffai_ext.view import View


def position(players: int = 3) -> tuple[Round, View]:
    """A round after five placements, and what its seat to move knows."""
    round_ = Round.deal(players, 2)
    while len(round_.moves) < 5 or len(round_.legal_moves()) < 3:
        round_.play(round_.legal_moves()[0])
    return round_, round_.view(round_.seat).core()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_only_the_root_moves_given_are_considered(players: int) -> None:
    _, view = position(players)
    chosen = view.legal_moves()[1:3]
    search = Search(view, 1, SearchOptions(equity=load(players).core, match=True), root_moves=chosen)
    search.run(900, math.inf)
    rows = search.root_moves()
    assert {(row.tile, row.at) for row in rows} <= set(chosen)
    assert sum(row.visits for row in rows) == 900
    assert {row.availability for row in rows} == {900}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_run_in_slices_is_one_run(players: int) -> None:
    """With a pool that is extended, by simulations: what the tree becomes hangs on their number only."""
    _, view = position(players)
    equity, policy = load(players).core, load_policy(players)
    options = SearchOptions(equity=equity, match=True, pool_size=64, extra_size=500, policy=policy)
    whole, sliced = Search(view, 7, options), Search(view, 7, options)
    whole.run(1000, math.inf)
    for total in (1, 70, 513, 1000):
        assert sliced.run(total, math.inf) == "simulations"
    assert sliced.root_moves() == whole.root_moves()
    assert (sliced.nodes, sliced.memory_bytes) == (whole.nodes, whole.memory_bytes)


def first_values(view: View, seed: int, moves: list[tuple[int, int]], *, common_worlds: bool) -> dict[Any, Any]:
    """The mean margins by root move after as many simulations as there are moves.

    The net values every first visit, so that nothing but the world counts.
    """
    options = SearchOptions(TreeParams(common_worlds=common_worlds), value=load_world_value(2))
    search = Search(view, seed, options, root_moves=moves)
    search.run(len(moves), math.inf)
    return {(row.tile, row.at): row.margins for row in search.root_moves()}


def test_the_first_simulations_of_all_root_moves_share_a_world() -> None:
    """So a move's value is the same alone and beside others; with worlds of their own only the first one's is."""
    _, view = position(2)
    moves = view.legal_moves()[:3]
    assert len(moves) == 3
    for seed in range(20):
        alone = {}
        for move in moves:
            alone |= first_values(view, seed, [move], common_worlds=True)
        assert first_values(view, seed, moves, common_worlds=True) == alone
        apart = first_values(view, seed, moves, common_worlds=False)
        assert sum(apart[move] == alone[move] for move in alone) == 1


def test_a_node_takes_less_than_32_bytes() -> None:
    _, view = position(2)
    search = Search(view, 1)
    search.run(50_000, math.inf)
    assert search.nodes > 20_000
    assert search.memory_bytes < 32 * search.nodes


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_lines_of_one_known_world_are_legal_in_it(players: int) -> None:
    """The line of every move is legal in that very round."""
    round_, view = position(players)
    hands = [sum(1 << tile.index for tile in hand) for hand in round_.hands]
    search = Search(view, 1, world=(hands, [tile.index for tile in round_.talon]))
    search.run(3000, math.inf)
    for tile, at, *_ in search.root_moves():
        after = round_.core().copy()
        for step in search.line(tile, at):
            assert (step.tile, step.at) in after.legal_moves()
            after.play(step.tile, step.at)


@pytest.mark.parametrize(
    ("change", "reason", "field"),
    [
        ({"root_moves": []}, "NO_MOVES", "root_moves"),
        ({"root_moves": [(0, 99)]}, "NOT_LEGAL", "root_moves"),
        ({"options": SearchOptions(memory_bytes=100)}, "MEMORY_TOO_SMALL", "memory_bytes"),
        ({"options": SearchOptions(equity=load(2).core)}, "WRONG_NET", "equity"),
        ({"options": SearchOptions(policy=load_policy(4))}, "WRONG_NET", "policy"),
        ({"options": SearchOptions(value=load_world_value(2))}, "WRONG_NET", "value"),
        ({"world": ([0, 0], [])}, "WRONG_WORLD", "world"),
        ({"world": ([0, 0, 0], list(range(20)))}, "WRONG_WORLD", "world"),
    ],
)
def test_what_is_refused(change: dict[str, Any], reason: str, field: str) -> None:
    _, view = position()
    with pytest.raises(SniffError) as error:
        Search(view, 1, **change)
    assert (error.value.reason, error.value.field) == (reason, field)


def test_a_world_that_is_not_the_views_is_refused() -> None:
    round_, view = position()
    hands = [sum(1 << tile.index for tile in hand) for hand in round_.hands]
    talon = [tile.index for tile in round_.talon]
    neighbour = (round_.seat + 1) % 3
    short = list(hands)
    short[neighbour] &= short[neighbour] - 1
    with pytest.raises(SniffError) as error:
        Search(view, 1, world=(short, talon))
    assert (error.value.reason, error.value.field) == ("WRONG_HAND_SIZE", f"world[0][{neighbour}]")
    twice = [*talon[:-1], talon[0]]
    other = list(hands)
    other[round_.seat], other[neighbour] = hands[neighbour], hands[round_.seat]
    for world in ((hands, twice), (other, talon)):
        with pytest.raises(SniffError):
            Search(view, 1, world=world)
    assert Search(view, 1, world=(hands, talon)).run(10, math.inf) == "simulations"
