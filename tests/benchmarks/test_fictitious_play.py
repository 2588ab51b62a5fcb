"""The benchmark of fictitious play: its nets are what searches and exploiters take for the policy, or in its place."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.fictitious_play import (
    ChancePlayer,
    NetSearchPlayer,
    OwnModel,
    greedy,
    learned,
    main,
    mixed,
    net_of,
    policy_model,
    temperatures,
)
from benchmarks.history_model import Choices
from sniffai.moves import Move
from sniffai.play.players import PolicyPlayer, SearchPlayer
from sniffai.search.opponents import Opponent, Way
from sniffai.search.params import MODEL_TEMPERATURES, Limits
from sniffai.view import View
from tests.hidden_twins import hidden_twins

LIMITS = Limits(simulations=50)


@pytest.fixture(scope="module")
def views() -> list[View]:
    found = [round_.view(round_.seat) for round_, _ in hidden_twins(3)]
    return [view for view in found if view.must == "play"][:6]


def test_a_model_that_learned_nothing_is_the_policy(views: list[View]) -> None:
    policy = policy_model(3)
    assert temperatures(policy) == pytest.approx(MODEL_TEMPERATURES[3])
    own = NetSearchPlayer(LIMITS, model=OwnModel(net_of(policy, 3), MODEL_TEMPERATURES[3]))
    told, usual = SearchPlayer(LIMITS, opponents=greedy(policy, 3)), Opponent((Way("policy"),))
    for view in views:
        assert ChancePlayer(greedy(policy, 3)).choose(view, 1) == PolicyPlayer().choose(view, 1)
        assert values(own, view) == values(SearchPlayer(LIMITS), view)
        assert values(told, view) == values(SearchPlayer(LIMITS, opponents=usual), view)


def test_another_net_makes_another_search(views: list[View]) -> None:
    other = policy_model(3)
    other.parts["skip"] += np.random.default_rng(1).normal(0, 1, other.parts["skip"].shape).astype(np.float32)
    pairs = [
        (NetSearchPlayer(LIMITS, model=OwnModel(net_of(other, 3), MODEL_TEMPERATURES[3])), SearchPlayer(LIMITS)),
        (SearchPlayer(LIMITS, opponents=mixed(other, 3)), SearchPlayer(LIMITS, opponents=mixed(policy_model(3), 3))),
    ]
    for player, usual in pairs:
        assert any(values(player, view) != values(usual, view) for view in views)


def values(player: SearchPlayer, view: View) -> dict[Move, float]:
    return {move.move: move.expected_margin for move in player.analyze(view, 7).moves}


def test_it_learns_and_prints_what_each_model_is_worth(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("choice_net", "fictitious_play", "history_model"):
        monkeypatch.setattr(f"benchmarks.{module}.BATCH", 8)
    monkeypatch.setattr("benchmarks.fictitious_play.ALONE", 10)
    few = ["--rounds", "2", "--simulations", "10", "--epochs", "1", "--deals", "2", "--workers", "1"]
    few += ["--exploit-deals", "2", "--exploit-simulations", "20", "--times", "1"]
    main(["--folder", str(tmp_path), *few])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines if line[0] != " "] == ["the policy:", "model 1"]
    assert len(lines) == 5 + 10

    choices, policy = Choices.read(tmp_path, 2, 101, ()), policy_model(2)
    batch, _ = choices.batch(np.arange(len(choices)))
    first = learned(policy, [choices], 4)
    mean = learned(policy, [choices], 20, [policy, first])
    target = (policy.chances(batch) + first.chances(batch)) / 2
    assert np.abs(mean.chances(batch) - target).mean() < 0.5 * np.abs(policy.chances(batch) - target).mean()
