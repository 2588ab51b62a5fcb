"""What the clients refuse before anything is sent: every unknown keyword, wrong type and wrong value, by its name."""

import asyncio
import inspect
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import sniffai
from sniffai.client import (
    AsyncClient,
    Client,
    RecommendWishes,
    ReviewWishes,
    Tls,
    UnknownArgumentError,
    Wishes,
    requests,
)
from sniffai.client.connection import Connection

ROUND = sniffai.Round.deal(players=2, seed=1)
VIEW = ROUND.view(ROUND.seat)
NOWHERE = "127.0.0.1:1"
Call = Callable[[Any, dict[str, Any]], Any]
SEARCHES: dict[str, Call] = {
    "recommend": lambda client, given: client.recommend(VIEW, **given),
    "analyze": lambda client, given: client.analyze(VIEW, **given),
    "stream_analyze": lambda client, given: client.stream_analyze(VIEW, **given),
}
REVIEW: dict[str, Call] = {"analyze_match": lambda client, given: client.analyze_match([ROUND], **given)}
WRONG: list[tuple[str, Any]] = [
    *(("seed", value) for value in (-1, 2**63, 1.5, "1", True, math.nan)),
    *(("priority", value) for value in ("fast", "", 1, [], "INTERACTIVE")),
    *(("client_tag", value) for value in (1, b"x", "x" * 129, "\ud800")),
    *(("language_code", value) for value in (1, "x" * 36, "\udfff")),
    *(("limits", value) for value in ({}, 5, "fast", [])),
    *(("timeout", value) for value in (0, -1, math.nan, math.inf, "1", True, 86_401, [])),
]
WRONG_SEARCH: list[tuple[str, Any]] = [
    *WRONG,
    *(("objective", value) for value in ("win", 1, {})),
    *(("max_moves", value) for value in (-1, 2**31, 1.5, True, "3")),
    *((name, value) for name in ("include_moves", "exclude_moves") for value in (5, "4|5", {"4|5": 1})),
    *(("careless", value) for value in (2, "yes", [1])),
    *(("opponents", value) for value in ("casual", ["casual"], {4: "casual"}, {"1": "casual"}, {1: 3}, {1: "x" * 201})),
]


def refused(name: str, method: str, given: dict[str, Any]) -> list[BaseException]:
    """What the blocking client and the one for asyncio raise."""
    call = (SEARCHES | REVIEW)[method]
    with Client(NOWHERE) as client, pytest.raises(sniffai.SniffError) as blocking:
        call(client, given)

    async def ask() -> None:
        async with AsyncClient(NOWHERE) as other:
            made = call(other, given)
            if inspect.isawaitable(made):
                await made

    with pytest.raises(sniffai.SniffError) as waiting:
        asyncio.run(ask())
    assert [error.value.field.split("[")[0].split(".")[0] for error in (blocking, waiting)] == [name, name]
    assert str(blocking.value) == str(waiting.value)
    return [blocking.value, waiting.value]


def wrong_calls() -> Iterator[tuple[str, str, Any]]:
    for method in SEARCHES:
        yield from ((method, name, value) for name, value in WRONG_SEARCH)
    yield from (("analyze_match", name, value) for name, value in WRONG)
    yield from (("recommend", "level", value) for value in (1, b"club", "x" * 65, "\ud800"))
    yield from (("stream_analyze", "interval", value) for value in (0, -1.0, math.nan, "1", True))


@pytest.mark.parametrize("method", [*SEARCHES, *REVIEW])
def test_a_wrong_value_is_refused_by_name(method: str) -> None:
    for called, name, value in wrong_calls():
        if called == method:
            refused(name, method, {name: value})


@pytest.mark.parametrize("method", [*SEARCHES, *REVIEW])
def test_an_unknown_keyword_is_refused_with_what_there_is(method: str) -> None:
    for name, near in (("sed", "seed"), ("strength", None), ("language", "language_code"), ("timout", "timeout")):
        for error in refused(name, method, {name: 5}):
            assert isinstance(error, UnknownArgumentError)
            assert isinstance(error, TypeError)
            assert ("did you mean" in str(error)) == (near is not None)
            assert f"did you mean {near!r}" in str(error) or near is None
            wishes = {"analyze_match": ReviewWishes, "recommend": RecommendWishes}.get(method, Wishes)
            assert all(known in str(error) for known in wishes.__annotations__)


PLAIN: dict[str, tuple[Call, str]] = {
    "legal_moves": (lambda client, given: client.legal_moves(VIEW, **given), "timeout"),
    "validate": (lambda client, given: client.validate(VIEW, **given), "timeout"),
    "apply": (lambda client, given: client.apply(ROUND, ROUND.legal_moves()[0], **given), "timeout"),
    "describe_round": (lambda client, given: client.describe_round(ROUND, **given), "timeout"),
    "deal": (lambda client, given: client.deal(2, **given), "leader, players, scores, seed, timeout"),
    "info": (lambda client, given: client.info(**given), "timeout"),
}
"""The calls without a search, and their keywords."""


@pytest.mark.parametrize("method", PLAIN)
def test_a_call_without_a_search_refuses_unknown_keywords_alike(method: str) -> None:
    call, names = PLAIN[method]

    async def ask(name: str) -> None:
        async with AsyncClient(NOWHERE) as client:
            await call(client, {name: 5})

    for name in ("timout", "sede", "limits"):
        with Client(NOWHERE) as client, pytest.raises(UnknownArgumentError) as blocking:
            call(client, {name: 5})
        with pytest.raises(UnknownArgumentError) as waiting:
            asyncio.run(ask(name))
        assert str(blocking.value) == str(waiting.value)
        assert (blocking.value.field, str(blocking.value).endswith(f"There are: {names}")) == (name, True)


