"""The clients of docs/opponent.md, in Python and in JavaScript, each as a user runs it."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.node import NODE
from tests.server.support import running_server

FOLDER = Path(__file__).parent.parent.parent / "examples" / "opponent"
PYTHON = [sys.executable, str(FOLDER / "play.py")]
NODE_CLIENT = [NODE, str(FOLDER / "play.mjs")]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running_server(level_pause=0) as server:
        yield server.address


def run(command: list[str], folder: Path, typed: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, cwd=folder, input=typed, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("client", [pytest.param(PYTHON, id="python"), pytest.param(NODE_CLIENT, id="node")])
def test_a_whole_match_with_a_break(address: str, tmp_path: Path, client: list[str]) -> None:
    command = [*client, "newcomer", address]
    broken = run(command, tmp_path, "1\n2 \nx\n1\n")  # the input ends in mid-match
    seat = tmp_path / "seat.json"
    assert seat.stat().st_mode & 0o777 == 0o600
    played = re.findall(r"seat \d: (\d\|\d)$", broken.stdout, re.MULTILINE)
    assert len(played) >= 2

    whole = run(command, tmp_path, "1\n" * 1000)
    assert (whole.returncode, whole.stderr) == (0, "")
    told = re.findall(r"seat \d: (\d\|\d)$", whole.stdout, re.MULTILINE)
    assert told[: len(played)] == played  # it is the same match
    end = re.search(r"you (-?\d+), newcomer (-?\d+): you (win|lose)\n$", whole.stdout)
    assert end is not None
    assert (int(end[1]) >= 250, int(end[2]) >= 250) == (end[3] == "win", end[3] == "lose")
    assert not seat.exists()
