"""Rounds from fixed scores are played in pairs, and valued by the chance to win the match."""

from pathlib import Path

import pytest

from benchmarks.near_target import chance, main, played
from sniffai import Round
from sniffai.equity import load
from sniffai.play.levels import named_player

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("players", "scores"), [(2, (245, 0)), (2, (0, 0)), (3, (0, 100, 150)), (4, (195, 0))])
def test_the_chances_of_all_teams_are_1(players: int, scores: tuple[int, ...]) -> None:
    greedy = named_player("greedy")
    for seed in range(5):
        round_ = played(Round.deal(players, seed, leader=0, scores=scores), [greedy] * len(scores), seed)
        chances = [chance(round_, team, load(players)) for team in range(len(scores))]
        assert sum(chances) == pytest.approx(1)
        assert round_.match_winner is None or chances[round_.match_winner] == 1


def test_a_version_gains_nothing_over_itself(capsys: pytest.CaptureFixture[str]) -> None:
    main([str(ROOT), "--player", "policy", "--deals", "3"])
    assert capsys.readouterr().out == "2 seats from 185,185, 3 deals: +0.00 ± 0.00 % of the matches\n"
