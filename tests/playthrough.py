"""Whole rounds as text, every public value at every placement: ``python -m tests.playthrough`` writes them again.

The text shows the library's behaviour to a reader, and any change of it as a difference line by line. Moves are chosen
by a seeded generator, mostly those that score most.
"""

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import sniffai

FOLDER = Path(__file__).parent / "data" / "playthroughs"

ROUNDS = {"2-seats": (2, 23, (0, 0)), "3-seats": (3, 2, (120, -15, 60)), "4-seats": (4, 14, (95, 140))}
"""Name of the file to players, seed, scores before the round."""


def join(values: Iterable[object]) -> str:
    return " ".join(map(str, values)) or "-"


def ends(contributions: Iterable[tuple[sniffai.Tile, int]]) -> str:
    return " + ".join(f"{value} ({tile})" for tile, value in contributions) or "-"


def table(round_: sniffai.Round) -> Iterator[str]:
    """The state that everyone sees, and the hands."""
    layout = round_.layout
    yield f"seat {round_.seat}"
    yield f"scores {join(round_.scores)}"
    yield f"count {round_.count} = {ends(round_.contributions())}"
    yield f"sniff {layout.sniff or '-'}"
    yield f"attachment points {join(f'{at.name}({at.pips})' for at in layout.attachment_points)}"
    for seat, hand in enumerate(round_.hands):
        yield f"hand {seat} {join(hand)}"
    yield f"talon {join(round_.talon)}"
    yield f"forced {round_.forced or '-'}"
    yield f"legal moves {join(round_.legal_moves())}"


def view(round_: sniffai.Round, seat: int) -> Iterator[str]:
    """What one seat knows."""
    seen = round_.view(seat)
    belief = sniffai.Belief(seen)
    yield f"view {seat} {seen.to_text()}"
    yield f"  must {seen.must}, to move {seen.to_move}, sizes {join(seen.hand_sizes)}, talon {seen.talon_size}"
    yield f"  hand {join(seen.hand)}, scores {join(seen.scores_now)}"
    for move in seen.legal_moves():
        yield f"  {move} scores {seen.points(move)}, count {seen.after(move).count}"
    yield f"  assignments {belief.assignments}"
    for tile, row in zip(sniffai.TILES, belief.table, strict=True):
        if seen.must == "play" and 0 < row.max() < 1:
            yield f"  {tile} {join(f'{share:.6f}' for share in row)}"


def end(round_: sniffai.Round) -> Iterator[str]:
    """How the round ended."""
    yield f"went out {round_.went_out}"
    yield f"blocked {round_.blocked}"
    yield f"match winner {round_.match_winner}"
    yield f"settlement {join(round_.settlement)}"
    yield f"next leader by lot 1 {round_.next_leader(1)}"


def choose(round_: sniffai.Round, rng: random.Random) -> sniffai.Move:
    moves = round_.legal_moves()
    if rng.random() < 0.3:
        return moves[int(rng.random() * len(moves))]
    seen = round_.view(round_.seat)
    return max(moves, key=lambda move: (seen.points(move), move.tile.pips))


def playthrough(players: int, seed: int, scores: tuple[int, ...]) -> str:
    """One seeded round as text."""
    round_, rng = sniffai.Round.deal(players=players, seed=seed, scores=scores), random.Random(seed)
    lines = [round_.to_text(), ""]
    while True:
        lines += [f"== after {len(round_.moves)} placements", *table(round_)]
        lines += [line for seat in range(players) for line in view(round_, seat)]
        if round_.over:
            break
        told, move = len(round_.events), choose(round_, rng)
        lines += ["", f"play {move}: {round_.play(move)} points"]
        lines += [f"event {event}" for event in round_.events[told:]] + [""]
    return "\n".join([*lines, "", "== the end", *end(round_)]) + "\n"


def main() -> None:
    """Write every golden file again."""
    for name, case in ROUNDS.items():
        (FOLDER / f"{name}.txt").write_text(playthrough(*case))


if __name__ == "__main__":
    main()
