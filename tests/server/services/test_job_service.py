"""Jobs on a real server: the library's results, for those who may; nothing of the server is at their mercy."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from hypothesis import given, settings
from hypothesis import strategies as st

from sniffai.jobs import JobResult, JobSpec, run_job
from sniffai.play.arena import ArenaSpec, jobs_of
from sniffai.v1 import analysis_service_pb2, job_service_pb2_grpc
from sniffai.v1 import job_service_pb2 as pb
from sniffai_server.app import JOB_SERVICE
from sniffai_server.jobs import worker
from tests.server.access.test_security import KeyFile, bearer, keys
from tests.server.support import TIMEOUT, choice, failure, running_server, stubs_of, told, view_message
from tests.test_docs import explained
from tests.waiting import wait_until

__all__ = ["keys"]

SMALL = next(jobs_of(ArenaSpec(a="greedy", b="random", players=2, pairings=2)))
"""It takes some milliseconds."""
LONG = next(jobs_of(ArenaSpec(a="search:simulations=1000000", b="random", players=2, pairings=2)))
"""It takes longer than any test."""
LISTED = {*explained("service.md"), *explained("errors.md")}
"""The reasons that are explained."""


@pytest.fixture(scope="module")
def served() -> Iterator[SimpleNamespace]:
    with running_server(jobs=True, slots=1, grace_seconds=0) as server, stubs_of(server.address) as stubs:
        stubs.server = server.server
        stubs.jobs = job_service_pb2_grpc.JobServiceStub(stubs.channel)
        yield stubs


def run(stubs: SimpleNamespace, spec: JobSpec | str, **options: Any) -> str:
    text = spec if isinstance(spec, str) else spec.to_json()
    return str(stubs.jobs.RunJob(pb.RunJobRequest(spec=text), timeout=TIMEOUT, **options).result)


def begin(stubs: SimpleNamespace, spec: JobSpec) -> tuple[Any, int]:
    """A job that runs: its call, and its process."""
    call = stubs.jobs.RunJob.future(pb.RunJobRequest(spec=spec.to_json()), timeout=TIMEOUT)
    wait_until(lambda: at_work(stubs.server))
    return call, at_work(stubs.server)[0]


def at_work(server: Any) -> list[int]:
    """The processes of jobs that run."""
    processes = [job._process for job in list(server.jobs._open.values())]
    return [one._process.pid for one in processes if one is not None and one.begun]


def state_of(pid: int) -> str:
    """``R`` and ``S`` of a process that runs, ``T`` of one that is stopped; empty where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return ""


def test_a_job_has_the_same_value_as_here(served: SimpleNamespace) -> None:
    here, there = run_job(SMALL), JobResult.from_json(run(served, SMALL))
    assert (there.address, there.value) == (here.address, here.value)


def test_it_is_off_unless_the_operator_turns_it_on(stubs: SimpleNamespace) -> None:
    stub = job_service_pb2_grpc.JobServiceStub(stubs.channel)
    error = failure(lambda: stub.RunJob(pb.RunJobRequest(spec=SMALL.to_json()), timeout=TIMEOUT))
    assert (error.code, error.reason) == ("PERMISSION_DENIED", "JOBS_OFF")


def test_only_keys_that_may(keys: KeyFile) -> None:
    may, may_not = keys.add("may", "--jobs"), keys.add("other")
    with running_server(jobs=True, slots=1, keys_file=str(keys.path)) as server, stubs_of(server.address) as stubs:
        stubs.jobs = job_service_pb2_grpc.JobServiceStub(stubs.channel)
        error = failure(lambda: run(stubs, SMALL, metadata=list(bearer(may_not).items())))
        assert (error.code, error.reason) == ("PERMISSION_DENIED", "JOBS_NOT_ALLOWED")
        assert failure(lambda: run(stubs, SMALL)).reason == "KEY_MISSING"
        assert JobResult.from_json(run(stubs, SMALL, metadata=list(bearer(may).items()))).address == SMALL.address


