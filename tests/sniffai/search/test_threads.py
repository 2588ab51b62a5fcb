"""Objects that several threads use: they wait for their turn, or say why not; nothing hangs and nothing crashes."""

import math
import pickle
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import sniffai
from sniffai import BusyError, Limits, Round, Searcher, equity
from sniffai.search.nets import load_policy
from sniffai.search.open_deal import DealSearcher
from sniffai.search.solver import Solver
from sniffai.seeds import tree_seed
from sniffai_ext.search import Search
from sniffai_ext.search_options import SearchOptions
from sniffai_ext.solver import Solver as CoreSolver
from sniffai_ext.turn import Turn
from tests.waiting import TIMEOUT

ROUND = Round.deal(2, 3)
VIEW = ROUND.view(ROUND.seat)


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_trees_share_no_part_of_their_seeds(seed: int) -> None:
    """A generator is seeded by two steps of splitmix64, so seeds one step apart would share half of the state."""
    step = 0x9E3779B97F4A7C15
    states = {(tree_seed(seed, tree) + step * half) % 2**64 for tree in range(256) for half in (1, 2)}
    assert len(states) == 512
    assert tree_seed(seed, 0) == seed


def in_threads(count: int, work: Callable[[int], Any]) -> list[Any]:
    """What some work gives in each thread: an error is a result too."""
    found: list[Any] = [None] * count

    def run(number: int) -> None:
        try:
            found[number] = work(number)
        except Exception as error:
            found[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return found


@pytest.mark.parametrize("searcher", [Searcher(VIEW), Searcher(VIEW, threads=2), DealSearcher(Round.deal(3, 3))])
def test_a_run_from_its_own_snapshot_is_refused_at_once(searcher: Searcher) -> None:
    """Also further down: what a snapshot calls is the same thread."""
    errors = []

    def tell(_: sniffai.Analysis) -> None:
        with pytest.raises(BusyError, match="already") as error:
            searcher.run(Limits(simulations=1))
        errors.append(error.value)

    found = searcher.run(Limits(seconds=0.15), on_snapshot=tell, interval=0.03)
    assert found.stop_reason == "time"
    assert {error.reason for error in errors} == {"BUSY"}
    assert searcher.run(Limits(seconds=0.01)).stop_reason == "time"


def test_everything_else_may_be_asked_from_a_snapshot() -> None:
    searcher = Searcher(VIEW)
    told = []

    def tell(analysis: sniffai.Analysis) -> None:
        told.append((analysis.final, searcher.forced))
        searcher.stop()

    assert searcher.run(Limits(seconds=60), on_snapshot=tell, interval=0.01).stop_reason == "stopped"
    assert told == [(False, False)]


def test_another_searcher_may_run_from_a_snapshot() -> None:
    inner = []
    outer = Searcher(VIEW)

    def tell(_: sniffai.Analysis) -> None:
        inner.append(Searcher(VIEW).run(Limits(simulations=100)).effort.simulations)
        outer.stop()

    outer.run(Limits(seconds=TIMEOUT), on_snapshot=tell, interval=0.03)
    assert set(inner) == {100}


def test_a_running_core_search_answers_only_for_its_counts() -> None:
    search = Search(VIEW.core(), 1, SearchOptions(policy=load_policy(2), pool_size=64))
    thread = threading.Thread(target=search.run, args=(10**12, math.inf))
    thread.start()
    try:
        while not search.simulations:
            time.sleep(0.001)
        for ask in (search.root_moves, lambda: search.line(0, -1), lambda: search.run(1, 1.0)):
            for _ in range(100):
                with pytest.raises(BusyError, match="already running"):
                    ask()
        before = search.simulations
        for _ in range(1000):
            assert search.nodes > 0 and search.memory_bytes > 0 and search.simulations >= before
            assert search.belief.assignments > 0 and search.view.must == "play"
            assert search.pool is not None and search.pool.size == 64
    finally:
        search.stop()
        thread.join()
    assert len(search.root_moves()) > 1


@pytest.mark.parametrize("make", [lambda: Solver(), lambda: CoreSolver(table_bytes=1 << 20)])
def test_one_solver_serves_six_threads(make: Callable[[], Any]) -> None:
    rounds = [Round.deal(2, seed) for seed in range(12)]

    def answer(round_: Round) -> Any:
        if isinstance(solver, Solver):
            return [(str(one.move), one.value) for one in solver.solve_moves(round_, node_cap=10**7) or ()]
        return [row[:3] for row in solver.solve_moves(round_.core(), 10**7)]

    solver = make()
    alone = list(map(answer, rounds))
    solver = make()
    found = in_threads(6, lambda k: [answer(round_) for round_ in rounds[k:] + rounds[:k]])
    for k, one in enumerate(found):
        assert one == alone[k:] + alone[:k]


def test_perft_counts_the_round_as_it_was_when_called() -> None:
    for seed in range(20):
        round_ = Round.deal(2, seed).core()
        expected = round_.copy().perft(7)
        counted: list[int] = []
        thread = threading.Thread(target=lambda round_=round_, counted=counted: counted.append(round_.perft(7)))
        thread.start()
        while thread.is_alive() and not round_.over:
            round_.play(*round_.legal_moves()[0])
            time.sleep(0.0005)
        thread.join()
        assert counted[0] <= expected


def test_one_view_serves_six_threads() -> None:
    """Views, their layouts and what is asked of them."""
    round_ = Round.deal(4, 6)
    for _ in range(9):
        round_.play(round_.legal_moves()[0])
    view = round_.view(round_.seat)

    def ask(_: int) -> Any:
        return [
            (
                view.to_text(),
                view.legal_moves(),
                view.layout,
                hash(view),
                [view.after(move) for move in view.legal_moves()],
            )
            for _ in range(10)
        ][-1]

    alone = ask(0)
    assert in_threads(6, ask) == [alone] * 6


def test_one_belief_serves_six_threads() -> None:
    """Also while its table is worked out for the first time."""
    view = Round.deal(3, 5).view(0)

    def ask(belief: sniffai.Belief, number: int) -> Any:
        table = belief.table
        assert not table.flags.writeable
        sampled = [part.tolist() for part in belief.sample_many(2000, number)]
        return table.tolist(), belief.assignments, sampled, belief.worlds(300)

    alone = [ask(sniffai.Belief(view), number) for number in range(6)]
    belief = sniffai.Belief(view)
    assert in_threads(6, lambda number: ask(belief, number)) == alone


def test_one_table_of_equity_serves_six_threads() -> None:
    for players in (2, 3, 4):
        table = equity.load(players)
        teams = 3 if players == 3 else 2

        def ask(number: int, table: equity.Equity = table, teams: int = teams) -> Any:
            return [table.chance([5 * ((number + k) % 20)] * teams, leader=0) for k in range(40)]

        alone = [ask(number) for number in range(6)]
        assert in_threads(6, ask) == alone


def test_searches_of_one_view_in_six_threads_are_those_of_one() -> None:
    alone = [sniffai.analyze(VIEW, Limits(simulations=2000), seed=k).moves for k in range(6)]
    assert in_threads(6, lambda k: sniffai.analyze(VIEW, Limits(simulations=2000), seed=k).moves) == alone


def test_runs_of_one_searcher_in_six_threads_take_turns() -> None:
    searcher = Searcher(VIEW, seed=4)
    found = in_threads(6, lambda k: searcher.run(Limits(simulations=1000 * (k + 1))).effort.simulations)
    assert sorted(found)[-1] == 6000
    assert all(1000 * (k + 1) <= one <= 6000 for k, one in enumerate(found))


def test_one_thread_at_a_time_has_the_turn() -> None:
    turn, inside = Turn("it"), []

    def work(number: int) -> int:
        for _ in range(50):
            with turn:
                inside.append(number)
                time.sleep(0)
                assert inside == [number]
                inside.clear()
        return number

    assert in_threads(6, work) == list(range(6))
    with turn, pytest.raises(BusyError, match="it is busy"), turn:
        pass
    with turn:
        pass


def test_the_error_survives_a_pickle() -> None:
    error = pickle.loads(pickle.dumps(BusyError("the search runs", reason="BUSY")))
    assert (type(error), error.reason, error.message) == (BusyError, "BUSY", "the search runs")
