"""A match as a log: numbered events from the first seat taken to the end, and what each seat saw of them.

A host keeps a :class:`LogSetup` and the :class:`Step` objects, for example in a database. A :class:`MatchLog` of the
same setup and steps is the same match: same deals, same draws, same numbers. Of a match a front end gets no more than
:meth:`MatchLog.view` and :meth:`MatchLog.events`, which hold nothing that their seat may not know.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Self, TypeAlias

from sniffai.errors import MoveError
from sniffai.events import Event, seen_by
from sniffai.play.match import HUMAN, Match, MatchSetup
from sniffai.records.record import MatchRecord
from sniffai.round import Round
from sniffai.rules import TARGET
from sniffai.search.candidates import distinct_moves
from sniffai.tiles import Tile
from sniffai.view import View

LEVEL: Final = "level:"
"""What a seat's player begins with if a level plays there."""


class MatchState(StrEnum):
    """How far a match is."""

    WAITING = "waiting"
    """Not all seats have been taken."""
    PLAYING = "playing"
    FINISHED = "finished"
    """A team reached the target."""
    RESIGNED = "resigned"
    EXPIRED = "expired"
    """Nothing happened for too long."""

    @property
    def over(self) -> bool:
        """Whether nothing can happen any more."""
        return self not in (MatchState.WAITING, MatchState.PLAYING)


class StepKind(StrEnum):
    """What changes a match."""

    JOIN = "join"
    PLACE = "place"
    TAKE_BACK = "take_back"
    RESIGN = "resign"
    EXPIRE = "expire"


@dataclass(frozen=True, slots=True)
class Step:
    """One change of a match, as its host stores it."""

    kind: StepKind
    time: int
    """When, in microseconds since 1970."""
    seat: int | None = None
    """Whose; ``None`` for an end by expiry."""
    text: str = ""
    """The move of a placement, the name of a seat that joins."""


@dataclass(frozen=True, slots=True)
class LogSetup:
    """How a match begins, and the terms on which it is played."""

    match: MatchSetup
    names: tuple[str, ...]
    """Shown to all seats, by seat; ``""`` for none."""
    hints: bool
    """Whether hints are given."""
    wait: int
    """Microseconds after which it ends if a seat is still free and nobody takes one."""
    idle: int
    """Microseconds after which it ends if nothing happens once it is played."""
    created: int
    """Microseconds since 1970."""


# What happened, with everything hidden known: for the host only


@dataclass(frozen=True, slots=True)
class SeatJoined:
    """A seat was taken."""

    seat: int
    name: str


@dataclass(frozen=True, slots=True)
class Dealt:
    """A round was dealt; a seat sees it as :class:`RoundStarted`."""

    round: int
    leader: int
    scores: tuple[int, ...]
    hands: tuple[tuple[Tile, ...], ...]


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """A round was dealt, as one seat saw it."""

    round: int
    """From 0."""
    leader: int
    scores: tuple[int, ...]
    """The teams' points before it."""
    hand: tuple[Tile, ...]
    """What the seat was dealt, ascending."""


@dataclass(frozen=True, slots=True)
class RoundResult:
    """How a round ended."""

    round: int
    """From 0."""
    scores: tuple[int, ...]
    """The teams' points after it, settlement included."""
    settlement: tuple[int, ...]
    """What each seat's hand cost its team; empty if the target ended the round."""
    went_out: int | None
    blocked: bool
    next_leader: int | None
    """Who leads the next round; ``None`` if the match is over."""


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A decision was taken back."""

    seat: int
    round: int
    """The round to which the match went back, from 0."""
    kept: int
    """How many of its events remain."""


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The match is over."""

    state: MatchState
    winner: int | None
    """The team; ``None`` if nobody won."""
    resigned: int | None
    """The seat that resigned."""


