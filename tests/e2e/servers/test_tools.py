"""The tools that load, soak and measure servers, each of them once, briefly."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from benchmarks.server import creates, neighbour, sizing

SMOKE = {"--minutes": "0.15", "--warm-up": "0.3", "--limit": "60", "--callers": "3", "--pause": "0.1"}
"""Nine seconds; in so short a time the memory still finds its level, and what is planted leaks far more.

With the pauses there are as many calls as without them on a machine that is busy with other tests.
"""
TIMEOUT = 120


def tool(name: str, *words: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", f"benchmarks.server.{name}", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def beside(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """What a function returns in a thread without an event loop; in the main thread a browser's loop may run."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(function, *arguments, **options).result()


@pytest.fixture(scope="module")
def printed() -> Iterator[dict[str, tuple[int, str]]]:
    """The exit status and the output of each tool; they run at the same time, so the figures are worth nothing."""
    smoke = [word for pair in SMOKE.items() for word in pair]
    brief = ["--seconds", "0.5", "--search-seconds", "0.05", "--pairs", "10", "--blocks", "1"]
    processes = {
        "soak": tool("soak", *smoke),
        "leak": tool("soak", *smoke, "--plant-leak", "memory", "--minutes", "0.1"),  # what leaks shows soon
        "load": tool("load", *brief),
    }
    try:
        outputs = {name: process.communicate(timeout=TIMEOUT)[0] for name, process in processes.items()}
        yield {name: (process.returncode, outputs[name]) for name, process in processes.items()}
    finally:
        for process in processes.values():
            process.kill()
            process.communicate()


def test_a_short_soak_passes(printed: dict[str, tuple[int, str]]) -> None:
    status, output = printed["soak"]
    assert status == 0, output
    assert output.count("PASS") == 5
    for kind in ("recommend OK", "stream OK", "cancel CANCELLED", "cancel_stream CANCELLED", "err INVALID_ARGUMENT"):
        assert re.search(rf"^ +[1-9]\d* {kind}$", output, re.MULTILINE), kind


def test_a_planted_leak_is_caught(printed: dict[str, tuple[int, str]]) -> None:
    status, output = printed["leak"]
    assert status == 1, output
    assert re.findall(r"^FAIL  (\w+)", output, re.MULTILINE) == ["memory"]


def test_the_load_tool_measures_all_that_is_promised(printed: dict[str, tuple[int, str]]) -> None:
    """With two soaks beside it, it may miss its rate, and then says so instead of printing a table."""
    _, output = printed["load"]
    promises = re.findall(r"^(?:PASS|FAIL)  ([\w -]+)", output, re.MULTILINE)
    assert promises[-2:] == ["a call beyond its search", "simulations"], output
    assert promises[:-2] == ["goodput at 4x", "rejects at 4x", "health", "statuses besides OK and UNAVAILABLE"] or (
        "this machine cannot make that load" in output
    )


def test_a_neighbour_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert beside(neighbour.main, ["--longest", "0.5", "--calls", "5", "--open", "80"]) == 0
    assert capsys.readouterr().out.count("PASS") == 3


def test_creates_are_counted_and_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Two clients, each with room for four matches; times on a busy machine decide nothing here."""
    found = beside(creates.measured, "two", clients=2, count=30, most=16)
    assert found[0].text == ("two: every call is answered or refused: {'OK': 8, 'RESOURCE_EXHAUSTED': 22}")
    assert len(found) == 7
    assert "two: 30 calls in " in capsys.readouterr().out


def test_what_a_core_answers_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert sizing.main(["--seconds", "0.1", "--only", "club", "--only", "1,000 simulations"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert [row.split(" | ")[0] for row in rows[2:]] == ["| club", "| 1,000 simulations"]
