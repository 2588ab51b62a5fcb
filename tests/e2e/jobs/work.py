"""Jobs to be spread, their values as this process finds them, and programs that spread them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from sniffai.jobs import JobSpec, run_job
from sniffai.play.arena import ArenaSpec, jobs_of

ROOT = Path(__file__).parents[3]
SHORT = next(jobs_of(ArenaSpec(a="search:simulations=2000", b="greedy", players=2, pairings=2)))
LONG = next(jobs_of(ArenaSpec(a="search:simulations=1000000", b="random", players=2, pairings=2)))
"""It takes longer than any test."""
PAIRINGS = 4
"""Of each job: some three tenths of a second."""

DRIVER = """
import sys
from tests.e2e.jobs.work import LONG, SHORT
from sniffai.jobs import executor_named

with executor_named(sys.argv[1], workers=2) as executor:
    for result in executor.run([SHORT, LONG, LONG]):
        print("one", flush=True)
"""
"""A program that prints when its first job is done; the others take for ever."""


def short(count: int) -> Iterator[JobSpec]:
    for number in range(count):
        yield replace(SHORT, numbers=range(PAIRINGS * number, PAIRINGS * (number + 1)))


@cache
def expected(count: int) -> dict[str, str]:
    return texts(map(run_job, short(count)))


def texts(results: Any) -> dict[str, str]:
    """What the results have in common with those of everybody else, as bytes of JSON, by address; each once."""
    found: dict[str, str] = {}
    for result in results:
        assert result.address not in found
        found[result.address] = replace(result, seconds=0.0, measured={}).to_json()
    return found


@contextmanager
def driver(executor: str) -> Iterator["subprocess.Popen[str]"]:
    """A process that spreads jobs, once its first one is done."""
    command = [sys.executable, "-c", DRIVER, executor]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "one\n"
        try:
            yield process
        finally:
            process.kill()


def processes_with(words: str) -> list[int]:
    """The processes that descend from this one and whose command line has these words: nobody else's are touched."""
    parents, found = {}, []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                if words in (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"):
                    found.append(int(folder.name))
            except OSError:
                continue
    return [pid for pid in found if _descends(pid, parents)]


def _descends(pid: int, parents: dict[int, int]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid == os.getpid():
            return True
    return False
