"""``sniffai review``: tables, JSON, a page, and what is said of files that cannot be reviewed."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import sniffai
from sniffai import MatchRecord, wire
from sniffai.cli.group import run
from sniffai.play.arena import play_rounds
from sniffai.play.arena_result import ArenaSpec
from sniffai.play.levels import named_player
from sniffai.records.matchfile import format_match

FAST = ("--simulations", "30")


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    spec = ArenaSpec("random", "random", 2, 1, True, 6)
    rounds = list(play_rounds(spec, [named_player("level:attentive")] * 2, 0))[:3]
    path = tmp_path_factory.mktemp("match") / "ann-bob.match"
    sniffai.dump_match(MatchRecord.of(rounds, {"Seat0": "Ann", "Seat1": "Bob"}), path)
    return path


def test_tables(match: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["review", str(match), *FAST]) == 0
    told = capsys.readouterr()
    for part in (
        "Ann",
        "Bob",
        "blunder",
        "opening",
        "start",
        "draws",
        "result",
        "placements: Bob",
        "errors per decision",
        "In points the start is what the leads are worth.",
    ):
        assert part in told.out
    assert told.err == ""
    rows = [line for line in told.out.splitlines() if "searched" in line or "exact" in line or "forced" in line]
    assert run(["review", str(match), *FAST, "--all"]) == 0
    every = [
        line
        for line in capsys.readouterr().out.splitlines()
        if "searched" in line or "forced" in line or "exact" in line
    ]
    assert len(every) == sum(len(part.replay().moves) for part in sniffai.load_match(match).rounds)
    assert len(every) > len(rows) > 0


def test_json_adds_up(match: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["review", str(match), *FAST, "--json", "--seed", "3"]) == 0
    found = json.loads(capsys.readouterr().out)
    account = found["account"]
    for unit in ("win_probability", "points"):
        for team in range(2):
            parts = [account[name][unit][team] for name in ("start", "skill", "luck")]
            assert sum(parts) == pytest.approx(account["result"][unit][team], abs=1e-9)
    assert found["form"] == "sniffai.review/1"
    assert [player["name"] for player in found["summary"]] == ["Ann", "Bob"]
    decisions = [one for round_ in found["rounds"] for one in round_["decisions"]]
    assert {one["source"] for one in decisions} >= {"forced", "search"}
    for one in decisions:
        view = sniffai.View.from_text(one["view"])
        assert one["played"] in [str(move) for move in view.legal_moves()]
    assert run(["review", str(match), *FAST, "--json", "--seed", "3"]) == 0
    assert json.loads(capsys.readouterr().out) == found


def test_a_page_in_another_language(match: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "review.html"
    assert run(["review", str(match), *FAST, "--html", str(page), "--lang", "ja"]) == 0
    assert page.read_text(encoding="utf-8").startswith('<!doctype html>\n<html lang="ja" data-saved>')
    assert "blunder" not in capsys.readouterr().out
    assert run(["review", str(match), *FAST, "--html", str(tmp_path / "none" / "review.html")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_one_round_as_one_seat_saw_it(match: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    view = sniffai.load_match(match).rounds[0].replay().view(1)
    told = []
    for text in (
        view.to_text(),
        wire.to_json(wire.write_view(view)),
        f'{{"view": {wire.to_json(wire.write_view(view))}}}',
    ):
        file = tmp_path / "round"
        file.write_text(text, encoding="utf-8")
        assert run(["review", str(file), *FAST, "--json"]) == 0
        told.append(json.loads(capsys.readouterr().out))
    assert told[0] == told[1] == told[2]
    assert [player["seat"] for player in told[0]["summary"]] == [1]


def test_standard_input(match: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(match.read_bytes())))
    assert run(["review", "-", *FAST]) == 0
    assert "Ann" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("\nleader 0", "\nleader x", "line 5: a whole number is expected"),
        ("\nround 1", "\nround 7", "line 6: round 1 is expected"),
        ("end ", "end match 1 #", ": by the rules:"),
        (" draws ", " draws 0|0 ", ": round "),
        ("[Players", "[Player", "Players: a tag"),
    ],
)
def test_broken_files_are_reported_in_one_line(
    match: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, told: str
) -> None:
    text = match.read_text(encoding="utf-8")
    assert old in text
    file = tmp_path / "broken.match"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert run(["review", str(file), *FAST]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith(f"sniffai: {file}: ")
    assert told.partition(":")[0].startswith("line") is False or "line" in said.err
    assert told.partition(": ")[2] in said.err


def test_what_is_not_a_match_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    for name, told in (("missing", "No such file"), ("bytes", "not UTF-8")):
        assert run(["review", str(tmp_path / name)]) == 2
        assert told in capsys.readouterr().err
    (tmp_path / "wire").write_text('{"players": 2, "record": {"leader": 7}, "hand": []}', encoding="utf-8")
    assert run(["review", str(tmp_path / "wire")]) == 2
    assert capsys.readouterr().err.startswith(f"sniffai: {tmp_path / 'wire'}: view.")


@pytest.mark.parametrize(("encoding", "lang"), [("ascii", "en"), ("ascii", "ja"), ("latin-1", "ja")])
def test_an_encoding_with_few_characters_is_no_error(match: Path, tmp_path: Path, encoding: str, lang: str) -> None:
    record = sniffai.load_match(match)
    file = tmp_path / "a.match"
    sniffai.dump_match(MatchRecord(record.players, record.rounds[:1], record.tags), file)
    done = subprocess.run(
        [sys.executable, "-m", "sniffai", "review", str(file), *FAST, "--lang", lang],
        env=os.environ | {"PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Ann" in done.stdout
    assert (b"?" in done.stdout) == (lang == "ja"), "letters that the encoding lacks"


@pytest.mark.parametrize("form", ["view", "match"])
def test_a_match_that_has_only_begun_can_be_reviewed(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dealt = sniffai.Round.deal(2, 3)
    text = "view players=2 seat=0 leader=1 scores=15,0 hand=0|1,0|6,2|4,2|6,3|5,3|6,4|6 : 1|2"
    file, page = tmp_path / "begun.txt", tmp_path / "begun.html"
    file.write_text(text if form == "view" else format_match(MatchRecord.of([dealt])), encoding="utf-8")
    assert run(["review", str(file), *FAST, "--html", str(page)]) == 0
    told = capsys.readouterr()
    assert (told.err, "so far" in told.out) == ("", True)
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert run(["review", str(file), *FAST, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rounds"][0]["decisions"] == []
