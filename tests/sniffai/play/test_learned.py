"""Opponents by name, and learned from what a seat placed."""

import pytest

from sniffai import Limits, LimitsError, Round, View, ViewError, analyze
from sniffai.play.arena import play_round
from sniffai.play.exploiter import deal_of
from sniffai.play.habits import OWN, habits_of, mixture
from sniffai.play.learned import CANDIDATES, learned_opponent
from sniffai.play.levels import level_player, named_player, opponent_named
from sniffai.play.players import SearchPlayer
from sniffai.search.nets import load_policy
from sniffai.search.opponents import Opponent, Way
from sniffai_ext.inference import sampled_deals


def watched(name: str, players: int, rounds: int, seat: int = 0) -> list[View]:
    """What a seat saw of rounds in which all others play like one player."""
    others = named_player(name)
    seats = [named_player("policy") if other == seat else others for other in range(players)]
    deals = (Round.deal(players, 700 + number, leader=number % players) for number in range(rounds))
    return [play_round(round_, seats, number).view(seat) for number, round_ in enumerate(deals)]


def shares(opponent: Opponent) -> dict[str, float]:
    """The share of each candidate."""
    found = {(way.kind, way.number): way.share for way in opponent.ways}
    ways = {name: candidate.ways[0] for name, candidate in CANDIDATES.items()}
    return {name: found.get((way.kind, way.number), 0.0) for name, way in ways.items()}


def test_opponents_have_the_names_of_levels_and_players() -> None:
    assert opponent_named("casual") == opponent_named("level:casual") == opponent_named("hasty:misjudges=30")
    assert opponent_named("policy") == Opponent((Way("policy"),))
    assert opponent_named("greedy") == Opponent((Way("careless", 0.0),))
    assert opponent_named("1300") == habits_of(level_player("1300"))
    for searching in ("search", "full", "expert", "club", "search:simulations=3", "1895"):
        assert opponent_named(searching) == OWN
    between = opponent_named("1650")
    assert [(way.kind, way.number) for way in between.ways] == [("hasty", 7.5), ("own", 0.0)]
    assert sum(way.share for way in between.ways) == pytest.approx(1)
    for wrong, reason in (
        ("nobody", "UNKNOWN_PLAYER"),
        ("10", "RATING_OUT_OF_RANGE"),
        ("hasty:misjudges=x", "NOT_A_NUMBER"),
        (3, "NOT_A_TEXT"),
    ):
        with pytest.raises(LimitsError) as caught:
            opponent_named(wrong)  # type: ignore[arg-type]
        assert (caught.value.reason, caught.value.field) == (reason, "opponent")
    with pytest.raises(LimitsError, match="the levels are newcomer, "):
        opponent_named("nobody")


def test_a_search_player_can_be_told_by_name() -> None:
    told = named_player("search:simulations=50,opponents=hasty:misjudges=5")
    assert told == SearchPlayer(Limits(simulations=50), opponents=Opponent((Way("hasty", 5.0),)))
    for players in (2, 3, 4):
        round_ = play_round(Round.deal(players, 2), [told] * players, 1)
        assert round_.over
    with pytest.raises(LimitsError):
        named_player("search:opponents=nobody")
    with pytest.raises(LimitsError):
        named_player("forgetful:opponents=casual")


def test_the_search_s_own_model_is_what_it_takes_for_granted() -> None:
    """By name or by default, alone or with several seats: the same to the bit."""
    for players in (2, 3, 4):
        round_ = Round.deal(players, 4, leader=0)
        for _ in range(5):
            round_.play(round_.legal_moves()[0])
        view = round_.view(round_.seat)
        others = [seat for seat in range(players) if seat != view.seat]
        plain = analyze(view, Limits(simulations=3000), seed=3)
        told = analyze(view, Limits(simulations=3000), seed=3, opponents=dict.fromkeys(others, opponent_named("full")))
        assert told.moves == plain.moves
        half = mixture([(OWN, 0.5), (opponent_named("greedy"), 0.5)])
        mixed = [analyze(view, Limits(simulations=3000), seed=3, opponents=dict.fromkeys(others, half)) for _ in "ab"]
        assert mixed[0].moves == mixed[1].moves != plain.moves


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(
    ("name", "likely"),
    [
        ("level:newcomer", "newcomer beginner casual"),
        ("level:skilled", "attentive skilled search"),
        ("policy", "search"),
    ],
)
def test_the_more_is_seen_the_likelier_is_who_it_was(name: str, likely: str, players: int) -> None:
    rounds = 8 if players == 2 else 12  # the more seats, the less each places in a round
    views = watched(name, players, rounds)
    few, many = (shares(learned_opponent(views[:count], 1)) for count in (1, rounds))
    assert sum(many.values()) == pytest.approx(1)
    assert sum(many[each] for each in likely.split()) > 0.85
    assert max(few.values()) <= max(many.values())


def test_nothing_seen_leaves_all_alike() -> None:
    assert shares(learned_opponent([], 1)) == pytest.approx(dict.fromkeys(CANDIDATES, 1 / len(CANDIDATES)))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_what_is_hidden_teaches_nothing(players: int) -> None:
    """Other deals that explain a view lead to the same mixture."""
    round_ = Round.deal(players, 6, leader=1)
    for _ in range(6):
        round_.play(round_.legal_moves()[-1])
    view = round_.view(0)
    batches, talons, _ = sampled_deals(view.core(), 2, 3, load_policy(players), (3.0, 3.0, 3.0), 0.05)
    learned = []
    for held, talon in zip(batches, talons, strict=True):
        other = Round.from_deal(deal_of(view, held, talon))
        for move in view.placements:
            other.play(move)
        learned.append(learned_opponent([other.view(0)], 1))
    assert learned[0] == learned[1] == learned_opponent([view], 1)


def test_whose_choices_are_learned() -> None:
    views = watched("greedy", 3, 1)
    for wrong in (0, 3, -1, "1", True):
        with pytest.raises(ViewError) as caught:
            learned_opponent(views, wrong)  # type: ignore[arg-type]
        assert (caught.value.reason, caught.value.field) == ("SEAT_OUT_OF_RANGE", "seat")
    with pytest.raises(LimitsError):
        learned_opponent(views, 1, seed=-1)
