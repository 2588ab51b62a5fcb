"""Every engine of the comparison by its name."""

from collections.abc import Callable
from functools import partial
from typing import Final

from benchmarks.peers.mittmcts_player import Mittmcts
from benchmarks.peers.openspiel_player import OpenSpiel
from benchmarks.peers.players import PLAIN, Engine, Greedy, Sniffai
from benchmarks.peers.pyplai_player import Pyplai

ENGINES: Final[dict[str, Callable[[], Engine]]] = {
    "sniffai": Sniffai,
    "sniffai-plain": partial(Sniffai, "sniffai-plain", PLAIN),
    "greedy": Greedy,
    "openspiel": partial(OpenSpiel, "openspiel"),
    "openspiel-rollouts": partial(OpenSpiel, "openspiel-rollouts"),
    "openspiel-searcher": partial(OpenSpiel, "openspiel-searcher"),
    "pyplai": Pyplai,
    "mittmcts": Mittmcts,
}
