"""A terminal window, and a player who reads it."""

import re
from pathlib import Path
from typing import Final

import pyte

from sniffai.explain.languages import words
from tests.own_terminal import OwnTerminal

COLUMNS: Final = 80
ROWS: Final = 24
MARK: Final = "NUMBERS"


class Window(OwnTerminal):
    """The command ``sniffai`` in a window: :attr:`rows` is what is to be seen in it now."""

    def __init__(self, folder: Path, *args: str, **env: str) -> None:
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.Stream(self._screen)
        super().__init__(folder, *args, columns=COLUMNS, rows=ROWS, **env)

    def take(self, more: str) -> None:
        """What was printed."""
        super().take(more)
        self._stream.feed(more)

    @property
    def rows(self) -> list[str]:
        """The lines of the window, without blanks at their ends."""
        return [line.rstrip() for line in self._screen.display]

    @property
    def line(self) -> str:
        """The line of the cursor, up to it."""
        return self._screen.display[self._screen.cursor.y][: self._screen.cursor.x]


class Person:
    """Who sits at the window and plays, in a language."""

    def __init__(self, window: Window, language: str = "en") -> None:
        say = words(language)
        self.window = window
        move = say.say("Your move ({numbers}, ? for help): ", numbers=MARK)
        self._move = re.compile(re.escape(move.strip()).replace(MARK, r"1(?:-(\d+))?") + r"\s*$")
        between = say.say("Enter for the next round (? for help): ")
        end = say.say("r for a review, s to save the record, Enter to leave: ")
        self._asides = {between.strip(): "next", end.strip(): "end"}

    def asked(self) -> str:
        """Wait for a question: ``"move"``, ``"next"`` or ``"end"``."""
        while (question := self._question()) is None:
            assert self.window.read(), self.window.seen
        return question

    def asked_now(self) -> str | None:
        """The question in the window, if there is one within a moment."""
        question = self._question()
        while question is None and self.window.has_more():
            self.window.read()
            question = self._question()
        return question

    def _question(self) -> str | None:
        line = self.window.line.strip()
        return "move" if self._move.search(line) else self._asides.get(line)

    def place(self) -> None:
        """Answer the question for a move with the highest number of the list."""
        asked = self._move.search(self.window.line.strip())
        assert asked is not None
        self.enter(asked[1] or "1")

    def enter(self, text: str = "") -> None:
        """Type a line, and wait until the window has shown it: the same question may come again at once."""
        before = len(self.window.seen)
        self.window.type(text + "\n")
        while "\n" not in self.window.seen[before:]:
            assert self.window.read(), self.window.seen

    def play(self, placements: int = 10**6) -> int:
        """Play to the end of the match or for so many placements. Returns how many were made."""
        made = 0
        while made < placements:
            question = self.asked()
            if question == "end":
                return made
            if question == "next":
                self.enter()
            else:
                self.place()
                made += 1
        return made
