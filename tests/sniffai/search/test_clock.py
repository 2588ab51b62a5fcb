"""The time of a run, by a clock that stands still: what weighing and solving may take of it, and how many worlds."""

import math
from types import SimpleNamespace
from typing import Any

import pytest

import sniffai.search.clock
import sniffai.search.searcher
from sniffai import DealSearcher, Limits, LimitsError, Round, Searcher, SearchParams, analyze
from sniffai.search.clock import ANSWER_SECONDS, CHOICE_SECONDS, LEAST_SECONDS, POOL_SHARE, SOLVER_SHARE, Run
from sniffai.search.params import ASSUMED_SPEED, DEFAULT_SECONDS
from sniffai.search.searcher import search_options
from sniffai_ext.search import Search
from sniffai_ext.search_options import SearchOptions
from sniffai_server.load.budget import Budget, effective_limits
from sniffai_server.settings import Settings

ROUND = Round.deal(3, 3)
VIEW = ROUND.view(ROUND.seat)
NOON = 1000.0
SETTINGS = Settings(slots=1)
CAP = SETTINGS.caps.simulations


class Clock:
    """Stands still unless somebody sets it."""

    def __init__(self) -> None:
        self.now = NOON

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(sniffai.search.clock, "time", SimpleNamespace(monotonic=made.monotonic))
    return made


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> list[dict[str, Any]]:
    """What the core's searches are told. Each makes some simulations, then its time is over."""
    told: list[dict[str, Any]] = []

    class Recorder(Search):
        def __init__(self, view: Any, seed: int, options: SearchOptions, **_: Any) -> None:
            self.told = {name: getattr(options, name) for name in ("pool_size", "extra_size", "expected")}

        def run(self, *args: Any) -> Any:
            told.append({**self.told, "pool_seconds": args[6]})
            super().run(10, math.inf, *args[2:])
            clock.now += 1e6
            return "time"

    monkeypatch.setattr(sniffai.search.searcher, "CoreSearch", Recorder)
    return told


def run(limits: Limits, end: float | None = None) -> Run:
    return Run.of(limits.effective(), end, None, 1.0)


@pytest.mark.parametrize("simulations", [None, 1, 1000, CAP, 2**63 - 1])
def test_weighing_has_its_share_of_the_time_whatever_the_simulations(clock: Clock, simulations: int | None) -> None:
    one = run(Limits(seconds=8.0, simulations=simulations))
    assert one.pool_seconds == POOL_SHARE * 8
    clock.now += 1
    assert one.pool_seconds == POOL_SHARE * 8
    clock.now += 6.5
    assert one.pool_seconds == pytest.approx(0.5 - ANSWER_SECONDS)
    clock.now += 1
    assert one.pool_seconds == pytest.approx(-0.5 - ANSWER_SECONDS)


def test_weighing_takes_as_long_as_it_takes_where_no_clock_ends_the_run(clock: Clock) -> None:
    assert run(Limits(simulations=1000)).pool_seconds == math.inf
    assert run(Limits(simulations=1000), math.inf).pool_seconds == math.inf
    assert run(Limits(simulations=1000)).solver_seconds == math.inf
    assert run(Limits()).pool_seconds == POOL_SHARE * DEFAULT_SECONDS


@pytest.mark.parametrize("limits", [Limits(seconds=8.0), Limits(simulations=1000), Limits(seconds=8.0, simulations=9)])
def test_the_end_that_the_caller_sets_is_a_limit_like_any(clock: Clock, limits: Limits) -> None:
    assert run(limits, NOON + 4).pool_seconds == POOL_SHARE * 4
    assert run(limits, NOON + 4).solver_seconds == SOLVER_SHARE * 4
    assert run(limits, NOON + 400).pool_seconds == run(limits, NOON + 8 if limits.seconds else NOON + 400).pool_seconds
    assert run(limits, math.inf).pool_seconds == run(limits).pool_seconds


@pytest.mark.parametrize("end", [NOON, NOON - 1, -NOON, 0, -math.inf])
@pytest.mark.parametrize("limits", [Limits(seconds=8.0), Limits(simulations=1000)])
def test_an_end_in_the_past_leaves_a_millisecond(clock: Clock, limits: Limits, end: float) -> None:
    one = run(limits, end)
    assert one.pool_seconds == pytest.approx(POOL_SHARE * LEAST_SECONDS)
    assert (one.left, one.by_end) == (pytest.approx(LEAST_SECONDS * 3 / 4), True)
    assert one.shortened().seconds == pytest.approx(LEAST_SECONDS)


@pytest.mark.parametrize(("seconds", "reserved"), [(8.0, ANSWER_SECONDS), (0.004, 0.001), (0.002, 0.0005)])
def test_the_answer_is_made_within_the_time(clock: Clock, seconds: float, reserved: float) -> None:
    assert run(Limits(seconds=seconds)).left == pytest.approx(seconds - reserved)
    assert run(Limits(simulations=10), NOON + seconds).left == pytest.approx(seconds - reserved)


