"""All public values copy, deepcopy, pickle and compare; what cannot says so, and nothing shares what can change.

Every public class must be met here: as a value that some result holds, or by name as one that refuses.
"""

import copy
import dataclasses
import importlib
import inspect
import multiprocessing
import pickle
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Final

import numpy as np
import pytest

import sniffai
from sniffai import Limits, Round, analyze, client, wire
from sniffai.client.requests import match_request
from sniffai.draw import plan_layout
from sniffai.equity import load
from sniffai.explain import reasons
from sniffai.jobs import JobResult, JobSpec, LocalExecutor, ResumedExecutor
from sniffai.lab.calibration import Judgement
from sniffai.lab.equity.backwards import Outcomes
from sniffai.lab.equity.rounds import play_rounds
from sniffai.lab.temperature import RatedChoice
from sniffai.lab.training import TrainedNets, TrainingPlan
from sniffai.play.arena import ArenaSpec, play_arena
from sniffai.play.exploit import ExploitSpec, exploit
from sniffai.play.humanlike import CarelessPlayer
from sniffai.play.levels import LEVELS, find_level
from sniffai.play.luck import no_luck
from sniffai.play.match import HUMAN, Lots, Match, MatchSetup
from sniffai.play.match_log import Dealt, LogSetup, MatchLog, Step, StepKind, TakenBack
from sniffai.play.players import FlatPlayer, GreedyPlayer, PolicyPlayer, RandomPlayer
from sniffai.play.sequential import SequentialTest
from sniffai.play.statistics import mean_and_error
from sniffai.review import ReviewedMatch, Subject, review
from sniffai.review.strength import strength_of
from sniffai.search.solver import Solver, solve, solve_view
from sniffai.v1 import analysis_service_pb2, match_service_pb2
from sniffai.watch import Watch
from sniffai_ext.belief import Belief as CoreBelief
from sniffai_ext.layout import Layout as CoreLayout
from sniffai_ext.policy import Policy, weight_count
from sniffai_ext.round import Round as CoreRound
from sniffai_ext.search import Search as CoreSearch
from sniffai_ext.solver import Solver as CoreSolver
from sniffai_ext.world_value import WorldValue, world_weight_count

MODULES: Final = (
    *("sniffai", "sniffai.draw", "sniffai.equity", "sniffai.review", "sniffai.explain", "sniffai.client"),
    "sniffai.jobs",
    *(
        "sniffai.wire",
        "sniffai.watch",
        "sniffai.search.solver",
        "sniffai.play.players",
        "sniffai.play.humanlike",
        "sniffai.play.levels",
    ),
    *(
        "sniffai.play.adjusted",
        "sniffai.play.arena_result",
        "sniffai.play.arena",
        "sniffai.play.luck",
        "sniffai.play.match",
        "sniffai.play.match_log",
        "sniffai.play.sequential",
        "sniffai.play.statistics",
        "sniffai.play.exploit",
        "sniffai.play.exploiter",
        "sniffai.search.opponents",
    ),
)
REFUSED: Final = {
    *("Searcher", "DealSearcher", "ContrastSearcher", "UnforcedSearch", "UnsearchedMove", "LevelTurn", "Solver"),
    *("Client", "AsyncClient"),
    *("AnalysisStream", "ReviewStream", "AsyncAnalysisStream", "AsyncReviewStream"),
    *(
        "MatchStream",
        "MatchReviewStream",
        "AsyncMatchStream",
        "AsyncMatchReviewStream",
        "LocalExecutor",
        "ResumedExecutor",
    ),
}
"""Classes whose objects belong to one process: copying and pickling them raises TypeError."""
NO_VALUES: Final = {
    "Executor",
    "Results",
    "Player",
    "Teller",
    "Thinker",
    "Wishes",
    "RecommendWishes",
    "ReviewWishes",
    "Kind",
}
"""Protocols and names for types: there are no objects of them."""


def public() -> dict[str, type]:
    found = {}
    for name in MODULES:
        module = importlib.import_module(name)
        names = getattr(module, "__all__", None) or [
            each for each, value in vars(module).items() if not each.startswith("_") and inspect.isclass(value)
        ]
        for each in names:
            value = getattr(module, each)
            ours = inspect.isclass(value) and value.__module__.startswith("sniffai.")
            if ours and not issubclass(value, BaseException) and not value.__name__.startswith("_"):
                found[f"{value.__module__}.{value.__name__}"] = value
    return found


