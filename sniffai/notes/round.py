"""One round as the notes of a player have it, event by event, each played by the rules while it is read."""

import re

from sniffai.checks import shown
from sniffai.errors import MoveError, NotationError, SniffError, TileError, ViewError
from sniffai.events import Draw, Event, Pass, Play
from sniffai.history import History, tell_core
from sniffai.layout import Layout
from sniffai.notes.handwriting import listed, looks_like_tile, near, places_for, read_loose_tile
from sniffai.notes.lines import DRAWS, KEYWORDS, PASSES, Block, Part
from sniffai.notes.seats import Seats, own_tiles
from sniffai.notes.table import move_of
from sniffai.rules import HAND_SIZE
from sniffai.settlement import check_leader
from sniffai.tiles import Tile, mask_tiles, tile_mask
from sniffai_ext.view import View as CoreView


class RoundReader:
    """Reads one round from its lead, playing each event."""

    def __init__(
        self, seats: Seats, block: Block, scores: tuple[int, ...], leader: int | None, lines: dict[str, int]
    ) -> None:
        """Prepare to read a block.

        :param leader: who leads by the round before, where that is known.
        :param lines: the line of each part by its path, to which those of the events are added.
        """
        self.seats = seats
        self.block = block
        self.leader = leader
        self.scores = scores
        self.events: list[Event] = []
        self.lines = lines
        self.part = block.events[0] if block.events else Part(block.line, [])

    def read(self) -> tuple[History, CoreView]:
        """The history, and the round at its end.

        :raises SniffError: something cannot be read or breaks a rule; ``field`` is its path or its line.
        """
        hand, leader = self._hand(), self._find_leader()
        check_leader(self.leader, leader)
        self.core = CoreView(self.seats.players, self.seats.own, leader, tile_mask(hand), self.scores)
        for part in self.block.events:
            self.part = part
            self._read_events(list(part.words))
        self._end()
        history = History(leader, hand, tuple(self.events))
        history.open(self.seats.players, self.seats.own, self.scores)
        return history, self.core

    def _hand(self) -> tuple[Tile, ...]:
        part = self.block.fields.get("hand")
        if part is not None and part.words[0].lower() == "dealt":
            part = Part(part.line, part.words[1:])
        hand = tuple(sorted(own_tiles(part, self.seats)))
        size = HAND_SIZE[self.seats.players]
        if len(hand) != size:
            short = "" if len(hand) > size else "; a record has the hand as dealt, a snapshot the 'hand now'"
            message = f"a dealt hand has {size} tiles with {self.seats.players} players, not {len(hand)}{short}"
            raise TileError(message, reason="WRONG_HAND_SIZE", field="hand")
        return hand

    def _find_leader(self) -> int:
        """The leader as written, or who went out before, or who the first event says."""
        part = self.block.fields.get("leader")
        if part is not None:
            seat = self.seats.seat_of(" ".join(part.words))
            if seat is None:
                part.refuse(f"the leader is a seat, 0 to {self.seats.players - 1}, not {shown(' '.join(part.words))}")
            return seat
        first = self.block.events[0] if self.block.events else None
        seat = None if first is None or looks_like_tile(first.words[0]) else self.seats.seat_of(first.words[0])
        if seat is None:
            seat = self.leader
        if seat is None:
            raise NotationError(
                "who leads? write 'leader 0', or the seat before the first tile", reason="UNREADABLE", field="leader"
            )
        return seat

    def _read_events(self, words: list[str]) -> None:
        """The events of one part, one after the other."""
        words.reverse()
        while words:
            self.lines[f"events[{len(self.events)}]"] = self.part.line
            try:
                self._read_event(words)
            except SniffError as error:
                if error.field.startswith("line "):
                    raise
                raise error.at(f"events[{len(self.events)}]") from None

    def _read_event(self, words: list[str]) -> None:
        seat = self._seat(words)
        if not words:
            raise self._unreadable(f"what did seat {seat} do? a tile, 'draws N' or 'passes' is expected")
        word = words.pop()
        lower = word.lower()
        if lower in PASSES:
            if seat == self.seats.own:
                self._check_stuck("pass")
            self._tell(Pass(seat))
        elif lower in DRAWS:
            self._draw(seat, words)
        elif word.startswith("+"):
            words.append(word[1:])
            self._draw(seat, words)
        elif looks_like_tile(word.partition("@")[0]):
            self._play(seat, word, words)
        else:
            known = near(word, (*DRAWS, *PASSES, *KEYWORDS))
            raise self._unreadable(f"{shown(word)} is neither a tile, such as 64, nor 'draws N' nor 'passes'{known}")

    def _seat(self, words: list[str]) -> int:
        """Whose event it is: the seat whose turn it is, which may be written."""
        written = None if looks_like_tile(words[-1]) else self.seats.seat_of(words[-1])
        if written is None:
            if words[-1].isdigit() and len(words[-1]) == 1:
                raise self._unreadable(f"there is no seat {words[-1]}: the seats are 0 to {self.seats.players - 1}")
            return self._turn()
        words.pop()
        turn = self._turn()
        if written != turn:
            raise ViewError(
                f"it is the turn of seat {turn}, not of seat {written}: is a line of seat {turn} missing, its tile,"
                f" '{turn} draws N' or '{turn} passes'?",
                reason="NOT_THE_TURN",
                field="seat",
            )
        return written

    def _turn(self) -> int:
        core = self.core
        if core.over:
            how = "blocked" if core.blocked else f"seat {core.went_out} went out"
            if core.match_winner >= 0:
                how = f"team {core.match_winner} won the match with {core.scores[core.match_winner]} points"
                how += "; are the scores those of now instead of those before the round?" if any(self.scores) else ""
            raise ViewError(f"the round is over: {how}", reason="ROUND_OVER")
        return core.to_move

    def _play(self, seat: int, word: str, words: list[str]) -> None:
        tile_word, _, place = word.partition("@")
        if words and words[-1].lower() in ("at", "on", "@"):
            words.pop()
            place = words.pop() if words else ""
        points = None
        if words and re.fullmatch(r"\+\d*[05]", words[-1]):
            points = int(words.pop())
        tile = read_loose_tile(tile_word)
        self._check_holder(seat, tile)
        try:
            move = move_of(tile, place, points, self.core.layout)
        except MoveError as error:
            if error.reason != "WRONG_POINTS":
                raise
            message = f"{error.message}; to say that the next seat drew {points} tiles write 'draws {points}'"
            raise MoveError(message, reason=error.reason, field="points") from None
        self._tell(Play(seat, move, points))

    def _check_holder(self, seat: int, tile: Tile) -> None:
        """Whether the seat can hold the tile, as far as the own hand tells."""
        own = mask_tiles(self.core.hand)
        if tile in {event.move.tile for event in self.events if isinstance(event, Play)}:
            return  # said by the table
        if seat == self.seats.own and tile not in own:
            held = f"you hold {listed([str(held) for held in own])}"
            raise MoveError(f"you do not hold {tile}; {held}", reason="TILE_NOT_IN_HAND", field="play")
        if seat != self.seats.own and tile in own:
            raise ViewError(f"seat {seat} cannot place {tile}: you hold it", reason="TILE_IN_OWN_HAND", field="play")

    def _draw(self, seat: int, words: list[str]) -> None:
        """The draws of a turn: tiles for the own seat, a number for others."""
        if seat != self.seats.own:
            count = words.pop() if words and re.fullmatch(r"\d{1,2}", words[-1]) else "1"
            self._tell(Draw(seat, int(count)))
            return
        self._check_stuck("draw")
        tiles = self._drawn(words)
        self._tell(Draw(seat, len(tiles), tuple(tiles)))

    def _drawn(self, words: list[str]) -> list[Tile]:
        """The tiles that the own seat drew, which their number may precede."""
        counted = len(words) > 1 and re.fullmatch(r"\d", words[-1]) is not None
        count = int(words.pop()) if counted else None
        tiles: list[Tile] = []
        layout = self.core.layout
        while words and looks_like_tile(words[-1]):
            tiles.append(read_loose_tile(words.pop()))
            if layout.fits(tile_mask(tiles[-1:])):
                break  # the draws end with a tile that fits
        if not tiles:
            raise self._unreadable("which tiles did you draw? write 'draws 64 11'", field="tiles")
        if count is not None and count != len(tiles):
            message = f"{count} tiles were drawn, but {len(tiles)} are named: {listed(tiles)}"
            raise ViewError(message, reason="DRAW_COUNT_MISMATCH", field="draw")
        return tiles

    def _check_stuck(self, what: str) -> None:
        """Whether no tile of the own hand fits."""
        layout = Layout.from_core(self.core.layout)
        for tile in mask_tiles(self.core.hand) if layout.placements else ():
            places = places_for(tile, layout)
            if places:
                where = listed([f"at {point.name}" for point in places])
                message = f"you cannot {what}: your {tile} fits {where}, so it or another tile must be placed"
                raise ViewError(message, reason=f"{what.upper()}_NOT_ALLOWED", field=what)

    def _tell(self, event: Event) -> None:
        """Play an event; a further draw of the same turn is joined to the one before."""
        played = tell_core(self.core, event)
        last = self.events[-1] if self.events else None
        if isinstance(played, Draw) and isinstance(last, Draw):
            tiles = None if last.tiles is None or played.tiles is None else last.tiles + played.tiles
            self.events[-1] = Draw(played.seat, last.count + played.count, tiles)
        else:
            self.events.append(played)

    def _unreadable(self, message: str, field: str = "") -> NotationError:
        return NotationError(message, reason="UNREADABLE", field=field)

    # The end

    def _end(self) -> None:
        """Compare the end as written with what the events say; the passes of a block need not be written."""
        part = self.block.fields.get("end")
        if part is None:
            return
        self.part = part
        words = [word.lower() for word in part.words]
        if words == ["blocked"]:
            while not self.core.over and self.core.talon_size == 0:
                self.lines[f"events[{len(self.events)}]"] = part.line
                try:
                    self._tell(Pass(self.core.to_move))
                except SniffError as error:
                    raise error.at(f"events[{len(self.events)}]") from None
        if self._said() not in (words, self._team_said(words)):
            raise ViewError(
                f"by the events: {self._ending()}; the notes say: {' '.join(words)}", reason="WRONG_ENDING", field="end"
            )

    def _team_said(self, words: list[str]) -> list[str]:
        """The ending as written, a name replaced by its number."""
        seat = self.seats.seat_of(words[1]) if len(words) == 2 else None
        return words if seat is None else [words[0], str(seat)]

    def _said(self) -> list[str]:
        core = self.core
        if core.match_winner >= 0:
            return ["match", str(core.match_winner)]
        if core.went_out >= 0:
            return ["out", str(core.went_out)]
        return ["blocked"] if core.blocked else ["unfinished"]

    def _ending(self) -> str:
        if self.core.over:
            return " ".join(self._said())
        size = self.core.hand_sizes
        return f"unfinished, with {listed([f'{count} tiles in seat {seat}' for seat, count in enumerate(size)])}"
