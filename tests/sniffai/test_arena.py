"""Players by name, and the arena: exact ties, known orders of strength, results that do not depend on workers."""

import pytest

from sniffai import Limits, LimitsError
from sniffai.arena import ArenaSpec, play_arena
from sniffai.players import GreedyPlayer, RandomPlayer, SearchPlayer, parse_player
from sniffai.rules import PLAYERS


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("name", ["random", "greedy", "search:simulations=60"])
def test_two_identical_players_tie_exactly(players: int, name: str) -> None:
    result = play_arena(ArenaSpec(name, name, players, deals=6, seed=9))
    assert result.margins == pytest.approx([0.0] * 6, abs=1e-12)
    assert result.standard_error == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("players", PLAYERS)
def test_greedy_beats_random(players: int) -> None:
    result = play_arena(ArenaSpec("random", "greedy", players, deals=120, seed=1))
    assert result.mean_margin > 3 * result.standard_error > 0


def test_search_beats_greedy_with_two_seats() -> None:
    result = play_arena(ArenaSpec("greedy", "search:simulations=1000", 2, deals=60, seed=1))
    assert result.mean_margin > 3 * result.standard_error > 0


def test_the_sides_mirror_each_other() -> None:
    there = play_arena(ArenaSpec("random", "greedy", 2, deals=10, seed=3))
    back = play_arena(ArenaSpec("greedy", "random", 2, deals=10, seed=3))
    assert there.mean_margin == pytest.approx(-back.mean_margin)


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    spec = ArenaSpec("greedy", "search:simulations=50", 3, deals=7, seed=2)
    done: list[int] = []
    assert play_arena(spec, workers=2).margins == play_arena(spec, progress=done.append).margins
    assert sum(done) == 7


def test_a_seed_makes_other_deals() -> None:
    one, two = (play_arena(ArenaSpec("random", "greedy", 2, deals=5, seed=seed)) for seed in (1, 2))
    assert one.margins != two.margins


def test_players_are_read_by_name() -> None:
    assert parse_player("random") == RandomPlayer()
    assert parse_player("greedy") == GreedyPlayer()
    assert parse_player("search", Limits(seconds=0.5)) == SearchPlayer(Limits(seconds=0.5))
    player = parse_player("search:simulations=7,exploration=3,epsilon=0.5", Limits(seconds=0.5))
    assert isinstance(player, SearchPlayer)
    assert player.limits == Limits(simulations=7)
    assert (player.params.exploration, player.params.epsilon) == (3.0, 0.5)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("gredy", "player"),
        ("greedy:x=1", "player"),
        ("search:depth=3", "player"),
        ("search:simulations", "player"),
        ("search:simulations=many", "simulations"),
        ("search:simulations=0", "simulations"),
        ("search:epsilon=2", "epsilon"),
    ],
)
def test_a_wrong_player_is_refused(text: str, field: str) -> None:
    with pytest.raises(LimitsError) as error:
        parse_player(text)
    assert error.value.field == field


@pytest.mark.parametrize("wrong", [{"players": 5}, {"deals": 0}, {"seed": -1}])
def test_a_wrong_spec_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(LimitsError):
        ArenaSpec("random", "greedy", **wrong)  # type: ignore[arg-type]
