"""How often a search of a late deal, every tile known, tells a wrong value: ``python benchmarks/late_deals.py``.

Late deals are reached from seeded deals by moves that score most, one in five at random, until a random number
of tiles (``--least`` to ``--most``) is off the table. Each is searched as one world with the exact solver switched off,
and every distinct move is compared with the truth: the exact solver's value with 2 and 4 seats; with 3 seats all values
that max^n allows, where a seat with several best moves may make any of them. See late_deals.md.
"""

import argparse
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from typing import get_args

from sniffai import Limits, Round, SearchParams, analyze_deal
from sniffai.equity import load
from sniffai.moves import Move
from sniffai.play.statistics import wilson_interval
from sniffai.rules import PLAYERS, TEAMS, team_of
from sniffai.search.analysis import MoveEvaluation
from sniffai.search.candidates import distinct_moves
from sniffai.search.params import Objective
from sniffai.search.solver import Solver
from sniffai_ext.round import Round as CoreRound

RANDOM_SHARE = 0.2
MATCH_POINTS = 250
"""What the match is worth, in points: chances are compared in these."""

WRONG = 5.0
"""Points from which on a value is wrong."""

ERRORS = 5.0
"""Stated errors that exclude a value."""

NODE_CAP = 200_000
"""Positions of a deal that brute force may take; a deal with more is left out."""

End = tuple[tuple[int, ...], int]
"""The scores after the settlement, and who leads the next round (-1: at random)."""

Ends = dict[End, None]
"""A set with an order, so that every run is the same."""


class TooManyPositionsError(Exception):
    """Brute force gave up."""


def chosen(round_: CoreRound, rng: random.Random) -> tuple[int, int]:
    """A random move, or one with the most points now."""
    moves, layout = round_.legal_moves(), round_.layout
    rng.shuffle(moves)
    return moves[0] if rng.random() < RANDOM_SHARE else max(moves, key=lambda move: layout.outlook(*move)[0])


def late_deal(players: int, seed: int, least: int, most: int) -> Round | None:
    """A running round with a choice and ``least`` to ``most`` tiles off the table; ``None`` where it ended before."""
    rng = random.Random(f"late deal {players} {seed}")
    scores = [0] * TEAMS[players] if rng.random() < 0.5 else [5 * rng.randrange(30) for _ in range(TEAMS[players])]
    round_, left = Round.deal(players, seed, scores=scores), rng.randint(least, most)
    core = round_.core()
    while not core.over and (28 - core.layout.placed > left or len(distinct_moves(round_.view(round_.seat))) < 2):
        round_.play(Move.from_codes(*chosen(core, rng)))
    return None if core.over else round_


def position_key(core: CoreRound) -> tuple[object, ...]:
    """All that decides the rest of a round."""
    layout = core.layout
    arms = []
    for at, pips in layout.attachment_points():
        tile, port = at >> 2, at & 3
        double = tile in (0, 7, 13, 18, 22, 25, 27)
        kind = 0 if not double or (tile == layout.sniff and port > 1) else 1 if tile == layout.sniff else 2
        arms.append((pips, kind))
    return core.hands, core.seat, core.forced, len(core.talon), core.scores, layout.sniff >= 0, tuple(sorted(arms))


class BruteForce:
    """Max^n with 3 seats: every end that best play of all seats can lead to.

    A seat whose best moves are equal to it may make any of them, and the others' values hang on which. So a position
    has a set of ends: those of each move that may be as good for its seat as the least that each other move gives it.
    """

    def __init__(self, utility: Callable[[End, int], float]) -> None:
        self._utility = utility
        self._known: dict[tuple[object, ...], Ends] = {}

    def ends(self, core: CoreRound) -> Ends:
        """All ends of a position with best play.

        :raises TooManyPositionsError: there are more than NODE_CAP.
        """
        if core.over:
            return {(core.scores, core.went_out): None}
        key = position_key(core)
        if key not in self._known:
            if len(self._known) >= NODE_CAP:
                raise TooManyPositionsError
            self._known[key] = self._best([self.ends(after) for after in next_rounds(core)], core.seat)
        return self._known[key]

    def _best(self, choices: list[Ends], seat: int) -> Ends:
        least = [min(self._utility(end, seat) for end in ends) for ends in choices]
        best_ends: Ends = {}
        for i, ends in enumerate(choices):
            others = max((value for j, value in enumerate(least) if j != i), default=float("-inf"))
            best_ends.update({end: None for end in ends if self._utility(end, seat) >= others - 1e-9})
        return best_ends


def next_rounds(core: CoreRound) -> Iterator[CoreRound]:
    """The round after each distinct move."""
    layout = core.layout
    for tile, at in core.legal_moves():
        if at < 0 or layout.equal_points(tile, at)[0] == at:
            after = core.copy()
            after.play(tile, at)
            yield after


