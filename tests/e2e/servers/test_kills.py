"""A server that is killed in the middle of writing."""

from pathlib import Path

from benchmarks.server.kills import kill_often


def test_a_killed_server_loses_nothing_and_plays_nothing_twice(tmp_path: Path) -> None:
    """A short run of ``python -m benchmarks.server.kills``."""
    players = kill_often(tmp_path / "matches.db", times=3, clients=2)
    assert sum(player.answers for player in players) > 3