def test_a_choice_alone_leaves_more_of_the_time_to_the_search(clock: Clock) -> None:
    for seconds, reserved in ((8.0, CHOICE_SECONDS), (0.0002, 0.00005)):
        one = Run.of(Limits(seconds=seconds).effective(), None, None, 1.0, reserve=CHOICE_SECONDS)
        assert one.left == pytest.approx(seconds - reserved)


@pytest.mark.parametrize("end", [math.nan, "soon", 1j, [1.0], True])
def test_an_end_that_is_no_time_is_refused(end: Any) -> None:
    with pytest.raises(LimitsError) as error:
        Searcher(VIEW).run(Limits(simulations=10), end=end)
    assert (error.value.field, error.value.reason) == ("end", "NOT_A_NUMBER")


def test_a_pause_does_not_shorten_the_weighing(clock: Clock) -> None:
    def pause() -> None:
        clock.now += 5

    one = Run.of(Limits(seconds=8.0).effective(), NOON + 9, None, 1.0, pause)
    one.pause()
    assert one.left == pytest.approx(4.0 - ANSWER_SECONDS)  # the caller's end comes first now
    assert one.pool_seconds == pytest.approx(POOL_SHARE * 4)


@pytest.mark.parametrize(
    ("limits", "simulations"),
    [
        (Limits(simulations=10_000), 10_000),
        (Limits(seconds=0.01), 0.01 * ASSUMED_SPEED),
        (Limits(seconds=0.01, simulations=CAP), 0.01 * ASSUMED_SPEED),
        (Limits(seconds=100.0, simulations=10_000), 10_000),
    ],
)
def test_the_worlds_are_as_many_as_the_lesser_of_time_and_simulations_allows(
    limits: Limits, simulations: float
) -> None:
    params = SearchParams()
    options = search_options(params, 3, limits.effective())
    assert options.expected == simulations
    assert options.pool_size == params.pool_size(simulations)


@pytest.mark.parametrize("seconds", [0.001, 0.005, 0.05, 2.0])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("kind", ["view", "deal"])
def test_library_and_server_have_one_rule(
    clock: Clock, searches: list[dict[str, Any]], seconds: float, threads: int, kind: str
) -> None:
    """A time alone, a time with the cap of simulations filled in, and the server's own limits."""
    asked = Limits(seconds=seconds)
    capped, warnings = effective_limits(asked, SETTINGS)
    assert (capped.simulations, warnings) == (CAP, [])
    budget = Budget.of(capped, None)
    for limits in (asked, Limits(seconds=seconds, simulations=CAP), capped, budget.for_the_tree):
        clock.now = NOON
        searcher = Searcher(VIEW, threads=threads) if kind == "view" else DealSearcher(ROUND, threads=threads)
        assert searcher.run(limits, end=budget.end).stop_reason == "time"
    first = searches[0]
    assert first["pool_seconds"] == pytest.approx(POOL_SHARE * seconds)
    assert first["expected"] == min(CAP, seconds * ASSUMED_SPEED)
    # Where a tree of a search begins after another one has set the clock forward, it has no time left.
    in_time = [one for one in searches if one["pool_seconds"] > 0]
    assert len(in_time) >= 4
    assert in_time == [first] * len(in_time)


def test_a_deadline_of_a_call_shortens_the_weighing(clock: Clock, searches: list[dict[str, Any]]) -> None:
    left = 3 / 128
    capped, _ = effective_limits(Limits(), SETTINGS)
    assert Searcher(VIEW).run(capped, end=NOON + left).stop_reason == "deadline"
    pool = SearchParams().pool_size(left * ASSUMED_SPEED)
    extra = SearchParams().extra_size(pool)
    expected = int(left * ASSUMED_SPEED)
    told = {"pool_size": pool, "extra_size": extra, "expected": expected, "pool_seconds": POOL_SHARE * left}
    assert searches == [told]


@pytest.mark.parametrize("limits", [Limits(simulations=300), effective_limits(Limits(simulations=300), SETTINGS)[0]])
@pytest.mark.parametrize("end", [None, math.inf])
def test_simulations_alone_stay_deterministic(limits: Limits, end: float | None) -> None:
    """Also with the server's cap of a minute filled in."""
    found, again = (Searcher(VIEW, seed=5).run(limits, end=end) for _ in range(2))
    assert (found.stop_reason, found.deterministic) == ("simulations", True)
    assert found.moves == again.moves == analyze(VIEW, Limits(simulations=300), seed=5).moves


def test_a_weighing_cut_short_by_the_clock_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Run, "pool_seconds", property(lambda _: 0.0))
    found = analyze(VIEW, Limits(simulations=300, seconds=100))
    assert (found.stop_reason, found.deterministic, found.worlds_used) == ("simulations", False, 32)


def test_an_end_that_reduced_the_worlds_is_reported(clock: Clock) -> None:
    """By its size alone: nothing was late."""
    limits = Limits(simulations=20_000)
    pool = SearchParams().pool_size(20_000)
    near = Searcher(VIEW, seed=1).run(limits, end=NOON + 0.01)
    assert (near.deterministic, near.worlds_used is not None and near.worlds_used < 17 * pool) == (False, True)
    far = Searcher(VIEW, seed=1).run(limits, end=NOON + 100)
    assert (far.stop_reason, far.deterministic, far.worlds_used) == ("simulations", True, 17 * pool)