def test_a_client_refuses_unknown_keywords_and_addresses_by_name() -> None:
    async def connect(address: Any, given: dict[str, Any]) -> None:
        AsyncClient(address, **given)

    for name, near in (("adress", "address"), ("time_out", "timeout"), ("key", None)):
        given: dict[str, Any] = {name: "x"}
        with pytest.raises(UnknownArgumentError) as unknown:
            Client(NOWHERE, **given)
        assert (unknown.value.field, f"mean {near!r}" in str(unknown.value)) == (name, near is not None)
        assert str(unknown.value).endswith("There are: address, api_key, timeout, tls, wait_for_ready")
        with pytest.raises(UnknownArgumentError):
            asyncio.run(connect(NOWHERE, given))
    for address in (None, 5, "", "a b:1", "\0", "999.0.0.1:1", "127.0.0.1:99999", "\ud800"):
        with pytest.raises(sniffai.LimitsError) as wrong:
            Client(address)  # type: ignore[arg-type]
        assert wrong.value.field == "address"
        with pytest.raises(sniffai.LimitsError):
            asyncio.run(connect(address, {}))


def test_a_review_takes_no_moves() -> None:
    for name in ("include_moves", "exclude_moves", "max_moves", "objective", "opponents"):
        refused(name, "analyze_match", {name: None})


def test_an_impossible_move_is_named_by_its_place() -> None:
    (error, _) = refused("include_moves", "recommend", {"include_moves": ["4|5", "9|9"]})
    assert isinstance(error, sniffai.SniffError)
    assert error.field == "include_moves[1].tile"


@pytest.mark.parametrize("value", [None, 1, "view", {}, ROUND])
def test_what_is_no_view_is_refused(value: Any) -> None:
    with Client(NOWHERE) as client:
        for call in (client.recommend, client.legal_moves, client.validate):
            with pytest.raises(sniffai.ViewError) as error:
                call(value)
            assert error.value.field == "view"


@pytest.mark.parametrize("value", [None, 1, "round", {}])
def test_what_is_no_position_record_or_deal_is_refused(value: Any) -> None:
    with Client(NOWHERE) as client:
        with pytest.raises(sniffai.ViewError):
            client.analyze(value)
        with pytest.raises(sniffai.ViewError):
            client.apply(value, "1|2")
        with pytest.raises(sniffai.ViewError):
            client.describe_round(value)
        for record in (None, 1, [], [VIEW], {}):
            with pytest.raises(sniffai.SniffError):
                client.analyze_match(record)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        *(("players", (value,)) for value in (1, 5, 2.0, "2", None, True)),
        *(("seed", (2, value)) for value in (-1, 2**63, "1", True)),
        *(("leader", (2, 1, value)) for value in (-1, 2, "1", True)),
        *(("scores", (2, 1, 0, value)) for value in (5, "00", ["x"], [True])),
    ],
)
def test_a_deal_checks_its_numbers(name: str, given: tuple[Any, ...]) -> None:
    with Client(NOWHERE) as client, pytest.raises(sniffai.SniffError) as error:
        client.deal(*given)
    assert error.value.field.split("[")[0] == name


@pytest.mark.parametrize(
    ("name", "given"),
    [
        *(("timeout", {"timeout": value}) for value in (0, -1, math.nan, "1", None, True)),
        *(("api_key", {"api_key": value}) for value in ("", "\u00e4", 5, b"x")),
        *(("tls", {"tls": value}) for value in (True, "ca.pem", {})),
        *(("wait_for_ready", {"wait_for_ready": value}) for value in (None, 1, "yes")),
    ],
)
def test_a_connection_checks_its_arguments(name: str, given: dict[str, Any]) -> None:
    with pytest.raises(sniffai.LimitsError) as error:
        Client(NOWHERE, **given)
    assert error.value.field == name


@pytest.mark.parametrize("name", ["root", "certificate", "key", "server_name"])
def test_tls_checks_its_arguments(name: str) -> None:
    with pytest.raises(sniffai.LimitsError) as error:
        Tls(**{name: 5})  # type: ignore[arg-type]
    assert error.value.field == name


@pytest.mark.parametrize("name", ["root", "certificate", "key"])
def test_tls_refuses_impossible_paths(name: str) -> None:
    for path in ("a\0b", "\ud800"):
        with pytest.raises(sniffai.LimitsError) as error:
            Tls(**{name: path})
        assert error.value.field == name


def test_only_a_request_for_a_move_takes_a_level() -> None:
    for method in ("analyze", "stream_analyze", "analyze_match"):
        refused("level", method, {"level": "club"})


def test_numpy_numbers_and_none_are_taken() -> None:
    wishes: Any = {
        "seed": np.uint8(7),
        "max_moves": np.int64(3),
        "priority": None,
        "include_moves": None,
        "language_code": None,
    }
    request = requests.recommend_request(VIEW, None, wishes)
    assert (request.seed, request.max_moves) == (7, 3)
    assert requests.deal_request(np.int8(2), np.int64(5), np.uint8(1), np.array([0, 5]), {}).scores == [0, 5]  # type: ignore[arg-type]
    assert Connection(NOWHERE, np.float32(1.5), None, None, False).timeout == 1.5  # type: ignore[arg-type]
