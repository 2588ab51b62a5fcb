"""The commands that need no search: deal, perft, replay, tally, info; and how the command line tells what is wrong."""

import io
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import sniffai
from sniffai.cli.group import COMMANDS, run
from sniffai.play.levels import LEVELS

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(name="say")
def _say(capsys: pytest.CaptureFixture[str]) -> "Say":
    return Say(capsys)


class Say:
    """Runs command lines and expects them to end well, or to name what is wrong in one line."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *args: str) -> str:
        status = run(args)
        out, err = self._capsys.readouterr()
        assert (status, err) == (0, "")
        return out

    def refused(self, *args: str, status: int = 2) -> str:
        """The line on standard error."""
        assert run(args) == status
        out, err = self._capsys.readouterr()
        assert out == ""
        assert err.startswith("sniffai: ")
        assert err.count("\n") == 1
        return err


def type_in(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Put a text on standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


# deal


def test_deal_prints_a_round_that_can_be_read(say: Say) -> None:
    line = say("deal", "--players", "3", "--seed", "5", "--plies", "4").strip()
    round_ = sniffai.Round.from_text(line)
    assert (round_.players, len(round_.moves)) == (3, 4)
    assert round_.start == sniffai.Round.deal(3, seed=5).start
    assert say("deal", "--players", "3", "--seed", "5", "--plies", "4").strip() == line


def test_deal_takes_leader_and_scores(say: Say) -> None:
    line = say("deal", "--players", "4", "--leader", "3", "--score", "-15", "--score", "195")
    start = sniffai.Round.from_text(line).start
    assert (start.leader, start.scores) == (3, (-15, 195))


def test_deal_prints_what_a_seat_may_know(say: Say) -> None:
    round_ = sniffai.Round.from_text(say("deal", "--plies", "6"))
    for seat, name in (("0", 0), ("1", 1), ("mover", round_.seat)):
        view = sniffai.View.from_text(say("deal", "--plies", "6", "--view", seat))
        assert view == round_.view(int(name))


def test_deal_prints_the_messages_of_the_wire(say: Say) -> None:
    deal = json.loads(say("deal", "--players", "2", "--plies", "3", "--json"))
    assert (deal["players"], len(deal["hands"]), len(deal["moves"])) == (2, 2, 3)
    view = json.loads(say("deal", "--players", "2", "--view", "0", "--json"))
    assert (view["players"], len(view["hand"])) == (2, 7)
    assert "hands" not in view


def test_deal_stops_where_the_round_ends(say: Say) -> None:
    assert sniffai.Round.from_text(say("deal", "--plies", "28")).over


# perft


def test_perft_agrees_with_the_data(say: Say) -> None:
    position, *counts = (DATA / "perft" / "3-seats.perft").read_text(encoding="utf-8").split("\n\n")[0].splitlines()
    line = position.removeprefix("position ")
    for count in counts[:4]:
        _, depth, sequences = count.split()
        assert say("perft", line, "--depth", depth).split()[:3] == ["perft", depth, sequences]
        assert json.loads(say("perft", line, "--depth", depth, "--json"))["sequences"] == int(sequences)


def test_perft_divides_by_first_move(say: Say) -> None:
    whole = json.loads(say("perft", "--seed", "3", "--depth", "4", "--json"))
    parts = json.loads(say("perft", "--seed", "3", "--depth", "4", "--divide", "--json"))
    assert sum(parts["divide"].values()) == parts["sequences"] == whole["sequences"]
    table = say("perft", "--seed", "3", "--depth", "4", "--divide")
    assert all(move in table for move in parts["divide"])


def test_perft_reads_a_round_from_standard_input(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    line = say("deal", "--players", "4", "--seed", "2")
    type_in(monkeypatch, line)
    piped = say("perft", "-", "--depth", "3")
    assert piped.split()[:3] == say("perft", "--players", "4", "--seed", "2", "--depth", "3").split()[:3]


# replay


def test_replay_reads_traces(say: Say) -> None:
    assert "450 rounds" in say("replay", str(DATA / "rounds.jsonl"))


def test_replay_names_the_first_wrong_step_of_a_trace(say: Say, tmp_path: Path) -> None:
    lines = (DATA / "rounds.jsonl").read_text(encoding="utf-8").splitlines()[:3]
    trace = json.loads(lines[1])
    trace["steps"][4]["points"] += 5
    lines[1] = json.dumps(trace)
    file = tmp_path / "rounds.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    line = say.refused("replay", str(file), status=1)
    assert "rounds.jsonl: line 2: round 2, steps[4].points: " in line


def test_replay_reads_a_match(say: Say, tmp_path: Path) -> None:
    round_ = sniffai.Round.deal(2, seed=4)
    while not round_.over:
        round_.play(round_.legal_moves()[0])
    file = tmp_path / "match.txt"
    sniffai.dump_match(sniffai.MatchRecord.of([round_], {"Seat0": "Ann"}), file)
    scores = " ".join(map(str, round_.scores))
    assert say("replay", str(file)).endswith(f"1 rounds, {len(round_.history)} events: all valid; scores {scores}\n")
    assert json.loads(say("replay", str(file), "--json")) == {
        "rounds": 1,
        "events": len(round_.history),
        "right": True,
    }
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(f"after {scores}", "after 0 0"), encoding="utf-8")
    assert ": round 1, after: " in say.refused("replay", str(file), status=1)
    file.write_text(text.replace("leader", "who leads"), encoding="utf-8")
    assert "line 6: " in say.refused("replay", str(file))


def test_replay_cannot_read_what_is_no_text(say: Say, tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xff")
    assert "not UTF-8" in say.refused("replay", str(tmp_path / "bytes"))
    assert "No such file" in say.refused("replay", str(tmp_path / "nothing"))
    assert "directory" in say.refused("replay", str(tmp_path))


# tally


def test_tally_draws_a_score(say: Say, tmp_path: Path) -> None:
    file = tmp_path / "out.svg"
    assert say("tally", "185", "--svg", str(file)) == sniffai.Tally.of(185).to_text() + "\n"
    assert file.read_text(encoding="utf-8") == sniffai.Tally.of(185).to_svg()
    assert say("tally", "-35") == sniffai.Tally.of(-35).to_text() + "\n"
    assert json.loads(say("tally", "185", "--json")) == {"score": 185, "blocks": 3, "strokes": 7}
    assert "no strokes" in say("tally", "0")


def test_tally_refuses_what_is_no_score(say: Say, tmp_path: Path) -> None:
    assert "multiple of 5" in say.refused("tally", "7")
    assert "valid integer" in say.refused("tally", "many")
    assert "No such file" in say.refused("tally", "5", "--svg", str(tmp_path / "no" / "out.svg"))


# the command line itself


def test_help_lists_every_command(say: Say) -> None:
    for text in (say("--help"), say()):
        assert all(f"  {name} " in text for name in COMMANDS)
    assert say("--version").strip().endswith(sniffai.__version__)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(say: Say, name: str) -> None:
    assert f"sniffai {name}" in say(name, "--help")


def test_info_tells_the_games(say: Say) -> None:
    told = json.loads(say("info", "--json"))
    assert told["engine_version"] == sniffai.__version__
    assert [(game["players"], game["target"]) for game in told["tables"]] == [(2, 250), (3, 200), (4, 200)]
    assert sniffai.__version__ in say("info")


def test_info_tells_the_levels(say: Say) -> None:
    levels = json.loads(say("info", "--json"))["levels"]
    assert [(level["name"], level["rating"]) for level in levels] == [(level.name, level.rating) for level in LEVELS]
    assert [level["max_simulations"] for level in levels] == [level.max_simulations for level in LEVELS]
    assert all((level["mean_seconds"] is None) == (level["name"] == "full") for level in levels)
    lines = say("info").splitlines()
    for level in LEVELS:
        (line,) = [line for line in lines if line.split()[:1] == [level.name]]
        assert str(level.rating) in line and line.rstrip().endswith(level.description)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["nothing"], "No such command"),
        (["perft"], "--depth"),
        (["perft", "--depth", "29"], "29"),
        (["perft", "--depth", "0", "--divide"], "a depth in 1..28 is expected"),
        (["perft", "round players=2", "--depth", "1"], "leader: the field is missing"),
        (["deal", "--players", "5"], "--players"),
        (["deal", "--view", "2"], "there is no seat 2"),
        (["deal", "--view", "me"], "mover"),
        (["deal", "--score", "250", "--score", "0"], "scores[0]: "),
        (["deal", "--players", "2", "--leader", "3"], "leader: "),
        (["info", "--server"], "--server"),
    ],
)
def test_what_is_wrong_takes_one_line(say: Say, args: Sequence[str], said: str) -> None:
    assert said in say.refused(*args)


def test_the_module_runs_as_a_program() -> None:
    command = [sys.executable, "-m", "sniffai", "tally", "50"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert answer.stdout == sniffai.Tally.of(50).to_text() + "\n"


@pytest.mark.parametrize("args", ["perft --seed 3 --depth 2 --divide", "--help"])
def test_a_reader_that_goes_away_is_no_error(args: str) -> None:
    """What a command prints itself, and what click prints. ``test_terminal.py`` has every command, in one process."""
    command = f"{sys.executable} -m sniffai {args} | true"
    answer = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert answer.stderr == ""
