"""Views that follow a round are those of the round itself, and hold nothing hidden."""

from random import Random

import pytest

from sniffai import Round, View
from sniffai.rules import PLAYERS
from sniffai.watch import Watch


def _assert_same(followed: View, made: View) -> None:
    assert followed == made
    assert hash(followed) == hash(made)
    assert type(followed.position) is type(made.position)
    assert followed.to_text() == made.to_text()
    assert (followed.must, followed.hand, followed.hand_sizes) == (made.must, made.hand, made.hand_sizes)
    assert followed.legal_moves() == made.legal_moves()


@pytest.mark.parametrize("players", PLAYERS)
def test_a_watch_sees_what_the_round_shows(players: int) -> None:
    for seed in range(25):
        round_, lots = Round.deal(players, seed), Random(seed)
        watch = Watch(round_)
        while not round_.over:
            for seat in range(players):
                _assert_same(watch.view(seat), round_.view(seat))
            round_.play(lots.choice(round_.legal_moves()))
        _assert_same(watch.view(0), round_.view(0))


@pytest.mark.parametrize("players", PLAYERS)
def test_a_watch_may_begin_late_and_look_rarely(players: int) -> None:
    round_ = Round.deal(players, 3)
    for _ in range(4):
        round_.play(round_.legal_moves()[0])
    watch = Watch(round_)
    _assert_same(watch.view(0), round_.view(0))
    while not round_.over:
        round_.play(round_.legal_moves()[-1])
    for seat in range(players):
        _assert_same(watch.view(seat), round_.view(seat))


def test_a_view_stays_as_it_was() -> None:
    round_ = Round.deal(2, 5)
    watch = Watch(round_)
    view, text = watch.view(0), watch.view(0).to_text()
    while not round_.over:
        round_.play(round_.legal_moves()[0])
        watch.view(0)
    assert (view.to_text(), view.must != "over") == (text, True)
