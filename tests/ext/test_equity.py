"""Match equity in the core: the look-up, rounds noted as they fell, the recursion against a slow twin."""

import time
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from sniffai import Round, SniffError
from sniffai.lab.equity.backwards import Outcomes, made_monotone, solve_rounds
from sniffai.lab.equity.rounds import BY_LOT, ScoredRounds, note_round, play_rounds
from sniffai.rules import TARGET, TEAMS
from sniffai.search.nets import load_policy
from sniffai_ext.equity import Equity, row_count
from sniffai_ext.equity_rounds import play_matches, play_scored_rounds
from sniffai_ext.equity_solve import first_to_reach


def some_table(players: int, lowest: int = -20) -> Equity:
    """Any chances: the look-up has to find them, not to understand them."""
    size = row_count(players, lowest)
    lots = np.random.default_rng(5)
    if players == 3:
        return Equity(3, lots.dirichlet([2, 2, 2], (size, size, size))[..., :2], lowest)
    return Equity(players, lots.random((size, size)), lowest)


def slow_chances(table: Equity, scores: tuple[int, ...], leader: int) -> list[float]:
    """What equity.pxd says, team by team."""
    teams = len(scores)
    rows = [max(score, table.lowest) // 5 - table.lowest // 5 for score in scores]
    if leader < 0:
        return list(np.mean([slow_chances(table, scores, lead) for lead in range(teams)], axis=0))
    lead = leader % teams
    order = [(lead + k) % teams for k in range(teams)]
    found = np.atleast_1d(table.lead[tuple(rows[team] for team in order)])
    chances = [0.0] * teams
    for team, chance in zip(order, [*found, 1 - found.sum()], strict=True):
        chances[team] = float(chance)
    return chances


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_look_up_finds_the_cell(players: int) -> None:
    table = some_table(players)
    lots = np.random.default_rng(1)
    for _ in range(2000):
        scores = tuple(int(score) for score in lots.integers(-60, TARGET[players], TEAMS[players]))
        leader = int(lots.integers(-1, players))
        chances = table.chance(scores, leader)
        assert chances == pytest.approx(slow_chances(table, scores, leader), abs=1e-6)
        assert sum(chances) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_team_at_the_target_has_won(players: int) -> None:
    table, teams = some_table(players), TEAMS[players]
    for team, points in product(range(teams), (TARGET[players], TARGET[players] + 45)):
        scores = [195] * teams
        scores[team] = points
        assert table.chance(scores, 0) == tuple(float(k == team) for k in range(teams))


def test_partners_lead_alike() -> None:
    table = some_table(4)
    assert table.chance((30, 70), 0) == table.chance((30, 70), 2) != table.chance((30, 70), 1)
    assert table.chance((30, 70), 1) == table.chance((30, 70), 3)


@pytest.mark.parametrize(
    ("players", "lead", "lowest", "reason"),
    [
        (5, np.zeros((50, 50)), 0, "PLAYERS_OUT_OF_RANGE"),
        (2, np.zeros((50, 49)), 0, "WRONG_SHAPE"),
        (3, np.zeros((40, 40, 40)), 0, "WRONG_SHAPE"),
        (2, np.full((50, 50), 1.5), 0, "OUT_OF_RANGE"),
        (2, np.full((50, 50), np.nan), 0, "OUT_OF_RANGE"),
        (3, np.full((40, 40, 40, 2), 0.6), 0, "OUT_OF_RANGE"),
        (2, np.zeros((50, 50)), -3, "OUT_OF_RANGE"),
        (2, np.zeros((50, 50)), 5, "OUT_OF_RANGE"),
    ],
)
def test_a_table_is_checked(players: int, lead: npt.NDArray[np.float64], lowest: int, reason: str) -> None:
    with pytest.raises(SniffError) as caught:
        Equity(players, lead, lowest)
    assert caught.value.reason == reason


def test_looking_up_equity_takes_nanoseconds() -> None:
    table, count = some_table(3, -60), 1_000_000
    started = time.process_time()
    table.churn(count, 1)
    assert (time.process_time() - started) / count < 2e-7


# Rounds as they fell


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_round_is_noted_as_it_was_played(players: int) -> None:
    """Move by move, by the library: what each placement scored, what another would have, and the end."""
    for seed in range(20):
        round_ = Round.deal(players, seed, leader=seed % players)
        lots, gains = np.random.default_rng(seed), []
        while not round_.over:
            moves, seat = round_.legal_moves(), round_.seat
            most = max(round_.view(seat).points(move) for move in moves)
            points = round_.play(moves[lots.integers(len(moves))])
            team = (seat - round_.start.leader) % players % TEAMS[players]
            if most:
                gains.append(team << 8 | most // 5 << 4 | points // 5)
        noted = note_round(round_)
        assert noted.gains.tolist() == gains
        teams = [(round_.start.leader + k) % players % TEAMS[players] for k in range(TEAMS[players])]
        assert (5 * noted.net()[0]).tolist() == [round_.scores[team] for team in teams]
        lead = BY_LOT if round_.went_out is None else (round_.went_out - round_.start.leader) % players % len(teams)
        assert noted.leads.tolist() == [lead]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_core_plays_as_the_policy_player(players: int) -> None:
    """Means of some thousand rounds in the core against some by the player, within five standard errors."""
    fast = ScoredRounds(players, *play_scored_rounds(load_policy(players), 20_000, 3))
    slow = ScoredRounds.joined(note_round(round_) for round_ in (policy_round(players, seed) for seed in range(60)))
    assert fast.leads.min() == BY_LOT
    for worth in (ScoredRounds.net, ScoredRounds.reach):
        error = worth(slow).std(axis=0) / len(slow) ** 0.5
        assert np.all(np.abs(worth(fast).mean(axis=0) - worth(slow).mean(axis=0)) < 5 * error)


def policy_round(players: int, seed: int) -> Round:
    round_, policy = Round.deal(players, 1000 + seed), load_policy(players)
    while not round_.over:
        tile, at, _ = policy.rate(round_.view(round_.seat).core())[0]
        round_.core().play(tile, at)
    return round_


def test_matches_end_at_the_target_and_repeat() -> None:
    policy = load_policy(2)
    won = play_matches(policy, (200, 150), 0, 300, 4)
    assert sum(won) == 300
    assert won == play_matches(policy, (200, 150), 0, 300, 4) != play_matches(policy, (200, 150), 0, 300, 5)
    assert won[0] > 200
    with pytest.raises(SniffError):
        play_matches(policy, (250, 0), 0, 1, 1)
    with pytest.raises(SniffError):
        play_matches(policy, (0, 0), 2, 1, 1)


# The recursion


def slow_solution(rounds: ScoredRounds, size: int) -> dict[tuple[int, ...], list[float]]:
    """By ``(lead, row of each team...)``, every team's chance: each round replayed placement by placement."""
    teams = TEAMS[rounds.players]
    parts = [Part.of(rounds.part(k, k + 1)) for k in range(len(rounds))]
    states = [(lead, *rows) for lead in range(teams) for rows in product(range(size), repeat=teams)]
    chances = {state: [1 / teams] * teams for state in states}
    for _ in range(150):
        chances = {state: mean_chances([after_round(part, state, size, chances) for part in parts]) for state in states}
    return chances


class Part(NamedTuple):
    """One round in plain numbers."""

    gains: list[int]
    settled: list[int]
    lead: int

    @classmethod
    def of(cls, one: ScoredRounds) -> "Part":
        return cls(one.gains.tolist(), one.settled[0].tolist(), int(one.leads[0]))


def mean_chances(rows: list[list[float]]) -> list[float]:
    """Team by team; NumPy would take three times as long for so few numbers."""
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def after_round(
    part: Part, state: tuple[int, ...], size: int, chances: dict[tuple[int, ...], list[float]]
) -> list[float]:
    lead, *rows = state
    teams = len(rows)
    for gain in part.gains:
        team = ((gain >> 8) + lead) % teams
        if rows[team] + (gain >> 4 & 15) >= size:
            return [float(k == team) for k in range(teams)]
        rows[team] += gain & 15
    for k in range(teams):
        rows[(k + lead) % teams] -= part.settled[k]
    after = tuple([max(row, 0) for row in rows])
    if part.lead == BY_LOT:
        return mean_chances([chances[(next_lead, *after)] for next_lead in range(teams)])
    return chances[((part.lead + lead) % teams, *after)]


def made_up(players: int, count: int, seed: int) -> ScoredRounds:
    """Rounds with few points, so that few rows are enough to meet every case."""
    lots, teams = np.random.default_rng(seed), TEAMS[players]
    lengths = lots.integers(0, 5, count)
    most = lots.integers(1, 4, lengths.sum())
    points = most * lots.integers(0, 2, len(most))
    gains = lots.integers(0, teams, len(most)) << 8 | most << 4 | points
    settled = lots.integers(0, 3, (count, teams))
    leads = lots.integers(-1, teams, count)
    return ScoredRounds(
        players, np.cumsum(lengths), gains.astype(np.uint16), settled.astype(np.uint8), leads.astype(np.int8)
    )


@pytest.mark.parametrize(("players", "size", "count"), [(2, 7, 12), (4, 6, 9), (3, 3, 8), (3, 4, 5)])
def test_the_recursion_finds_what_replaying_every_round_finds(players: int, size: int, count: int) -> None:
    rounds = made_up(players, count, seed=size)
    solved, slow = solve_rounds(rounds, size, tolerance=1e-8), slow_solution(rounds, size)
    for rows in product(range(size), repeat=TEAMS[players]):
        expected = slow[(0, *rows)]
        found = solved[rows] if players == 3 else [solved[rows]]
        assert list(found) == pytest.approx(expected[:-1], abs=2e-5)


def test_the_starting_values_do_not_change_the_solution() -> None:
    rounds = made_up(3, 6, 1)
    there = solve_rounds(rounds, 5, tolerance=1e-8)
    lots = np.random.default_rng(2).dirichlet([1, 1, 1], (5, 5, 5))[..., :2].astype(np.float32)
    assert np.abs(solve_rounds(rounds, 5, lots, tolerance=1e-8) - there).max() < 2e-5


@pytest.mark.parametrize("players", [2, 3])
def test_first_to_reach_counts_every_round_once_where_points_are_needed(players: int) -> None:
    rounds, teams = made_up(players, 40, 3), TEAMS[players]
    counts = first_to_reach(teams, rounds.ends, rounds.gains, 8)
    reach = rounds.reach()
    for needs in product(range(1, 9), repeat=teams):
        decided = np.count_nonzero(np.any(reach >= np.array(needs), axis=1))
        assert counts[(slice(None), *(need - 1 for need in needs))].sum() == decided


def test_outcomes_have_the_mean_of_the_rounds() -> None:
    rounds = play_rounds("policy", 3, 3000, 8)
    found = Outcomes.of(rounds)
    assert found.weights.sum() == pytest.approx(1)
    assert found.weights @ found.net == pytest.approx(rounds.net().mean(axis=0))
    assert np.all(found.reach >= found.net)


@pytest.mark.parametrize("players", [2, 3])
def test_common_rounds_make_it_monotone(players: int) -> None:
    """Few rounds, much noise: still no point of one's own ever hurts, beyond the last digits of single precision."""
    solved = solve_rounds(play_rounds("policy", players, 200, 6), 24, tolerance=1e-7)
    assert np.abs(made_monotone(solved) - solved).max() < 2e-6
