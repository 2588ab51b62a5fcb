"""RulesService against the vectors, and as a front end without an engine would use it."""

from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf import json_format

import sniffai
from sniffai import wire
from sniffai.records.matchfile import format_match
from sniffai.records.record import MatchRecord
from sniffai.v1 import move_pb2, table_plan_pb2
from sniffai.v1 import rules_service_pb2 as pb
from tests.server.support import TIMEOUT, deal, failure, line, lines, snapshot, story, vector_view, view_message


def test_legal_moves_with_what_they_do(stubs: SimpleNamespace) -> None:
    answer = stubs.rules.ListLegalMoves(pb.ListLegalMovesRequest(view=view_message(story())), timeout=TIMEOUT)
    assert answer.action == move_pb2.ACTION_PLAY
    (legal,) = answer.moves
    assert (legal.move.tile, legal.move.at) == ("5|6", "6|6:LINE_B")
    # 4|6's low half, 5|6's low half, and the sniff's two open sides
    assert [(end.tile, end.value) for end in legal.contributions_after] == [
        ("4|6", 4),
        ("5|6", 5),
        ("6|6", 6),
        ("6|6", 6),
    ]
    assert (legal.count_after, legal.points_now) == (21, 0)
    assert answer.layout.count == 16
    assert answer.layout.sniff == "6|6"
    assert [(point.name, point.pips) for point in answer.layout.attachment_points] == [
        ("4|6:LOW", 4),
        ("6|6:LINE_B", 6),
    ]


def test_an_answer_says_whether_to_draw_play_or_wait(stubs: SimpleNamespace) -> None:
    view = story()
    view["seat"], view["hand"] = 1, ["0|3", "1|3", "2|3", "3|3", "3|4", "3|5", "1|5"]
    view["record"]["events"][1:] = []
    assert action(stubs, view) == move_pb2.ACTION_DRAW
    view["record"]["events"].append({"seat": 1, "draw": {"tiles": ["4|5"]}})
    assert action(stubs, view) == move_pb2.ACTION_DRAW
    view["record"]["events"].append({"seat": 1, "draw": {"tiles": ["4|6"]}})
    assert action(stubs, view) == move_pb2.ACTION_PLAY
    view["record"]["events"].append({"seat": 1, "play": {"tile": "4|6", "at": "6|6:LINE_A"}})
    assert action(stubs, view) == move_pb2.ACTION_WAIT


def action(stubs: SimpleNamespace, view: dict[str, Any]) -> int:
    answer = stubs.rules.ListLegalMoves(pb.ListLegalMovesRequest(view=view_message(view)), timeout=TIMEOUT)
    assert bool(answer.moves) == (answer.action == move_pb2.ACTION_PLAY)
    return answer.action


@pytest.mark.parametrize("index", range(0, 450, 45))
def test_vector_rounds_are_replayed(stubs: SimpleNamespace, index: int) -> None:
    vector = line("rounds.jsonl", index)
    open_deal = {
        "players": vector["players"],
        "leader": vector["leader"],
        "scores": vector["scores"],
        "hands": [{"tiles": hand} for hand in vector["hands"]],
        "talon": vector["talon"],
    }
    for step in vector["steps"]:
        answer = play(stubs, open_deal, step["play"])
        assert answer.points == step["points"]
        assert answer.state.layout.count == step["total"]
        assert answer.events[0].play.tile == step["play"][0]
        open_deal = answer.deal
    state = answer.state
    assert list(state.scores) == vector["final_scores"]
    assert (state.over, state.blocked) == (True, vector["blocked"])
    assert optional(state, "went_out") == vector["out"]
    assert optional(state, "match_winner") == vector["match_winner"]
    assert not state.HasField("seat_to_move")
    assert not state.legal_moves


def play(stubs: SimpleNamespace, open_deal: Any, move: list[str | None]) -> pb.ApplyMoveResponse:
    tile, at = move
    request = pb.ApplyMoveRequest(deal=open_deal, move={"tile": tile, "at": at or ""})
    return stubs.rules.ApplyMove(request, timeout=TIMEOUT)


