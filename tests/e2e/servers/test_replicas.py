"""Three servers behind one client, which end in every way while it calls them."""

import subprocess
import sys

from tests.waiting import TIMEOUT


def test_no_call_fails_while_servers_are_killed_drained_and_restarted() -> None:
    """Fewer calls and more patience than the benchmark has, for a machine that is busy with other tests."""
    brief = ["--seconds", "1", "--away", "0.5", "--settled", "2", "--callers", "3", "--pause", "0.05", "--slowest", "9"]
    command = [sys.executable, "-m", "benchmarks.server.replicas", *brief]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, timeout=4 * TIMEOUT)
    assert done.returncode == 0, done.stdout
    assert "failed for the client: none" in done.stdout
