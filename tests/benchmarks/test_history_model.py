"""The benchmark of models of the search's choices: they begin as the policy, and learn what they are told."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.choice_net import Batch, ChoiceNet, softmax
from benchmarks.history_model import EXTRA, Choices, ModelPlayer, main, told, trained
from benchmarks.search_choices import inputs_of
from sniffai.play.players import PolicyPlayer
from tests.hidden_twins import hidden_twins


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("choices")
    for seed in ("1", "2"):
        what = ["--folder", str(made), "--players", "3", "--seed", seed, "--rounds", "6", "--simulations", "10"]
        main(["play", *what, "--again", "--workers", "1"])
    return made


def test_a_model_without_training_is_the_policy(folder: Path) -> None:
    choices = Choices.read(folder, 3, 1, EXTRA)
    net = trained(choices, 0, 80, 0, 5)
    batch, moves = choices.batch(np.arange(len(choices)))
    assert np.abs(net.rate(batch.inputs, batch.points) - choices.found["rating"][moves]).max() < 0.2
    player = ModelPlayer(net, EXTRA)
    views = [round_.view(round_.seat) for round_, _ in hidden_twins(3)]
    agreed = [player.choose(view, 1) == PolicyPlayer().choose(view, 1) for view in views if view.must == "play"]
    assert sum(agreed) >= len(agreed) - 1  # the policy's weights are rounded


def test_a_model_is_told_nothing_that_its_seat_may_not_know() -> None:
    for one, other in hidden_twins(2):
        views = [round_.view(round_.seat) for round_ in (one, other)]
        if views[0].must == "play":
            first, second = (told(inputs_of(view, 7), EXTRA) for view in views)
            assert (first == second).all()


def test_the_gradient_is_that_of_the_loss(folder: Path) -> None:
    choices = Choices.read(folder, 3, 1, EXTRA)
    net, (batch, _) = trained(choices, 0, 80, 0, 5), choices.batch(np.arange(20))
    net.parts = {name: part.astype(np.float64) for name, part in net.parts.items()}
    batch = replace(batch, inputs=batch.inputs.astype(np.float64))
    gradient = net.gradient(batch)
    random = np.random.default_rng(3)
    for name, part in net.parts.items():
        step = random.normal(0, 1e-5, part.shape)
        net.parts[name] = part + step
        after = loss(net, batch)
        net.parts[name] = part - step
        before = loss(net, batch)
        net.parts[name] = part
        assert (gradient[name] * step).sum() == pytest.approx((after - before) / 2, rel=1e-2, abs=1e-9), name


def loss(net: ChoiceNet, batch: Batch) -> float:
    rating = net.rate(batch.inputs, batch.points)
    sharpness = np.exp(net.parts["sharpness"])[batch.phase][batch.owner]
    return -float((batch.target * np.log(softmax(sharpness * rating, batch.starts, batch.owner))).sum()) / 20


def test_it_trains_and_prints_how_good_a_model_is(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.history_model.BATCH", 32)
    main(["train", "--folder", str(folder), "--players", "3", "--epochs", "2", "--inputs", "inferred", "--deals", "2"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("3 seats, 128 units, rows inferred, ")
    assert [line.split()[1] for line in lines[1:]] == ["search", "model", "loses", "against"]


def test_a_folder_without_choices_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no choices of 2 seats and seed 1"):
        main(["train", "--folder", str(tmp_path)])