def played(players: int, seed: int, moves: int = 99) -> Round:
    round_ = Round.deal(players=players, seed=seed)
    while not round_.over and moves:
        round_.play(round_.legal_moves()[0])
        moves -= 1
    return round_


def ending() -> Round:
    """Two seats, an empty talon, a choice to make."""
    for seed in range(200):
        round_ = Round.deal(players=2, seed=seed)
        while not round_.over:
            if not round_.talon and len(round_.legal_moves()) > 1:
                return round_
            round_.play(round_.legal_moves()[0])
    raise AssertionError("no such round")


def results() -> Iterator[Any]:
    """Results that hold values of every public class between them."""
    round_ = played(2, 3, 5)
    view = round_.view(round_.seat)
    end = ending()
    analysis = analyze(view, Limits(simulations=200), seed=1)
    yield from (round_, view, analysis, end, load(2), load(3), sniffai.TILES, LEVELS, Watch(round_))
    yield from (round_.layout, round_.start, round_.history, sniffai.SearchParams(), reasons(view, analysis))
    yield from (sniffai.Belief(view), sniffai.Belief(view).sample(1), sniffai.Tally.of(45))
    yield sniffai.View.from_snapshot(
        players=2, seat=0, placements=["4|4"], hand=["1|4", "0|2"], hand_sizes=[2, 11], talon_size=14, scores=[0, 0]
    )
    yield from (solve(end), solve_view(end.view(end.seat)), plan_layout(round_.layout))
    found = review(Subject.of_rounds([played(2, 3)]), Limits(simulations=40), seed=1)
    yield from (found, Subject.of_rounds([played(2, 3)]))
    named = dataclasses.replace(found.players[0], name="Ann")
    yield sniffai.review.progress_of([ReviewedMatch("first", dataclasses.replace(found, players=(named,)))])
    yield from sniffai.review.jobs_of(Subject.of_rounds([played(2, 3)]))
    yield sniffai.MatchRecord.of([played(2, 3)])
    yield sniffai.SeatRecord.of([played(2, 3).view(0)])
    yield from (
        GreedyPlayer(),
        RandomPlayer(),
        FlatPlayer(),
        PolicyPlayer(),
        client.Tls(),
        wire.Violation("a", "B", "c"),
    )
    yield from (find_level("1100"), CarelessPlayer())
    spec = ArenaSpec("greedy", "random", pairings=2, seed=1, test=SequentialTest())
    result = play_arena(spec)
    yield from (
        spec,
        result,
        result.test_state,
        result.adjusted_margin,
        no_luck(3),
        mean_and_error([1.0, 2.0]),
        LEVELS[1].scores,
        LEVELS[1].move_time,
    )
    bound = ExploitSpec("greedy", deals=1, seed=1, simulations=10)
    asked = ExploitSpec("search", deals=1, seed=1, simulations=10, worlds=2, limits=Limits(simulations=10))
    yield from (bound, exploit(bound), *bound.seats(), *asked.seats())
    job = JobSpec("arena", numbers=range(1, 3), limits=Limits(simulations=10))
    yield from (job, JobResult(job.address, [1.5], 0.25))
    yield from (played(2, 14).history, strength_of([2.0, 3.0, 4.0] * 20, 2))
    match = Match(MatchSetup((HUMAN, "greedy"), seed=1))
    yield from (match, match.setup, match.situation(0), Lots((1, 2)), *match_log_values())
    request = analysis_service_pb2.AnalyzeRequest(view=wire.write_view(view), limits={"simulations": 10})
    yield wire.read_question(request)
    yield wire.read_review(match_request([played(2, 3)], None, {}))


def match_log_values() -> Iterator[Any]:
    setup = LogSetup(MatchSetup((HUMAN, "level:casual"), seed=1), ("Ann", ""), hints=True, wait=1, idle=1, created=0)
    log = MatchLog(setup, [Step(StepKind.JOIN, 1, 0, "Ann")])
    while log.round < 1:
        log.apply(Step(StepKind.PLACE, 2, log.to_move, str(log.knowledge(log.to_move or 0).legal_moves()[0])))
    yield from (log, log.setup, *log.steps, StepKind.JOIN, log.view(0), log.events(0), log.events(1))
    log.apply(Step(StepKind.RESIGN, 3, 0))
    yield from (log.events(0), TakenBack(0, 1, 2), Dealt(0, 1, (0, 0), ((), ())))
    yield wire.read_match_request(match_service_pb2.CreateMatchRequest(seats=[{"human": {}}, {"level": "casual"}]))


