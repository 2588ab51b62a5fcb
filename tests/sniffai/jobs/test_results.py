"""Files of results: nothing is lost by a kill, nothing is done twice, and nothing strange is mixed in."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from sniffai.errors import BusyError, RecordError, SniffError
from sniffai.jobs import JobResult, JobSpec, LocalExecutor, ResumedExecutor, engine_version, open_results, parquet
from sniffai.jobs.results import Heading
from sniffai.play.arena import ArenaSpec, play_arena

ROOT = Path(__file__).parents[3]
FORMS = ("jsonl", "parquet")
SPEC = ArenaSpec("greedy", "random", pairings=160, seed=4, luck=False)


def specs(count: int) -> list[JobSpec]:
    return [JobSpec("arena", {"seed": 1}, range(number, number + 1)) for number in range(count)]


def made(spec: JobSpec) -> JobResult:
    return JobResult(spec.address, [spec.numbers.start, 0.1 + spec.numbers.start / 3, "é\n"], 0.25, {"seconds": [0.5]})


class Counting:
    """An executor that makes results up, in turned order, and counts them."""

    def __init__(self) -> None:
        self.done: list[JobSpec] = []

    def __enter__(self) -> "Counting":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, specs: Iterable[JobSpec]) -> Iterator[JobResult]:
        for spec in reversed(list(specs)):
            self.done.append(spec)
            yield made(spec)


@pytest.fixture(params=FORMS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / f"results.{request.param}"


def test_what_is_added_is_there_when_the_file_is_opened_again(path: Path) -> None:
    for stop in (3, 5, 5):
        with open_results(path, "arena") as results:
            for spec in specs(stop):
                if spec.address not in results:
                    results.add(spec, made(spec))
            assert len(results) == stop
            assert [results.read(spec.address) for spec in specs(stop)] == [made(spec) for spec in specs(stop)]
            with pytest.raises(KeyError):
                results.read("none")


def test_nothing_is_done_twice(path: Path) -> None:
    for count, fresh in ((4, 4), (4, 0), (7, 3)):
        inner = Counting()
        with ResumedExecutor(inner, open_results(path, "arena")) as executor:
            found = list(executor.run(specs(count)))
            again = list(executor.run(iter([*specs(count), *specs(2)])))
        assert sorted(result.value[0] for result in found) == list(range(count))
        assert len(again) == count + 2
        assert len(inner.done) == fresh
        assert executor.found == count - fresh + count + 2


def test_a_job_given_twice_is_done_once_and_answered_twice(path: Path) -> None:
    inner = Counting()
    with ResumedExecutor(inner, open_results(path, "arena")) as executor:
        assert list(executor.run([*specs(1), *specs(1)])) == [made(specs(1)[0])] * 2
    assert len(inner.done) == 1


def test_a_line_cut_off_by_a_kill_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with open_results(path, "arena") as results:
        for spec in specs(2):
            results.add(spec, made(spec))
    whole = path.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    for size in (last + 1, len(whole) - 1, last):
        path.write_bytes(whole[:size])
        with open_results(path, "arena") as results:
            assert len(results) == 1
            results.add(specs(2)[1], made(specs(2)[1]))
        assert path.read_bytes() == whole
    path.write_bytes(whole[:20])  # cut off in the heading
    with open_results(path, "arena") as results:
        assert len(results) == 0


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with open_results(path, "arena") as results:
        for spec in specs(2):
            results.add(spec, made(spec))
    lines = path.read_text().splitlines(keepends=True)
    for damaged in ("{}\n", "\n", "[1]\n", '"x"\n', lines[1][:50] + "\n"):
        path.write_text("".join([lines[0], damaged, lines[2]]))
        with pytest.raises(RecordError, match="line 2 is damaged"):
            open_results(path, "arena")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("heading", "reason", "why"),
    [
        (Heading("ladder", engine_version()), "OTHER_COMMAND", "results of 'ladder', not of 'arena'"),
        (Heading("arena", "0.0.9/17"), "ENGINE_VERSION", "by engine 0.0.9/17"),
    ],
)
def test_other_results_never_mix(form: str, heading: Heading, reason: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / f"r.{form}"
    from sniffai.jobs.json_lines import JsonLines

    kind = JsonLines if form == "jsonl" else parquet.ParquetFolder
    with kind(path, heading) as results:
        results.add(specs(1)[0], made(specs(1)[0]))
    with pytest.raises(RecordError, match=why) as error:
        open_results(path, "arena")
    assert (error.value.reason, error.value.field) == (reason, "results")


@pytest.mark.parametrize(
    "content", [b"", b"sniff", b'{"a": 1}', b'{"a": 1}\n', b"\x93NUMPY\n", b'{"sniffai_results": 2}\n']
)
def test_a_strange_file_is_left_alone(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(content)
    if not content:
        open_results(path, "arena").__exit__(None, None, None)
        return
    with pytest.raises(RecordError) as error:
        open_results(path, "arena")
    assert error.value.reason == "NOT_RESULTS_FILE"
    assert path.read_bytes() == content


def test_a_strange_folder_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    path.mkdir()
    (path / "part-0.parquet").write_bytes(b"PAR1")
    with pytest.raises(RecordError, match="does not hold results of sniffai"):
        open_results(path, "arena")
    (path / "part-0.parquet").unlink()
    with open_results(path, "arena") as results:
        results.add(specs(1)[0], made(specs(1)[0]))
    (path / "part-00001.parquet").write_bytes(b"PAR1")
    with pytest.raises(RecordError, match=r"part-00001.parquet is damaged"):
        open_results(path, "arena")
    plain = tmp_path / "plain.parquet"
    plain.write_bytes(b"PAR1")
    with pytest.raises(RecordError, match="does not hold results of sniffai"):
        open_results(plain, "arena")


@pytest.mark.parametrize("name", ["r.csv", "r", "r.jsonl.gz"])
def test_another_ending_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"\.jsonl or \.parquet"):
        open_results(tmp_path / name, "arena")


def test_two_processes_do_not_write_to_one_file(path: Path) -> None:
    with open_results(path, "arena"), pytest.raises(BusyError, match="another process writes results"):
        open_results(path, "arena")


def test_parquet_has_a_row_for_each_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "MOST_ROWS", 2)
    path = tmp_path / "r.parquet"
    with open_results(path, "arena") as results:
        for spec in specs(5):
            results.add(spec, made(spec))
    assert sorted(each.name for each in path.glob("part-*")) == [f"part-0000{k}.parquet" for k in range(3)]
    table = pyarrow.parquet.read_table(path)
    assert table.num_rows == 5
    assert table["start"].to_pylist() == list(range(5))
    assert [json.loads(value) for value in table["value"].to_pylist()] == [made(spec).value for spec in specs(5)]


def test_a_kill_while_a_part_is_made_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    with open_results(path, "arena") as results:
        for spec in specs(3):
            results.add(spec, made(spec))
        journal = (path / parquet.JOURNAL).read_bytes()
    (path / parquet.JOURNAL).write_bytes(journal)  # the part has its name, the journal is not cleared yet
    (path / "part-00001.tmp").write_bytes(b"PAR1")  # another one was being written
    with open_results(path, "arena") as results:
        assert len(results) == 3
        assert [results.read(spec.address) for spec in specs(3)] == [made(spec) for spec in specs(3)]
    assert pyarrow.parquet.read_table(path).num_rows == 3
    assert len(list(path.iterdir())) == 2


DRIVER = """
import os, signal, sys
from sniffai.jobs import LocalExecutor, ResumedExecutor, open_results
from sniffai.play.arena import play_arena
from tests.sniffai.jobs.test_results import SPEC

