"""A seat at a match that a server hosts, as a front end for people sees it.

The server may go away and come back: calls are repeated until it answers. A move whose answer got lost is not played
twice, because it keeps its idempotency key.
"""

import secrets
from collections import deque
from collections.abc import Sequence
from typing import Final, Protocol

from sniffai import wire
from sniffai.client.errors import ServiceError
from sniffai.client.patience import Listener, PatientClient
from sniffai.errors import MoveError
from sniffai.moves import Move
from sniffai.play.match import HUMAN, Situation
from sniffai.play.table import Hint
from sniffai.records.matchfile import parse_match
from sniffai.records.record import MatchRecord
from sniffai.rules import PLAYERS
from sniffai.v1 import match_service_pb2 as pb
from sniffai.v1 import move_pb2
from sniffai.v1.view_pb2 import EventRecord, PlayerView
from sniffai.view import View

FIRST_WAIT: Final = 1.5
"""Seconds without an event before the player is told who is waited for: levels mostly take less."""
NEXT_WAIT: Final = 10.0
"""Seconds that one call waits for an event. A server that hangs is noticed after :data:`ANSWER_SECONDS` more."""
ANSWER_SECONDS: Final = 5.0
HINT_SECONDS: Final = 30.0

MOVED_ON: Final = ("STALE_VIEW", "NOT_YOUR_TURN", "MATCH_OVER", "MATCH_NOT_STARTED")
"""Why a server refuses a move that was legal when it was chosen."""


class Onlooker(Listener, Protocol):
    """Is told what happens while a table waits."""

    def waits(self, seat: int | None) -> None:
        """It takes a while: for the move of a seat, or for people to join."""
        ...

    def joined(self, seat: int, name: str) -> None:
        """Somebody has taken a seat."""
        ...


