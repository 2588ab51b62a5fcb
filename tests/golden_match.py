"""A hosted match as recorded in ``tests/data/match_answers.json``, to the byte: every call of MatchService, in order.

Tokens, ids and clock are fixed, and the script leaves nothing to chance, so the same server gives the same bytes.
``python -m tests.golden_answers`` plays it again and writes the file.
"""

import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import grpc

from sniffai_server.matches import clock, tokens
from tests.golden_answers import answered
from tests.server.matches.support import token_of
from tests.server.support import running_server

FILE = Path(__file__).parent / "data" / "match_answers.json"
TIME = 1_790_000_000_000_000
"""The only moment there is, in microseconds since 1970."""
PLAYER = token_of(0)
LIMITS = {"simulations": "200"}
SETUP = {
    "seats": [{"human": {}, "name": "Ann"}, {"level": "casual", "name": "Bob"}],
    "seed": "5",
    "scores": [200, 205],
    "hints": True,
    "practice": True,
    "level_limits": LIMITS,
    "player_token": PLAYER,
    "request_id": "first",
}


@contextmanager
def still() -> Iterator[None]:
    """No chance and no clock."""
    numbers = itertools.count(1)
    fixed = SimpleNamespace(
        token_urlsafe=lambda size: token_of(next(numbers)), token_hex=lambda size: f"{next(numbers):0{2 * size}x}"
    )
    with mock.patch.object(tokens, "secrets", fixed), mock.patch.object(clock, "now", return_value=TIME):
        yield


class Script:
    """The calls of one match, and their answers."""

    def __init__(self, channel: grpc.Channel) -> None:
        self._channel = channel
        self.calls: list[dict[str, Any]] = []

    def ask(self, method: str, **request: Any) -> dict[str, Any]:
        """Make a call; returns its last answer."""
        case = answered(self._channel, {"call": f"MatchService/{method}", "request": request})
        self.calls.append(case)
        last: dict[str, Any] = case["answers"][-1]["message"]
        return last

    def play(self) -> None:
        """Play the match."""
        self.ask("CreateMatch", **SETUP)
        made = self.ask("CreateMatch", **SETUP)
        match_id, (invited,) = made["match_id"], made["invitations"]
        joined = self.ask("JoinMatch", match_id=match_id, invitation=invited["invitation"], player_token=PLAYER)
        own = {"match_id": match_id, "seat_token": joined["seat_token"]}
        view = self.ask("GetView", **own, after_event="0")["view"]
        assert view["action"] == "ACTION_PLAY", "with this seed the person leads"
        self.ask("RequestHint", **own, limits=LIMITS, max_moves=2)
        for number in range(2):
            move = {"move": view["legal_moves"][0]["move"], "expected_event": view["event_number"]}
            view = self.ask("PlayMove", **own, **move, idempotency_key=str(number))["view"]
            view = self.ask("GetView", **own, after_event=view["event_number"], wait="20s")["view"]
            assert view["action"] == "ACTION_PLAY", "with this seed the level places one tile at a time"
        self.ask("ExportRecord", **own)
        self.ask("TakeBack", **own, expected_event=view["event_number"], idempotency_key="back")
        self.ask("ListMatches", player_token=PLAYER, page_size=1000, running_only=True)
        self.ask("Resign", **own)
        self.ask("WatchMatch", **own, after_event="0")
        self.ask("ListMatches", player_token=PLAYER)
        self.ask("ExportRecord", **own)
        self.ask("ReviewMatch", **own, limits=LIMITS, language_code="ja")


def played() -> list[dict[str, Any]]:
    """The calls and answers of the match as the server gives them now."""
    with (
        still(),
        running_server(slots=1, level_pause=0.0, matches_database="memory") as server,
        grpc.insecure_channel(server.address) as channel,
    ):
        script = Script(channel)
        script.play()
        return script.calls


def recorded() -> list[dict[str, Any]]:
    """The calls and answers as they were recorded."""
    calls: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return calls


def record() -> None:
    """Play the match again, and write it down."""
    FILE.write_text(json.dumps(played(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
