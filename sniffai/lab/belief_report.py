"""The comparison of beliefs over many rounds of self-play, in jobs: see :mod:`sniffai.lab.calibration`."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Final

from sniffai.checks import keep, read_players, read_real, read_whole
from sniffai.errors import LimitsError
from sniffai.jobs.executor import Executor, executor_or, in_order
from sniffai.jobs.spec import JobSpec, slices
from sniffai.lab.calibration import CalibrationReport, Judgement, PlayerModel, judged_rounds, report_of
from sniffai.play.levels import named_player
from sniffai.search.inferred import UNCHANGED
from sniffai.search.nets import load_policy
from sniffai.search.params import (
    EVIDENCE_SLOPES,
    MAX_SIMULATIONS,
    MODEL_TEMPERATURES,
    TOLD_CHOICES,
    Limits,
    SearchParams,
)
from sniffai.seeds import check_seed

PARAMETERS: Final = ("players", "seed", "player", "worlds", "share")
"""What a job says besides the numbers of its rounds."""

MOST_WORLDS: Final = 1_000_000
MOST_SHARE: Final = 4.0


@dataclass(frozen=True, slots=True)
class BeliefSpec:
    """What decides a comparison of beliefs.

    :raises LimitsError: a value out of range, or no such player; ``field`` is its name.
    """

    players: int = 2
    """Seats, 2..4."""
    rounds: int = 100
    """Rounds of self-play, at least 1."""
    seed: int = 0
    """Of deals, random choices and sampled worlds, 0..2**64-1."""
    player: str = "search:simulations=1000"
    """Who plays, at every seat, by name."""
    worlds: int = 1000
    """Most worlds to weigh, 1..1,000,000."""
    share: float | None = None
    """The share of the evidence that counts in the inferred belief, 0..4, with no correction of single tiles; as in
    answers where not given."""

    def __post_init__(self) -> None:
        keep(self, "players", read_players(self.players, LimitsError))
        keep(self, "rounds", read_whole(self.rounds, "rounds", 1, MAX_SIMULATIONS))
        keep(self, "seed", check_seed(self.seed))
        keep(self, "worlds", read_whole(self.worlds, "worlds", 1, MOST_WORLDS))
        if self.share is not None:
            keep(self, "share", read_real(self.share, "share", 0, MOST_SHARE))
        named_player(self.player, Limits())

    @property
    def model(self) -> PlayerModel:
        """How the beliefs take the other seats to choose: as the search does."""
        params, share = SearchParams(), self.share
        return PlayerModel(
            load_policy(self.players),
            MODEL_TEMPERATURES[self.players],
            params.floor,
            self.worlds,
            TOLD_CHOICES[self.players],
            1.0 if share is None else share,
            EVIDENCE_SLOPES[self.players] if share is None else UNCHANGED,
            params.extra_size(self.worlds),
        )


def report_beliefs(
    spec: BeliefSpec, *, executor: Executor | None = None, progress: Callable[[int], None] | None = None
) -> CalibrationReport:
    """Compare the beliefs at every decision of some self-play.

    :param executor: does the work; without it this process does.
    :param progress: called with the number of rounds done since the last call.
    """
    parameters = {name: value for name, value in asdict(spec).items() if name in PARAMETERS}
    jobs = (JobSpec("beliefs", parameters, numbers) for numbers in slices(spec.rounds, 1))
    played: list[list[Judgement]] = []
    with executor_or(executor, 1) as open_:
        for result in in_order(open_, jobs):
            played.extend([Judgement.from_list(values) for values in in_round] for in_round in result.value)
            if progress is not None:
                progress(len(result.value))
    return report_of(spec.players, played)


def judge_job(job: JobSpec) -> list[list[list[Any]]]:
    """Judge the decisions of some rounds: the work of the kind ``beliefs``.

    :raises LimitsError: there is no such player, or a parameter out of range.
    """
    spec = BeliefSpec(**job.read(PARAMETERS), rounds=job.pieces.stop)
    player = named_player(spec.player, Limits())
    return [
        [judgement.to_list() for judgement in judgements]
        for judgements in judged_rounds(player, spec.model, job.pieces, spec.seed)
    ]
