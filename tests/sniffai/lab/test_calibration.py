"""Belief reports and the fit of the opponent model."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

import sniffai
from sniffai.cli.group import run
from sniffai.lab.calibration import BELIEFS, PlayerModel, calibrate
from sniffai.lab.temperature import PHASE_NAMES, RatedChoice, fit_temperatures, mean_log_likelihood, read_choices
from sniffai.moves import Move
from sniffai.play.players import GreedyPlayer, RandomPlayer
from sniffai.play.selfplay import decisions
from sniffai.search.nets import load_policy
from sniffai.search.params import EVIDENCE_SLOPES, MODEL_TEMPERATURES, TOLD_CHOICES
from sniffai.view import View

PLAYERS = (2, 3, 4)


@dataclass(frozen=True)
class SoftPlayer:
    """Chooses by softmax of the policy's ratings, as the model has it."""

    temperature: float

    def choose(self, view: View, seed: int) -> Move:
        rows = load_policy(view.players).rate(view.core())
        values = np.array([value for *_, value in rows])
        shares = np.exp((values - values.max()) / self.temperature)
        tile, at, _ = rows[np.random.default_rng(seed).choice(len(rows), p=shares / shares.sum())]
        return Move.from_codes(tile, at)


def model(players: int, worlds: int = 400) -> PlayerModel:
    return PlayerModel(load_policy(players), MODEL_TEMPERATURES[players], worlds=worlds)


# Self-play


@pytest.mark.parametrize("players", PLAYERS)
def test_self_play_is_reported_decision_by_decision(players: int) -> None:
    played, again, others = (list(decisions(GreedyPlayer(), players, range(5), seed)) for seed in (3, 3, 4))
    assert played == again != others
    assert list(decisions(GreedyPlayer(), players, [3], 3)) == played[3:4]
    assert [found[0].view.leader for found in played] == [number % players for number in range(5)]
    for decision in (decision for found in played for decision in found):
        view = decision.view
        assert decision.hands[view.seat] == view.core().hand
        assert tuple(hand.bit_count() for hand in decision.hands) == view.hand_sizes
        assert decision.move in sniffai.search.searcher.distinct_moves(view)
        assert len(sniffai.search.searcher.distinct_moves(view)) > 1


# The fit


@pytest.mark.parametrize(("players", "temperature"), [(2, 3.0), (4, 1.0)])
def test_the_fit_finds_a_known_temperature(players: int, temperature: float) -> None:
    policy = load_policy(players)
    found = [d for round_ in decisions(SoftPlayer(temperature), players, range(150), 2) for d in round_]
    fits = fit_temperatures(read_choices(policy, found), 1e-6)
    assert [fit.phase for fit in fits] == list(PHASE_NAMES)
    for fit in fits[:2]:
        assert fit.temperature == pytest.approx(temperature, rel=0.25)
        assert fit.log_likelihood > fit.blind


def test_the_fit_is_the_likeliest_temperature() -> None:
    policy = load_policy(2)
    found = [d for round_ in decisions(GreedyPlayer(), 2, range(40), 2) for d in round_]
    choices = read_choices(policy, found)
    assert len(choices) < len(found)
    fit = fit_temperatures(choices, 0.05)[0]
    early = [choice for choice in choices if choice.phase == 0]
    assert fit.choices == len(early)
    assert mean_log_likelihood(early, fit.temperature, 0.05) == fit.log_likelihood
    assert all(mean_log_likelihood(early, fit.temperature * by, 0.05) < fit.log_likelihood for by in (0.8, 1.25))


def test_the_likelihood_of_a_choice() -> None:
    choice = RatedChoice(0, np.array([3.0, 1.0, 0.0]), 1)
    share = math.exp(-1) / (1 + math.exp(-1) + math.exp(-1.5))
    assert mean_log_likelihood([choice], 2.0, 0.3) == pytest.approx(math.log(0.1 + 0.7 * share))
    assert mean_log_likelihood([choice], 2.0, 1.0) == pytest.approx(math.log(1 / 3))


