"""MatchService: hosted matches, from the first deal to the target."""

# ruff: noqa: N802 (methods are named as in the .proto files)

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, Literal

from sniffai import wire
from sniffai.errors import SniffError
from sniffai.explain import prospect, reasons
from sniffai.play.match import MatchSetup
from sniffai.play.match_log import LogSetup, MatchLog, MatchState, StepKind
from sniffai.records.matchfile import format_match
from sniffai.review import Subject
from sniffai.search.searcher import Searcher
from sniffai.seeds import derived_seed
from sniffai.v1 import match_service_pb2 as pb
from sniffai.v1 import match_service_pb2_grpc, notice_pb2
from sniffai.v1.analysis_service_pb2 import PRIORITY_ANALYSIS, AnalyzeMatchRequest
from sniffai.wire.faults import Faults
from sniffai_server.calls.callers import caller_of
from sniffai_server.calls.holdings import Holding
from sniffai_server.calls.refusals import MatchRefusedError
from sniffai_server.load.admission import Priority, admission_of
from sniffai_server.load.budget import Budget, effective_limits
from sniffai_server.load.searches import Searches
from sniffai_server.matches import clock
from sniffai_server.matches.errors import ConflictError
from sniffai_server.matches.host import Host, Invitations, Made, Seat
from sniffai_server.matches.records import Listed
from sniffai_server.matches.terms import Terms
from sniffai_server.matches.tokens import key_hash, looks_like_token, looks_weak, make_token
from sniffai_server.services.notices import names_unknown_fields
from sniffai_server.services.reviews import Reviews, Wanted
from sniffai_server.settings import Settings

SEED_BITS: Final = 256
"""Of a seed that the server chooses: too many for a deal to be found from those before it."""
ALIVE_SECONDS: Final = 15.0
"""Seconds after which a stream without events gets an empty message."""
MAX_WAIT: Final = 30.0
DEFAULT_PAGE: Final = 20
MAX_PAGE: Final = 100
PROOF: Final = 16
"""Hexadecimal digits at the end of a page token."""
VIEW_BYTES: Final = 4096
"""The largest view in the details of an error: gRPC loses larger ones."""

Check = Callable[[MatchLog], None]


