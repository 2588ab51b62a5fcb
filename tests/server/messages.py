"""Hypothesis strategies for requests to every RPC: good ones of whole games, those changed, any message, any bytes."""

import functools
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from google.protobuf import message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from hypothesis import strategies as st

import sniffai
from sniffai import wire
from sniffai.v1 import analysis_service_pb2, engine_service_pb2, match_service_pb2, rules_service_pb2

PLAYER = "Zk3bQ0v-9xJtYw7LrE2sUaHcMfN5oPdG1iK8eVqT4_g"
"""The token of a player."""

POSITIONS = 60
DEPTH = 6
"""How deep a random message goes: a placement is three messages below a view."""
TEXTS = ["0|0", "3|3", "5|6", "6|6", "4|6", "6|5", "6|6:LINE_A", "4|6:HIGH", "3|3:SIDE_B", "5|6:SIDE_A", "en", "x"]
NUMBERS = [-(2**31), -30_005, -5, -1, 0, 1, 2, 3, 4, 5, 7, 14, 28, 195, 249, 250, 10**9, 2**31 - 1]
LARGE = [-(2**63), -(2**31) - 1, 2**31, 2**53 + 1, 2**63 - 1]
REALS = [0.0, -0.0, 1e-300, 0.5, 1.0, 1000.0, 1e300, float("inf"), float("-inf"), float("nan")]
UNKNOWN = [b"\x9a\x06\x03abc", b"\x90\x06\x01", b"\xfa\xff\xff\xff\x0f\x00", b"\x9b\x06\x9c\x06"]
"""Fields that no message has: text, a number, the highest number of a field, an empty group."""


@dataclass(frozen=True)
class Rpc:
    """One method of the services."""

    path: str
    streams: bool
    request: type[Message]
    response: type[Message]


def _rpcs() -> Iterator[Rpc]:
    for module in (analysis_service_pb2, rules_service_pb2, engine_service_pb2, match_service_pb2):
        for service in module.DESCRIPTOR.services_by_name.values():
            for method in service.methods:
                kinds = map(message_factory.GetMessageClass, (method.input_type, method.output_type))
                yield Rpc(f"/{service.full_name}/{method.name}", method.server_streaming, *kinds)


RPCS = list(_rpcs())
ABOUT_SEATS = [
    rpc for rpc in RPCS if {"match_id", "seat_token", "invitation"} & set(rpc.request.DESCRIPTOR.fields_by_name)
]
"""Those whose requests are good only with a secret of a match."""
STATELESS = [rpc for rpc in RPCS if rpc not in ABOUT_SEATS]
SEARCHES = [rpc for rpc in STATELESS if "limits" in rpc.request.DESCRIPTOR.fields_by_name]


@dataclass(frozen=True)
class Case:
    """What is sent."""

    rpc: Rpc
    data: bytes


@functools.cache
def good_requests() -> list[tuple[Rpc, Message]]:
    """Requests that must be answered: decisions of whole games, of all sizes of table, for every RPC."""
    lots, found = random.Random(7), []
    for seed in range(POSITIONS):
        round_ = sniffai.Round.deal(2 + seed % 3, seed)
        for _ in range(lots.randrange(16)):
            if not round_.over and len(round_.layout.placements) < seed % 20:
                round_.play(lots.choice(round_.legal_moves()))
        if not round_.over:
            found += [(rpc, _good(rpc, round_, lots)) for rpc in (*STATELESS, *SEARCHES) if _is_about(rpc, round_)]
    return found


def _is_about(rpc: Rpc, round_: sniffai.Round) -> bool:
    """Whether an RPC can be asked about a round: a review needs something to review, here not too much of it."""
    return "match" not in rpc.request.DESCRIPTOR.fields_by_name or 1 <= len(round_.layout.placements) <= 4


def _good(rpc: Rpc, round_: sniffai.Round, lots: random.Random) -> Message:
    """A good request to an RPC about a round."""
    if rpc.request is rules_service_pb2.DealRoundRequest:
        return rpc.request(players=round_.players, seed=lots.getrandbits(40), scores=round_.start.scores)
    if rpc.request is rules_service_pb2.PlanTableRequest:
        return rpc.request(placements=map(wire.write_move, round_.moves))
    if rpc.request is rules_service_pb2.ParseTextRequest:
        return rpc.request(text=lots.choice([round_.to_text(), round_.view(round_.seat).to_text()]))
    if rpc.request is match_service_pb2.CreateMatchRequest:
        return _match(round_, lots)
    if rpc.request is match_service_pb2.ListMatchesRequest:
        return rpc.request(player_token=PLAYER, page_size=lots.randrange(1, 101))
    return _good_position(rpc, round_, lots)


