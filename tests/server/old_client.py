"""What a client of version 0.1.0 does, with the stubs of that version.

Run by test_old_clients.py in a process of its own, with those stubs before ours on the path.
"""

import json
import sys

import grpc
from google.protobuf import json_format

from sniffai import v1
from sniffai.v1 import (
    analysis_service_pb2,
    analysis_service_pb2_grpc,
    engine_service_pb2,
    engine_service_pb2_grpc,
    rules_service_pb2,
    rules_service_pb2_grpc,
)

TIMEOUT = 20


def main(address: str) -> None:
    """Deal, play a round by the engine's moves, and print what was seen, as JSON."""
    with grpc.insecure_channel(address) as channel:
        analysis = analysis_service_pb2_grpc.AnalysisServiceStub(channel)
        rules = rules_service_pb2_grpc.RulesServiceStub(channel)
        engine = engine_service_pb2_grpc.EngineServiceStub(channel)
        info = engine.GetEngineInfo(engine_service_pb2.GetEngineInfoRequest(), timeout=TIMEOUT)
        table = rules.DealRound(rules_service_pb2.DealRoundRequest(players=2, seed=3), timeout=TIMEOUT)
        answers = []
        while not table.state.over:
            view = table.state.views[table.state.seat_to_move]
            assert rules.ValidateView(rules_service_pb2.ValidateViewRequest(view=view), timeout=TIMEOUT).valid
            legal = rules.ListLegalMoves(rules_service_pb2.ListLegalMovesRequest(view=view), timeout=TIMEOUT)
            fields = {"view": view, "limits": {"simulations": 200}, "seed": 4}
            asked = analysis_service_pb2.RecommendMoveRequest(**fields)
            answer = analysis.RecommendMove(asked, timeout=TIMEOUT)
            studied = analysis.Analyze(analysis_service_pb2.AnalyzeRequest(**fields), timeout=TIMEOUT).analysis
            assert answer.move in [entry.move for entry in legal.moves]
            assert studied == answer.analysis
            answers.append(json_format.MessageToDict(answer))
            applied = rules_service_pb2.ApplyMoveRequest(deal=table.deal, move=answer.move)
            table = rules.ApplyMove(applied, timeout=TIMEOUT)
        bad = analysis_service_pb2.AnalyzeRequest(limits={"simulations": -1})
        try:
            analysis.Analyze(bad, timeout=TIMEOUT)
        except grpc.RpcError as error:
            refused = error.code().name
    told = {"stubs": v1.__file__, "version": info.engine_version, "answers": answers, "refused": refused}
    print(json.dumps({**told, "scores": list(table.state.scores)}))


if __name__ == "__main__":
    main(sys.argv[1])