class MatchService(match_service_pb2_grpc.MatchServiceServicer):
    """The servicer of MatchService.

    :param watches: how many calls may wait for events.
    """

    def __init__(self, settings: Settings, searches: Searches, host: Host, watches: Holding, reviews: Reviews) -> None:
        self._settings = settings
        self._searches = searches
        self._host = host
        self._watches = watches
        self._reviews = reviews

    @names_unknown_fields
    async def CreateMatch(self, request: pb.CreateMatchRequest, context: Any) -> pb.CreateMatchResponse:
        """A new match."""
        _refuse(
            *_bad_player(request.player_token),
            *wire.bad_key(request.request_id, "request_id", required=False),
            *_needs(request, "request_id", "player_token"),
        )
        asked = wire.read_match_request(request)
        player = request.player_token or make_token()
        terms = self._terms(request, asked, context)
        account = caller_of(context).account
        created = await self._create(
            terms, player, key_hash(request.request_id) if request.request_id else None, account
        )
        return pb.CreateMatchResponse(
            match_id=created.match_id,
            invitations=[
                pb.Invitation(seat=seat, invitation=secret) for seat, secret in sorted(created.by_seat.items())
            ],
            player_token=player,
        )

    @names_unknown_fields
    async def JoinMatch(self, request: pb.JoinMatchRequest, context: Any) -> pb.JoinMatchResponse:
        """A seat taken."""
        faults = Faults()
        name = wire.read_seat_name(request.name, "name", faults)
        faults.add(*_missing(request, "match_id", "invitation"), *_bad_player(request.player_token))
        faults.check()
        player = request.player_token or make_token()
        seat, token = await self._host.join(request.match_id, request.invitation, name, player)
        return pb.JoinMatchResponse(
            seat_token=token,
            player_token=player,
            view=_view(seat, seat.hosted.log),
        )

    @names_unknown_fields
    async def GetView(self, request: pb.GetViewRequest, context: Any) -> pb.GetViewResponse:
        """What a seat may see, at once or after the next event."""
        wait = _wait(request)
        seat = await self._seat(request)
        after = _after(request, seat)
        if wait and after is not None and seat.hosted.log.number <= after:
            with self._watching(context), seat.hosted.held():
                await self._host.next_move(seat.hosted, after, wait)
        log = seat.hosted.log
        return pb.GetViewResponse(
            view=_view(seat, log),
            events=[] if after is None else _events(seat, log, after),
        )

    @names_unknown_fields
    async def PlayMove(self, request: pb.PlayMoveRequest, context: Any) -> pb.PlayMoveResponse:
        """A move, with the draws and passes that follow."""
        _refuse(
            *_missing(request, "match_id", "seat_token", "move"),
            *wire.bad_key(request.idempotency_key, "idempotency_key", required=True),
        )
        move = wire.read_move(request.move, "move")
        seat = await self._seat(request)

        def check(log: MatchLog) -> None:
            self._check_turn(seat, log)
            self._check_fresh(seat, log, request.expected_event)

        try:
            made = await self._host.step(seat, StepKind.PLACE, check, str(move), key_hash(request.idempotency_key))
        except SniffError as error:
            raise wire.located(error, "move") from None
        _check_same(made, StepKind.PLACE, str(move), request.expected_event)
        return pb.PlayMoveResponse(
            points=made.log.points(made.before),
            events=_events(seat, made.log, made.before),
            view=_view(seat, made.log),
        )

    async def WatchMatch(  # type: ignore[override]  # the stubs type a generator; gRPC also accepts this form
        self, request: pb.WatchMatchRequest, context: Any
    ) -> None:
        """What a seat may see, after each change."""
        seat = await self._seat(request)
        hosted, after = seat.hosted, _after(request, seat)
        with self._watching(context), hosted.held():
            log = hosted.log
            first = pb.WatchMatchResponse(
                events=[] if after is None else _events(seat, log, after),
                view=_view(seat, log),
                warnings=wire.unknown_fields(request),
            )
            await context.write(first)
            while not log.state.over:
                await self._host.next_move(hosted, log.number, ALIVE_SECONDS)
                await self._host.background.turn()
                self._host.check_open()
                before, log = log, hosted.log
                if log.number == before.number:
                    await context.write(pb.WatchMatchResponse())
                else:
                    events = _events(seat, log, before.number)
                    await context.write(pb.WatchMatchResponse(events=events, view=_view(seat, log)))

    async def RequestHint(self, request: pb.RequestHintRequest, context: Any) -> pb.RequestHintResponse:
        """What full strength thinks of the seat's moves."""
        _refuse(*wire.bad_max_moves(request.max_moves))
        limits, warnings = effective_limits(wire.read_limits(request.limits), self._settings)
        language_code, unknown_language = wire.language_or_english(request.language_code)
        seat = await self._seat(request)
        log = seat.hosted.log
        if not log.setup.hints:
            raise MatchRefusedError("NO_HINTS", "this match has no hints")
        self._check_turn(seat, log)
        view = log.knowledge(seat.seat)
        searcher = Searcher(view, seed=derived_seed(log.setup.match.seed, "hint", log.number) >> 1)
        admission = admission_of(context, Priority.INTERACTIVE)
        self._searches.check_room(searcher, admission)
        budget = Budget.of(limits, context.time_remaining())
        analysis = await self._searches.run(searcher, budget, admission=admission)
        message = wire.write_analysis(
            analysis,
            [*warnings, *unknown_language, *wire.unknown_fields(request)],
            max_moves=request.max_moves,
            reasons=wire.write_reasons(reasons(view, analysis), language_code),
            prospect=wire.write_reasons(prospect(view, analysis), language_code),
        )
        return pb.RequestHintResponse(analysis=message, event_number=log.number)

    @names_unknown_fields
    async def TakeBack(self, request: pb.TakeBackRequest, context: Any) -> pb.TakeBackResponse:
        """A decision taken back."""
        _refuse(*wire.bad_key(request.idempotency_key, "idempotency_key", required=True))
        seat = await self._seat(request)

        def check(log: MatchLog) -> None:
            self._check_playing(seat, log)
            if not log.setup.match.practice:
                raise MatchRefusedError("NOT_PRACTICE", "decisions are taken back in practice matches only")
            self._check_fresh(seat, log, request.expected_event)
            if not log.view(seat.seat).can_take_back:
                raise MatchRefusedError("NOTHING_TO_TAKE_BACK", "there is no decision to take back", _told(seat, log))

        made = await self._host.step(seat, StepKind.TAKE_BACK, check, key=key_hash(request.idempotency_key))
        _check_same(made, StepKind.TAKE_BACK, "", request.expected_event)
        return pb.TakeBackResponse(
            view=_view(seat, made.log),
            events=_events(seat, made.log, made.before),
        )

    @names_unknown_fields
    async def Resign(self, request: pb.ResignRequest, context: Any) -> pb.ResignResponse:
        """The end of a match that a seat gives up."""
        seat = await self._seat(request)
        log = seat.hosted.log
        while not log.state.over:
            try:
                log = (await self._host.step(seat, StepKind.RESIGN, _goes_on)).log
            except _OverError:
                log = seat.hosted.log
        return pb.ResignResponse(view=_view(seat, log))

    @names_unknown_fields
    async def ListMatches(self, request: pb.ListMatchesRequest, context: Any) -> pb.ListMatchesResponse:
        """A page of a player's matches."""
        player, asked = request.player_token, request.page_size
        _refuse(*_missing(request, "player_token"), *_bad_player(player))
        if asked < 0:
            text = f"1 to {MAX_PAGE}, or 0 for {DEFAULT_PAGE}, is expected, not {asked}"
            _refuse(wire.Violation("page_size", "NUMBER_OUT_OF_RANGE", text))
        cut = wire.warning("page_size", "CLAMPED", f"a page has at most {MAX_PAGE} matches, not {asked}")
        size = min(asked or DEFAULT_PAGE, MAX_PAGE)
        before = _page(request.page_token, player)
        listed = await self._host.listed(player, size + 1, before, request.running_only)
        more = len(listed) > size
        return pb.ListMatchesResponse(
            matches=map(_summary, listed[:size]),
            next_page_token=_page_token(listed[size - 1].created, listed[size - 1].match_id, player) if more else "",
            warnings=[cut] if asked > size else [],
        )

    @names_unknown_fields
    async def ExportRecord(self, request: pb.ExportRecordRequest, context: Any) -> pb.ExportRecordResponse:
        """The record of a match: the whole of it once it is over, before that what the seat knows."""
        seat = await self._seat(request)
        log = seat.hosted.log
        if not log.state.over:
            started = log.state is not MatchState.WAITING
            views = [wire.write_view(round_.view(seat.seat)) for round_ in log.rounds()] if started else []
            return pb.ExportRecordResponse(views=views)
        names = [info.name or info.level for info in log.seats]
        tags = [(f"Seat{i}", name) for i, name in enumerate(names) if name]
        return pb.ExportRecordResponse(
            match=wire.write_record(log.rounds(), names), text=format_match(log.record(tags))
        )

    async def ReviewMatch(  # type: ignore[override]  # as WatchMatch
        self, request: pb.ReviewMatchRequest, context: Any
    ) -> None:
        """The review of a match that is over, piece by piece."""
        asked = AnalyzeMatchRequest(
            limits=request.limits, language_code=request.language_code, priority=PRIORITY_ANALYSIS
        )
        question = wire.read_review(asked)
        seat = await self._seat(request)
        log = seat.hosted.log
        if not log.state.over:
            raise MatchRefusedError("MATCH_NOT_OVER", "a match is reviewed once it is over")
        rounds = [round_ for round_ in log.rounds() if round_.moves]
        if not rounds:
            raise MatchRefusedError("NOTHING_TO_REVIEW", "no tile was placed")
        tags = tuple((f"Seat{i}", info.name or info.level) for i, info in enumerate(log.seats))

        def read() -> tuple[Subject, list[notice_pb2.Warning]]:
            return Subject.of_rounds(rounds, tags), wire.unknown_fields(request)

        await self._reviews.review(Wanted(question, read, pb.ReviewMatchResponse, False, request.page), context)

    # Parts of calls

    async def _seat(self, request: Any) -> Seat:
        """The seat of a request's token."""
        _refuse(*_missing(request, "match_id", "seat_token"))
        return await self._host.seat(request.match_id, request.seat_token)

    def _terms(self, request: pb.CreateMatchRequest, asked: wire.MatchRequest, context: Any) -> Terms:
        """How a match begins."""
        seed = secrets.randbits(SEED_BITS) if asked.seed is None else asked.seed
        setup = LogSetup(
            match=MatchSetup(asked.seats, seed, asked.scores, asked.practice),
            names=asked.names,
            hints=asked.hints,
            wait=round(self._settings.match_wait_seconds * clock.MICROSECONDS),
            idle=round(self._settings.match_idle_seconds * clock.MICROSECONDS),
            created=clock.now(),
        )
        caller = caller_of(context)
        plain = pb.CreateMatchRequest()
        plain.CopyFrom(request)
        plain.ClearField("player_token")
        digest = hashlib.sha256(plain.SerializeToString(deterministic=True)).hexdigest()
        return Terms(setup, asked.level_limits, caller.name, caller.best, caller.weight, digest)

    async def _create(self, terms: Terms, player: str, request_hash: bytes | None, account: str) -> Invitations:
        """Create a match, or find the one that the same request created."""
        while True:
            stored = None if request_hash is None else await self._host.made_with(player, request_hash)
            if stored is not None:
                match_id, earlier = stored
                if earlier.request != terms.request:
                    _refuse(wire.Violation("request_id", "KEY_REUSED", "another request had this id"))
                return await self._host.invite_again(match_id)
            try:
                return await self._host.create(terms, player, request_hash, account)
            except ConflictError:
                if request_hash is None:
                    raise

    def _check_playing(self, seat: Seat, log: MatchLog) -> None:
        if log.state.over:
            raise MatchRefusedError("MATCH_OVER", "the match is over", _told(seat, log))
        if log.state is MatchState.WAITING:
            raise MatchRefusedError("MATCH_NOT_STARTED", "not all seats have been taken", _told(seat, log))

    def _check_turn(self, seat: Seat, log: MatchLog) -> None:
        self._check_playing(seat, log)
        if log.to_move != seat.seat:
            text = f"it is the turn of seat {log.to_move}, not of seat {seat.seat}"
            raise MatchRefusedError("NOT_YOUR_TURN", text, _told(seat, log))

    def _check_fresh(self, seat: Seat, log: MatchLog, expected: int) -> None:
        if log.number != expected:
            text = f"the last event is {log.number}, not {expected}"
            raise MatchRefusedError("STALE_VIEW", text, _told(seat, log))

    @contextmanager
    def _watching(self, context: Any) -> Iterator[None]:
        """Count a call that waits for events.

        :raises HeldError: too many wait.
        """
        caller = caller_of(context).name
        self._watches.take(caller)
        try:
            yield
        finally:
            self._watches.give(caller)


