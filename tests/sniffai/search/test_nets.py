"""The nets that come with the package: what their labels say, and how they are stored."""

from pathlib import Path

import numpy as np
import pytest

from sniffai.lab.training import ROUNDS, TrainingPlan, as_stored, margin_over_greedy
from sniffai.search.nets import how_made, load_policy, load_world_value, save_nets
from sniffai_ext.train import first_weights

AIMS = {2: 11.5, 3: 5.3, 4: 9.0}
"""Points a round over the greedy player that the policies must be worth."""


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_labels_tell_how_the_nets_were_made(players: int) -> None:
    made = how_made(players)
    plan = TrainingPlan(players, ROUNDS[players])
    assert made["command"] == plan.command()
    assert (made["rounds"], made["seed"], made["weights_seed"]) == (plan.rounds, plan.seed, plan.weights_seed)
    assert made["over_greedy"]["margin"] > AIMS[players]
    assert made["over_greedy"]["deals"] * made["over_greedy"]["standard_error"] > 0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_policies_are_as_strong_as_their_labels_say(players: int) -> None:
    told = how_made(players)["over_greedy"]
    measured = margin_over_greedy(load_policy(players), deals=4000, seed=123)
    error = (told["standard_error"] ** 2 + measured.standard_error**2) ** 0.5
    assert abs(measured.mean - told["margin"]) < 4 * error


@pytest.mark.parametrize("players", [2, 3, 4])
def test_both_nets_are_loaded_once(players: int) -> None:
    assert load_policy(players) is load_policy(players)
    assert load_policy(players).players == load_world_value(players).players == players


def test_weights_are_stored_in_half_precision(tmp_path: Path) -> None:
    policy, world = first_weights(2, 5)
    paths = [str(tmp_path / name) for name in ("one.npz", "two.npz")]
    for path in paths:
        save_nets(path, policy, world, {"seed": 5})
    assert Path(paths[0]).read_bytes() == Path(paths[1]).read_bytes()
    with np.load(paths[0]) as data:
        assert np.array_equal(data["policy"].astype(np.float32), as_stored(policy))
        assert np.array_equal(data["world"].astype(np.float32), as_stored(world))
        assert str(data["made"]) == '{"seed": 5}'
    assert np.abs(as_stored(policy) - policy).max() < 1e-3
