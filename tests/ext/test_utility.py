"""What a simulation is worth: at the end of a round exactly, at a leaf as far as the net and the equity table tell.

A search of one simulation in one known world has a single result, and shows it.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random

import pytest

from sniffai import Round
from sniffai.equity import Equity, load
from sniffai.rules import TARGET, TEAMS, team_of
from sniffai.search.nets import load_world_value
from sniffai_ext.errors import LimitsError
from sniffai_ext.rows import RootMove
from sniffai_ext.search import Search
from sniffai_ext.search_options import SearchOptions
from tests.one_world import margins, named, one_simulation
from tests.utility import utility, weights

PLAYERS = (2, 3, 4)

LEAD_RISE = 60
"""Points of margin by which the chance to lead next is taken to rise by 1."""


def one_result(round_: Round, move: tuple[int, int], *, match: bool, net_leaf: bool) -> RootMove:
    """The one simulation of a move."""
    value = load_world_value(round_.players) if net_leaf else None
    return one_simulation(round_, move, equity=load(round_.players).core, match=match, value=value)


def rounds(players: int, count: int, seed: int = 1) -> Iterator[tuple[Round, tuple[int, int]]]:
    """A round and a legal move, again and again, at all stages and scores."""
    rng = Random(f"{players} {seed}")
    while count:
        scores = [
            rng.choice([-40, 0, 60, 120, TARGET[players] - 25, TARGET[players] - 5]) for _ in range(TEAMS[players])
        ]
        round_ = Round.deal(players, rng.randrange(2**32), leader=rng.randrange(players), scores=scores)
        for _ in range(rng.randrange(24)):
            if not round_.over:
                round_.play(rng.choice(round_.legal_moves()))
        if not round_.over:
            count -= 1
            yield round_, named(round_, rng.choice(round_.legal_moves()).codes)


def then(round_: Round, move: tuple[int, int]) -> Round:
    """The round after a move."""
    after = round_.copy()
    after.play(next(legal for legal in after.legal_moves() if legal.codes == move))
    return after


def last_placements(players: int, count: int) -> Iterator[tuple[Round, tuple[int, int]]]:
    """A round with its last placement to come, and that."""
    rng = Random(players)
    for seed in range(count):
        scores = [rng.choice([-40, 0, 60, 120, TARGET[players] - 25]) for _ in range(TEAMS[players])]
        round_ = Round.deal(players, seed, scores=scores)
        while not round_.over:
            before = round_.copy()
            round_.play(rng.choice(round_.legal_moves()))
        yield before, named(before, round_.moves[-1].codes)


@pytest.mark.parametrize("players", PLAYERS)
def test_the_end_of_a_round_is_worth_what_the_table_says(players: int) -> None:
    """Gone out: with the next lead. Blocked: with a random lead. At the target: 1 and 0. Settled in any case."""
    kinds = {"out": 0, "blocked": 0, "target": 0}
    for round_, move in last_placements(players, 450):
        after = then(round_, move)
        if after.match_winner is not None:
            kinds["target"] += 1
            expected = [float(team == after.match_winner) for team in range(TEAMS[players])]
        else:
            kinds["blocked" if after.blocked else "out"] += 1
            expected = list(load(players).chance(after.scores, after.went_out))
        gains = margins([now - before for now, before in zip(after.scores, round_.scores, strict=True)])
        team = team_of(players, round_.seat)
        for match in (False, True):
            row = one_result(round_, move, match=match, net_leaf=False)
            assert row.chances == pytest.approx(expected, abs=1e-6)
            assert row.margins == pytest.approx(gains)
            worth = utility(players, round_.scores, team, expected[team], gains[team])
            assert row.utility == pytest.approx(worth if match else gains[team], rel=1e-5, abs=1e-4)
            # One simulation tells no better than how far a round's values usually spread: 30 points, of 250 a match.
            assert (row.utility_error, set(row.margin_errors), set(row.chance_errors)) == (30, {30}, {0.12})
    assert min(kinds.values()) >= 10, kinds


def hoped(table: Equity, scores: Sequence[int], seat: int, margins: Sequence[float]) -> list[float]:
    """What utility.pxd says of teams that are expected to gain so much more than the others."""
    if len(scores) == 3:
        return hoped_by_three(table, scores, margins)
    own = team_of(table.players, seat)
    below = math.floor(margins[own] / 10) * 10
    part = (margins[own] - below) / 10
    lead = likely_leader(2, margins[own])
    low, high = (after_round(table, scores, own, whole, lead) for whole in (below, below + 10))
    chance = (1 - part) * low + part * high
    return [chance if team == own else 1 - chance for team in range(2)]


def likely_leader(teams: int, margin: float) -> float:
    return min(0.95, max(0.05, 1 / teams + margin / LEAD_RISE))


def after_round(table: Equity, scores: Sequence[int], own: int, margin: int, lead: float) -> float:
    """The chance at the scores that such a margin leads to: with the lead, or with the others leading."""
    then = [score - margin // 2 + (margin if team == own else 0) for team, score in enumerate(scores)]
    return lead * table.core.chance(then, own)[own] + (1 - lead) * table.core.chance(then, 1 - own)[own]


def hoped_by_three(table: Equity, scores: Sequence[int], margins: Sequence[float]) -> list[float]:
    """At the nearest scores, each seat leading with its share of the chances to."""
    then = [score + 5 * math.floor(margin * 2 / 3 / 5 + 0.5) for score, margin in zip(scores, margins, strict=True)]
    leads = [likely_leader(3, margin) for margin in margins]
    chances = [table.core.chance(then, leader) for leader in range(3)]
    return [sum(lead / sum(leads) * won[team] for lead, won in zip(leads, chances, strict=True)) for team in range(3)]


@pytest.mark.parametrize("players", PLAYERS)
def test_a_leaf_has_the_value_of_the_net(players: int) -> None:
    checked = spread = 0
    for round_, move in rounds(players, 300, seed=2):
        after = then(round_, move)
        if after.over:
            continue
        row = one_result(round_, move, match=False, net_leaf=True)
        gains = [0] * TEAMS[players]
        gains[team_of(players, round_.seat)] = round_.core().layout.outlook(*move)[0]
        scores = [score + gain for score, gain in zip(round_.scores, gains, strict=True)]
        to_come = [mean - gained for mean, gained in zip(row.margins, margins(gains), strict=True)]
        expected = hoped(load(players), scores, round_.seat, to_come)
        assert row.chances == pytest.approx(expected, abs=1e-4)
        assert 0 <= min(row.chances) <= max(row.chances) <= 1
        assert sum(row.chances) == pytest.approx(1, abs=1e-6)
        checked += 1
        spread += 0.05 < min(expected) < 0.45
    assert checked > 150
    assert spread > 30


@pytest.mark.parametrize("players", PLAYERS)
def test_near_the_target_a_search_for_the_match_rolls_out_its_leaves(players: int) -> None:
    """There the order of the points decides, which a margin does not tell: net and no net are the same search."""
    for ahead, same in ((TARGET[players] - 60, True), (TARGET[players] - 65, False)):
        round_ = Round.deal(players, 3, scores=[ahead, *[20] * (TEAMS[players] - 1)])
        view = round_.view(round_.seat).core()
        found = []
        for value in (None, load_world_value(players)):
            search = Search(view, 1, SearchOptions(equity=load(players).core, match=True, value=value))
            search.run(300, math.inf)
            found.append(search.root_moves())
        assert (found[0] == found[1]) == same


@pytest.mark.parametrize("players", PLAYERS)
def test_more_points_before_the_round_are_more_chance_after_it(players: int) -> None:
    """Far from the target a search for points is the same at all scores; only the chances differ, and each its way."""
    for seed in range(3):
        chances = []
        for own, other in ((-40, 60), (0, 60), (40, 60), (40, 0), (80, 0)):
            round_ = Round.deal(players, seed, leader=0, scores=[own, *[other] * (TEAMS[players] - 1)])
            view = round_.view(0).core()
            search = Search(view, 5, SearchOptions(equity=load(players).core, value=load_world_value(players)))
            search.run(300, math.inf)
            rows = search.root_moves()
            chances.append({(row.tile, row.at): (row.visits, row.margins, row.chances[0]) for row in rows})
        for move, (visits, means, _) in chances[0].items():
            assert all(found[move][:2] == (visits, means) for found in chances)
            rising = [found[move][2] for found in chances]
            assert all(before < after for before, after in pairwise(rising)), rising


@pytest.mark.parametrize("players", PLAYERS)
def test_the_search_maximises_what_was_asked_for(players: int) -> None:
    """The utility of every root move is the own team's chance, and a little of its margin, or its margin alone."""
    round_ = Round.deal(players, 4, scores=[90, *[130] * (TEAMS[players] - 1)])
    view, team = round_.view(round_.seat).core(), team_of(players, round_.seat)
    visits = []
    for match in (True, False):
        search = Search(view, 1, SearchOptions(equity=load(players).core, match=match))
        search.run(2000, math.inf)
        rows = search.root_moves()
        for row in rows:
            worth = utility(players, round_.scores, team, row.chances[team], row.margins[team])
            assert row.utility == pytest.approx(worth if match else row.margins[team], rel=1e-5)
            scale = weights(players, round_.scores, team)[0] if match else 1.0
            error = row.chance_errors[team] if match else row.margin_errors[team]
            assert row.utility_error == pytest.approx(scale * error, rel=0.01)
        visits.append({(row.tile, row.at): row.visits for row in rows})
    assert visits[0] != visits[1]


def test_a_utility_needs_its_table() -> None:
    round_ = Round.deal(2, 1)
    view = round_.view(round_.seat).core()
    with pytest.raises(LimitsError) as error:
        SearchOptions(match=True)
    assert (error.value.reason, error.value.field) == ("NO_EQUITY", "match")
    with pytest.raises(LimitsError) as error:
        Search(view, 1, SearchOptions(equity=load(4).core))
    assert (error.value.reason, error.value.field) == ("WRONG_NET", "equity")


def test_without_a_table_only_margins_are_known() -> None:
    round_ = Round.deal(3, 1)
    view = round_.view(round_.seat).core()
    plain, told = Search(view, 1), Search(view, 1, SearchOptions(equity=load(3).core))
    for search in (plain, told):
        search.run(500, math.inf)
    assert [row[:9] for row in plain.root_moves()] == [row[:9] for row in told.root_moves()]
    assert {(row.chances, row.chance_errors, row.chance_drifts) for row in plain.root_moves()} == {((), (), ())}
    for row in told.root_moves():
        assert len(row.chances) == len(row.chance_errors) == len(row.chance_drifts) == 3
