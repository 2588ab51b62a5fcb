"""The match loops in Python and JavaScript: the same match, also if one is killed and the other goes on."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.node import NODE
from tests.server.support import running_server

ROOT = Path(__file__).parent.parent.parent
PYTHON = [sys.executable, str(ROOT / "examples" / "python" / "match.py")]
SEED = "2"
"""Of a short match of some rounds."""
NODE_LOOP = [NODE, str(ROOT / "clients" / "node" / "examples" / "match.js")]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running_server() as server:
        yield server.address


def play(program: list[str], file: Path, address: str, seed: str) -> list[str]:
    done = subprocess.run(
        [*program, str(file), address, seed], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def whole(address: str, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the loop in Python prints of a whole match."""
    return play(PYTHON, tmp_path_factory.mktemp("whole") / "match.json", address, SEED)


def killed_after(lines: int, program: list[str], file: Path, address: str, seed: str) -> None:
    with subprocess.Popen([*program, str(file), address, seed], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(lines):
            assert process.stdout.readline()
        process.kill()


def test_both_play_the_same_match(whole: list[str], address: str, tmp_path: Path) -> None:
    assert play(NODE_LOOP, tmp_path / "match.json", address, SEED) == whole
    assert whole[-1].startswith("team ")
    assert any(line.startswith("round 2 ends:") for line in whole)


@pytest.mark.parametrize(("first", "then"), [(PYTHON, NODE_LOOP), (NODE_LOOP, PYTHON)], ids=["python", "node"])
def test_a_match_that_was_killed_goes_on_to_the_same_end(
    first: list[str], then: list[str], whole: list[str], address: str, tmp_path: Path
) -> None:
    file = tmp_path / "match.json"
    killed_after(9, first, file, address, SEED)
    left = json.loads(file.read_text())
    assert left["deal"]["moves"]
    rest = play(then, file, address, SEED)
    assert rest == whole[-len(rest) :]
    assert 9 < len(rest) <= len(whole) - 9
    assert play(then, file, address, SEED) == whole[-1:]


def test_both_say_what_went_wrong(address: str, tmp_path: Path) -> None:
    for program in (PYTHON, NODE_LOOP):
        command = [*program, str(tmp_path / "none.json"), "127.0.0.1:1"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        assert "navailable" in done.stderr.lower()
        assert not (tmp_path / "none.json").exists()