def optional(message: Any, field: str) -> Any:
    return getattr(message, field) if message.HasField(field) else None


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_whole_round_from_the_views_alone(stubs: SimpleNamespace, players: int) -> None:
    """Each seat's own view lists the moves that the open round lists, to the end."""
    dealt = deal(stubs, players, seed=17)
    open_deal, state = dealt.deal, dealt.state
    while not state.over:
        views = [
            stubs.rules.ListLegalMoves(pb.ListLegalMovesRequest(view=view), timeout=TIMEOUT) for view in state.views
        ]
        mover = views[state.seat_to_move]
        assert list(mover.moves) == list(state.legal_moves)
        assert mover.layout == state.layout
        assert all(view.action == move_pb2.ACTION_WAIT for view in views if view is not mover)
        answer = play(stubs, open_deal, [mover.moves[-1].move.tile, mover.moves[-1].move.at])
        open_deal, state = answer.deal, answer.state
    assert len(state.settlement) == players


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_stored_deal_is_resumed_where_it_was_left(stubs: SimpleNamespace, players: int) -> None:
    """At each moment of a round, its end included, from the bytes and from the JSON of the deal alone."""
    dealt = deal(stubs, players, seed=23)
    open_deal, state = dealt.deal, dealt.state
    while True:
        stored = type(open_deal).FromString(open_deal.SerializeToString())
        from_json = json_format.Parse(json_format.MessageToJson(open_deal), type(open_deal)())
        for resumed in (stored, from_json):
            answer = stubs.rules.DescribeRound(pb.DescribeRoundRequest(deal=resumed), timeout=TIMEOUT)
            assert answer.state == state
            assert not answer.warnings
        if state.over:
            break
        move = state.legal_moves[0].move
        applied = play(stubs, open_deal, [move.tile, move.at])
        open_deal, state = applied.deal, applied.state
    assert len(open_deal.moves) == len(state.layout.placements)


def test_a_round_described_shows_each_seat_its_own_tiles_alone(stubs: SimpleNamespace) -> None:
    """A view of the state is the same whatever the tiles are that its seat has not seen."""
    dealt = deal(stubs, 2, seed=31).deal
    other = type(dealt).FromString(dealt.SerializeToString())
    other.hands[1].tiles[0], other.talon[0] = dealt.talon[0], dealt.hands[1].tiles[0]
    states = [
        stubs.rules.DescribeRound(pb.DescribeRoundRequest(deal=each), timeout=TIMEOUT).state for each in (dealt, other)
    ]
    assert states[0].hands[1] != states[1].hands[1]
    assert states[0].views[0].SerializeToString() == states[1].views[0].SerializeToString()
    assert states[0].views[1] != states[1].views[1]


def test_views_hide_what_other_seats_drew(stubs: SimpleNamespace) -> None:
    for seed in range(60):
        dealt = deal(stubs, 2, seed)
        answer = play(stubs, dealt.deal, [dealt.state.legal_moves[0].move.tile, None])
        draws = [event for event in answer.events if event.HasField("draw")]
        if draws:
            break
    drawer = draws[0].seat
    assert len(draws[0].draw.tiles) == draws[0].draw.count
    own, other = (answer.state.views[seat].record.events[1].draw for seat in (drawer, 1 - drawer))
    assert list(own.tiles) == list(draws[0].draw.tiles)
    assert (other.count, list(other.tiles)) == (draws[0].draw.count, [])


def test_valid_view_has_facts(stubs: SimpleNamespace) -> None:
    answer = stubs.rules.ValidateView(pb.ValidateViewRequest(view=view_message(story())), timeout=TIMEOUT)
    facts = answer.facts
    assert answer.valid
    assert not answer.violations
    assert (facts.action, facts.seat_to_move, facts.talon_size) == (move_pb2.ACTION_PLAY, 0, 12)
    assert list(facts.hand) == ["0|0", "0|1", "0|2", "1|1", "1|2", "5|6"]
    assert list(facts.hand_sizes) == [6, 8]
    assert list(facts.scores) == [0, 0]
    assert facts.layout.count == 16


