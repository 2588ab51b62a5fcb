from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from sniffai_ext.policy import Policy
from sniffai_ext.round import Round

def play_scored_rounds(
    policy: Policy, rounds: int, seed: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint16], npt.NDArray[np.uint8], npt.NDArray[np.int8]]: ...
def noted_gains(start: Round, placements: Iterable[tuple[int, int]]) -> list[int]: ...
def play_matches(policy: Policy, scores: Sequence[int], leader: int, matches: int, seed: int) -> tuple[int, ...]: ...
