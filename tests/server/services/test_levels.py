"""Levels of play over the wire: who chooses, what is told, what is refused, what is hidden, who waits for a slot."""

from functools import cache
from itertools import pairwise
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

import sniffai
from sniffai import wire
from sniffai.play.levels import LEVELS, find_level
from sniffai.play.ratings import rating_spread
from sniffai.v1 import analysis_pb2, engine_service_pb2, view_pb2
from sniffai.v1 import analysis_service_pb2 as pb
from sniffai_server.load.admission import Priority
from tests.pairing_library import library_round
from tests.reference import at_random
from tests.server.support import (
    TIMEOUT,
    LoopbackServer,
    choice,
    failure,
    recommend,
    running_server,
    story,
    stubs_of,
    view_message,
)
from tests.sniffai.test_secrecy import mixed
from tests.waiting import wait_until

NAMES = [level.name for level in LEVELS]
MIDDLE = f"{(find_level('skilled').rating + find_level('club').rating) / 2:.9g}"
"""Plays now without a search, now with one."""
FEW = {"simulations": 300}


def ask(stubs: SimpleNamespace, level: str, **fields: Any) -> pb.RecommendMoveResponse:
    answer = recommend(stubs, view_message(choice()), level=level, **fields)
    assert isinstance(answer, pb.RecommendMoveResponse)
    return answer


def told(answer: pb.RecommendMoveResponse) -> list[tuple[str, str]]:
    return [(warning.field, warning.reason) for warning in answer.analysis.warnings]


def test_the_engine_lists_what_can_be_requested(stubs: SimpleNamespace) -> None:
    levels = stubs.engine.GetEngineInfo(engine_service_pb2.GetEngineInfoRequest(), timeout=TIMEOUT).levels
    assert [level.name for level in levels] == NAMES
    for level in levels:
        answer = ask(stubs, level.name, limits=None if level.HasField("max_simulations") else FEW)
        assert answer.level == level.name
        assert answer.move.tile in choice()["hand"]
        assert not answer.analysis.warnings
        if level.HasField("max_simulations"):
            assert answer.analysis.effort.simulations <= level.max_simulations
    assert not recommend(stubs, view_message(choice()), limits=FEW).level


def test_a_level_that_searches_chooses_by_its_own_search(stubs: SimpleNamespace) -> None:
    answer = ask(stubs, "club", seed=4)
    found = answer.analysis
    assert (found.source, found.stop_reason) == (analysis_pb2.SOURCE_SEARCH, analysis_pb2.STOP_REASON_SIMULATIONS)
    assert found.effort.simulations == find_level("club").max_simulations
    assert answer.move in [entry.move for entry in found.moves]
    assert not found.moves[0].reasons
    chosen = {ask(stubs, "club", seed=seed).move.tile for seed in range(30)}
    assert len(chosen) > 1


def test_the_engine_tells_ratings_and_times(stubs: SimpleNamespace) -> None:
    info = stubs.engine.GetEngineInfo(engine_service_pb2.GetEngineInfoRequest(), timeout=TIMEOUT)
    assert [level.rating for level in info.levels] == [level.rating for level in LEVELS]
    for told, level in zip(info.levels, LEVELS, strict=True):
        assert told.HasField("mean_time") == (level.move_time is not None)
        if level.move_time is not None:
            assert told.mean_time.ToNanoseconds() == pytest.approx(1e9 * level.move_time.mean, rel=1e-6)
    for table in info.tables:
        assert table.rating_spread == rating_spread(table.players)


def test_a_number_of_rating_points_is_a_level(stubs: SimpleNamespace) -> None:
    for below, above in pairwise(LEVELS[:-1]):
        middle = f"{(below.rating + above.rating) / 2:.9g}"
        answer = ask(stubs, middle, seed=3)
        assert answer.level == middle
        assert answer.move.tile in choice()["hand"]
        assert not answer.analysis.warnings
    assert ask(stubs, "1200.0").level == "1200"
    sources = {ask(stubs, MIDDLE, seed=seed).analysis.source for seed in range(30)}
    assert sources == {analysis_pb2.SOURCE_SEARCH, analysis_pb2.SOURCE_UNSEARCHED}