def test_valid_snapshot(stubs: SimpleNamespace) -> None:
    answer = stubs.rules.ValidateView(pb.ValidateViewRequest(view=view_message(snapshot())), timeout=TIMEOUT)
    assert answer.valid
    assert answer.facts.world_count > 1


def test_vector_views_are_valid(stubs: SimpleNamespace) -> None:
    for vector in lines("beliefs.jsonl"):
        answer = stubs.rules.ValidateView(pb.ValidateViewRequest(view=vector_view(vector)), timeout=TIMEOUT)
        assert answer.valid
        assert list(answer.facts.hand) == sorted(vector["hand"])
        assert list(answer.facts.hand_sizes) == vector["sizes"]
        assert answer.facts.talon_size == vector["talon"]
        assert answer.facts.world_count == pytest.approx(vector["assignments"])


@pytest.mark.parametrize(("players", "hand", "talon"), [(2, 7, 14), (3, 6, 10), (4, 5, 8)])
def test_deal(stubs: SimpleNamespace, players: int, hand: int, talon: int) -> None:
    answer = stubs.rules.DealRound(pb.DealRoundRequest(players=players, seed=9), timeout=TIMEOUT)
    tiles = [tile for hand_ in answer.deal.hands for tile in hand_.tiles] + list(answer.deal.talon)
    assert len(set(tiles)) == len(tiles) == 28
    assert [len(hand_.tiles) for hand_ in answer.deal.hands] == [hand] * players
    assert len(answer.deal.talon) == talon
    assert answer.state.seat_to_move == answer.deal.leader
    assert answer == stubs.rules.DealRound(pb.DealRoundRequest(players=players, seed=9), timeout=TIMEOUT)


def test_deal_takes_leader_and_scores_and_draws_a_seed(stubs: SimpleNamespace) -> None:
    request = pb.DealRoundRequest(players=4, leader=3, scores=[-15, 190])
    one, two = (stubs.rules.DealRound(request, timeout=TIMEOUT) for _ in range(2))
    assert (one.deal.leader, list(one.deal.scores)) == (3, [-15, 190])
    assert one.seed != two.seed
    assert stubs.rules.DealRound(pb.DealRoundRequest(players=4, leader=3, scores=[-15, 190], seed=one.seed)) == one


# A front end that draws the table


def test_a_plan_holds_every_tile_and_every_open_end(stubs: SimpleNamespace) -> None:
    for seed in range(6):
        round_ = sniffai.Round.deal(2 + seed % 3, seed)
        while not round_.over:
            round_.play(round_.legal_moves()[0])
            request = pb.PlanTableRequest(placements=map(wire.write_move, round_.moves), end_room=4)
            answer = stubs.rules.PlanTable(request, timeout=TIMEOUT)
            assert answer.layout == wire.write_layout(round_.layout)
            plan = answer.plan
            assert [tile.tile for tile in plan.tiles] == [move.tile for move in answer.layout.placements]
            ends = [(end.at, end.pips) for end in plan.open_ends]
            assert ends == [(point.name, point.pips) for point in answer.layout.attachment_points]
            values = [end.value for end in plan.open_ends if end.HasField("value")]
            assert sum(values) == answer.layout.count
            for tile in plan.tiles:
                assert abs(tile.low.x - tile.high.x) + abs(tile.low.y - tile.high.y) == 2
                for half in (tile.low, tile.high):
                    assert plan.box.left < half.x < plan.box.right
                    assert plan.box.top < half.y < plan.box.bottom
            for end in plan.open_ends:
                across = end.heading in (table_plan_pb2.HEADING_RIGHT, table_plan_pb2.HEADING_LEFT)
                room = end.room
                assert (room.right - room.left if across else room.bottom - room.top) == 4


