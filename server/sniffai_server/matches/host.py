"""The host of matches: who may sit where, and what its seats do.

Nothing is shown before it is on disk: see :mod:`~sniffai_server.matches.steps`.
"""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sniffai.play.match_log import MatchLog, Step, StepKind
from sniffai_server.calls.refusals import (
    ClosingError,
    HeldError,
    InvitationError,
    MatchRefusedError,
    UnknownMatchError,
)
from sniffai_server.matches import clock
from sniffai_server.matches.background import Background
from sniffai_server.matches.errors import ConflictError, TooManyError
from sniffai_server.matches.hosted import Hosted, standing_of
from sniffai_server.matches.levels import LevelSeats
from sniffai_server.matches.memory import Memory
from sniffai_server.matches.observed import MatchObserver
from sniffai_server.matches.opponents import Opponents
from sniffai_server.matches.records import Listed, NewMatch, SeatSecrets
from sniffai_server.matches.steps import Steps, next_time
from sniffai_server.matches.tasks import Tasks, to_the_end
from sniffai_server.matches.terms import Terms
from sniffai_server.matches.tokens import hash_of, make_match_id, make_token, matches_hash
from sniffai_server.matches.upkeep import Upkeep
from sniffai_server.settings import Settings

if TYPE_CHECKING:
    from sniffai_server.matches.store import Store

SAME_REQUEST: Final = clock.DAY
"""Microseconds for which the same request id gives the same match."""


@dataclass(frozen=True, slots=True)
class Seat:
    """One seat of a match, as its token allows."""

    hosted: Hosted
    seat: int


@dataclass(frozen=True, slots=True)
class Made:
    """A step that was made, now or at an earlier call with the same key."""

    log: MatchLog
    """The match after it."""
    before: int
    """The number of the last event before it."""

    @property
    def step(self) -> Step:
        """The step."""
        return self.log.steps[-1]


@dataclass(frozen=True, slots=True)
class Invitations:
    """A match that was created, and who may join it."""

    match_id: str
    by_seat: dict[int, str]
    """The invitation to each seat that can be joined."""


