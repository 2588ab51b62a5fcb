"""The solver against plain minimax: every value, every cap, every size of the table; never a wrong one."""

import copy
import random
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import pytest

from sniffai.equity import load
from sniffai_ext.belief import Belief
from sniffai_ext.errors import HistoryError, LimitsError, ViewError
from sniffai_ext.round import Round
from sniffai_ext.solver import Solver
from sniffai_ext.view import View
from tests.pairing_core import core_round
from tests.reference import HAND_SIZE, TARGET, at_random
from tests.reference import Round as LiteralRound

ENOUGH = 10**9
"""A node cap that no question here reaches."""

SMALLEST = 64
"""Bytes of a table with a single bucket: nearly everything is forgotten at once."""

SCORES = {
    2: [(0, 0), (-40, 115), (160, 160), (230, 205), (245, 195)],
    4: [(0, 0), (-40, 115), (120, 120), (175, 150), (195, 145)],
}
"""Scores, from far off to a placement away from the target."""

CERTAIN = 20_000
"""The solver's value of a certain win of the match; every other chance lies between this and its negative."""

STEP = 1 / (2 * CERTAIN)
"""Between two values, as a chance. Values are rounded, so they are right within one."""

Move = tuple[int, int]
Row = tuple[int, int, int, int, float, tuple[Move, ...]]


class Worth(NamedTuple):
    """What a position is worth to team 0: in points, and in chances to win the match."""

    margin: int
    """With both teams playing for points, its score at the end less team 1's."""
    chance: float
    """With both teams playing for the match, its chance to win it after the round."""


def shuffled(values: Iterable[int], rng: random.Random) -> list[int]:
    """In a random order. Python's own shuffle took most of the time of these tests."""
    lot = rng.random
    return sorted(values, key=lambda _: lot())


def dealt(players: int, rng: random.Random, scores: tuple[int, int]) -> Round:
    """A fresh round."""
    tiles = shuffled(range(28), rng)
    size = HAND_SIZE[players]
    hands = [sum(1 << tile for tile in tiles[seat * size : (seat + 1) * size]) for seat in range(players)]
    return Round(players, hands, tiles[players * size :], rng.randrange(players), scores)


def positions(
    players: int, left: int, count: int, scores: tuple[int, int] | None = None, seed: int = 1
) -> Iterator[Round]:
    """Running rounds with so many tiles left, reached by moves that are random, or score most, half each.

    :param scores: at that position; None: the round began with none. So rounds near the target are as easily found as
        others, and scored on the way as others do.
    """
    rng = random.Random(f"{players} {left} {scores} {seed}")
    while count:
        round_ = dealt(players, rng, (0, 0))
        for _ in range(28 - left):
            if round_.over:
                break
            round_.play(*(scoring_most(round_, rng) if rng.random() < 0.5 else rng.choice(round_.legal_moves())))
        if not round_.over:
            count -= 1
            yield round_ if scores is None else with_scores(round_, scores)


def scoring_most(round_: Round, rng: random.Random) -> Move:
    """The legal move that scores most, one at random of those that score alike."""
    layout, lot = round_.layout, rng.random
    return max(round_.legal_moves(), key=lambda move: layout.outlook(*move)[0] + lot())


def distinct(round_: Round) -> list[Move]:
    """The legal moves, those with equal futures once."""
    layout = round_.layout
    return [(tile, at) for tile, at in round_.legal_moves() if at == -1 or layout.equal_points(tile, at)[0] == at]


@cache
def chance_after(players: int, scores: tuple[int, ...], lead: int | None) -> float:
    """What the table says of team 0 after a round. Remembered, as many lines end alike."""
    return load(players).chance(scores, lead)[0]