def truth(round_: Round, objective: Objective) -> dict[Move, list[float]] | None:
    """The values of each distinct move for the seat to move, with best play, in points; ``None`` where that takes long.

    There is one value a move, but with 3 seats more where a seat has several best moves.
    """
    core, players, seat = round_.core(), round_.players, round_.seat
    if players != 3:
        solved = Solver(objective=objective).solve_moves(round_)
        sign = -1 if team_of(players, seat) else 1
        if solved is None:
            return None
        if objective == "match":
            return {row.move: [MATCH_POINTS * (row.chance if sign > 0 else 1 - row.chance)] for row in solved}
        return {row.move: [float(sign * row.margin)] for row in solved}
    equity = load(players).core

    @cache  # many positions have the same few ends
    def utility(end: End, seat: int) -> float:
        scores, leader = end
        if objective == "match":
            return MATCH_POINTS * equity.chance(scores, leader)[seat]
        gains = [score - before for score, before in zip(scores, core.scores, strict=True)]
        return gains[seat] - (sum(gains) - gains[seat]) / 2

    brute = BruteForce(utility)
    values = {}
    try:
        for move in distinct_moves(round_.view(seat)):
            after = core.copy()
            after.play(*move.codes)
            values[move] = sorted({utility(end, seat) for end in brute.ends(after)})
    except TooManyPositionsError:
        return None
    return values


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a search made of one late deal."""

    seed: int
    text: str
    wrong: bool
    """A move's value is off by more than WRONG points."""
    sign: bool
    """... and has the wrong sign."""
    excluded: bool
    """A move's stated error excludes the truth: it is off by more than ERRORS of them."""
    lost: bool
    """The move put first gives away more than WRONG points."""
    zero: bool
    """An error of 0 is stated."""
    worst: float
    """The largest distance of a value from the truth, in points."""
    seconds: float
    """Time of the search."""


def stated(entry: MoveEvaluation, objective: Objective) -> tuple[float, float]:
    """The value and its error that a search states, in points."""
    assert entry.expected_margin is not None and entry.standard_error is not None
    assert entry.win_probability is not None and entry.win_probability_error is not None
    if objective == "match":
        return MATCH_POINTS * entry.win_probability, MATCH_POINTS * entry.win_probability_error
    return entry.expected_margin, entry.standard_error


def judge(players: int, simulations: int, objective: Objective, least: int, most: int, seed: int) -> Verdict | None:
    """Search the late deal of a seed; ``None`` where there is none, or its truth takes too long."""
    round_ = late_deal(players, seed, least, most)
    true = None if round_ is None else truth(round_, objective)
    if round_ is None or true is None:
        return None
    return compare(round_, true, simulations, objective, seed)


def compare(round_: Round, true: dict[Move, list[float]], simulations: int, objective: Objective, seed: int) -> Verdict:
    """Search a round and hold every value against the truth."""
    started = time.perf_counter()
    params = SearchParams(exact=False, objective=objective)
    moves = analyze_deal(round_, Limits(simulations=simulations), seed=seed, params=params).moves
    seconds = time.perf_counter() - started
    wrong = sign = excluded = zero = False
    worst = 0.0
    even = MATCH_POINTS / 2 if objective == "match" else 0
    for entry in moves:
        value, error = stated(entry, objective)
        nearest = min(true[entry.move], key=lambda exact: abs(exact - value))
        off = abs(nearest - value)
        worst = max(worst, off)
        wrong |= off > WRONG
        sign |= off > WRONG and (nearest - even) * (value - even) < 0
        excluded |= off > ERRORS * error + (1e-4 if objective == "match" else 1e-9)
        zero |= error <= 0 or (entry.standard_error or 0) <= 0 or (entry.win_probability_error or 0) <= 0
    lost = max(min(values) for values in true.values()) - max(true[moves[0].move]) > WRONG
    return Verdict(seed, round_.to_text(), wrong, sign, excluded, lost, zero, worst, seconds)


def share(count: int, deals: int) -> str:
    """A count with its share and 95 % interval."""
    low, high = wilson_interval(count, deals)
    return f"{count} ({100 * count / deals:.3f} %, {100 * low:.3f} to {100 * high:.3f})"


def measure(players: int, options: argparse.Namespace) -> str:
    """One line of the table."""
    work = partial(judge, players, options.simulations, options.objective, options.least, options.most)
    verdicts: list[Verdict] = []
    tried = 0
    with ProcessPoolExecutor(options.workers) as executor:
        while len(verdicts) < options.deals:
            seeds = range(options.seed + tried, options.seed + tried + min(1000, options.deals))
            tried += len(seeds)
            verdicts += [verdict for verdict in executor.map(work, seeds, chunksize=10) if verdict is not None]
    verdicts = verdicts[: options.deals]
    if options.show:
        for verdict in verdicts:
            if verdict.wrong or verdict.excluded or verdict.zero or verdict.lost:
                print(verdict, flush=True)
    kinds = [[getattr(verdict, kind) for verdict in verdicts] for kind in ("wrong", "sign", "excluded", "zero", "lost")]
    seconds = sorted(verdict.seconds for verdict in verdicts)[len(verdicts) // 2]
    cells = [share(sum(flags), len(verdicts)) for flags in kinds]
    return f"| {players} | {len(verdicts)} | {' | '.join(cells)} | {1000 * seconds:.0f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, choices=PLAYERS, help="seats (default: all)")
    parser.add_argument("--deals", type=int, default=5000, help="late deals for each line (default: 5000)")
    parser.add_argument("--seed", type=int, default=1, help="number of the first deal (default: 1)")
    parser.add_argument("--simulations", type=int, default=60_000, help="simulations of each search (default: 60000)")
    parser.add_argument("--objective", choices=get_args(Objective), default="round", help="what is maximised")
    parser.add_argument("--least", type=int, default=8, help="fewest tiles off the table (default: 8)")
    parser.add_argument("--most", type=int, default=17, help="most tiles off the table (default: 17)")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
    parser.add_argument(
        "--show", action="store_true", help="print the deals about which the search states something false"
    )
    options = parser.parse_args()
    print(
        "| seats | deals | wrong by > 5 points | with the wrong sign | excluded by > 5 errors | error of 0 | "
        "best move lost > 5 points | ms |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for players in [options.players] if options.players else PLAYERS:
        print(measure(players, options), flush=True)


if __name__ == "__main__":
    main()