Seen: TypeAlias = SeatJoined | RoundStarted | Event | RoundResult | TakenBack | MatchEnded
"""What happened, as one seat may know it."""
Happened: TypeAlias = SeatJoined | Dealt | Event | RoundResult | TakenBack | MatchEnded


@dataclass(frozen=True, slots=True)
class SeenEvent:
    """One event of a match, as one seat may know it."""

    number: int
    """From 1, the same for all seats."""
    time: int
    """Microseconds since 1970."""
    what: Seen


@dataclass(frozen=True, slots=True)
class SeatInfo:
    """Who plays at a seat."""

    name: str
    level: str
    """The level that plays; ``""`` for a person."""
    joined: bool


@dataclass(frozen=True, slots=True)
class SeatView:
    """All that one seat may know of a match now."""

    number: int
    """Of the last event; 0 before the first."""
    seat: int
    seats: tuple[SeatInfo, ...]
    state: MatchState
    round: int
    """From 0."""
    scores: tuple[int, ...]
    """The teams' points now."""
    target: int
    to_move: int | None
    """Whose turn it is, while the match is played."""
    view: View | None
    """What the seat knows of the round; ``None`` before all have joined."""
    last_round: RoundResult | None
    """How the round before ended; of a match that is over, the last round that ended."""
    winner: int | None
    """The team that won."""
    resigned: int | None
    """The seat that resigned."""
    hints: bool
    practice: bool
    can_take_back: bool
    expires: int | None
    """When the match ends if nothing happens before, in microseconds since 1970; ``None`` once it is over."""