def test_health_tells_of_it_where_it_is_on(served: SimpleNamespace) -> None:
    health = health_pb2_grpc.HealthStub(served.channel)
    answer = health.Check(health_pb2.HealthCheckRequest(service=JOB_SERVICE), timeout=TIMEOUT)
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


@pytest.mark.parametrize(
    ("change", "code", "error", "reason", "field"),
    [
        ({"kind": "oracle"}, "INVALID_ARGUMENT", "LimitsError", "UNKNOWN_JOB", "kind"),
        ({"kind": "os:system"}, "INVALID_ARGUMENT", "LimitsError", "UNKNOWN_JOB", "kind"),
        ({"numbers": [0, -1]}, "INVALID_ARGUMENT", "LimitsError", "BAD_NUMBERS", "numbers"),
        ({"engine": "0.0.1/1"}, "FAILED_PRECONDITION", "LimitsError", "ENGINE_VERSION", "engine"),
        ({"more": 1}, "INVALID_ARGUMENT", "LimitsError", "UNKNOWN_FIELD", "more"),
        ({"limits": {"simulations": -1}}, "INVALID_ARGUMENT", "LimitsError", "OUT_OF_RANGE", "limits.simulations"),
    ],
)
def test_what_is_wrong_with_a_job_is_told_as_the_library_tells_it(
    served: SimpleNamespace, change: dict[str, Any], code: str, error: str, reason: str, field: str
) -> None:
    refusal = failure(lambda: run(served, json.dumps(SMALL.to_dict() | change)))
    assert (refusal.code, refusal.reason, refusal.metadata["error"], refusal.metadata["field"]) == (
        code,
        reason,
        error,
        field,
    )
    assert refusal.violations == ([("spec", reason)] if code == "INVALID_ARGUMENT" else [])


NO_JOBS = ["", "{", "[]", "null", "[" * 100_000, '{"kind": NaN}', '{"a": 1, "a": 1}', "9" * 9999]


@pytest.mark.parametrize("text", NO_JOBS, ids=lambda text: text[:8] or "empty")
def test_texts_that_are_no_job(served: SimpleNamespace, text: str) -> None:
    refusal = failure(lambda: run(served, text))
    assert (refusal.code, refusal.violations[0][0]) == ("INVALID_ARGUMENT", "spec")
    assert refusal.reason in LISTED


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150)
@given(st.data())
def test_jobs_by_chance_are_refused_by_their_fault(served: SimpleNamespace, data: st.DataObject) -> None:
    """Every member of the spec and of its parameters, replaced by anything: never UNKNOWN or INTERNAL."""
    spec = json.loads(SMALL.to_json())
    inside = data.draw(st.booleans())
    target = spec["parameters"] if inside else spec
    names = sorted(target.keys() - {"numbers"})  # a long range is much work, and no fault
    target[data.draw(st.sampled_from(names))] = data.draw(VALUES)
    refusal = None
    try:
        run(served, json.dumps(spec))
    except grpc.RpcError as error:
        refusal = told(error)
    if refusal is not None:
        assert refusal.code in ("INVALID_ARGUMENT", "FAILED_PRECONDITION"), refusal
        assert refusal.reason in LISTED


def test_a_cancelled_job_ends_at_once(served: SimpleNamespace) -> None:
    call, pid = begin(served, LONG)
    call.cancel()
    wait_until(lambda: state_of(pid) in ("", "Z"))
    wait_until(lambda: served.server.searches.busy == served.server.jobs.count == 0)
    assert run(served, SMALL)


