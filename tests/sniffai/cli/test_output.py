"""Files that commands write: refused before the work begins, all or nothing, and never lost after it."""

import errno
import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import sniffai
from sniffai.cli.group import run
from sniffai.cli.output import Output
from sniffai.packaged import read_packaged

DATA = Path(__file__).parents[2] / "data"
ROUND = sniffai.Round.deal(2, seed=3)
REVIEW = ["review", ROUND.view(ROUND.seat).to_text(), "--simulations", "10", "--html"]
WRITERS = {
    "review": (REVIEW, "page.html", "sniffai.cli.review.review_all"),
    "arena": (["arena", "random", "greedy", "--deals", "1", "--workers", "1", "--out"], "a.json", "play_all"),
    "ladder": (["ladder", "random", "greedy", "--deals", "1", "--workers", "1", "--out"], "l.json", "play_all"),
    "equity build": (["equity", "build", "--rounds", "20", "--out"], "e.npz", "sniffai.cli.equity.build"),
    "equity show": (["equity", "show", "--scores", "0,0", "--plot"], "e.svg", "sniffai.lab.equity.plot.picture"),
    "train": (["train", "--rounds", "50", "--duels", "2", "--out"], "n.npz", "sniffai.cli.train.train_nets"),
    "draw": (["draw", ROUND.to_text(), "--output"], "d.svg", "sniffai.cli.draw.layout_svg"),
    "draw png": (["draw", ROUND.to_text(), "--output"], "d.png", "sniffai.cli.draw.png"),
    "tally": (["tally", "85", "--svg"], "t.svg", "sniffai.cli.tally.Tally.to_svg"),
}
"""The command, a name for its file, and the work that comes before writing."""


@pytest.fixture(name="here")
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


@pytest.mark.parametrize(("args", "name", "work"), WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("place", ["no/such/{}", "folder.d/{}", "file/{}", "bad\0{}"])
def test_a_file_that_cannot_be_written_is_refused_before_the_work(
    here: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    args: list[str],
    name: str,
    work: str,
    place: str,
) -> None:
    (here / "here" / "folder.d" / name).mkdir(parents=True)
    (here / "here" / "file").write_text("", encoding="utf-8")
    where = f"sniffai.cli.{args[0]}.{work}" if "." not in work else work
    monkeypatch.setattr(where, lambda *args, **options: pytest.fail("the work was done"))
    assert run([*args, place.format(name)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert re.search("No such file|Is a directory|Not a directory|null (byte|character)", err), err


@pytest.mark.parametrize(("args", "name", "work"), WRITERS.values(), ids=WRITERS)
def test_a_result_is_kept_where_its_folder_goes_away(
    here: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    args: list[str],
    name: str,
    work: str,
) -> None:
    folder = here / "there"
    folder.mkdir()
    target = folder / name
    check = Output._check

    def then_remove(output: Output) -> None:
        check(output)
        folder.rmdir()

    monkeypatch.setattr(Output, "_check", then_remove)
    assert run([*args, str(target)]) == 1
    out, err = capsys.readouterr()
    assert out or args[0] == "draw"
    (kept,) = (here / "here").iterdir()
    assert err == f"sniffai: {target}: No such file or directory; the result is in {kept}\n"
    monkeypatch.undo()
    folder.mkdir()
    assert run([*args, str(target)]) == 0
    assert kept.stat().st_size > 0
    if target.suffix != ".json":  # which has times in it
        assert abs(kept.stat().st_size - target.stat().st_size) < 100
    assert [path.name for path in folder.iterdir()] == [name]


def test_a_full_disk_loses_neither_the_old_file_nor_the_new_result(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = here / "old.svg"
    target.write_text("old", encoding="utf-8")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert run(["tally", "85", "--svg", str(target)]) == 1
    assert "No space left on device; the result is in " in capsys.readouterr().err
    assert target.read_text(encoding="utf-8") == "old"
    assert [path.name for path in here.iterdir() if path.is_file()] == ["old.svg"]


def test_a_result_that_cannot_be_stored_is_reported(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object) -> Path:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Output, "_write", refuse)
    monkeypatch.setattr("tempfile.gettempdir", refuse)
    monkeypatch.setattr(Path, "cwd", refuse)
    monkeypatch.setattr(Path, "home", refuse)
    assert run(["tally", "85", "--svg", "t.svg"]) == 1
    out, err = capsys.readouterr()
    assert "x" in out
    assert err == "sniffai: t.svg: Read-only file system; the result could not be saved anywhere\n"


def test_links_modes_pipes_and_devices_stay_what_they_are(here: Path) -> None:
    target, link = here / "real.svg", here / "link.svg"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o640)
    link.symlink_to(target)
    assert run(["tally", "85", "--svg", str(link)]) == 0
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == sniffai.Tally.of(85).to_svg()
    assert target.stat().st_mode & 0o777 == 0o640
    assert run(["tally", "85", "--svg", "/dev/null"]) == 0
    assert not Path("/dev/null").is_file()
    mask = os.umask(0o027)
    try:
        assert run(["tally", "85", "--svg", str(here / "new.svg")]) == 0
    finally:
        os.umask(mask)
    assert (here / "new.svg").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["draw", ROUND.to_text(), "--output", "x.gif"], "ends in .svg or .png"),
        (["equity", "show", "--plot", "x.gif"], "ends in .png or .svg"),
        (["equity", "build", "--rounds", "20", "--out", "x.np"], "ends in .npz"),
        (["train", "--rounds", "50", "--out", "x"], "ends in .npz"),
    ],
)
def test_the_ending_of_a_file_name_is_checked_first(
    capsys: pytest.CaptureFixture[str], args: list[str], said: str
) -> None:
    assert run(args) == 2
    assert said in capsys.readouterr().err


