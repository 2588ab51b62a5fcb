"""Rounds as match equity needs them: the points of each team in order, the settlement, and who leads next.

A round is noted as if no target were near, so that it can be replayed from any scores. Teams are counted from the one
that led: team 0 of a noted round led it, whatever its seat was.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from sniffai.checks import read_players
from sniffai.equity.table import STEP
from sniffai.errors import LimitsError
from sniffai.jobs.executor import Executor, executor_or, in_order
from sniffai.jobs.spec import JobSpec, slices
from sniffai.lab.arrays import ArrayHolder, array_from_text, array_to_text
from sniffai.play.arena import play_round
from sniffai.play.levels import named_player
from sniffai.play.players import Player
from sniffai.round import Round
from sniffai.rules import TEAMS, team_of
from sniffai.search.nets import load_policy
from sniffai.search.params import Limits
from sniffai.seeds import check_seed, derived_seed
from sniffai_ext.equity_rounds import noted_gains, play_scored_rounds

BY_LOT: Final = -1
"""In place of a team: a random seat leads next."""

SLICE: Final = 20
"""Rounds played between two reports of progress."""

SLICES: Final = {"policy": 50_000}
"""The same for faster players."""

Whole = npt.NDArray[np.int64]

_ARRAYS: Final[dict[str, type[np.generic]]] = {
    "ends": np.int64,
    "gains": np.uint16,
    "settled": np.uint8,
    "leads": np.int8,
}
"""The arrays of some rounds, with the kind of their members."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoredRounds(ArrayHolder):
    """Rounds of one number of seats."""

    players: int
    """Seats, 2..4."""
    ends: Whole
    """``[rounds]``: where each round's gains end."""
    gains: npt.NDArray[np.uint16]
    """All placements that scored or might have: ``team << 8 | most << 4 | points``, in fives; ``most`` is what the best
    placement would have scored."""
    settled: npt.NDArray[np.uint8]
    """``[rounds, teams]``: what the settlement takes, in fives."""
    leads: npt.NDArray[np.int8]
    """``[rounds]``: the team that leads next, or :data:`BY_LOT`."""

    def __len__(self) -> int:
        return len(self.ends)

    def part(self, start: int, stop: int) -> "ScoredRounds":
        """The rounds from ``start`` to before ``stop``, 0 <= start <= stop <= len."""
        first = int(self.ends[start - 1]) if start else 0
        last = int(self.ends[stop - 1]) if stop else 0
        return ScoredRounds(
            self.players,
            self.ends[start:stop] - first,
            self.gains[first:last],
            self.settled[start:stop],
            self.leads[start:stop],
        )

    @classmethod
    def joined(cls, parts: Iterable["ScoredRounds"]) -> Self:
        """The rounds of all parts, at least one, in their order."""
        parts = list(parts)
        offsets = np.cumsum([0, *(len(part.gains) for part in parts)])
        return cls(
            parts[0].players,
            np.concatenate([part.ends + offset for part, offset in zip(parts, offsets, strict=False)]),
            np.concatenate([part.gains for part in parts]),
            np.concatenate([part.settled for part in parts]),
            np.concatenate([part.leads for part in parts]),
        )

    def to_list(self) -> list[str]:
        """Plain values, for JSON: each array as text."""
        return [array_to_text(getattr(self, name)) for name in _ARRAYS]

    @classmethod
    def from_list(cls, players: int, texts: Sequence[str]) -> Self:
        """Read :meth:`to_list` back."""
        arrays = {name: array_from_text(text, kind) for (name, kind), text in zip(_ARRAYS.items(), texts, strict=True)}
        arrays["settled"] = arrays["settled"].reshape(-1, TEAMS[players])
        return cls(players, **arrays)

    def net(self) -> Whole:
        """``[rounds, teams]``: what a round changes, settlement included, in fives."""
        return np.stack([self._sums(self._scored(team)) for team in self._teams], axis=1) - self.settled

    def reach(self) -> Whole:
        """``[rounds, teams]``: the highest score that a team had or could have had in the round, in fives.

        A team that needs no more can win the match in it, if no other can before.
        """
        columns = []
        starts = np.concatenate([[0], self.ends[:-1]])
        filled = starts < self.ends
        for team in self._teams:
            scored = self._scored(team)
            before = np.cumsum(scored) - scored
            might = np.where(self.gains >> 8 == team, self.gains >> 4 & 15, 0) + before - self._at_start(before)
            most = np.zeros(len(self), np.int64)
            most[filled] = np.maximum.reduceat(might, starts[filled]) if filled.any() else 0
            columns.append(most)
        return np.stack(columns, axis=1)

    @property
    def _teams(self) -> range:
        return range(TEAMS[self.players])

    def _scored(self, team: int) -> Whole:
        """By placement, what it brought this team."""
        return np.where(self.gains >> 8 == team, self.gains & 15, 0).astype(np.int64)

    def _sums(self, values: Whole) -> Whole:
        """By round, the sum over its placements."""
        totals = np.concatenate([[0], np.cumsum(values)])
        return np.diff(totals[self.ends], prepend=0)

    def _at_start(self, before: Whole) -> Whole:
        """By placement, what ``before`` was at the first placement of its round."""
        counts = np.diff(self.ends, prepend=0)
        starts = (self.ends - counts)[counts > 0]
        return np.repeat(before[starts], counts[counts > 0])


