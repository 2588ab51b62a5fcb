"""The library's rounds and views against the literal twin's, on rounds that hypothesis deals and plays."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sniffai
from tests.pairing_library import library_round, library_view, text_of, texts
from tests.reference import Round, parse
from tests.strategies import Choices, choices, deals, points_of, rounds_under_way, whole_rounds


def pairs(ends: list[tuple[Any, int]]) -> list[tuple[str, int]]:
    return [(str(tile), value) for tile, value in ends]


def assert_same_round(round_: sniffai.Round, twin: Round) -> None:
    """Everything that both say about a round now."""
    assert [str(move) for move in round_.legal_moves()] == [text_of(move) for move in twin.legal_moves()]
    assert round_.count == twin.layout.count
    assert pairs(round_.contributions()) == pairs(twin.layout.contributions())
    assert [(at.name, at.pips) for at in round_.layout.attachment_points] == twin.layout.attachment_points()
    assert [texts(hand) for hand in round_.hands] == [texts(sorted(hand)) for hand in twin.hands]
    assert texts(round_.talon) == texts(twin.talon)
    assert round_.events == twin.events
    assert round_.scores == tuple(twin.scores)
    assert round_.forced == (None if twin.forced is None else sniffai.Tile.parse(str(twin.forced)))
    assert round_.over is twin.over


def assert_same_end(round_: sniffai.Round, twin: Round) -> None:
    assert round_.went_out == twin.went_out
    assert round_.blocked is twin.blocked
    assert round_.match_winner == twin.match_winner
    settled = twin.over and twin.match_winner is None
    assert round_.settlement == (tuple(twin.settlement) if settled else ())


def duty(twin: Round, seat: int) -> str:
    """What a seat has to do in a round between two placements, where nobody is left to draw or to pass."""
    if twin.over:
        return "over"
    return "play" if twin.seat == seat else "wait"


def points_so_far(twin: Round) -> tuple[int, ...]:
    """Scores with the points of all placements, before any settlement."""
    scores = list(twin.scores_before)
    for event in twin.events:
        scores[twin.team(event["seat"])] += event.get("points", 0)
    return tuple(scores)


def assert_same_view(view: sniffai.View, twin: Round, seat: int) -> None:
    """Everything that a seat's view says, against the round it is a view of."""
    mine = not twin.over and twin.seat == seat
    assert (view.players, view.seat, view.leader) == (twin.players, seat, twin.leader)
    assert view.scores == tuple(twin.scores_before)
    assert view.scores_now == points_so_far(twin)
    assert view.dealt is not None
    assert texts(view.dealt) == texts(sorted(twin.dealt[seat]))
    assert [event.to_dict() for event in view.events] == twin.seen_by(seat)
    assert texts(view.hand) == texts(sorted(twin.hands[seat]))
    assert view.hand_sizes == tuple(twin.sizes())
    assert view.talon_size == len(twin.talon)
    assert view.to_move == (None if twin.over else twin.seat)
    assert view.must == duty(twin, seat)
    assert view.forced == (sniffai.Tile.parse(str(twin.forced)) if mine and twin.forced else None)
    assert [str(move) for move in view.legal_moves()] == [text_of(move) for move in twin.legal_moves() if mine]
    ends = view.over, view.went_out, view.blocked, view.match_winner
    assert ends == (twin.over, twin.went_out, twin.blocked, twin.match_winner)


def assert_same_table(view: sniffai.View, twin: Round) -> None:
    assert [str(move) for move in view.placements] == [text_of(move) for move in twin.layout.placements]
    assert [(at.name, at.pips) for at in view.attachment_points()] == twin.layout.attachment_points()
    assert pairs(view.contributions()) == pairs(twin.layout.contributions())
    assert view.count == twin.layout.count
    for move in twin.legal_moves():
        assert view.points(text_of(move)) == points_of(twin, move)


def assert_same_views(round_: sniffai.Round, twin: Round) -> None:
    """Every seat's view: as the round gives it, and as made again from what the seat saw."""
    for seat in range(twin.players):
        view = round_.view(seat)
        assert_same_view(view, twin, seat)
        assert_same_table(view, twin)
        rebuilt = library_view(twin, seat)
        assert rebuilt == view
        assert hash(rebuilt) == hash(view)
        assert_same_view(rebuilt, twin, seat)


@settings(max_examples=400)
@given(deals(), choices())
def test_rounds_agree_after_every_placement(twin: Round, way: Choices) -> None:
    round_ = library_round(twin)
    assert_same_round(round_, twin)
    while not twin.over:
        assert round_.seat == twin.seat
        move = way.choose(twin)
        assert round_.play(sniffai.Move(str(move[0]), move[1])) == twin.play(*move)
        assert_same_round(round_, twin)
        assert_same_end(round_, twin)


@settings(max_examples=100)
@given(deals(), choices())
def test_views_agree_after_every_placement(twin: Round, way: Choices) -> None:
    round_ = library_round(twin)
    assert_same_views(round_, twin)
    while not twin.over:
        move = way.choose(twin)
        round_.play(text_of(move))
        twin.play(*move)
        assert_same_views(round_, twin)


