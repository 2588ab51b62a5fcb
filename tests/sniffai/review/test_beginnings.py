"""Reviews of whatever has been played so far: every beginning of a match, and of what one seat saw of a round."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from sniffai import Limits, MatchRecord, Round, View
from sniffai.equity import load
from sniffai.events import Draw
from sniffai.history import History
from sniffai.play.arena import play_rounds
from sniffai.play.arena_result import ArenaSpec
from sniffai.play.levels import named_player
from sniffai.records.matchfile import format_match
from sniffai.review import Result, Review, Subject, collected, html_report, jobs_of, read_subject, review, run_job
from sniffai.review.tables import result_line, text_tables
from sniffai.wire.review import write_summary

FEW = Limits(simulations=4)
SEATS = pytest.mark.parametrize("players", [2, 3, 4])
MID_MATCH = "view players=2 seat=0 leader=1 scores=15,0 hand=0|1,0|6,2|4,2|6,3|5,3|6,4|6 : 1|2"
"""The first placement of a round is another seat's, and by now nothing was left to a lot."""


@cache
def rounds(players: int) -> tuple[Round, Round]:
    """The first two rounds of a match, short ones with draws; the second is cut short by the tests."""
    spec = ArenaSpec("random", "random", players, 1, True, 5)
    number = {2: 12, 3: 6, 4: 33}[players]
    first, second, *_ = play_rounds(spec, [named_player("level:attentive")] * players, number)
    return first, second


def begun(round_: Round, placements: int) -> Round:
    """As many placements of a round."""
    made = Round.from_deal(round_.start)
    for move in round_.moves[:placements]:
        made.play(move)
    return made


def beginnings(players: int) -> Iterator[tuple[Subject, Subject]]:
    """What is played in the end, and each of its beginnings."""
    first, second = rounds(players)
    whole = Subject.of_rounds([first, second])
    yield whole, Subject.of_rounds([begun(first, 0)])
    for placements in range(len(second.moves) + 1):
        yield whole, Subject.of_rounds([first, begun(second, placements)])
    for seat in range(players):
        view = second.view(seat)
        assert isinstance(view.position, History)
        whole = Subject.of_view(view)
        for count in range(len(view.events) + 1):
            history = History(view.position.leader, view.position.dealt, view.events[:count])
            yield whole, Subject.of_view(View(players, seat, view.scores, history))


def told_everywhere(found: Review) -> dict[str, Any]:
    """All forms that a review is told in; returns its plain values."""
    html_report(found)
    assert list(text_tables(found, every=True))
    assert result_line(found)
    write_summary(found, found.limits)
    told: dict[str, Any] = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    return told


@SEATS
def test_every_beginning_of_a_match_and_of_a_view_can_be_reviewed(players: int) -> None:
    """Its pieces are the first ones of the whole, so that each is made once only."""
    done: dict[Subject, list[Result]] = {}
    for whole, subject in beginnings(players):
        if whole not in done:
            done[whole] = [run_job(job) for job in jobs_of(whole, FEW, 1)]
        points = list(subject.moments())
        assert points == list(whole.moments())[: len(points)]
        found = collected(subject, FEW, 1, done[whole][: len(points)])
        told_everywhere(found)
        assert found.account.residual < 1e-9
        for round_ in found.rounds:
            assert round_.account.residual < 1e-9
            steps = round_.steps
            assert round_.account.result == (steps[-1].after if steps else round_.account.start)


@SEATS
def test_a_round_that_was_only_dealt_is_worth_its_start(players: int) -> None:
    first, second = rounds(players)
    for subject in (
        Subject.of_rounds([first, begun(second, 0)]),
        read_subject(format_match(MatchRecord.of([first, begun(second, 0)]))),
    ):
        found = review(subject, FEW)
        assert not found.account.final
        assert found.account.result.chances == load(players).chance(first.scores, second.start.leader)
        assert found.rounds[1].judged == ()
        assert len(told_everywhere(found)["rounds"]) == 2


def test_a_view_before_the_first_decision_of_its_seat() -> None:
    found = review(read_subject(MID_MATCH), FEW)
    account = told_everywhere(found)["account"]
    assert account["start"] == account["result"]
    assert account["start"]["win_probability"] == list(load(2).chance((15, 0), 1))
    assert account["start"]["points"][0] < 0 < account["start"]["points"][1]
    assert (account["skill_by_seat"], account["luck_by_kind"], account["final"]) == ({}, {}, False)
    assert found.players[0].total.decision_count == 0


@SEATS
def test_drawn_tiles_are_listed_in_the_order_of_drawing(players: int) -> None:
    played = Round.deal(players, {2: 4, 3: 13, 4: 4}[players], leader=0)
    while not played.over:
        played.play(played.legal_moves()[0])
    draws = [event for event in played.history if isinstance(event, Draw)]
    truth = {event: list(map(str, event.tiles or ())) for event in draws}
    assert any(tiles != sorted(tiles) for tiles in truth.values())
    told = review(Subject.of_rounds([played]), Limits(simulations=1)).to_dict()
    assert [draw["tiles"] for draw in told["rounds"][0]["draws"]] == list(truth.values())
    seat = next(event.seat for event in draws if truth[event] != sorted(truth[event]))
    told = review(Subject.of_view(played.view(seat)), Limits(simulations=1)).to_dict()
    assert [draw["tiles"] for draw in told["rounds"][0]["draws"]] == [truth[one] for one in draws if one.seat == seat]
