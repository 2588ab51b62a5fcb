"""What a job costs besides its work: whoever gives it out, the wire, the file of results.

``python -m benchmarks.job_costs`` measures the sizes of usual jobs, and the file of results. Executors, such as
``local@2 ray@2 grpc:HOST:PORT@2``, are each given tiny jobs, to measure the processor time that this process, and Ray's
own processes, take for each. ``--servers 50`` lets the executor ``grpc`` keep a thousand cores busy that are not there:
50 addresses with 20 slots each, all in one process, which answer each job after a second as a server would.
"""

import argparse
import asyncio
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import grpc

from benchmarks.jobs import opened
from sniffai.client.executor import GrpcExecutor
from sniffai.jobs import JobResult, JobSpec, open_results, run_job
from sniffai.lab.training import TrainingPlan
from sniffai.play.arena import ArenaSpec, jobs_of
from sniffai.search.params import Limits
from sniffai.v1 import engine_service_pb2, engine_service_pb2_grpc, job_service_pb2, job_service_pb2_grpc

CORES: Final = 1000
"""Of the cluster that is not there."""
JOB_SECONDS: Final = 1.0
"""How long a job takes there."""
ROUNDS: Final = 10_000
"""Of a job of a table of match equity."""
RAY_PROCESSES: Final = ("gcs_server", "raylet")
MOST: Final = 4096
"""Bytes of a process's command line that are looked at."""


def tiny(count: int) -> Iterator[JobSpec]:
    """Jobs of about a millisecond."""
    spec = next(jobs_of(ArenaSpec(a="greedy", b="random", players=2, pairings=1)))
    for number in range(count):
        yield JobSpec("arena", spec.parameters, range(number, number + 1))


def usual() -> dict[str, JobSpec]:
    """One job each of the kinds that are most usual."""
    contest = ArenaSpec(a="search", b="search", pairings=1, limits=Limits(simulations=2000))
    plan = TrainingPlan(players=2, rounds=2000)
    first = JobSpec("training", asdict(plan), range(1000))
    weights = tuple(run_job(first).value)
    return {
        "arena": next(jobs_of(contest)),
        "equity-rounds": equity_rounds(),
        "training": JobSpec("training", asdict(plan), range(1000, 2000), weights),
    }


def tell_sizes() -> None:
    """Print how large usual jobs and their results are."""
    for name, spec in usual().items():
        given, result = len(spec.to_json()), len(run_job(spec).to_json())
        print(f"  {name}: {given:,} bytes given, {result:,} bytes of result")


