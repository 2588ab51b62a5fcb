"""Match records and traces: written from played rounds, replayed, and every lie in them found."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sniffai import MatchRecord, NotationError, RecordError, Round, SniffError, dump_match, load_match
from sniffai.records.matchfile import decode, format_match, parse_match
from sniffai.records.trace import parse_traces, replay_trace
from tests.pairing_library import library_round
from tests.reference import Round as TwinRound
from tests.strategies import rounds_under_way, whole_rounds

TRACES = Path(__file__).parents[2] / "data" / "rounds.jsonl"
TAGS = {"Event": 'the "big" one', "Date": "2026-11-30", "Seat0": "Ann \\ Co", "Seat1": "Bob", "Note": ""}


def greedy_match(players: int, seed: int, most: int = 100) -> list[Round]:
    """A match in which everyone takes the most points, to the target or to so many rounds."""
    rounds = [Round.deal(players, seed)]
    while True:
        round_ = rounds[-1]
        while not round_.over:
            view = round_.view(round_.seat)
            round_.play(max(round_.legal_moves(), key=view.points))
        if round_.match_winner is not None or len(rounds) == most:
            return rounds
        rounds.append(Round.deal(players, seed + len(rounds), round_.next_leader(seed), round_.scores))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_match_survives_the_file_and_the_replay(players: int, tmp_path: Path) -> None:
    rounds = greedy_match(players, seed=7)
    record = MatchRecord.of(rounds, TAGS)
    dump_match(record, tmp_path / "match.txt")
    loaded = load_match(tmp_path / "match.txt")
    assert loaded == record
    assert dict(loaded.tags) == TAGS
    assert list(loaded.replay()) == rounds
    assert rounds[-1].match_winner is not None


@given(
    st.one_of(rounds_under_way(), whole_rounds()),
    st.dictionaries(st.from_regex("[A-Z][a-z]{3}", fullmatch=True), st.text()),
)
def test_any_round_survives_the_file(twin: TwinRound, tags: dict[str, str]) -> None:
    round_ = library_round(twin)
    tags = {name: " ".join(text.split()) for name, text in tags.items()}
    record = MatchRecord.of([round_], tags)
    assert parse_match(format_match(record)) == record
    assert record.replay() == (round_,)


def test_comments_and_layout_count_for_nothing() -> None:
    record = MatchRecord.of(greedy_match(2, seed=3, most=2))
    lines = format_match(record).splitlines()
    loose = "\r\n\n# a comment\r\n".join(f"  {line}  " + ("" if line.startswith("[") else " # said") for line in lines)
    assert parse_match(loose) == record


@pytest.mark.parametrize("tags", [{"Players": "2"}, {"two words": "x"}, {"Note": "two\nlines"}, {"Note": "x\u2028y"}])
def test_tags_that_the_file_cannot_hold_are_refused(tags: dict[str, str]) -> None:
    with pytest.raises(RecordError) as caught:
        format_match(MatchRecord.of([Round.deal(2, seed=1)], tags))
    assert caught.value.reason == "BAD_TAG"


def test_a_record_needs_a_round() -> None:
    with pytest.raises(RecordError):
        MatchRecord.of([])


# Lies. The match has two rounds; the first has a draw, and in both a seat goes out.

MATCH = """\
[Players "2"]
[Target "250"]

round 1
leader 1
before 0 0
hand 0 0|3 1|5 2|6 3|3 3|4 5|5 5|6
hand 1 1|2 1|4 2|2 2|3 2|5 3|6 6|6
talon 4|4 1|1 0|1 0|4 2|4 0|2 0|0 3|5 0|6 0|5 4|6 4|5 1|3 1|6
1 6|6
0 5|6@6|6:LINE_A
1 2|5@5|6:LOW
0 2|6@6|6:LINE_B
1 1|2@2|6:LOW +15
0 1|5@1|2:LOW
1 3|6@6|6:SIDE_A
0 5|5@1|5:HIGH
1 2|2@2|5:LOW
0 3|4@3|6:LOW
1 1|4@3|4:HIGH
0 draws 4|4 1|1
0 1|1@1|4:LOW
1 2|3@2|2:LINE_B
end out 1
after -15 15

