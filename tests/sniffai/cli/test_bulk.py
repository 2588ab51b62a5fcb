"""Commands with bulk work: who does it, and results in files."""

import json
from pathlib import Path
from typing import Any

import pytest

from sniffai.cli.group import run
from sniffai.jobs.errors import LostJobError
from sniffai.lab import training
from sniffai.play.arena import play_pairing

ARENA = ["arena", "random", "greedy", "--deals", "20", "--json", "--workers", "1"]
NOTHING = "127.0.0.1:9"


def told(capsys: pytest.CaptureFixture[str], *args: str) -> Any:
    assert run(args) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_results_that_are_there_are_not_made_again(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    results = ["--results", str(tmp_path / f"r.{form}")]
    first = told(capsys, *ARENA, *results)
    assert first["games"] == told(capsys, *ARENA)["games"]
    monkeypatch.setattr("sniffai.play.arena.play_pairing", None)
    assert told(capsys, *ARENA, *results) == first  # with the times of the first run


def test_a_training_that_was_killed_goes_on_from_the_last_part_that_is_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What kill -9 leaves: a line that is cut off is done again, and the nets are the same to the byte."""
    monkeypatch.setattr(training, "ROUNDS_OF_JOB", 2)
    results, nets = tmp_path / "r.jsonl", tmp_path / "nets.npz"
    command = ["train", "--rounds", "6", "--duels", "2", "--json", "--results", str(results), "--out", str(nets)]
    whole, made = told(capsys, *command), nets.read_bytes()
    heading, first, second, _ = results.read_text().splitlines(keepends=True)
    results.write_text(heading + first + second[:100])
    done: list[int] = []
    train_part = training.train_part
    monkeypatch.setattr(training, "train_part", lambda *given: (done.append(given[4]), train_part(*given))[1])
    assert (told(capsys, *command), nets.read_bytes()) == (whole, made)
    assert done == [2, 4]


def test_commands_do_not_share_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = ["--results", str(tmp_path / "r.jsonl")]
    told(capsys, *ARENA, *results)
    assert run(["ladder", "random", "greedy", "--deals", "2", *results]) == 2
    assert "has results of 'arena', not of 'ladder': name another file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["--executor", "slurm"], "executor: 'slurm' is not local, grpc:HOST:PORT,… or ray"),
        (["--results", "r.csv"], "--results: the name of a file of results ends in .jsonl or .parquet"),
        (["--results", "no/such/r.jsonl"], "no/such/r.jsonl: No such file or directory"),
        (["--tls"], "--tls needs --executor grpc:HOST:PORT"),
        (["--executor", "ray", "--api-key-file", "k"], "--api-key-file needs --executor grpc:HOST:PORT"),
        (["--executor", f"grpc:{NOTHING}", "--tls-cert", "c"], "--tls-cert and --tls-key must be given together"),
        (["--executor", f"grpc:{NOTHING}", "--tls-ca", "no.pem"], "no.pem: No such file or directory"),
        (["--executor", "grpc:no port"], "an address has no spaces"),
    ],
)
def test_what_cannot_be_is_one_line(args: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*ARENA, *args]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("sniffai: ")
    assert why in err
    assert len(err.splitlines()) == 1


def test_servers_do_not_review_twice(capsys: pytest.CaptureFixture[str]) -> None:
    match = str(Path(__file__).parents[2] / "data" / "two_seats.match")
    assert run(["review", match, "--server", NOTHING, "--results", "r.jsonl"]) == 2
    assert "--executor and --results do not go with it" in capsys.readouterr().err


def test_what_an_executor_prints_is_no_part_of_the_result(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ray prints on standard output that a node has died."""

    def one(*args: Any, **options: Any) -> Any:
        print("(raylet) a node has died")
        return play_pairing(*args, **options)

    monkeypatch.setattr("sniffai.play.arena.play_pairing", one)
    assert run(ARENA) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["pairings"] == 20
    assert err.count("a node has died") == 20


def test_a_lost_job_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def lose(*_: object) -> None:
        raise LostJobError(3)

    monkeypatch.setattr("sniffai.jobs.local.run_job", lose)
    assert run(ARENA) == 1
    why = "the worker process ended before its work was done, 3 times for the same job: killed, or out of memory"
    assert capsys.readouterr().err == f"sniffai: {why}\n"
