"""Settings of hypothesis for the whole suite, and which tests are slow.

``make test`` runs the same examples each time. ``HYPOTHESIS_PROFILE=explore`` looks at new and many more ones.

``make check`` leaves out the test functions named in ``tests/slow.txt``: all their cases together take more than
``SLOW`` seconds of processor time, or more than ``LONG`` seconds. ``make test PYTEST_ARGS=--record-slow`` writes the
file again. Processor time hardly depends on what else the machine does, so it need not be idle.

The tests in ``tests/e2e`` need a browser, a database and packages that the others do without, or load and kill whole
servers, which takes long. They are collected only where an argument names them or ``-m`` asks for the marker ``e2e``;
other runs say that they were left out.
"""

import gc
import os
import re
import signal
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]

settings.register_profile("steady", deadline=None, derandomize=True, database=None, suppress_health_check=_SLOW)
settings.register_profile("explore", deadline=None, database=None, max_examples=5000, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

# A server that a test starts keeps its matches to itself, unless the test says otherwise.
os.environ.setdefault("SNIFFAI_MATCHES_DATABASE", "memory")

# Of the some hundred processes that the tests start, most import NumPy, whose threads for large matrices nobody needs.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# What a shell starts in the background ignores Ctrl-C, and so would every command that the tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SLOW = 0.2
"""Seconds of processor time, all cases of a test function and their set-up together, and the processes they start."""
LONG = 2.0
"""Seconds, waiting included."""
SLOW_TESTS = Path(__file__).parent / "slow.txt"
END_TO_END = Path(__file__).parent / "e2e"


def processor_time() -> float:
    """Seconds of this process and of the processes that it has waited for."""
    return sum(os.times()[:4])


class Clock:
    """Gives each report the processor time since the one before, in the process that runs the tests."""

    last = 0.0

    def pytest_collection_finish(self) -> None:
        self.last = processor_time()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Iterator[None]:
        report = yield
        now = processor_time()
        report.processor_time, self.last = now - self.last, now
        return report


class Recorder:
    """Adds up how long the cases of each test function take, and writes the names of the slow ones."""

    def __init__(self) -> None:
        self.work: defaultdict[str, float] = defaultdict(float)
        self.wall: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.work[function_of(report.nodeid)] += report.processor_time
        self.wall[function_of(report.nodeid)] += report.duration

    def pytest_sessionfinish(self) -> None:
        names = sorted(name for name in self.work if self.work[name] > SLOW or self.wall[name] > LONG)
        SLOW_TESTS.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        slow = set(SLOW_TESTS.read_text(encoding="utf-8").split())
        quick = sum(seconds for name, seconds in self.work.items() if name not in slow)
        whole = sum(self.work.values())
        terminalreporter.write_line(f"processor time: {whole:.1f} s, of which quick tests {quick:.1f} s")


def function_of(nodeid: str) -> str:
    """``tests/test_a.py::test_b[1]`` as ``tests/test_a.py::test_b``."""
    return nodeid.partition("[")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores: a fifth of the time tests wait, for servers, clocks and signals."""
    return len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)) + 1


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-slow", action="store_true", help="write tests/slow.txt again")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--record-slow"):
        config.pluginmanager.register(Clock())
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(Recorder())


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect the tests without the garbage collector, which else takes a fifth of that time.

    Nothing of what is collected is garbage before the end, so it need not look at it later either. While the tests run
    it looks less often than by default, which would take a twelfth of the time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)


def asked_for(config: pytest.Config) -> list[Path]:
    """The files and folders that the arguments name."""
    return [Path(config.invocation_params.dir, argument.partition("::")[0]).resolve() for argument in config.args]


def leaves_out_end_to_end(config: pytest.Config) -> bool:
    """Whether a run that would meet ``tests/e2e`` is not about it."""
    paths = asked_for(config)
    within = [path for path in paths if path.is_relative_to(END_TO_END)]
    wanted = re.search(r"(?<!not )\be2e\b", config.option.markexpr)
    return not within and not wanted and any(END_TO_END.is_relative_to(path) for path in paths)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if collection_path == END_TO_END and leaves_out_end_to_end(config) else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if leaves_out_end_to_end(config):
        parts = "a real browser, terminal, database and Ray, and with servers that are loaded or killed"
        terminalreporter.write_line(f"left to `make e2e`: the tests with {parts}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    slow = set(SLOW_TESTS.read_text(encoding="utf-8").split())
    for item in items:
        if function_of(item.nodeid) in slow:
            item.add_marker(pytest.mark.slow)
        if item.nodeid.startswith("tests/e2e/"):
            item.add_marker(pytest.mark.e2e)