class _OverError(Exception):
    """The match is over meanwhile."""


def _goes_on(log: MatchLog) -> None:
    if log.state.over:
        raise _OverError


def _view(seat: Seat, log: MatchLog) -> pb.MatchView:
    return seat.hosted.pages.view(log, seat.seat)


def _told(seat: Seat, log: MatchLog) -> pb.MatchView:
    """The view for an error: as much of it as the details of an error can hold."""
    view = pb.MatchView()
    view.CopyFrom(_view(seat, log))
    parts: tuple[Literal["legal_moves", "layout", "view"], ...] = ("legal_moves", "layout", "view")
    for part in parts:
        if view.ByteSize() > VIEW_BYTES:
            view.ClearField(part)
    return view


def _events(seat: Seat, log: MatchLog, after: int) -> list[pb.MatchEvent]:
    return seat.hosted.pages.events(log, seat.seat, after)


def _after(request: pb.GetViewRequest | pb.WatchMatchRequest, seat: Seat) -> int | None:
    """The number of the event after which to go on.

    :raises WireError: there is no such event.
    """
    if not request.HasField("after_event"):
        return None
    last = seat.hosted.log.number
    if not 0 <= request.after_event <= last:
        text = f"0 to {last} is expected, the number of the last event, not {request.after_event}"
        _refuse(wire.Violation("after_event", "EVENT_OUT_OF_RANGE", text))
    return request.after_event


