"""Requests by chance, to every RPC: a whole answer or a proper refusal, never UNKNOWN or INTERNAL.

``make test`` sends 1,000, always the same; ``make fuzz`` sends 20,000 others.
"""

import os
import re
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from sniffai.v1 import analysis_service_pb2, rules_service_pb2
from sniffai.wire import WireError
from sniffai_server.calls import errors, reader
from tests.server.messages import (
    ABOUT_SEATS,
    Case,
    broken_cases,
    changed_cases,
    good_cases,
    random_cases,
)
from tests.server.support import TIMEOUT, deal, running_server, stubs_of, told
from tests.server.test_docs import LISTED

CASES = int(os.environ.get("FUZZ_CASES", "1000"))
CONTROL = settings(max_examples=300, phases=[Phase.generate])
MEBIBYTE = 1 << 20


def part(share: float) -> settings:
    """Settings for a part of the cases."""
    return settings(max_examples=round(share * CASES))


@pytest.fixture(scope="module")
def stubs() -> Iterator[SimpleNamespace]:
    """A server that searches briefly, whatever a request asks for."""
    caps = {"max_simulations": 60, "max_seconds": 0.05, "max_search_bytes": MEBIBYTE, "max_matches": 1_000_000}
    with running_server(**caps) as server, stubs_of(server.address) as calls:
        yield calls


def send(stubs: SimpleNamespace, path: str, data: bytes, streams: bool = False) -> list[bytes]:
    """The answers as bytes; a unary method has one."""
    if streams:
        return list(stubs.channel.unary_stream(path)(data, timeout=TIMEOUT))
    return [stubs.channel.unary_unary(path)(data, timeout=TIMEOUT)]


def check(stubs: SimpleNamespace, case: Case) -> Any:
    """The status of a call, which is that of a whole answer or of the caller's fault, well explained."""
    refusal = None
    try:
        answers = send(stubs, case.rpc.path, case.data, case.rpc.streams)
    except grpc.RpcError as error:
        refusal = told(error)
    if refusal is not None:
        check_refusal(case, refusal)
        return refusal.code
    messages: list[Any] = [case.rpc.response.FromString(answer) for answer in answers]
    assert messages
    if case.rpc.response is analysis_service_pb2.AnalyzeMatchResponse:
        assert [one.WhichOneof("result") == "summary" for one in messages] == [False] * (len(messages) - 1) + [True]
    elif case.rpc.response is not analysis_service_pb2.StreamAnalyzeResponse:
        assert len(messages) == 1
    if "analysis" in case.rpc.response.DESCRIPTOR.fields_by_name:
        assert [one.analysis.final for one in messages] == [False] * (len(messages) - 1) + [True]
    return "OK"


def check_refusal(case: Case, error: SimpleNamespace) -> None:
    if case.rpc in ABOUT_SEATS and error.code != "INVALID_ARGUMENT":
        assert (error.code, error.reason) in (
            ("NOT_FOUND", "UNKNOWN_MATCH"),
            ("PERMISSION_DENIED", "INVITATION_REFUSED"),
        )
        return
    assert error.code == "INVALID_ARGUMENT", (error.code, error.message)
    assert error.domain == "sniffai"
    assert error.reason in LISTED
    assert len(error.violations) <= 16
    assert bool(error.violations) == (error.reason != "UNDECODABLE")
    assert [path for path, _ in error.violations if not exists(case.rpc.request.DESCRIPTOR, path)] == []
    assert {reason for _, reason in error.violations} <= LISTED


def exists(descriptor: Any, path: str) -> bool:
    """Whether a path, such as ``view.hand[3]``, leads to a field of the message."""
    for name in re.sub(r"\[\d+\]", "", path).split("."):
        if descriptor is None or name not in descriptor.fields_by_name:
            return False
        descriptor = descriptor.fields_by_name[name].message_type
    return True


@part(0.3)
@given(case=good_cases())
def test_good_requests(stubs: SimpleNamespace, case: Case) -> None:
    assert check(stubs, case) == "OK"


@part(0.35)
@given(case=changed_cases())
def test_changed_requests(stubs: SimpleNamespace, case: Case) -> None:
    check(stubs, case)


@part(0.15)
@given(case=random_cases())
def test_random_requests(stubs: SimpleNamespace, case: Case) -> None:
    check(stubs, case)


@part(0.2)
@given(case=broken_cases())
def test_broken_bytes(stubs: SimpleNamespace, case: Case) -> None:
    check(stubs, case)


@settings(max_examples=60)
@given(path=st.from_regex(r"(/[A-Za-z.]{1,30}){1,3}", fullmatch=True), data=st.binary(max_size=20))
def test_methods_that_do_not_exist(stubs: SimpleNamespace, path: str, data: bytes) -> None:
    with pytest.raises(grpc.RpcError) as raised:
        send(stubs, path, data)
    assert raised.value.code() == grpc.StatusCode.UNIMPLEMENTED


@settings(max_examples=5)
@given(case=good_cases(), more=st.integers(0, MEBIBYTE))
def test_requests_above_the_limit(stubs: SimpleNamespace, case: Case, more: int) -> None:
    with pytest.raises(grpc.RpcError) as raised:
        send(stubs, case.rpc.path, case.data + bytes(MEBIBYTE + more))
    assert raised.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED


def test_a_bug_in_a_handler_is_found(stubs: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: a refusal that goes wrong for one reason of fifty."""
    good = errors.TABLE[WireError]

    def bad(error: WireError) -> Any:
        return good(None if error.violations[0].reason == "SEAT_OUT_OF_RANGE" else error)

    monkeypatch.setitem(errors.TABLE, WireError, bad)
    expect_to_fail(stubs, changed_cases(), "INTERNAL")


def test_a_bug_in_the_parser_is_found(stubs: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: a reader that takes undecodable bytes for a fault of its own."""
    monkeypatch.setattr(reader, "_decoded", lambda handler, message: handler.request_deserializer(message))
    expect_to_fail(stubs, broken_cases(), "INTERNAL")


def expect_to_fail(stubs: SimpleNamespace, cases: st.SearchStrategy[Case], code: str) -> None:
    @CONTROL
    @given(case=cases)
    def fuzz(case: Case) -> None:
        check(stubs, case)

    run: Callable[[], None] = fuzz
    with pytest.raises(AssertionError, match=code):
        run()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_tile_of_a_deal_given_twice(stubs: SimpleNamespace, players: int) -> None:
    dealt = deal(stubs, players, seed=2)
    move = dealt.state.legal_moves[0].move
    for seat in range(players):
        for i in range(len(dealt.deal.hands[seat].tiles)):
            broken = rules_service_pb2.ApplyMoveRequest(deal=dealt.deal, move=move)
            broken.deal.hands[seat].tiles[i] = dealt.deal.talon[0]
            with pytest.raises(grpc.RpcError) as raised:
                stubs.rules.ApplyMove(broken, timeout=TIMEOUT)
            assert told(raised.value).violations == [("deal.talon[0]", "TILE_TWICE")]