class Host:
    """Hosts matches. Created inside a running event loop.

    :param levels: thinks for the seats of levels.
    :param observer: is told what happens.
    """

    _store: "Store"
    memory: Memory
    """The matches in memory; set by :meth:`start`, like :attr:`upkeep`."""
    upkeep: Upkeep
    """What happens by itself."""

    def __init__(self, settings: Settings, levels: LevelSeats, observer: MatchObserver) -> None:
        self._settings = settings
        self._observer = observer
        self._levels = levels
        self._started = False
        self._tasks = Tasks()
        self.background = Background()
        """The turns of work that lets the calls go first."""
        self._closing = False

    # Start and end

    async def start(self, store: "Store", *, lasting: bool) -> None:
        """Go on with all matches where they were. Nothing else may be called before.

        :param lasting: whether the store may hold matches of an earlier server.
        :raises DatabaseError: the database cannot be used.
        """
        self._store, self._started = store, True
        owner = secrets.token_hex(16)
        self.memory = Memory(store, self._tasks, self._on_load)
        self._steps = Steps(store, self.memory, self._observer, owner, self._on_step)
        self._opponents = Opponents(
            store, self.memory, self._steps, self._levels, self._tasks, self.background, self._observer, owner
        )
        self.upkeep = Upkeep(self._settings, store, self.memory, self._steps, self._opponents, lasting=lasting)
        if lasting:
            await store.ready()
            self._tasks.spawn(self._opponents.resume())
        self._tasks.spawn(self.upkeep.sweep())
        if store.shared:
            self._tasks.spawn(self.upkeep.look())

    def _on_load(self, hosted: Hosted) -> None:
        if not self._store.shared:
            self._opponents.start(hosted)

    def _on_step(self, hosted: Hosted) -> None:
        self._opponents.start(hosted)

    @property
    def counts(self) -> dict[str, int]:
        """How many matches there are, by state, at the last look."""
        return self.upkeep.counts if self._started else {}

    def finish(self) -> None:
        """Let everyone who waits know that the server is shutting down, and stop thinking."""
        self._closing = True
        if self._started:
            self._opponents.finish()
            self._store.hurry()
            for hosted in self.memory.matches.values():
                hosted.wake()
        self._tasks.cancel()

    def close(self) -> None:
        """Finish what is being stored. May be called from any thread."""
        if self._started:
            self._store.close()

    def check_open(self) -> None:
        """:raises ClosingError: the server is shutting down."""
        if self._closing:
            raise ClosingError

    async def next_move(self, hosted: Hosted, number: int, seconds: float) -> None:
        """Wait until a match has an event after that of a number, the time is over, or the server shuts down."""
        if not self._closing:  # finish() wakes only those who wait already
            await hosted.next_move(number, seconds)

    # Matches and seats

    async def create(self, terms: Terms, player: str, request_hash: bytes | None, account: str) -> Invitations:
        """Create a match.

        :param player: the token of who creates it.
        :param account: whose place it takes: see :attr:`Caller.account`.
        :raises HeldError: too many matches are in play.
        :raises ConflictError: the player has made another match with the same request id meanwhile.
        """
        match_log = MatchLog(terms.log)
        people = [seat for seat, info in enumerate(match_log.seats) if not info.level]
        invitations = {seat: make_token() for seat in people}
        hashes = tuple(hash_of(invitations[seat]) if seat in invitations else None for seat in range(match_log.players))
        new = NewMatch(make_match_id(), terms, standing_of(match_log), hashes, hash_of(player), request_hash, account)
        try:
            await self._store.create(new, self._settings.max_matches)
        except TooManyError as error:
            raise HeldError("TOO_MANY_MATCHES", f"{error.limit:,} matches in play", own=error.own) from None
        self.memory.keep(
            Hosted(new.match_id, terms, match_log, tuple(SeatSecrets(invitation=hashed) for hashed in hashes))
        )
        return Invitations(new.match_id, invitations)

    async def made_with(self, player: str, request_hash: bytes) -> tuple[str, Terms] | None:
        """The match that a player made with a request id within a day; ``None`` if there is none."""
        stored = await self._store.made_with(hash_of(player), request_hash)
        if stored is None:
            return None
        match_id, created = stored
        hosted = await self.memory.find(match_id)
        if hosted is None or created < clock.now() - SAME_REQUEST:
            await self._store.forget_request(hash_of(player), request_hash)
            return None
        return match_id, hosted.terms

    async def invite_again(self, match_id: str) -> Invitations:
        """New invitations to the seats whose invitations are not used up."""
        hosted = await self.memory.match(match_id)
        async with hosted.lock:
            fresh = {
                seat: make_token()
                for seat, seat_secrets in enumerate(hosted.seats)
                if seat_secrets.invitation is not None
            }
            hashes = {seat: hash_of(token) for seat, token in fresh.items()}
            renewed = await self._store.invite_again(match_id, hashes.items())
            for seat in renewed:
                hosted.seats[seat] = SeatSecrets(hashes[seat], hosted.seats[seat].token)
        return Invitations(match_id, {seat: fresh[seat] for seat in renewed})

    async def join(self, match_id: str, invitation: str, name: str, player: str) -> tuple[Seat, str]:
        """Take a seat; returns it and its token.

        :raises InvitationError: the invitation is unknown or used up.
        """
        hosted = await self.memory.find_current(match_id)
        if hosted is None:
            matches_hash(invitation, None)
            raise InvitationError
        if self._store.shared:
            await self.memory.read_seats(hosted)
        seat = next(
            (i for i, seat_secrets in enumerate(hosted.seats) if matches_hash(invitation, seat_secrets.invitation)),
            None,
        )
        if seat is None:
            raise InvitationError
        token = make_token()
        await to_the_end(self._join(hosted, seat, invitation, name, token, hash_of(player)))
        return Seat(hosted, seat), token

    async def _join(self, hosted: Hosted, seat: int, invitation: str, name: str, token: str, player: bytes) -> None:
        async with hosted.lock:
            invited = hosted.seats[seat].invitation
            if not matches_hash(invitation, invited) or invited is None:
                raise InvitationError
            if hosted.log.seats[seat].joined:
                if not await self._store.replace_token(hosted.match_id, seat, invited, hash_of(token), player):
                    hosted.seats[seat] = SeatSecrets(None, hosted.seats[seat].token)
                    raise InvitationError
            elif hosted.log.state.over:
                raise MatchRefusedError("MATCH_OVER", "the match is over")
            else:
                step = Step(StepKind.JOIN, next_time(hosted.log), seat, name)
                await self._steps.make(hosted, step, None, hash_of(token), player)
            hosted.seats[seat] = SeatSecrets(invited, hash_of(token))

    async def seat(self, match_id: str, token: str) -> Seat:
        """The seat of a token.

        :raises UnknownMatchError: there is no such match, or the token is not of one of its seats.
        """
        hosted = await self.memory.find_current(match_id)
        if hosted is None:
            matches_hash(token, None)
            raise UnknownMatchError
        seat = self._seat_of(hosted, token)
        if seat is None and self._store.shared and await self.memory.read_seats(hosted):
            seat = self._seat_of(hosted, token)
        if seat is None:
            raise UnknownMatchError
        if hosted.seats[seat].invitation is not None:
            await self._use_up(hosted, seat, token)
        await self.upkeep.expire_if_due(hosted)
        return Seat(hosted, seat)

    @staticmethod
    def _seat_of(hosted: Hosted, token: str) -> int | None:
        seats = [seat for seat, seat_secrets in enumerate(hosted.seats) if matches_hash(token, seat_secrets.token)]
        return seats[0] if seats else None

    async def _use_up(self, hosted: Hosted, seat: int, token: str) -> None:
        """Use up a seat's invitation, since its token has come into use."""
        async with hosted.lock:
            if hosted.seats[seat].invitation is None:
                return
            if not await self._store.use_up(hosted.match_id, seat, hash_of(token)):
                raise UnknownMatchError
            hosted.seats[seat] = SeatSecrets(None, hosted.seats[seat].token)

    async def listed(self, player: str, size: int, before: tuple[int, str] | None, running_only: bool) -> list[Listed]:
        """A player's matches, newest first: see :meth:`Store.listed`."""
        return await self._store.listed(hash_of(player), size, before, running_only)

    # Steps

    async def step(
        self, seat: Seat, kind: StepKind, check: Callable[[MatchLog], None], text: str = "", key: bytes | None = None
    ) -> Made:
        """Make a step for a seat.

        :param check: raises an error if the match, as it is now, does not allow the step.
        :param key: the hash of an idempotency key: a step that was made with it is not made again.
        :raises StoreUnavailableError: it could not be stored.
        """
        return await to_the_end(self._step(seat, kind, check, text, key))

    async def _step(
        self, seat: Seat, kind: StepKind, check: Callable[[MatchLog], None], text: str, key: bytes | None
    ) -> Made:
        hosted = seat.hosted
        async with hosted.lock:
            while True:
                if key is not None and (seat.seat, key) in hosted.keys:
                    return await asyncio.to_thread(_made_before, hosted.log, hosted.keys[seat.seat, key])
                check(hosted.log)
                before = hosted.log.number
                step = Step(kind, next_time(hosted.log), seat.seat, text)
                try:
                    await self._steps.make(hosted, step, key)
                except ConflictError:
                    continue
                return Made(hosted.log, before)


def _made_before(match_log: MatchLog, number: int) -> Made:
    """A step that was made at an earlier call."""
    before = match_log.at(number - 1)
    after = before.copy()
    after.apply(match_log.steps[number - 1])
    return Made(after, before.number)