def walk(value: Any, found: dict[type, Any], seen: set[int]) -> None:
    if id(value) in seen or value is None:
        return
    seen.add(id(value))
    kind = type(value)
    if kind.__module__.startswith("sniffai."):
        found.setdefault(kind, value)
    if dataclasses.is_dataclass(kind):
        for field in dataclasses.fields(kind):
            walk(getattr(value, field.name), found, seen)
    elif isinstance(value, (tuple, list, set, frozenset)):
        for member in value:
            walk(member, found, seen)
    elif isinstance(value, Mapping):
        walk(list(value.values()), found, seen)


@pytest.fixture(scope="module")
def values() -> dict[type, Any]:
    found: dict[type, Any] = {}
    seen: set[int] = set()
    kept = list(results())
    for result in kept:
        walk(result, found, seen)
    return found


def test_every_public_class_is_tested(values: dict[type, Any]) -> None:
    missing = sorted(name for name, kind in public().items() if kind not in values)
    assert [name for name in missing if name.rpartition(".")[2] not in REFUSED | NO_VALUES] == []


def copies(value: Any) -> Iterator[Any]:
    yield copy.copy(value)
    yield copy.deepcopy(value)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.loads(pickle.dumps(value, protocol))


def test_every_value_copies_pickles_and_compares(values: dict[type, Any]) -> None:
    for kind, value in values.items():
        for other in copies(value):
            assert type(other) is kind
            if kind is Watch:
                assert other.view(0) == value.view(0)
                continue
            assert (other == value, other != value) == (True, False), kind
            assert value != object(), kind
            if kind.__hash__ is not None:
                assert hashes(other) == hashes(value), kind


def hashes(value: Any) -> int | None:
    """``None`` for a value that holds what cannot be hashed."""
    try:
        return hash(value)
    except TypeError:
        return None


def test_arrays_stay_read_only(values: dict[type, Any]) -> None:
    table = values[sniffai.BeliefTable]
    for other in copies(table):
        assert not other.table.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            other.table[0, 0] = 1
    given = np.zeros((28, 3))
    made = sniffai.BeliefTable(given, 1)
    assert given.flags.writeable
    assert not made.table.flags.writeable
    assert made != sniffai.BeliefTable(np.ones((28, 3)), 1)
    assert all(not other.errors.flags.writeable for other in copies(load(2)))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_copied_round_is_played_on_alone(players: int) -> None:
    round_ = played(players, 7, 4)
    before = round_.to_text()
    for other in copies(round_):
        assert (other, other.to_text(), other.events, other.scores) == (round_, before, round_.events, round_.scores)
        while not other.over:
            other.play(other.legal_moves()[-1])
        assert round_.to_text() == before
        assert other != round_
    with pytest.raises(TypeError, match="unhashable"):
        hash(round_)
    over = played(players, 7)
    assert [other.scores for other in copies(over)] == [over.scores] * 8


def test_a_copied_watch_follows_a_round_of_its_own() -> None:
    round_ = played(2, 7, 4)
    watch = Watch(round_)
    other = copy.deepcopy(watch)
    seen = other.view(0)
    round_.play(round_.legal_moves()[0])
    assert (other.view(0), watch.view(0)) == (seen, round_.view(0))
    assert copy.copy(watch).view(1) == round_.view(1)


def one_process() -> Iterator[Any]:
    """What belongs to one process."""
    view = ending().view(0)
    yield from (sniffai.Searcher(Round.deal(2, 1, leader=0).view(0)), Solver(), sniffai.DealSearcher(ending()))
    yield from (client.Client("127.0.0.1:1"), LocalExecutor(), ResumedExecutor(LocalExecutor(), None))
    yield from (kind(None, None) for kind in (client.AnalysisStream, client.ReviewStream))
    yield from (kind(None, None) for kind in (client.AsyncAnalysisStream, client.AsyncReviewStream))
    yield from (CoreSearch(Round.deal(2, 1, leader=0).view(0).core(), 1), CoreSolver(table_bytes=64))
    del view


