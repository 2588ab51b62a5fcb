"""What is reviewed: rounds with all hands known, or rounds as one seat saw them, event by event."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Self

from sniffai.checks import is_listed, read_kind, shown
from sniffai.deal import Deal
from sniffai.equity import load
from sniffai.errors import RecordError, ViewError
from sniffai.events import Draw, Event, Play
from sniffai.history import History
from sniffai.moves import Move
from sniffai.records.record import check_follows, check_tags
from sniffai.records.seat_record import SeatRecord, SeatRound
from sniffai.review.values import Value
from sniffai.round import Round
from sniffai.rules import TEAMS, margins_of, team_of
from sniffai.search.candidates import distinct_moves
from sniffai.tiles import Tile
from sniffai.view import View
from sniffai.watch import Watch

MAX_ROUNDS: Final = 1000
"""Most rounds in one review: more than any match has."""


@dataclass(frozen=True, slots=True)
class Story:
    """One round, to its end or as far as it is known."""

    players: int
    scores: tuple[int, ...]
    """Points before the round, one number a team."""
    leader: int
    by_lot: bool
    """Whether the lead was drawn at random (docs/rules.md §2), so that it was luck."""
    events: tuple[Event, ...]
    seats: tuple[int, ...]
    """Whose decisions can be reviewed."""
    outcome: Value | None
    """How the round ended; ``None`` if it did not, or where what it cost is not known."""
    source: Deal | View
    """All hands, or what one seat saw."""

    @classmethod
    def of_round(cls, round_: Round, by_lot: bool) -> Self:
        """A round with all hands known, finished or not."""
        start = round_.start
        outcome = _result(round_, start.scores, round_.scores) if round_.over else None
        seats = tuple(range(start.players))
        return cls(start.players, start.scores, start.leader, by_lot, round_.history, seats, outcome, start)

    @classmethod
    def of_seat_round(cls, round_: SeatRound, by_lot: bool) -> Self:
        """A round as one seat saw it."""
        view, history = round_.view, round_.view.position
        assert isinstance(history, History)
        outcome = None
        if view.over and round_.after is not None:
            outcome = _result(view, view.scores, round_.after)
        return cls(view.players, view.scores, history.leader, by_lot, history.events, (view.seat,), outcome, view)

    @property
    def size(self) -> int:
        """How many moments there are to value."""
        return sum(isinstance(event, (Draw, Play)) and event.seat in self.seats for event in self.events)

    @property
    def text(self) -> str:
        """The round, or what its seat saw of it, in one line: :meth:`from_text` reads it."""
        return self.source.to_text() if isinstance(self.source, View) else self._replayed().to_text()

    @classmethod
    def from_text(cls, text: str) -> "Story":
        """The story in a text, with the same moments; what went before is not known.

        :raises SniffError: it is neither a round nor a view with its history.
        """
        if text.startswith("view"):
            (story,) = Subject.of_view(View.from_text(text)).stories
        else:
            (story,) = Subject.of_rounds([Round.from_text(text)]).stories
        return story

    def view(self, seat: int, events: int) -> View:
        """What a seat knew after so many events.

        :param seat: one of :attr:`seats`.
        """
        known = self.events[:events]
        if isinstance(self.source, Deal):
            return View.from_round(self.source, seat, known)
        assert isinstance(self.source.position, History)
        return View(self.players, seat, self.scores, History(self.leader, self.source.position.dealt, known))

    def follow(self) -> Callable[[int, int], View]:
        """:meth:`view` for rising numbers of events: faster, as each event is replayed once."""
        if not isinstance(self.source, Deal):
            return self.view
        return Watch(self._replayed()).view

    def _replayed(self) -> Round:
        """The round, where all hands are known."""
        assert isinstance(self.source, Deal)
        round_ = Round.from_deal(self.source)
        for event in self.events:
            if isinstance(event, Play):
                round_.play(event.move)
        return round_

    def banked(self, view: View) -> tuple[float, ...]:
        """The margin that the round has brought so far, by team."""
        return margins_of([now - before for now, before in zip(view.scores_now, self.scores, strict=True)])


@dataclass(frozen=True, slots=True)
class Placement:
    """A placement, and all that its seat knew before."""

    round: int
    """Number of the round in the match, from 0."""
    event: int
    """Number of the placement among the round's events, from 0."""
    view: View
    played: Move
    points: int
    """What it scored."""
    banked: tuple[float, ...]
    """See :meth:`Story.banked`."""
    after_draw: bool
    """Whether the seat drew in this turn."""

    @property
    def seat(self) -> int:
        """Who placed."""
        return self.view.seat

    @property
    def team(self) -> int:
        """Whose it was."""
        return team_of(self.view.players, self.seat)

    @property
    def forced(self) -> bool:
        """Whether there was only one distinct move."""
        return len(distinct_moves(self.view)) == 1


@dataclass(frozen=True, slots=True)
class TalonDraw:
    """The draws of one turn, and what their seat knew before and after."""

    round: int
    event: int
    before: View
    """The seat must draw."""
    after: View
    """It must place the tile drawn last, or pass."""
    banked: tuple[float, ...]

    @property
    def seat(self) -> int:
        """Who drew."""
        return self.before.seat

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """What was drawn, in the order of drawing."""
        history = self.after.position
        assert isinstance(history, History)
        drawn = history.events[self.event]
        assert isinstance(drawn, Draw)
        return drawn.tiles or ()


