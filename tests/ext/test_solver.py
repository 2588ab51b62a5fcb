"""The solver against plain minimax: every value, every cap, every size of the table; never a wrong one."""

import copy
import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

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
    2: [(0, 0), (-40, 115), (160, 160), (230, 205), (243, 196)],
    4: [(0, 0), (-40, 115), (120, 120), (175, 150), (193, 147)],
}
"""Scores before the round, from far off to a placement away from the target."""

STAKES = [(0, 0), (5, 30), (-7, 111), (40, -20)]
"""Values of the next lead and of reaching the target."""

Move = tuple[int, int]
Row = tuple[int, int, int, int, tuple[Move, ...]]


def dealt(players: int, rng: random.Random, scores: tuple[int, int]) -> Round:
    """A fresh round."""
    tiles = list(range(28))
    rng.shuffle(tiles)
    size = HAND_SIZE[players]
    hands = [sum(1 << tile for tile in tiles[seat * size : (seat + 1) * size]) for seat in range(players)]
    return Round(players, hands, tiles[players * size :], rng.randrange(players), scores)


def tiles_left(round_: Round) -> int:
    """Tiles that are not on the table."""
    return 28 - round_.layout.placed


def positions(players: int, left: int, count: int, scores: tuple[int, int] = (0, 0), seed: int = 1) -> Iterator[Round]:
    """Running rounds with so many tiles left, reached by moves that are random, or score most, half each."""
    rng = random.Random(f"{players} {left} {scores} {seed}")
    while count:
        round_ = dealt(players, rng, scores)
        while not round_.over and tiles_left(round_) > left:
            moves = round_.legal_moves()
            rng.shuffle(moves)
            layout = round_.layout
            round_.play(*(max(moves, key=lambda move: layout.outlook(*move)[0]) if rng.random() < 0.5 else moves[0]))
        if not round_.over:
            count -= 1
            yield round_


def distinct(round_: Round) -> list[Move]:
    """The legal moves, those with equal futures once."""
    layout = round_.layout
    return [(tile, at) for tile, at in round_.legal_moves() if at == -1 or layout.equal_points(tile, at)[0] == at]


@dataclass
class Minimax:
    """Every line to its end, by the public face of the round; knows nothing of alpha, beta or tables."""

    lead_value: int = 0
    target_value: int = 0
    ends: dict[str, int] = field(default_factory=lambda: {"out": 0, "blocked": 0, "target": 0})
    """How often the lines ended in each way."""

    def value(self, round_: Round) -> int:
        """Team 0's score at the end less team 1's, with the stakes."""
        if round_.over:
            return self.end(round_)
        values = []
        for move in distinct(round_):
            after = round_.copy()
            after.play(*move)
            values.append(self.value(after))
        return min(values) if round_.seat % 2 else max(values)

    def end(self, round_: Round) -> int:
        margin = round_.scores[0] - round_.scores[1]
        if round_.match_winner >= 0:
            self.ends["target"] += 1
            return margin + (-1 if round_.match_winner else 1) * self.target_value
        if round_.blocked:
            self.ends["blocked"] += 1
            return margin
        self.ends["out"] += 1
        return margin + (-1 if round_.went_out % 2 else 1) * self.lead_value

    def to_come(self, round_: Round) -> int:
        """The same, less the margin now."""
        return self.value(round_) - round_.scores[0] + round_.scores[1]

    def moves(self, round_: Round) -> dict[Move, int]:
        """Every distinct move with its value."""
        found = {}
        for move in distinct(round_):
            after = round_.copy()
            after.play(*move)
            found[move] = self.value(after) - round_.scores[0] + round_.scores[1]
        return found


def valued(rows: list[Row] | None) -> dict[Move, int]:
    """The values that a solver found, by move."""
    assert rows is not None
    assert rows == sorted(rows)
    return {(tile, at): value for tile, at, value, _, _ in rows}


def test_values_agree_with_plain_minimax() -> None:
    ends = Minimax().ends
    empty_talons = 0
    for players, lefts in ((2, (6, 9, 11)), (4, (6, 9, 12))):
        for scores in SCORES[players]:
            solver = Solver(table_bytes=1 << 16)
            for left in lefts:
                for round_ in positions(players, left, 30, scores):
                    plain = Minimax(ends=ends)
                    values = plain.moves(round_)
                    found = solver.solve(round_, ENOUGH)
                    assert found is not None
                    value, move = found
                    assert value == plain.to_come(round_) == values[move]
                    assert valued(solver.solve_moves(round_, ENOUGH)) == values
                    empty_talons += not round_.talon
    assert empty_talons > 50
    assert min(ends.values()) > 1000, ends


