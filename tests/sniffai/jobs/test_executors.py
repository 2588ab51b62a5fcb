"""The executors: whoever does the jobs, the results are the same."""

import os
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

import pytest

from sniffai.equity import load
from sniffai.errors import LimitsError
from sniffai.jobs import Executor, JobResult, JobSpec, LocalExecutor, executor_named, in_order, run_job
from sniffai.lab.belief_report import BeliefSpec, report_beliefs
from sniffai.lab.equity.check import check
from sniffai.lab.equity.rounds import play_rounds
from sniffai.lab.temperature import played_choices
from sniffai.lab.training import TrainingPlan, train_nets
from sniffai.play import arena
from sniffai.play.arena import ArenaSpec, play_arena
from sniffai.play.exploit import ExploitSpec, exploit
from sniffai.play.sequential import SequentialTest
from sniffai.review import Subject, review
from sniffai.review.run import Asked, review_all
from sniffai.search.params import Limits

SEARCH = "search:simulations=30"


@pytest.fixture(scope="module")
def two() -> Iterator[Executor]:
    with executor_named("local", workers=2) as executor:
        yield executor


def subject(seed: int) -> Subject:
    spec = ArenaSpec("greedy", "greedy", 2, seed=seed)
    return Subject.of_rounds(list(arena.play_rounds(spec, [arena.named_player("greedy")] * 2, 0)))


WORK: dict[str, Callable[[Executor], Any]] = {
    "arena": lambda executor: play_arena(ArenaSpec("greedy", SEARCH, 3, 5, seed=2), executor=executor).pairings,
    "arena of matches": lambda executor: (
        play_arena(ArenaSpec("greedy", "random", 2, 4, whole_matches=True, luck=False), executor=executor).pairings
    ),
    "exploit": lambda executor: exploit(ExploitSpec("greedy", deals=3, simulations=30), executor=executor),
    "rounds": lambda executor: play_rounds("greedy", 3, 45, 2, executor=executor),
    "policy's rounds": lambda executor: play_rounds("policy", 3, 50_010, 2, executor=executor),
    "check": lambda executor: check(load(2), standings=3, matches=100, executor=executor),
    "choices": lambda executor: played_choices("greedy", 3, 9, 1, executor=executor),
    "beliefs": lambda executor: report_beliefs(BeliefSpec(2, 4, 9, "greedy", 40), executor=executor),
    "training": lambda executor: train_nets(TrainingPlan(2, 3), executor=executor),
    "review": lambda executor: review(subject(1), Limits(simulations=40), seed=1, executor=executor),
    # The last, because it ends the processes.
    "arena until it is clear": lambda executor: (
        play_arena(ArenaSpec("random", "greedy", 2, 400, test=SequentialTest(h1=5)), executor=executor).pairings
    ),
}


@pytest.mark.parametrize("name", WORK)
def test_two_processes_give_what_one_gives(name: str, two: Executor) -> None:
    assert WORK[name](two) == WORK[name](LocalExecutor())


def test_several_reviews_are_those_of_each_alone(two: Executor) -> None:
    limits = Limits(simulations=40)
    told: list[tuple[int, int]] = []
    asked = [Asked(subject(seed), limits, seed) for seed in (1, 2, 2)]
    found = list(review_all(asked, two, lambda number, done: told.append((number, done))))
    assert found == [review(one.subject, limits, seed=one.seed) for one in asked]
    assert told == [(number, k + 1) for number, one in enumerate(asked) for k in range(one.subject.size)]


def test_a_process_that_is_killed_costs_nothing(two: Executor) -> None:
    """One of the two is killed in mid-run; the results are the same, each once."""
    assert isinstance(two, LocalExecutor)
    results = two.run(jobs(60))
    found = [next(results)]
    victim = next(process for process in two._processes._context._started if process.is_alive())
    assert victim.pid is not None
    os.kill(victim.pid, signal.SIGKILL)
    found.extend(results)
    assert sorted(result.address for result in found) == sorted(spec.address for spec in jobs(60))
    values = {result.address: result.value for result in found}
    assert all(values[spec.address] == run_job(spec).value for spec in jobs(60)[::10])


@pytest.mark.parametrize(
    ("names", "size"), [(("greedy", "policy"), 16), (("greedy", SEARCH), 1), (("level:1600", "greedy"), 1)]
)
def test_the_size_of_a_job_depends_on_who_plays(names: tuple[str, str], size: int) -> None:
    first, *_ = arena.jobs_of(ArenaSpec(*names, pairings=100))
    assert first.numbers == range(size)


def jobs(count: int, **wrong: Any) -> list[JobSpec]:
    parameters = {"a": "random", "b": "greedy", "players": 2, "whole_matches": False, "seed": 3, "luck": False} | wrong
    return [JobSpec("arena", parameters, range(number, number + 1)) for number in range(count)]


def test_results_are_those_of_run_job(two: Executor) -> None:
    values = {result.address: result.value for result in two.run(jobs(6))}
    assert values == {spec.address: run_job(spec).value for spec in jobs(6)}
    assert [result.address for result in in_order(two, jobs(6))] == [spec.address for spec in jobs(6)]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_a_job_is_the_same_everywhere(workers: int, two: Executor) -> None:
    executor = two if workers == 2 else LocalExecutor()
    with pytest.raises(LimitsError) as error:
        list(executor.run(jobs(2, b="nobody")))
    assert (error.value.reason, error.value.field) == ("UNKNOWN_PLAYER", "player")
    with pytest.raises(LimitsError) as error:
        list(executor.run([JobSpec("arena", {}, range(1), engine="0.0.9/1")]))
    assert error.value.reason == "ENGINE_VERSION"
    assert len(list(executor.run(jobs(2)))) == 2


class Turned:
    """An executor that answers the other way round."""

    def __enter__(self) -> "Turned":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, specs: Iterable[JobSpec]) -> Generator[JobResult, None, None]:
        yield from [JobResult(spec.address, spec.numbers.start, 0.0) for spec in reversed(list(specs))]


def test_results_are_put_in_order() -> None:
    specs = [*jobs(4), *jobs(2)]
    assert [result.value for result in in_order(Turned(), specs)] == [0, 1, 2, 3, 0, 1]


@pytest.mark.parametrize("name", ["", "locale", "local:1", "Ray", "http://a", "grpcs:a:1"])
def test_an_unknown_executor_is_refused(name: str) -> None:
    with pytest.raises(LimitsError) as error:
        executor_named(name)
    assert (error.value.reason, error.value.field) == ("UNKNOWN_EXECUTOR", "executor")


@pytest.mark.parametrize("workers", [0, 1025, "2"])
def test_a_wrong_number_of_workers_is_refused(workers: Any) -> None:
    with pytest.raises(LimitsError) as error:
        executor_named("local", workers=workers)
    assert error.value.field == "workers"


def test_an_executor_without_its_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "sniffai.jobs.ray", raising=False)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'sniffai\[ray\]'"):
        executor_named("ray")
