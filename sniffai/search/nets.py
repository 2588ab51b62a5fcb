"""The trained nets that come with the package: the policy and the world value, one pair for each number of seats.

``data/nets-N.npz`` holds float16 weights (their order is in ``ext/sniffai_ext/net.pxd``) and, as JSON text under
``"made"``, the command and the seed that made them and the strength measured then. ``sniffai train`` writes them.
"""

import json
from collections.abc import Mapping
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from sniffai.checks import read_players
from sniffai.packaged import read_packaged
from sniffai_ext.policy import Policy
from sniffai_ext.world_value import WorldValue

if TYPE_CHECKING:  # imported where arrays are made: see sniffai.checks
    import numpy as np
    import numpy.typing as npt

Weights: TypeAlias = "npt.NDArray[np.float32]"
"""The weights of one net, in one dimension: as many as :func:`sniffai_ext.policy.weight_count` or
:func:`sniffai_ext.world_value.world_weight_count` say."""


@cache
def load_policy(players: int) -> Policy:
    """The policy net for a number of seats, read once.

    :param players: 2, 3 or 4.
    :raises ViewError: it is another number.
    """
    return Policy(players, _weights(players, "policy"))


@cache
def load_world_value(players: int) -> WorldValue:
    """The world-value net for a number of seats, read once.

    :param players: 2, 3 or 4.
    :raises ViewError: it is another number.
    """
    return WorldValue(players, _weights(players, "world"))


@cache
def how_made(players: int) -> Mapping[str, Any]:
    """How the nets for a number of seats were made: command, seeds, rounds, and the strength measured then.

    :param players: 2, 3 or 4.
    :raises ViewError: it is another number.
    """
    import numpy as np

    with np.load(_file(players)) as data:
        made: Mapping[str, Any] = json.loads(str(data["made"]))
    return made


def save_nets(path: str | BinaryIO, policy: Weights, world: Weights, made: Mapping[str, Any]) -> None:
    """Write a pair of nets in the form that this module reads: weights rounded to float16, and how they were made.

    :param path: an ``.npz`` file, or a binary stream.
    :param made: what JSON can hold.
    :raises OSError: the file cannot be written.
    """
    import numpy as np

    text = np.array(json.dumps(made))
    np.savez_compressed(path, policy=policy.astype(np.float16), world=world.astype(np.float16), made=text)


def _weights(players: int, name: str) -> Weights:
    import numpy as np

    with np.load(_file(players)) as data:
        return np.asarray(data[name], np.float32)


def _file(players: int) -> BytesIO:
    return BytesIO(read_packaged(f"data/nets-{read_players(players)}.npz"))