@pytest.mark.parametrize("stakes", STAKES)
@pytest.mark.parametrize("table_bytes", [SMALLEST, 1 << 20])
def test_stakes_and_tables_of_every_size(stakes: tuple[int, int], table_bytes: int) -> None:
    solver = Solver(table_bytes=table_bytes, lead_value=stakes[0], target_value=stakes[1])
    for players in (2, 4):
        for scores in SCORES[players][2:]:
            for round_ in positions(players, 10, 10, scores, seed=table_bytes):
                assert solver.solve(round_, ENOUGH)[0] == Minimax(*stakes).to_come(round_)  # type: ignore[index]


def test_one_position_with_many_scores() -> None:
    """One table for all: what was learnt with one score must not be used where the target is nearer."""
    for players in (2, 4):
        rounds = [list(positions(players, 11, 6, (0, 0), seed=seed)) for seed in (5, 6)]
        solver = Solver(table_bytes=1 << 20, target_value=50)
        for round_ in [round_ for some in rounds for round_ in some]:
            for near in range(0, 60, 5):
                scores = (TARGET[players] - near - 1 - round_.scores[0], TARGET[players] - 30 - round_.scores[1])
                again = replayed(round_, scores)
                if again is not None:
                    found = solver.solve(again, ENOUGH)
                    assert found is not None
                    assert found[0] == Minimax(target_value=50).to_come(again)


def own_deal(round_: Round, seat: int) -> int:
    """The tiles that were dealt to a seat."""
    own = [event for event in round_.events() if event[1] == seat]
    placed = sum(1 << event[2] for event in own if event[0] == "play")
    drawn = sum(1 << tile for event in own if event[0] == "draw" for tile in event[2])
    return (round_.hands[seat] | placed) & ~drawn


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


def test_a_cap_never_makes_a_value_wrong() -> None:
    for players in (2, 4):
        for round_ in positions(players, 12, 12, SCORES[players][3]):
            fresh = Solver(table_bytes=1 << 16)
            right = fresh.solve(round_, ENOUGH)
            needed = fresh.nodes
            outcomes = []
            for cap in [*range(1, 20), needed // 2 or 1, needed - 1 or 1, needed, needed + 1]:
                solver = Solver(table_bytes=1 << 16)
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


def twins(round_: Round) -> Iterator[Round]:
    """The deal of a fresh round with every leader, and the talon in other orders: alike but for what is hidden."""
    rng = random.Random(sum(round_.hands))
    for leader in range(round_.players):
        for _ in range(3):
            talon = rng.sample(round_.talon, len(round_.talon))
            yield Round(round_.players, round_.hands, talon, leader, round_.scores)


def test_what_is_remembered_is_never_mistaken_for_another_position() -> None:
    """One large table for thousands of positions that are nearly alike, against one that forgets everything."""
    used, forgetful = Solver(table_bytes=1 << 24), Solver(table_bytes=SMALLEST)
    rng = random.Random(5)
    answered = 0
    for players, placed in ((2, 5), (4, 11)):
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


def test_whose_turn_it_is_is_remembered() -> None:
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


def test_an_answer_does_not_depend_on_questions_before() -> None:
    rounds = [*positions(2, 18, 20, (150, 120)), *positions(4, 16, 20)]
    used = Solver(table_bytes=1 << 14)
    for round_ in rounds + rounds[::-1]:
        assert used.solve(round_, ENOUGH) == Solver(table_bytes=1 << 14).solve(round_, ENOUGH)


@pytest.mark.parametrize("stakes", STAKES)
def test_the_line_of_a_move_is_legal_and_worth_what_was_said(stakes: tuple[int, int]) -> None:
    for players in (2, 4):
        for scores in SCORES[players]:
            solver = Solver(table_bytes=1 << 12, lead_value=stakes[0], target_value=stakes[1])
            for round_ in positions(players, 14, 10, scores):
                rows = solver.solve_moves(round_, ENOUGH)
                assert rows is not None
                for tile, at, value, margin, line in rows:
                    assert line[0] == (tile, at)
                    check_line(round_, line, value, margin, stakes)


def check_line(round_: Round, line: tuple[Move, ...], value: int, margin: int, stakes: tuple[int, int]) -> None:
    """The line ends the round, with the margin, and with the value once the stakes are counted."""
    after = round_.copy()
    for move in line:
        after.play(*move)
    assert after.over
    before = round_.scores[0] - round_.scores[1]
    assert after.scores[0] - after.scores[1] - before == margin
    assert Minimax(*stakes).end(after) - before == value


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


@pytest.mark.parametrize(
    ("name", "value"), [("table_bytes", 63), ("table_bytes", 1 << 41), ("lead_value", 10001), ("target_value", -10001)]
)
def test_parameters_out_of_range(name: str, value: int) -> None:
    with pytest.raises(LimitsError) as error:
        Solver(**{"table_bytes": 1 << 12, name: value})
    assert error.value.field == name


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


def test_views_that_are_refused() -> None:
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
