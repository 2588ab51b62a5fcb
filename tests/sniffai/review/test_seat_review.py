"""A match reviewed as one seat saw it: its own decisions are judged as in the whole match, nothing hidden is needed."""

from pathlib import Path

import pytest

import sniffai
from sniffai import Limits, MatchRecord, SeatRecord
from sniffai.review import Review, StepKind, Subject, decision_dict, html_report, of_record, read_subject, review
from sniffai.review.tables import text_tables
from tests.sniffai.records.test_seat_record import played_match

MATCH = Path(__file__).parents[2] / "data" / "two_seats.match"
LIMITS = Limits(simulations=20)


def short(record: MatchRecord, rounds: int) -> MatchRecord:
    return MatchRecord(record.players, record.rounds[:rounds], record.tags)


RECORDS = {2: short(sniffai.load_match(MATCH), 2), 3: played_match(3, 11, 2), 4: played_match(4, 12, 2)}


@pytest.fixture(scope="module", params=[2, 3, 4])
def both(request: pytest.FixtureRequest) -> tuple[Review, dict[int, Review]]:
    """The review of a whole match, and that of two seats' records, read from their texts."""
    record = RECORDS[request.param]
    seats = (0, request.param - 1)
    texts = {seat: SeatRecord.seen_by(record, seat).to_text() for seat in seats}
    whole = review(of_record(record), LIMITS, seed=3)
    return whole, {seat: review(read_subject(text), LIMITS, seed=3) for seat, text in texts.items()}


def test_own_decisions_are_judged_to_the_bit_as_in_the_whole_match(both: tuple[Review, dict[int, Review]]) -> None:
    whole, own = both
    for seat, part in own.items():
        expected = [decision_dict(judged) for judged in whole.judged if judged.placement.seat == seat]
        assert [decision_dict(judged) for judged in part.judged] == expected
        (player,) = part.players
        (same,) = [other for other in whole.players if other.seat == seat]
        assert (player.total, player.phases, player.strength) == (same.total, same.phases, same.strength)


def test_the_luck_of_own_draws_is_the_same(both: tuple[Review, dict[int, Review]]) -> None:
    whole, own = both
    for seat, part in own.items():
        drawn = [draw for round_ in whole.rounds for draw in round_.draws if draw.talon_draw.seat == seat]
        mine = [draw for round_ in part.rounds for draw in round_.draws]
        assert [(draw.luck, draw.expected, draw.error) for draw in mine] == [
            (draw.luck, draw.expected, draw.error) for draw in drawn
        ]


def test_the_account_ends_at_the_result_and_says_what_it_cannot_tell(both: tuple[Review, dict[int, Review]]) -> None:
    whole, own = both
    for seat, part in own.items():
        assert part.account.final == whole.account.final
        assert part.account.result == whole.account.result
        assert part.account.residual < 1e-9
        assert StepKind.HANDS not in part.account.luck
        told = part.players[0].luck.chances
        others = part.account.luck[StepKind.OTHERS].chances
        assert told == pytest.approx([a - b for a, b in zip(part.account.all_luck.chances, others, strict=True)])
        told_apart = [table.note for table in text_tables(part) if f"Only the tiles of seat {seat}" in table.note]
        assert len(told_apart) == 1 and "cannot be separated from luck" in html_report(part)


def test_the_settlement_is_left_out_where_the_scores_after_are_not_known() -> None:
    seen = SeatRecord.seen_by(short(sniffai.load_match(MATCH), 1), 1)
    text = seen.to_text()
    known = review(Subject.of_seat_record(seen), LIMITS)
    cut = review(read_subject(text.rpartition("\nafter")[0]), LIMITS)
    assert known.account.final and not cut.account.final
    assert [decision_dict(judged) for judged in cut.judged] == [decision_dict(judged) for judged in known.judged]
    notes = " ".join(table.note for table in text_tables(cut))
    assert "the settlement" not in notes and "its settlement is left out" in notes


def test_hidden_tiles_have_no_say() -> None:
    """Two matches that differ in hidden tiles alone look the same to the seat, so they give the same review."""
    round_ = sniffai.Round.deal(3, 21)
    for _ in range(4):
        round_.play(round_.legal_moves()[0])
    start, own = round_.start, round_.start.leader
    talon = (*start.talon[1:], start.talon[0])
    assert not any(isinstance(event, sniffai.Draw) for event in round_.history)
    other = sniffai.Round(players=3, hands=start.hands, talon=talon, leader=own, scores=start.scores)
    for move in round_.moves:
        other.play(move)
    first, second = (SeatRecord.seen_by(MatchRecord.of([whole]), own) for whole in (round_, other))
    assert first == second
    assert (
        review(Subject.of_seat_record(first), LIMITS).to_dict()
        == review(Subject.of_seat_record(second), LIMITS).to_dict()
    )
