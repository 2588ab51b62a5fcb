"""The commands ``arena`` and ``ladder``."""

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from sniffai import LimitsError
from sniffai.cli.group import run
from sniffai.play.arena import play_arena
from sniffai.play.arena_result import ArenaResult, ArenaSpec
from sniffai.play.levels import LEVELS


def say(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    status = run(args)
    out, err = capsys.readouterr()
    assert (status, err) == (0, "")
    return out


def test_arena_prints_margins_and_costs(capsys: pytest.CaptureFixture[str]) -> None:
    out = say(capsys, "arena", "random", "search", "--deals", "12", "--simulations", "30", "--workers", "1")
    assert "search over random, 2 seats, 12 deal pairings, seed 0" in out
    assert "points a round, p " in out
    assert "simulations/s" in out
    assert "won" not in out


def test_arena_plays_matches(capsys: pytest.CaptureFixture[str]) -> None:
    args = ("arena", "random", "greedy", "--matches", "8", "--players", "3", "--seed", "5", "--workers", "1")
    assert "of 24 won, " in say(capsys, *args)


def test_arena_tells_the_result_less_luck(capsys: pytest.CaptureFixture[str]) -> None:
    args = ("arena", "greedy", "policy", "--workers", "1", "--seed", "5")
    out = say(capsys, *args, "--deals", "60")
    assert "  less luck +" in out
    assert "% less variance" in out
    assert "test" not in out
    out = say(capsys, *args, "--matches", "4")
    assert out.count("  less luck ") == 2
    assert "less luck" not in say(capsys, *args, "--deals", "5", "--no-luck")


def test_arena_stops_when_the_test_is_decided(capsys: pytest.CaptureFixture[str]) -> None:
    args = ("arena", "random", "greedy", "--h1", "4", "--h0", "1", "--workers", "1")
    out = say(capsys, *args)
    assert "  test      h1 accepted after 100: h0 +1, h1 +4 points a round" in out
    assert "h0 at -2.94, h1 at +2.94; alpha 0.05, beta 0.05" in out
    assert "a 95 % interval that holds wherever the test stops" in out
    assert "  test      not decided after 9: " in say(capsys, *args, "--deals", "9")
    told = json.loads(say(capsys, *args, "--deals", "130", "--json"))
    assert (told["pairings"], told["played"], told["test"]["state"]["verdict"]) == (130, 100, "h1")
    out = say(capsys, *args, "--deals", "9", "--no-luck")
    assert "not decided after 9" in out


def test_arena_tests_the_matches_won(capsys: pytest.CaptureFixture[str]) -> None:
    out = say(capsys, "arena", "random", "greedy", "--h1", "9", "--of", "wins", "--matches", "9", "--workers", "1")
    assert "  test      not decided after 9: h0 +0, h1 +9 % of matches above even" in out


def test_ladder_tests_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    args = ("ladder", "random", "greedy", "--h1", "3", "--workers", "1", "--markdown")
    assert "| h1 accepted after 100 |" in say(capsys, *args)


def test_arena_writes_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    out = say(capsys, "arena", "random", "greedy", "--matches", "3", "--workers", "1", "--json", "--out", str(file))
    told = json.loads(out)
    assert json.loads(file.read_text(encoding="utf-8")) == told
    result = ArenaResult.from_dict(told)
    assert (result.spec.b, result.matches, told["win_rate"]) == ("greedy", 6, result.win_rate)


def test_ladder_plays_neighbours(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "ladder.json"
    rungs = ("random", "careless:misses=0.5", "greedy")
    out = say(capsys, "ladder", *rungs, "--deals", "20", "--workers", "1", "--out", str(file))
    rows = [line.split() for line in out.splitlines() if "±" in line]
    assert [tuple(row[:2]) for row in rows] == [(rungs[1], rungs[0]), (rungs[2], rungs[1])]
    results = [ArenaResult.from_dict(told) for told in json.loads(file.read_text(encoding="utf-8"))]
    assert [(result.spec.a, result.spec.b) for result in results] == [rungs[:2], rungs[1:]]
    assert f"{results[0].margin.mean:+.2f}" in rows[0]


@pytest.mark.parametrize(
    ("error", "status"), [(KeyboardInterrupt, 130), (LimitsError("a worker has died", reason="NO_WORKERS"), 2)]
)
def test_an_interrupted_ladder_prints_the_contests_that_ended(
    error: BaseException,
    status: int,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def play(spec: ArenaSpec, **options: Any) -> ArenaResult:
        if spec.b == "search":
            raise error
        return play_arena(spec, **options)

    monkeypatch.setattr("sniffai.cli.contest.play_arena", play)
    file = tmp_path / "ladder.json"
    args = ("ladder", "random", "greedy", "search", "--deals", "2", "--workers", "1", "--json", "--out", str(file))
    assert run(args) == status
    told = json.loads(capsys.readouterr().out)
    assert [ArenaResult.from_dict(one).spec.b for one in told] == ["greedy"]
    assert json.loads(file.read_text(encoding="utf-8")) == told


def test_ladder_prints_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    out = say(capsys, "ladder", "random", "greedy", "--matches", "4", "--workers", "1", "--markdown")
    head, rule, row = out.splitlines()
    assert head.count("|") == rule.count("|") == row.count("|") == 10
    assert row.startswith("| greedy | random | +")


def test_ladder_of_nobody_is_that_of_the_levels(capsys: pytest.CaptureFixture[str]) -> None:
    out = say(capsys, "ladder", "--deals", "1", "--simulations", "20", "--workers", "1", "--json")
    names = [f"level:{level.name}" for level in LEVELS]
    assert [(told["a"], told["b"]) for told in json.loads(out)] == list(pairwise(names))


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["arena", "random"], "Missing argument"),
        (["arena", "random", "nobody"], "player: 'nobody' is not one of random, "),
        (["arena", "random", "greedy", "--deals", "0"], "--deals"),
        (
            ["arena", "random", "greedy", "--deals", "2", "--matches", "2"],
            "--deals and --matches cannot be used together",
        ),
        (["arena", "random", "greedy", "--players", "5"], "--players"),
        (["arena", "random", "greedy", "--deals", "1", "--workers", "1", "--out", "no/where.json"], "No such file"),
        (["arena", "random", "greedy", "--h1", "0"], "h1: a number above h0 is expected, 0, not 0"),
        (["arena", "random", "greedy", "--h1", "nan"], "h1: "),
        (["arena", "random", "greedy", "--h1", "1", "--alpha", "0"], "alpha: above 0, at most 0.5 is expected"),
        (["arena", "random", "greedy", "--h1", "1", "--of", "wins"], "of: single rounds win no match"),
        (["ladder", "random"], "at least two"),
        (["ladder", "random", "level:genius"], "level: 'genius' is not one of "),
    ],
)
def test_what_is_wrong_takes_one_line(capsys: pytest.CaptureFixture[str], args: Sequence[str], said: str) -> None:
    assert run(args) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("sniffai: ")
    assert (err.count("\n"), said in err) == (1, True)
