"""The calls about hosted matches, as :mod:`sniffai.client.calls` describes the others."""

from collections.abc import Iterable
from typing import Final, Unpack

from sniffai.client import match_requests as requests
from sniffai.client.calls import Call
from sniffai.client.connection import DEFAULT_TIMEOUT, MAX_TIMEOUT, REVIEW_TIMEOUT
from sniffai.client.requests import NoWishes, WireMove
from sniffai.search.params import Limits
from sniffai.v1 import match_service_pb2 as pb

WATCH_TIMEOUT: Final = MAX_TIMEOUT
"""Seconds for which a match is watched, unless the caller says otherwise."""


def create_match(
    seats: Iterable[str],
    *,
    names: Iterable[str] = (),
    scores: Iterable[int] = (),
    seed: int | None = None,
    hints: bool = False,
    practice: bool = False,
    level_limits: Limits | None = None,
    player_token: str | None = None,
    request_id: str | None = None,
    timeout: float | None = None,
    **unknown: Unpack[NoWishes],
) -> Call[pb.CreateMatchResponse]:
    """Create a match. The server deals, referees and plays the seats of levels.

    :param seats: who plays, 2 to 4: ``"human"``, or the name of a level.
    :param names: shown to all seats, in the order of the seats.
    :param scores: the teams' points to start from, one number a team; all 0 if not given.
    :param seed: decides every deal; the server chooses one that nobody learns if not given.
    :param hints: whether :meth:`request_hint` answers.
    :param practice: whether :meth:`take_back` is allowed.
    :param level_limits: of levels without limits of their own.
    :param player_token: the player that creates it; a new player if not given (see :func:`make_player_token`).
    :param request_id: the same id of the same player gives the same match; a new id if not given.
    :raises ServiceError: a seat is invalid, too many matches are in play, or the server cannot be reached.
    """
    request = requests.create_request(
        seats, names, scores, seed, hints, practice, level_limits, player_token, request_id, unknown
    )
    return Call(lambda stubs: stubs.matches.CreateMatch, request, timeout)


def join_match(
    match_id: str,
    invitation: str,
    *,
    name: str | None = None,
    player_token: str | None = None,
    timeout: float | None = None,
    **unknown: Unpack[NoWishes],
) -> Call[pb.JoinMatchResponse]:
    """Take a seat by an invitation; the answer has the seat's token.

    :param name: shown to all seats.
    :raises ServiceError: the invitation is unknown or used up, or the server cannot be reached.
    """
    request = requests.join_request(match_id, invitation, name, player_token, unknown)
    return Call(lambda stubs: stubs.matches.JoinMatch, request, timeout)


def get_view(
    match_id: str,
    seat_token: str,
    *,
    after_event: int | None = None,
    wait: float | None = None,
    timeout: float | None = None,
    **unknown: Unpack[NoWishes],
) -> Call[pb.GetViewResponse]:
    """What a seat may see now, or after the next event.

    :param after_event: list the events after this one.
    :param wait: seconds to wait for one, 0..30.
    :raises ServiceError: there is no such match, the token is wrong, or the server cannot be reached.
    """
    request = requests.view_request(match_id, seat_token, after_event, wait, unknown)
    longest = timeout if timeout is not None or not wait else wait + DEFAULT_TIMEOUT
    return Call(lambda stubs: stubs.matches.GetView, request, longest)


def play_move(
    match_id: str,
    seat_token: str,
    move: WireMove,
    expected_event: int,
    *,
    idempotency_key: str | None = None,
    timeout: float | None = None,
    **unknown: Unpack[NoWishes],
) -> Call[pb.PlayMoveResponse]:
    """Play a move, with the draws and passes that follow.

    :param expected_event: the ``event_number`` of the view in which the move was chosen.
    :param idempotency_key: the same key plays at most one move; a new one if not given.
    :raises ServiceError: it is another seat's turn, more has happened (then ``view`` is the view now), the move is not
        legal, or the server cannot be reached.
    """
    request = requests.play_request(match_id, seat_token, move, expected_event, idempotency_key, unknown)
    return Call(lambda stubs: stubs.matches.PlayMove, request, timeout)