def play_rounds(
    player: str,
    players: int,
    rounds: int,
    seed: int,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
) -> ScoredRounds:
    """Self-play: the same player at every seat, from fresh deals at a score of 0.

    The policy plays in the core, some 50 thousand rounds a second; every other player is asked move by move.

    :param player: by name: see :func:`sniffai.play.levels.named_player`.
    :param players: seats, 2..4.
    :param rounds: at least 1.
    :param seed: decides the deals and all random choices, 0..2**64-1.
    :param workers: processes; 1 plays in this one.
    :param executor: plays instead of such processes; it stays open. The rounds do not depend on who plays them, unless
        a clock ends the searches.
    :param progress: called with the number of rounds played so far.
    :raises LimitsError: there is no such player.
    """
    named_player(player, Limits())
    parameters = {"player": player, "players": players, "seed": seed}
    jobs = (JobSpec("equity-rounds", parameters, numbers) for numbers in slices(rounds, SLICES.get(player, SLICE)))
    parts, done = [], 0
    with executor_or(executor, workers) as open_:
        for result in in_order(open_, jobs):
            part = ScoredRounds.from_list(players, result.value)
            parts.append(part)
            done += len(part)
            if progress is not None:
                progress(done)
    return ScoredRounds.joined(parts)


def play_job(job: JobSpec) -> list[str]:
    """Play some rounds of one self-play: the work of the kind ``equity-rounds``.

    The policy's rounds follow from the first of the numbers; other players' rounds are the same in any slice.

    :raises LimitsError: there is no such player, or a parameter out of range.
    """
    given = job.read(("player", "players", "seed"))
    players, seed = read_players(given["players"], LimitsError), check_seed(given["seed"])
    player = named_player(given["player"], Limits())
    if given["player"] == "policy":
        lots = derived_seed(seed, job.pieces.start)
        played = ScoredRounds(players, *play_scored_rounds(load_policy(players), len(job.pieces), lots))
    else:
        played = ScoredRounds.joined(_play_one(player, players, number, seed) for number in job.pieces)
    return played.to_list()


def _play_one(player: Player, players: int, number: int, seed: int) -> ScoredRounds:
    dealt = Round.deal(players, derived_seed(seed, number), leader=number % players)
    return note_round(play_round(dealt, [player] * players, derived_seed(seed, number, 1)))


def note_round(round_: Round) -> ScoredRounds:
    """One finished round, from fresh deal to end.

    A round that reached the target is recorded as it was then: without a settlement, and with a random next leader. As
    self-play starts at 0, that takes more than 195 points in one round: one in about a hundred thousand.
    """
    players, leader = round_.players, round_.start.leader

    def team(seat: int) -> int:
        return team_of(players, (seat - leader) % players)

    gains = noted_gains(Round.from_deal(round_.start).core(), [move.codes for move in round_.moves])
    settled = np.zeros((1, TEAMS[players]), np.uint8)
    for seat, cost in enumerate(round_.settlement):
        settled[0, team(seat)] += cost // STEP
    return ScoredRounds(
        players,
        np.array([len(gains)], np.int64),
        np.array(gains, np.uint16),
        settled,
        np.array([BY_LOT if round_.went_out is None else team(round_.went_out)], np.int8),
    )
