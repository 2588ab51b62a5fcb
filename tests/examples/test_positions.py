"""The positions in examples/: each is answered, here and by a server alike, and is what examples/README.md says."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from sniffai import Analysis, Draw, Limits, Move, MoveEvaluation, Pass, SearchParams, Snapshot, View, analyze, wire
from sniffai.rules import TARGET, team_of
from sniffai.v1.analysis_service_pb2 import RecommendMoveRequest
from tests.server.support import TIMEOUT, running_server, stubs_of

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
FILES = sorted((EXAMPLES / "positions").glob("*.json"))

SEEDS = (1, 2, 3)
LONG = Limits(simulations=100_000)
EVEN = SearchParams(root_exploration=10_000.0)
"""Spreads the simulations over all moves, so that rejected ones are valued as well as the others."""
ERRORS = 5.0
"""A loss of so many standard errors is no accident."""


@dataclass(frozen=True)
class Lesson:
    """What examples/README.md says of a file."""

    file: str
    play: tuple[str, ...]
    """The moves that are right."""
    forced: bool
    instead: str | None
    """The move with the most points now, where it is wrong, and those points."""
    points: int


def lessons() -> list[Lesson]:
    """Every entry of the page.

    It begins ``- `file`: play `move` or `move`, not `move` for 10. `` or ``- `file`: `move` is forced. ``.
    """
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8").partition("## Positions")[2]
    entries = re.findall(r"^- `([\w-]+\.json)`: (.+?)\. ", page, re.MULTILINE)
    return [lesson(file, sentence) for file, sentence in entries]


def lesson(file: str, sentence: str) -> Lesson:
    right, _, wrong = sentence.partition(", not ")
    points = re.search(r"for (\d+)$", wrong)
    return Lesson(
        file=file,
        play=tuple(re.findall("`(.+?)`", right)),
        forced=right.endswith("forced"),
        instead=wrong.split("`")[1] if wrong else None,
        points=int(points[1]) if points else 0,
    )


LESSONS = lessons()
each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.file)
each_temptation = pytest.mark.parametrize(
    "lesson", [lesson for lesson in LESSONS if lesson.instead], ids=lambda lesson: lesson.file
)


def request(file: str) -> RecommendMoveRequest:
    return wire.request_from_json((EXAMPLES / "positions" / file).read_text(encoding="utf-8"))


def view(file: str) -> View:
    return wire.read_view(request(file).view)


@pytest.fixture(scope="module")
def stubs() -> Iterator[SimpleNamespace]:
    with running_server() as server, stubs_of(server.address) as calls:
        yield calls


@cache
def answer(file: str) -> Analysis:
    """That of the library; searched once for all tests."""
    asked = request(file)
    return analyze(wire.read_view(asked.view), wire.read_limits(asked.limits), seed=asked.seed)


def evaluation(analysis: Analysis, move: str) -> MoveEvaluation:
    return next(entry for entry in analysis.moves if entry.move == Move.parse(move))


def test_the_page_has_an_entry_for_each_file() -> None:
    assert sorted(lesson.file for lesson in LESSONS) == [file.name for file in FILES]


@each_lesson
def test_the_page_names_the_recommended_move(lesson: Lesson) -> None:
    best = answer(lesson.file).best
    assert best is not None
    assert str(best.move) in lesson.play


@each_lesson
def test_a_server_gives_the_same_answer(stubs: SimpleNamespace, lesson: Lesson) -> None:
    there = stubs.analysis.RecommendMove(request(lesson.file), timeout=TIMEOUT)
    found = answer(lesson.file)
    question = wire.read_question(request(lesson.file))
    here = wire.write_recommendation(found, reasons=question.reasons(found), prospect=question.prospect(found))
    assert there.analysis.deterministic
    assert there.move == here.move
    assert list(there.analysis.moves) == list(here.analysis.moves)


@each_temptation
def test_the_other_move_has_the_most_points_now(lesson: Lesson) -> None:
    now = view(lesson.file)
    assert max(now.points(move) for move in now.legal_moves()) == lesson.points
    assert now.points(lesson.instead or "") == lesson.points


@each_temptation
@pytest.mark.parametrize("seed", SEEDS)
def test_greed_loses_significantly(lesson: Lesson, seed: int) -> None:
    found = analyze(view(lesson.file), LONG, seed=seed, params=EVEN)
    best, greedy = found.moves[0], evaluation(found, lesson.instead or "")
    assert str(best.move) in lesson.play
    assert best.expected_margin is not None
    assert best.standard_error is not None
    assert greedy.expected_margin is not None
    assert greedy.standard_error is not None
    error = math.hypot(best.standard_error, greedy.standard_error)
    assert best.expected_margin - greedy.expected_margin > ERRORS * error
    assert best.win_probability_error is not None
    assert greedy.win_probability_error is not None
    assert greedy.win_probability_loss is not None
    assert greedy.win_probability_loss > ERRORS * math.hypot(best.win_probability_error, greedy.win_probability_error)


def test_one_move_is_forced() -> None:
    (forced,) = [lesson for lesson in LESSONS if lesson.forced]
    found = answer(forced.file)
    assert (found.source, found.effort.simulations, len(found.moves)) == ("forced", 0, 1)
    assert found.moves[0].equal_points == ("0|0:SIDE_A", "0|0:SIDE_B")
    assert view(forced.file).forced == found.moves[0].move.tile


def test_one_position_is_a_lead() -> None:
    assert [lesson.file for lesson in LESSONS if not view(lesson.file).placements] == ["2-seats-opening-lead.json"]


def test_one_round_ends_the_match() -> None:
    now = view("2-seats-match-point.json")
    best = answer("2-seats-match-point.json").moves[0]
    reached = now.scores_now[team_of(now.players, now.seat)] + best.points_now
    assert (reached, TARGET[now.players]) == (255, 250)
    assert best.expected_margin == 10.0
    assert best.win_probability == 1.0
    errors = best.standard_error, best.win_probability_error
    assert all(error is not None and 0 < error < 0.001 for error in errors), "searched, not solved: not 0"


def test_one_position_is_a_snapshot() -> None:
    snapshots = [lesson.file for lesson in LESSONS if isinstance(view(lesson.file).position, Snapshot)]
    assert snapshots == ["3-seats-quiet-double-snapshot.json"]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_draws_and_passes_are_in_a_history_of(players: int) -> None:
    events = [now.events for file in FILES if (now := view(file.name)).players == players]
    assert any({Draw, Pass} <= {type(event) for event in told} for told in events)