@dataclass
class Minimax:
    """Every line to its end, by the public face of the round; knows nothing of alpha, beta or tables."""

    ends: dict[str, int] = field(default_factory=lambda: {"out": 0, "blocked": 0, "target": 0})
    """How often the lines ended in each way."""

    def worth(self, round_: Round) -> Worth:
        """Both values of a round; they may call for different moves, so each is found for itself."""
        if round_.over:
            return self.end(round_)
        margins, chances = zip(*self.after_moves(round_).values(), strict=True)
        best = min if round_.seat % 2 else max
        return Worth(best(margins), best(chances))

    def after_moves(self, round_: Round) -> dict[Move, Worth]:
        """What every distinct move leads to."""
        found = {}
        for move in distinct(round_):
            after = round_.copy()
            after.play(*move)
            found[move] = self.worth(after)
        return found

    def end(self, round_: Round) -> Worth:
        """The score at the end, and the chance there: 1 or 0 at the target, else by the scores and the next lead."""
        margin = round_.scores[0] - round_.scores[1]
        if round_.match_winner >= 0:
            self.ends["target"] += 1
            return Worth(margin, 1.0 - round_.match_winner)
        self.ends["blocked" if round_.blocked else "out"] += 1
        lead = None if round_.blocked else round_.went_out
        return Worth(margin, chance_after(round_.players, round_.scores, lead))

    def moves(self, round_: Round) -> dict[Move, Worth]:
        """Every distinct move with its worth, the margin from now on."""
        before = round_.scores[0] - round_.scores[1]
        return {move: Worth(worth.margin - before, worth.chance) for move, worth in self.after_moves(round_).items()}

    def to_come(self, round_: Round) -> Worth:
        """The worth of a round, the margin from now on."""
        margin, chance = self.worth(round_)
        return Worth(margin - round_.scores[0] + round_.scores[1], chance)


def solver_of(players: int, *, match: bool = False, table_bytes: int = 1 << 16) -> Solver:
    """A solver that knows the match equity for so many seats."""
    return Solver(table_bytes=table_bytes, equity=load(players).core, match=match)


def as_chance(value: int) -> float:
    """What a value says of team 0's chance, where values are chances."""
    return (value / CERTAIN + 1) / 2


def valued(rows: list[Row] | None) -> dict[Move, int]:
    """The values that a solver found, by move."""
    assert rows is not None
    assert rows == sorted(rows)
    return {(tile, at): value for tile, at, value, *_ in rows}


def check_margins(solver: Solver, round_: Round, moves: dict[Move, Worth]) -> None:
    """The solver's margins are those of the minimax."""
    found = solver.solve(round_, ENOUGH)
    assert found is not None
    best = min if round_.seat % 2 else max
    assert found[0] == moves[found[1]].margin == best(worth.margin for worth in moves.values())
    assert valued(solver.solve_moves(round_, ENOUGH)) == {move: worth.margin for move, worth in moves.items()}


def check_chances(solver: Solver, round_: Round, moves: dict[Move, Worth]) -> None:
    """The solver's chances are those of the minimax, to the step; certain ones are certain."""
    found = solver.solve(round_, ENOUGH)
    assert found is not None
    best = min if round_.seat % 2 else max
    assert as_chance(found[0]) == pytest.approx(best(worth.chance for worth in moves.values()), abs=STEP)
    assert as_chance(found[0]) == pytest.approx(moves[found[1]].chance, abs=STEP)
    values = valued(solver.solve_moves(round_, ENOUGH))
    assert values.keys() == moves.keys()
    for move, value in values.items():
        assert -CERTAIN <= value <= CERTAIN
        assert as_chance(value) == pytest.approx(moves[move].chance, abs=STEP)
        assert (abs(value) == CERTAIN) == (moves[move].chance in (0, 1))


def test_values_agree_with_plain_minimax() -> None:
    """Margins, and chances to win the match: a blocked round's next lead is drawn at random, the target ends it all."""
    ends = Minimax().ends
    empty_talons = differ = 0
    for players, lefts in ((2, (6, 9, 11)), (4, (6, 9, 12))):
        for scores in SCORES[players]:
            by_margin, by_chance = solver_of(players), solver_of(players, match=True)
            for left in lefts:
                for round_ in positions(players, left, 30, scores):
                    moves = Minimax(ends=ends).moves(round_)
                    check_margins(by_margin, round_, moves)
                    check_chances(by_chance, round_, moves)
                    empty_talons += not round_.talon
                    differ += by_margin.solve(round_, ENOUGH)[1] != by_chance.solve(round_, ENOUGH)[1]  # type: ignore[index]
    assert empty_talons > 50
    assert min(ends.values()) > 1000, ends
    assert differ > 10


@pytest.mark.parametrize("table_bytes", [SMALLEST, 1 << 20])
def test_tables_of_every_size(table_bytes: int) -> None:
    for players in (2, 4):
        by_margin, by_chance = (solver_of(players, match=match, table_bytes=table_bytes) for match in (False, True))
        for scores in SCORES[players][2:]:
            for round_ in positions(players, 10, 10, scores, seed=2):
                moves = Minimax().moves(round_)
                check_margins(by_margin, round_, moves)
                check_chances(by_chance, round_, moves)


