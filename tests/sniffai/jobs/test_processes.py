"""Work spread over processes: each job is done once, whatever happens to the process that does it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sniffai.errors import LimitsError
from sniffai.jobs import LostJobError
from sniffai.jobs.processes import AHEAD, MOST_TRIES, Processes

ROOT = Path(__file__).parents[3]


def linger(seconds: float) -> None:
    """Work that says when it begins."""
    os.write(1, b"at work\n")
    time.sleep(seconds)


def die_once(path: str) -> str:
    """Work whose process is killed the first time."""
    try:
        Path(path).touch(exist_ok=False)
    except FileExistsError:
        return f"done: {path}"
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def die(_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def refuse(number: int) -> int:
    if number == 3:
        raise LimitsError("three is too many", reason="OUT_OF_RANGE", field="number")
    return number


@pytest.fixture(scope="module")
def two() -> Iterator[Processes]:
    processes = Processes(2)
    yield processes
    processes.close()


def test_every_job_is_done_once(two: Processes) -> None:
    assert sorted(two.spread(abs, range(-20, 0))) == list(range(1, 21))


def test_few_jobs_are_taken_before_their_turn(two: Processes) -> None:
    taken: list[int] = []

    def jobs() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    results = two.spread(abs, jobs())
    next(results)
    assert len(taken) <= 2 * AHEAD
    results.close()
    assert sorted(two.spread(abs, [1, 2])) == [1, 2]


def test_an_iterator_closed_after_its_last_result_leaves_the_processes_for_more(two: Processes) -> None:
    assert list(two.spread(abs, [-1])) == [1]
    started = [process.pid for process in two._context._started]
    results = two.spread(abs, [-2])
    assert next(results) == 2
    results.close()
    assert list(two.spread(abs, [-3])) == [3]
    assert [process.pid for process in two._context._started] == started


def test_a_job_whose_process_is_killed_is_done_again(two: Processes, tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in "abc"]
    assert sorted(two.spread(die_once, paths[:1])) == [f"done: {paths[0]}"]


def test_a_job_that_kills_every_process_is_given_up(two: Processes) -> None:
    with pytest.raises(LostJobError, match=f"{MOST_TRIES} times") as error:
        list(two.spread(die, [1]))
    assert error.value.tries == MOST_TRIES
    assert list(two.spread(abs, [-1])) == [1]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_a_job_is_that_of_the_caller(workers: int, two: Processes) -> None:
    with pytest.raises(LimitsError, match="three is too many") as error:
        list((Processes(1) if workers == 1 else two).spread(refuse, range(9)))
    assert (error.value.reason, error.value.field) == ("OUT_OF_RANGE", "number")


def test_workers_end_with_a_killed_command() -> None:
    """They hold the other end of its output, which ends when the last of them has."""
    work = "from sniffai.jobs.processes import Processes; from tests.sniffai.jobs.test_processes import linger; "
    code = work + "list(Processes(2).spread(linger, [600.0, 600.0]))"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["at work\n"] * 2
        process.kill()
        assert process.communicate(timeout=60) == ("", None)
