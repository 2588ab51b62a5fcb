"""The facts in tests/data, made by an implementation that is not ours, replayed through the library."""

import json
from pathlib import Path
from typing import Any

import pytest

import sniffai

DATA = Path(__file__).parents[1] / "data"
POSITIONS = json.loads((DATA / "rulebook_positions.json").read_text())
ROUNDS = [json.loads(line) for line in (DATA / "rounds.jsonl").read_text().splitlines()]

PORT = {"low": "LOW", "high": "HIGH", "A": "LINE_A", "B": "LINE_B", "sA": "SIDE_A", "sB": "SIDE_B"}
"""The rule book's names of ports."""


def text(tile: list[int]) -> str:
    return f"{tile[0]}|{tile[1]}"


def point(tile: list[int], port: str) -> str:
    return f"{text(tile)}:{PORT[port]}"


def placements(position: dict[str, Any]) -> list[str]:
    """A drawn position's tiles as moves in play order: each joined to the tile before it in one of the links."""
    moves: list[str] = []
    links = [(point(a, port_a), point(b, port_b)) for a, port_a, b, port_b in position["links"]]
    for index, tile in enumerate(map(text, position["tiles"])):
        earlier = tuple(f"{text(other)}:" for other in position["tiles"][:index])
        joints = [
            far
            for pair in links
            for near, far in (pair, pair[::-1])
            if near.startswith(f"{tile}:") and far.startswith(earlier)
        ]
        moves.append(f"{tile}@{joints[0]}" if joints else tile)
    return moves


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: " ".join(map(text, position["tiles"])))
def test_a_position_drawn_in_the_rule_book(position: dict[str, Any]) -> None:
    layout = sniffai.Layout.of(placements(position))
    assert layout.count == position["sum"]
    assert layout.points == position["points"]
    assert layout.sniff == (None if position["sniff"] is None else sniffai.Tile(*position["sniff"]))
    attachable = sorted((point(tile, port), pips) for tile, port, pips in position["attachable"])
    assert sorted((at.name, at.pips) for at in layout.attachment_points) == attachable
    ends = sorted((text(tile), value) for tile, value in position["contributions"])
    assert [(str(tile), value) for tile, value in layout.contributions] == ends


def test_no_fact_is_missing() -> None:
    assert len(POSITIONS) == 11
    assert [len([r for r in ROUNDS if r["players"] == players]) for players in (2, 3, 4)] == [150, 150, 150]


def begin(record: dict[str, Any]) -> sniffai.Round:
    return sniffai.Round(**{key: record[key] for key in ("players", "hands", "talon", "leader", "scores")})


def since_placement(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The draws and passes after the last placement."""
    last = max((index for index, event in enumerate(events) if "play" in event), default=-1)
    return events[last + 1 :]


def drawn_by(events: list[dict[str, Any]], seat: int) -> list[str]:
    return [tile for event in events if "draw" in event and event["seat"] == seat for tile in event["tiles"]]


def draws(events: list[dict[str, Any]], but: int | None = None) -> dict[str, int]:
    return {str(event["seat"]): event["draw"] for event in events if "draw" in event and event["seat"] != but}


def passes(events: list[dict[str, Any]]) -> list[int]:
    return [event["seat"] for event in events if "pass" in event]


def check_step(round_: sniffai.Round, step: dict[str, Any]) -> None:
    """One placement of a record: what led to it, what was legal, what came of it."""
    assert round_.seat == step["seat"]
    forced = since_placement(round_.events)
    assert passes(forced) == step["passed"]
    assert drawn_by(forced, round_.seat) == step["drew"]
    assert draws(forced, but=round_.seat) == step["others_drew"]
    assert sorted((str(move.tile), move.at or "") for move in round_.legal_moves()) == sorted(
        (tile, at or "") for tile, at in step["legal"]
    )
    tile, at = step["play"]
    assert round_.play(sniffai.Move(tile, at)) == step["points"]
    assert round_.count == step["total"]
    assert [[str(end), value] for end, value in round_.contributions()] == step["contributions"]
    events = round_.events
    assert events[-1 - len(since_placement(events))] == {
        "play": tile,
        "at": at,
        "seat": step["seat"],
        "points": step["points"],
    }


def check_end(round_: sniffai.Round, record: dict[str, Any]) -> None:
    tail = since_placement(round_.events)
    assert round_.over
    assert round_.legal_moves() == []
    assert passes(tail) == record["tail_passed"]
    assert draws(tail) == record["tail_drew"]
    assert [list(map(str, hand)) for hand in round_.hands] == [sorted(hand) for hand in record["left"]]
    assert list(round_.scores) == record["final_scores"]
    assert round_.went_out == record["out"]
    assert round_.blocked is record["blocked"]
    assert round_.match_winner == record["match_winner"]


@pytest.mark.parametrize("number", range(len(ROUNDS)))
def test_a_whole_round(number: int) -> None:
    record = ROUNDS[number]
    round_ = begin(record)
    for step in record["steps"]:
        assert not round_.over
        check_step(round_, step)
    check_end(round_, record)
