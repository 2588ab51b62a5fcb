"""Building of a table: rounds of self-play, the chances backwards over the scores, their errors by batches."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from sniffai.checks import keep, read_players, read_whole
from sniffai.equity.table import FINENESS, Equity, check_lowest
from sniffai.errors import LimitsError
from sniffai.jobs.executor import Executor
from sniffai.lab.equity.backwards import Chances, made_monotone, solve_rounds
from sniffai.lab.equity.rounds import ScoredRounds, play_rounds
from sniffai.packaged import read_packaged
from sniffai.play.levels import named_player
from sniffai.search.params import MAX_SIMULATIONS, Limits
from sniffai.seeds import check_seed
from sniffai.version import VERSION
from sniffai_ext.equity import Equity as CoreEquity
from sniffai_ext.equity import row_count

ROUNDS: Final = {2: 2_000_000, 3: 300_000, 4: 2_000_000}
"""Rounds where none are given, by seats."""

LOWEST: Final = {2: -150, 3: -100, 4: -200}
"""The lowest score of a table where none is given, in points by seats: few matches see a lower one (docs/equity.md)."""

BATCHES: Final = 20
"""Parts of the rounds, each solved for itself, from whose spread the errors come."""

HALF_WIDTH: Final = 2.093
"""Standard errors in half a 95 % interval: Student's t with BATCHES - 1 degrees of freedom."""

REACH: Final = 2
"""Rows to either side over which the variance of an entry is averaged, in each direction."""


@dataclass(frozen=True, slots=True)
class EquityPlan:
    """What decides a table.

    :raises LimitsError: a number out of range, or no such player; ``field`` is its name.
    """

    players: int
    """Seats, 2..4."""
    rounds: int
    """Rounds of self-play, at least 20."""
    seed: int = 1
    """Of the self-play, 0..2**64-1."""
    player: str = "policy"
    """Who plays, at every seat, by name."""
    lowest: int = -100
    """The lowest score of the table, in points: a multiple of 5 in -1,000..0."""

    def __post_init__(self) -> None:
        keep(self, "players", read_players(self.players, LimitsError))
        keep(self, "rounds", read_whole(self.rounds, "rounds", -MAX_SIMULATIONS, MAX_SIMULATIONS))
        keep(self, "lowest", read_whole(self.lowest, "lowest", -MAX_SIMULATIONS, MAX_SIMULATIONS))
        if not BATCHES <= self.rounds <= MAX_SIMULATIONS:
            message = f"at least {BATCHES} rounds are expected, not {self.rounds}"
            raise LimitsError(message, reason="OUT_OF_RANGE", field="rounds")
        keep(self, "seed", check_seed(self.seed))
        check_lowest(self.lowest)
        named_player(self.player, Limits())

    def command(self) -> str:
        """The command line that makes this table."""
        return (
            f"sniffai equity build --seats {self.players} --rounds {self.rounds} --seed {self.seed}"
            f" --player {self.player} --lowest {self.lowest}"
        )


Progress = Callable[[str, int, int], None]
"""Called with the name of the step, and how much of it is done out of how much."""


def build(
    plan: EquityPlan, *, workers: int = 1, executor: Executor | None = None, progress: Progress | None = None
) -> Equity:
    """Play the rounds and make the table. The same plan gives the same table, unless a clock ends the searches.

    :param workers: processes that play; the table does not depend on it.
    :param executor: plays instead of such processes; it stays open.
    """
    report = progress or _silent
    rounds = play_rounds(
        plan.player,
        plan.players,
        plan.rounds,
        plan.seed,
        workers=workers,
        executor=executor,
        progress=lambda done: report("rounds played", done, plan.rounds),
    )
    return equity_of(rounds, plan, report)


def equity_of(rounds: ScoredRounds, plan: EquityPlan, progress: Progress | None = None) -> Equity:
    """The table from rounds that were played by the plan."""
    report = progress or _silent
    report("tables solved", 0, 1 + BATCHES)
    size = row_count(plan.players, plan.lowest)
    chances = solve_rounds(rounds, size)
    spread = []
    for batch in range(BATCHES):
        report("tables solved", 1 + batch, 1 + BATCHES)
        start, stop = (len(rounds) * edge // BATCHES for edge in (batch, batch + 1))
        part = solve_rounds(rounds.part(start, stop), size, chances, tolerance=2e-4)
        spread.append(_all_teams(part) - _all_teams(chances))
    report("tables solved", 1 + BATCHES, 1 + BATCHES)
    errors = _half_widths(np.stack(spread), plan.players)
    made = {
        "command": plan.command(),
        "players": plan.players,
        "lowest": plan.lowest,
        "player": plan.player,
        "signature": signature(plan.player, plan.players),
        "rounds": plan.rounds,
        "seed": plan.seed,
        "version": VERSION,
        "largest_error": float(errors.max()),
        "mean_error": float(errors.mean()),
    }
    stored = np.round(made_monotone(chances) * np.float32(FINENESS)) / np.float32(FINENESS)
    return Equity(CoreEquity(plan.players, stored, plan.lowest), errors, made)


def signature(player: str, players: int) -> str:
    """Sixteen hexadecimal digits that change with the player's parameters and with the nets for so many seats."""
    nets = read_packaged(f"data/nets-{players}.npz")
    return hashlib.blake2b(repr(named_player(player, Limits())).encode() + nets, digest_size=8).hexdigest()


def _silent(what: str, done: int, total: int) -> None:
    """The progress callback by default: reports nothing."""


def _all_teams(chances: Chances) -> Chances:
    """With 3 seats the third chance beside the two."""
    if chances.ndim == 2:
        return chances
    third: Chances = 1 - chances.sum(axis=-1, keepdims=True)
    return np.concatenate([chances, third], axis=-1)


def _half_widths(spread: npt.NDArray[np.float32], players: int) -> npt.NDArray[np.float32]:
    """Half 95 % intervals from what the batches' chances are off: ``[batches, ...]``.

    The variance changes slowly with the scores, so that of an entry is averaged over its neighbours.
    """
    variance: npt.NDArray[np.float64] = (spread**2).sum(axis=0, dtype=np.float64) / (BATCHES - 1)
    for axis in range(3 if players == 3 else 2):
        variance = _averaged(variance, axis)
    return (HALF_WIDTH * np.sqrt(variance / BATCHES)).astype(np.float32)


def _averaged(values: npt.NDArray[np.float64], axis: int) -> npt.NDArray[np.float64]:
    """The mean over a window of ``2 * REACH + 1`` along an axis; the edges are repeated."""
    width = [(REACH, REACH) if k == axis else (0, 0) for k in range(values.ndim)]
    padded = np.pad(values, width, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * REACH + 1, axis=axis)
    return np.asarray(windows.mean(axis=-1), np.float64)
