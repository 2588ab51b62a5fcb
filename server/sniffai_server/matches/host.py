"""The host of matches: it keeps those in use in memory, makes their steps one after the other, and stores each first.

Nothing is shown before it is on disk: a step is made on a copy of the match, stored, and only then does the copy take
the match's place. If other servers share the database, each question first reads what they have stored.
"""

import asyncio
import contextlib
import contextvars
import logging
import secrets
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sniffai.errors import SniffError
from sniffai.moves import Move
from sniffai.play.match_log import MatchLog, Step, StepKind
from sniffai_server.calls.current import CALL, Call, current_call
from sniffai_server.calls.refusals import (
    ClosingError,
    HeldError,
    InvitationError,
    MatchRefusedError,
    StoreUnavailableError,
    UnknownMatchError,
)
from sniffai_server.matches import clock
from sniffai_server.matches.errors import ConflictError, TooManyError
from sniffai_server.matches.hosted import Hosted, standing_of
from sniffai_server.matches.levels import LevelSeats
from sniffai_server.matches.observed import MatchObserver
from sniffai_server.matches.records import LEASE_SECONDS, Change, Listed, NewMatch, SeatSecrets
from sniffai_server.matches.terms import Terms
from sniffai_server.matches.tokens import hash_of, looks_like_match_id, make_match_id, make_token, matches_hash
from sniffai_server.settings import Settings

if TYPE_CHECKING:
    from sniffai_server.matches.store import Store

T = TypeVar("T")

KEPT: Final = 2000
"""Matches in memory, besides those in use."""
LOOK_SECONDS: Final = 0.2
"""Seconds between two looks at what other servers have stored."""
SWEEP_SECONDS: Final = 5.0
"""Seconds between two looks for matches that have expired, or whose level nobody thinks for."""
RETRY_SECONDS: Final = 1.0
"""Seconds after which a level's move is tried again if the database has failed."""
SAME_REQUEST: Final = clock.DAY
"""Microseconds for which the same request id gives the same match."""
SHARE: Final = 4
"""One caller may have the total of matches divided by this number."""

