"""Long searches whose results are recorded, so that short ones can be compared with them at once.

``python -m tests.long_runs`` makes ``tests/data/long_runs.json`` again: after every change of the bench signature.
``python -m tests.long_runs --check`` searches as well, and says whether the file is what it would write.
"""

import json
import sys
from pathlib import Path
from typing import Any

from sniffai import Limits, Round, View, analyze
from sniffai.rules import PLAYERS
from sniffai.search.candidates import distinct_moves
from sniffai.search.signature import signature

FILE = Path(__file__).parent / "data" / "long_runs.json"
DEALS = range(30, 38)
SIMULATIONS = 200_000
SEED = 99


def decisions(players: int, seed: int, least: int = 2) -> list[View]:
    """The views of one played round that leave at least so many distinct moves."""
    views = []
    round_ = Round.deal(players, seed)
    while not round_.over:
        view = round_.view(round_.seat)
        if len(distinct_moves(view)) >= least:
            views.append(view)
        round_.play(round_.legal_moves()[-1])
    return views


def long_run(players: int, deal: int) -> dict[str, Any]:
    """The second decision of a round, its two best moves, and by how much the first is better.

    ``margin_difference`` is in points, ``chance_difference`` that of the chances to win the match.
    """
    view = decisions(players, deal)[1]
    first, second = analyze(view, Limits(simulations=SIMULATIONS), seed=SEED).moves[:2]
    assert first.expected_margin is not None and second.expected_margin is not None
    assert first.win_probability is not None and second.win_probability is not None
    return {
        "players": players,
        "deal": deal,
        "view": view.to_text(),
        "moves": [str(first.move), str(second.move)],
        "margin_difference": first.expected_margin - second.expected_margin,
        "chance_difference": first.win_probability - second.win_probability,
    }


def recorded() -> dict[str, Any]:
    return json.loads(FILE.read_text(encoding="utf-8"))


def main() -> int:
    made = {
        "command": "python -m tests.long_runs",
        "bench": signature(),
        "simulations": SIMULATIONS,
        "seed": SEED,
        "runs": [long_run(players, deal) for players in PLAYERS for deal in DEALS],
    }
    text = json.dumps(made, indent=1) + "\n"
    if "--check" in sys.argv[1:]:
        same = text == FILE.read_text(encoding="utf-8")
        print(f"{FILE.name}: {'as recorded' if same else 'the searches find something else'}")
        return int(not same)
    FILE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
