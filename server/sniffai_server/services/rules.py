"""RulesService: the rules, without a search."""

# ruff: noqa: N802 (methods are named as in the .proto files)

import asyncio
import secrets
from typing import Any, Final

from sniffai import wire
from sniffai.belief import Belief
from sniffai.round import Round
from sniffai.v1 import notice_pb2, rules_service_pb2_grpc
from sniffai.v1 import rules_service_pb2 as pb
from sniffai_server.services.notices import names_unknown_fields

DRAWN_SEEDS: Final = 2**53
"""Seeds chosen by the server are below this, so that JavaScript can represent them exactly."""


class RulesService(rules_service_pb2_grpc.RulesServiceServicer):
    """The servicer of RulesService."""

    @names_unknown_fields
    async def ListLegalMoves(self, request: pb.ListLegalMovesRequest, context: Any) -> pb.ListLegalMovesResponse:
        """The legal moves of the view's seat."""
        view = wire.read_view(wire.given(request, "view"))
        return pb.ListLegalMovesResponse(
            action=wire.ACTIONS[view.must],
            moves=wire.write_legal_moves(view),
            layout=wire.write_layout(view.layout),
        )

    @names_unknown_fields
    async def ApplyMove(self, request: pb.ApplyMoveRequest, context: Any) -> pb.ApplyMoveResponse:
        """Play one move, with the draws and passes that follow."""
        deal, move = wire.given(request, "deal"), wire.given(request, "move")
        round_ = wire.read_round(deal)
        before = len(round_.history)
        points = wire.play(round_, move)
        return pb.ApplyMoveResponse(
            deal=wire.write_deal(round_),
            points=points,
            events=map(wire.write_event, round_.history[before:]),
            state=wire.write_state(round_),
        )

    @names_unknown_fields
    async def DescribeRound(self, request: pb.DescribeRoundRequest, context: Any) -> pb.DescribeRoundResponse:
        """The state of a round."""
        round_ = wire.read_round(wire.given(request, "deal"))
        return pb.DescribeRoundResponse(state=wire.write_state(round_))

    @names_unknown_fields
    async def ValidateView(self, request: pb.ValidateViewRequest, context: Any) -> pb.ValidateViewResponse:
        """Check a view. Violations are part of the answer, not an error."""
        message = wire.given(request, "view")
        response = pb.ValidateViewResponse()
        try:
            view = wire.read_view(message)
        except wire.WireError as error:
            response.violations.extend(map(_violation, error.violations))
        else:
            response.valid = True
            response.facts.CopyFrom(wire.write_facts(view, Belief(view).world_count))
        return response

    @names_unknown_fields
    async def DealRound(self, request: pb.DealRoundRequest, context: Any) -> pb.DealRoundResponse:
        """Deal a shuffled round."""
        seed = wire.read_seed(request.seed) if request.HasField("seed") else secrets.randbelow(DRAWN_SEEDS)
        leader = request.leader if request.HasField("leader") else None
        round_ = Round.deal(request.players, seed, leader, request.scores or None)
        return pb.DealRoundResponse(
            deal=wire.write_deal(round_),
            state=wire.write_state(round_),
            seed=seed,
        )

    @names_unknown_fields
    async def PlanTable(self, request: pb.PlanTableRequest, context: Any) -> pb.PlanTableResponse:
        """Where the tiles of a layout lie. Some plans take fifty milliseconds, so a thread makes them."""
        layout, room = wire.read_layout(request.placements), wire.read_room(request.end_room)
        return pb.PlanTableResponse(
            plan=await asyncio.to_thread(wire.write_plan, layout, room),
            layout=wire.write_layout(layout),
        )

    @names_unknown_fields
    async def ParseText(self, request: pb.ParseTextRequest, context: Any) -> pb.ParseTextResponse:
        """What a pasted text holds. A long match takes some tenths of a second, so a thread reads it."""
        return await asyncio.to_thread(wire.parse_text, request.text)


def _violation(violation: wire.Violation) -> notice_pb2.Violation:
    return notice_pb2.Violation(field=violation.field, reason=violation.reason, description=violation.description)
