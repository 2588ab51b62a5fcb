"""The executor ``grpc`` with real servers: the results of ``local``, whatever happens to a server."""

import logging
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sniffai.client import ServiceError, Tls
from sniffai.client import executor as module
from sniffai.client.executor import GrpcExecutor
from sniffai.client.job_servers import Verdict, verdict_of
from sniffai.errors import LimitsError, SniffError
from sniffai.jobs import JobResult, JobSpec, LocalExecutor, LostJobError, executor_named, run_job
from sniffai.jobs.processes import MOST_TRIES
from sniffai.play.arena import ArenaSpec, jobs_of
from tests.server.access.test_security import Authority, KeyFile
from tests.server.support import LoopbackServer, running_server
from tests.waiting import wait_until

SPEC = ArenaSpec(a="greedy", b="random", players=2, pairings=1)
TINY = replace(next(jobs_of(SPEC)), numbers=range(1))
"""It takes about a millisecond."""
LONG = next(jobs_of(ArenaSpec(a="search:simulations=1000000", b="random", players=2, pairings=2)))
"""It takes longer than any test."""


def tiny(count: int) -> Iterator[JobSpec]:
    for number in range(count):
        yield replace(TINY, numbers=range(number, number + 1))


def values(results: Any) -> dict[str, Any]:
    """The values by address; each address once."""
    found: dict[str, Any] = {}
    for result in results:
        assert result.address not in found
        found[result.address] = result.value
    return found


@pytest.fixture(scope="module")
def servers() -> Iterator[list[LoopbackServer]]:
    with several(2) as running:
        yield running


@contextmanager
def several(count: int, **settings: Any) -> Iterator[list[LoopbackServer]]:
    given = {"jobs": True, "slots": 1, "grace_seconds": 0, **settings}
    with ExitStack() as stack:
        yield [stack.enter_context(running_server(**given)) for _ in range(count)]


def over(servers: Sequence[LoopbackServer], **options: Any) -> GrpcExecutor:
    return GrpcExecutor([server.address for server in servers], **options)


def at_work(servers: Sequence[LoopbackServer]) -> list[int]:
    """The processes of the jobs that run."""
    jobs = [job for server in servers for job in list(server.server.jobs._open.values())]
    return [process._process.pid for job in jobs if (process := job._process) and process.begun]


def test_the_values_are_those_of_local(servers: list[LoopbackServer]) -> None:
    with LocalExecutor() as local, over(servers) as remote:
        expected = values(local.run(tiny(12)))
        assert values(remote.run(tiny(12))) == expected
        assert values(remote.run(tiny(3))).items() <= expected.items()


def test_a_spec_that_is_given_twice_is_answered_twice(servers: list[LoopbackServer]) -> None:
    with over(servers) as remote:
        assert [result.address for result in remote.run([TINY, TINY])] == [TINY.address] * 2


def test_servers_that_end_and_processes_that_die_change_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """Of three servers one is drained in mid-run, one never was there, and a process of the third is killed."""
    expected = values(map(run_job, tiny(36)))
    with several(2) as running, GrpcExecutor([*(one.address for one in running), "127.0.0.1:1"], workers=4) as remote:
        found: list[JobResult] = []
        with closing(remote.run(tiny(36))) as results:
            for result in results:
                found.append(result)
                if len(found) == 10:
                    running[0].call(running[0].server.drain())
                if len(found) == 20:
                    for process in running[1].server.jobs.processes._idle:
                        process.kill()
    assert values(found) == expected


def test_what_is_wrong_with_a_job_is_raised_as_local_raises_it(servers: list[LoopbackServer]) -> None:
    wrong = [
        replace(TINY, parameters={**TINY.parameters, "a": "nobody"}),
        replace(TINY, parameters={**TINY.parameters, "players": 7}),
        replace(TINY, parameters={}),
        replace(TINY, engine="0.0.1/1"),
    ]

    def told(executor: Any, spec: JobSpec) -> tuple[Any, ...]:
        with pytest.raises(SniffError) as raised:
            list(executor.run([spec]))
        return type(raised.value), str(raised.value), raised.value.reason, raised.value.field

    with LocalExecutor() as local, over(servers) as remote:
        assert [told(remote, spec) for spec in wrong] == [told(local, spec) for spec in wrong]
        assert values(remote.run([TINY])).keys() == {TINY.address}


def test_what_the_specs_raise_is_raised(servers: list[LoopbackServer]) -> None:
    def broken() -> Iterator[JobSpec]:
        yield TINY
        raise KeyError("mine")

    with over(servers) as remote, pytest.raises(KeyError, match="mine"):
        list(remote.run(broken()))


def test_few_specs_are_taken_before_their_turn(servers: list[LoopbackServer]) -> None:
    taken = 0

    def counted() -> Iterator[JobSpec]:
        nonlocal taken
        for spec in tiny(1000):
            taken += 1
            yield spec

    with over(servers) as remote, closing(remote.run(counted())) as results:
        next(results)
        assert taken <= 2 * len(servers) + 1


def test_closing_the_iterator_ends_the_jobs_on_the_servers(servers: list[LoopbackServer]) -> None:
    with over(servers[:1]) as remote:
        results = remote.run([TINY, LONG])
        next(results)
        wait_until(lambda: at_work(servers))
        results.close()
        wait_until(lambda: not at_work(servers))
        assert values(remote.run([TINY]))


