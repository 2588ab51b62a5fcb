"""The answers of the service are those recorded in tests/data/answers, to the byte."""

from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from tests.golden_answers import FILES, SERVICES, answered, read
from tests.golden_match import played, recorded
from tests.server.support import running_server


@pytest.fixture(scope="module")
def channel() -> Iterator[grpc.Channel]:
    """A channel to a server with one slot, which reviews placements in order."""
    with running_server(slots=1) as running, grpc.insecure_channel(running.address) as calls:
        yield calls


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_answer_is_the_recorded_one(channel: grpc.Channel, file: Path) -> None:
    """If the change is intended: `python -m tests.golden_answers`, and look at the difference."""
    recorded = read(file)
    now = answered(channel, recorded)
    # First what people can read, so that a failure shows the fields that changed; then the bytes.
    assert [answer["message"] for answer in now["answers"]] == [answer["message"] for answer in recorded["answers"]]
    assert now == recorded


def test_every_call_about_a_position_has_a_recorded_answer() -> None:
    calls = {read(file)["call"] for file in FILES}
    assert calls == {
        f"{service.name}/{method}"
        for service in SERVICES.values()
        for method in service.methods_by_name
        if service.name not in ("EngineService", "MatchService")
    }


def test_a_match_is_the_recorded_one() -> None:
    """As the answers above; every call of MatchService occurs."""
    before, now = recorded(), played()
    for then, one in zip(before, now, strict=True):
        assert (one["call"], one["request"]) == (then["call"], then["request"])
        assert [answer["message"] for answer in one["answers"]] == [answer["message"] for answer in then["answers"]]
    assert now == before
    assert {one["call"] for one in before} == {
        f"MatchService/{name}" for name in SERVICES["MatchService"].methods_by_name
    }