def test_full_strength_answers_as_without_a_level(stubs: SimpleNamespace) -> None:
    level, plain = ask(stubs, "full", limits=FEW, seed=2), recommend(stubs, view_message(choice()), limits=FEW, seed=2)
    assert level.level == "full"
    level.ClearField("level")
    assert level == plain
    assert level.analysis.moves[0].reasons


def test_a_level_that_does_not_search_gives_the_move_alone(stubs: SimpleNamespace) -> None:
    answer = ask(stubs, "attentive", seed=9, client_tag="t")
    found = answer.analysis
    assert (found.source, found.stop_reason) == (
        analysis_pb2.SOURCE_UNSEARCHED,
        analysis_pb2.STOP_REASON_UNSEARCHED,
    )
    assert [entry.move for entry in found.moves] == [answer.move]
    assert (found.deterministic, found.final, found.seed, found.client_tag) == (True, True, 9, "t")


@pytest.mark.parametrize("level", NAMES)
def test_forced_moves_draws_and_passes_are_the_same_for_all(stubs: SimpleNamespace, level: str) -> None:
    answer = recommend(stubs, view_message(story()), level=level)
    assert (answer.analysis.source, answer.move.tile, answer.level) == (analysis_pb2.SOURCE_FORCED, "5|6", level)


@pytest.mark.parametrize("name", ["grandmaster", "Club", " club", "1e3", "1200 points", "\x07" * 200])
def test_an_unknown_level_is_refused_with_those_that_there_are(stubs: SimpleNamespace, name: str) -> None:
    error = failure(lambda: ask(stubs, name))
    assert (error.code, error.reason, error.violations) == (
        "INVALID_ARGUMENT",
        "UNKNOWN_LEVEL",
        [("level", "UNKNOWN_LEVEL")],
    )
    assert ", ".join(NAMES) in error.descriptions[0]


@pytest.mark.parametrize("number", ["999", "-3", "100000"])
def test_a_rating_out_of_range_is_refused_with_the_range(stubs: SimpleNamespace, number: str) -> None:
    error = failure(lambda: ask(stubs, number))
    assert (error.code, error.reason, error.violations) == (
        "INVALID_ARGUMENT",
        "RATING_OUT_OF_RANGE",
        [("level", "RATING_OUT_OF_RANGE")],
    )
    assert f"{LEVELS[0].rating}..{LEVELS[-1].rating}" in error.descriptions[0]


@pytest.mark.parametrize("field", ["include_moves", "exclude_moves"])
@pytest.mark.parametrize("level", ["casual", "1234", "full"])
def test_moves_are_not_picked_for_a_level(stubs: SimpleNamespace, level: str, field: str) -> None:
    error = failure(lambda: ask(stubs, level, **{field: [{"tile": choice()["hand"][0]}]}))
    assert (error.code, error.violations) == ("INVALID_ARGUMENT", [(field, "NOT_WITH_LEVEL")])


def test_a_level_is_not_told_how_others_choose(stubs: SimpleNamespace) -> None:
    error = failure(lambda: ask(stubs, "casual", opponents=[{"seat": 1 - choice()["seat"], "name": "casual"}]))
    assert (error.code, error.violations) == ("INVALID_ARGUMENT", [("opponents", "NOT_WITH_LEVEL")])


