"""A match in progress: people and levels at one table, from the first deal to the target.

:class:`Match` deals, referees by the rules, plays the seats of levels, settles and names the next leader. Whoever hosts
a match uses it: the terminal game and a server alike. What it holds is not for its players: a seat is told what
:meth:`Match.situation` says, and nothing else.

Everything that is left to chance follows from the seed: see :class:`Lots`. So a match is its setup and its placements,
and the same placements lead to the same match, after a take-back or after an interruption as well.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Self

from sniffai.checks import check_seat, keep, read_flag, read_integers, read_whole, shown
from sniffai.errors import LimitsError, MoveError
from sniffai.moves import Move, MoveLike
from sniffai.play.levels import named_player
from sniffai.play.players import Player
from sniffai.records.record import MatchRecord
from sniffai.round import Round
from sniffai.rules import PLAYERS, TEAMS
from sniffai.search.candidates import distinct_moves
from sniffai.search.params import Limits
from sniffai.seeds import derived_seed
from sniffai.view import View
from sniffai.watch import Watch

HUMAN: Final = "human"
"""In the place of a player's name: a person decides."""

SIMULATIONS: Final = 50_000
"""Of a search whose player names no limits: about a tenth of a second."""

MAX_SIMULATIONS: Final = 10**9
"""More than any search of a game takes."""

MAX_MATCH_SEED: Final = 2**256 - 1
"""A seed of 256 random bits cannot be found from the deals of finished rounds, so it does not tell the next deal."""


@dataclass(frozen=True, slots=True)
class Lots:
    """The seeds of one match: each deal, each round's decisions and each lot for the lead has one of its own."""

    parts: tuple[int, ...]
    """Whole numbers from 0 that name the match."""

    def first(self, players: int, leader: int | None = None, scores: Iterable[int] | None = None) -> Round:
        """The first round.

        :param leader: a random seat if not given.
        :param scores: points before it, one number a team; all 0 if not given.
        :raises ViewError: a number is out of range.
        """
        return Round.deal(players, derived_seed(*self.parts, 0), leader, scores)

    def following(self, before: Round, index: int) -> Round:
        """The round after one that has ended without a winner of the match.

        :param before: round ``index`` of the match, from 0.
        """
        deal = derived_seed(*self.parts, index + 1)
        return Round.deal(before.players, deal, self.leader_after(before, index), before.scores)

    def leader_after(self, before: Round, index: int) -> int:
        """Who leads then: the seat that went out, after a blocked round a random one (docs/rules.md §2)."""
        return before.next_leader(derived_seed(*self.parts, index, 2))

    def decisions(self, index: int) -> int:
        """The seed of a round's decisions."""
        return derived_seed(*self.parts, index, 1)


def decide(player: Player, round_: Round, watch: Watch, seed: int, placed: int) -> Move:
    """What a player places now: the only legal move, or what it chooses of several, knowing what its seat may know.

    :param watch: of this round.
    :param seed: of the round's decisions.
    :param placed: tiles on the table: each decision gets a seed of its own by its place in the round.
    """
    moves = round_.legal_moves()
    return moves[0] if len(moves) == 1 else player.choose(watch.view(round_.seat), derived_seed(seed, placed))


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """How a match begins.

    :raises LimitsError: there are not 2..4 seats, or the seed or the number of simulations is out of range.
    :raises ViewError: the scores are no whole numbers.
    """

    seats: tuple[str, ...]
    """By seat: :data:`HUMAN`, or a player's name such as ``"level:club"``: see
    :func:`sniffai.play.levels.named_player`."""
    seed: int = 0
    """0..2**256-1; decides every lot."""
    scores: tuple[int, ...] | None = None
    """Points to start from, one number a team; all 0 if not given."""
    practice: bool = False
    """Whether placements may be taken back."""
    simulations: int = SIMULATIONS
    """Of every search whose player names no limits; from 1."""

    def __post_init__(self) -> None:
        if not isinstance(self.seats, tuple):
            message = f"a tuple of names is expected, not {shown(self.seats)}"
            raise LimitsError(message, reason="WRONG_TYPE", field="seats")
        if len(self.seats) not in PLAYERS:
            raise LimitsError(
                f"a match has 2..4 seats, not {len(self.seats)}", reason="PLAYERS_OUT_OF_RANGE", field="seats"
            )
        keep(self, "seed", read_whole(self.seed, "seed", 0, MAX_MATCH_SEED))
        keep(self, "practice", read_flag(self.practice, "practice"))
        keep(self, "simulations", read_whole(self.simulations, "simulations", 1, MAX_SIMULATIONS))
        given = (0,) * TEAMS[len(self.seats)] if self.scores is None else self.scores
        keep(self, "scores", read_integers(given, "scores"))

    @property
    def players(self) -> int:
        """Seats, 2..4."""
        return len(self.seats)

    def player(self, seat: int) -> Player | None:
        """Who plays at a seat; ``None`` where a person does.

        :raises LimitsError: there is no such player; ``field`` is such as ``"seats[1]"``.
        """
        name = self.seats[seat]
        if name == HUMAN:
            return None
        try:
            return named_player(name, Limits(simulations=self.simulations))
        except LimitsError as error:
            raise LimitsError(error.message, reason=error.reason, field=f"seats[{seat}]") from None


