"""Three servers behind one client, which end in every way while it calls them."""

import pytest

from benchmarks.server import replicas


def test_no_call_fails_while_servers_are_killed_drained_and_restarted(capsys: pytest.CaptureFixture[str]) -> None:
    """Fewer calls and more patience than the benchmark has, for a machine that is busy with other tests."""
    calm = ["--seconds", "1", "--away", "0.5", "--settled", "2", "--callers", "3", "--pause", "0.05"]
    assert replicas.main([*calm, "--slowest", "9"]) == 0
    assert "failed for the client: none" in capsys.readouterr().out