class HostedTable:
    """A seat at a match on a server: a :class:`sniffai.play.table.Table`.

    Events are shown one by one, so what the seat sees may be behind what the server knows: :meth:`step` goes on.

    :param client: reaches the server.
    :param seat_token: of the seat.
    :param onlooker: is told about waiting and about the connection.
    :raises ServiceError: the server refuses the match or the token.
    """

    def __init__(self, client: PatientClient, match_id: str, seat_token: str, onlooker: Onlooker) -> None:
        self._client, self._match_id, self._seat_token, self._onlooker = client, match_id, seat_token, onlooker
        self._events: deque[pb.MatchEvent] = deque()
        """Received, and not yet shown."""
        self._told_waiting = False
        self._record: MatchRecord | None = None
        self._reset(self._client.ask(lambda to: to.get_view(match_id, seat_token)).view)

    def _reset(self, view: pb.MatchView) -> None:
        """Show what is so now, without the way there."""
        if len(view.seats) not in PLAYERS or not 0 <= view.seat < len(view.seats):
            raise ServiceError("INTERNAL", "the server's answer is no view of a match", "", ())
        self._now = view
        """The newest view of the server."""
        self._events.clear()
        self._round = view.round
        self._known = PlayerView()
        """What is shown of the round."""
        self._known.CopyFrom(view.view)
        self._view: View | None = None
        self._result: pb.RoundResult | None = None
        """How the round ended; ``None`` while it goes on."""
        self._end: pb.MatchEnded | None = None
        """How the match ended."""
        if view.action == move_pb2.ACTION_OVER:
            self._end = pb.MatchEnded(status=view.status, winner=_winner(view), resigned_seat=_resigned(view))
            if view.status == pb.MATCH_STATUS_FINISHED:
                self._result = view.last_round

    # What is known

    @property
    def seat(self) -> int:
        """See :class:`sniffai.play.table.Table`."""
        return self._now.seat

    @property
    def seats(self) -> tuple[str, ...]:
        """See :class:`sniffai.play.table.Table`."""
        return tuple(f"level:{seat.level}" if seat.level else HUMAN for seat in self._now.seats)

    @property
    def names(self) -> tuple[str, ...]:
        """See :class:`sniffai.play.table.Table`."""
        return tuple(seat.name for seat in self._now.seats)

    @property
    def practice(self) -> bool:
        """See :class:`sniffai.play.table.Table`."""
        return self._now.practice

    @property
    def hints(self) -> bool:
        """See :class:`sniffai.play.table.Table`."""
        return self._now.hints

    @property
    def can_resign(self) -> bool:
        """See :class:`sniffai.play.table.Table`."""
        return True

    def missing(self) -> tuple[int, ...]:
        """The seats that nobody has taken yet."""
        return tuple(seat for seat, info in enumerate(self._now.seats) if not info.joined)

    def situation(self) -> Situation:
        """See :class:`sniffai.play.table.Table`; after :meth:`wait_for_start`."""
        if self._view is None:
            self._view = wire.read_view(self._known)
        result, end = self._result, self._end
        return Situation(
            round=self._round,
            view=self._view,
            scores=self._view.scores_now if result is None else tuple(result.scores),
            settlement=() if result is None else tuple(result.settlement),
            next_leader=result.next_leader if result is not None and result.HasField("next_leader") else None,
            winner=None if end is None else _winner(end),
            resigned=None if end is None else _resigned(end),
            expired=end is not None and end.status == pb.MATCH_STATUS_EXPIRED,
        )

    # Going on

    def wait_for_start(self) -> bool:
        """Wait until all seats are taken. Returns whether there is a match: it may expire, or somebody may resign."""
        while self._now.status == pb.MATCH_STATUS_WAITING:
            self._wait()
            while self._events and self._events[0].HasField("joined"):
                self._show(self._events.popleft())
        if self.missing():
            return False
        if not self._known.players:
            self._reset(self._now)
        return True

    def step(self) -> bool:
        """See :class:`sniffai.play.table.Table`."""
        while self._result is None and self._end is None:
            if self._events:
                if self._show_next():
                    return True
            elif self._now.action == move_pb2.ACTION_PLAY:
                return False
            else:
                self._wait()
        return False

    def _show_next(self) -> bool:
        """Show the next event, and what follows from it. Returns whether it is a placement."""
        event = self._events.popleft()
        self._show(event)
        if not event.HasField("round_event") or not event.round_event.HasField("play"):
            return False
        while self._events and _follows(self._events[0]):
            self._show(self._events.popleft())
        return True

    def _show(self, event: pb.MatchEvent) -> None:
        if event.HasField("joined"):
            if event.joined.seat != self.seat:
                self._onlooker.joined(event.joined.seat, event.joined.name)
        elif event.HasField("round_event"):
            self._known.record.events.append(event.round_event)
            self._view = None
        elif event.HasField("round_started"):
            started = event.round_started
            self._round, self._result, self._view = started.round, None, None
            self._known = PlayerView(
                players=len(self._now.seats),
                seat=self.seat,
                scores=started.scores,
                hand=started.hand,
                record=EventRecord(leader=started.leader),
            )
        elif event.HasField("round_ended"):
            self._result = event.round_ended
        elif event.HasField("match_ended"):
            self._end = event.match_ended

    def _wait(self) -> None:
        """Wait for events, for some seconds."""
        wait = NEXT_WAIT if self._told_waiting else FIRST_WAIT
        after = self._now.event_number
        answer = self._client.ask(
            lambda to: to.get_view(
                self._match_id, self._seat_token, after_event=after, wait=wait, timeout=wait + ANSWER_SECONDS
            )
        )
        self._receive(answer.events, answer.view)
        if self._now.event_number > after:
            self._told_waiting = False
        elif not self._told_waiting:
            self._told_waiting = True
            self._onlooker.waits(self._now.seat_to_move if self._now.HasField("seat_to_move") else None)

    def _receive(self, events: Sequence[pb.MatchEvent], view: pb.MatchView) -> None:
        """Take what the server tells; an answer to a repeated call may be older than what is known."""
        if view.event_number <= self._now.event_number:
            return
        fresh = [event for event in events if event.number > self._now.event_number]
        if any(event.HasField("taken_back") for event in fresh):
            self._reset(view)
            return
        self._events.extend(fresh)
        self._now = view

    def _refresh(self) -> None:
        """Learn what has happened."""
        after = self._now.event_number
        answer = self._client.ask(lambda to: to.get_view(self._match_id, self._seat_token, after_event=after))
        self._receive(answer.events, answer.view)

    def next_round(self) -> None:
        """See :class:`sniffai.play.table.Table`."""
        if self._end is not None:
            raise MoveError("the match is over", reason="MATCH_OVER")
        if self._result is None:
            raise MoveError("the round is not over", reason="ROUND_UNFINISHED")
        while self._result is not None and self._end is None:
            if self._events:
                self._show(self._events.popleft())
            else:
                self._wait()

    # What the player does

    def place(self, move: Move) -> int:
        """See :class:`sniffai.play.table.Table`."""
        key, expected = secrets.token_hex(16), self._now.event_number
        try:
            answer = self._client.ask(
                lambda to: to.play_move(
                    self._match_id, self._seat_token, move, expected_event=expected, idempotency_key=key
                )
            )
        except ServiceError as error:
            if error.code != "INVALID_ARGUMENT" and error.reason not in MOVED_ON:
                raise
            self._refresh()
            why = error.violations[0].reason if error.violations else error.reason
            raise MoveError(error.message, reason=why) from None
        self._receive(answer.events, answer.view)
        if self._events:
            self._show_next()
        return answer.points

    def take_back(self) -> bool:
        """See :class:`sniffai.play.table.Table`."""
        while True:
            try:
                self._reset(self._taken_back())
                return True
            except ServiceError as error:
                if error.reason == "NOTHING_TO_TAKE_BACK":
                    return False
                if error.reason in ("NOT_PRACTICE", "MATCH_OVER"):
                    raise MoveError(error.message, reason=error.reason) from None
                if error.reason != "STALE_VIEW":
                    raise
            self._refresh()  # a level has moved meanwhile

    def _taken_back(self) -> pb.MatchView:
        """What is so after a decision was taken back.

        :raises ServiceError: the server refuses it.
        """
        key, expected = secrets.token_hex(16), self._now.event_number
        answer = self._client.ask(
            lambda to: to.take_back(self._match_id, self._seat_token, expected_event=expected, idempotency_key=key)
        )
        return answer.view

    def resign(self) -> None:
        """See :class:`sniffai.play.table.Table`."""
        self._reset(self._client.ask(lambda to: to.resign(self._match_id, self._seat_token)).view)

    def hint(self, language_code: str) -> Hint:
        """See :class:`sniffai.play.table.Table`."""
        answer = self._client.ask(
            lambda to: to.request_hint(
                self._match_id, self._seat_token, max_moves=1, language_code=language_code, timeout=HINT_SECONDS
            )
        )
        best = answer.analysis.moves[0]
        return Hint(
            wire.read_move(best.move, "move"),
            tuple(reason.text for reason in best.reasons),
            tuple(part.text for part in best.prospect),
        )

    def record(self) -> MatchRecord | None:
        """See :class:`sniffai.play.table.Table`."""
        if self._end is not None and self._record is None:
            answer = self._client.ask(lambda to: to.export_record(self._match_id, self._seat_token))
            self._record = parse_match(answer.text)
        return self._record

    def saved(self) -> None:
        """See :class:`sniffai.play.table.Table`."""
        return


def _follows(event: pb.MatchEvent) -> bool:
    """Whether an event is a consequence of the placement before it."""
    if event.HasField("round_event"):
        return not event.round_event.HasField("play")
    return event.HasField("round_ended") or event.HasField("match_ended")


def _winner(message: pb.MatchView | pb.MatchEnded) -> int | None:
    return message.winner if message.HasField("winner") else None


def _resigned(message: pb.MatchView | pb.MatchEnded) -> int | None:
    return message.resigned_seat if message.HasField("resigned_seat") else None