def test_an_empty_table_has_an_empty_plan(stubs: SimpleNamespace) -> None:
    answer = stubs.rules.PlanTable(pb.PlanTableRequest(), timeout=TIMEOUT)
    assert answer.HasField("plan")
    assert answer.plan == table_plan_pb2.TablePlan()


@pytest.mark.parametrize(
    ("request_", "field", "reason"),
    [
        ({"placements": [{"tile": "4|6"}, {"tile": "9|9"}]}, "placements[1].tile", "UNKNOWN_TILE"),
        ({"placements": [{"tile": "4|6"}, {"tile": "1|2", "at": "4|6:LOW"}]}, "placements[1].at", "TILE_DOES_NOT_FIT"),
        ({"placements": [{"tile": "4|6"}] * 29}, "placements", "TOO_MANY"),
        ({"end_room": 1}, "end_room", "NUMBER_OUT_OF_RANGE"),
        ({"end_room": 13}, "end_room", "NUMBER_OUT_OF_RANGE"),
        ({"end_room": -2}, "end_room", "NUMBER_OUT_OF_RANGE"),
    ],
)
def test_no_plan_of_a_table_that_cannot_be(
    stubs: SimpleNamespace, request_: dict[str, Any], field: str, reason: str
) -> None:
    told = failure(lambda: stubs.rules.PlanTable(pb.PlanTableRequest(**request_), timeout=TIMEOUT))
    assert (told.code, told.violations) == ("INVALID_ARGUMENT", [(field, reason)])


# A front end into which people paste texts


def test_pasted_texts_come_back_as_messages(stubs: SimpleNamespace) -> None:
    def parsed(text: str) -> pb.ParseTextResponse:
        return stubs.rules.ParseText(pb.ParseTextRequest(text=text), timeout=TIMEOUT)

    rounds = []
    for seed in (3, 4):
        round_ = sniffai.Round.deal(2, seed)
        while not round_.over and len(round_.moves) < 6 * seed:
            round_.play(round_.legal_moves()[-1])
        rounds.append(round_)
    for round_ in rounds:
        assert parsed(f"\n {round_.to_text()} ").deal == wire.write_deal(round_)
        view = round_.view(0)
        assert parsed(view.to_text()).view == wire.write_view(view)
        assert parsed(wire.to_json(wire.write_view(view))).view == wire.write_view(view)
        assert parsed(wire.to_json(wire.write_deal(round_))).deal == wire.write_deal(round_)
    look = wire.read_view(view_message(snapshot()))
    assert parsed(look.to_text()).view == wire.write_view(look)
    record = MatchRecord.of([rounds[0]], {"Seat0": "Ann"})
    match = wire.write_record([rounds[0]], ["Ann", ""])
    assert parsed(format_match(record)).match == match
    assert parsed(wire.to_json(match)).match == match


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "REQUIRED"),
        (" \n", "REQUIRED"),
        ("x" * 500_001, "TOO_LONG"),
        ("hello", "UNREADABLE"),
        ("view players=2", "UNREADABLE"),
        ("round players=2 leader=0 scores=0,0 hands=0|0/0|1 talon=1|1 : ", "WRONG_HAND_SIZE"),
        ("{", "NOT_JSON"),
        ("{}", "UNREADABLE"),
        ('{"players": 2, "seat": 0}', "POSITION_MISSING"),
        ("[" * 100_000, "UNREADABLE"),
        ("{" * 100_000, "NOT_JSON"),
        ('{"a":' * 100_000, "NOT_JSON"),
    ],
)
def test_a_text_that_is_none_of_the_forms(stubs: SimpleNamespace, text: str, reason: str) -> None:
    told = failure(lambda: stubs.rules.ParseText(pb.ParseTextRequest(text=text), timeout=TIMEOUT))
    assert (told.code, told.violations[0][1]) == ("INVALID_ARGUMENT", reason)
    assert {field for field, _ in told.violations} == {"text"}
