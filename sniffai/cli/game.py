"""A match at the terminal: shows the table, asks for placements, and does what the player asks for."""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from sniffai.cli import tables, terminal
from sniffai.cli.saver import Keeper
from sniffai.cli.table_words import (
    arm_lines,
    count_line,
    ending_lines,
    event_line,
    opening,
    round_line,
    state_lines,
    tally_lines,
)
from sniffai.draw.letters import Ink, ascii_letters, layout_lines
from sniffai.errors import MoveError, SniffError
from sniffai.events import Play
from sniffai.explain.description import joined_sentences, port_name, tile_name
from sniffai.explain.languages import Words
from sniffai.layout import Layout
from sniffai.moves import Move
from sniffai.play.match import Situation
from sniffai.play.table import Table
from sniffai.search.candidates import distinct_moves, equal_moves
from sniffai.tiles import Tile
from sniffai.view import View

STYLES: Final = {
    Ink.NOTHING: "",
    Ink.TILE: "",
    Ink.SNIFF: "bold magenta",
    Ink.LAST: "bold green",
    Ink.END: "bold cyan",
}

BELOW: Final = 12
"""Lines of the window that are left for what stands below the drawing."""

MARKS: Final = "abcdefghijklmnopqrstuvwxyz"


RESIGN: Final = "resign"
"""What gives the match up: a whole word, so that nobody types it by mistake."""


class LeaveError(Exception):
    """The player leaves the table, or the input has ended."""


@dataclass(frozen=True)
class NumberedMove:
    """A move that a number stands for."""

    move: Move
    marks: tuple[str, ...]
    """Of the attachment points that lead to the same future, its own first; none for the lead."""


