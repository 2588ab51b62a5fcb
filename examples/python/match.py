"""Two levels of play play a match through the service; stop it at any moment, start it again, and it goes on.

Usage: python match.py FILE [ADDRESS] [SEED]. FILE holds the match as JSON; it is written after each move.
"""

import json
import sys
from pathlib import Path

from google.protobuf import json_format

from sniffai.client import Client, ServiceError
from sniffai.v1.round_pb2 import OpenDeal, RoundState

LEVELS = ("attentive", "casual")
"""Who sits at each seat."""


def save(file: Path, seed: int, rounds: int, deal: OpenDeal) -> None:
    """Write the match: its seed, the number of the round, the deal with its moves so far."""
    match = {"seed": seed, "rounds": rounds, "deal": json_format.MessageToDict(deal)}
    new = file.with_suffix(".new")
    new.write_text(json.dumps(match))
    new.replace(file)  # at once: a crash leaves the old file or the new one


def load(file: Path) -> tuple[int, int, OpenDeal]:
    """Read a match."""
    match = json.loads(file.read_text())
    return match["seed"], match["rounds"], json_format.ParseDict(match["deal"], OpenDeal())


def first_round(client: Client, file: Path, seed: int) -> None:
    """Deal the first round."""
    save(file, seed, 1, client.deal(len(LEVELS), seed).deal)


def next_round(client: Client, file: Path, seed: int, rounds: int, state: RoundState) -> None:
    """Deal the next round. Who went out leads; after a blocked round the server draws lots."""
    leader = state.went_out if state.HasField("went_out") else None
    save(file, seed, rounds + 1, client.deal(len(LEVELS), seed + rounds, leader, list(state.scores)).deal)


def play(client: Client, file: Path) -> None:
    """Play on, from the file alone, to the end of the match."""
    while True:
        seed, rounds, deal = load(file)
        state = client.describe_round(deal).state
        if state.HasField("match_winner"):
            print("team", state.match_winner, "wins the match:", *state.scores)
            return
        if state.over:
            print("round", rounds, "ends:", *state.scores)
            next_round(client, file, seed, rounds, state)
            continue
        seat = state.seat_to_move
        move = client.recommend(state.views[seat], level=LEVELS[seat], seed=seed).move
        save(file, seed, rounds, client.apply(deal, move).deal)
        print("seat", seat, "plays", move.tile, move.at, flush=True)


def main() -> int:
    """Return 0 if the match was played to its end."""
    arguments = sys.argv[1:]
    file, address, seed = [*arguments, *("127.0.0.1:50051", "1")[len(arguments) - 1 :]]
    try:
        with Client(address) as client:
            if not Path(file).exists():
                first_round(client, Path(file), int(seed))
            play(client, Path(file))
    except ServiceError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