class MatchLog:
    """A match and all that happened in it. One thread uses it at a time.

    :raises SniffError: the setup or a step breaks a rule.
    """

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __init__(self, setup: LogSetup, steps: Iterable[Step] = ()) -> None:
        self._setup = setup
        self._match = Match(setup.match)
        self._names = list(setup.names)
        self._joined = [player != HUMAN for player in setup.match.seats]
        self._state = MatchState.WAITING
        self._winner: int | None = None
        self._resigned: int | None = None
        self._steps: list[Step] = []
        self._events: list[tuple[int, Happened]] = []
        self._results: list[RoundResult] = []
        """Of the rounds that are over."""
        self._decisions: list[tuple[int, int]] = []
        """Of a practice match: round and number of placements at each decision that may be taken back."""
        self._to_move: int | None = None
        self._level_to_move: str | None = None
        self._seats: tuple[SeatInfo, ...] = ()
        self._note()
        for step in steps:
            self.apply(step)

    # What it is

    @property
    def setup(self) -> LogSetup:
        """How it began."""
        return self._setup

    @property
    def steps(self) -> tuple[Step, ...]:
        """Everything that changed it."""
        return tuple(self._steps)

    @property
    def step_count(self) -> int:
        """How many steps there are."""
        return len(self._steps)

    @property
    def number(self) -> int:
        """The number of the last event; 0 before the first."""
        return len(self._events)

    @property
    def state(self) -> MatchState:
        """How far it is."""
        return self._state

    @property
    def winner(self) -> int | None:
        """The team that won; ``None`` while it goes on, and if nobody did."""
        return self._winner

    @property
    def players(self) -> int:
        """Seats, 2..4."""
        return self._setup.match.players

    @property
    def to_move(self) -> int | None:
        """Whose turn it is, while the match is played."""
        return self._to_move

    @property
    def level_to_move(self) -> str | None:
        """The name of the level whose turn it is; ``None`` if a person is to move, or nobody."""
        return self._level_to_move

    @property
    def scores(self) -> tuple[int, ...]:
        """The teams' points now."""
        return self._round.scores

    @property
    def round(self) -> int:
        """The number of the round, from 0."""
        return self._match.round_count - 1

    @property
    def changed(self) -> int:
        """When it changed last, in microseconds since 1970."""
        return self._steps[-1].time if self._steps else self._setup.created

    @property
    def expires(self) -> int | None:
        """When it ends if nothing happens before; ``None`` once it is over."""
        if self._state.over:
            return None
        return self.changed + (self._setup.wait if self._state is MatchState.WAITING else self._setup.idle)

    @property
    def seats(self) -> tuple[SeatInfo, ...]:
        """Who plays, by seat."""
        return self._seats

    @property
    def _round(self) -> Round:
        return self._match.current

    def knowledge(self, seat: int) -> View:
        """What a seat knows of the round in play.

        :raises ViewError: there is no such seat.
        """
        return self._match.situation(seat).view

    def decision_seed(self) -> int:
        """The seed of the decision that is due now."""
        return self._match.decision_seed()

    # What one seat may see

    def view(self, seat: int) -> SeatView:
        """All that a seat may know now.

        :raises ViewError: there is no such seat.
        """
        waiting = self._state is MatchState.WAITING
        return SeatView(
            number=self.number,
            seat=seat,
            seats=self.seats,
            state=self._state,
            round=self.round,
            scores=self.scores,
            target=TARGET[self.players],
            to_move=self.to_move,
            view=None if waiting else self.knowledge(seat),
            last_round=self._last_round(),
            winner=self._winner,
            resigned=self._resigned,
            hints=self._setup.hints,
            practice=self._setup.match.practice,
            can_take_back=self._state is MatchState.PLAYING and bool(self._decisions),
            expires=self.expires,
        )

    def events(self, seat: int, after: int = 0) -> list[SeenEvent]:
        """What a seat saw happen after the event of a number, in order."""
        return [
            SeenEvent(number, time, _seen(seat, what))
            for number, (time, what) in enumerate(self._events[after:], after + 1)
        ]

    def points(self, after: int) -> int:
        """What the first placement after the event of a number scored; 0 if there is none."""
        for _, what in self._events[after:]:
            points = getattr(what, "points", None)
            if points is not None:
                return int(points)
        return 0

    def record(self, tags: Iterable[tuple[str, str]] = ()) -> MatchRecord:
        """Everything so far, all hands known: for the host; for the seats once the match is over."""
        return self._match.record(tags)

    def rounds(self) -> tuple[Round, ...]:
        """All rounds, all hands known: as :meth:`record`."""
        return self._match.rounds

    # Steps

    def apply(self, step: Step) -> None:
        """Make a step, and everything that follows by the rules.

        :raises MoveError: the match is over or not begun, it is another seat's turn, or the move is not legal.
        :raises SniffError: something else breaks a rule. Nothing has changed then.
        """
        if self._state.over:
            raise MoveError("the match is over", reason="MATCH_OVER")
        if self._state is MatchState.WAITING and step.kind in (StepKind.PLACE, StepKind.TAKE_BACK):
            raise MoveError("not all seats have been taken", reason="MATCH_NOT_STARTED")
        happened = _STEPS[step.kind](self, step)
        self._steps.append(step)
        self._events += [(step.time, what) for what in happened]
        self._note()

    def _note(self) -> None:
        """Note what is asked many times between two steps."""
        players = self._setup.match.seats
        self._to_move = self._match.to_move if self._state is MatchState.PLAYING else None
        self._level_to_move = None if self._to_move is None else level_of(players[self._to_move]) or None
        seats = zip(self._names, players, self._joined, strict=True)
        self._seats = tuple(SeatInfo(name, level_of(player), joined) for name, player, joined in seats)

    def _join(self, step: Step) -> list[Happened]:
        seat = _seat(step)
        if self._joined[seat]:
            raise MoveError(f"seat {seat} has been taken", reason="SEAT_TAKEN")
        self._joined[seat] = True
        self._names[seat] = step.text or self._names[seat]
        happened: list[Happened] = [SeatJoined(seat, self._names[seat])]
        if all(self._joined):
            self._state = MatchState.PLAYING
            happened.append(self._dealt())
        return happened

    def _place(self, step: Step) -> list[Happened]:
        seat, round_, before = _seat(step), self._round, self._round.event_count
        decides = self._setup.match.practice and self._setup.match.seats[seat] == HUMAN and round_.seat == seat
        decision = (self.round, len(round_.moves)) if decides and _has_choice(round_) else None
        self._match.place(seat, step.text)
        if decision:
            self._decisions.append(decision)
        happened: list[Happened] = list(round_.history_after(before))
        if self._round.over:
            happened += self._after_round()
        return happened

    def _after_round(self) -> list[Happened]:
        result = self._result(self.round)
        self._results.append(result)
        if self._match.winner is not None:
            self._state, self._winner = MatchState.FINISHED, self._match.winner
            return [result, MatchEnded(self._state, self._winner, None)]
        self._match.next_round()
        return [result, self._dealt()]

    def _take_back(self, step: Step) -> list[Happened]:
        seat = _seat(step)
        if not self._match.take_back(seat):
            raise MoveError("there is no decision to take back", reason="NOTHING_TO_TAKE_BACK")
        self._decisions.pop()
        del self._results[self.round :]
        return [TakenBack(seat, self.round, self._round.event_count)]

    def _resign(self, step: Step) -> list[Happened]:
        self._state, self._resigned = MatchState.RESIGNED, _seat(step)
        if self.players != 3:
            self._winner = 1 - self._resigned % 2
        return [MatchEnded(self._state, self._winner, self._resigned)]

    def _expire(self, step: Step) -> list[Happened]:
        self._state = MatchState.EXPIRED
        return [MatchEnded(self._state, None, None)]

    def _dealt(self) -> Dealt:
        start = self._round.start
        return Dealt(self.round, start.leader, start.scores, start.hands)

    def _last_round(self) -> RoundResult | None:
        return self._results[-1] if self._results else None

    def _result(self, index: int) -> RoundResult:
        round_ = self._match.round_at(index)
        return RoundResult(
            round=index,
            scores=round_.scores,
            settlement=round_.settlement,
            went_out=round_.went_out,
            blocked=round_.blocked,
            next_leader=self._match.leader_after(index),
        )

    # Copies

    def copy(self) -> Self:
        """An independent copy."""
        new = type(self).__new__(type(self))
        for name, value in vars(self).items():
            setattr(new, name, value.copy() if isinstance(value, (list, Match)) else value)
        return new

    def at(self, steps: int) -> Self:
        """The match as it was after its first steps."""
        return type(self)(self._setup, self._steps[:steps])

    def __copy__(self) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._setup, self.steps)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MatchLog):
            return NotImplemented
        return (self._setup, self._steps) == (other._setup, other._steps)

    def __repr__(self) -> str:
        return f"<MatchLog: {self._state}, round {self.round + 1}, event {self.number}>"


def level_of(player: str) -> str:
    """The level of a seat's player; ``""`` for a person."""
    return player.removeprefix(LEVEL) if player.startswith(LEVEL) else ""


def _seat(step: Step) -> int:
    if step.seat is None:
        raise MoveError(f"a step {step.kind} needs a seat", reason="SEAT_MISSING", field="seat")
    return step.seat


def _has_choice(round_: Round) -> bool:
    return len(round_.legal_moves()) > 1 and len(distinct_moves(round_.view(round_.seat))) > 1


def _seen(seat: int, what: Happened) -> Seen:
    """What a seat sees of it."""
    if isinstance(what, Dealt):
        return RoundStarted(what.round, what.leader, what.scores, what.hands[seat])
    if isinstance(what, (SeatJoined, RoundResult, TakenBack, MatchEnded)):
        return what
    return seen_by(seat, what)


_STEPS: Final = {
    StepKind.JOIN: MatchLog._join,
    StepKind.PLACE: MatchLog._place,
    StepKind.TAKE_BACK: MatchLog._take_back,
    StepKind.RESIGN: MatchLog._resign,
    StepKind.EXPIRE: MatchLog._expire,
}