@dataclass(frozen=True, slots=True)
class Situation:
    """All that one seat may know of a match now."""

    round: int
    """The number of the round, from 0."""
    view: View
    """What the seat knows of it."""
    scores: tuple[int, ...]
    """Points now, one number a team; after the end of the round with the settlement in."""
    settlement: tuple[int, ...] = ()
    """What each seat's hand cost its team at the end of the round, by seat; empty before, and where the target was
    reached."""
    next_leader: int | None = None
    """Who leads the next round, once this one is over and the match is not."""
    winner: int | None = None
    """The team that has won the match."""
    resigned: int | None = None
    """The seat that has given the match up."""
    expired: bool = False
    """Whether the match ended because nothing happened for too long."""

    @property
    def match_over(self) -> bool:
        """Whether the match has ended, in whatever way."""
        return self.winner is not None or self.resigned is not None or self.expired


class Match:
    """A match from its setup on. One thread uses it at a time.

    A search may think outside of the match: :meth:`asked` says what a level has to decide, :meth:`place` places it.

    :param rounds: those that were played, the last one perhaps unfinished; by default the first is dealt.
    :raises LimitsError: a seat's player does not exist; ``field`` is such as ``"seats[1]"``.
    :raises ViewError: not one score a team to start from, or one that has reached the target.
    """

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __init__(self, setup: MatchSetup, rounds: Iterable[Round] = ()) -> None:
        self._setup = setup
        self._players = tuple(setup.player(seat) for seat in range(setup.players))
        self._lots = Lots((setup.seed,))
        # All that changes: a signal that comes between two steps leaves a match that can be saved.
        self._rounds = [round_.copy() for round_ in rounds] or [self._lots.first(setup.players, None, setup.scores)]
        self._watch = Watch(self._rounds[-1])
        self._watched = self._rounds[-1]

    @property
    def setup(self) -> MatchSetup:
        """How it began."""
        return self._setup

    @property
    def rounds(self) -> tuple[Round, ...]:
        """Copies of all rounds, with all hands known: for the host, not for a seat."""
        return tuple(round_.copy() for round_ in self._rounds)

    @property
    def current(self) -> Round:
        """The round in play, with all hands known. It is shared: not to be changed."""
        return self._rounds[-1]

    @property
    def round_count(self) -> int:
        """How many rounds have been dealt."""
        return len(self._rounds)

    def round_at(self, index: int) -> Round:
        """A round by its number, from 0. It is shared: not to be changed."""
        return self._rounds[index]

    def leader_after(self, index: int) -> int | None:
        """Who leads after a round that is over; ``None`` if that round won the match."""
        round_ = self._rounds[index]
        return None if round_.match_winner is not None else self._lots.leader_after(round_, index)

    @property
    def to_move(self) -> int | None:
        """The seat to place a tile; ``None`` where the round or the match is over."""
        round_ = self._rounds[-1]
        return None if round_.over else round_.seat

    @property
    def winner(self) -> int | None:
        """The team that has won; ``None`` while the match goes on."""
        return self._rounds[-1].match_winner

    @property
    def over(self) -> bool:
        """Whether a team has won."""
        return self.winner is not None

    def situation(self, seat: int) -> Situation:
        """All that a seat may know now.

        :raises ViewError: there is no such seat.
        """
        self._check_seat(seat)
        round_, index = self._rounds[-1], len(self._rounds) - 1
        view = self._knowledge().view(seat)
        if not round_.over:
            return Situation(index, view, round_.scores)
        return Situation(index, view, round_.scores, round_.settlement, self.leader_after(index), self.winner)

    # Play

    def place(self, seat: int, move: MoveLike) -> int:
        """Make a placement for a seat, and everything forced that follows. Returns the points.

        :raises ViewError: there is no such seat.
        :raises TileError: the tile does not exist.
        :raises MoveError: it is not the seat's turn, or the move is not legal.
        """
        self._check_seat(seat)
        round_ = self._rounds[-1]
        if not round_.over and round_.seat != seat:
            message = f"it is the turn of seat {round_.seat}, not of seat {seat}"
            raise MoveError(message, reason="WRONG_SEAT", field="seat")
        return round_.play(move)

    def asked(self) -> tuple[Player, View, int] | None:
        """The level that is to choose now, what its seat knows, and the seed of its decision.

        ``None`` where a person is to move, where there is only one move, and where the round is over.
        """
        round_ = self._rounds[-1]
        player = None if round_.over else self._players[round_.seat]
        if player is None or len(round_.legal_moves()) == 1:
            return None
        return player, self._knowledge().view(round_.seat), self.decision_seed()

    def decision_seed(self) -> int:
        """The seed of the decision that is due now."""
        return derived_seed(self._lots.decisions(len(self._rounds) - 1), len(self._rounds[-1].moves))

    def step(self) -> bool:
        """Let the level whose turn it is place a tile; ``False`` where it is up to a person, or the round is over."""
        round_ = self._rounds[-1]
        player = None if round_.over else self._players[round_.seat]
        if player is None:
            return False
        seed = self._lots.decisions(len(self._rounds) - 1)
        round_.play(decide(player, round_, self._knowledge(), seed, len(round_.moves)))
        return True

    def next_round(self) -> None:
        """Deal the next round.

        :raises MoveError: this one is not over, or the match is.
        """
        round_ = self._rounds[-1]
        if not round_.over:
            raise MoveError("the round is not over", reason="ROUND_UNFINISHED")
        if self.over:
            raise MoveError("the match is over", reason="MATCH_OVER")
        self._rounds.append(self._lots.following(round_, len(self._rounds) - 1))

    def take_back(self, seat: int) -> bool:
        """Go back to the seat's last decision, in this round or one before: where the rules left it a choice.

        :return: whether there was one.
        :raises MoveError: it is no practice match.
        :raises ViewError: there is no such seat.
        """
        self._check_seat(seat)
        if not self._setup.practice:
            raise MoveError("placements are taken back in practice matches only", reason="NOT_PRACTICE")
        for index in range(len(self._rounds) - 1, -1, -1):
            before = _last_decision(self._rounds[index], seat)
            if before is not None:
                self._rounds[index:] = [before]
                return True
        return False

    # Records

    def record(self, tags: Iterable[tuple[str, str]] = ()) -> MatchRecord:
        """Everything so far, all hands known: for the host; for the players once the match is over.

        :raises RecordError: a tag is no name and text.
        """
        return MatchRecord.of(self._rounds, dict(tags))

    def record_for(self, seat: int) -> MatchRecord | tuple[View, ...]:
        """What a seat may take home: the whole record of a match that is over, before that its view of every round.

        :raises ViewError: there is no such seat.
        """
        self._check_seat(seat)
        if self.over:
            return self.record()
        return tuple(round_.view(seat) for round_ in self._rounds)

    def _check_seat(self, seat: int) -> None:
        check_seat(seat if type(seat) is int else -1, self._setup.players, "seat")

    def _knowledge(self) -> Watch:
        """What every seat knows of the round in play."""
        if self._watched is not self._rounds[-1]:
            self._watch, self._watched = Watch(self._rounds[-1]), self._rounds[-1]
        return self._watch

    # Copies

    def copy(self) -> Self:
        """An independent copy. It shares the rounds that are over, which never change, and what their seats know."""
        new = type(self).__new__(type(self))
        new._setup, new._players, new._lots = self._setup, self._players, self._lots
        round_ = self._rounds[-1].copy()
        new._rounds = [*self._rounds[:-1], round_]
        new._watch, new._watched = self._knowledge().of_copy(round_), round_
        return new

    def __copy__(self) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._setup, self.rounds)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Match):
            return NotImplemented
        return (self._setup, self._rounds) == (other._setup, other._rounds)

    def __repr__(self) -> str:
        return f"<Match of {', '.join(self._setup.seats)}: round {len(self._rounds)}>"


def _last_decision(round_: Round, seat: int) -> Round | None:
    """The round as it was when a seat last placed a tile and had a choice; ``None`` where it had none."""
    before, replayed = None, Round.from_deal(round_.start)
    for move in round_.moves:
        if replayed.seat == seat and len(distinct_moves(replayed.view(seat))) > 1:
            before = replayed.copy()
        replayed.play(move)
    return before