def test_one_position_with_many_scores() -> None:
    """One table for all: nothing learnt far from the target may be used near it, and no chance at another score."""
    for players in (2, 4):
        rounds = [list(positions(players, 11, 6, seed=seed)) for seed in (5, 6)]
        by_margin, by_chance = (solver_of(players, match=match, table_bytes=1 << 20) for match in (False, True))
        for round_ in [round_ for some in rounds for round_ in some]:
            for near in range(0, 60, 5):
                scores = (TARGET[players] - near - 5 - round_.scores[0], TARGET[players] - 30 - round_.scores[1])
                again = replayed(round_, scores)
                if again is not None:
                    moves = Minimax().moves(again)
                    check_margins(by_margin, again, moves)
                    check_chances(by_chance, again, moves)


def last_placements(players: int, scores: tuple[int, int], count: int) -> Iterator[Round]:
    """Rounds with their last placement, at random, to come."""
    rng = random.Random(f"{players} {scores}")
    for _ in range(count):
        round_ = before = dealt(players, rng, scores)
        while not round_.over:
            before = round_.copy()
            round_.play(*rng.choice(round_.legal_moves()))
        yield before


def test_a_blocked_round_counts_with_the_lead_by_lot_and_the_target_with_certainty() -> None:
    """Where a move ends the round, what the solver says of it is what the table says of the end."""
    kinds = {"blocked": 0, "out": 0, "target": 0}
    for players in (2, 4):
        solver, table = solver_of(players, match=True), load(players)
        for round_ in (round_ for scores in SCORES[players] for round_ in last_placements(players, scores, 250)):
            for tile, at, value, margin, chance, line in solver.solve_moves(round_, ENOUGH) or ():
                after = round_.copy()
                after.play(tile, at)
                if not after.over:
                    continue
                assert line == ((tile, at),)
                assert margin == after.scores[0] - after.scores[1] - round_.scores[0] + round_.scores[1]
                if after.match_winner >= 0:
                    kinds["target"] += 1
                    assert (value, chance) == ((-CERTAIN, 0) if after.match_winner else (CERTAIN, 1))
                    continue
                kinds["blocked" if after.blocked else "out"] += 1
                expected = table.chance(after.scores, None if after.blocked else after.went_out)[0]
                assert chance == pytest.approx(expected, abs=1e-6)
                assert as_chance(value) == pytest.approx(expected, abs=STEP)
    assert min(kinds.values()) > 20, kinds


def own_deal(round_: Round, seat: int) -> int:
    """The tiles that were dealt to a seat."""
    own = [event for event in round_.events() if event[1] == seat]
    placed = sum(1 << event[2] for event in own if event[0] == "play")
    drawn = sum(1 << tile for event in own if event[0] == "draw" for tile in event[2])
    return (round_.hands[seat] | placed) & ~drawn


def with_scores(round_: Round, scores: tuple[int, int]) -> Round:
    """The same position with other scores, below the target."""
    before = scores[0] - round_.scores[0], scores[1] - round_.scores[1]
    again = replayed(round_, before)
    assert again is not None
    assert again.scores == scores
    return again


def replayed(round_: Round, scores: tuple[int, int]) -> Round | None:
    """The same placements from other scores; None where the match is won before."""
    events = round_.events()
    drawn = [tile for event in events if event[0] == "draw" for tile in event[2]]
    hands = [own_deal(round_, seat) for seat in range(round_.players)]
    again = Round(round_.players, hands, [*drawn, *round_.talon], events[0][1], scores)
    for event in events:
        if event[0] == "play" and not again.over:
            again.play(event[2], event[3])
    return None if again.over else again


def test_values_agree_with_the_literal_twin() -> None:
    checked = 0
    for players in (2, 4):
        for seed in range(150):
            literal = at_random(players, seed, 21)
            if literal.over:
                continue
            found = Solver(table_bytes=1 << 12).solve(core_round(literal), ENOUGH)
            assert found is not None
            assert found[0] == literal_value(literal) - literal.scores[0] + literal.scores[1]
            checked += 1
    assert checked > 40


def literal_value(round_: LiteralRound) -> int:
    """Minimax over the twin, every attachment point its own move."""
    if round_.over:
        return round_.scores[0] - round_.scores[1]
    values = []
    for move in round_.legal_moves():
        after = copy.deepcopy(round_)
        after.play(*move)
        values.append(literal_value(after))
    return min(values) if round_.seat % 2 else max(values)


