"""The executor ``grpc`` with real servers: the results of ``local``, whatever happens to a server."""

import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest

from sniffai.client import ServiceError, Tls, job_servers
from sniffai.client import executor as module
from sniffai.client.connection import Connection
from sniffai.client.executor import GrpcExecutor
from sniffai.client.job_servers import JobServer, Verdict, verdict_of
from sniffai.errors import LimitsError, SniffError
from sniffai.jobs import JobResult, JobSpec, LocalExecutor, LostJobError, executor_named, run_job
from sniffai.jobs.processes import MOST_TRIES
from sniffai.lab import training
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


def test_a_training_goes_from_server_to_server(servers: list[LoopbackServer], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part goes on from the weights of the one before, wherever that was done."""
    monkeypatch.setattr(training, "ROUNDS_OF_JOB", 2)
    plan = training.TrainingPlan(2, 6)
    with over(servers) as remote:
        assert training.train_nets(plan, executor=remote) == training.train_nets(plan)


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


class NameServer:
    """Answers what IPv4 addresses a name has, whatever the name."""

    def __init__(self, *hosts: str) -> None:
        self.hosts: Sequence[str] = hosts
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._answer)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.sendto(b"", ("127.0.0.1", self.port))
        self._thread.join()
        self._socket.close()

    def _answer(self) -> None:
        while True:
            question, asker = self._socket.recvfrom(512)
            if not question:
                return
            end = question.index(b"\0", 12) + 5
            hosts = self.hosts if question[end - 4 : end - 2] == b"\0\1" else ()
            rows = [b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4" + socket.inet_aton(host) for host in hosts]
            head = question[:2] + b"\x81\x80\0\1" + len(rows).to_bytes(2) + bytes(4)
            self._socket.sendto(head + question[12:end] + b"".join(rows), asker)

    def name(self, port: str) -> str:
        """An address whose name is looked up here."""
        return f"dns://127.0.0.1:{self.port}/servers.test:{port}"


@contextmanager
def behind_a_name(slots: int = 1, **settings: bool) -> Iterator[tuple[NameServer, str, dict[str, LoopbackServer]]]:
    """A name server, the name, and the servers behind it: each has an address of this machine, all the same port.

    :param slots: of each server.
    :param settings: by the last number of the address, whether the server runs jobs.
    """
    given = {"slots": slots, "grace_seconds": 0}
    with ExitStack() as stack:
        running: dict[str, LoopbackServer] = {}
        port = "0"
        for host, jobs in settings.items():
            one = running_server(host=f"127.0.0.{host[1:]}", port=int(port), jobs=jobs, **given)
            running[host] = stack.enter_context(one)
            port = running[host].address.rpartition(":")[2]
        names = stack.enter_context(NameServer(*(f"127.0.0.{host[1:]}" for host in running)))
        yield names, names.name(port), running


def calls(server: LoopbackServer, code: str) -> float:
    """How many jobs a server has answered with a status."""
    labels = {"method": "sniffai.v1.JobService/RunJob", "code": code}
    return server.server.metrics.registry.get_sample_value("sniffai_requests_total", labels) or 0


@pytest.fixture
def looked_up(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets what the system knows of a name: addresses, none where only gRPC can look it up."""

    def know(*hosts: str) -> None:
        def find(*_: Any, **options: Any) -> list[Any]:
            if not hosts:
                raise OSError("unknown")
            kinds = [socket.AF_INET6 if ":" in host else socket.AF_INET for host in hosts]
            return [(kind, 1, 6, "", (host, 0)) for kind, host in zip(kinds, hosts, strict=True)]

        fake = SimpleNamespace(getaddrinfo=find, SOCK_STREAM=socket.SOCK_STREAM)
        monkeypatch.setattr(job_servers, "socket", fake)

    return know


def test_all_servers_behind_a_name_work(
    looked_up: Callable[..., None], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of three runs no jobs. In mid-run another one is drained, and a new one has its place."""
    options = {**dict(job_servers.OPTIONS), "grpc.dns_min_time_between_resolutions_ms": 10}
    monkeypatch.setattr(job_servers, "OPTIONS", list(options.items()))
    expected = values(map(run_job, tiny(60)))
    with behind_a_name(h2=True, h3=True, h4=False, h5=True) as (names, name, running):
        looked_up("127.0.0.2", "127.0.0.3", "127.0.0.4")
        names.hosts = ["127.0.0.2", "127.0.0.3", "127.0.0.4"]
        found: list[JobResult] = []
        with GrpcExecutor([name]) as remote, closing(remote.run(tiny(60))) as results:
            for result in results:
                found.append(result)
                if len(found) == 20:
                    assert all(calls(running[host], "OK") > 0 for host in ("h2", "h3"))
                    assert remote._servers[0].room == 6  # a slot each, and one job that lies ready
                    names.hosts = ["127.0.0.3", "127.0.0.4", "127.0.0.5"]
                    running["h2"].call(running["h2"].server.drain())
        assert values(found) == expected
        assert calls(running["h4"], "PERMISSION_DENIED") > 0
        assert calls(running["h5"], "OK") > 0
    assert [record.message.count("JOBS_OFF") for record in caplog.records].count(1) == 1


@pytest.mark.parametrize("known", [["127.0.0.2", "127.0.0.3"], []])
def test_a_name_is_left_out_once_all_behind_it_refuse(looked_up: Callable[..., None], known: list[str]) -> None:
    with behind_a_name(h2=False, h3=False) as (_, name, running):
        looked_up(*known)
        with GrpcExecutor([name], workers=4) as remote:
            for _ in range(2):
                with pytest.raises(ServiceError, match="JOBS_OFF"):
                    list(remote.run(tiny(20)))
        assert all(calls(server, "PERMISSION_DENIED") > 1 for server in running.values())


def test_a_name_is_kept_while_one_behind_it_is_at_work(looked_up: Callable[..., None]) -> None:
    """Of two servers one is at work on a long job; the other refuses, again and again."""
    looked_up("127.0.0.2", "127.0.0.3")
    with behind_a_name(2, h2=True, h3=False) as (_, name, running), GrpcExecutor([name], workers=2) as remote:
        with closing(remote.run([LONG, *tiny(20)])) as results:
            assert len([next(results) for _ in range(20)]) == 20
            assert at_work([running["h2"]])
        assert calls(running["h3"], "PERMISSION_DENIED") > 0


@pytest.mark.parametrize(
    ("address", "known", "count"),
    [
        ("name.test:1", ["192.0.2.1", "192.0.2.2", "192.0.2.2", "2001:db8::1"], 2),
        ("name.test:1", ["127.0.0.1", "::1"], 1),
        ("name.test:1", [], None),
        ("unix:/run/s.sock", ["192.0.2.1"], 1),
        ("xds:///s", ["192.0.2.1"], None),
    ],
)
def test_how_many_servers_are_behind_an_address(
    looked_up: Callable[..., None], address: str, known: list[str], count: int | None
) -> None:
    looked_up(*known)
    server = JobServer(Connection(address, 1.0, None, None, False), None)
    assert server._count_behind() == count
    server.close()


def test_addresses_without_a_name_are_servers_of_their_own(servers: list[LoopbackServer]) -> None:
    address = "ipv4:" + ",".join(server.address for server in servers)
    with GrpcExecutor([address]) as remote:
        assert [server.connection.address for server in remote._servers] == [server.address for server in servers]
        assert len(values(remote.run(tiny(12)))) == 12


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