round 2
leader 1
before -15 15
hand 0 0|3 1|5 2|6 3|3 3|4 5|5 5|6
hand 1 1|2 1|4 2|2 2|3 2|5 3|6 6|6
talon 4|4 1|1 0|1 0|4 2|4 0|2 0|0 3|5 0|6 0|5 4|6 4|5 1|3 1|6
1 6|6
end unfinished
after -15 15
"""


def test_the_match_before_the_changes_is_right() -> None:
    assert [round_.scores for round_ in parse_match(MATCH).replay()] == [(-15, 15), (-15, 15)]


@pytest.mark.parametrize(
    ("old", "new", "place", "reason"),
    [
        ("1 1|2@2|6:LOW +15", "1 1|2@2|6:LOW", "line 14: round 1, event 5", "WRONG_POINTS"),
        ("1 6|6\n0", "1 6|6 +5\n0", "line 10: round 1, event 1", "WRONG_POINTS"),
        ("0 1|5@1|2:LOW", "0 1|5@2|6:LOW", "line 15: round 1, event 6", "ATTACHMENT_POINT_JOINED"),
        ("0 1|5@1|2:LOW", "0 0|1@1|2:LOW", "line 15: round 1, event 6", "TILE_NOT_IN_HAND"),
        ("0 1|5@1|2:LOW", "1 1|4@1|2:LOW", "line 15: round 1, event 6", "WRONG_SEAT"),
        ("0 1|5@1|2:LOW", "0 draws 4|4", "line 15: round 1, event 6", "WRONG_DRAW"),
        ("0 1|5@1|2:LOW", "0 passes", "line 15: round 1, event 6", "WRONG_PASS"),
        ("draws 4|4 1|1", "draws 4|4", "line 21: round 1, event 12", "WRONG_DRAW"),
        ("draws 4|4 1|1", "draws 1|1 4|4", "line 21: round 1, event 12", "WRONG_DRAW"),
        ("0 draws 4|4 1|1", "0 passes", "line 21: round 1, event 12", "WRONG_PASS"),
        ("0 draws 4|4 1|1\n", "", "line 21: round 1, event 12", "EVENT_MISSING"),
        ("0 draws 4|4 1|1", "1 draws 4|4 1|1", "line 21: round 1, event 12", "WRONG_DRAW"),
        ("1 2|3@2|2:LINE_B\n", "", "line 23: round 1, ending", "WRONG_ENDING"),
        ("LINE_B\nend", "LINE_B\n0 passes\nend", "line 24: round 1, event 15", "ROUND_OVER"),
        ("end out 1", "end out 0", "line 24: round 1, ending", "WRONG_ENDING"),
        ("end out 1", "end blocked", "line 24: round 1, ending", "WRONG_ENDING"),
        ("end out 1", "end match 1", "line 24: round 1, ending", "WRONG_ENDING"),
        ("end out 1\nafter -15 15", "end out 1\nafter 0 15", "line 25: round 1, after", "WRONG_SCORES"),
        ("before 0 0", "before 0 250", "line 6: round 1, before[1]", "SCORE_PAST_TARGET"),
        ("before 0 0", "before 0 0 0", "line 6: round 1, before", "WRONG_NUMBER_OF_SCORES"),
        ("hand 0 0|3", "hand 0 1|2", "line 8: round 1, hands[1][0]", "TILE_TWICE"),
        ("talon 4|4 1|1", "talon 4|4", "line 9: round 1, talon", "WRONG_TALON_SIZE"),
        ("leader 1\nbefore 0", "leader 2\nbefore 0", "line 5: round 1, leader", "SEAT_OUT_OF_RANGE"),
        ("leader 1\nbefore -15", "leader 0\nbefore -15", "line 28: round 2, leader", "WRONG_LEADER"),
        ("before -15 15", "before -15 20", "line 29: round 2, before", "WRONG_SCORES"),
        ("end unfinished\nafter -15 15", "end unfinished\nafter -15 20", "line 35: round 2, after", "WRONG_SCORES"),
    ],
)
def test_the_first_wrong_value_is_named(old: str, new: str, place: str, reason: str) -> None:
    assert old in MATCH
    record = parse_match(MATCH.replace(old, new, 1))
    with pytest.raises(RecordError) as caught:
        record.replay()
    assert (record.place(caught.value.field), caught.value.reason) == (place, reason)


def test_a_forced_draw_after_the_last_placement_may_not_be_missing() -> None:
    stopped = re.sub(r"0 draws 4\|4 1\|1\n.*?end out 1", "end unfinished", MATCH, flags=re.DOTALL)
    with pytest.raises(RecordError, match=r"seat 0 draws 4\|4 1\|1") as caught:
        parse_match(stopped).replay()
    assert caught.value.reason == "EVENT_MISSING"


def test_no_round_follows_an_unfinished_one() -> None:
    parts = MATCH.split("\n\n")
    twice = "\n\n".join([parts[0], parts[2].replace("round 2", "round 1"), parts[2]])
    with pytest.raises(RecordError) as caught:
        parse_match(twice).replay()
    assert caught.value.reason == "ROUND_UNFINISHED"


def test_no_round_follows_the_target() -> None:
    rounds = greedy_match(2, seed=7)
    record = MatchRecord.of([*rounds, Round.deal(2, seed=1)])
    with pytest.raises(RecordError, match="has won the match") as caught:
        record.replay()
    assert caught.value.reason == "MATCH_OVER"
    assert record.place(caught.value.field) == f"round {len(rounds) + 1}"


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('[Players "2"]', "", ""),
        ('[Players "2"]', '[Players "5"]', ""),
        ('[Target "250"]', '[Target "200"]', ""),
        ('[Target "250"]', "[Target 250]", "line 2"),
        ('[Target "250"]', '[Players "2"]', "line 2"),
        ("round 1", "round 2", "line 4"),
        ("leader 1", "leader one", "line 5"),
        ("leader 1", "leader 1 0", "line 5"),
        ("before 0 0", "scores 0 0", "line 6"),
        ("hand 1 ", "hand 0 ", "line 8"),
        ("talon 4|4", "talon 4|7", "line 9"),
        ("0 1|5@1|2:LOW", "0 1|5@1|2:LINE_A", "line 15"),
        ("0 1|5@1|2:LOW", "0", "line 15"),
        ("0 1|5@1|2:LOW", "0 1|5@1|2:LOW 5", "line 15"),
        ("0 1|5@1|2:LOW", "0 1|5@1|2:LOW +\u00b2", "line 15"),
        ("0 1|5@1|2:LOW", "nobody passes", "line 15"),
        ("end out 1", "end out", "line 24"),
        ("end unfinished\nafter -15 15\n", "", "line 33"),
    ],
)
def test_what_cannot_be_read_is_named(old: str, new: str, line: str) -> None:
    assert old in MATCH
    with pytest.raises(NotationError) as caught:
        parse_match(MATCH.replace(old, new, 1))
    assert caught.value.field.startswith("line") is bool(line)
    assert caught.value.field == line or not line


def test_a_binary_file_is_refused() -> None:
    with pytest.raises(NotationError):
        decode(b"\xff\xfe")
    assert decode(b"\xef\xbb\xbfround") == "round"


@given(st.data())
@settings(max_examples=300)
def test_damage_raises_nothing_but_our_errors(data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(MATCH) - 1))
    put = data.draw(st.text(st.sampled_from('0123456789|@:+-# \n[]"\\LOW'), max_size=2))
    try:
        parse_match(MATCH[:place] + put + MATCH[place + data.draw(st.integers(0, 3)) :]).replay()
        reason = "NONE"
    except SniffError as error:
        reason = error.reason
    assert re.fullmatch(r"[A-Z_]{1,63}", reason)


# Traces


def traces() -> list[dict[str, Any]]:
    return [trace for _, trace in parse_traces(TRACES.read_text(encoding="utf-8"))]


def test_every_trace_is_right() -> None:
    rounds = [replay_trace(trace) for trace in traces()]
    assert len(rounds) == 450
    assert {round_.players for round_ in rounds} == {2, 3, 4}


def test_a_wrong_value_in_any_field_of_a_trace_is_found() -> None:
    """Every field is changed in turn, in a trace that has draws and passes in it, and a block at its end."""
    trace = next(t for t in traces() if t["blocked"] and t["tail_drew"])
    paths = ["players", "leader", "hands", "talon", "scores", "steps", *map(str, list(trace)[6:])]
    for path in paths:
        assert lie(trace, lambda copy, path=path: copy.__setitem__(path, changed(copy[path])))  # type: ignore[misc]
        assert lie(trace, lambda copy, path=path: copy.pop(path)) == path  # type: ignore[misc]
    for i, step in enumerate(trace["steps"]):
        for key in step:
            field = lie(
                trace, lambda copy, i=i, key=key: copy["steps"][i].__setitem__(key, changed(copy["steps"][i][key]))
            )  # type: ignore[misc]
            assert field == f"steps[{i}].{key}"
            assert lie(trace, lambda copy, i=i, key=key: copy["steps"][i].pop(key)) == f"steps[{i}].{key}"  # type: ignore[misc]
    assert lie(trace, lambda copy: copy["steps"].append(copy["steps"][-1])).startswith(f"steps[{len(trace['steps'])}]")
    assert lie(trace, lambda copy: copy.update(colour="red")) == "colour"
    assert lie(trace, lambda copy: copy["steps"][0].update(colour="red")) == "steps[0].colour"


def lie(trace: dict[str, Any], spoil: Callable[[dict[str, Any]], object]) -> str:
    """The field that is named after a copy was spoilt."""
    copy = json.loads(json.dumps(trace))
    spoil(copy)
    with pytest.raises(RecordError) as caught:
        replay_trace(copy)
    return caught.value.field


def changed(value: Any) -> Any:
    """Something else of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        return [*value, value[-1]] if value else ["0|0"]
    return {"0": 9} if isinstance(value, dict) else "x"


