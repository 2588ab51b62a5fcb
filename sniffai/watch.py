"""What every seat of a running round knows, kept up to date placement by placement.

:meth:`Round.view` replays a seat's whole history each time; here each event is replayed once. The views are
equal to those of :meth:`Round.view`, and hold nothing that their seat may not know.
"""

from typing import Any, Self

from sniffai.events import Event, Play, event_of, seen_by
from sniffai.history import History, tell_core
from sniffai.round import Round
from sniffai.tiles import tile_mask
from sniffai.view import View
from sniffai_ext.view import View as CoreView


class Watch:
    """The knowledge of all seats of one round. Only one thread may use it at a time; its views are independent.

    :param round_: may have begun; :meth:`view` catches up with what has been played since.
    """

    def __init__(self, round_: Round) -> None:
        self._round = round_
        self._start = start = round_.start
        self._cores = [
            CoreView(start.players, seat, start.leader, tile_mask(hand), start.scores)
            for seat, hand in enumerate(start.hands)
        ]
        self._seen: list[list[Event]] = [[] for _ in start.hands]
        self._told = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._round,)

    def of_copy(self, round_: Round) -> Self:
        """The knowledge of the seats of a copy of the round: nothing is replayed that this one has replayed.

        :param round_: the copy, not played on.
        """
        new = type(self).__new__(type(self))
        new._round, new._start, new._told = round_, self._start, self._told
        new._cores = [core.copy() for core in self._cores]
        new._seen = [seen.copy() for seen in self._seen]
        return new

    def view(self, seat: int, events: int | None = None) -> View:
        """All that a seat knows now (docs/rules.md §5).

        :param seat: 0..players-1.
        :param events: what it knew when so many events had happened, never fewer than at the call before; all of them
            if not given.
        """
        self._catch_up(events)
        start = self._start
        history = History(start.leader, start.hands[seat], tuple(self._seen[seat]))
        return View.of_core(start.players, seat, start.scores, history, self._cores[seat].copy())

    def _catch_up(self, events: int | None) -> None:
        records = self._round.core().events()[:events]
        for record in records[self._told :]:
            event = event_of(record)
            if isinstance(event, Play):  # all see the same
                tile, at = event.move.codes
                for core, seen in zip(self._cores, self._seen, strict=True):
                    core.play(event.seat, tile, at)
                    seen.append(event)
                continue
            for seat, (core, seen) in enumerate(zip(self._cores, self._seen, strict=True)):
                seen.append(tell_core(core, seen_by(seat, event)))
        self._told = len(records)
