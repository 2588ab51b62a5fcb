"""Whole rounds as text against those on disk; a wanted change of rules or names is written by tests/playthrough.py."""

import pytest

from tests.playthrough import FOLDER, ROUNDS, playthrough


@pytest.mark.parametrize("name", ROUNDS)
def test_a_round_reads_as_before(name: str) -> None:
    assert playthrough(*ROUNDS[name]) == (FOLDER / f"{name}.txt").read_text()


def test_the_folder_has_no_other_files() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == ["2-seats.txt", "3-seats.txt", "4-seats.txt", "README.md"]


def test_the_rounds_show_draws_and_passes_and_both_ends() -> None:
    texts = [(FOLDER / f"{name}.txt").read_text() for name in ROUNDS]
    for word in ("'draw': ", "'pass': True", ":SIDE_A", "forced -\n", "blocked True", "went out 0"):
        assert any(word in text for text in texts), word
