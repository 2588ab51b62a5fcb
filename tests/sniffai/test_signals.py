"""Signals end whatever the core is at, and what was interrupted can be used again."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sniffai import Belief, Limits, Round, Searcher, View, analyze, perft
from sniffai.lab.training import TrainingPlan, margin_over_greedy, train_nets
from sniffai.search.nets import load_policy
from sniffai.search.open_deal import DealSearcher, analyze_deal
from sniffai.search.solver import Solver
from sniffai_ext.equity_rounds import play_matches, play_scored_rounds
from sniffai_ext.equity_solve import solve
from sniffai_ext.rollout import rollouts
from sniffai_ext.worlds import weighted_worlds
from tests.server.support import running_server
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
ROUND = Round.deal(2, 3)
VIEW = ROUND.view(ROUND.seat)
LATE = 5.0
"""Seconds after which a call has surely not heard a signal: on a busy machine it may take far more than it should."""


class AlarmError(Exception):
    """Raised by the handler of a signal."""


@contextmanager
def alarm(seconds: float, act: Callable[[], None] | None = None) -> Iterator[None]:
    """A signal to this process after some time of its processor. Its handler acts, or raises :class:`AlarmError`."""

    def handler(_number: int, _frame: object) -> None:
        if act is None:
            raise AlarmError
        act()

    before = signal.signal(signal.SIGPROF, handler)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    gc.disable()  # Hypothesis has the collector call Python, where what a handler raises would be lost
    try:
        yield
    finally:
        gc.enable()
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def old_view() -> View:
    """A view with a long history, so that its worlds take their time to be weighed."""
    round_ = Round.deal(4, 6)
    for _ in range(9):
        round_.play(round_.legal_moves()[0])
    return round_.view(round_.seat)


def endless_equity() -> None:
    import numpy as np

    size, rounds = 50, 20_000
    lots = np.random.Generator(np.random.PCG64(1))
    reach = lots.integers(0, size, (rounds, 3)).astype(np.int32)
    net = reach - lots.integers(0, 6, (rounds, 3)).astype(np.int32)
    leads = lots.integers(0, 4, rounds).astype(np.int32)
    wins = np.full((3, size, size, size), 1 / 3)
    solve(3, reach, net, leads, np.full(rounds, 1 / rounds), wins, size, 5, tolerance=0.0, most_sweeps=10**6)


LONG: dict[str, Callable[[], Any]] = {
    "seconds": lambda: analyze(VIEW, Limits(seconds=60)),
    "simulations": lambda: analyze(VIEW, Limits(simulations=10**12)),
    "two trees": lambda: analyze(VIEW, Limits(simulations=10**12), threads=2),
    "five trees": lambda: analyze(VIEW, Limits(seconds=60), threads=5),
    "snapshots": lambda: Searcher(VIEW).run(Limits(seconds=60), on_snapshot=lambda _: None, interval=0.02),
    "an open deal": lambda: analyze_deal(Round.deal(3, 3), Limits(seconds=60)),
    "the solver": lambda: Solver(table_bytes=64).solve_moves(Round.deal(4, 3), node_cap=10**15),
    "worlds": lambda: weighted_worlds(old_view().core(), 10**6, 1, load_policy(4), extra=10**6),
    "worlds without a model": lambda: [weighted_worlds(old_view().core(), 10**6, 1) for _ in range(100)],
    "samples": lambda: Belief(VIEW).sample_many(10**8, 1),
    "a list of worlds": lambda: Belief(Round.deal(2, 1).view(0)).worlds(10**7),
    "draws": lambda: weighted_worlds(VIEW.core(), 100, 1).draws(10**8),
    "perft": lambda: [perft(Round.deal(2, seed), 28) for seed in range(10**4)],
    "rollouts": lambda: rollouts(2, 10**9, 1),
    "training": lambda: train_nets(TrainingPlan(2, 10**9)),
    "duels": lambda: margin_over_greedy(load_policy(2), 10**7),
    "the policy": lambda: load_policy(2).play_rounds(10**9, 1),
    "scored rounds": lambda: play_scored_rounds(load_policy(2), 10**6, 1),
    "matches": lambda: play_matches(load_policy(2), (0, 0), 0, 10**9, 1),
    "equity": endless_equity,
}


# Where worlds are listed, the core has the first tenth of a second, and what makes objects of them has the rest.
@pytest.mark.parametrize(("name", "seconds"), [*((name, 0.06) for name in LONG), ("a list of worlds", 0.15)])
def test_what_a_handler_raises_ends_the_call(name: str, seconds: float) -> None:
    started = time.monotonic()
    with alarm(seconds), pytest.raises(AlarmError):
        LONG[name]()
    assert time.monotonic() - started < LATE


def test_a_handler_that_raises_nothing_changes_nothing() -> None:
    calls: list[int] = []
    with alarm(0.02, lambda: calls.append(1)):
        found = analyze(VIEW, Limits(simulations=200_000), seed=3)
    assert calls == [1]
    assert found.moves == analyze(VIEW, Limits(simulations=200_000), seed=3).moves


def test_a_handler_may_stop_the_search() -> None:
    searcher = Searcher(VIEW)
    with alarm(0.1, searcher.stop):
        assert searcher.run(Limits(seconds=60)).stop_reason == "stopped"


def again_and_again(searcher: Searcher, limits: Limits) -> None:
    """Until a signal comes, perhaps between two steps of Python."""
    while True:
        searcher.run(limits)


@pytest.mark.parametrize("threads", [1, 3])
def test_an_interrupted_searcher_goes_on_as_if_nothing_had_been(threads: int) -> None:
    """While worlds are weighed as well as later: the trees are those of one run."""
    total, others = 60_000, threading.active_count()
    whole = analyze(VIEW, Limits(simulations=total), seed=2, threads=threads)
    for seconds in (0.001, 0.05):
        searcher = Searcher(VIEW, seed=2, threads=threads)
        with alarm(seconds), pytest.raises(AlarmError):
            again_and_again(searcher, Limits(seconds=60, simulations=total))
        wait_until(lambda: threading.active_count() <= others)
        found = searcher.run(Limits(simulations=total))
        assert (found.stop_reason, found.moves) == ("simulations", whole.moves)


def test_an_interrupted_solver_answers_the_next_question() -> None:
    solver = Solver(table_bytes=64)
    with alarm(0.1), pytest.raises(AlarmError):
        solver.solve_moves(Round.deal(4, 3), node_cap=10**15)
    assert solver.solve(ROUND) is not None


def test_an_interrupted_study_can_be_run_again() -> None:
    searcher = DealSearcher(Round.deal(3, 3), threads=2)
    with alarm(0.1), pytest.raises(AlarmError):
        searcher.run(Limits(seconds=60))
    assert searcher.run(Limits(seconds=0.01)).stop_reason == "time"


def test_an_error_in_a_snapshot_ends_all_trees() -> None:
    searcher = Searcher(VIEW, threads=3)

    def fail(_: object) -> None:
        raise AlarmError

    with pytest.raises(AlarmError):
        searcher.run(Limits(seconds=60), on_snapshot=fail, interval=0.01)
    assert searcher.run(Limits(seconds=0.01)).stop_reason == "time"


def test_ctrl_c_in_a_thread_is_left_to_the_main_one() -> None:
    """A search in another thread is not interrupted: it goes on until it is stopped."""
    searcher, main = Searcher(VIEW), threading.main_thread().ident
    assert main is not None

    def interrupt() -> None:
        time.sleep(0.1)
        signal.pthread_kill(main, signal.SIGPROF)  # the alarm itself may go to the thread of the search

    with ThreadPoolExecutor(2) as pool:
        search = pool.submit(searcher.run, Limits(seconds=60))
        with alarm(60):
            pool.submit(interrupt)
            with pytest.raises(AlarmError):
                search.result()
        assert not search.done()
        searcher.stop()
        assert search.result().stop_reason == "stopped"


NOTE = """
import os, sys, threading, time