class Game:
    """The conversation of one player with a table.

    :param keeper: is told of each change.
    :param review: reviews the match that is over.
    :param ascii_only: whether tiles are drawn in ASCII.
    """

    def __init__(
        self,
        table: Table,
        say: Words,
        keeper: Keeper,
        review: Callable[[], None],
        ascii_only: bool = False,
    ) -> None:
        self._table, self._say, self._keeper, self._review = table, say, keeper, review
        self._ascii = ascii_only
        self._shown: tuple[int, int] | None = None
        """The round and how many of its events were told."""

    def play(self) -> None:
        """Play until the match is over and the player leaves.

        :raises LeaveError: the player leaves before the end.
        """
        terminal.tell("\n".join(opening(self._table, self._say)))
        terminal.tell_folded(self._say.say("Type ? for what you can type."))
        while True:
            self._tell_news()
            if self._table.step():
                self._keeper.changed()
                continue
            now = self._table.situation()
            if now.match_over:
                self._after(now)
                return
            if now.view.over:
                self._between(now)
            else:
                self._turn(now)

    # News

    def _tell_news(self) -> None:
        """What happened since the last time, event by event."""
        now = self._table.situation()
        view = now.view
        if self._shown is None or self._shown[0] != now.round:
            terminal.tell()
            terminal.tell_folded(round_line(now, self._say))
            self._shown = (now.round, 0)
        told_count = self._shown[1]
        placed = [event.move for event in view.events[:told_count] if isinstance(event, Play)]
        for event in view.events[told_count:]:
            terminal.tell_folded(event_line(event, view.seat, self._say))
            if isinstance(event, Play):
                placed.append(event.move)
                terminal.tell_folded("  " + count_line(Layout.of(placed), self._say))
        self._shown = (now.round, len(view.events))

    # The player's turn

    def _turn(self, now: Situation) -> None:
        """Ask until a tile is placed or something is taken back."""
        view = now.view
        marks = {point.name: mark for point, mark in zip(view.attachment_points(), MARKS, strict=False)}
        choices = [
            NumberedMove(move, tuple(marks[equal.at] for equal in equal_moves(view, move) if equal.at is not None))
            for move in distinct_moves(view)
        ]
        self._show(view, marks, choices)
        numbers = "1" if len(choices) == 1 else f"1-{len(choices)}"
        while True:
            line = self._ask(self._say.say("Your move ({numbers}, ? for help): ", numbers=numbers))
            if self._command(line, now, marks, choices):
                return
            move = self._read_move(line, view, choices)
            if move is not None:
                self._place(move)
                return

    def _place(self, move: Move) -> None:
        try:
            self._table.place(move)
        except MoveError:  # it was legal when it was chosen
            self._tell(self._say.say("Not placed: this seat has moved meanwhile, or the match is over."))
        self._keeper.changed()

    def _command(self, line: str, now: Situation, marks: dict[str, str], choices: list[NumberedMove]) -> bool:
        """Do what a letter asks for. Returns whether the turn is another one now."""
        word, _, rest = line.partition(" ")
        if word == "u":
            return self._take_back()
        if word == "h":
            self._hint(now.view, choices)
        elif word == "b":
            self._show(now.view, marks, choices, whole=True)
        elif word == RESIGN:
            return self._resign()
        else:
            self._aside(word, rest.strip(), now)
        return False

    def _read_move(self, line: str, view: View, choices: list[NumberedMove]) -> Move | None:
        """The move that a line names; says what is wrong where it names none."""
        word = line.split(" ")[0]
        if not line or word in ("u", "h", "b", "s", "t", "q", "?", RESIGN):
            return None
        if word.isdecimal() and len(word) < 3 and "|" not in line:
            if 1 <= int(word) <= len(choices):
                return choices[int(word) - 1].move
            self._tell(self._say.say("There is no move {number}.", number=int(word)))
            return None
        try:
            return self._move_of(line, view, choices)
        except SniffError:
            self._tell(
                self._say.say("Not understood. Type a number, a tile such as {tile}, or ?.", tile=choices[0].move.tile)
            )
            return None

    def _move_of(self, line: str, view: View, choices: list[NumberedMove]) -> Move | None:
        """A move typed as text: ``4|5@4|6:HIGH``, a tile with the mark of its place, or a tile with one place.

        :raises SniffError: it cannot be read.
        """
        text, _, mark = line.partition(" ")
        mark = mark.strip().strip("()")
        if "@" in text:
            move = Move.parse(text)
            if move in view.legal_moves():
                return move
            self._tell(self._say.say("{move} is not allowed now.", move=str(move)))
            return None
        tile = Tile.parse(text)
        fitting = [choice for choice in choices if choice.move.tile == tile and (not mark or mark in choice.marks)]
        if len(fitting) == 1:
            return fitting[0].move
        if tile not in view.hand:
            self._tell(self._say.say("{tile} is not in your hand.", tile=tile_name(tile)))
        elif not fitting:
            self._tell(self._say.say("{tile} cannot be placed there now.", tile=tile_name(tile)))
        else:
            places = " ".join(choice.marks[0] for choice in fitting)
            self._tell(self._say.say("Say where {tile} goes: {places}.", tile=tile_name(tile), places=places))
        return None

    def _take_back(self) -> bool:
        if not self._table.practice:
            self._tell(self._say.say("Placements are taken back in practice matches only (--practice)."))
            return False
        if not self._table.take_back():
            self._tell(self._say.say("There is nothing to take back."))
            return False
        self._keeper.changed()
        now = self._table.situation()
        self._shown = (now.round, len(now.view.events))
        self._tell(self._say.say("Taken back to your last choice, in round {round}.", round=now.round + 1))
        return True

    def _resign(self) -> bool:
        """Give the match up, if the player means it."""
        if not self._table.can_resign:
            self._tell(self._say.say("A match of your own needs no resignation: q leaves it."))
            return False
        if self._ask(self._say.say("Type {word} again to give the match up: ", word=RESIGN)) != RESIGN:
            return False
        self._table.resign()
        return True

    def _hint(self, view: View, choices: list[NumberedMove]) -> None:
        """The move of full strength, and why."""
        if not self._table.hints:
            self._tell(self._say.say("There are no hints in this match."))
            return
        hint = self._table.hint(self._say.language_code)
        number = next(i for i, choice in enumerate(choices, 1) if hint.move in equal_moves(view, choice.move))
        self._tell(self._say.say("Hint: {number}, tile {tile}.", number=number, tile=tile_name(hint.move.tile)))
        if hint.prospect:
            self._tell(joined_sentences(hint.prospect))
        for reason in hint.reasons:
            self._tell(f"- {reason}")

    # Between and after

    def _between(self, now: Situation) -> None:
        """The end of a round, until the player goes on or takes back."""
        self._end(now)
        while True:
            line = self._ask(self._say.say("Enter for the next round (? for help): "))
            if not line:
                self._table.next_round()
                self._keeper.changed()
                return
            if self._between_command(line, now):
                return

    def _between_command(self, line: str, now: Situation) -> bool:
        """Whether the match is at another point now."""
        word, _, rest = line.partition(" ")
        if word == "u":
            return self._take_back()
        if word == RESIGN:
            return self._resign()
        if word == "b":
            self._draw(now.view, {}, whole=True)
        elif not self._aside(word, rest.strip(), now):
            self._tell(self._say.say("Not understood. Type Enter, or ?."))
        return False

    def _after(self, now: Situation) -> None:
        """The end of the match: a review and a record for whoever wants them."""
        self._end(now)
        while True:
            try:
                line = self._ask(self._say.say("r for a review, s to save the record, Enter to leave: "))
            except LeaveError:
                return
            word, _, rest = line.partition(" ")
            if word == "":
                return
            if word == "r":
                self._review()
            elif word == "q":
                return
            elif not self._aside(word, rest.strip(), now):
                self._tell(self._say.say("Not understood. Type Enter, r or s."))

    def _end(self, now: Situation) -> None:
        terminal.tell()
        self._draw(now.view, {})
        for line in ending_lines(now, self._say):
            self._tell(line)
        terminal.tell("\n".join(tally_lines(now, self._say)))

    # What can be asked for at any time

    def _aside(self, word: str, rest: str, now: Situation) -> bool:
        """Do what a letter asks for that changes nothing. Returns whether it is such a letter.

        :raises LeaveError: the player leaves.
        """
        if word == "q":
            raise LeaveError
        if word == "s":
            self._keeper.save(rest)
        elif word == "t":
            terminal.tell("\n".join(tally_lines(now, self._say)))
        elif word == "?":
            for line in self._help():
                self._tell(line)
        else:
            return False
        return True

    def _help(self) -> Iterator[str]:
        say = self._say
        yield say.say("number: place the tile as the list says")
        yield say.say("tile, such as 4|5 or 4|5 a: place it, at the end marked a")
        yield say.say("h: a hint with reasons")
        if self._table.practice:
            yield say.say("u: take back to your last choice")
        yield say.say("b: show the table again")
        yield say.say("t: the scores in strokes and blocks")
        yield say.say("s, or s FILE: save")
        if self._table.can_resign:
            yield say.say("{word}: give the match up", word=RESIGN)
        yield say.say("q: save and leave")

    def _ask(self, prompt: str) -> str:
        """What the player types, with wide letters and digits made narrow.

        :raises LeaveError: the input has ended.
        """
        line = terminal.ask(prompt)
        if line is None:
            raise LeaveError
        return " ".join(unicodedata.normalize("NFKC", line).replace("\x00", "").split())

    # Showing

    def _show(self, view: View, marks: dict[str, str], choices: list[NumberedMove], whole: bool = False) -> None:
        """The table, the state, and the moves by number."""
        say = self._say
        terminal.tell()
        self._draw(view, marks, whole)
        for line in state_lines(view, say):
            terminal.tell_folded(line)
        terminal.tell_folded(say.say("Your hand: {tiles}", tiles=" ".join(map(tile_name, view.hand))))
        if view.forced is not None:
            terminal.tell_folded(say.say("You have drawn {tile} and must place it.", tile=tile_name(view.forced)))
        made = tables.text_table(
            "#>",
            say.say("tile"),
            say.say("at"),
            say.say("joins") + "?",
            say.say("points") + ">",
            say.say("count") + ">",
            ascii_only=self._ascii,
        )
        for number, choice in enumerate(choices, 1):
            after = view.after(choice.move)
            at = "" if choice.move.at is None else port_name(choice.move.at, say)
            made.add_row(
                str(number),
                tile_name(choice.move.tile),
                " = ".join(choice.marks),
                at,
                str(after.points),
                str(after.count),
            )
        tables.show(made)

    def _draw(self, view: View, marks: dict[str, str], whole: bool = False) -> None:
        """The table as a drawing; in words where the window is too low for it, unless it is to be whole."""
        shown = {name: f"({mark})" for name, mark in marks.items()}
        lines, rows = layout_lines(view.layout, shown), terminal.terminal_rows()
        if not whole and rows is not None and len(lines) + BELOW > rows:
            for words in arm_lines(view.layout, shown, self._say):
                self._tell(words)
            return
        for line in lines:
            pieces = [(ascii_letters(piece.text) if self._ascii else piece.text, STYLES[piece.ink]) for piece in line]
            tables.tell_pieces(pieces)

    def _tell(self, text: str) -> None:
        terminal.tell_folded(text)
