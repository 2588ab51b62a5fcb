"""The door of the core search: some root moves only, one known world, and what is refused."""

import math
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pytest

from sniffai import Round
from sniffai.equity import load
from sniffai.search.nets import load_policy, load_world_value
from sniffai_ext.belief import Belief
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


def test_a_tree_ends_when_its_counters_are_full() -> None:
    """A counter has 32 bits: a tree that is full ends the search as one without memory does."""
    _, view = position()
    search = Search(view, 1, SearchOptions(most_visits=500))
    assert search.run(1000, math.inf) == "memory"
    assert (search.simulations, sum(row.visits for row in search.root_moves())) == (500, 500)
    assert search.run(1000, math.inf) == "memory"
    assert SearchOptions().most_visits == 2**32 - 1
    with pytest.raises(SniffError) as error:
        SearchOptions(most_visits=2**32)
    assert error.value.field == "most_visits"


@pytest.mark.parametrize("players", [2, 3])
def test_every_outcome_has_a_node_of_its_own(players: int) -> None:
    """As many nodes as there are different draws and passes for the seat to see, found by brute force."""
    checked = 0
    for seed in range(200):
        round_ = Round.deal(players, seed)
        while not round_.over and (len(round_.talon) > 3 or len(round_.moves) < 7):
            round_.play(round_.legal_moves()[0])
        view = round_.view(round_.seat).core()
        worlds = None if round_.over or not round_.talon else Belief(view).worlds(500)
        if worlds is None:
            continue
        search = Search(view, 1)
        search.run(15_000, math.inf)
        for row in search.root_moves():
            layout = view.layout.copy()
            layout.play(row.tile, row.at)
            seen = {what for world in worlds for what in outcomes(view, row.tile, layout.open_pips, world)}
            found = search.outcome_count(row.tile, row.at)
            assert found <= len(seen)
            if row.visits > 3000:
                assert found == len(seen)
                checked += len(seen) > 1
    assert checked >= 3


def outcomes(view: View, tile: int, open_pips: int, world: tuple[int, ...]) -> Iterator[tuple[int, int, int | None]]:
    """What the seat can see before the next placement in a world, for each order of the talon.

    Tiles drawn, passes, and the tile that it drew itself and must place; nothing where nobody draws or passes, and
    where the round ends.
    """
    *hands, stock = world
    hands[view.seat] = view.hand & ~(1 << tile)
    if not hands[view.seat]:
        return
    fitting = sum(1 << number for number, (a, b) in enumerate(TILE_PIPS) if open_pips >> a & 1 or open_pips >> b & 1)
    for order in permutations([number for number in range(28) if stock >> number & 1]):
        talon = list(order)
        for passes in range(view.players):
            seat = (view.seat + 1 + passes) % view.players
            if hands[seat] & fitting:
                if passes:
                    yield len(order) - len(talon), passes, None
                break
            drawn = None
            while talon and drawn is None:
                number = talon.pop(0)
                drawn = number if fitting >> number & 1 else None
            if drawn is not None:
                yield len(order) - len(talon), passes, drawn if seat == view.seat else None
                break


TILE_PIPS = [(low, high) for low in range(7) for high in range(low, 7)]


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