def test_objects_of_one_process_say_that_they_cannot_be_copied() -> None:
    for value in one_process():
        for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="cannot be copied or pickled"):
                attempt(value)


def test_objects_of_the_core_copy_or_say_why_not() -> None:
    round_ = CoreRound(2, [0b1111111, 0b1111111 << 7], list(range(14, 28)), 0, [0, 0])
    round_.play(0, -1)
    for other in copies(round_):
        assert (other == round_, other.events()) == (True, round_.events())
        other.play(*other.legal_moves()[0])
        assert (other == round_, len(round_.layout.placements())) == (False, 1)
    layout = round_.layout
    for other in copies(layout):
        assert isinstance(other, CoreLayout)
        assert other == layout
        other.play(*other.moves(0xFFFFFFF ^ 1)[0])
        assert (other == layout, len(layout.placements())) == (False, 1)
    view = played(2, 7, 4).view(0).core()
    for other in (copy.copy(view), copy.deepcopy(view)):
        assert other is not view
        assert (other.hand, other.hand_sizes, other.layout == view.layout) == (view.hand, view.hand_sizes, True)
    for value in (view, CoreBelief(view)):
        with pytest.raises(TypeError, match="pickle sniffai"):
            pickle.dumps(value)
    for table in (load(2).core, load(3).core):
        assert [other.chance([0] * (table.players - (table.players == 4)), 0) for other in copies(table)] == [
            table.chance([0] * (table.players - (table.players == 4)), 0)
        ] * 8


def test_a_pickle_that_was_tampered_with_is_refused() -> None:
    core = CoreRound(2, [0b1111111, 0b1111111 << 7], list(range(14, 28)), 0, [0, 0])
    rebuild, (dealt, _) = core.__reduce__()
    for wrong in ((), (1,), (dealt, [(0, 5)]), (dealt, [(28, -1)]), (dealt, [(0,)]), (dealt[:-1], []), (None, [])):
        with pytest.raises((sniffai.SniffError, TypeError)):
            rebuild(*wrong)
    rebuild, (kind, start, moves) = played(2, 7, 4).__reduce__()
    with pytest.raises(sniffai.SniffError):
        rebuild(kind, start, moves[::-1])
    with pytest.raises(Exception, match=r"truncated|Ran out of input"):
        pickle.loads(pickle.dumps(played(2, 7, 4))[:-9])


def there(value: Any) -> Any:
    return value


def test_values_go_to_another_process_and_back(values: dict[type, Any]) -> None:
    kinds = [kind for kind in values if kind is not Watch]
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        back = executor.submit(there, [values[kind] for kind in kinds]).result(timeout=60)
    assert back == [values[kind] for kind in kinds]


def arrays_held() -> Iterator[Any]:
    """Values that hold arrays, and nets, each made twice alike and once otherwise."""
    for one, other in ((1.0, 2.0), (3.0, 1.0)):
        yield [RatedChoice(0, np.array([one, 0.5]), 1) for _ in range(2)] + [RatedChoice(0, np.array([other, 0.5]), 1)]
    said, held = np.array([0.25, 0.75]), np.array([0.0, 1.0])
    yield [Judgement((-1.0, -1.0, -1.0), (said, said, each), held, 9.0, True) for each in (said, said.copy(), held)]
    weights = np.array([1, 2], np.float32)
    plan = TrainingPlan(2, 1)
    yield [TrainedNets(plan, weights, each, 1.0, 1.0) for each in (weights, weights.copy(), weights[::-1])]
    scored = [play_rounds("policy", 2, 20, seed) for seed in (1, 1, 2)]
    yield scored
    yield [Outcomes.of(each) for each in scored]
    for kind, count in ((Policy, weight_count), (WorldValue, world_weight_count)):
        yield [kind(2, np.full(count(2), each, np.float32)) for each in (0.5, 0.5, 0.25)]


def test_values_with_arrays_are_compared_as_a_whole() -> None:
    for one, twin, other in arrays_held():
        assert (one == twin, one != twin, hash(one) == hash(twin)) == (True, False, True), type(one)
        assert (one == other, one == object()) == (False, False), type(one)
        assert [(copied == one, copied == other) for copied in copies(one)] == [(True, False)] * 8, type(one)
