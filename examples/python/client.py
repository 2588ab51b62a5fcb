"""Four computer players play one round through the gRPC service: python examples/python/client.py [ADDRESS] [SEED].

The table's side (deal, apply) holds all hands; each player's side sends nothing but that seat's own view.
"""

import sys

from sniffai import Limits, SniffError
from sniffai.client import Client, ServiceError
from sniffai.v1.event_pb2 import Event

PLAYERS = 4
LIMITS = Limits(simulations=2000)


def play_round(client: Client, seed: int) -> None:
    """Deal, ask for each move, apply it, and print what happens."""
    dealt = client.deal(players=PLAYERS, seed=seed)
    deal, state = dealt.deal, dealt.state
    while not state.over:
        view = state.views[state.seat_to_move]
        move = client.recommend(view, LIMITS, seed=seed).move
        applied = client.apply(deal, f"{move.tile}@{move.at}" if move.at else move.tile)
        deal, state = applied.deal, applied.state
        for event in applied.events:
            print(line_of(event))
    print("scores", *state.scores)


def line_of(event: Event) -> str:
    """One line for an event."""
    match event.WhichOneof("kind"):
        case "play":
            return f"seat {event.seat} plays {event.play.tile} {event.play.at or 'as the lead'}: {event.play.points}"
        case "draw":
            return f"seat {event.seat} draws {event.draw.count}"
        case _:
            return f"seat {event.seat} passes"


def main() -> int:
    """Return the exit status."""
    address = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50051"
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    try:
        with Client(address) as client:
            play_round(client, seed)
    except (SniffError, ServiceError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
