"""Two versions are timed in turns, each in a process of its own."""

from pathlib import Path

import pytest

from benchmarks.turns import Version, main, ratios

ROOT = Path(__file__).resolve().parents[2]


class Told(Version):
    """A version whose speeds are told, and which notes when it was asked."""

    def __init__(self, name: str, speed: float, asked: list[str]) -> None:
        self.name, self.told, self.asked = name, speed, asked

    def speed(self, work: str, turn: int) -> float:
        self.asked.append(f"{self.name}{turn}")
        return self.told


def test_the_first_of_a_turn_is_the_second_of_the_next() -> None:
    asked: list[str] = []
    assert list(ratios(Told("this", 3.0, asked), Told("other", 2.0, asked), "greedy", 2)) == [1.5, 1.5]
    assert asked == ["this0", "other0", "other0", "this0", "this1", "other1"]


def test_a_version_is_compared_with_itself(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    main([".", "--only", "set_up", "--players", "2", "--turns", "2"])
    assert capsys.readouterr().out.splitlines()[-1].startswith("| searches of a single simulation | 2 | ")
