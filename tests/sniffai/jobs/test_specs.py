"""Jobs as pure data: canonical, checked, and done by one function of each kind."""

import json
import pickle
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

import pytest

import sniffai
from sniffai.errors import LimitsError, SniffError
from sniffai.jobs import JobResult, JobSpec, engine_version, run_job
from sniffai.jobs.kinds import KINDS, work_of
from sniffai.lab.training import TrainingPlan
from sniffai.search.params import Limits

ARENA = {"a": "random", "b": "greedy", "players": 2, "whole_matches": False, "seed": 3, "luck": True}
JOB = JobSpec("arena", ARENA, range(2, 5), ("é \u2028",), Limits(simulations=7, stop_when_decided=True))


def test_the_engine_is_told_by_version_and_signature() -> None:
    version, signature = engine_version().split("/")
    assert version == sniffai.__version__
    assert signature.isdecimal()


def test_a_job_comes_back_from_its_canonical_text() -> None:
    text = JOB.to_json()
    assert text.isascii()
    assert "\n" not in text
    again = JobSpec.from_json(text)
    assert (again, again.address, again.to_json(), hash(again)) == (JOB, JOB.address, text, hash(JOB))
    turned = json.dumps(dict(reversed(json.loads(text).items())), indent=1)
    assert JobSpec.from_json(turned).to_json() == text
    assert pickle.loads(pickle.dumps(JOB)).address == JOB.address


@pytest.mark.parametrize(
    "other",
    [
        {"kind": "exploit"},
        {"parameters": ARENA | {"seed": 4}},
        {"numbers": range(2, 6)},
        {"records": ()},
        {"limits": Limits(simulations=8)},
        {"engine": "0.0.1/1"},
    ],
)
def test_every_field_is_part_of_the_address(other: dict[str, Any]) -> None:
    assert replace(JOB, **other).address != JOB.address


def test_parameters_are_copied() -> None:
    parameters: dict[str, Any] = {"scores": [1, 2]}
    job = JobSpec("arena", parameters)
    parameters["scores"].append(3)
    assert job.parameters == {"scores": [1, 2]}


@pytest.mark.parametrize(
    ("wrong", "reason", "field"),
    [
        ({"kind": "os:system"}, "UNKNOWN_JOB", "kind"),
        ({"kind": ["arena"]}, "UNKNOWN_JOB", "kind"),
        ({"parameters": [1]}, "NOT_AN_OBJECT", "parameters"),
        ({"parameters": {1: 2}}, "NOT_AN_OBJECT", "parameters"),
        ({"parameters": {"a": float("nan")}}, "NOT_PLAIN", "parameters"),
        ({"parameters": {"a": object()}}, "NOT_PLAIN", "parameters"),
        ({"parameters": {"a": "\ud800"}}, "NOT_PLAIN", "parameters"),
        ({"numbers": range(5, 2)}, "BAD_NUMBERS", "numbers"),
        ({"numbers": range(-1, 2)}, "BAD_NUMBERS", "numbers"),
        ({"numbers": range(0, 9, 3)}, "BAD_NUMBERS", "numbers"),
        ({"numbers": range(2**63)}, "BAD_NUMBERS", "numbers"),
        ({"numbers": [1, 2]}, "BAD_NUMBERS", "numbers"),
        ({"records": "text"}, "NOT_TEXTS", "records"),
        ({"records": ["a", 1]}, "NOT_TEXT", "records[1]"),
        ({"records": ["a\ud800"]}, "BAD_TEXT", "records[0]"),
        ({"limits": {}}, "NOT_LIMITS", "limits"),
        ({"engine": 1}, "NOT_TEXT", "engine"),
    ],
)
def test_a_wrong_field_is_named(wrong: dict[str, Any], reason: str, field: str) -> None:
    with pytest.raises(LimitsError) as error:
        JobSpec(**({"kind": "arena"} | wrong))
    assert (error.value.reason, error.value.field) == (reason, field)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "UNREADABLE"),
        ("[]", "NOT_AN_OBJECT"),
        ("{}", "MISSING_FIELD"),
        ('{"kind": 1, "kind": 2}', "KEY_TWICE"),
        (JOB.to_json().replace('"seed":3', '"seed":NaN'), "NOT_JSON"),
        (JOB.to_json().replace('"kind"', '"kinds"'), "UNKNOWN_FIELD"),
        (JOB.to_json().replace('"simulations":7', '"simulations":0'), "OUT_OF_RANGE"),
        (JOB.to_json().replace('"simulations":7', '"sims":7'), "UNKNOWN_FIELD"),
        (JOB.to_json().replace('"numbers":[2,5]', '"numbers":[2,"5"]'), "BAD_NUMBERS"),
        (JOB.to_json().replace('"numbers":[2,5]', '"numbers":null'), "BAD_NUMBERS"),
        ("[" * 100_000, "UNREADABLE"),
    ],
)
def test_a_wrong_text_is_refused(text: str, reason: str) -> None:
    with pytest.raises(SniffError) as error:
        JobSpec.from_json(text)
    assert error.value.reason in (reason, "LIMIT_OUT_OF_RANGE")


