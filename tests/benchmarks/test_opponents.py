"""The benchmark of known opponents runs, and compares like with like."""

import pytest

from benchmarks.opponents import LearningSeats, main
from sniffai import Limits, Round
from sniffai.play.arena import play_round
from sniffai.play.levels import named_player
from sniffai.play.players import SearchPlayer


def test_it_prints_each_model_and_what_it_gains(capsys: pytest.CaptureFixture[str]) -> None:
    main(["level:newcomer", "--matches", "1", "--simulations", "10", "--workers", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0].strip() for line in lines] == ["own", "told", "over own", "learned", "over own"]
    assert all("points a round, " in line for line in lines if "over" not in line)
    main(["greedy", "--deals", "2", "--simulations", "10", "--workers", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0].strip() for line in lines] == ["own", "told", "over own"]


def test_a_learning_player_knows_the_rounds_before_this_one() -> None:
    learning = LearningSeats(SearchPlayer(Limits(simulations=10)))
    for number in range(3):
        play_round(Round.deal(3, number), [named_player("random"), learning, learning], number)
    assert set(learning._seats) == {1, 2}
    assert [len(seat._past) for seat in learning._seats.values()] == [2, 2]
    assert set(learning._seats[1]._known) == {0, 2}
