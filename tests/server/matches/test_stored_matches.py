"""Matches as an earlier version stored them: they must still be the same matches.

If a test here fails, matches that are going on now would break. Do not record them again: read the old form too.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from sniffai import wire
from sniffai.play.match_log import MatchLog, Step, StepKind
from sniffai_server.matches.terms import Terms

STORED = json.loads((Path(__file__).parents[2] / "data" / "stored_matches.json").read_text(encoding="utf-8"))


def replayed(stored: dict[str, Any]) -> MatchLog:
    """A match from what was stored of it."""
    steps = [Step(StepKind(kind), time, seat, text) for kind, time, seat, text in stored["steps"]]
    return MatchLog(Terms.from_text(stored["setup"]).log, steps)


def digests(log: MatchLog) -> list[str]:
    """What each seat may see, and all that it saw, as short numbers."""
    found = []
    for seat in range(log.players):
        events = b"".join(wire.write_match_event(one).SerializeToString(deterministic=True) for one in log.events(seat))
        view = wire.write_match_view("m", log.view(seat)).SerializeToString(deterministic=True)
        found.append(hashlib.sha256(events + view).hexdigest())
    return found


@pytest.mark.parametrize("stored", STORED, ids=lambda stored: f"{len(stored['digests'])} seats")
def test_a_stored_match_is_still_the_same(stored: dict[str, Any]) -> None:
    log = replayed(stored)
    assert log.number == stored["events"]
    assert list(log.scores) == stored["scores"]
    assert digests(log) == stored["digests"]
    fields, now = json.loads(stored["setup"]), json.loads(Terms.from_text(stored["setup"]).to_text())
    assert fields["form"] == 1
    assert now == {**fields, "form": 2, "wait": fields["idle"], "weight": 1}  # as it was promised when the match began
    assert Terms.from_text(json.dumps(now)) == Terms.from_text(stored["setup"])


@pytest.mark.parametrize("stored", STORED, ids=lambda stored: f"{len(stored['digests'])} seats")
def test_every_step_can_be_made_alone(stored: dict[str, Any]) -> None:
    """A copy with one step more is the match with one step more, whatever came before."""
    whole = replayed(stored)
    log = whole.at(0)
    for step in whole.steps:
        before, number = log.view(0), log.number
        after = log.copy()
        after.apply(step)
        assert log.view(0) == before
        assert after.events(0)[:number] == log.events(0)
        log = after
    assert log == whole
    assert digests(log) == digests(whole)
