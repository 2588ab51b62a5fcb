"""The comparison of executors: it runs, and its results are checked against each other."""

import re

import pytest

from benchmarks import job_costs, jobs


def test_executors_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    jobs.main(["local@1", "local@1", "--jobs", "2", "--turns", "2", "--simulations", "5"])
    out = capsys.readouterr().out
    assert out.startswith("2 jobs, 2 turns, ")
    shares = r"at work [\d.]+ %, processor time [\d.]+"
    assert len(re.findall(rf"local@1: [\d.]+ s, [\d.]+ times \([\d.]+ to [\d.]+\), {shares}", out)) == 2


def test_executors_that_differ_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = iter(range(100))
    monkeypatch.setattr(jobs, "turn", lambda *_: jobs.Turn(1.0, 1.0, 1.0, [next(numbers)]))
    with pytest.raises(AssertionError, match="the results differ"):
        jobs.measured(["local@1", "local@1"], 1, 1, 5)


def test_what_a_job_costs_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_costs, "usual", lambda: {"arena": next(job_costs.tiny(1))})
    monkeypatch.setattr(job_costs, "ROUNDS", 10)
    job_costs.main(["local@1", "--jobs", "3"])
    out = capsys.readouterr().out
    assert re.search(r"arena: \d+ bytes given, [\d,]+ bytes of result", out)
    assert len(re.findall(r"local@1, (?:tiny|large) jobs: [\d.]+ ms of processor for each", out)) == 2
    assert len(re.findall(r"(?:jsonl|parquet): [\d.]+ ms of processor and [\d,]+ bytes for each result", out)) == 2