@pytest.mark.parametrize("match", [False, True])
def test_a_solver_with_a_cap_never_returns_a_wrong_value(match: bool) -> None:
    for players in (2, 4):
        for round_ in positions(players, 12, 12, SCORES[players][3]):
            fresh = solver_of(players, match=match)
            right = fresh.solve(round_, ENOUGH)
            needed = fresh.nodes
            outcomes = []
            for cap in [*range(1, 20), needed // 2 or 1, needed - 1 or 1, needed, needed + 1]:
                solver = solver_of(players, match=match)
                outcomes.append(solver.solve(round_, cap))
                assert outcomes[-1] == (right if cap >= needed else None)
                assert solver.nodes <= cap + 1
                assert solver.solve(round_, ENOUGH) == right
            assert outcomes[-1] == right


def test_a_capped_question_can_be_asked_again_until_it_is_answered() -> None:
    for round_ in positions(2, 16, 5):
        right = Solver(table_bytes=1 << 20).solve_moves(round_, ENOUGH)
        solver = Solver(table_bytes=1 << 20)
        found, cap = None, 2
        while found is None:
            found = solver.solve_moves(round_, cap)
            cap += cap // 2
        assert found == right


def test_proven_values_are_not_lost_for_a_long_line() -> None:
    """The cap is for the values: once they are proven, their lines may take more."""
    beyond = 0
    for round_ in positions(2, 16, 12):
        fresh = Solver(table_bytes=1 << 20)
        right = fresh.solve_moves(round_, ENOUGH)
        capped = Solver(table_bytes=1 << 20)
        found = capped.solve_moves(round_, max(1, fresh.nodes - 1))
        assert found in (None, right)
        beyond += found is not None
    assert beyond > 3


def twins(round_: Round) -> Iterator[Round]:
    """The deal of a fresh round with every leader, and the talon in other orders: alike but for what is hidden."""
    rng = random.Random(sum(round_.hands))
    for leader in range(round_.players):
        for _ in range(3):
            talon = rng.sample(round_.talon, len(round_.talon))
            yield Round(round_.players, round_.hands, talon, leader, round_.scores)


@pytest.mark.parametrize("match", [False, True])
def test_positions_in_the_table_are_never_confused(match: bool) -> None:
    """One large table for thousands of positions that are nearly alike, against one that forgets everything."""
    rng = random.Random(5)
    answered = 0
    for players, placed in ((2, 5), (4, 11)):
        used, forgetful = (solver_of(players, match=match, table_bytes=size) for size in (1 << 24, SMALLEST))
        for _ in range(100):
            for round_ in twins(dealt(players, rng, SCORES[players][rng.randrange(3)])):
                way = random.Random(placed)
                while not round_.over and round_.layout.placed < placed:
                    round_.play(*way.choice(round_.legal_moves()))
                right = None if round_.over else forgetful.solve(round_, 50_000)
                if right is not None:
                    assert used.solve(round_, ENOUGH) == right
                    answered += 1
    assert answered > 1000


def test_the_table_of_the_solver_knows_whose_turn_it_is() -> None:
    """The same deal with each leader: the same table and hands come up with either seat to move."""
    rng = random.Random(9)
    for players, count in ((2, 60), (4, 10)):
        used = Solver(table_bytes=1 << 24)
        for _ in range(count):
            round_ = dealt(players, rng, (0, 0))
            for leader in range(players):
                led = Round(players, round_.hands, round_.talon, leader, (0, 0))
                right = Solver(table_bytes=1 << 22).solve(led, 200_000)
                assert right is None or used.solve(led, ENOUGH) == right


@pytest.mark.parametrize("match", [False, True])
def test_an_answer_does_not_depend_on_questions_before(match: bool) -> None:
    for rounds in (list(positions(2, 18, 20, (150, 120))), list(positions(4, 16, 20))):
        players = rounds[0].players
        used = solver_of(players, match=match, table_bytes=1 << 14)
        for round_ in rounds + rounds[::-1]:
            fresh = solver_of(players, match=match, table_bytes=1 << 14)
            assert used.solve(round_, ENOUGH) == fresh.solve(round_, ENOUGH)


@pytest.mark.parametrize("match", [False, True])
def test_the_line_of_a_move_is_legal_and_worth_what_was_said(match: bool) -> None:
    for players in (2, 4):
        for scores in SCORES[players]:
            solver = solver_of(players, match=match, table_bytes=1 << 12)
            for round_ in positions(players, 14, 10, scores):
                rows = solver.solve_moves(round_, ENOUGH)
                assert rows is not None
                for row in rows:
                    check_line(round_, row, match)


def check_line(round_: Round, row: Row, match: bool) -> None:
    """The line ends the round, with the margin and the chance that were said; one of them is the value."""
    tile, at, value, margin, chance, line = row
    assert line[0] == (tile, at)
    after = round_.copy()
    for move in line:
        after.play(*move)
    assert after.over
    end = Minimax().end(after)
    assert end.margin - round_.scores[0] + round_.scores[1] == margin
    assert chance == pytest.approx(end.chance, abs=1e-6)
    if match:
        assert as_chance(value) == pytest.approx(chance, abs=STEP)
    else:
        assert value == margin


def test_without_equity_no_chance_is_known() -> None:
    for round_ in positions(2, 12, 10):
        plain = Solver(table_bytes=1 << 16).solve_moves(round_, ENOUGH)
        told = solver_of(2).solve_moves(round_, ENOUGH)
        assert plain is not None
        assert told is not None
        assert {row[4] for row in plain} == {-1}
        assert [(*row[:4], row[5]) for row in plain] == [(*row[:4], row[5]) for row in told]
        assert all(0 <= row[4] <= 1 for row in told)


def test_the_first_best_line_is_worth_what_was_said() -> None:
    """Best moves on both sides, one after the other, lead to the value of the fresh deal."""
    for players in (2, 4):
        round_ = dealt(players, random.Random(players), (0, 0))
        found = Solver(table_bytes=1 << 22).solve(round_, ENOUGH)
        assert found is not None
        while not round_.over:
            best = Solver(table_bytes=1 << 22).solve(round_, ENOUGH)
            assert best is not None
            round_.play(*best[1])
        assert round_.scores[0] - round_.scores[1] == found[0]


def test_stop() -> None:
    round_ = dealt(2, random.Random(1), (0, 0))
    solver = Solver(table_bytes=1 << 16)
    solver.stop()
    assert solver.solve(round_, ENOUGH) is None
    assert solver.solve_moves(round_, ENOUGH) is None
    assert solver.nodes == 1


def test_stop_from_another_thread() -> None:
    rng = random.Random(3)
    rounds = [dealt(2, rng, (0, 0)) for _ in range(3000)]
    solver = Solver(table_bytes=1 << 12)
    answers: list[object] = []

    def ask() -> None:
        answers.extend(solver.solve(round_, ENOUGH) for round_ in rounds)

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(0.05)
    solver.stop()
    thread.join(timeout=5)
    assert not thread.is_alive()
    assert answers[-1] is None


def test_what_is_refused() -> None:
    solver = Solver(table_bytes=1 << 12)
    round_ = next(positions(2, 8, 1))
    three = Round(3, [0x3F, 0xFC0, 0x3F000], list(range(18, 28)), 0, (0, 0, 0))
    with pytest.raises(ViewError) as error:
        solver.solve(three, 100)
    assert (error.value.reason, error.value.field) == ("THREE_SEATS", "players")
    while not round_.over:
        round_.play(*round_.legal_moves()[0])
    with pytest.raises(ViewError) as error:
        solver.solve_moves(round_, 100)
    assert error.value.reason == "ROUND_OVER"


@pytest.mark.parametrize("cap", [0, -1, 1 << 63, True, 1.5])
def test_caps_out_of_range(cap: int) -> None:
    round_ = next(positions(2, 8, 1))
    solver = Solver(table_bytes=1 << 12)
    with pytest.raises(LimitsError) as error:
        solver.solve(round_, cap)
    assert error.value.field == "node_cap"
    assert solver.solve(round_, ENOUGH) is not None


@pytest.mark.parametrize(("value", "reason"), [(63, "OUT_OF_RANGE"), (1 << 41, "OUT_OF_RANGE"), ("4k", "NOT_A_NUMBER")])
def test_parameters_out_of_range(value: int, reason: str) -> None:
    with pytest.raises(LimitsError) as error:
        Solver(table_bytes=value)
    assert (error.value.reason, error.value.field) == (reason, "table_bytes")


def test_chances_take_the_equity_of_as_many_seats() -> None:
    with pytest.raises(LimitsError) as error:
        Solver(table_bytes=1 << 12, match=True)
    assert (error.value.reason, error.value.field) == ("NO_EQUITY", "match")
    for match in (False, True):
        solver = solver_of(4, match=match)
        for ask in (solver.solve, solver.solve_moves):
            with pytest.raises(LimitsError) as error:
                ask(next(positions(2, 8, 1)), ENOUGH)
            assert (error.value.reason, error.value.field) == ("WRONG_EQUITY", "equity")
        with pytest.raises(LimitsError):
            solver.solve_view(view_of(late := next(with_talon(0, 100)), late.seat), ENOUGH)
        assert solver.solve(next(positions(4, 8, 1)), ENOUGH) is not None


def view_of(round_: Round, seat: int) -> View:
    """What a seat has seen of a round that began at 0 : 0."""
    events = round_.events()
    view = View(round_.players, seat, events[0][1], own_deal(round_, seat), (0, 0))
    for kind, who, *rest in events:
        if kind == "play":
            view.play(who, *rest[:2])
        elif kind == "draw":
            view.draw(who, len(rest[0]), rest[0] if who == seat else None)
        else:
            view.passes_turn(who)
    return view


def with_talon(size: int, count: int) -> Iterator[Round]:
    """Rounds of 2 seats with so many tiles in the talon."""
    for seed in range(count):
        rng = random.Random(seed)
        round_ = dealt(2, rng, (0, 0))
        while not round_.over and len(round_.talon) > size:
            round_.play(*rng.choice(round_.legal_moves()))
        if not round_.over and len(round_.talon) == size:
            yield round_


def test_a_seat_knows_all_once_the_talon_is_empty() -> None:
    solver = Solver(table_bytes=1 << 18)
    checked = 0
    for round_ in with_talon(0, 1000):
        exact, moves = solver.solve_view(view_of(round_, round_.seat), ENOUGH)
        assert exact
        assert moves == solver.solve_moves(round_, ENOUGH)
        checked += 1
    assert checked > 50


def test_a_seat_may_know_which_tile_the_talon_holds() -> None:
    solver = Solver(table_bytes=1 << 18)
    known = unknown = 0
    for round_ in with_talon(1, 3000):
        view = view_of(round_, round_.seat)
        if len(Belief(view).worlds(1000) or ()) == 1:
            exact, moves = solver.solve_view(view, ENOUGH)
            assert not exact
            assert moves == solver.solve_moves(round_, ENOUGH)
            known += 1
        else:
            with pytest.raises(ViewError) as error:
                solver.solve_view(view, ENOUGH)
            assert error.value.reason == "NOT_ALL_KNOWN"
            unknown += 1
    assert known > 5
    assert unknown > 5


def test_what_a_seat_can_be_sure_of_is_reached_against_any_play() -> None:
    """With one tile in the talon and nothing hidden from the seat: its best moves against random ones."""
    solver, rng = Solver(table_bytes=1 << 18), random.Random(7)
    for round_ in with_talon(1, 3000):
        seat = round_.seat
        if len(Belief(view_of(round_, seat)).worlds(1000) or ()) > 1:
            continue
        sure = solver.solve(round_, ENOUGH)
        assert sure is not None
        before = round_.scores
        while not round_.over:
            best = solver.solve(round_, ENOUGH)
            assert best is not None
            round_.play(*(best[1] if round_.seat == seat else rng.choice(round_.legal_moves())))
        gained = [now - then for now, then in zip(round_.scores, before, strict=True)]
        assert gained[seat] - gained[1 - seat] >= (-sure[0] if seat else sure[0])


def test_impossible_views_are_refused() -> None:
    solver = Solver(table_bytes=1 << 12)
    early, late = dealt(2, random.Random(2), (0, 0)), next(with_talon(0, 100))
    early.play(*early.legal_moves()[0])
    four = dealt(4, random.Random(2), (0, 0))
    four.play(*four.legal_moves()[0])
    for round_, seat, reason in (
        (early, early.seat, "NOT_ALL_KNOWN"),
        (four, four.seat, "NOT_ALL_KNOWN"),
        (late, 1 - late.seat, "NOT_TO_PLAY"),
    ):
        with pytest.raises(ViewError) as error:
            solver.solve_view(view_of(round_, seat), ENOUGH)
        assert error.value.reason == reason


def test_an_impossible_history_is_refused() -> None:
    """The other seat holds all that the first cannot see, yet is said to lack a suit that is among it."""
    round_ = next(with_talon(0, 100))
    layout, seat = round_.layout, round_.seat
    sizes = [hand.bit_count() for hand in round_.hands]
    voids = [0, 0]
    voids[1 - seat] = 0b1111111
    view = View.snapshot(2, seat, layout.placements(), round_.hands[seat], sizes, 0, voids, (0, 0))
    with pytest.raises(HistoryError):
        Solver(table_bytes=1 << 12).solve_view(view, ENOUGH)
