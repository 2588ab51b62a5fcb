"""The record of a match as one seat saw it: written and read, checked from round to round, without anything hidden."""

from pathlib import Path

import pytest

import sniffai
from sniffai import MatchRecord, RecordError, Round, SeatRecord, SeatRound, SniffError

MATCH = Path(__file__).parents[2] / "data" / "two_seats.match"


def played_match(players: int, seed: int, most: int = 4) -> MatchRecord:
    """Rounds of a match in which every seat places its first legal move."""
    rounds: list[Round] = []
    while len(rounds) < most and not (rounds and rounds[-1].match_winner is not None):
        before = rounds[-1] if rounds else None
        leader = None if before is None else before.next_leader(seed=seed)
        round_ = Round.deal(players, seed + len(rounds), leader, None if before is None else before.scores)
        while not round_.over:
            round_.play(round_.legal_moves()[0])
        rounds.append(round_)
    return MatchRecord.of(rounds, {"Event": "Club", "Seed": "7", "Seat0": 'An"n'})


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", [1, 30, 77])
def test_it_is_written_and_read_back(players: int, seed: int) -> None:
    record = played_match(players, seed)
    for seat in range(players):
        seen = SeatRecord.seen_by(record, seat)
        assert SeatRecord.from_text(seen.to_text()) == seen
        assert (seen.players, seen.seat, len(seen.rounds)) == (players, seat, len(record.rounds))
        assert [round_.after for round_ in seen.rounds] == [round_.after for round_ in record.rounds]
        assert SeatRecord.of(seen.views, seen.rounds[-1].after, dict(seen.tags)) == seen


def test_an_unfinished_round_is_read_back() -> None:
    round_ = Round.deal(3, 4)
    round_.play(round_.legal_moves()[0])
    record = SeatRecord.of([round_.view(1)])
    assert SeatRecord.from_text(record.to_text()) == record
    assert record.rounds[0].ending.unfinished


def test_nothing_hidden_is_in_it() -> None:
    """Neither a tile that the seat did not see nor the seed of the deals."""
    record = played_match(4, 5)
    for seat in range(4):
        seen = SeatRecord.seen_by(record, seat)
        text = seen.to_text()
        assert "Seed" not in text and "talon" not in text
        for view, whole in zip(seen.views, record.rounds, strict=True):
            shown = {*(view.dealt or ()), *(move.tile for move in view.placements)}
            shown |= {tile for event in view.events for tile in getattr(event, "tiles", None) or ()}
            hidden = set(sniffai.TILES) - shown
            assert hidden, whole
        for block, view in zip(text.split("\nround ")[1:], seen.views, strict=True):
            shown = {*(view.dealt or ()), *(move.tile for move in view.placements)}
            shown |= {tile for event in view.events for tile in getattr(event, "tiles", None) or ()}
            assert {tile for tile in sniffai.TILES if str(tile) in block} == shown


def test_the_scores_after_are_checked_as_far_as_the_seat_can() -> None:
    record = sniffai.load_match(MATCH)
    seen = SeatRecord.seen_by(record, 0)
    view, after = seen.rounds[0].view, seen.rounds[0].after
    assert after is not None
    assert SeatRound(view, after).after == after
    for wrong in ((after[0] + 5, after[1]), (after[0], after[1] + 100), (after[0], after[1] - 200), (0,)):
        with pytest.raises(RecordError, match="by the rules the scores after the round are") as failed:
            SeatRound(view, wrong)
        assert (failed.value.field, failed.value.reason) == ("after", "WRONG_SCORES")


@pytest.mark.parametrize(
    ("old", "new", "place", "told"),
    [
        ("before 10 70", "before 15 70", "line 43: round 2, before", "the round before ended at 10 70, not at 15 70"),
        ("round 2\nleader 1", "round 2\nleader 0", "line 42: round 2, leader", "seat 1 went out, so it leads"),
        ("after 10 70", "after 10 75", "line 39: round 1, after", "by the rules the scores after the round are"),
        ("1 4|6@6|6:LINE_B +20", "1 4|6@6|6:LINE_B +15", "line 15: round 1, event 4", "4|6 scores 20 at 6|6:LINE_B"),
        ("end out 1\nafter 10 70", "end out 0\nafter 10 70", "line 38: round 1, end", "by the events: out 1"),
    ],
)
def test_an_error_names_its_line_and_its_round(old: str, new: str, place: str, told: str) -> None:
    text = SeatRecord.seen_by(sniffai.load_match(MATCH), 1).to_text()
    assert old in text
    with pytest.raises(SniffError, match=told.replace("|", r"\|")) as failed:
        SeatRecord.from_text(text.replace(old, new, 1))
    assert failed.value.field == place


def test_rounds_that_do_not_follow_are_refused() -> None:
    seen = SeatRecord.seen_by(sniffai.load_match(MATCH), 1)
    first, second, last = seen.rounds[0], seen.rounds[1], seen.rounds[-1]
    other = SeatRecord.seen_by(sniffai.load_match(MATCH), 0).rounds[1]
    unfinished = SeatRound(Round.deal(2, 1).view(1))
    for rounds, reason in (
        ((), "NO_ROUNDS"),
        ((first, other), "WRONG_SEAT"),
        ((second, first), "WRONG_SCORES"),
        ((unfinished, first), "ROUND_UNFINISHED"),
        ((last, first), "MATCH_OVER"),
    ):
        with pytest.raises(RecordError) as failed:
            SeatRecord(rounds)
        assert failed.value.reason == reason


def test_a_snapshot_is_no_record() -> None:
    round_ = Round.deal(2, 1)
    view = round_.view(round_.seat).without_voids()
    with pytest.raises(RecordError, match="a snapshot has no events"):
        SeatRecord.of([view])
