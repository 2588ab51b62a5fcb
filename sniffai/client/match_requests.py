"""Requests about hosted matches."""

import secrets
from collections.abc import Iterable, Mapping
from typing import Any, Final

from google.protobuf.duration_pb2 import Duration

from sniffai import wire
from sniffai.checks import as_real, read_flag, read_integers, read_whole, shown
from sniffai.client.arguments import (
    MAX_TEXT,
    check_each,
    check_limits,
    check_names,
    check_seed,
    check_text,
)
from sniffai.client.requests import MAX_LEVEL, MAX_LISTED, WireMove, move_message
from sniffai.errors import LimitsError, SniffError
from sniffai.names import read_name
from sniffai.play.match import HUMAN
from sniffai.search.params import Limits
from sniffai.v1 import match_service_pb2 as pb

MAX_ID: Final = 256
"""Maximum length of an id or token, in characters."""
MAX_KEY: Final = 64
MAX_WAIT: Final = 30.0
MAX_PAGE: Final = 100
MAX_EVENT: Final = 2**63 - 1
TOKEN_BYTES: Final = 32
"""Random bytes of a player's token."""
KEY_BYTES: Final = 16
"""Random bytes of a key that the client chooses."""


def create_request(
    seats: Iterable[str],
    names: Iterable[str],
    scores: Iterable[int],
    seed: int | None,
    hints: bool,
    practice: bool,
    level_limits: Limits | None,
    player_token: str | None,
    request_id: str | None,
    unknown: Mapping[str, Any],
) -> pb.CreateMatchRequest:
    """A request for a match."""
    check_names(unknown, _CREATE)
    named = check_each(names, "names", lambda name: read_name(name, ""))
    setups = check_each(seats, "seats", _setup)
    if len(named) > len(setups):
        raise LimitsError(f"there are {len(setups)} seats, not {len(named)}", reason="TOO_MANY_VALUES", field="names")
    for setup, name in zip(setups, named, strict=False):
        setup.name = name
    limits = check_limits(level_limits)
    own_id = check_text(request_id, "request_id", MAX_KEY)
    token = check_text(player_token, "player_token", MAX_ID)
    return pb.CreateMatchRequest(
        seats=setups,
        scores=read_integers(scores, "scores"),
        seed=check_seed(seed),
        hints=read_flag(hints, "hints"),
        practice=read_flag(practice, "practice"),
        level_limits=None if limits is None else wire.write_limits(limits),
        # With a token and an id of its own, a request that is sent again by itself creates no second match. An id
        # of the caller is for later requests, so its player must be the caller's, too: the server says so.
        player_token=token or ("" if own_id else make_player_token()),
        request_id=own_id or _new_key(),
    )


_CREATE: Final = (
    *("seats", "names", "scores", "seed", "hints", "practice", "level_limits", "player_token", "request_id", "timeout"),
)


def join_request(
    match_id: str, invitation: str, name: str | None, player_token: str | None, unknown: Mapping[str, Any]
) -> pb.JoinMatchRequest:
    """A request for a seat."""
    check_names(unknown, ("match_id", "invitation", "name", "player_token", "timeout"))
    return pb.JoinMatchRequest(
        match_id=check_text(match_id, "match_id", MAX_ID),
        invitation=check_text(invitation, "invitation", MAX_ID),
        name=read_name(name or "", "name"),
        player_token=check_text(player_token, "player_token", MAX_ID) or make_player_token(),
    )


def view_request(
    match_id: str, seat_token: str, after_event: int | None, wait: float | None, unknown: Mapping[str, Any]
) -> pb.GetViewRequest:
    """A request for what a seat may see."""
    check_names(unknown, (*_SEAT, "after_event", "wait"))
    request = pb.GetViewRequest(**_seat(match_id, seat_token), after_event=_event(after_event, "after_event"))
    if wait is not None:
        duration = Duration()
        duration.FromNanoseconds(round(_wait(wait) * 1e9))
        request.wait.CopyFrom(duration)
    return request


def play_request(
    match_id: str,
    seat_token: str,
    move: WireMove,
    expected_event: int,
    idempotency_key: str | None,
    unknown: Mapping[str, Any],
) -> pb.PlayMoveRequest:
    """A request to play a move."""
    check_names(unknown, (*_SEAT, "move", "expected_event", "idempotency_key"))
    try:
        message = move_message(move)
    except SniffError as error:
        raise error.at("move") from None
    return pb.PlayMoveRequest(
        **_seat(match_id, seat_token),
        move=message,
        expected_event=read_whole(expected_event, "expected_event", 0, MAX_EVENT),
        idempotency_key=_key(idempotency_key),
    )


