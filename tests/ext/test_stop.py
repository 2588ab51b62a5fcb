"""The stop flag, and what the core does when it is raised: counted in worlds and simulations, by no clock."""

import math

import pytest

from sniffai import Round
from sniffai.search.nets import load_policy
from sniffai_ext.search import Search
from sniffai_ext.search_options import SearchOptions
from sniffai_ext.stop import StopFlag
from sniffai_ext.view import View

LEAST_WORLDS = 32


def old_view(players: int = 2) -> View:
    round_ = Round.deal(players, 6)
    while len(round_.moves) < 6 or len(round_.legal_moves()) < 3:
        round_.play(round_.legal_moves()[0])
    return round_.view(round_.seat).core()


def search(stop: StopFlag | None = None, pool: int = 500, extra: int = 2000, players: int = 2) -> Search:
    options = SearchOptions(pool_size=pool, extra_size=extra, policy=load_policy(players))
    return Search(old_view(players), 7, options, stop=stop)


def test_a_stop_flag_is_raised_for_good_or_for_a_while() -> None:
    flag = StopFlag()
    assert not flag.stopped
    flag.call_off()
    assert not flag.stopped
    flag.stop()
    flag.resume()
    assert flag.stopped


def test_worlds_are_weighed_when_it_runs_not_before() -> None:
    one = search()
    assert one.pool is None
    one.run(10, math.inf)
    assert one.pool is not None
    assert (one.pool.size, one.pool.hurried) == (2500, False)


def test_a_raised_flag_stops_before_the_first_world() -> None:
    flag = StopFlag()
    flag.stop()
    one = search(flag)
    assert one.run(10, math.inf) == "stopped"
    assert (one.pool, one.simulations) == (None, 0)
    assert {row.visits for row in one.root_moves()} == {0}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_search_called_off_begins_again(players: int) -> None:
    flag = StopFlag()
    one, other = search(flag, players=players), search(players=players)
    flag.call_off()
    assert one.run(1000, math.inf) == "stopped"
    flag.resume()
    assert one.run(1000, math.inf) == other.run(1000, math.inf) == "simulations"
    assert one.root_moves() == other.root_moves()


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("extra", [0, 2000])
def test_the_fewest_worlds_are_weighed_if_no_time_is_left(players: int, extra: int) -> None:
    for seconds in (0.0, -5.0):
        one = search(extra=extra, players=players)
        assert one.run(10, math.inf, pool_seconds=seconds) == "simulations"
        assert one.pool is not None
        assert (one.pool.size, one.pool.hurried, one.pool.complete) == (LEAST_WORLDS, True, False)


def test_an_interrupted_list_of_worlds_is_replaced_by_a_sample() -> None:
    """What is listed first would be no fair sample."""
    view = old_view()
    count = Search(view, 1).belief.assignments
    assert count < 10**6
    options = SearchOptions(pool_size=count, extra_size=100, policy=load_policy(2))
    one = Search(view, 7, options)
    one.run(10, math.inf, pool_seconds=0.0)
    assert one.pool is not None
    assert (one.pool.size, one.pool.hurried, one.pool.complete) == (LEAST_WORLDS, True, False)
    listed = Search(view, 7, options)
    listed.run(10, math.inf, pool_seconds=1e9)
    assert listed.pool is not None
    assert (listed.pool.size, listed.pool.hurried, listed.pool.complete) == (count, False, True)


def test_enough_time_changes_nothing() -> None:
    one, other = search(), search()
    one.run(1000, math.inf, pool_seconds=1e6)
    other.run(1000, math.inf)
    assert one.root_moves() == other.root_moves()