def _wait(request: pb.GetViewRequest) -> float:
    if not request.HasField("wait"):
        return 0.0
    seconds = request.wait.seconds + request.wait.nanos / 1e9
    gaps = wire.bad_duration(request.wait, "wait")
    if not 0 <= seconds <= MAX_WAIT:
        gaps.append(wire.Violation("wait", "LIMIT_OUT_OF_RANGE", f"0 to {MAX_WAIT:g} seconds are expected"))
    _refuse(*gaps)
    return seconds


def _check_same(made: Made, kind: StepKind, text: str, expected: int) -> None:
    """Refuse a key that another request had."""
    if (made.step.kind, made.step.text, made.before) != (kind, text, expected):
        _refuse(wire.Violation("idempotency_key", "KEY_REUSED", "another request of this seat had this key"))


def _summary(listed: Listed) -> pb.MatchSummary:
    summary = json.loads(listed.summary)
    seats = [pb.SeatInfo(name=name, level=level, joined=joined) for name, level, joined in summary["seats"]]
    return pb.MatchSummary(
        match_id=listed.match_id,
        status=wire.STATES[MatchState(listed.state)],
        seats=seats,
        own_seats=listed.own_seats,
        scores=summary["scores"],
        round=summary["round"],
        create_time=wire.write_time(listed.created),
        update_time=wire.write_time(listed.updated),
        winner=summary["winner"],
    )


