"""Sequential tests: how often they err, how long they take, when they stop, and what they tell."""

import json
from collections.abc import Generator, Iterable
from math import log

import numpy as np
import pytest

from sniffai import LimitsError
from sniffai.jobs.local import LocalExecutor
from sniffai.jobs.result import JobResult
from sniffai.jobs.run import run_job
from sniffai.jobs.spec import JobSpec
from sniffai.play import sequential
from sniffai.play.adjusted import AdjustedMean
from sniffai.play.arena import play_arena
from sniffai.play.arena_result import ArenaResult, ArenaSpec
from sniffai.play.sequential import INTERVAL_KIND, LEAST, SequentialTest, TestState
from sniffai.rules import PLAYERS

TEST = SequentialTest(0, 1)


@pytest.fixture
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets tests stop after 10 pairings, so that the games decide where they stop and not the least number."""
    monkeypatch.setattr(sequential, "LEAST", 10)


class Swapped(LocalExecutor):
    """Does the jobs in this process two by two, and tells the result of the later one first."""

    def run(self, specs: Iterable[JobSpec]) -> Generator[JobResult, None, None]:
        following = iter(specs)
        for first in following:
            second = next(following, None)
            if second is not None:
                yield run_job(second)
            yield run_job(first)


def run(test: SequentialTest, truth: float, seed: int, cap: int = 20_000) -> TestState:
    """One test on numbers that scatter as pairings do: most are near 0, some are far off."""
    lots = np.random.default_rng(seed)
    values = truth + lots.choice([0, 5, 15, 40], cap, p=[0.3, 0.3, 0.2, 0.2]) * lots.choice([-1, 1], cap)
    mean = AdjustedMean()
    for value in values:
        mean.add(2 * float(value), 2)
        state = test.judge(mean)
        if state.verdict is not None:
            return state
    return test.judge(mean)


@pytest.mark.parametrize(("truth", "right"), [(0.0, "h0"), (1.0, "h1")])
def test_it_errs_as_rarely_as_it_says_and_its_interval_holds(truth: float, right: str) -> None:
    states = [run(TEST, truth, seed) for seed in range(100)]
    errors = sum(state.verdict != right for state in states)
    assert errors <= 10  # 5 are allowed: more than 10 would come once in a hundred times
    outside = sum(not state.interval[0] <= truth <= state.interval[1] for state in states)
    assert outside <= 10
    pairings = sorted(state.pairings for state in states)
    assert LEAST <= pairings[0] < pairings[50] < 3000  # one of fixed length with these errors takes about 4,000


def test_a_clear_difference_is_found_at_once() -> None:
    assert run(TEST, 16.0, 1).pairings == LEAST
    assert run(TEST, -16.0, 1).verdict == "h0"


def test_the_bounds_are_walds() -> None:
    assert SequentialTest(0, 1, 0.01, 0.1).bounds == (log(0.1 / 0.99), log(0.9 / 0.01))


def test_equal_players_are_not_sure_to_be_equal_too_soon() -> None:
    mean = AdjustedMean()
    assert TEST.judge(mean).log_likelihood_ratio == 0
    for _ in range(LEAST - 1):
        mean.add(0.0, 2)
    assert TEST.judge(mean).verdict is None
    mean.add(0.0, 2)
    state = TEST.judge(mean)
    assert (state.verdict, state.interval[0] < 0 < state.interval[1]) == ("h0", True)


@pytest.mark.usefixtures("early")
@pytest.mark.parametrize("players", PLAYERS)
def test_a_contest_stops_at_the_same_pairing_whoever_plays_it(players: int) -> None:
    luck = players == 3  # which takes longer than these players
    spec = ArenaSpec("greedy", "policy", players, pairings=3000, seed=2, luck=luck, test=SequentialTest(0, 2))
    done: list[int] = []
    one = play_arena(spec, progress=done.append)
    with LocalExecutor(2) if players == 3 else Swapped() as executor:  # a test that stops ends its processes
        two = play_arena(spec, executor=executor)
    assert one.pairings == two.pairings
    assert len(one.pairings) == sum(done) < 3000
    assert one.test_state is not None
    assert (one.test_state.verdict, one.test_state.pairings) == ("h1", len(one.pairings))
    assert one.costs[1].decisions == two.costs[1].decisions > 0
    longer = play_arena(ArenaSpec("greedy", "policy", players, pairings=len(one.pairings) + 10, seed=2, luck=luck))
    assert longer.pairings[: len(one.pairings)] == one.pairings
    before = ArenaResult(spec, one.pairings[:-1], one.costs)
    assert before.test_state is not None
    assert before.test_state.verdict is None


@pytest.mark.usefixtures("early")
def test_matches_are_tested_by_points_or_by_wins() -> None:
    for of in ("points", "wins"):
        test = SequentialTest(0, 2, of=of)  # type: ignore[arg-type]
        spec = ArenaSpec("greedy", "policy", 2, 150, True, seed=1, luck=of == "wins", test=test)
        result = play_arena(spec)
        assert result.test_state is not None
        assert result.test_state.verdict == "h1"
        told = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        state = told["test"]["state"]
        assert (told["test"]["of"], state["verdict"], state["pairings"]) == (of, "h1", len(result.pairings))
        assert state["bounds"] == list(test.bounds)
        assert state["interval"]["low"] < state["mean"] < state["interval"]["high"]
        assert state["interval"]["kind"] == INTERVAL_KIND
        assert ArenaResult.from_dict(told) == result
    assert result.test_state.mean == pytest.approx(result.adjusted_wins.estimate.mean)
    assert result.adjusted_wins.unadjusted.mean == pytest.approx(100 * (result.matches_won / result.matches - 0.5))


def test_the_cap_stays() -> None:
    result = play_arena(ArenaSpec("greedy", "greedy", pairings=7, test=TEST))
    assert result.test_state is not None
    assert (len(result.pairings), result.test_state.verdict) == (7, None)
    one = play_arena(ArenaSpec("greedy", "greedy", pairings=1, test=TEST))
    told = json.loads(json.dumps(one.to_dict(), allow_nan=False))
    assert told["test"]["state"]["interval"] == {"low": None, "high": None, "kind": INTERVAL_KIND}


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"h0": 1, "h1": 1}, "h1"),
        ({"h0": float("nan")}, "h0"),
        ({"h1": 2000}, "h1"),
        ({"alpha": 0}, "alpha"),
        ({"beta": 0.6}, "beta"),
        ({"of": "luck"}, "of"),
    ],
)
def test_a_wrong_test_is_refused(wrong: dict[str, object], field: str) -> None:
    with pytest.raises(LimitsError) as error:
        SequentialTest(**wrong)  # type: ignore[arg-type]
    assert error.value.field == field


def test_single_rounds_have_no_wins_to_test() -> None:
    with pytest.raises(LimitsError) as error:
        ArenaSpec("greedy", "random", test=SequentialTest(0, 1, of="wins"))
    assert error.value.field == "of"
