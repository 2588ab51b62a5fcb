"""Requests changed at random, in bytes or fields: a proper answer or INVALID_ARGUMENT, never UNKNOWN or INTERNAL."""

import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from google.protobuf import json_format
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st

from sniffai import Limits
from sniffai.v1 import analysis_service_pb2, rules_service_pb2
from tests.server.support import (
    TIMEOUT,
    choice,
    deal,
    lines,
    running_server,
    snapshot,
    story,
    stubs_of,
    told,
    vector_view,
)

EXAMPLES = 200
TILES = ["0|0", "3|3", "5|6", "6|6", "4|6", "6|5", "", "x"]
NUMBERS = [-(2**31), -1, 0, 1, 2, 3, 4, 5, 7, 28, 249, 250, 2**31 - 1]
LIMITS = {"simulations": "20"}


def seeds() -> list[tuple[str, Message]]:
    """Good requests, by method."""
    recorded = json_format.MessageToDict(vector_view(lines("beliefs.jsonl", 1)[0]), preserving_proto_field_name=True)
    views = [story(), choice(), snapshot(), recorded]
    dealt = {"players": 3, "seed": "4", "leader": 1, "scores": [0, 5, 195]}
    return [
        *(("/sniffai.v1.AnalysisService/RecommendMove", _recommend(view)) for view in views),
        *(("/sniffai.v1.RulesService/ListLegalMoves", _legal(view)) for view in views),
        ("/sniffai.v1.RulesService/DealRound", json_format.ParseDict(dealt, rules_service_pb2.DealRoundRequest())),
    ]


def _recommend(view: dict[str, Any]) -> Message:
    return json_format.ParseDict({"view": view, "limits": LIMITS}, analysis_service_pb2.RecommendMoveRequest())


def _legal(view: dict[str, Any]) -> Message:
    return json_format.ParseDict({"view": view}, rules_service_pb2.ListLegalMovesRequest())


SEEDS = seeds()


@pytest.fixture(scope="module")
def stubs() -> Iterator[SimpleNamespace]:
    """A server that searches briefly, whatever a changed limit asks for."""
    caps = Limits(simulations=100, seconds=0.05, memory_bytes=1 << 20)
    with running_server(caps=caps) as server, stubs_of(server.address) as calls:
        yield calls


@st.composite
def changed_bytes(draw: st.DrawFn) -> tuple[str, bytes]:
    """A good request with up to four bytes changed, or cut off."""
    method, message = draw(st.sampled_from(SEEDS))
    data = bytearray(message.SerializeToString())
    for _ in range(draw(st.integers(1, 4))):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return method, bytes(data[: draw(st.integers(0, 3 * len(data)))])


@st.composite
def changed_fields(draw: st.DrawFn) -> tuple[str, bytes]:
    """A good request with up to three fields changed, taken away or doubled."""
    method, message = draw(st.sampled_from(SEEDS))
    changed = type(message)()
    changed.CopyFrom(message)
    for _ in range(draw(st.integers(1, 3))):
        _change(draw, changed)
    return method, changed.SerializeToString()


def _change(draw: st.DrawFn, message: Any) -> None:
    fields = [field for field, _ in message.ListFields()]
    if not fields:
        return
    field = draw(st.sampled_from(fields))
    value = getattr(message, field.name)
    if isinstance(value, Message):
        _change(draw, value) if draw(st.integers(0, 7)) else message.ClearField(field.name)
    elif isinstance(value, str):
        setattr(message, field.name, draw(st.sampled_from(TILES)))
    elif isinstance(value, int):
        setattr(message, field.name, draw(st.sampled_from(NUMBERS)))
    else:
        _change_list(draw, value)


def _change_list(draw: st.DrawFn, values: Any) -> None:
    index = draw(st.integers(0, len(values) - 1))
    action = draw(st.sampled_from(["delete", "double", "change"]))
    if action == "delete":
        del values[index]
    elif action == "double":
        values.append(values[index])
    elif isinstance(values[index], Message):
        _change(draw, values[index])
    else:
        values[index] = draw(st.sampled_from(TILES if isinstance(values[index], str) else NUMBERS))


def check(stubs: SimpleNamespace, method: str, data: bytes) -> None:
    """The call succeeds, or fails as the caller's fault, with a reason and fields that exist."""
    try:
        stubs.channel.unary_unary(method)(data, timeout=TIMEOUT)
    except grpc.RpcError as error:
        failed = told(error)
        assert failed.code == "INVALID_ARGUMENT"
        assert failed.reason
        descriptor = next(message.DESCRIPTOR for name, message in SEEDS if name == method)
        assert [path for path, _ in failed.violations if not exists(descriptor, path)] == []


def exists(descriptor: Any, path: str) -> bool:
    """Whether a path, such as ``view.hand[3]``, leads to a field of the message."""
    for name in re.sub(r"\[\d+\]", "", path).split("."):
        if descriptor is None or name not in descriptor.fields_by_name:
            return False
        descriptor = descriptor.fields_by_name[name].message_type
    return True


@settings(max_examples=EXAMPLES)
@given(request=changed_bytes())
def test_changed_bytes(stubs: SimpleNamespace, request: tuple[str, bytes]) -> None:
    check(stubs, *request)


@settings(max_examples=EXAMPLES)
@given(request=changed_fields())
def test_changed_fields(stubs: SimpleNamespace, request: tuple[str, bytes]) -> None:
    check(stubs, *request)


@settings(max_examples=EXAMPLES)
@given(data=st.binary(max_size=60), method=st.sampled_from([method for method, _ in SEEDS]))
def test_random_bytes(stubs: SimpleNamespace, data: bytes, method: str) -> None:
    check(stubs, method, data)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_changed_deals(stubs: SimpleNamespace, players: int) -> None:
    """Every tile of a deal in turn given twice."""
    dealt = deal(stubs, players, seed=2)
    move = dealt.state.legal_moves[0].move
    for seat in range(players):
        for i in range(len(dealt.deal.hands[seat].tiles)):
            broken = rules_service_pb2.ApplyMoveRequest(deal=dealt.deal, move=move)
            broken.deal.hands[seat].tiles[i] = dealt.deal.talon[0]
            with pytest.raises(grpc.RpcError) as raised:
                stubs.rules.ApplyMove(broken, timeout=TIMEOUT)
            assert told(raised.value).violations == [("deal.talon[0]", "TILE_TWICE")]