def _page_token(created: int, match_id: str, player: str) -> str:
    """Where the page of a player after a match begins, with a proof that this service has said so."""
    text = f"{created}.{match_id}"
    proof = hmac.new(player.encode(), text.encode(), "sha256").hexdigest()[:PROOF]
    return base64.urlsafe_b64encode(f"{text}.{proof}".encode()).decode().rstrip("=")


def _page(token: str, player: str) -> tuple[int, str] | None:
    """Where a page begins.

    :raises WireError: it is none of this service's tokens for this player.
    """
    if not token:
        return None
    with suppress(ValueError):
        text = base64.urlsafe_b64decode(token[:128] + "=" * (-len(token) % 4)).decode()
        created, match_id, _ = text.split(".")
        if hmac.compare_digest(_page_token(int(created), match_id, player), token):
            return int(created), match_id
    text = "a next_page_token of the same player is expected, as it was given"
    raise wire.WireError(wire.Violation("page_token", "BAD_PAGE_TOKEN", text))


def _missing(request: Any, *fields: str) -> list[wire.Violation]:
    """A violation for each of these fields that is not set."""
    absent = [
        field for field in fields if not (request.HasField(field) if field == "move" else getattr(request, field))
    ]
    return [wire.Violation(field, "REQUIRED", f"{field} must be given") for field in absent]


def _needs(request: Any, field: str, other: str) -> list[wire.Violation]:
    if getattr(request, field) and not getattr(request, other):
        return [wire.Violation(other, "REQUIRED", f"{field} needs {other}")]
    return []


def _bad_player(token: str) -> list[wire.Violation]:
    if not token or (looks_like_token(token) and not looks_weak(token)):
        return []
    text = "32 random bytes in URL-safe base64 are expected, 43 characters"
    if looks_like_token(token):
        text += "; these are not random, so others could guess them"
    return [wire.Violation("player_token", "BAD_TOKEN", text)]


def _refuse(*violations: wire.Violation) -> None:
    """:raises WireError: there is a violation."""
    if violations:
        raise wire.WireError(*violations)
