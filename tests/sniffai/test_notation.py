"""One line of text for a round or a view, and back."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sniffai
from sniffai import NotationError, SniffError, View
from sniffai.records.matchfile import format_match, parse_match
from tests.pairing_library import library_round
from tests.reference import Round
from tests.strategies import rounds_under_way, whole_rounds

PAGE = Path(__file__).parent.parent.parent / "docs" / "notation.md"
ROUND = (
    "round players=4 leader=2 scores=0,-15 "
    "hands=0|0,0|1,0|2,0|3,0|4/0|5,0|6,1|1,1|2,1|3/1|4,1|5,1|6,2|2,2|3/2|4,2|5,2|6,3|3,3|4 "
    "talon=3|5,3|6,4|4,4|5,4|6,5|5,5|6,6|6 : 1|4 3|4@1|4:HIGH"
)
VIEW = (
    "view players=4 seat=0 leader=2 scores=0,0 hand=1|5,4|6,5|5,5|6,6|6 : "
    "3|6 2|6@3|6:HIGH +1|6,2|5 2|5@2|6:LOW 3|5@3|6:LOW +6 - 0|5@3|5:HIGH"
)
SNAPSHOT = (
    "snapshot players=3 seat=1 scores=15,0,5 hand=0|1,1|6,4|4 hand_sizes=4,3,6 talon_size=10 voids=25/-/- : "
    "6|6 3|6@6|6:LINE_A 0|6@6|6:LINE_B 3|5@3|6:LOW 0|4@0|6:LOW"
)
LINES = {"round": ROUND, "view": VIEW, "snapshot": SNAPSHOT}


def parse(line: str) -> sniffai.Round | View:
    return sniffai.Round.from_text(line) if line.startswith("round") else View.from_text(line)


@given(st.one_of(rounds_under_way(), whole_rounds()))
def test_rounds_and_views_survive_a_round_trip(twin: Round) -> None:
    round_ = library_round(twin)
    again = sniffai.Round.from_text(round_.to_text())
    assert again == round_
    assert again.events == round_.events
    for seat in range(round_.players):
        view = round_.view(seat)
        assert View.from_text(view.to_text()) == view


@given(rounds_under_way(), st.data())
def test_snapshots_survive_a_round_trip(twin: Round, data: st.DataObject) -> None:
    round_ = library_round(twin)
    view = round_.view(twin.seat)
    lacking = {
        seat: [suit for suit in range(7) if not any(suit in (tile.low, tile.high) for tile in hand)]
        for seat, hand in enumerate(round_.hands)
        if seat != view.seat
    }
    true_voids = st.fixed_dictionaries(
        {}, optional={seat: st.sets(st.sampled_from(suits)) for seat, suits in lacking.items() if suits}
    )
    voids = data.draw(true_voids, "voids")
    snapshot = View.from_snapshot(
        players=view.players,
        seat=view.seat,
        placements=view.placements,
        hand=view.hand,
        hand_sizes=view.hand_sizes,
        talon_size=view.talon_size,
        scores=view.scores_now,
        voids=voids,
        drawn_tile=view.forced,
    )
    assert View.from_text(snapshot.to_text()) == snapshot
    assert snapshot.legal_moves() == view.legal_moves()
    assert snapshot.layout == view.layout


@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
def test_writing_gives_back_the_line(line: str) -> None:
    assert parse(line).to_text() == line


@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
def test_fields_may_come_in_any_order(line: str) -> None:
    head, _, rest = line.partition(" : ")
    tag, *fields = head.split()
    assert parse(" ".join([tag, *reversed(fields), ":", rest])) == parse(line)


@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
def test_every_field_is_asked_for_once(line: str) -> None:
    for field in re.findall(r"(\w+)=\S+", line):
        if field != "voids":
            assert refused(re.sub(rf" {field}=\S+", "", line)) == field
        assert refused(re.sub(rf"( {field}=\S+)", r"\1\1", line)) == field


@pytest.mark.parametrize(
    ("line", "old", "new", "field"),
    [
        (ROUND, "players=4", "players=four", "players"),
        (ROUND, "scores=0,-15", "scores=0,", "scores[1]"),
        (ROUND, "1|1,", "1|7,", "hands[1][2]"),
        (ROUND, "talon=3|5", "talon=5|3", "talon[0]"),
        (ROUND, "@1|4:HIGH", "@1|4:LINE_A", "moves[1].at"),
        (ROUND, " : 1|4", " : 1|8", "moves[0].tile"),
        (VIEW, "seat=0", "seat=\u0660", "seat"),
        (VIEW, "+6", "+six", "events[5].draw"),
        (VIEW, "+1|6", "+1|9", "events[2].tiles[0]"),
        (VIEW, "hand=1|5", "hand=", "hand[0]"),
        (SNAPSHOT, "voids=25", "voids=27", "voids[0]"),
        (SNAPSHOT, "talon_size=10", "talon_size=", "talon_size"),
        (SNAPSHOT, "talon_size=10", "talon_size=10 drawn_tile=x", "drawn_tile"),
        (SNAPSHOT, "0|4@0|6:LOW", "0|4@0|6", "placements[4].at"),
    ],
)
def test_what_cannot_be_read_is_named(line: str, old: str, new: str, field: str) -> None:
    assert refused(line.replace(old, new, 1)) == field


@pytest.mark.parametrize(
    ("line", "old", "new", "field", "reason"),
    [
        (ROUND, "0|1,", "0|0,", "hands[0][1]", "TILE_TWICE"),
        (ROUND, "talon=3|5", "talon=3|6", "talon[1]", "TILE_TWICE"),
        (ROUND, "3|4@1|4:HIGH", "3|3@1|4:HIGH", "moves[1].at", "TILE_DOES_NOT_FIT"),
        (ROUND, "scores=0,-15", "scores=0,200", "scores[1]", "SCORE_PAST_TARGET"),
        (VIEW, "+6", "+7", "events[5].draw", "DRAW_COUNT_OUT_OF_RANGE"),
        (VIEW, "3|5@3|6:LOW", "6|6@3|6:LOW", "events[4].at", "TILE_DOES_NOT_FIT"),
        (SNAPSHOT, "hand_sizes=4", "hand_sizes=5", "hand_sizes", "TILES_DO_NOT_ADD_UP"),
    ],
)
def test_an_event_that_breaks_a_rule_is_named_too(line: str, old: str, new: str, field: str, reason: str) -> None:
    with pytest.raises(SniffError) as caught:
        parse(line.replace(old, new, 1))
    assert not isinstance(caught.value, NotationError)
    assert (caught.value.field, caught.value.reason) == (field, reason)


def test_a_snapshot_of_version_0_1_0_is_read() -> None:
    forced = SNAPSHOT.replace("1|6,4|4", "1|1,4|4").replace(" : ", " drawn_tile=4|4 : ")
    former = forced.replace("hand_sizes=", "sizes=").replace("talon_size=", "talon=").replace("drawn_tile=", "drawn=")
    assert former != forced and View.from_text(former).to_text() == forced


@pytest.mark.parametrize("line", ["", "fen", "round", "round players", "round players=2 colour=1", "  :  "])
def test_other_texts_are_not_lines(line: str) -> None:
    for kind in (sniffai.Round, View):
        with pytest.raises(NotationError):
            kind.from_text(line)


def test_a_round_is_no_view_and_a_view_no_round() -> None:
    with pytest.raises(NotationError, match="begins with view or snapshot"):
        View.from_text(ROUND)
    with pytest.raises(NotationError, match="begins with round"):
        sniffai.Round.from_text(VIEW)


@given(st.sampled_from(list(LINES.values())), st.data())
def test_damage_raises_nothing_but_our_errors(line: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(line) - 1))
    put = data.draw(st.text(st.characters(codec="utf-8"), max_size=2))
    try:
        parse(line[:place] + put + line[place + data.draw(st.integers(0, 3)) :])
        reason = "NONE"
    except SniffError as error:
        reason = error.reason
    assert re.fullmatch(r"[A-Z_]{1,63}", reason)


def test_views_of_the_same_facts_are_equal() -> None:
    """Dealt order, and draws told one by one, are no part of what a seat knows."""
    view = View.from_text(VIEW)
    assert view.dealt is not None
    events = [event.to_dict() for event in view.events]
    one_by_one = [part for event in events for part in draws_apart(event)]
    told = View.from_events(players=4, seat=0, leader=2, hand=view.dealt[::-1], events=one_by_one, scores=view.scores)
    assert told == view
    assert hash(told) == hash(view)
    assert len({told, view}) == 1


def draws_apart(event: dict[str, object]) -> list[dict[str, object]]:
    count = event.get("draw", 1)
    assert isinstance(count, int)
    if "draw" not in event:
        return [event]
    tiles = event.get("tiles", [None] * count)
    assert isinstance(tiles, list)
    return [{"draw": 1, "seat": event["seat"]} | ({"tiles": [tile]} if tile else {}) for tile in tiles]


def test_the_examples_of_the_page_are_right() -> None:
    blocks = re.findall(r"^```\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = [block.strip() for block in blocks if not block.startswith(("[", "players "))]
    assert [line.split()[0] for line in lines] == ["round", "view", "snapshot"]
    assert [parse(line).to_text() for line in lines] == lines
    (notes,) = [block for block in blocks if block.startswith("players ")]
    assert View.from_table(notes).scores_now == (0, 25)
    (record,) = [block for block in blocks if block.startswith("[")]
    assert len(parse_match(record).replay()) == 1
    assert format_match(parse_match(record)).strip() == record.strip()


def refused(line: str) -> str:
    """The field that reading a line names."""
    with pytest.raises(NotationError) as caught:
        parse(line)
    return caught.value.field