def test_what_has_no_effect_on_a_level_is_told(stubs: SimpleNamespace) -> None:
    by_round = {"objective": pb.OBJECTIVE_ROUND}
    assert told(ask(stubs, "casual", limits=FEW)) == [("limits", "IGNORED")]
    assert told(ask(stubs, "club", limits={"time": {"seconds": 1}}, **by_round)) == [
        ("limits", "IGNORED"),
        ("objective", "IGNORED"),
    ]
    assert told(ask(stubs, "full", limits=FEW)) == []
    assert told(ask(stubs, "full", limits=FEW, **by_round)) == [("objective", "IGNORED")]
    assert told(ask(stubs, "full", limits=FEW, objective=pb.OBJECTIVE_MATCH)) == []
    assert ask(stubs, "club", limits={"simulations": 3}).move == ask(stubs, "club").move


@cache
def seen_alike(players: int) -> list[list[view_pb2.PlayerView]]:
    """At each stage of a round the views of a seat in two deals that it cannot tell from each other."""
    pairs, changed = [], 0
    for seed in range(9):
        twin = at_random(players, seed, 2 * seed)
        if twin.over or len(twin.legal_moves()) < 2:
            continue
        one, two = library_round(twin), library_round(mixed(twin, twin.seat, Random(seed)))
        changed += one.hands != two.hands or one.talon != two.talon
        pairs.append([wire.write_view(round_.view(round_.seat)) for round_ in (one, two)])
    assert changed >= 4
    return pairs


@pytest.mark.parametrize("level", [*NAMES, MIDDLE])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_hidden_tiles_change_no_byte_of_a_level_s_answer(stubs: SimpleNamespace, players: int, level: str) -> None:
    """The same bytes for a seat that has seen the same, whatever the others hold; and from one request to the next."""
    limits = FEW if level == "full" else None
    for seed, views in enumerate(seen_alike(players)):
        asked = views if seed else [*views, *views]  # answers that change each time would differ for two deals, too
        answers = [recommend(stubs, view, level=level, seed=seed, limits=limits) for view in asked]
        assert answers[0].analysis.deterministic
        assert len({answer.SerializeToString(deterministic=True) for answer in answers}) == 1


def test_a_level_is_cut_to_the_server_s_caps_with_a_warning() -> None:
    with running_server(max_simulations=100) as server, stubs_of(server.address) as stubs:
        answer = ask(stubs, "club")
    assert answer.analysis.effort.simulations == 100
    assert told(answer) == [("level", "CLAMPED")]


def test_a_level_s_search_waits_for_a_slot_and_its_deadline_ends_it() -> None:
    """It is admitted, stopped and cancelled like any search; a level that does not search needs no slot."""
    with running_server(slots=1, queue_size=1) as server, stubs_of(server.address) as stubs:
        long = pb.RecommendMoveRequest(view=view_message(choice()), limits={"time": {"seconds": 30}}, level="full")
        running, waiting = (stubs.analysis.RecommendMove.future(long, timeout=TIMEOUT) for _ in range(2))
        wait_until(lambda: _load(server) == (1, 1))
        full = failure(lambda: ask(stubs, "club"))
        assert (full.code, full.reason) == ("UNAVAILABLE", "QUEUE_FULL")
        assert ask(stubs, "casual").level == "casual"
        for call in (running, waiting):
            call.cancel()
        wait_until(lambda: _load(server) == (0, 0))
        calls = (stubs.analysis.RecommendMove.future(long, timeout=0.5) for _ in range(10))
        cut = next(call.result() for call in calls if call.exception() is None)  # a busy machine may be late
    assert cut.analysis.stop_reason == analysis_pb2.STOP_REASON_DEADLINE
    assert cut.level == "full"


def _load(server: LoopbackServer) -> tuple[int, int]:
    queue = server.server.searches.queue
    return queue.busy, sum(queue.depth(priority) for priority in Priority)


def test_a_level_plays_whole_rounds_from_views_alone(stubs: SimpleNamespace) -> None:
    round_ = sniffai.Round.deal(3, seed=8)
    while not round_.over:
        answer = recommend(
            stubs, wire.write_view(round_.view(round_.seat)), level=NAMES[round_.seat], seed=len(round_.history)
        )
        round_.play(sniffai.Move(answer.move.tile, answer.move.at or None))
    assert round_.settlement
