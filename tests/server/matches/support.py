"""A match as a client plays it."""

import base64
import hashlib
import itertools
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc

from sniffai.v1 import match_service_pb2 as pb
from sniffai.v1 import match_service_pb2_grpc, move_pb2
from tests.server.support import TIMEOUT, running_server

_keys = itertools.count()


def token_of(number: int) -> str:
    """A token that looks random, the same each time."""
    return base64.urlsafe_b64encode(hashlib.sha256(str(number).encode()).digest()).decode().rstrip("=")


class Player:
    """One seat of a match, over a channel."""

    def __init__(self, stub: Any, match_id: str, invitation: str, **fields: Any) -> None:
        self.stub = stub
        joined = stub.JoinMatch(
            pb.JoinMatchRequest(match_id=match_id, invitation=invitation, **fields), timeout=TIMEOUT
        )
        self.player_token = joined.player_token
        self.own = {"match_id": match_id, "seat_token": joined.seat_token}
        self.view: pb.MatchView = joined.view

    def look(self, wait: float = 0.0) -> pb.MatchView:
        """The view now, or after the next event."""
        request = pb.GetViewRequest(**self.own, after_event=self.view.event_number)
        request.wait.FromMilliseconds(round(wait * 1000))
        self.view = self.stub.GetView(request, timeout=TIMEOUT).view
        return self.view

    def play(self, move: move_pb2.Move, key: str = "", expected: int | None = None) -> pb.PlayMoveResponse:
        request = pb.PlayMoveRequest(
            **self.own,
            move=move,
            expected_event=self.view.event_number if expected is None else expected,
            idempotency_key=key or str(next(_keys)),
        )
        response: pb.PlayMoveResponse = self.stub.PlayMove(request, timeout=TIMEOUT)
        self.view = response.view
        return response

    @property
    def moves(self) -> list[move_pb2.Move]:
        """The moves that the view lists."""
        return [legal.move for legal in self.view.legal_moves]

    def go_on(self, lots: random.Random, moves: int = 10**6) -> pb.MatchView:
        """Play until the end, or so many moves."""
        while moves and self.view.status == pb.MATCH_STATUS_PLAYING:
            if self.view.action == move_pb2.ACTION_PLAY:
                self.play(lots.choice(self.moves))
                moves -= 1
            else:
                self.look(5)
        return self.view


def create(stub: Any, *seats: str, **fields: Any) -> pb.CreateMatchResponse:
    """A match of ``"human"`` and levels."""
    setups = [{"human": {}} if seat == "human" else {"level": seat} for seat in seats]
    request = pb.CreateMatchRequest(seats=setups, **fields)  # type: ignore[arg-type]  # plain dictionaries
    response: pb.CreateMatchResponse = stub.CreateMatch(request, timeout=TIMEOUT)
    return response


def sit_down(stub: Any, *seats: str, **fields: Any) -> list[Player]:
    """A new match, and a player at each human seat."""
    made = create(stub, *seats, **fields)
    return [Player(stub, made.match_id, one.invitation, player_token=made.player_token) for one in made.invitations]


@contextmanager
def matches(**settings: Any) -> Iterator[Any]:
    """The stub of a running server whose levels move at once."""
    with running_server(**{"level_pause": 0.0, **settings}) as server, stub_of(server.address) as stub:
        yield stub


@contextmanager
def stub_of(address: str) -> Iterator[Any]:
    with grpc.insecure_channel(address) as channel:
        yield match_service_pb2_grpc.MatchServiceStub(channel)