def _match(round_: sniffai.Round, lots: random.Random) -> Message:
    """A good request for a match."""
    seats: list[Any] = [{"human": {}}, *({"level": "casual", "name": "Bob"} for _ in range(1, round_.players))]
    return match_service_pb2.CreateMatchRequest(seats=seats, scores=round_.start.scores, practice=lots.random() < 0.5)


def _good_position(rpc: Rpc, round_: sniffai.Round, lots: random.Random) -> Message:
    """A good request to an RPC about a position."""
    fields = rpc.request.DESCRIPTOR.fields_by_name
    given: dict[str, Any] = {}
    if "match" in fields:
        given["match"] = {"rounds": [wire.write_deal(round_)]}
    elif "deal" in fields and ("view" not in fields or lots.random() < 0.3):
        given["deal"] = wire.write_deal(round_)
    elif "view" in fields:
        given["view"] = wire.write_view(_view(round_, lots))
    if "move" in fields:
        given["move"] = wire.write_move(lots.choice(round_.legal_moves()))
    if "limits" in fields:
        given |= {"limits": {"simulations": 20}, "seed": lots.getrandbits(40), "client_tag": "tag"}
    if "exclude_moves" in fields and len(moves := round_.view(round_.seat).legal_moves()) > 1 and lots.random() < 0.3:
        given["include_moves"] = [wire.write_move(moves[0])]
    if "opponents" in fields and lots.random() < 0.3:
        given["opponents"] = [{"seat": (round_.seat + 1) % round_.players, "name": lots.choice(["casual", "policy"])}]
    return rpc.request(**given)


def _view(round_: sniffai.Round, lots: random.Random) -> sniffai.View:
    """What the seat to move knows, from its history or from a look at the table."""
    view = round_.view(round_.seat)
    if lots.random() < 0.6 or not view.layout.placements:
        return view
    return sniffai.View.from_snapshot(
        players=view.players,
        seat=view.seat,
        placements=view.layout.placements,
        hand=view.hand,
        hand_sizes=view.hand_sizes,
        talon_size=view.talon_size,
        scores=view.scores,
    )


@functools.cache
def one_of(values: Callable[[], Iterable[Any]]) -> st.SearchStrategy[Any]:
    """One of the values that a function returns.

    Hypothesis looks at each value of a new strategy, which takes longer than to draw one: so there is one for each
    function.
    """
    return st.sampled_from(list(values()))


@functools.cache
def fields_of(descriptor: Descriptor) -> st.SearchStrategy[FieldDescriptor]:
    """One of the fields of a message."""
    return st.sampled_from(list(descriptor.fields))


ACTIONS = st.sampled_from(["set", "set", "clear", "double", "swap", "drop", "unknown"])
WAYS = st.sampled_from(["random", "flip", "flip", "cut", "splice", "nest"])
ANY_RPC = st.sampled_from(RPCS)
ANY_UNKNOWN = st.sampled_from(UNKNOWN)
NESTED = st.sampled_from([b"\x0a\x02", b"\x0b", b"\x0c", b"\x0a\xff\xff\xff\xff\x07"])


def good_cases() -> st.SearchStrategy[Case]:
    """Good requests as bytes."""
    return one_of(good_requests).map(lambda good: Case(good[0], good[1].SerializeToString()))


@st.composite
def changed_cases(draw: st.DrawFn) -> Case:
    """Good requests with up to four fields changed, set, taken away, doubled, swapped or of no message at all."""
    rpc, good = draw(one_of(good_requests))
    changed = rpc.request()
    changed.CopyFrom(good)
    for _ in range(draw(st.integers(1, 4))):
        _change(draw, changed)
    return Case(rpc, changed.SerializeToString())