def watch_request(
    match_id: str, seat_token: str, after_event: int | None, unknown: Mapping[str, Any]
) -> pb.WatchMatchRequest:
    """A request for a stream of what a seat may see."""
    check_names(unknown, (*_SEAT, "after_event"))
    return pb.WatchMatchRequest(**_seat(match_id, seat_token), after_event=_event(after_event, "after_event"))


def hint_request(
    match_id: str,
    seat_token: str,
    limits: Limits | None,
    max_moves: int | None,
    language_code: str | None,
    unknown: Mapping[str, Any],
) -> pb.RequestHintRequest:
    """A request for a hint."""
    check_names(unknown, (*_SEAT, "limits", "max_moves", "language_code"))
    return pb.RequestHintRequest(
        **_seat(match_id, seat_token),
        limits=_limits(limits),
        max_moves=0 if max_moves is None else read_whole(max_moves, "max_moves", 0, MAX_LISTED),
        language_code=check_text(language_code, "language_code", MAX_TEXT),
    )


def take_back_request(
    match_id: str, seat_token: str, expected_event: int, idempotency_key: str | None, unknown: Mapping[str, Any]
) -> pb.TakeBackRequest:
    """A request to take a decision back."""
    check_names(unknown, (*_SEAT, "expected_event", "idempotency_key"))
    return pb.TakeBackRequest(
        **_seat(match_id, seat_token),
        expected_event=read_whole(expected_event, "expected_event", 0, MAX_EVENT),
        idempotency_key=_key(idempotency_key),
    )


def resign_request(match_id: str, seat_token: str, unknown: Mapping[str, Any]) -> pb.ResignRequest:
    """A request to give up."""
    check_names(unknown, _SEAT)
    return pb.ResignRequest(**_seat(match_id, seat_token))


def list_request(
    player_token: str,
    page_size: int | None,
    page_token: str | None,
    running_only: bool,
    unknown: Mapping[str, Any],
) -> pb.ListMatchesRequest:
    """A request for a player's matches."""
    check_names(unknown, ("player_token", "page_size", "page_token", "running_only", "timeout"))
    return pb.ListMatchesRequest(
        player_token=check_text(player_token, "player_token", MAX_ID),
        page_size=0 if page_size is None else read_whole(page_size, "page_size", 1, MAX_PAGE),
        page_token=check_text(page_token, "page_token", MAX_ID),
        running_only=read_flag(running_only, "running_only"),
    )


def export_request(match_id: str, seat_token: str, unknown: Mapping[str, Any]) -> pb.ExportRecordRequest:
    """A request for a record."""
    check_names(unknown, _SEAT)
    return pb.ExportRecordRequest(**_seat(match_id, seat_token))


def review_request(
    match_id: str,
    seat_token: str,
    limits: Limits | None,
    language_code: str | None,
    page: bool,
    unknown: Mapping[str, Any],
) -> pb.ReviewMatchRequest:
    """A request for a review."""
    check_names(unknown, (*_SEAT, "limits", "language_code", "page"))
    return pb.ReviewMatchRequest(
        **_seat(match_id, seat_token),
        limits=_limits(limits),
        language_code=check_text(language_code, "language_code", MAX_TEXT),
        page=read_flag(page, "page"),
    )


_SEAT: Final = ("match_id", "seat_token", "timeout")
"""Keywords of every call for a seat."""


def _seat(match_id: str, seat_token: str) -> dict[str, Any]:
    return {
        "match_id": check_text(match_id, "match_id", MAX_ID),
        "seat_token": check_text(seat_token, "seat_token", MAX_ID),
    }


def _setup(seat: str) -> pb.SeatSetup:
    """Who plays at a seat."""
    name = check_text(seat, "", MAX_LEVEL)
    return pb.SeatSetup(human=pb.HumanSeat()) if name == HUMAN else pb.SeatSetup(level=name)


def _event(number: int | None, field: str) -> Any:
    return None if number is None else read_whole(number, field, 0, MAX_EVENT)


def _wait(seconds: float) -> float:
    number = as_real(seconds)
    if number is None:
        raise LimitsError(f"a number of seconds is expected, not {shown(seconds)}", reason="NOT_A_NUMBER", field="wait")
    if not 0 <= number <= MAX_WAIT:
        raise LimitsError(
            f"0 to {MAX_WAIT:g} seconds are expected, not {shown(seconds)}", reason="OUT_OF_RANGE", field="wait"
        )
    return float(number)


def _limits(limits: Limits | None) -> Any:
    checked = check_limits(limits)
    return None if checked is None else wire.write_limits(checked)


def _key(key: str | None) -> str:
    """An idempotency key: that of the caller, or a new one, so that a call that is sent again plays once."""
    return check_text(key, "idempotency_key", MAX_KEY) or _new_key()


def make_player_token() -> str:
    """A new player's token. Kept before the first call, it finds that call's match even if the answer gets lost."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def _new_key() -> str:
    return secrets.token_urlsafe(KEY_BYTES)
