"""Messages and values say the same: what is written can be read, and is what was there."""

import json
from typing import get_args

import pytest

import sniffai
from sniffai import wire
from sniffai.search import analysis
from sniffai.v1 import analysis_service_pb2, limits_pb2, view_pb2
from sniffai.view import Duty
from sniffai.wire import answers
from sniffai.wire.paths import record_path
from tests.server.support import choice, lines, snapshot, story, vector_view, view_message


def test_vector_views_round_trip() -> None:
    for vector in lines("beliefs.jsonl"):
        view = wire.read_view(vector_view(vector))
        assert wire.read_view(wire.write_view(view)) == view
        assert view == sniffai.View.from_events(
            players=vector["players"],
            seat=vector["seat"],
            leader=vector["leader"],
            hand=vector["deal"],
            events=vector["events"],
            scores=[0] * (3 if vector["players"] == 3 else 2),
        )


def test_snapshot_round_trips() -> None:
    view = wire.read_view(view_message(snapshot()))
    assert wire.read_view(wire.write_view(view)) == view


@pytest.mark.parametrize("players", [2, 3, 4])
def test_rounds_round_trip_at_every_move(players: int) -> None:
    round_ = sniffai.Round.deal(players=players, seed=8)
    while not round_.over:
        assert wire.read_round(wire.write_deal(round_)) == round_
        for seat in range(players):
            assert wire.read_view(wire.write_view(round_.view(seat))) == round_.view(seat)
        round_.play(round_.legal_moves()[0])
    assert wire.read_round(wire.write_deal(round_)) == round_


def test_a_draw_may_be_given_tile_by_tile() -> None:
    at_once, one_by_one = story(), story()
    one_by_one["record"]["events"][1:2] = [{"seat": 1, "draw": {"count": 1}}] * 2
    assert wire.read_view(view_message(at_once)) == wire.read_view(view_message(one_by_one))


@pytest.mark.parametrize(
    "limits",
    [
        sniffai.Limits(),
        sniffai.Limits(seconds=0.001),
        sniffai.Limits(seconds=12.345678901, simulations=7, memory_bytes=1 << 20),
    ],
)
def test_limits_round_trip(limits: sniffai.Limits) -> None:
    assert wire.read_limits(wire.write_limits(limits)) == limits


def test_limits_beyond_the_librarys_range_are_refused() -> None:
    message = limits_pb2.Limits(time={"seconds": -(2**63), "nanos": 5})
    with pytest.raises(wire.WireError):
        wire.read_limits(message)


def test_request_from_json_takes_a_request_or_its_view() -> None:
    whole = wire.request_from_json(json.dumps({"view": choice(), "seed": "4"}))
    alone = wire.request_from_json(json.dumps(choice()))
    assert whole.view == alone.view == view_message(choice())
    assert (whole.seed, alone.HasField("seed")) == (4, False)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "NOT_JSON"),
        ("{", "NOT_JSON"),
        ("[" * 100_000, "NOT_JSON"),
        ("[]", "NOT_JSON_OF_MESSAGE"),
        ('{"view": {"hands": []}}', "NOT_JSON_OF_MESSAGE"),
        ('{"players": "two"}', "NOT_JSON_OF_MESSAGE"),
    ],
)
def test_json_that_holds_no_request(text: str, reason: str) -> None:
    with pytest.raises(wire.WireError) as raised:
        wire.request_from_json(text)
    assert raised.value.violations[0].reason == reason


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[" * 100_000, "the JSON is nested too deeply"),
        ('{"seed": ' + "9" * 5000 + "}", "not JSON: a number of more than 4300 digits"),
    ],
    ids=["deep", "long number"],
)
def test_json_that_python_does_not_read(text: str, told: str) -> None:
    with pytest.raises(wire.WireError) as raised:
        wire.request_from_json(text)
    assert (raised.value.violations[0].reason, raised.value.violations[0].description) == ("NOT_JSON", told)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"limitz": 1}', "limitz: not JSON of a RecommendMoveRequest: RecommendMoveRequest has no such field"),
        ('{"limits": {"tim": 1}}', "limits.tim: not JSON of a RecommendMoveRequest: Limits has no such field"),
        (
            '{"view": {"record": {"events": [{"seat": 0, "plai": {}}]}}}',
            "view.record.events[0].plai: not JSON of a RecommendMoveRequest: Event has no such field",
        ),
        ('{"seed": "x"}', "seed: not JSON of a RecommendMoveRequest: a whole number is expected, not 'x'"),
        ('{"clientTag": 3}', "clientTag: not JSON of a RecommendMoveRequest: a text is expected"),
        ('{"limits": {"time": "5"}}', "limits.time: not JSON of a RecommendMoveRequest: Duration must end with"),
    ],
)
def test_json_of_another_message_names_the_field(text: str, told: str) -> None:
    with pytest.raises(wire.WireError) as raised:
        wire.from_json(text, analysis_service_pb2.RecommendMoveRequest)
    assert str(raised.value).startswith(told)


def test_json_of_a_message_reads_back() -> None:
    request = analysis_service_pb2.RecommendMoveRequest(view=view_message(story()), seed=0)
    assert wire.from_json(wire.to_json(request), analysis_service_pb2.RecommendMoveRequest) == request


def test_no_field_of_a_view_can_hold_hidden_tiles() -> None:
    """The only tiles in a PlayerView are the seat's own, those on the table, and those of draws, which are checked."""
    names = {field.name for field in view_pb2.PlayerView.DESCRIPTOR.fields}
    assert names == {"players", "seat", "scores", "hand", "record", "snapshot"}
    names = {field.name for field in view_pb2.Snapshot.DESCRIPTOR.fields}
    assert names == {"placements", "hand_sizes", "talon_size", "voids", "drawn_tile"}


def test_every_library_path_has_a_wire_path() -> None:
    for field, path in {
        "events[3].play": "v.record.events[3].play.tile",
        "events[3].at": "v.record.events[3].play.at",
        "events[3].points": "v.record.events[3].play.points",
        "events[3].draw": "v.record.events[3].draw.count",
        "events[3].tiles[1]": "v.record.events[3].draw.tiles[1]",
        "events[3].pass": "v.record.events[3].pass",
        "events[3].seat": "v.record.events[3].seat",
        "leader": "v.record.leader",
        "hand[2]": "v.hand[2]",
        "": "v.record",
    }.items():
        assert record_path(field, "v") == path


def test_every_word_of_an_analysis_has_its_enum_value() -> None:
    assert answers.SOURCES.keys() == set(get_args(analysis.Source))
    assert answers.STOPS.keys() == set(get_args(analysis.StopReason))
    assert wire.ACTIONS.keys() == set(get_args(Duty)) >= set(get_args(analysis.Action))