def _change(draw: st.DrawFn, message: Any) -> None:
    """Change a field of a message, or of one within it."""
    if not message.DESCRIPTOR.fields:
        return
    field = draw(fields_of(message.DESCRIPTOR))
    within = _within(message, field)
    if within and draw(st.integers(0, 4)):
        _change(draw, within[draw(st.integers(0, len(within) - 1))])
    else:
        _change_field(draw, message, field)


def _change_field(draw: st.DrawFn, message: Any, field: FieldDescriptor) -> None:
    """Do something to a field itself."""
    action = draw(ACTIONS)
    values = getattr(message, field.name)
    if action == "unknown":
        message.MergeFromString(draw(ANY_UNKNOWN))
    elif action == "clear":
        message.ClearField(field.name)
    elif action == "set" or not field.is_repeated or not values:
        _set(draw, message, field, DEPTH - 2)
    else:
        _rearrange(draw, values, action)


def _rearrange(draw: st.DrawFn, values: Any, action: str) -> None:
    """Double, drop or swap items of a list."""
    first, second = (draw(st.integers(0, len(values) - 1)) for _ in range(2))
    items = list(values)
    if action == "double":
        items.insert(first, items[second])
    elif action == "drop":
        del items[first]
    else:
        items[first], items[second] = items[second], items[first]
    copies = [type(item).FromString(item.SerializeToString()) if isinstance(item, Message) else item for item in items]
    del values[:]
    values.extend(copies)


def _within(message: Any, field: FieldDescriptor) -> list[Any]:
    """The messages that a field holds."""
    if field.message_type is None:
        return []
    if field.is_repeated:
        return list(getattr(message, field.name))
    return [getattr(message, field.name)] if message.HasField(field.name) else []


@st.composite
def random_cases(draw: st.DrawFn) -> Case:
    """Any request that its descriptor allows."""
    rpc = draw(ANY_RPC)
    message = rpc.request()
    _fill(draw, message, DEPTH)
    return Case(rpc, message.SerializeToString())


def _fill(draw: st.DrawFn, message: Any, depth: int) -> None:
    """Set some fields of a message; of alternatives the last one set holds."""
    for field in message.DESCRIPTOR.fields:
        if draw(st.integers(0, 3)):
            _set(draw, message, field, depth)


def _set(draw: st.DrawFn, message: Any, field: FieldDescriptor, depth: int) -> None:
    """Give a field any value; a list some more items."""
    if field.message_type is None:
        value = draw(_values(field))
        if field.is_repeated:
            getattr(message, field.name).extend([value] * draw(st.integers(1, 3)))
        else:
            setattr(message, field.name, value)
    elif depth:
        one = getattr(message, field.name)
        if field.is_repeated:
            one = one.add()
        one.SetInParent()
        _fill(draw, one, depth - 1)


@functools.cache
def _values(field: FieldDescriptor) -> st.SearchStrategy[Any]:
    """Any value of a field that is no message."""
    kind = field.cpp_type
    if kind == FieldDescriptor.CPPTYPE_STRING:
        return st.sampled_from(TEXTS) | st.text(max_size=6)
    if kind in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT):
        return st.sampled_from(REALS) | st.floats()
    if kind == FieldDescriptor.CPPTYPE_BOOL:
        return st.booleans()
    if kind == FieldDescriptor.CPPTYPE_INT64:
        return st.sampled_from(NUMBERS + LARGE) | st.integers(-(2**63), 2**63 - 1)
    return st.sampled_from(NUMBERS) | st.integers(-8, 40)


@st.composite
def broken_cases(draw: st.DrawFn) -> Case:
    """Bytes: random ones, and good requests with bits flipped, cut off, cut out, doubled or spliced."""
    rpc, good = draw(one_of(good_requests))
    data = bytearray(good.SerializeToString())
    way = draw(WAYS)
    if way == "random" or not data:
        data = bytearray(draw(st.binary(max_size=80)))
    elif way == "flip":
        for _ in range(draw(st.integers(1, 8))):
            data[draw(st.integers(0, len(data) - 1))] ^= 1 << draw(st.integers(0, 7))
    elif way == "cut":
        del data[draw(st.integers(0, len(data))) :]
    elif way == "splice":
        _, other = draw(one_of(good_requests))
        where = draw(st.integers(0, len(data)))
        data[where:where] = other.SerializeToString()[: draw(st.integers(0, 60))]
    else:
        data = bytearray(draw(NESTED)) * 200
    return Case(rpc, bytes(data))