log = logging.getLogger(__name__)


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

    def __init__(self, settings: Settings, levels: LevelSeats, observer: MatchObserver) -> None:
        self._settings = settings
        self._observer = observer
        self._levels = levels
        self._lasting = False
        self._started = False
        self._name = secrets.token_hex(16)
        """This server, in leases."""
        self.counts: dict[str, int] = {}
        """How many matches there are, by state, at the last look."""
        self._matches: OrderedDict[str, Hosted] = OrderedDict()
        self._loading: dict[str, asyncio.Task[Hosted | None]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closing = False

    # Start and end

    async def start(self, store: "Store", *, lasting: bool) -> None:
        """Go on with all matches where they were. Nothing else may be called before.

        :param lasting: whether the store may hold matches of an earlier server.
        :raises DatabaseError: the database cannot be used.
        """
        self._store, self._lasting, self._started = store, lasting, True
        if lasting:
            await self._store.ready()
            self._spawn(self._take_over(leased=not self._store.shared))
        self._spawn(self._sweep())
        if self._store.shared:
            self._spawn(self._look())

    def finish(self) -> None:
        """Let everyone who waits know that the server is shutting down, and stop thinking."""
        self._closing = True
        for hosted in self._matches.values():
            hosted.wake()
        for task in self._tasks:
            task.cancel()

    def close(self) -> None:
        """Finish what is being stored. May be called from any thread."""
        if self._started:
            self._store.close()

    def check_open(self) -> None:
        """:raises ClosingError: the server is shutting down."""
        if self._closing:
            raise ClosingError

    # Matches and seats

    async def create(self, terms: Terms, player: str, request_hash: bytes | None) -> Invitations:
        """Create a match.

        :param player: the token of who creates it.
        :raises HeldError: too many matches are in play.
        :raises ConflictError: the player has made another match with the same request id meanwhile.
        """
        match_log = MatchLog(terms.log)
        people = [seat for seat, info in enumerate(match_log.seats) if not info.level]
        invitations = {seat: make_token() for seat in people}
        hashes = tuple(hash_of(invitations[seat]) if seat in invitations else None for seat in range(match_log.players))
        new = NewMatch(make_match_id(), terms, standing_of(match_log), hashes, hash_of(player), request_hash)
        most = self._settings.max_matches
        share = max(1, most // SHARE)
        try:
            await self._store.create(new, most, share)
        except TooManyError as error:
            limit = f"{share if error.own else most:,} matches in play"
            raise HeldError("TOO_MANY_MATCHES", limit, own=error.own) from None
        self._keep(Hosted(new.match_id, terms, match_log, tuple(SeatSecrets(invitation=one) for one in hashes)))
        return Invitations(new.match_id, invitations)

    async def made_with(self, player: str, request_hash: bytes) -> tuple[str, Terms] | None:
        """The match that a player made with a request id within a day; ``None`` if there is none."""
        found = await self._store.made_with(hash_of(player), request_hash)
        if found is None:
            return None
        match_id, created = found
        hosted = await self._find(match_id)
        if hosted is None or created < clock.now() - SAME_REQUEST:
            await self._store.forget_request(hash_of(player), request_hash)
            return None
        return match_id, hosted.terms

    async def invite_again(self, match_id: str) -> Invitations:
        """New invitations to the seats whose invitations are not used up."""
        hosted = await self._match(match_id)
        async with hosted.lock:
            fresh = {seat: make_token() for seat, one in enumerate(hosted.seats) if one.invitation is not None}
            hashes = {seat: hash_of(token) for seat, token in fresh.items()}
            renewed = await self._store.invite_again(match_id, hashes.items())
            for seat in renewed:
                hosted.seats[seat] = SeatSecrets(hashes[seat], hosted.seats[seat].token)
        return Invitations(match_id, {seat: fresh[seat] for seat in renewed})

    async def join(self, match_id: str, invitation: str, name: str, player: str) -> tuple[Seat, str]:
        """Take a seat; returns it and its token.

        :raises InvitationError: the invitation is unknown or used up.
        """
        hosted = await self._find(match_id)
        if hosted is None:
            matches_hash(invitation, None)
            raise InvitationError
        if self._store.shared:
            await self._read_changes(hosted)
            await self._read_seats(hosted)
        seat = next((i for i, one in enumerate(hosted.seats) if matches_hash(invitation, one.invitation)), None)
        if seat is None:
            raise InvitationError
        token = make_token()
        await self._shielded(self._join(hosted, seat, invitation, name, token, hash_of(player)))
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
                step = Step(StepKind.JOIN, _next_time(hosted.log), seat, name)
                await self._store_step(hosted, step, None, hash_of(token), player)
            hosted.seats[seat] = SeatSecrets(invited, hash_of(token))

    async def seat(self, match_id: str, token: str) -> Seat:
        """The seat of a token.

        :raises UnknownMatchError: there is no such match, or the token is not of one of its seats.
        """
        hosted = await self._find(match_id)
        if hosted is None:
            matches_hash(token, None)
            raise UnknownMatchError
        await self._read_changes(hosted)
        seat = self._seat_of(hosted, token)
        if seat is None and self._store.shared and await self._read_seats(hosted):
            seat = self._seat_of(hosted, token)
        if seat is None:
            raise UnknownMatchError
        if hosted.seats[seat].invitation is not None:
            await self._use_up(hosted, seat, token)
        await self._expire_if_due(hosted)
        return Seat(hosted, seat)

    @staticmethod
    def _seat_of(hosted: Hosted, token: str) -> int | None:
        found = [seat for seat, one in enumerate(hosted.seats) if matches_hash(token, one.token)]
        return found[0] if found else None

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
        return await self._shielded(self._step(seat, kind, check, text, key))

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
                step = Step(kind, _next_time(hosted.log), seat.seat, text)
                try:
                    await self._store_step(hosted, step, key)
                except ConflictError:
                    continue
                return Made(hosted.log, before)

    async def _store_step(
        self,
        hosted: Hosted,
        step: Step,
        key: bytes | None = None,
        token: bytes | None = None,
        player: bytes | None = None,
    ) -> None:
        """Make a step, store it, then show it. The match's lock is held.

        :raises ConflictError: another server has stored another one; it has been read.
        :raises StoreUnavailableError: it could not be stored.
        """
        after = hosted.log.copy()
        after.apply(step)
        change = Change(
            match_id=hosted.match_id,
            number=after.step_count,
            step=step,
            standing=standing_of(after),
            key_hash=key,
            lease_owner=self._name if after.level_to_move is not None else "",
            token=token,
            player=player,
        )
        try:
            await self._store.append(change)
        except (ConflictError, StoreUnavailableError) as error:
            with contextlib.suppress(StoreUnavailableError):
                await self._read_again(hosted)
            # A change that seemed to fail may have been stored: then the key tells.
            raise (ConflictError if hosted.log.step_count >= change.number else StoreUnavailableError)() from error
        if key is not None:
            hosted.keys[step.seat, key] = change.number
        by = "server" if step.seat is None else "level" if hosted.log.seats[step.seat].level else "person"
        self._observer.stepped(step.kind, by)
        self._show(hosted, after)

    def _show(self, hosted: Hosted, after: MatchLog) -> None:
        """Show a log that is stored, and think if a level is to move."""
        hosted.move_on(after)
        if hosted.choice is not None:
            hosted.choice.cancel()
        self._start_level(hosted)

    # Levels

    def _start_level(self, hosted: Hosted) -> None:
        """Think, if a level is to move."""
        if hosted.log.level_to_move is not None and hosted.thinking is None and not self._closing:
            hosted.thinking = self._spawn(self._think(hosted))

    async def _think(self, hosted: Hosted) -> None:
        """Play for levels until a person is to move."""
        try:
            while hosted.log.level_to_move is not None and not self._closing:
                try:
                    if not await self._play_level(hosted):
                        return
                except StoreUnavailableError:
                    await asyncio.sleep(RETRY_SECONDS)
        finally:
            hosted.thinking = None

    async def _play_level(self, hosted: Hosted) -> bool:
        """Play one move of a level; false if that is not, or no longer, up to this server."""
        match_log = hosted.log
        if self._store.shared and not await self._store.claim(hosted.match_id, self._name):
            return False
        hosted.choice = self._spawn(self._choose(hosted, match_log))
        try:
            await asyncio.wait({hosted.choice})
            move = None if hosted.choice.cancelled() else hosted.choice.result()
        finally:
            hosted.choice.cancel()
            hosted.choice = None
        if move is None:
            return hosted.log is not match_log
        async with hosted.lock:
            if hosted.log is match_log:
                step = Step(StepKind.PLACE, _next_time(match_log), match_log.to_move, str(move))
                with contextlib.suppress(ConflictError):
                    await self._shielded(self._store_step(hosted, step))
        return True

    async def _choose(self, hosted: Hosted, match_log: MatchLog) -> Move | None:
        """The move of a level, once it may be shown."""
        since, loop = hosted.since, asyncio.get_running_loop()
        renewing = self._spawn(self._renew(hosted)) if self._store.shared else None
        try:
            move = await self._levels.choose(match_log, hosted.terms)
            if move is not None:
                await asyncio.sleep(self._levels.pause(match_log, hosted.terms, loop.time() - since))
            return move
        finally:
            self._observer.level_searched(current_call())
            if renewing is not None:
                renewing.cancel()

    async def _renew(self, hosted: Hosted) -> None:
        """Keep the right to think for a level."""
        while True:
            await asyncio.sleep(LEASE_SECONDS / 3)
            with contextlib.suppress(StoreUnavailableError):
                await self._store.claim(hosted.match_id, self._name)

    async def _take_over(self, *, leased: bool) -> None:
        """Think in the matches in which a level is to move and nobody thinks."""
        for match_id in await self._store.level_due(leased=leased):
            known = self._matches.get(match_id)
            if known is not None and known.thinking is not None:
                continue
            if self._store.shared and not await self._store.claim(match_id, self._name):
                continue
            hosted = await self._find(match_id)
            if hosted is not None:
                await self._read_changes(hosted)
                self._start_level(hosted)

    # Memory

    async def _match(self, match_id: str) -> Hosted:
        hosted = await self._find(match_id)
        if hosted is None:
            raise UnknownMatchError
        return hosted

    async def _find(self, match_id: str) -> Hosted | None:
        """A match, from memory or from the store."""
        hosted = self._matches.get(match_id)
        if hosted is not None:
            self._matches.move_to_end(match_id)
            return hosted
        if not looks_like_match_id(match_id):
            return None
        loading = self._loading.get(match_id)
        if loading is None:
            loading = self._loading[match_id] = self._spawn(self._load(match_id))
            loading.add_done_callback(lambda _: self._loading.pop(match_id, None))
        return await asyncio.shield(loading)

    async def _load(self, match_id: str) -> Hosted | None:
        stored = await self._store.load(match_id)
        if stored is None:
            return None
        match_log = await asyncio.to_thread(MatchLog, stored.terms.log, [one.step for one in stored.steps])
        hosted = Hosted.of(stored, match_log)
        self._keep(hosted)
        if not self._store.shared:
            self._start_level(hosted)
        return hosted

    def _keep(self, hosted: Hosted) -> None:
        self._matches[hosted.match_id] = hosted
        if len(self._matches) > KEPT:
            for match_id in [one for one, match in self._matches.items() if not match.busy][
                : len(self._matches) - KEPT
            ]:
                del self._matches[match_id]

    async def _read_changes(self, hosted: Hosted) -> None:
        """Read what other servers have stored of a match."""
        if self._store.shared:
            counts = await self._store.step_counts([hosted.match_id])
            if counts.get(hosted.match_id, 0) > hosted.log.step_count:
                async with hosted.lock:
                    await self._read_again(hosted)

    async def _read_again(self, hosted: Hosted) -> None:
        """Bring a match in memory up to what is stored. Its lock is held."""
        stored = await self._store.load(hosted.match_id, hosted.log.step_count)
        if stored is None:
            return
        hosted.seats = list(stored.seats)
        if not stored.steps:
            return
        after = hosted.log.copy()
        for one in stored.steps:
            after.apply(one.step)
            if one.key_hash is not None:
                hosted.keys[one.step.seat, one.key_hash] = after.step_count
        hosted.move_on(after)
        if hosted.choice is not None:
            hosted.choice.cancel()

    async def _read_seats(self, hosted: Hosted) -> bool:
        """Read the secrets of a match again; whether they differ."""
        stored = await self._store.load(hosted.match_id, hosted.log.step_count)
        if stored is None or list(stored.seats) == hosted.seats:
            return False
        hosted.seats = list(stored.seats)
        return True

    # What happens by itself

    async def _expire_if_due(self, hosted: Hosted) -> None:
        """End a match in which nothing has happened for too long."""
        expires = hosted.log.expires
        if expires is None or expires > clock.now():
            return

        async def expire() -> None:
            async with hosted.lock:
                due = hosted.log.expires
                if due is not None and due <= clock.now():
                    with contextlib.suppress(ConflictError):
                        await self._store_step(hosted, Step(StepKind.EXPIRE, _next_time(hosted.log)))

        await self._shielded(expire())

    async def _sweep(self) -> None:
        """From time to time end, remove and take over matches."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            if not self._lasting and not self._matches:
                continue  # a database in memory that nobody has used
            try:
                await self._look_after()
            except (StoreUnavailableError, SniffError) as error:
                log.error("the sweep of matches failed: %s", error)

    async def _look_after(self) -> None:
        """End matches that have expired, remove old ones, and take over those whose levels nobody thinks for."""
        for match_id in await self._store.expired(clock.now()):
            hosted = await self._find(match_id)
            if hosted is not None:
                await self._read_changes(hosted)
                await self._expire_if_due(hosted)
        if self._settings.match_keep_days:
            await self._store.remove_old(clock.now() - int(self._settings.match_keep_days * clock.DAY))
        if self._store.shared:
            await self._take_over(leased=False)
        self.counts = await self._store.counts()

    async def _look(self) -> None:
        """From time to time read what other servers have stored of matches that someone waits for."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            waited = [match for match in self._matches.values() if match.busy]
            if not waited:
                continue
            with contextlib.suppress(StoreUnavailableError):
                counts = await self._store.step_counts([match.match_id for match in waited])
                for match in waited:
                    if counts.get(match.match_id, 0) > match.log.step_count:
                        async with match.lock:
                            await self._read_again(match)

    def _spawn(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        """Run something beside all calls: what it does counts for none of them."""
        context = contextvars.Context()
        context.run(CALL.set, Call(method="matches"))
        task = asyncio.get_running_loop().create_task(work, context=context)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("hosting a match failed", exc_info=task.exception())

    async def _shielded(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something to its end, even if the caller goes away meanwhile."""
        return await asyncio.shield(asyncio.ensure_future(work))


def _made_before(match_log: MatchLog, number: int) -> Made:
    """A step that was made at an earlier call."""
    before = match_log.at(number - 1)
    after = before.copy()
    after.apply(match_log.steps[number - 1])
    return Made(after, before.number)


def _next_time(match_log: MatchLog) -> int:
    """The time of a step that is made now: never before the step before it."""
    return max(clock.now(), match_log.changed)
