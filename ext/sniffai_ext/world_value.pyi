import numpy.typing as npt

from sniffai_ext.trained_net import TrainedNet

class WorldValue(TrainedNet):
    def __init__(self, players: int, weights: npt.ArrayLike) -> None: ...

def world_weight_count(players: int) -> int: ...