@settings(max_examples=150)
@given(rounds_under_way(), st.data())
def test_no_other_move_is_taken(twin: Round, data: st.DataObject) -> None:
    """Any tile of the set anywhere on the table: the library takes it exactly if the twin does."""
    round_ = library_round(twin)
    legal = {text_of(move) for move in twin.legal_moves()}
    ports = [port for tile in twin.layout.tiles for port in all_ports(str(tile))]
    tile = data.draw(st.sampled_from(texts(twin.hands[twin.seat]) + texts(twin.hands[twin.seat - 1])), "tile")
    at = data.draw(st.sampled_from(ports) if ports else st.none(), "at")
    move = sniffai.Move(tile, at)
    if str(move) in legal:
        round_.play(move)
        return
    with pytest.raises(sniffai.MoveError):
        round_.play(move)
    assert_same_round(round_, twin)


def all_ports(tile: str) -> list[str]:
    """Every port that a tile can ever have."""
    double = parse(tile).is_double
    return [f"{tile}:{port}" for port in (["LINE_A", "LINE_B", "SIDE_A", "SIDE_B"] if double else ["LOW", "HIGH"])]


@settings(max_examples=150)
@given(whole_rounds(), st.data())
def test_a_view_can_stop_at_any_event(twin: Round, data: st.DataObject) -> None:
    """A front end may ask between a placement and the draws or passes that follow."""
    seat = data.draw(st.integers(0, twin.players - 1), "seat")
    events = twin.seen_by(seat)
    for stop in range(len(events)):
        view = part_of(twin, seat, events[:stop])
        following = events[stop]
        assert view.to_move == following["seat"]
        assert view.must == (next_act(following) if following["seat"] == seat else "wait")
        assert not view.over
        assert bool(view.legal_moves()) is (view.must == "play")


def part_of(twin: Round, seat: int, events: list[dict[str, Any]]) -> sniffai.View:
    """A view that has seen only these events."""
    return sniffai.View.from_events(
        players=twin.players,
        seat=seat,
        leader=twin.leader,
        hand=texts(twin.dealt[seat]),
        events=events,
        scores=twin.scores_before,
    )


def next_act(event: dict[str, Any]) -> str:
    return next(kind for kind in ("play", "draw", "pass") if kind in event)


@settings(max_examples=100)
@given(whole_rounds(), st.data())
def test_draws_may_be_given_one_by_one(twin: Round, data: st.DataObject) -> None:
    seat = data.draw(st.integers(0, twin.players - 1), "seat")
    single: list[dict[str, Any]] = []
    for event in twin.seen_by(seat):
        if "draw" not in event:
            single.append(event)
        elif "tiles" in event:
            single += [{"draw": 1, "seat": seat, "tiles": [tile]} for tile in event["tiles"]]
        else:
            single += [{"draw": 1, "seat": event["seat"]}] * event["draw"]
    assert part_of(twin, seat, single) == part_of(twin, seat, twin.seen_by(seat))


@settings(max_examples=100)
@given(rounds_under_way())
def test_copies_and_text_bring_the_round_back(twin: Round) -> None:
    round_ = library_round(twin)
    for again in (round_.copy(), sniffai.Round.from_text(round_.to_text())):
        assert again == round_
        assert_same_round(again, twin)
    for seat in range(twin.players):
        view = round_.view(seat)
        assert sniffai.View.from_text(view.to_text()) == view


@settings(max_examples=100)
@given(rounds_under_way())
def test_a_snapshot_offers_the_same_moves(twin: Round) -> None:
    """The table as it lies, told without a history, for the seat to move."""
    view = sniffai.View.from_snapshot(
        players=twin.players,
        seat=twin.seat,
        placements=[text_of(move) for move in twin.layout.placements],
        hand=texts(twin.hands[twin.seat]),
        hand_sizes=twin.sizes(),
        talon_size=len(twin.talon),
        scores=twin.scores,
        drawn_tile=None if twin.forced is None else str(twin.forced),
    )
    assert [str(move) for move in view.legal_moves()] == [text_of(move) for move in twin.legal_moves()]
    assert texts(view.hand) == texts(sorted(twin.hands[twin.seat]))
    assert (view.must, view.hand_sizes, view.talon_size) == ("play", tuple(twin.sizes()), len(twin.talon))
    assert_same_table(view, twin)
    assert sniffai.View.from_text(view.to_text()) == view


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_next_lead(players: int) -> None:
    """The seat that went out leads; after a blocked round each seat may, at random."""
    lots: set[int] = set()
    ends: set[bool] = set()
    for seed in range(400):
        round_ = sniffai.Round.deal(players=players, seed=seed)
        while not round_.over:
            round_.play(round_.legal_moves()[0])
        ends.add(round_.blocked)
        if round_.blocked:
            lots |= {round_.next_leader(lot) for lot in range(40)}
            assert round_.next_leader(7) == round_.next_leader(7)
        elif round_.went_out is not None:
            assert {round_.next_leader(lot) for lot in range(5)} == {round_.went_out}
    assert ends == {True, False}
    assert lots == set(range(players))