def tell_files(count: int = 2000) -> None:
    """Print what a result costs in a file."""
    specs = list(tiny(count))
    results = [JobResult(spec.address, run_job(specs[0]).value, 1.0) for spec in specs]
    for form in ("jsonl", "parquet"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"results.{form}"
            began = time.process_time()
            with open_results(path, "benchmark") as kept:
                for spec, result in zip(specs, results, strict=True):
                    kept.add(spec, result)
            spent = (time.process_time() - began) / count
            size = sum(file.stat().st_size for file in [path, *path.rglob("*")] if file.is_file()) / count
        print(f"  {form}: {1e3 * spent:.3f} ms of processor and {size:,.0f} bytes for each result")


def large(count: int) -> Iterator[JobSpec]:
    """Jobs with results of 300 kB."""
    spec = equity_rounds()
    for number in range(count):
        yield JobSpec(spec.kind, spec.parameters, range(ROUNDS * number, ROUNDS * (number + 1)))


def equity_rounds() -> JobSpec:
    """A job of a table of match equity."""
    return JobSpec("equity-rounds", {"player": "policy", "players": 2, "seed": 1}, range(ROUNDS))


def tell_driver(name: str, count: int) -> None:
    """Print what tiny jobs, and jobs with large results, cost this process, and Ray's."""
    with opened(name) as executor:
        for _ in executor.run(tiny(50)):
            pass
        for kind, specs in (("tiny", tiny(count)), ("large", large(max(2, count // 25)))):
            others, own = _ray_seconds(), time.process_time()
            done = sum(1 for _ in executor.run(specs))
            own, others = time.process_time() - own, _ray_seconds() - others
            of_ray = f", Ray's own processes {1e3 * others / done:.2f} ms" if name.startswith("ray") else ""
            print(f"  {name}, {kind} jobs: {1e3 * own / done:.2f} ms of processor for each{of_ray}")


def tell_thousand(servers: int, count: int) -> None:
    """Print how the executor ``grpc`` keeps a thousand cores busy, and what that costs it."""
    command = [sys.executable, "-m", "benchmarks.job_costs", "--stand-in", str(servers)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        addresses = json.loads(process.stdout.readline())
        try:
            with GrpcExecutor(addresses, CORES) as executor:
                own, began = time.process_time(), time.perf_counter()
                done = sum(1 for _ in executor.run(tiny(count)))
                seconds, own = time.perf_counter() - began, time.process_time() - own
        finally:
            process.kill()
    least = count * JOB_SECONDS / CORES
    print(f"  {done:,} jobs of {JOB_SECONDS:g} s on {CORES} cores: {seconds:.1f} s; without overhead {least:.1f} s")
    print(f"  {1e3 * own / done:.2f} ms of processor for each job, {100 * own / seconds:.0f} % of one core")


class StandIn(job_service_pb2_grpc.JobServiceServicer, engine_service_pb2_grpc.EngineServiceServicer):
    """Answers as a server whose slots are all busy with jobs, and does none of them."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._value = run_job(next(tiny(1))).value

    async def GetEngineInfo(self, request: Any, context: Any) -> Any:  # noqa: N802
        """How many slots it has."""
        return engine_service_pb2.GetEngineInfoResponse(search_slot_count=self._slots)

    async def RunJob(self, request: Any, context: Any) -> Any:  # noqa: N802
        """A result, after a while."""
        await asyncio.sleep(JOB_SECONDS)
        address = hashlib.blake2b(request.spec.encode(), digest_size=16).hexdigest()
        return job_service_pb2.RunJobResponse(result=JobResult(address, self._value, JOB_SECONDS).to_json())


async def stand_in(count: int) -> None:
    """Serve on some ports, and print their addresses."""
    service, addresses = StandIn(CORES // count), []
    for _ in range(count):
        server = grpc.aio.server()
        job_service_pb2_grpc.add_JobServiceServicer_to_server(service, server)
        engine_service_pb2_grpc.add_EngineServiceServicer_to_server(service, server)
        addresses.append(f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}")
        await server.start()
    print(json.dumps(addresses), flush=True)
    await asyncio.Event().wait()


def _ray_seconds() -> float:
    """Processor time of all processes of Ray itself on this machine, in seconds; Linux only."""
    spent = 0.0
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                program = (folder / "cmdline").read_bytes()[:MOST].split(b"\0")[0].decode(errors="replace")
                if program.endswith(RAY_PROCESSES):
                    tasks = (folder / "task").iterdir()
                    spent += sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
            except OSError:
                continue
    return spent


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("executors", nargs="*", metavar="EXECUTOR@WORKERS")
    parser.add_argument("--jobs", type=int, default=2000, help="tiny jobs for each executor [2000]")
    parser.add_argument("--servers", type=int, default=0, help="addresses of the cluster that is not there [none]")
    parser.add_argument("--stand-in", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.stand_in is not None:
        asyncio.run(stand_in(given.stand_in))
        return
    print("sizes")
    tell_sizes()
    print("files of results")
    tell_files(given.jobs)
    if given.executors:
        print("drivers")
    for name in given.executors:
        tell_driver(name, given.jobs)
    if given.servers:
        print("a thousand cores")
        tell_thousand(given.servers, 5 * given.jobs)


if __name__ == "__main__":
    main()
