"""Models of seats: their chances against how often the players they stand for really choose so."""

import math
from collections import Counter

import pytest

from sniffai import LimitsError, Round, View, ViewError
from sniffai.equity import load
from sniffai.moves import Move
from sniffai.play.habits import habits_of
from sniffai.play.humanlike import CarelessPlayer, HastyPlayer
from sniffai.play.levels import LEVELS, level_player
from sniffai.play.mixed import MixedPlayer
from sniffai.play.players import GreedyPlayer, Player, PolicyPlayer, RandomPlayer
from sniffai.search.candidates import distinct_moves
from sniffai.search.nets import load_policy
from sniffai_ext.seat_model import SeatModel

PLAYERS = (2, 3, 4)
CHOICES = 1500
KINDS: dict[str, Player] = {
    "random": RandomPlayer(),
    "greedy": GreedyPlayer(),
    "policy": PolicyPlayer(),
    "careless": CarelessPlayer(0.4),
    "hasty": HastyPlayer(9),
    "sure": HastyPlayer(0),
    "mixed": MixedPlayer(HastyPlayer(30), CarelessPlayer(0.2), 0.3),
}


def views(players: int, scores: tuple[int, ...] | None = None) -> list[View]:
    """Some with a choice of several moves."""
    found = []
    for seed in range(4):
        round_ = Round.deal(players, seed, scores=scores)
        while not round_.over and round_.match_winner is None:
            view = round_.view(round_.seat)
            moves = distinct_moves(view)
            if len(moves) > 2 and len(found) <= 2 * seed + 1:
                found.append(view)
            round_.play(moves[seed % len(moves)])
    return found


def model(player: Player, players: int) -> SeatModel:
    habits = habits_of(player)
    assert habits is not None
    return habits.core(players)


def agree(chances: dict[Move, float], chosen: Counter[Move], total: int) -> None:
    assert set(chosen) <= set(chances)
    for move, chance in chances.items():
        assert abs(chosen[move] / total - chance) <= 5 * math.sqrt(chance * (1 - chance) / total) + 1e-6


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("kind", KINDS)
def test_chances_are_how_often_the_player_chooses_so(kind: str, players: int) -> None:
    player = KINDS[kind]
    for view in views(players)[:3]:
        rows = model(player, players).chances(view.core())
        chances = {Move.from_codes(tile, at): chance for tile, at, chance in rows}
        assert list(chances) == distinct_moves(view)
        assert sum(chances.values()) == pytest.approx(1, abs=1e-6)
        agree(chances, Counter(player.choose(view, seed) for seed in range(CHOICES)), CHOICES)


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("kind", KINDS)
def test_moves_are_drawn_by_the_chances(kind: str, players: int) -> None:
    for view in views(players)[2:5]:
        made = model(KINDS[kind], players)
        chances = {Move.from_codes(tile, at): chance for tile, at, chance in made.chances(view.core())}
        drawn = Counter(Move.from_codes(*made.choose(view.core(), seed)) for seed in range(CHOICES))
        agree(chances, drawn, CHOICES)


def test_a_hasty_seat_errs_less_the_less_is_open() -> None:
    """And it never misses a placement that wins the match."""
    player, ahead = HastyPlayer(30), 0
    for view in views(2, (240, -200)) + views(2, (240, 240)):
        rows = model(player, 2).chances(view.core())
        chances = {Move.from_codes(tile, at): chance for tile, at, chance in rows}
        agree(chances, Counter(player.choose(view, seed) for seed in range(400)), 400)
        winning = [move for move in chances if view.points(move) >= 10]
        if view.scores[view.team] == 240 and winning:
            assert max(chances.values()) == 1
            assert max(chances, key=chances.__getitem__) in winning
            ahead += 1
    assert ahead


def test_who_has_habits() -> None:
    known = [level.name for level in LEVELS if habits_of(level.player) is not None]
    assert known == ["newcomer", "beginner", "casual", "steady", "attentive", "skilled"]
    assert habits_of(level_player("1300")) is not None
    assert habits_of(level_player("1650")) is None  # between skilled and club, which searches
    assert habits_of(level_player("1225")) == habits_of(level_player("casual"))


def test_bad_models_are_refused() -> None:
    policy, equity = load_policy(2), load(2).core
    for parts, reason in (
        ([], "OUT_OF_RANGE"),
        ([("careless", 0.5, 1.0)] * 33, "OUT_OF_RANGE"),
        ([("careless", 1.5, 1.0)], "OUT_OF_RANGE"),
        ([("careless", 0.5, 0.0)], "OUT_OF_RANGE"),
        ([("wise", 0.5, 1.0)], "NOT_A_PART"),
        ([("careless", 0.5)], "NOT_A_PART"),
        ([("policy", 1.0, 1.0)], "OUT_OF_RANGE"),
    ):
        with pytest.raises(LimitsError) as caught:
            SeatModel(parts, policy, equity)  # type: ignore[arg-type]
        assert caught.value.reason == reason
    for kind, reason in (("policy", "NO_POLICY"), ("hasty", "NO_POLICY")):
        with pytest.raises(LimitsError) as caught:
            SeatModel([(kind, 0, 1)])  # type: ignore[list-item]
        assert caught.value.reason == reason
    with pytest.raises(LimitsError) as caught:
        SeatModel([("hasty", 0, 1)], policy)
    assert caught.value.reason == "NO_EQUITY"
    made = SeatModel([("policy", 0, 2), ("careless", 0.5, 6)], policy)
    assert made.parts == (("policy", 0, 0.25), ("careless", 0.5, 0.75))
    with pytest.raises(LimitsError):
        made.chances(Round.deal(3, 1, leader=0).view(0).core())
    waiting = Round.deal(2, 1, leader=0).view(1)
    with pytest.raises(ViewError):
        made.choose(waiting.core(), 1)
