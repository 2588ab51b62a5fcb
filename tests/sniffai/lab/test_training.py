"""Training in the library and on the command line."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sniffai.cli.group import run
from sniffai.errors import LimitsError
from sniffai.jobs import JobSpec, run_job
from sniffai.lab import training
from sniffai.lab.training import TrainingPlan, as_stored, label, margin_over_greedy, train_nets
from sniffai_ext.policy import Policy
from sniffai_ext.train import first_weights, train


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_little_training_beats_the_greedy_player(players: int) -> None:
    plan = TrainingPlan(players, 6000)
    untrained = margin_over_greedy(Policy(players, first_weights(players, plan.weights_seed)[0]), 1000)
    nets = train_nets(plan)
    trained = margin_over_greedy(Policy(players, as_stored(nets.policy)), 1000)
    assert trained.mean > max(0, untrained.mean) + 4 * trained.standard_error
    assert 5 < nets.world_error < nets.policy_error + 1 < 30


def test_training_is_decided_by_its_plan() -> None:
    def once(**changes: Any) -> bytes:
        nets = train_nets(TrainingPlan(2, 200, **changes))
        return nets.policy.tobytes() + nets.world.tobytes()

    assert once() == once()
    changes = [{"seed": 8}, {"weights_seed": 2}, {"first_rate": 0.01}, {"last_rate": 1e-4}, {"temperature": 2.0}]
    assert len({once(), once(decay=0.5), *(once(**change) for change in changes)}) == 7


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("players", 5),
        ("rounds", 0),
        ("seed", -1),
        ("weights_seed", 2**64),
        ("first_rate", 0.0),
        ("last_rate", float("nan")),
        ("temperature", float("inf")),
        ("decay", 1.5),
    ],
)
def test_a_plan_out_of_range_is_refused(field: str, value: float) -> None:
    with pytest.raises(LimitsError) as caught:
        TrainingPlan(**{"players": 2, "rounds": 10, field: value})
    assert caught.value.field == field


def test_the_command_writes_what_the_library_trains(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "nets.npz")
    args = ["train", "--players", "3", "--rounds", "500", "--seed", "4", "--duels", "50", "--out", path]
    assert run([*args, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    plan = TrainingPlan(3, 500, seed=4)
    nets = train_nets(plan)
    with np.load(path) as data:
        assert np.array_equal(data["policy"].astype(np.float32), as_stored(nets.policy))
        assert np.array_equal(data["world"].astype(np.float32), as_stored(nets.world))
        made = json.loads(str(data["made"]))
    margin = margin_over_greedy(Policy(3, as_stored(nets.policy)), 50)
    assert made == label(plan, margin, 50)
    assert told == {**made, "policy_error": nets.policy_error, "world_error": nets.world_error}
    assert run(args) == 0
    assert "points a round, 50 deals" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["missing/nets.npz", "nets.bin"])
def test_a_file_that_cannot_be_written_is_reported(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["train", "--rounds", "5", "--duels", "2", "--out", str(tmp_path / name)]) == 2
    assert capsys.readouterr().err.startswith("sniffai: ")


def test_parts_of_a_training_give_what_all_of_it_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = TrainingPlan(3, 45)
    whole = train_nets(plan)
    counts: list[int] = []
    monkeypatch.setattr(training, "ROUNDS_OF_JOB", 7)
    assert train_nets(plan, counts.append) == whole
    assert counts == [7, 14, 21, 28, 35, 42, 45]
    policy, world = first_weights(plan.players, plan.weights_seed)
    errors = train(3, policy, world, 45, plan.seed, plan.first_rate, plan.last_rate, plan.temperature, plan.decay)
    assert (policy.tobytes(), world.tobytes()) == (whole.policy.tobytes(), whole.world.tobytes())
    assert errors == (whole.policy_error, whole.world_error)


@pytest.mark.parametrize(
    "records", [(), ("", "", "[]"), ("x", "y", "z"), ("AAAA", "AAAA", "[1,2,3.0,4.0,5]"), ("",) * 4]
)
def test_a_part_reads_what_the_part_before_made_and_nothing_else(records: tuple[str, ...]) -> None:
    job = JobSpec("training", asdict(TrainingPlan(2, 9)), range(3, 6), records)
    with pytest.raises(LimitsError) as error:
        run_job(job)
    assert error.value.reason in ("WRONG_WEIGHTS", "NOT_NUMBERS")
