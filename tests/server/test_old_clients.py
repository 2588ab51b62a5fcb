"""Clients with the stubs of earlier versions against this server: same RPCs, same values, nothing missing."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format

from sniffai.v1 import analysis_service_pb2, rules_service_pb2
from tests.server.support import TIMEOUT, LoopbackServer, stubs_of

DATA = Path(__file__).parent.parent / "data"
STUBS = sorted(DATA.glob("stubs-*"))
SCRIPT = Path(__file__).with_name("old_client.py")


def test_there_are_old_stubs_and_an_image_of_each_contract() -> None:
    assert STUBS
    assert all((DATA / f"proto-{folder.name.removeprefix('stubs-')}.binpb").exists() for folder in STUBS)


@pytest.mark.parametrize("folder", STUBS, ids=lambda folder: folder.name)
def test_an_old_client_plays_a_round(server: LoopbackServer, folder: Path) -> None:
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, str(SCRIPT), server.address],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert told["stubs"].startswith(str(folder))
    assert told["refused"] == "INVALID_ARGUMENT"
    now = played(server.address)
    assert told["scores"] == now["scores"]
    assert len(told["answers"]) == len(now["answers"])
    for old, new in zip(told["answers"], now["answers"], strict=True):
        assert lacks(old, new) == []


def played(address: str) -> dict[str, Any]:
    """The same round with the stubs of today."""
    with stubs_of(address) as stubs:
        table = stubs.rules.DealRound(rules_service_pb2.DealRoundRequest(players=2, seed=3), timeout=TIMEOUT)
        answers = []
        while not table.state.over:
            view = table.state.views[table.state.seat_to_move]
            asked = analysis_service_pb2.RecommendMoveRequest(view=view, limits={"simulations": 200}, seed=4)
            answer = stubs.call("RecommendMove", asked)
            answers.append(json_format.MessageToDict(answer))
            request = rules_service_pb2.ApplyMoveRequest(deal=table.deal, move=answer.move)
            table = stubs.rules.ApplyMove(request, timeout=TIMEOUT)
    return {"scores": list(table.state.scores), "answers": answers}


def lacks(old: Any, new: Any, path: str = "") -> list[str]:
    """Where the old client saw something else than a new one: fields may be added, none may change."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [wrong for key in old for wrong in lacks(old[key], new.get(key), f"{path}.{key}")]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [wrong for i in range(len(old)) for wrong in lacks(old[i], new[i], f"{path}[{i}]")]
    return [] if old == new else [f"{path}: {old} is {new} now"]