def test_another_engine_does_no_job() -> None:
    message = f"this engine is {engine_version()}, but the job requires 0.0.9/1; results of different engines"
    with pytest.raises(LimitsError, match=message) as error:
        run_job(replace(JOB, engine="0.0.9/1"))
    assert (error.value.reason, error.value.field) == ("ENGINE_VERSION", "engine")


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_refuses_parameters_that_it_does_not_know(kind: str) -> None:
    assert callable(work_of(kind))
    for parameters in ({}, {"nothing": 1}):
        with pytest.raises(SniffError) as error:
            run_job(JobSpec(kind, parameters, range(1)))
        assert error.value.reason in ("MISSING_FIELD", "UNKNOWN_FIELD")


HOSTILE = [None, True, -1, 2**70, 1.5, "x", "random:" * 1000, [], {}, [[1]], {"a": 1}]


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_parameters_are_errors_of_the_library(kind: str) -> None:
    """Whatever the values are: a clear error, or a result."""
    names = {
        "arena": ARENA,
        "beliefs": {"players": 2, "seed": 1, "player": "greedy", "worlds": 10, "share": None},
        "choices": {"player": "greedy", "players": 2, "seed": 1},
        "equity-matches": {"player": "policy", "players": 2, "scores": [0, 0], "leader": 0, "seed": 1},
        "equity-rounds": {"player": "policy", "players": 2, "seed": 1},
        "exploit": {"target": "greedy", "players": 2, "seed": 1, "simulations": 10, "worlds": 5},
        "review": {"round": 0, "seed": 1},
        "training": asdict(TrainingPlan(2, 3)),
    }[kind]
    records = (sniffai.Round.deal(2, seed=1).to_text(),) if kind == "review" else ()
    sound = JobSpec(kind, names, range(1), records, Limits(simulations=10))
    assert JobResult.from_json(run_job(sound).to_json()).value == run_job(sound).value
    for name in names:
        for value in HOSTILE:
            with suppress(SniffError):
                run_job(replace(sound, parameters=dict(names) | {name: value}))
    with pytest.raises(SniffError):
        run_job(replace(sound, numbers=range(0), records=()))


def test_the_text_of_a_result_comes_back_exactly() -> None:
    result = JobResult("a" * 32, [0.1, 1e300, -0.0, 2**80, "é", None], 0.123456789, {"x": [1.5]})
    assert JobResult.from_json(result.to_json()) == result


@pytest.mark.parametrize("text", ["", "[]", "{}", "1", "null", '{"address":1,"value":2,"seconds":3,"measured":{}}'])
def test_the_text_of_something_else_is_refused(text: str) -> None:
    with pytest.raises(SniffError, match="the result of a job is expected"):
        JobResult.from_json(text)