def test_a_job_that_kills_its_process_again_and_again_is_given_up(servers: list[LoopbackServer]) -> None:
    lost = pytest.raises(LostJobError, match="JOB_DIED")
    with over(servers[:1]) as remote, killing(servers) as killed, lost as raised:
        list(remote.run([LONG]))
    assert raised.value.tries == len(killed) == MOST_TRIES


@contextmanager
def killing(servers: Sequence[LoopbackServer]) -> Iterator[set[int]]:
    """Kill every process that has a job."""
    killed: set[int] = set()
    enough = threading.Event()

    def work() -> None:
        while not enough.wait(0.005):
            for pid in set(at_work(servers)) - killed:
                killed.add(pid)
                os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield killed
    finally:
        enough.set()
        thread.join()


def test_a_server_that_runs_no_jobs_is_left_out(
    servers: list[LoopbackServer], caplog: pytest.LogCaptureFixture
) -> None:
    with running_server() as other, caplog.at_level(logging.WARNING):
        with over([other, servers[0]]) as remote:
            assert len(values(remote.run(tiny(12)))) == 12
        assert [record.message.count("JOBS_OFF") for record in caplog.records] == [1]
        with over([other]) as remote:
            for _ in range(2):
                with pytest.raises(ServiceError, match="JOBS_OFF") as raised:
                    list(remote.run([TINY]))
                assert raised.value.code == "PERMISSION_DENIED"


def test_no_server_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """That is no error where there is nothing to do."""
    monkeypatch.setattr(module, "FIRST_PATIENCE", 0.3)
    with GrpcExecutor(["127.0.0.1:1"]) as remote:
        assert list(remote.run([])) == []
        with pytest.raises(ServiceError, match=r"127\.0\.0\.1:1") as raised:
            list(remote.run([TINY]))
    assert raised.value.code == "UNAVAILABLE"


def test_tls_and_keys(tmp_path: Path) -> None:
    authority, keys = Authority(tmp_path), KeyFile(tmp_path)
    (cert, private), key = authority.issue("server", "127.0.0.1"), keys.add("bulk", "--jobs")
    settings = {"tls_cert": cert, "tls_key": private, "keys_file": str(keys.path)}
    with running_server(jobs=True, slots=1, **settings) as server:
        with executor_named(f"grpc:{server.address}", tls=Tls(root=authority.file), api_key=key) as remote:
            assert values(remote.run([TINY]))
        keyless = executor_named(f"grpc:{server.address}", tls=Tls(root=authority.file))
        with keyless as remote, pytest.raises(ServiceError, match="KEY_MISSING"):
            list(remote.run([TINY]))


@pytest.mark.parametrize(
    ("code", "reason", "retry_after", "verdict"),
    [
        ("UNAVAILABLE", "", None, Verdict.AWAY),
        ("CANCELLED", "", None, Verdict.AWAY),
        ("UNAVAILABLE", "SHUTTING_DOWN", 0.1, Verdict.AWAY),
        ("UNAVAILABLE", "QUEUE_FULL", 1.0, Verdict.BUSY),
        ("RESOURCE_EXHAUSTED", "TOO_MANY_CALLS", 1.0, Verdict.BUSY),
        ("DEADLINE_EXCEEDED", "EXPIRED_IN_QUEUE", None, Verdict.BUSY),
        ("UNAVAILABLE", "JOB_DIED", 0.1, Verdict.DIED),
        ("DEADLINE_EXCEEDED", "", None, Verdict.DIED),
        ("INTERNAL", "INTERNAL", None, Verdict.DIED),
        ("FAILED_PRECONDITION", "ENGINE_VERSION", None, Verdict.UNFIT),
        ("PERMISSION_DENIED", "JOBS_OFF", None, Verdict.UNFIT),
        ("UNAUTHENTICATED", "KEY_UNKNOWN", None, Verdict.UNFIT),
        ("UNIMPLEMENTED", "UNKNOWN_METHOD", None, Verdict.UNFIT),
        ("UNIMPLEMENTED", "", None, Verdict.UNFIT),
        ("INVALID_ARGUMENT", "UNKNOWN_JOB", None, Verdict.WRONG),
        ("RESOURCE_EXHAUSTED", "JOB_TOO_LONG", None, Verdict.WRONG),
        ("RESOURCE_EXHAUSTED", "", None, Verdict.WRONG),
    ],
)
def test_what_a_failed_call_says(code: str, reason: str, retry_after: float | None, verdict: Verdict) -> None:
    assert verdict_of(ServiceError(code, "no", reason, (), retry_after)) is verdict


@pytest.mark.parametrize(
    ("name", "options", "reason", "field"),
    [
        ("grpc:", {}, "BAD_ADDRESS", "executor"),
        ("grpc:nowhere", {}, "BAD_ADDRESS", "address"),
        ("grpc:127.0.0.1:1", {"workers": 0}, "OUT_OF_RANGE", "workers"),
        ("grpc:127.0.0.1:1", {"tls": "ca.pem"}, "NOT_TLS", "tls"),
        ("grpc:127.0.0.1:1", {"api_key": " "}, "NOT_A_KEY", "api_key"),
        ("local", {"api_key": "key"}, "NOT_WITH_EXECUTOR", "api_key"),
    ],
)
def test_wrong_arguments(name: str, options: dict[str, Any], reason: str, field: str) -> None:
    with pytest.raises(LimitsError) as raised:
        executor_named(name, **options)
    assert (raised.value.reason, raised.value.field) == (reason, field)