def place():  # a frame that was kept would keep what the command is to let go
    frame = sys._current_frames()[threading.main_thread().ident]
    return id(frame), frame.f_lasti, len(sys.modules)

def note():
    last, started = None, 0
    while time.process_time() - started < 0.05 or "sniffai_ext" not in sys.modules:
        if place() != last:
            last, started = place(), time.process_time()
        time.sleep(0.01)
    open(os.path.join(os.environ["NOTES"], str(os.getpid())), "w").close()

threading.Thread(target=note, daemon=True).start()
"""
"""Run by each Python process of a command: it leaves a note once it has been in one call of the core for a while.

So it has, if it works, no module is loaded, and the main thread stays at one place of its Python code.
"""


def command(notes: Path, *args: str) -> "subprocess.Popen[str]":
    (notes / "sitecustomize.py").write_text(NOTE)
    return subprocess.Popen(
        [sys.executable, "-c", "from sniffai.cli import main; main()", *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(notes), "NOTES": str(notes)},
    )


def at_work(notes: Path) -> set[int]:
    """The processes that have left a note."""
    return {int(one.name) for one in notes.iterdir() if one.name.isdigit()}


def alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


ENDLESS = {
    "recommend": ["recommend", "VIEW", "--seconds", "600"],
    "review": ["review", "ROUND", "--seconds", "600"],
    "reviewers": ["review", "ROUND", "--seconds", "600", "--workers", "2"],
    "perft": ["perft", "FRESH", "--depth", "28"],
    "equity": ["equity", "build", "--seats", "3", "--rounds", "100000000", "--out", "TABLE"],
    "arena": ["arena", "search:seconds=600", "search:seconds=600", "--workers", "1"],
    "workers": ["arena", "search:seconds=600", "search:seconds=600", "--workers", "2"],
}


def options(name: str, folder: Path) -> list[str]:
    """The words of a command; those in capitals are files."""
    played = ROUND.copy()
    for _ in range(4):
        played.play(played.legal_moves()[0])
    texts = {"VIEW": VIEW.to_text(), "ROUND": played.to_text(), "FRESH": Round.deal(2, 1).to_text()}
    for word, text in texts.items():
        (folder / f"{word}.txt").write_text(text + "\n")
    files = {word: str(folder / f"{word}.txt") for word in texts} | {"TABLE": str(folder / "table.npz")}
    return [files.get(word, word) for word in ENDLESS[name]]


@pytest.mark.parametrize(
    ("name", "number", "group", "status"),
    [
        ("recommend", signal.SIGINT, True, 130),
        ("recommend", signal.SIGTERM, False, 143),
        ("review", signal.SIGINT, True, 130),
        ("reviewers", signal.SIGINT, True, 130),
        ("perft", signal.SIGINT, True, 130),
        ("equity", signal.SIGINT, True, 130),
        ("arena", signal.SIGINT, False, 130),
        ("workers", signal.SIGINT, True, 130),
        ("workers", signal.SIGINT, False, 130),
        ("workers", signal.SIGTERM, False, 143),
    ],
)
def test_a_command_ends_with_its_status_and_its_workers(
    tmp_path: Path, name: str, number: signal.Signals, group: bool, status: int
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    process = command(notes, *options(name, tmp_path))
    workers = name in ("workers", "reviewers")
    try:
        wait_until(lambda: len(at_work(notes) - {process.pid}) == 2 if workers else process.pid in at_work(notes))
        (os.killpg if group else os.kill)(process.pid, number)
        started = time.monotonic()
        output, _ = process.communicate(timeout=60)  # also waits for workers, which share the pipe
        assert time.monotonic() - started < LATE
    finally:
        process.kill()
    assert process.returncode == status
    assert output.split() == (["sniffai:", "stopped"] if number == signal.SIGINT else [])
    wait_until(lambda: not any(alive(one) for one in at_work(notes)))


def test_a_command_that_asks_a_server_ends_and_so_does_its_search(tmp_path: Path) -> None:
    with running_server() as running:
        words = options("recommend", tmp_path)[:2]
        process = command(tmp_path, *words, "--seconds", "30", "--server", running.address)
        try:
            wait_until(lambda: running.server.searches.busy > 0)
            process.send_signal(signal.SIGINT)
            started = time.monotonic()
            output, _ = process.communicate(timeout=60)
            assert time.monotonic() - started < LATE
        finally:
            process.kill()
        assert (process.returncode, output.split()) == (130, ["sniffai:", "stopped"])
        wait_until(lambda: running.server.searches.busy == 0)


@pytest.mark.parametrize(("number", "told"), [(signal.SIGINT, "sniffai: stopped\n"), (signal.SIGTERM, "")])
@pytest.mark.parametrize("module", ["rich", "click"])
def test_a_signal_while_the_command_is_loaded(tmp_path: Path, number: signal.Signals, told: str, module: str) -> None:
    """The command is what the package says it is; what it imports sends the signal."""
    entry = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]["sniffai"]
    package, _, function = entry.partition(":")
    code = f"import os, time\nos.kill(os.getpid(), {int(number)})\ntime.sleep(30)\n"
    (tmp_path / f"{module}.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "-c", f"from {package} import {function}; {function}()", "deal"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        timeout=20,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert (done.returncode, done.stdout) == (128 + number, "")
    assert done.stderr in ("", told)


def test_a_command_started_to_ignore_ctrl_c_ignores_it(tmp_path: Path) -> None:
    """As shells start commands in the background."""
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); from sniffai.cli import main; main()"
    (tmp_path / "click.py").write_text(f"import os\nos.kill(os.getpid(), {int(signal.SIGINT)})\nraise SystemExit(7)\n")
    done = subprocess.run(
        [sys.executable, "-c", code, "deal"],
        cwd=ROOT,
        check=False,
        timeout=20,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 7