def test_a_job_rests_while_somebody_waits_for_a_move(served: SimpleNamespace) -> None:
    """There is one slot. The search gets it although the job is in the middle, and the process of the job stands."""
    call, pid = begin(served, LONG)
    states = set()

    def look() -> bool:
        states.add(state_of(pid))
        return search.done()

    limits = {"time": {"nanos": 300_000_000}}
    request = analysis_service_pb2.RecommendMoveRequest(view=view_message(choice()), limits=limits)
    search = served.analysis.RecommendMove.future(request, timeout=TIMEOUT)
    wait_until(look)
    assert search.result().analysis.effort.simulations > 0
    assert "T" in states
    wait_until(lambda: state_of(pid) != "T")
    call.cancel()
    wait_until(lambda: served.server.searches.busy == 0)


def test_a_killed_process_is_told(served: SimpleNamespace) -> None:
    call, pid = begin(served, LONG)
    os.kill(pid, signal.SIGKILL)
    refusal = failure(call.result)
    assert (refusal.code, refusal.reason) == ("UNAVAILABLE", "JOB_DIED")
    assert refusal.retry_after > 0
    assert run(served, SMALL)


def test_a_job_that_takes_too_long_is_ended() -> None:
    with running_server(jobs=True, slots=1, job_seconds=0.2) as server, stubs_of(server.address) as stubs:
        stubs.jobs = job_service_pb2_grpc.JobServiceStub(stubs.channel)
        refusal = failure(lambda: run(stubs, LONG))
        assert (refusal.code, refusal.reason, refusal.retry_after) == ("RESOURCE_EXHAUSTED", "JOB_TOO_LONG", None)
        wait_until(lambda: server.server.searches.busy == 0)


def test_a_server_that_ends_tells_its_jobs() -> None:
    """With no grace period; the one that waits is told at once, the one that runs at the end of the period."""
    with running_server(jobs=True, slots=1, grace_seconds=0) as server, stubs_of(server.address) as stubs:
        stubs.jobs = job_service_pb2_grpc.JobServiceStub(stubs.channel)
        stubs.server = server.server
        running, pid = begin(stubs, LONG)
        waiting = stubs.jobs.RunJob.future(pb.RunJobRequest(spec=LONG.to_json()), timeout=TIMEOUT)
        wait_until(lambda: len(server.server.jobs._open) == 2)
    assert {failure(call.result).code for call in (running, waiting)} <= {"UNAVAILABLE", "CANCELLED"}
    assert state_of(pid) in ("", "Z")


# The process of a job


def test_the_fence_of_a_job_process() -> None:
    """No files but those of Python and its packages, no connections, no other programs."""
    script = """
import os, socket, subprocess, sys
from pathlib import Path
from sniffai.errors import LimitsError
from sniffai_server.jobs.worker import fence
fence()
tries = {
    "read": lambda: open("/etc/hostname"),
    "read by path": lambda: Path("/etc/hostname").read_text(),
    "read around": lambda: open(os.path.join(os.path.dirname(os.__file__), "../../../etc/hostname")),
    "read low": lambda: os.open("/etc/hostname", os.O_RDONLY),
    "write": lambda: open(os.devnull, "w"),
    "write a package": lambda: open(os.path.join(os.path.dirname(os.__file__), "new.py"), "w"),
    "connect": lambda: socket.socket(),
    "run": lambda: subprocess.run(["true"]),
    "system": lambda: os.system("true"),
    "fork": lambda: os.fork(),
    "remove": lambda: os.remove("/nothing"),
}
for name, act in tries.items():
    try:
        act()
    except LimitsError as error:
        assert error.reason == "NOT_IN_A_JOB"
    else:
        print("not refused:", name)
import colorsys, wave
from sniffai.equity import load
load(2)
print("done")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_a_job_without_memory_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: JobSpec) -> JobResult:
        raise MemoryError

    monkeypatch.setattr(worker, "run_job", full)
    assert worker.answer(SMALL.to_json()) == worker.NO_MEMORY


def test_a_fault_of_the_engine_is_told_to_the_operator_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(_: JobSpec) -> JobResult:
        raise KeyError("secret")

    monkeypatch.setattr(worker, "run_job", fault)
    answer = worker.answer(SMALL.to_json())
    assert answer.startswith(worker.FAULT) and b"secret" in answer
