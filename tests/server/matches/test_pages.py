"""Pages of a match that are written step by step are the ones that are written anew, to the byte."""

import random
from typing import cast

import pytest

from sniffai import wire
from sniffai.play.match import HUMAN, MatchSetup
from sniffai.play.match_log import LogSetup, MatchLog, Step, StepKind
from sniffai_server.matches.hosted import Hosted
from sniffai_server.matches.pages import Pages
from sniffai_server.matches.terms import Terms


def started(seats: int, *, practice: bool) -> MatchLog:
    others = ("level:beginner",) if practice else (HUMAN,)
    setup = MatchSetup((HUMAN, *others * (seats - 1)), seed=seats, practice=practice)
    log = MatchLog(LogSetup(setup, ("",) * seats, hints=True, idle=10**6, wait=10**6, created=1))
    for seat, player in enumerate(setup.seats):
        if player == HUMAN:
            log.apply(Step(StepKind.JOIN, 2, seat, f"player {seat}"))
    return log


def next_step(log: MatchLog, lots: random.Random) -> Step:
    """A placement; of a practice match now and then a decision taken back."""
    if log.view(0).can_take_back and lots.random() < 0.2:
        return Step(StepKind.TAKE_BACK, log.changed + 1, 0)
    assert log.to_move is not None
    move = lots.choice(log.knowledge(log.to_move).legal_moves())
    return Step(StepKind.PLACE, log.changed + 1, log.to_move, str(move))


@pytest.mark.parametrize(
    ("seats", "practice", "seed"), [(2, False, 2), (3, False, 3), (4, False, 4), (2, True, 3), (4, True, 11)]
)
def test_pages_are_as_if_written_anew(seats: int, practice: bool, seed: int) -> None:
    """For some three rounds; in both practice matches the end of a round is taken back."""
    log, pages, lots = started(seats, practice=practice), Pages("match"), random.Random(seed)
    ends_taken_back = 0
    for _ in range(80):
        fresh = MatchLog(log.setup, log.steps)
        for seat in lots.sample(range(seats), seats - 1):
            expected = wire.write_match_view("match", fresh.view(seat))
            assert pages.view(log, seat).SerializeToString(deterministic=True) == expected.SerializeToString(
                deterministic=True
            )
            after = max(0, log.number - 3)
            assert pages.events(log, seat, after) == list(map(wire.write_match_event, fresh.events(seat, after)))
        if log.state.over:
            break
        before, log = log.round, log.copy()
        log.apply(next_step(log, lots))
        ends_taken_back += log.round < before
    assert log.round >= 2
    assert (ends_taken_back > 0) == practice


async def test_what_is_written_ahead_is_shown_once_it_is_stored() -> None:
    """The pages are those of the stored log, whether or not the step is stored in the end."""
    hosted, lots = Hosted("match", cast(Terms, None), started(2, practice=False), ()), random.Random(3)
    for number in range(40):
        shown = [hosted.pages.view(hosted.log, seat).SerializeToString(deterministic=True) for seat in range(2)]
        after = hosted.log.copy()
        after.apply(next_step(after, lots))
        hosted.write_ahead(after, hosted.log.to_move or 0)
        if number % 3:
            before = hosted.log.number
            hosted.move_on(after)
            hosted.write_ahead(after, 0)
            assert hosted.pages.events(after, 0, before) == list(map(wire.write_match_event, after.events(0, before)))
            fresh = MatchLog(after.setup, after.steps)
            shown = [
                wire.write_match_view("match", fresh.view(seat)).SerializeToString(deterministic=True)
                for seat in range(2)
            ]
        assert [hosted.pages.view(hosted.log, seat).SerializeToString(deterministic=True) for seat in range(2)] == shown
    assert hosted.log.round >= 1


def test_a_copy_of_a_log_and_the_log_go_their_own_ways() -> None:
    log = started(3, practice=False)
    lots = random.Random(1)
    for _ in range(60):
        before, copy = log.view(0), log.copy()
        copy.apply(next_step(copy, lots))
        assert log.view(0) == before
        assert copy.view(0) != before
        other = log.copy()
        other.apply(next_step(other, lots))
        assert copy.view(1) == MatchLog(copy.setup, copy.steps).view(1)
        log = other
        assert log.view(2) == MatchLog(log.setup, log.steps).view(2)