left = [int(sys.argv[2])]

def count(done):
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)

with ResumedExecutor(LocalExecutor(), open_results(sys.argv[1], "arena")) as executor:
    play_arena(SPEC, executor=executor, progress=count)
"""


def test_a_killed_run_goes_on_and_gives_the_same(path: Path) -> None:
    """``kill -9`` in mid-run: the same result, and of every job one result in the file."""
    killed = subprocess.run([sys.executable, "-c", DRIVER, str(path), "6"], cwd=ROOT, check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    with ResumedExecutor(LocalExecutor(), open_results(path, "arena")) as executor:
        assert play_arena(SPEC, executor=executor).pairings == play_arena(SPEC).pairings
        assert 5 <= executor.found < 10
    with open_results(path, "arena") as results:
        assert len(results) == 10
    if path.suffix == ".jsonl":
        assert len(path.read_bytes().splitlines()) == 11
    else:
        assert pyarrow.parquet.read_table(path).num_rows == 10


def test_a_file_that_cannot_be_written_is_an_error_of_the_system(tmp_path: Path) -> None:
    for name in ("none/r.jsonl", "none/r.parquet"):
        with pytest.raises(FileNotFoundError):
            open_results(tmp_path / name, "arena")
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(IsADirectoryError):
        open_results(tmp_path / "folder.jsonl", "arena")


def test_a_path_is_expected() -> None:
    wrong: Any = 3
    with pytest.raises(SniffError) as error:
        open_results(wrong, "arena")
    assert error.value.reason == "BAD_PATH"