def test_the_temperatures_command(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["temperatures", "--players", "3", "--rounds", "12", "--player", "greedy"]
    assert run([*args, "--json"]) == 0
    fits = json.loads(capsys.readouterr().out)
    assert [fit["phase"] for fit in fits] == list(PHASE_NAMES)
    assert run(args) == 0
    out = capsys.readouterr().out
    assert all(f"{fit['temperature']:.2f}" in out for fit in fits)


# The report


def gains(players: int, player: sniffai.play.players.Player, rounds: int) -> Sequence[sniffai.play.statistics.Estimate]:
    return [belief.gain for belief in calibrate(player, model(players), rounds, 6).beliefs]


@pytest.mark.parametrize("players", PLAYERS)
def test_choices_of_policy_players_reveal_their_hands(players: int) -> None:
    uniform, voids, weighted, _ = gains(players, SoftPlayer(1.5), 40)
    assert uniform == sniffai.play.statistics.Estimate(0.0, 0.0)
    assert voids.mean > 3 * voids.standard_error
    assert weighted.mean > 3 * weighted.standard_error


def test_random_choices_reveal_nothing() -> None:
    """The control: the model believes what is not so, and the true hands become less likely."""
    *_, weighted, _ = gains(2, RandomPlayer(), 40)
    assert weighted.mean < -3 * weighted.standard_error


@pytest.mark.parametrize("players", PLAYERS)
def test_a_report(players: int) -> None:
    report = calibrate(GreedyPlayer(), model(players), 12, 5)
    assert (report.players, report.rounds) == (players, 12)
    assert [belief.name for belief in report.beliefs] == list(BELIEFS)
    assert 0 < report.effective <= 1
    assert 0 < report.complete < 1
    tiles = {sum(bin_.count for bin_ in belief.reliability) for belief in report.beliefs}
    assert len(tiles) == 1
    for belief in report.beliefs:
        assert belief.log_likelihood.mean < 0
        assert 0 < belief.brier < 0.3
        for bin_ in belief.reliability:
            assert (bin_.count == 0) == (bin_.said is None) == (bin_.held is None)
            assert bin_.error is None or bin_.error >= 0
            assert bin_.said is None or bin_.low - 1e-9 <= bin_.said <= bin_.high + 1e-9
    for belief in report.beliefs[:2]:
        for bin_ in belief.reliability:
            if bin_.count >= 300:
                assert bin_.held == pytest.approx(bin_.said, abs=0.08)


def test_the_error_of_a_bin_is_over_rounds() -> None:
    """By hand: what differs in a round counts once, however many tiles agree."""
    said, held = np.full(6, 0.25), np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0])
    rounds = np.array([0, 0, 1, 1, 2, 2])
    (bin_,) = [bin_ for bin_ in sniffai.lab.calibration._bins(said, held, rounds) if bin_.count]
    assert (bin_.low, bin_.count, bin_.said, bin_.held) == (0.2, 6, 0.25, 0.5)
    means = np.array([0.75, -0.25, 0.25])
    assert bin_.error == pytest.approx(means.std(ddof=1) / math.sqrt(3))
    assert bin_.off == pytest.approx(0.25 / bin_.error)
    alone = [bin_ for bin_ in sniffai.lab.calibration._bins(said[:2], held[:2], rounds[:2]) if bin_.count]
    assert (alone[0].error, alone[0].off) == (None, None)


def test_a_share_of_the_evidence_lies_between_voids_and_weighted() -> None:
    """With none of it ``inferred`` is the exact belief, with all of it ``weighted``."""
    for share, like in ((0.0, 1), (1.0, 2)):
        told_by = replace(model(2), share=share)
        beliefs = calibrate(GreedyPlayer(), told_by, 4, 5).beliefs
        assert beliefs[3].log_likelihood.mean == pytest.approx(beliefs[like].log_likelihood.mean)
        assert beliefs[3].brier == pytest.approx(beliefs[like].brier, abs=3e-3)


def test_probabilities_of_the_true_hands_are_exact_if_worlds_are_few() -> None:
    """Against a sum over all worlds listed by the library."""
    checked = 0
    for decision in (decision for found in decisions(GreedyPlayer(), 2, range(20), 8) for decision in found):
        belief = sniffai.Belief(decision.view)
        worlds = belief.worlds() if belief.assignments <= 1000 else None
        if worlds is None:
            continue
        true = sum(world.weight for world in worlds if hands_of(world) == decision.hands)
        said = math.log(true / sum(world.weight for world in worlds))
        judgement = sniffai.lab.calibration.judge(decision, model(2), 1)
        assert judgement.log_likelihoods[1] == pytest.approx(said, abs=1e-9)
        checked += 1
    assert checked > 20


def hands_of(world: sniffai.World) -> tuple[int, ...]:
    return tuple(sum(1 << tile.index for tile in hand) for hand in world.hands)


def test_the_report_command(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["belief-report", "--rounds", "3", "--player", "greedy", "--worlds", "50", "--seed", "9"]
    assert run([*args, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    told_by = replace(model(2, 50), told=TOLD_CHOICES[2], slopes=EVIDENCE_SLOPES[2], extra=800)
    report = calibrate(GreedyPlayer(), told_by, 3, 9).to_dict()
    assert told == json.loads(json.dumps(report))
    assert [belief["name"] for belief in told["beliefs"]] == list(BELIEFS)
    assert run(args) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "effective sample size" in out
    assert f"{told['decisions']} decisions" in out