def test_a_file_is_written_even_if_the_output_is_not_read(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(text: str) -> None:
        raise BrokenPipeError

    written: Callable[[str], None] = gone
    monkeypatch.setattr("sniffai.cli.terminal.write", written)
    monkeypatch.setattr("sniffai.cli.terminal.give_up", lambda: None)
    target = here / "result.json"
    run(["arena", "random", "greedy", "--deals", "1", "--workers", "1", "--out", str(target)])
    assert json.loads(target.read_text(encoding="utf-8"))["b"] == "greedy"


def test_the_input_file_is_not_overwritten(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    match = Path("a.svg")
    match.write_text(ROUND.to_text(), encoding="utf-8")
    Path("link.svg").symlink_to(match)
    for args in (["review", "a.svg", "--simulations", "1", "--html"], ["draw", "a.svg", "-o"]):
        for name in ("a.svg", "./a.svg", str(match.absolute()), "link.svg"):
            assert run([*args, name]) == 2
            assert capsys.readouterr() == ("", f"sniffai: Invalid value for {_option(args)}: {_read(name)}\n")
    assert match.read_text(encoding="utf-8") == ROUND.to_text()
    assert run(["draw", ROUND.to_text() + " " * 5000, "-o", "b.svg"]) == 0


def _option(args: list[str]) -> str:
    return "--html" if args[-1] == "--html" else "--output"


def _read(name: str) -> str:
    return f"{name} is the input; name another file to write"


BULK = {name: WRITERS[name][0] for name in ("review", "arena", "ladder", "equity build", "train")}
BULK["exploit"] = ["exploit", "random", "--deals", "1", "--out"]
"""Commands that write a result, and keep those of jobs."""


@pytest.mark.parametrize("args", BULK.values(), ids=BULK)
def test_a_result_does_not_go_where_those_of_jobs_are(
    here: Path, capsys: pytest.CaptureFixture[str], args: list[str]
) -> None:
    for link in ("link.npz", "other.npz"):
        Path(link).symlink_to("a.jsonl")
    ways = ["a.jsonl", "./a.jsonl", str(Path("a.jsonl").absolute()), "../here/a.jsonl", "link.npz"]
    if args[0] in ("train", "equity"):  # the ending is checked first
        ways = ["link.npz", "../here/other.npz"]
    for name in ways:
        _refused(capsys, [*args, name, "--results", "a.jsonl"], name)
    assert sorted(path.name for path in Path().iterdir()) == ["link.npz", "other.npz"]
    Path("a.jsonl").write_text("", encoding="utf-8")
    Path("hard.npz").hardlink_to("a.jsonl")
    _refused(capsys, [*args, "hard.npz", "--results", "a.jsonl"], "hard.npz")
    Path("p.parquet").mkdir()
    _refused(capsys, [*args, "p.parquet/_x.npz", "--results", "p.parquet"], "p.parquet/_x.npz")
    assert Path("a.jsonl").read_bytes() == b""


def _refused(
    capsys: pytest.CaptureFixture[str], args: list[str], name: str, option: str = "--results", writer: str = "--out"
) -> None:
    assert run(args) == 2
    writer = "--html" if "--html" in args else writer
    why = f"{name} is the file of {option}; name another file to write"
    assert capsys.readouterr() == ("", f"sniffai: Invalid value for {writer}: {why}\n")


def test_a_result_does_not_replace_a_key_or_a_table(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("key").write_text("secret", encoding="utf-8")
    access = ["--api-key-file", "key"]
    arena = ["arena", "random", "greedy", "--deals", "1", "--executor", "grpc:127.0.0.1:9"]
    _refused(capsys, [*arena, *access, "--out", "./key"], "./key", "--api-key-file")
    _refused(capsys, [*REVIEW, "key", "--server", "127.0.0.1:9", *access], "key", "--api-key-file")
    _refused(capsys, [*arena, "--tls-ca", "key", "--out", "key"], "key", "--tls-ca")
    assert Path("key").read_text(encoding="utf-8") == "secret"
    table = read_packaged("data/equity-2.npz")
    Path("t.svg").write_bytes(table)
    shown = ["equity", "show", "--table", "t.svg", "--scores", "0,0", "--plot", "t.svg"]
    _refused(capsys, shown, "t.svg", "--table", "--plot")
    assert Path("t.svg").read_bytes() == table


@pytest.mark.parametrize("args", [args for args, _, _ in WRITERS.values()], ids=WRITERS)
def test_no_name_and_the_sign_of_standard_output_are_no_files(
    here: Path, capsys: pytest.CaptureFixture[str], args: list[str]
) -> None:
    for name, told in (("", "the name is empty"), ("-", "standard output is /dev/stdout")):
        assert run([*args, name]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert told in err
    assert list((here / "here").iterdir()) == []
