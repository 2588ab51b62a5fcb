"""Players against each other on paired deals: the same tiles are played again with the seats swapped.

With 2 seats player B sits at seat 0, then at seat 1; with 4 seats at team 0, then at team 1; with 3 seats B plays alone
against two of A and sits at each seat in turn. A *pairing* is one deal played in all these seatings. Its result is B's
mean margin a round: B's team's points less the other team's (3 seats: less the mean of the others'), settlement included.
The deals cancel most of the luck, and two equal deterministic players tie exactly.
"""

import hashlib
import math
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any

from sniffai.errors import LimitsError
from sniffai.params import Limits, check_seed
from sniffai.players import Player, parse_player
from sniffai.round import Round
from sniffai.rules import PLAYERS, TEAMS, team_of

CHUNKS_PER_WORKER = 32


@dataclass(frozen=True, slots=True)
class ArenaSpec:
    """Who plays whom, on what, how often.

    :raises LimitsError: a value out of range.
    """

    a: str
    """The first player, such as ``"greedy"``."""
    b: str
    """The second player, such as ``"search:seconds=0.01"``; results are from its side."""
    players: int = 2
    """Seats, 2..4."""
    deals: int = 500
    """Pairings, at least 1."""
    seed: int = 0
    """Decides the deals and every lot."""
    limits: Limits = field(default_factory=Limits)
    """For searches that name no limit of their own."""

    def __post_init__(self) -> None:
        if self.players not in PLAYERS:
            raise LimitsError(f"2, 3 or 4 seats, not {self.players}", reason="PLAYERS_OUT_OF_RANGE", field="players")
        if self.deals < 1:
            raise LimitsError(f"at least 1 deal, not {self.deals}", reason="OUT_OF_RANGE", field="deals")
        check_seed(self.seed)
        parse_player(self.a, self.limits)
        parse_player(self.b, self.limits)


@dataclass(frozen=True, slots=True)
class ArenaResult:
    """What came out, from B's side."""

    spec: ArenaSpec
    margins: tuple[float, ...]
    """B's mean margin a round, by pairing, in points."""

    @property
    def mean_margin(self) -> float:
        """B's margin a round, in points."""
        return fmean(self.margins)

    @property
    def standard_error(self) -> float:
        """Of the mean margin, over pairings; 0 where every pairing is equal, infinite for one."""
        return stdev(self.margins) / math.sqrt(len(self.margins)) if len(self.margins) > 1 else math.inf

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "a": self.spec.a,
            "b": self.spec.b,
            "players": self.spec.players,
            "deals": self.spec.deals,
            "seed": self.spec.seed,
            "mean_margin": self.mean_margin,
            "standard_error": self.standard_error,
            "margins": list(self.margins),
        }


def play_arena(spec: ArenaSpec, *, workers: int = 1, progress: Callable[[int], None] | None = None) -> ArenaResult:
    """Play all pairings.

    :param workers: processes; 1 plays in this one. Results do not depend on it, unless a clock ends the searches.
    :param progress: called with the number of pairings done since the last call.
    """
    margins: list[float] = []
    for done in _batches(spec, workers):
        margins.extend(done)
        if progress is not None:
            progress(len(done))
    return ArenaResult(spec, tuple(margins))


def _batches(spec: ArenaSpec, workers: int) -> Iterable[list[float]]:
    size = max(1, spec.deals // (CHUNKS_PER_WORKER * workers))
    starts = range(0, spec.deals, size)
    jobs = [(spec, start, min(start + size, spec.deals)) for start in starts]
    if workers == 1:
        yield from map(_play_some, jobs)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(_play_some, jobs)


def _play_some(job: tuple[ArenaSpec, int, int]) -> list[float]:
    spec, start, end = job
    a, b = parse_player(spec.a, spec.limits), parse_player(spec.b, spec.limits)
    return [play_pairing(spec, a, b, deal) for deal in range(start, end)]


def play_pairing(spec: ArenaSpec, a: Player, b: Player, deal: int) -> float:
    """One deal in every seating; B's mean margin a round."""
    leader = deal % spec.players
    start = Round.deal(players=spec.players, seed=derived_seed(spec.seed, deal), leader=leader)
    teams = TEAMS[spec.players]
    seed = derived_seed(spec.seed, deal, 1)
    margins = []
    for team in range(teams):
        seats = [b if team_of(spec.players, seat) == team else a for seat in range(spec.players)]
        margins.append(margin_of(play_round(start.copy(), seats, seed), team))
    return fmean(margins)


def play_round(round_: Round, seats: Sequence[Player], seed: int) -> Round:
    """Play a round to its end, a player a seat. Each decision gets a seed of its own, by its place in the round."""
    while not round_.over:
        view = round_.view(round_.seat)
        round_.play(seats[round_.seat].choose(view, derived_seed(seed, len(round_.moves))))
    return round_


def margin_of(round_: Round, team: int) -> float:
    """A team's gain in a finished round less the mean of the other teams' gains, in points."""
    gains = [after - before for after, before in zip(round_.scores, round_.start.scores, strict=True)]
    return gains[team] - (sum(gains) - gains[team]) / (len(gains) - 1)


def derived_seed(*parts: int) -> int:
    """A seed from numbers, 0..2**64-1: the same numbers give the same seed on every machine."""
    text = "/".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
