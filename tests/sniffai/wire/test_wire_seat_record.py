"""Seat's records as messages, and pasted notes: read back, or refused with the path of the field."""

import json

import pytest

import sniffai
from sniffai import SeatRecord, View, wire
from sniffai.review import read_subject
from sniffai.v1 import review_pb2 as pb
from sniffai.wire import WireError
from tests.sniffai.records.test_seat_record import played_match

RECORD = SeatRecord.seen_by(played_match(3, 11, 3), 1)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_record_comes_back(players: int) -> None:
    whole = played_match(players, 5, 3)
    for seat in range(players):
        record = SeatRecord.seen_by(whole, seat)
        message = wire.write_seat_record(record)
        read = wire.read_seat_record(message)
        assert read.rounds == record.rounds
        assert dict(read.tags)["Seat0"] == 'An"n'
        told = wire.parse_text(record.to_text())
        assert told.seat_record == message
        assert wire.parse_text(wire.to_json(message)).seat_record == message


def test_notes_of_one_round_are_a_view() -> None:
    text = "players 2; seat 0; leader 1; hand 64 11 05 35 66 21 03; 55 53 3-4"
    assert wire.parse_text(text).view == wire.write_view(View.from_table(text))
    snapshot = "players 2; seat 0; table 55 53; hand now 64 11; talon 14; sizes 2 10"
    assert wire.parse_text(snapshot).view == wire.write_view(View.from_table(snapshot))


def changed(**fields: object) -> pb.SeatRecord:
    message = wire.write_seat_record(RECORD)
    for name, value in fields.items():
        if name == "scores_after":
            message.scores_after[:] = value  # type: ignore[assignment]
        elif name == "names":
            message.names[:] = value  # type: ignore[assignment]
        elif name == "before":
            message.views[1].scores[:] = value  # type: ignore[assignment]
        else:
            del message.views[:]
    return message


@pytest.mark.parametrize(
    ("message", "path", "reason"),
    [
        (changed(drop=True), "seat_record.views", "NO_ROUNDS"),
        (changed(scores_after=(0, 5000, 0)), "seat_record.scores_after", "WRONG_SCORES"),
        (changed(before=(0, -300, 0)), "seat_record.views[1].scores", "WRONG_SCORES"),
        (changed(names=["x"] * 5), "seat_record.names", "TOO_MANY"),
        (changed(names=["x" * 200]), "seat_record.names[0]", "TOO_LONG"),
        (pb.SeatRecord(views=[wire.write_view(RECORD.views[0])] * 201), "seat_record.views", "TOO_MANY"),
    ],
)
def test_a_wrong_record_names_the_field(message: pb.SeatRecord, path: str, reason: str) -> None:
    with pytest.raises(WireError) as failed:
        wire.read_seat_record(message)
    (violation,) = failed.value.violations
    assert (violation.field, violation.reason) == (path, reason)


def test_a_leader_who_did_not_go_out_is_named_at_its_field() -> None:
    first = RECORD.views[0]
    assert first.went_out is not None
    other = sniffai.Round.deal(3, 9, (first.went_out + 1) % 3, RECORD.rounds[0].after).view(1)
    message = pb.SeatRecord(views=map(wire.write_view, (first, other)))
    with pytest.raises(WireError) as failed:
        wire.read_seat_record(message)
    assert failed.value.violations[0].field == "seat_record.views[1].record.leader"


def test_record_and_snapshot_together_are_refused_with_these_words() -> None:
    both = {"view": {"players": 2, "hand": ["0|0"], "record": {"leader": 0}, "snapshot": {"talon_size": 3}}}
    with pytest.raises(
        WireError, match="only one of record and snapshot may be given: beside a record stand the hand as"
    ):
        wire.request_of(both)


def test_words_of_a_snapshot_beside_a_history_are_refused() -> None:
    line = "view players=2 seat=0 leader=1 scores=0,0 hand=0|3,0|5,1|1,1|2,3|5,4|6,6|6 {} : 5|5"
    for word in ("hand_sizes=7,6", "talon_size=14", "scores_now=0,10", "drawn_tile=0|3"):
        with pytest.raises(sniffai.ViewError, match="belongs to a snapshot; a history has the hand as dealt") as failed:
            View.from_text(line.format(word))
        assert failed.value.reason == "SNAPSHOT_IN_RECORD"
    short = json.dumps(
        {
            "players": 2,
            "seat": 0,
            "leader": 1,
            "hand": ["0|3"],
            "scores": [0, 0],
            "events": [{"play": "5|5", "seat": 1}],
        }
    )
    with pytest.raises(sniffai.TileError, match="a history has the hand as dealt, only a snapshot has the hand now"):
        read_subject(short)


def test_the_hand_and_the_scores_now_beside_a_history_are_refused_with_that_word() -> None:
    """Also where their number is right: the hand after a draw, the scores after points."""
    given = {
        "players": 2,
        "seat": 0,
        "leader": 0,
        "events": [{"play": "0|5", "seat": 0}, {"play": "2|5", "at": "0|5:HIGH", "seat": 1}],
    }
    now = ["1|1", "2|2", "3|3", "4|4", "6|6", "1|6", "2|6"]
    with pytest.raises(sniffai.MoveError, match="a history has the hand as dealt, only a snapshot has the hand now"):
        View.from_events(**given, hand=now, scores=[5, 0])  # type: ignore[arg-type]
    with pytest.raises(
        sniffai.ViewError, match="a history has the scores before the round, only a snapshot has the sc"
    ):
        View.from_events(**given, hand=["0|5", *now[1:]], scores=[245, 0])  # type: ignore[arg-type]
