"""``sniffai play`` in a window of 80 columns and 24 rows: what a person sees of whole matches."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from sniffai.explain.languages import words
from sniffai.rules import PLAYERS, TARGET, TEAMS
from tests.e2e.terminal.window import COLUMNS, Person, Window


def near(players: int) -> list[str]:
    """Scores so near to the target that a match takes one round or two."""
    return [f"--score={TARGET[players] - 60}"] * TEAMS[players]


@pytest.mark.parametrize("language", ["en", "ja", "zh-Hans"])
@pytest.mark.parametrize("players", PLAYERS)
def test_a_whole_match_in_a_window(tmp_path: Path, players: int, language: str) -> None:
    args = (*["casual", "greedy", "random"][: players - 1], "--seed", "3", "--lang", language)
    window = Window(tmp_path, "play", *args, *near(players))
    person = Person(window, language)
    hand, _, _ = words(language).say("Your hand: {tiles}", tiles="|").partition("|")
    turns = 0
    while (question := person.asked()) != "end":
        if question == "next":
            person.enter()
            continue
        assert any(row.startswith(hand.strip()) for row in window.rows), window.rows
        person.place()
        turns += 1
    assert turns >= 2
    person.enter()
    assert window.end() == 0
    assert window.after == window.before
    assert max(map(cell_len, window.text.split("\n"))) <= COLUMNS


def test_a_killed_match_is_resumed_where_it_was(tmp_path: Path) -> None:
    window = Window(tmp_path, "play", "casual", "--seed", "3", "--score=150", "--score=150")
    person = Person(window)
    assert person.play(2) == 2
    assert person.asked() == "move"
    table = window.rows[:]
    window.process.kill()
    window.end()
    window = Window(tmp_path, "play", "--resume", "sniffai.match")
    person = Person(window)
    assert person.asked() == "move"
    assert window.rows[-8:] == table[-8:]
    person.play()
    person.enter("r")
    person.asked()
    assert "errors per decision" in window.text
    person.enter()
    assert window.end() == 0