@pytest.mark.parametrize("line", ["{", "[]", "3", '{"players": 2', "\x00"])
def test_other_lines_are_no_traces(line: str) -> None:
    with pytest.raises(NotationError) as caught:
        list(parse_traces(f"\n{line}\n"))
    assert caught.value.field == "line 2"


def test_comments_after_tags_and_special_characters_in_names_are_read() -> None:
    round_ = Round.deal(2, seed=4)
    text = format_match(MatchRecord.of([round_], {"Event": "Club #3", "Black-Elo": "1800", "Spiel-Stätte": "a ] b"}))
    lines = [f"{line}  # about [it]" if line else line for line in text.splitlines()]
    commented = "# a match\n" + "\n".join(lines).replace('[Players "2"]', '[Players   "2" ]#')
    for written in (text, commented, commented.replace("\n", "\r\n")):
        record = parse_match(written)
        assert record.tags == (("Event", "Club #3"), ("Black-Elo", "1800"), ("Spiel-Stätte", "a ] b"))
        assert format_match(record) == text


@pytest.mark.parametrize("name", ["", "a b", 'a"b', "a[b", "a]b", "a#b", "a\\b", "a\tb", "x" * 101, "Players"])
def test_an_impossible_tag_name_is_refused(name: str) -> None:
    record = MatchRecord.of([Round.deal(2, seed=4)], {name: "text"})
    with pytest.raises(RecordError):
        format_match(record)
    if name != "Players":
        with pytest.raises(NotationError, match="line 2"):
            parse_match(f'[Players "2"]\n[{name} "text"]\n')
