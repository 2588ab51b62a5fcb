"""``sniffai play``: whole matches by typed lines, and what a player sees of them."""

import io
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from sniffai import Limits, Round, SniffError, load_match
from sniffai.cli import terminal
from sniffai.cli.game import Game, LeaveError
from sniffai.cli.group import run
from sniffai.explain.languages import words
from sniffai.play.match import HUMAN, Match, MatchSetup
from sniffai.play.saves import resume_match, save_match
from sniffai.play.table import OwnTable
from sniffai.rules import PLAYERS, TARGET, TEAMS
from tests.own_terminal import OwnTerminal

MOVE = re.compile(r"Your move \(1(?:-(\d+))?, ")
NEXT = "Enter for the next round"
END = "r for a review"
NEAR = 30
"""Points short of the target, for matches that end soon."""


class Typist(io.StringIO):
    """Types lines, each when a question is on the screen."""

    def __init__(self, answer: Callable[[str], str | None]) -> None:
        super().__init__()
        self._answer = answer

    def readline(self, size: int | None = -1, /) -> str:
        """The next line; nothing at the end of the input."""
        line = self._answer(terminal.printed().rsplit("\n", 1)[-1])
        return "" if line is None else line + "\n"


def player(extra: Iterable[str] = ()) -> Callable[[str], str | None]:
    """Types the extra lines first, then plays the highest number to the end of the match."""
    waiting = list(extra)

    def answer(question: str) -> str | None:
        if waiting:
            return waiting.pop(0)
        found = MOVE.search(question)
        return "" if found is None else found[1] or "1"

    return answer


