"""Jobs on a real Ray: a cluster of this machine, whose workers, nodes and drivers are killed."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sniffai.errors import LimitsError, SniffError
from sniffai.jobs import LostJobError, executor_named, run_job
from sniffai.jobs import ray as module
from sniffai.jobs.processes import AHEAD, MOST_TRIES
from sniffai.jobs.ray import RayExecutor
from sniffai.lab import training
from tests.e2e.jobs.work import LONG, ROOT, driver, expected, processes_with, short, texts
from tests.waiting import wait_until

STORE = 100 << 20
"""Bytes of a node's object store; Ray's least is 75 MiB."""
ARENA = ["arena", "search:simulations=2000", "greedy", "--deals", "48", "--json"]
ACTOR = "ray::Worker"
"""What the command line of an actor's process begins with."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """One node with one core."""
    from ray.cluster_utils import Cluster

    started = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": STORE})
    yield started
    started.shutdown()


@pytest.fixture
def name(cluster: Any) -> str:
    return f"ray:{cluster.address}"


def actors(busy: str = "") -> list[int]:
    """The processes of actors; ``busy`` is the method that they are at, such as ``run``."""
    return processes_with(f"{ACTOR}.{busy}" if busy else ACTOR)


def test_a_worker_killed_in_the_middle_of_a_job(name: str) -> None:
    with executor_named(name, workers=1) as executor, closing(executor.run(short(6))) as results:
        found = [next(results)]
        wait_until(lambda: actors("run"))
        os.kill(actors("run")[0], signal.SIGKILL)
        found += results
    assert texts(found) == expected(6)


def test_nodes_come_and_go(cluster: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second core does jobs as soon as it is there. When its node is gone, the first one does the rest."""
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.2)
    with RayExecutor(cluster.address) as executor, closing(executor.run(short(40))) as results:
        found = [next(results)]
        node = cluster.add_node(num_cpus=1, object_store_memory=STORE)
        while len(executor._actors) < 2 or not all(actor.ready for actor in executor._actors):
            found.append(next(results))
        found.append(next(results))
        cluster.remove_node(node, allow_graceful=False)
        found += results
    assert texts(found) == expected(40)


def test_a_driver_killed_and_resumed(name: str, tmp_path: Path) -> None:
    """The output is that of processes here, and no job is there twice."""
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    command = [sys.executable, "-m", "sniffai", *ARENA]
    remote = [*command, "--executor", name, "--workers", "1", "--results", str(there)]

    def lines(file: Path) -> list[dict[str, Any]]:
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    with subprocess.Popen(remote, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        wait_until(lambda: len(lines(there)) > 2, 60)
        process.kill()
    kept = len(lines(there)) - 1
    again = subprocess.run(remote, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    local = [*command, "--workers", "1", "--results", str(here)]
    alone = subprocess.run(local, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    assert json.loads(again)["games"] == json.loads(alone)["games"]
    assert 2 <= kept < len(lines(here)) - 1
    assert same(lines(there)) == same(lines(here))


def same(lines: list[dict[str, Any]]) -> list[str]:
    """What results of two runs have in common, in one order: all but times."""
    return sorted(json.dumps({name: line[name] for name in ("address", "value")}) for line in lines[1:])


def test_a_training_goes_from_actor_to_actor(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part goes on from the weights of the one before, also when the actor that made them is killed."""
    monkeypatch.setattr(training, "ROUNDS_OF_JOB", 2000)
    plan = training.TrainingPlan(2, 6000)
    killed: list[int] = []

    def kill(done: int) -> None:
        if done == 2000:
            killed.extend(actors())
            os.kill(killed[0], signal.SIGKILL)

    with executor_named(name, workers=1) as executor:
        assert training.train_nets(plan, kill, executor) == training.train_nets(plan)
    assert len(killed) == 1


def test_jobs_end_with_their_driver_however_it_ends(name: str) -> None:
    for number in (signal.SIGINT, signal.SIGKILL):
        with driver(name) as process:
            wait_until(lambda: actors("run"))
            process.send_signal(number)
            wait_until(lambda: not actors("run"))
            assert process.wait(30) != 0


def test_errors_are_those_of_run_job(name: str) -> None:
    (sound,) = short(1)
    wrong = type(sound)("arena", {**sound.parameters, "a": "nobody"}, sound.numbers)
    with pytest.raises(SniffError) as here:
        run_job(wrong)
    with executor_named(name, workers=1) as executor:
        with pytest.raises(SniffError) as there:
            list(executor.run([sound, wrong]))
        assert texts(executor.run([sound])) == expected(1)
    assert (type(there.value), str(there.value)) == (type(here.value), str(here.value))
    assert (there.value.reason, there.value.field) == (here.value.reason, here.value.field)


def test_a_job_that_kills_its_worker_again_and_again_is_given_up(name: str) -> None:
    """The job that lies ready behind it does not count as one."""
    killed: list[int] = []
    with executor_named(name, workers=1) as executor, closing(executor.run([LONG, *short(1)])) as results:
        enough = threading.Event()

        def kill() -> None:
            while not enough.wait(0.05):
                for pid in set(actors("run")) - {*killed}:
                    killed.append(pid)
                    os.kill(pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            with pytest.raises(LostJobError) as raised:
                list(results)
        finally:
            enough.set()
            killer.join()
    assert raised.value.tries == MOST_TRIES == len(killed)


def test_another_engine_does_no_job(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "engine_version", lambda: "0.0.1/1")
    with executor_named(name, workers=1) as executor, pytest.raises(LimitsError) as raised:
        list(executor.run(short(1)))
    assert (raised.value.reason, raised.value.field) == ("ENGINE_VERSION", "engine")


def test_few_specs_are_taken_before_their_turn(name: str) -> None:
    taken = 0

    def counted() -> Iterator[Any]:
        nonlocal taken
        for spec in short(100):
            taken += 1
            yield spec

    with executor_named(name, workers=1) as executor, closing(executor.run(counted())) as results:
        next(results)
        assert taken <= AHEAD + 1


def test_no_cluster_at_the_address() -> None:
    with pytest.raises(LimitsError, match=r"127\.0\.0\.1:1") as raised:
        executor_named("ray:127.0.0.1:1")
    assert raised.value.reason == "NO_CLUSTER"


def test_a_ray_of_this_machine() -> None:
    """Started with the executor, ended with it."""
    with executor_named("ray", workers=2) as executor:
        assert texts(executor.run(short(6))) == expected(6)
    wait_until(lambda: not actors())
