"""README.md is executed: every command, every session, and the output shown for it.

``make serve`` and ``make play`` are really started, on free ports, serve, and are stopped by Ctrl-C. ``make test`` runs
this very test, so it is only looked up (``make -n``), and so are commands that contain it or install tools. Every digit
of an output has to be the one on the page, but for times and speeds: ``make examples`` writes them there.
"""

import os
import re
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from tools import examples

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SHOWN_ADDRESS = "127.0.0.1:50051"
SECONDS = 120
"""No command may take longer, even on a machine that does other things."""

LOOKED_UP = {
    "make test": ["make", "-n", "test"],
    ". .venv/bin/activate": ["bash", "-c", ". .venv/bin/activate"],
}

STARTED = ("make serve", "make play")


def blocks(*languages: str) -> list[str]:
    return [text for language, text in BLOCKS if language in languages]


def shell_lines(language: str) -> list[str]:
    """The command lines of the blocks, without comments."""
    lines = "".join(blocks(language)).splitlines()
    return [line.partition("  #")[0].strip() for line in lines]


def console_cases() -> list[str]:
    """Each command of a console block with the output below it."""
    return [case for text in blocks("console") for case in re.split(r"^(?=\$ )", text, flags=re.MULTILINE) if case]


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
    return examples.completed(command, address, SECONDS)


def test_the_page_is_short() -> None:
    assert PAGE.count("\n") <= 150


def test_every_block_is_of_a_kind_that_runs_here() -> None:
    assert {language for language, _ in BLOCKS} == {"sh", "console", "python"}
    assert len(BLOCKS) == PAGE.count("```") // 2


def test_the_python_sessions_print_what_is_shown(address: str) -> None:
    names: dict[str, object] = {}
    sessions = blocks("python")
    assert [examples.session(text, names, address) for text in sessions] == sessions
    assert sum(text.count(">>> ") for text in sessions) > 10


@pytest.mark.parametrize("command", [line for line in shell_lines("sh") if line not in (*LOOKED_UP, *STARTED)])
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


def test_make_play_serves_the_page_and_says_where(tmp_path: Path) -> None:
    assert "make play" in shell_lines("sh")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    process = subprocess.Popen(
        ["make", "play", f"WEB_PORT={port}"],
        cwd=ROOT,
        env=os.environ | {"XDG_STATE_HOME": str(tmp_path), "DISPLAY": "", "WAYLAND_DISPLAY": ""},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        told = ""
        while "in a browser" not in told:
            told = process.stdout.readline()
            assert told, "the server ended"
        assert f"http://127.0.0.1:{port}/" in told
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=SECONDS) as page:
            assert b"<!doctype html>" in page.read()
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=SECONDS)


@pytest.mark.parametrize("case", console_cases(), ids=lambda case: case.partition("\n")[0])
def test_a_command_prints_what_is_shown(address: str, case: str) -> None:
    assert examples.console(case, lambda command: examples.printed(command, address)) == case


def test_examples_keep_only_times() -> None:
    shown = "margin  +1.50 ± 0.20\n  a: 10 decisions, 0.500 ms each, 20 thousand simulations/s\n"
    assert examples.with_times(shown, shown.replace("0.500", "12.0").replace("20 t", "1333 t")) == shown
    for old, new in (("+1.50", "+1.51"), ("0.20", "0.21"), ("10 d", "11 d"), ("each", "every"), ("\n  a", "\n\n  a")):
        changed = shown.replace(old, new)
        assert examples.with_times(shown, changed.replace("0.500", "0.700")) == changed
    table = " speed      median\n ──────────────\n rollouts  1.605 M\nBench: 42\n"
    wider = table.replace("  1.605 M", "  22.286 M").replace("──────", "───────").replace("speed  ", "speed   ")
    assert examples.with_times(table, wider) == table
    assert examples.with_times(table, wider.replace("42", "43")).endswith("1.605 M\nBench: 43\n")
