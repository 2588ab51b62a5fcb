"""The example clients, in Python and in JavaScript, each as a user runs it: the same round, the same lines."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.node import NODE
from tests.server.support import running_server

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
PYTHON = [sys.executable, str(EXAMPLES / "python" / "client.py")]
NODE_CLIENT = [NODE, str(EXAMPLES / "node" / "client.js")]
CLIENTS = [pytest.param(PYTHON, id="python"), pytest.param(NODE_CLIENT, id="node")]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running_server() as server:
        yield server.address


def run(command: list[str], *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture(scope="module")
def played(address: str) -> dict[str, "subprocess.CompletedProcess[str]"]:
    """What each client prints of the same round."""
    return {client[0]: run(client, address, "1") for client in (PYTHON, NODE_CLIENT)}


@pytest.mark.parametrize("client", CLIENTS)
def test_plays_a_round(played: dict[str, "subprocess.CompletedProcess[str]"], client: list[str]) -> None:
    done = played[client[0]]
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert lines[0].endswith(("as the lead: 0", "as the lead: 5", "as the lead: 10"))
    assert lines[-1].startswith("scores ")


def test_both_clients_see_the_same_round(played: dict[str, "subprocess.CompletedProcess[str]"]) -> None:
    assert played[PYTHON[0]].stdout == played[NODE_CLIENT[0]].stdout


def test_the_client_raises_the_error_of_the_server(address: str) -> None:
    done = run(NODE_CLIENT, address, "-1")
    assert done.returncode == 1
    assert done.stderr.startswith("INVALID_ARGUMENT: seed: a seed is not negative")


def test_the_library_reports_wrong_values_before_anything_is_sent(address: str) -> None:
    done = run(PYTHON, address, "-1")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("seed: 0..9223372036854775807 is expected, not -1")
