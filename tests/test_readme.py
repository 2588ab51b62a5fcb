"""README.md is executed: every command, every session, and the output shown for it.

``make serve`` is really started, on a free port, serves the whole page, and is stopped by Ctrl-C. ``make test`` runs
this very test, so it is only looked up (``make -n``), and so are commands that contain it or install tools. Long
measurements run at a small scale. Numbers may differ from those on the page, since searches and clocks find them; no
other word may.
"""

import doctest
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from sniffai.cli.group import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SHOWN_ADDRESS = "127.0.0.1:50051"
SECONDS = 120
"""No command may take longer, even on a machine that does other things."""

LOOKED_UP = {
    "make test": ["make", "-n", "test"],
    "make lint": ["make", "-n", "lint"],
    ".ci/run": ["bash", "-n", ".ci/run"],
}
SMALLER = {"sniffai bench": " --scale 0.005", "sniffai arena": " --deals 2 --workers 1"}
"""What is put behind a command that measures; the last of two equal options counts."""


def blocks(*languages: str) -> list[str]:
    return [text for language, text in BLOCKS if language in languages]


def shell_lines(language: str) -> list[str]:
    """The command lines of the blocks, without comments."""
    lines = "".join(blocks(language)).splitlines()
    return [line.partition("  #")[0].strip() for line in lines]


def console_cases() -> list[tuple[str, str]]:
    """Each command of a console block with the output below it."""
    cases = []
    for text in blocks("console"):
        for case in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, output = case.partition("\n")
            cases.append((command, output))
    return cases


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """What ``make serve`` serves, as a person starts and stops it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    process = subprocess.Popen(
        ["make", "serve", f"PORT={port}"], cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            grpc.channel_ready_future(channel).result(timeout=SECONDS)
        yield f"127.0.0.1:{port}"
    finally:
        os.killpg(process.pid, signal.SIGINT)
        told, _ = process.communicate(timeout=SECONDS)
    assert f"listening on 127.0.0.1:{port}" in told


def run(command: str, address: str = SHOWN_ADDRESS) -> "subprocess.CompletedProcess[str]":
    """Run a command line of the page with the project's commands on the path, as after ``. .venv/bin/activate``."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command.replace(SHOWN_ADDRESS, address)],
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def agree(shown: str, real: str) -> bool:
    """Whether two outputs are the same but for measured numbers, blanks, empty lines and rules of tables."""
    return [*map(words, content(shown))] == [*map(words, content(real))]


def content(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip(" ─")]


def words(line: str) -> list[str]:
    """The words of a line; a number is ``#``, and a row of moves ends before the expected way on."""
    row = re.match(r" *\d+ +\d\|\d\S* ", line)
    found = line.split()[:8] if row else line.replace("p < ", "p ").split()
    return [re.sub(r"^[-−+(]?[\d.,]*\d[,.:)]?$", "#", word) for word in found]


class Checker(doctest.OutputChecker):
    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return agree(want, got)


def test_every_block_is_of_a_kind_that_runs_here() -> None:
    assert {language for language, _ in BLOCKS} == {"sh", "console", "python"}
    assert len(BLOCKS) == PAGE.count("```") // 2


def test_the_python_sessions(address: str) -> None:
    session = "\n".join(blocks("python")).replace(SHOWN_ADDRESS, address)
    example = doctest.DocTestParser().get_doctest(session, {}, "README.md", "README.md", 0)
    report: list[str] = []
    result = doctest.DocTestRunner(checker=Checker()).run(example, out=report.append)
    assert result.attempted > 5
    assert result.failed == 0, "".join(report)


@pytest.mark.parametrize("command", [line for line in shell_lines("sh") if line not in (*LOOKED_UP, "make serve")])
def test_a_command_runs(address: str, command: str) -> None:
    done = run(command, address)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


@pytest.mark.parametrize("command", LOOKED_UP)
def test_a_command_exists(command: str) -> None:
    assert command in shell_lines("sh")
    assert subprocess.run(LOOKED_UP[command], cwd=ROOT, capture_output=True, check=False).returncode == 0


def test_make_serve_is_started(address: str) -> None:
    assert "make serve" in shell_lines("sh")
    assert "SERVING" in run(f"sniffai-server health --address {address}").stdout


@pytest.mark.parametrize(("command", "output"), console_cases(), ids=[command for command, _ in console_cases()])
def test_a_command_prints_what_is_shown(address: str, command: str, output: str) -> None:
    smaller = next((more for start, more in SMALLER.items() if command.startswith(start)), "")
    done = run(command + smaller, address)
    assert (done.returncode, done.stderr) == (0, "")
    assert agree(output, done.stdout), done.stdout


def test_the_table_has_every_command() -> None:
    assert sorted(re.findall(r"^\| `sniffai ([\w-]+)` \|", PAGE, re.MULTILINE)) == sorted(COMMANDS)