Moment = Placement | TalonDraw


@dataclass(frozen=True, slots=True)
class Subject:
    """What one review is about: a match or a round."""

    players: int
    stories: tuple[Story, ...]
    """In the order of play."""
    names: tuple[str, ...]
    """By seat; ``""`` for a seat without a name."""
    tags: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of_rounds(cls, rounds: Sequence[Round], tags: tuple[tuple[str, str], ...] = ()) -> Self:
        """Rounds of one match, each checked by whoever made them, one after the other.

        :raises RecordError: there are none, or too many; one does not begin as the one before it ended.
        """
        if not is_listed(rounds):
            message = f"a list of rounds is expected, not {shown(rounds)}"
            raise RecordError(message, reason="WRONG_TYPE", field="rounds")
        rounds = tuple(rounds)
        check_tags(tags)
        if not rounds:
            raise RecordError("there is no round to review", reason="NO_ROUNDS", field="rounds")
        _check_number(len(rounds))
        stories: list[Story] = []
        for i, round_ in enumerate(rounds):
            if not isinstance(round_, Round):
                raise RecordError(
                    f"a Round is expected, not {shown(round_)}", reason="WRONG_TYPE", field=f"rounds[{i}]"
                )
            before = rounds[i - 1] if i else None
            if before is not None:
                try:
                    check_follows(before, round_.start)
                except RecordError as error:
                    raise error.at(f"rounds[{i}]") from None
            by_lot = not any(round_.start.scores) if before is None else before.went_out is None
            stories.append(Story.of_round(round_, by_lot))
        players = rounds[0].players
        return cls(players, tuple(stories), _names(tags, players), tags)

    @classmethod
    def of_view(cls, view: View) -> Self:
        """One round as one seat saw it.

        :raises ViewError: it is a snapshot, or no view.
        """
        read_kind(view, View, "view", "NOT_A_VIEW", ViewError)
        if not isinstance(view.position, History):
            raise ViewError("a snapshot has no events to review", reason="NO_EVENTS", field="view")
        return cls.of_seat_record(SeatRecord.of([view]))

    @classmethod
    def of_seat_record(cls, record: SeatRecord) -> Self:
        """Rounds of one match as one seat saw them: only its own decisions are reviewed.

        :raises RecordError: it is no such record, or has too many rounds.
        """
        read_kind(record, SeatRecord, "record", "WRONG_TYPE", RecordError)
        _check_number(len(record.rounds))
        stories: list[Story] = []
        for i, round_ in enumerate(record.rounds):
            before = record.rounds[i - 1].view if i else None
            by_lot = not any(round_.view.scores) if before is None else before.went_out is None
            stories.append(Story.of_seat_round(round_, by_lot))
        return cls(record.players, tuple(stories), _names(record.tags, record.players), record.tags)

    @property
    def teams(self) -> int:
        """How many play against each other."""
        return TEAMS[self.players]

    @property
    def whole(self) -> bool:
        """Whether all hands are known, so that every seat is reviewed."""
        return isinstance(self.stories[0].source, Deal)

    @property
    def size(self) -> int:
        """How many :meth:`moments` there are."""
        return sum(story.size for story in self.stories)

    def moments(self) -> Iterator[Moment]:
        """Every placement and draw to value, in the order of play."""
        for number, story in enumerate(self.stories):
            yield from story_moments(story, number)


def story_moments(story: Story, number: int) -> Iterator[Moment]:
    """Every placement and draw of one round to value.

    :param number: of the round in the match, from 0.
    """
    view_of = story.follow()
    for i, event in enumerate(story.events):
        if event.seat not in story.seats:
            continue
        if isinstance(event, Draw):
            before = view_of(event.seat, i)
            yield TalonDraw(number, i, before, view_of(event.seat, i + 1), story.banked(before))
        elif isinstance(event, Play):
            view = view_of(event.seat, i)
            drew = i > 0 and isinstance(story.events[i - 1], Draw)
            yield Placement(number, i, view, event.move, event.points or 0, story.banked(view), drew)


def _names(tags: tuple[tuple[str, str], ...], players: int) -> tuple[str, ...]:
    """The names of the players, by seat."""
    named = dict(tags)
    return tuple(named.get(f"Seat{seat}", "") for seat in range(players))


def _check_number(rounds: int) -> None:
    if rounds > MAX_ROUNDS:
        raise RecordError(f"at most {MAX_ROUNDS} rounds are reviewed", reason="TOO_MANY", field="rounds")


def _result(round_: Round | View, before: tuple[int, ...], after: tuple[int, ...]) -> Value:
    """The result of a finished round, by the scores before and after it."""
    gains = [now - then for now, then in zip(after, before, strict=True)]
    won = round_.match_winner
    if won is not None:
        return Value(_certain(won, len(gains)), margins_of(gains))
    return Value(load(round_.players).chance(after, round_.went_out), margins_of(gains))


def _certain(winner: int, teams: int) -> tuple[float, ...]:
    return tuple(float(team == winner) for team in range(teams))