Play = Callable[..., tuple[int, str]]


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Play:
    """Runs ``sniffai play`` with typed lines in an empty folder: the exit status and the output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def played(*args: str, typed: Callable[[str], str | None] | Iterable[str]) -> tuple[int, str]:
        lines = iter([] if callable(typed) else typed)
        monkeypatch.setattr("sys.stdin", Typist(typed if callable(typed) else lambda question: next(lines, None)))
        status = run(["play", *args])
        told = capsys.readouterr()
        assert told.err == ""
        return status, told.out

    return played


def near(players: int) -> list[str]:
    """Scores shortly before the target."""
    return [f"--score={TARGET[players] - NEAR}"] * TEAMS[players]


# Whole matches


@pytest.mark.parametrize("language", ["en", "ja", "zh-Hans"])
@pytest.mark.parametrize("players", PLAYERS)
def test_a_whole_match(play: Play, players: int, language: str) -> None:
    def answer(question: str) -> str:
        found = re.search(r"1(?:-(\d+))?[，、,]", question)
        return "" if found is None else found[1] or "1"

    levels = ["casual", "greedy", "random"][: players - 1]
    scores = near(players) if language != "en" else []
    status, out = play(*levels, "--seed", "3", "--seat", "1", "--lang", language, *scores, typed=answer)
    assert status == 0
    won = re.search({"en": "win", "ja": "対局に勝ちました", "zh-Hans": "赢得整场对局"}[language], out)
    assert won is not None
    if language == "en":
        assert len(re.findall(r"^Round \d+: ", out, re.MULTILINE)) > 3
    else:
        kept = re.sub(r"Enter|sniffai(\.match)?|random|greedy|--\w+|\b[a-z]\b|File", "", out)
        assert re.findall(r"[A-Za-z]{2,}", kept) == []


def test_a_match_from_the_target_s_neighbourhood_tells_its_end(play: Play) -> None:
    status, out = play("random", "--seed", "4", *near(2), typed=player())
    assert status == 0
    assert re.search(r"(You win|Seat 1 wins) the match with \d+ points\.", out)
    assert out.rstrip().endswith("Enter to leave:")


def test_what_a_turn_shows(play: Play) -> None:
    _, out = play("steady", "--seed", "5", typed=["1", "1", "1"])
    assert "Round 1: you lead." in out
    assert "Seat 1: [0|4] on [0|1] (low end).\n  Count: [0|1] 1 + [0|4] 4 = 5, scores 5 points." in out
    assert "Score: you: 0; seat 1: 5\nseat 1: 4 tiles  talon 14\nYour hand: [2|2] [3|5]" in out
    assert "───────║ 0 ║\n(b)│ 6 ┆ 4 │ 4 ┆ 0 │ 0 ┆ 1 │ 1 ┆ 5 │ 5 ┆ 0 ║╌╌╌║(a)\n   └" in out
    assert re.search(r" 1   \[0\|5\]   a    \[1\|5\] \(high end\) +0 +6\n", out)


def test_settlement_the_next_leader_and_the_tally_are_told(play: Play) -> None:
    _, out = play("greedy", "--seed", "6", typed=lambda question: None if NEXT in question else player()(question))
    assert re.search(r"(goes|go) out\.|the round is blocked\.", out)
    costs = re.search(r"Settlement: your hand costs (\d+); the hand of seat 1 costs (\d+)\.", out)
    assert costs is not None
    assert {int(cost) % 5 for cost in costs.groups()} == {0}
    assert "next round.\n" in out
    assert re.search(r"^  .*[Xx\\]", out.partition("Settlement")[2], re.MULTILINE)


def test_draws_and_passes_are_told(play: Play) -> None:
    _, out = play("random", "random", "--seed", "11", *near(3), typed=player())
    assert re.search(r"Seat \d draws \d tiles?\.", out)
    assert re.search(r"You draw \[\d\|\d\]", out)


def test_a_review_at_the_end(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sniffai.cli.play.REVIEW_SIMULATIONS", 20)
    waiting = ["r", "s done.match", ""]
    status, out = play(
        *("random", "--seed", "4", *near(2)),
        typed=lambda question: waiting.pop(0) if END in question else player()(question),
    )
    assert status == 0
    for part in (
        "Saved: done.match\n",
        "placements: you",
        "errors per decision",
        "chance to win the match, and points",
        "result: ",
    ):
        assert part in out
    assert load_match("done.match").replay()[-1].match_winner is not None


# What can be typed


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("99", "There is no move 99."),
        ("0", "There is no move 0."),
        ("x", "Not understood."),
        ("7|9", "Not understood."),
        ("0|1@", "Not understood."),
        ("6|6@0|0:LOW", "Not understood."),
        ("1|2", "[1|2] is not in your hand."),
        ("0|1@0|0:LINE_A", "0|1@0|0:LINE_A is not allowed now."),
        ("u", "Placements are taken back in practice matches only (--practice)."),
        ("?", "q: save and leave"),
        ("t", "you: 0"),
        ("h", "Hint: "),
        ("b", "Your hand: [0|1]"),
        ("", ""),
        ("\x1b[A", "Not understood."),
        ("\ud800", "Not understood."),
        ("٣", "You: [2|2]."),
    ],
)
def test_what_is_typed_is_understood_or_told(play: Play, line: str, told: str) -> None:
    status, out = play("greedy", "--seed", "5", "--simulations", "50", typed=[line, "q"])
    assert status == 0
    assert told in out
    assert "Saved. To go on: sniffai play --resume sniffai.match" in out


@pytest.mark.parametrize(
    "lines", [["2"], ["２"], ["0|5"], ["0｜5"], ["  0|5  "]], ids=["number", "wide number", "tile", "wide", "blanks"]
)
def test_ways_to_say_the_same_lead(play: Play, lines: list[str]) -> None:
    _, out = play("greedy", "--seed", "5", typed=lines)
    assert "You: [0|5]." in out


@pytest.mark.parametrize("line", ["3|5", "3|5 a", "3|5 (a)", "3|5@1|5:HIGH"])
def test_ways_to_say_where(play: Play, line: str) -> None:
    _, out = play("level:steady", "--seed", "5", typed=["1", "1", line])
    assert "You: [3|5] on [1|5] (high end)." in out


def test_a_tile_with_several_places_asks_for_one(play: Play) -> None:
    asked = 0
    for seed in range(30):
        _, out = play("random", "--seed", str(seed), typed=["1", "1", "1"])
        rows = re.findall(r"^ \d+ +\[(\d\|\d)\] +([a-f])", out.rpartition("Your hand")[2], re.MULTILINE)
        tiles = [tile for tile, _ in rows]
        twice = next((tile for tile in tiles if tiles.count(tile) > 1), None)
        if twice is None:
            continue
        mark = dict(rows)[twice]
        _, out = play("random", "--seed", str(seed), typed=["1", "1", "1", twice, f"{twice} {mark}", f"{twice} z"])
        assert f"Say where [{twice}] goes: " in out
        assert f"You: [{twice}] on " in out.rpartition("Say where")[2]
        asked += 1
        if asked == 2:
            return
    raise AssertionError("no such positions")


def test_a_hint_names_a_number_and_reasons(play: Play) -> None:
    _, out = play("greedy", "--seed", "5", "--simulations", "300", typed=["h"])
    found = re.search(r"Hint: (\d), tile (\[\d\|\d\])\.\nThe chance to win the match is .+\.\n- .+\.\n", out)
    assert found is not None
    assert re.search(rf"^ {found[1]} +{re.escape(found[2])}", out, re.MULTILINE)


def test_a_take_back_leads_to_the_same_question(play: Play) -> None:
    _, out = play("greedy", "--seed", "5", "--practice", typed=["1", "u", "u"])
    first, _, rest = out.partition("Taken back to your last choice, in round 1.\n")
    assert rest
    assert first.count(" 7   [6|6]") == rest.count(" 7   [6|6]") == 1
    assert "There is nothing to take back." in rest


def test_a_take_back_after_a_round(play: Play) -> None:
    waiting = ["?", "b", "t", "x", "u"]

    def answer(question: str) -> str | None:
        if NEXT in question:
            return waiting.pop(0) if waiting else None
        return player()(question) if len(waiting) > 0 else None

    _, out = play("greedy", "--seed", "6", "--practice", typed=answer)
    assert "Not understood. Type Enter, or ?." in out
    assert "Taken back to your last choice, in round 1." in out


# Saving and resuming


@pytest.mark.parametrize("placements", [1, 4])
def test_a_match_saved_in_mid_round_goes_on_as_the_uninterrupted_one(play: Play, placements: int) -> None:
    _, whole = play("casual", "--seed", "8", *near(2), typed=player())
    play("casual", "--seed", "8", *near(2), "--save", "a.match", typed=player_of(placements))
    status, rest = play("--resume", "a.match", typed=player())
    assert status == 0
    told = rest[rest.index("Your hand") :]
    assert whole.endswith(told)


def player_of(placements: int) -> Callable[[str], str | None]:
    """Leaves after so many placements."""
    left = placements

    def answer(question: str) -> str | None:
        nonlocal left
        if MOVE.search(question) is not None:
            left -= 1
            if left < 0:
                return None
        return player()(question)

    return answer


def test_files_of_others_are_not_written_over(play: Play, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "sniffai.match").write_text("mine", encoding="utf-8")
    _, out = play("random", "--seed", "1", typed=["s mine.txt", "s no/such/folder", "s", "s a.match", "s a.match"])
    assert "mine.txt is there already: name another file." in out
    assert "no/such/folder: No such file or directory" in out
    assert "sniffai play --resume sniffai-2.match" in out
    assert out.count("sniffai play --resume a.match") == 3  # the end of the input saves, too
    assert (tmp_path / "mine.txt").read_text(encoding="utf-8") == "mine"
    assert (tmp_path / "sniffai.match").read_text(encoding="utf-8") == "mine"


def test_a_match_that_is_resumed_is_saved_where_it_was(play: Play, tmp_path: Path) -> None:
    play("random", "--seed", "1", "--save", "a.match", typed=[])
    before = (tmp_path / "a.match").read_text(encoding="utf-8")
    play("--resume", "a.match", typed=["1", "q"])
    assert (tmp_path / "a.match").read_text(encoding="utf-8") != before
    assert [path.name for path in tmp_path.iterdir()] == ["a.match"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "a.match: Players: "),
        ("[Players", "a.match: line 1: "),
        ('[Players "2"]\n', "a.match: rounds: "),
        ("CUT", "a.match: line "),
        ("SWAP", "a.match: line 9: round 1: the deal or the leader differs from what the seed gives"),
        ("PEOPLE", "a match with one person is expected, not with 2"),
    ],
)
def test_a_damaged_file_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    good = save_match(Match(MatchSetup((HUMAN, "greedy"), 5)))
    text = {
        "CUT": good[:200],
        "SWAP": good.replace('Seed "5"', 'Seed "6"'),
        "PEOPLE": save_match(Match(MatchSetup((HUMAN, HUMAN), 5))),
    }.get(text, text)
    (tmp_path / "a.match").write_text(text, encoding="utf-8")
    assert run(["play", "--resume", "a.match"]) == 2
    err = capsys.readouterr().err
    assert told in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "args",
    [
        ["nobody"],
        ["human"],
        ["greedy", "--players", "5"],
        ["greedy", "--seat", "2"],
        ["greedy", "greedy", "--players", "4"],
        ["a", "b", "c", "d"],
        ["greedy", "--score", "5"],
        ["greedy", "--score", "250", "--score", "0"],
        ["greedy", "--score", "3", "--score", "0"],
        ["--resume", "none.match"],
        ["--resume", "none.match", "greedy"],
        ["--lang", "xx"],
        ["--save", ""],
        ["--save", "no/such/folder/file"],
    ],
    ids=" ".join,
)
def test_options_that_cannot_be(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["play", *args]) == 2
    err = capsys.readouterr().err
    assert err.startswith("sniffai: ")
    assert err.count("\n") == 1


def killed(folder: Path, typed: str, *args: str, syncs: int) -> None:
    """Play, and be killed in the midst of writing the file for the so-manieth time."""
    script = (
        "import os, signal, sys; from sniffai.cli import main; sys.argv[1:] = ['play', *sys.argv[2:]];"
        f"left = [None] * {syncs}; kill = lambda: os.kill(os.getpid(), signal.SIGKILL);"
        "os.fsync = lambda file: left.pop() if left else kill();"
        "main()"
    )
    command = [sys.executable, "-c", script, "play", *args]
    done = subprocess.run(command, cwd=folder, input=typed, text=True, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL


def test_a_kill_while_a_match_is_saved_leaves_the_save_before_it_whole(play: Play, tmp_path: Path) -> None:
    play("random", "--seed", "1", "--save", "a.match", typed=["1"])
    before = (tmp_path / "a.match").read_text(encoding="utf-8")
    killed(tmp_path, "1\ns\n", "--resume", "a.match", syncs=1)  # the first one writes what was there
    assert (tmp_path / "a.match").read_text(encoding="utf-8") == before
    resume_match(before)


@pytest.mark.parametrize("syncs", [1, 2, 3])
def test_a_killed_match_goes_on_after_its_last_placement(play: Play, tmp_path: Path, syncs: int) -> None:
    """It is saved when it begins, and then after each placement, of levels as well."""
    match = ("casual", "--seed", "8", *near(2))
    killed(tmp_path, "1\n", *match, "--save", "killed.match", syncs=syncs)
    kept = resume_match((tmp_path / "killed.match").read_text(encoding="utf-8"))
    assert len(kept.rounds[0].moves) == syncs - 1
    play("--resume", "killed.match", typed=["1"] * (syncs == 1))
    play(*match, "--save", "whole.match", typed=["1"])
    assert (tmp_path / "killed.match").read_text("utf-8") == (tmp_path / "whole.match").read_text("utf-8")


def test_two_matches_in_one_folder_have_two_files(play: Play, tmp_path: Path) -> None:
    first = OwnTerminal(tmp_path, "play", "random", "--seed", "1")
    first.wait_for("Your move")
    second = OwnTerminal(tmp_path, "play", "random", "--seed", "2")
    second.wait_for("Your move")
    for terminal_ in (first, second):
        terminal_.type("q\n")
        assert terminal_.end() == 0
    assert "Saved after each move: sniffai.match" in first.text
    assert "--resume sniffai-2.match" in second.text
    seeds = [resume_match(path.read_text(encoding="utf-8")).setup.seed for path in sorted(tmp_path.glob("*.match"))]
    assert sorted(seeds) == [1, 2]


def test_a_full_disk_stops_no_match_and_is_told_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = iter(["1", "1", "1"])
    monkeypatch.setattr("sys.stdin", Typist(lambda question: next(lines, None)))
    assert run(["play", "random", "--seed", "5", "--save", "/dev/full"]) == 1
    out, err = capsys.readouterr()
    told = "The match goes on, but is not saved: /dev/full: No space left on device."
    assert (out.count(told), out.count("You: ["), "Saved" in out) == (1, 3, False)
    (rescued,) = tmp_path.iterdir()
    assert err == f"sniffai: /dev/full: No space left on device; the result is in {rescued}\n"
    assert len(resume_match(rescued.read_text(encoding="utf-8")).rounds[0].moves) >= 3


def test_a_folder_that_takes_no_files_does_not_stop_a_match(
    play: Play, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    status, out = play("random", "--seed", "5", typed=["1"])
    assert status == 0
    assert f"Saved. To go on: sniffai play --resume {tmp_path}/sniffai.match" in out
    resume_match((tmp_path / "sniffai.match").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("command", "status"), [("| head -1", 141), ("> /dev/full", 1)], ids=["head", "full"])
def test_an_output_that_fails_saves_the_match(tmp_path: Path, command: str, status: int) -> None:
    line = f"yes 1 | {sys.executable} -m sniffai play random --seed 5 {command}; exit ${{PIPESTATUS[1]}}"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, check=False, timeout=60)
    assert done.returncode == status
    resume_match((tmp_path / "sniffai.match").read_text(encoding="utf-8"))


# Nothing hidden


class Unkept:
    """Keeps no match."""

    status = 0

    def begin(self) -> None:
        pass

    def changed(self) -> None:
        pass

    def save(self, path: str) -> None:
        pass

    def leave(self) -> None:
        pass


def shown(match: Match, typed: Iterable[str], capsys: pytest.CaptureFixture[str]) -> str:
    lines = iter(typed)
    terminal.begin()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", Typist(lambda question: next(lines, None)))
        game = Game(OwnTable(match, 0, Limits(simulations=100)), words("en"), Unkept(), lambda: None)
        with pytest.raises(LeaveError):
            game.play()
    return capsys.readouterr().out


@pytest.mark.parametrize("players", PLAYERS)
def test_hidden_tiles_change_nothing_that_is_shown(players: int, capsys: pytest.CaptureFixture[str]) -> None:
    compared = 0
    for seed in range(8):
        match = Match(MatchSetup((HUMAN, *["random"] * (players - 1)), seed, practice=True))
        for _ in range(2):
            while match.step():
                pass
            if match.to_move == 0:
                match.place(0, match.situation(0).view.legal_moves()[0])
        while match.step():
            pass
        if match.to_move != 0:
            continue
        typed = ["?", "b", "t", "h", "99", "7|7", "x"]
        told = shown(match.copy(), typed, capsys)
        for other in twins(match.rounds[-1]):
            assert shown(Match(match.setup, [other]), typed, capsys) == told
            compared += 1
    assert compared > 5


def twins(round_: Round) -> list[Round]:
    """The same round with a tile of seat 1 and one of the talon swapped, where its history allows that."""
    found, start = [], round_.start
    for i, tile in enumerate(start.talon[:4]):
        for j, held in enumerate(start.hands[1]):
            hand = tuple(sorted((*start.hands[1][:j], tile, *start.hands[1][j + 1 :])))
            talon = (*start.talon[:i], held, *start.talon[i + 1 :])
            other = Round.from_deal(replace(start, hands=(start.hands[0], hand, *start.hands[2:]), talon=talon))
            try:
                for move in round_.moves:
                    other.play(move)
            except SniffError:
                continue
            if other.view(0) == round_.view(0):
                found.append(other)
    return found[:3]


# On a terminal


@pytest.mark.parametrize(
    ("how", "status"),
    [("\x03", 130), ("\x04", 0), (signal.SIGTERM, 143), (signal.SIGHUP, 129), ("q\n", 0)],
    ids=["Ctrl-C", "Ctrl-D", "SIGTERM", "SIGHUP", "q"],
)
def test_leaving_saves_and_leaves_the_terminal_clean(tmp_path: Path, how: str | signal.Signals, status: int) -> None:
    on = OwnTerminal(tmp_path, "play", "random", "--seed", "5")
    on.wait_for("Your move")
    on.type("1\n")
    on.wait_for("Your move")
    if isinstance(how, str):
        on.type(how)
    else:
        on.process.send_signal(how)
    assert on.end() == status
    assert on.after == on.before
    assert "Saved. To go on: sniffai play --resume sniffai.match" in on.seen
    assert "Traceback" not in on.seen
    match = resume_match((tmp_path / "sniffai.match").read_text(encoding="utf-8"))
    assert len(match.rounds[0].moves) >= 2


@pytest.mark.parametrize(
    ("env", "colour"), [({}, True), ({"TERM": "dumb"}, False), ({"NO_COLOR": "1"}, False)], ids=["xterm", "dumb", "NO"]
)
def test_a_terminal_of_80_columns_with_and_without_colour(tmp_path: Path, env: dict[str, str], colour: bool) -> None:
    on = OwnTerminal(
        tmp_path, "play", "random", "random", "random", "--seed", "5", "--simulations", "100", "--lang", "ja", **env
    )
    for line in ("1", "h", "1", "?", "1", "t"):
        on.wait_for("ヘルプ）：")
        on.type(line + "\n")
    on.wait_for("ヘルプ）：")
    on.type("\x04")
    assert on.end() == 0
    assert ("\x1b[" in on.seen) == colour
    plain = re.sub(r"\x1b\[[0-9;]*m", "", on.seen)
    assert max(map(cell_len, plain.replace("\r", "").split("\n"))) <= 80


def test_a_window_that_is_too_low_shows_the_table_in_words_and_b_draws_it(tmp_path: Path) -> None:
    on = OwnTerminal(tmp_path, "play", "random", "--seed", "5", rows=16)
    for line in ("1", "1", "b"):
        on.wait_for("for help): ")
        on.type(line + "\n")
    on.wait_for("for help): ")
    on.type("\x04")
    assert on.end() == 0
    seen = re.sub(r"\x1b\[[0-9;]*m|\r", "", on.seen)
    words_of_it, _, drawn = seen.rpartition("Table, from")[2].partition("for help): b")
    assert re.search(r"\n  (left|right): (\[\d\|\d\] )*\([a-d]\)\n", words_of_it)
    assert "┌───" not in words_of_it
    assert "┌───" in drawn


def test_ascii_draws_with_letters_that_every_terminal_has(play: Play) -> None:
    _, out = play("random", "--seed", "5", "--ascii", typed=["1", "1"])
    assert "+---" in out
    assert out.isascii()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one two three", ["one two", "three"]),
        ("- 席1が今の手牌の", ["- 席1が今", "の手牌の"]),
        ("今の配置のま。今", ["今の配置", "のま。今"]),
        ("今の配置の。", ["今の配置", "の。"]),
        ("今の配置まで。", ["今の配置", "まで。"]),
        ("一二三四五。六", ["一二三四", "五。六"]),
        ("abcdefghijklm", ["abcdefghij", "klm"]),
        ("", [""]),
    ],
)
def test_lines_are_broken_between_words_and_wide_letters(text: str, lines: list[str]) -> None:
    assert list(terminal._folded(text, 9 if text[0:1] not in ("a", "o") else 10)) == lines