def watch_match(
    match_id: str,
    seat_token: str,
    *,
    after_event: int | None = None,
    timeout: float = WATCH_TIMEOUT,
    **unknown: Unpack[NoWishes],
) -> Call[pb.WatchMatchResponse]:
    """What a seat may see, now and after each change, until the end of the match.

    If the connection is lost, watch again after the last event that came.

    :param after_event: list the events after this one first; 0 lists all.
    :param timeout: seconds for the whole stream; a day if not given.
    """
    request = requests.watch_request(match_id, seat_token, after_event, unknown)
    return Call(lambda stubs: stubs.matches.WatchMatch, request, timeout)


def request_hint(
    match_id: str,
    seat_token: str,
    limits: Limits | None = None,
    *,
    max_moves: int | None = None,
    language_code: str | None = None,
    timeout: float | None = None,
    **unknown: Unpack[NoWishes],
) -> Call[pb.RequestHintResponse]:
    """What full strength thinks of the seat's moves, from what the seat knows.

    :param max_moves: maximum number of moves to list, best first; 0 for all.
    :param language_code: of the reasons' text, such as ``"ja"``.
    :raises ServiceError: the match has no hints, it is another seat's turn, or the server cannot be reached.
    """
    request = requests.hint_request(match_id, seat_token, limits, max_moves, language_code, unknown)
    return Call(lambda stubs: stubs.matches.RequestHint, request, timeout)


def take_back(
    match_id: str,
    seat_token: str,
    expected_event: int,
    *,
    idempotency_key: str | None = None,
    timeout: float | None = None,
    **unknown: Unpack[NoWishes],
) -> Call[pb.TakeBackResponse]:
    """Go back to the seat's last decision.

    :raises ServiceError: it is no practice match, there is no decision to take back, or the server cannot be reached.
    """
    request = requests.take_back_request(match_id, seat_token, expected_event, idempotency_key, unknown)
    return Call(lambda stubs: stubs.matches.TakeBack, request, timeout)


def resign(
    match_id: str, seat_token: str, *, timeout: float | None = None, **unknown: Unpack[NoWishes]
) -> Call[pb.ResignResponse]:
    """End the match: the seat's team loses.

    :raises ServiceError: there is no such match, the token is wrong, or the server cannot be reached.
    """
    request = requests.resign_request(match_id, seat_token, unknown)
    return Call(lambda stubs: stubs.matches.Resign, request, timeout)


def list_matches(
    player_token: str,
    *,
    page_size: int | None = None,
    page_token: str | None = None,
    running_only: bool = False,
    timeout: float | None = None,
    **unknown: Unpack[NoWishes],
) -> Call[pb.ListMatchesResponse]:
    """A page of a player's matches, newest first.

    :param page_size: maximum number of matches, 1..100; 20 if not given.
    :param page_token: ``next_page_token`` of the page before.
    :param running_only: whether to leave out matches that are over.
    :raises ServiceError: a token is invalid, or the server cannot be reached.
    """
    request = requests.list_request(player_token, page_size, page_token, running_only, unknown)
    return Call(lambda stubs: stubs.matches.ListMatches, request, timeout)


def export_record(
    match_id: str, seat_token: str, *, timeout: float | None = None, **unknown: Unpack[NoWishes]
) -> Call[pb.ExportRecordResponse]:
    """The record of a match: all hands once it is over, before that what the seat knows of each round.

    :raises ServiceError: there is no such match, the token is wrong, or the server cannot be reached.
    """
    request = requests.export_request(match_id, seat_token, unknown)
    return Call(lambda stubs: stubs.matches.ExportRecord, request, timeout)


def review_match(
    match_id: str,
    seat_token: str,
    limits: Limits | None = None,
    *,
    language_code: str | None = None,
    page: bool = False,
    timeout: float = REVIEW_TIMEOUT,
    **unknown: Unpack[NoWishes],
) -> Call[pb.ReviewMatchResponse]:
    """The review of a match that is over: each placement and draw when it is finished, then the summary.

    :param page: whether the last message also holds the review as one HTML page.
    :param timeout: seconds for the whole review; an hour if not given.
    """
    request = requests.review_request(match_id, seat_token, limits, language_code, page, unknown)
    return Call(lambda stubs: stubs.matches.ReviewMatch, request, timeout)
