"""Plays a match against a level at the console: python examples/opponent/play.py [LEVEL] [ADDRESS].

Stop it at any moment and start it again: the match goes on. The seat is kept in seat.json.
"""

import json
import os
import secrets
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

from sniffai.client import Client, ServiceError, make_player_token
from sniffai.v1.match_service_pb2 import MatchView
from sniffai.v1.move_pb2 import ACTION_OVER, ACTION_PLAY, Move

LEVEL, ADDRESS = (sys.argv[1:] + ["club", "127.0.0.1:50051"][len(sys.argv) - 1 :])[:2]
FILE = Path("seat.json")
P = ParamSpec("P")
Answer = TypeVar("Answer")


def ask(call: Callable[P, Answer], *args: P.args, **options: P.kwargs) -> Answer:
    """Make a call, again and again while the server is away. All calls here are safe to repeat."""
    while True:
        try:
            return call(*args, **options)
        except ServiceError as error:
            if error.code not in ("UNAVAILABLE", "DEADLINE_EXCEEDED"):
                raise
        time.sleep(1)


def sit_down(client: Client) -> tuple[str, str]:
    """Take a seat, or go back to it: the id of the match, and the token of the seat."""
    if not FILE.exists():
        player = make_player_token()
        made = ask(client.create_match, ["human", LEVEL], player_token=player, request_id="first")
        taken = ask(client.join_match, made.match_id, made.invitations[0].invitation)
        with open(os.open(FILE, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:  # nobody else may read it
            json.dump([made.match_id, taken.seat_token], file)
    match_id, seat_token = json.loads(FILE.read_text())
    return match_id, seat_token


def choose(view: MatchView) -> Move:
    """Ask for one of the legal moves, by its number."""
    print(f"\nyou {view.scores[0]}, {LEVEL} {view.scores[1]}; count {view.layout.count}; your hand:", *view.hand)
    for number, legal in enumerate(view.legal_moves, 1):
        print(f"{number}: {legal.move.tile} {legal.move.at} ({legal.points_now} points)")
    while True:
        line = input("number: ")
        if line.isdecimal() and 1 <= int(line) <= len(view.legal_moves):
            return view.legal_moves[int(line) - 1].move


def main() -> None:
    """Play until the match is over."""
    with Client(ADDRESS) as client:
        seat = sit_down(client)
        known = 0  # the number of the last event that was told
        while True:
            seen = ask(client.get_view, *seat, after_event=known, wait=20)
            for event in seen.events:
                if event.round_event.HasField("play"):
                    print(f"seat {event.round_event.seat}: {event.round_event.play.tile}")
            view, known = seen.view, seen.view.event_number
            if view.action == ACTION_OVER:
                break
            if view.action == ACTION_PLAY:
                move, key = choose(view), secrets.token_hex(16)  # sent again with the same key, a move is played once
                ask(client.play_move, *seat, move, expected_event=known, idempotency_key=key)
    print(f"you {view.scores[0]}, {LEVEL} {view.scores[1]}:", "you win" if view.winner == view.seat else "you lose")
    FILE.unlink()


if __name__ == "__main__":
    main()
