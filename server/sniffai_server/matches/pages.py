"""The pages of a match: what its seats may see, as messages, written step after step.

Much of a page is the same for all seats, or was on the page before: that is written once.
"""

from typing import Final

from sniffai.history import History
from sniffai.play.match_log import MatchLog
from sniffai.v1 import match_service_pb2 as pb
from sniffai.v1 import view_pb2
from sniffai.view import View
from sniffai.wire import add_own_view, write_common_view, write_event, write_match_event, write_view

MOST_SPANS: Final = 16
"""Spans of events that are kept of one seat."""


class Pages:
    """What the seats of one match may see. All messages are shared: not to be changed.

    Nothing of a seat's own goes into what is written for all.
    """

    def __init__(self, match_id: str) -> None:
        self._match_id = match_id
        self._log: MatchLog | None = None
        self._common: pb.MatchView | None = None
        self._views: dict[int, pb.MatchView] = {}
        self._events: dict[tuple[int, int], list[pb.MatchEvent]] = {}
        self._rounds: dict[int, tuple[View, view_pb2.PlayerView]] = {}
        """By seat: what it knew of the round at the last page, and that in a message."""

    def view(self, log: MatchLog, seat: int) -> pb.MatchView:
        """All that a seat may know now.

        :param log: of this match.
        """
        self._turn_to(log)
        if seat not in self._views:
            self._views[seat] = self._write(log, seat)
        return self._views[seat]

    def events(self, log: MatchLog, seat: int, after: int) -> list[pb.MatchEvent]:
        """What a seat saw happen after the event of a number, in order.

        :param log: of this match.
        """
        self._turn_to(log)
        events = self._events.get((seat, after))
        if events is None:
            events = [write_match_event(event) for event in log.events(seat, after)]
            if len(self._events) < MOST_SPANS * log.players:
                self._events[seat, after] = events
        return events

    def _turn_to(self, log: MatchLog) -> None:
        """Turn to the page of a log, which is replaced at each step and never changed."""
        if self._log is not log:
            self._log, self._common, self._views, self._events = log, None, {}, {}

    def _write(self, log: MatchLog, seat: int) -> pb.MatchView:
        seen = log.view(seat)
        if self._common is None:
            self._common = write_common_view(self._match_id, seen)
        message = pb.MatchView()
        message.CopyFrom(self._common)
        add_own_view(message, seen, None if seen.view is None else self._round(seen.view))
        return message

    def _round(self, view: View) -> view_pb2.PlayerView:
        """What a seat knows of the round: the message of the page before, if events were only added."""
        before, message = self._rounds.get(view.seat, (None, None))
        if before is not None and message is not None and _goes_on(before, view):
            message.record.events.extend(map(write_event, view.events[len(before.events) :]))
        else:
            message = write_view(view)
        self._rounds[view.seat] = view, message
        return message


def _goes_on(before: View, view: View) -> bool:
    """Whether a view is an earlier one with more events. Quick: the events that both have are the same objects."""
    return (
        isinstance(before.position, History)
        and isinstance(view.position, History)
        and (before.players, before.scores, before.leader, before.dealt)
        == (view.players, view.scores, view.leader, view.dealt)
        and before.events == view.events[: len(before.events)]
    )
