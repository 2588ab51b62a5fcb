"""Every command takes every form: files, standard input and the text itself, of views, rounds and matches."""

import io
import json
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

import sniffai
from sniffai import MatchRecord, SeatRecord, wire
from sniffai.cli.forms import load
from sniffai.cli.group import run
from sniffai.records.matchfile import format_match
from tests.server.support import running_server
from tests.sniffai.notes_writer import Writer

TRACE = (Path(__file__).parents[2] / "data" / "rounds.jsonl").read_text(encoding="utf-8").splitlines()[0]


def played(count: int) -> sniffai.Round:
    round_ = sniffai.Round.deal(2, seed=3)
    while len(round_.moves) < count and not round_.over:
        round_.play(round_.legal_moves()[0])
    return round_


ROUND = played(3)
VIEW = ROUND.view(ROUND.seat)
SNAPSHOT = sniffai.View.from_snapshot(
    players=2,
    seat=VIEW.seat,
    placements=VIEW.placements,
    hand=VIEW.hand,
    hand_sizes=VIEW.hand_sizes,
    talon_size=VIEW.talon_size,
    scores=VIEW.scores_now,
)
START = ROUND.start
DEAL = json.loads(wire.to_json(wire.write_deal(ROUND)))
SEEN = json.loads(wire.to_json(wire.write_view(VIEW)))
SNAP = json.loads(wire.to_json(wire.write_view(SNAPSHOT)))
MATCH = json.loads(wire.to_json(wire.write_record([ROUND], ["Ann", "Bob"])))
SEAT = json.loads(wire.to_json(wire.write_seat_record(SeatRecord.of([VIEW], tags={"Seat1": "Bob"}))))
RAW: dict[str, Any] = {
    "players": 2,
    "leader": START.leader,
    "scores": list(START.scores),
}
RAW_DEAL = RAW | {
    "hands": [list(map(str, hand)) for hand in START.hands],
    "talon": list(map(str, START.talon)),
    "moves": list(map(str, ROUND.moves)),
}
RAW_VIEW = RAW | {
    "seat": VIEW.seat,
    "hand": list(map(str, VIEW.dealt or ())),
    "events": [event.to_dict() for event in VIEW.events],
}
FORMS = {
    "view line": VIEW.to_text(),
    "snapshot line": SNAPSHOT.to_text(),
    "round line": ROUND.to_text(),
    "match file": format_match(MatchRecord.of([ROUND], {"Seat0": "Ann", "Black-Elo": "1800"})),
    "PlayerView": json.dumps(SEEN),
    "PlayerView of a snapshot": json.dumps(SNAP, indent=2),
    "OpenDeal": json.dumps(DEAL),
    "RecordedMatch": json.dumps(MATCH),
    "raw events of a seat": json.dumps(RAW_VIEW),
    "raw moves of a round": json.dumps(RAW_DEAL),
    "RecommendMoveRequest": json.dumps({"view": SEEN, "limits": {"simulations": "50"}}),
    "AnalyzeRequest of a view": json.dumps({"view": SEEN, "clientTag": "x"}),
    "AnalyzeRequest of a deal": json.dumps({"deal": DEAL, "seed": "3"}),
    "StreamAnalyzeRequest": json.dumps({"view": SEEN, "report_interval": "0.1s"}),
    "ListLegalMovesRequest": json.dumps({"view": SEEN}),
    "ApplyMoveRequest": json.dumps({"deal": DEAL, "move": {"tile": "0|0"}}),
    "DealRoundResponse": json.dumps({"deal": DEAL, "state": {}}),
    "AnalyzeMatchRequest": json.dumps({"match": MATCH, "limits": {"simulations": "20"}}),
    "AnalyzeMatchRequest of a text": json.dumps({"text": ROUND.to_text()}),
    "AnalyzeMatchRequest of a view": json.dumps({"view": SEEN, "seed": "1", "priority": "PRIORITY_BULK"}),
    "trace": TRACE,
    "SeatRecord": json.dumps(SEAT),
    "ExportRecordResponse of a seat": json.dumps({"views": SEAT["views"], "text": "", "warnings": []}),
    "ExportRecordResponse of a match": json.dumps({"match": MATCH, "text": "…", "views": []}),
    "ParseTextResponse": json.dumps({"seatRecord": SEAT}),
    "AnalyzeMatchRequest of a seat's record": json.dumps({"seat_record": SEAT, "limits": {"simulations": "20"}}),
    "AnalyzeMatchRequest of notes": json.dumps({"text": Writer(Random(3)).view(VIEW)}),
    "notes": Writer(Random(3)).view(VIEW) + "\n",
    "notes in one line": Writer(Random(3)).view(VIEW).replace("\n", "; "),
    "notes of a snapshot": Writer(Random(3)).snapshot(SNAPSHOT),
    "seat's record": SeatRecord.seen_by(MatchRecord.of([ROUND], {"Seat0": "Ann"}), VIEW.seat).to_text(),
}
SEES_ONE = {name for name, text in FORMS.items() if isinstance(load(text).what, (sniffai.View, SeatRecord))}
SNAPSHOTS = {"snapshot line", "PlayerView of a snapshot", "notes of a snapshot"}
COMMANDS = {
    "position": ["--json"],
    "recommend": ["--simulations", "20", "--json"],
    "review": ["--simulations", "5", "--json"],
    "draw": [],
    "replay": ["--json"],
    "perft": ["--depth", "1", "--json"],
    "tally": ["--json"],
}


def cannot(command: str, form: str) -> str | None:
    """What is said where a command can make nothing of a form."""
    if command == "perft" and form in SEES_ONE:
        return "shows what one seat knows; a round, a match record or a deal with all hands known is needed"
    if command == "review" and form in SNAPSHOTS:
        return "a snapshot has no events to review"
    if command in ("recommend", "position") and form == "trace":
        return "traces, whose last round is over: no seat is to move"
    return None


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_every_form(
    command: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text, options = FORMS[form], COMMANDS[command]
    file = tmp_path / "round 1.txt"
    file.write_text("\ufeff" + text.replace("\n", "\r\n") + "\n", encoding="utf-8", newline="")
    monkeypatch.chdir(tmp_path)
    told = []
    for argument, name in (("round 1.txt", "round 1.txt"), ("-", "standard input"), (text, "the text")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        status = run([command, argument, *options])
        out, err = capsys.readouterr()
        why = cannot(command, form)
        if why is not None:
            assert (status, out) == (2, "")
            assert err.startswith(f"sniffai: {name}: ")
            assert why in err
        else:
            assert (status, err) == (0, "")
            told.append(out)
    assert len(set(told)) <= 1


@pytest.mark.parametrize("command", COMMANDS)
def test_one_position_gets_one_answer_in_every_form(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    same = {"view line", "PlayerView", "raw events of a seat", "ListLegalMovesRequest"}
    if command in ("recommend",):
        same |= {"round line", "match file", "OpenDeal", "RecordedMatch", "raw moves of a round"}
    answers = set()
    for form in same:
        if cannot(command, form) is None:
            assert run([command, FORMS[form], *COMMANDS[command]]) == 0
            answers.add(capsys.readouterr().out)
    assert len(answers) == (command != "perft")


def test_what_deal_prints_is_taken_by_all(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for more in ([], ["--json"], ["--view", "mover"], ["--view", "mover", "--json"]):
        for command, options in COMMANDS.items():
            assert run(["deal", "--plies", "6", *more]) == 0
            text = capsys.readouterr().out
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
            expected = 2 if command == "perft" and "--view" in more else 0
            assert run([command, "-", *options]) == expected, capsys.readouterr().err
            capsys.readouterr()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is empty"),
        ("# only a comment\n", "it is empty"),
        ("hello", "a line that begins with view, snapshot or round, "),
        ("[]", "a line that begins"),
        ("null", "a line that begins"),
        ("{", "line 1: not JSON: "),
        ('{"colour": 1}', "colour"),
        ('{"seed": "1"}', "view must be given"),
        ('{"view": {}, "x": 1}', "x"),
        ("[Players 2]", "line 1: a tag is written"),
        (VIEW.to_text() + "\n" + VIEW.to_text(), "line 2: one view or round is expected"),
        (VIEW.to_text().replace("seat=", "chair="), "chair"),
        (ROUND.to_text() + " 9|9", "9|9"),
        (FORMS["match file"].replace("end ", "end out "), "line "),
        (FORMS["match file"].replace("before 0", "before 5"), "line "),
        (TRACE.replace('"points":0', '"points":5', 1), "line 1: round 1, steps["),
        ('{"a":1}\n{', "line 2: not JSON"),
        ('{"\\ud800": 1}', "half of a character"),
        ('{"view": {"\\ud800": 1}}', "half of a character"),
        ('{"seed": 1, "seed": 2}', "twice"),
        ('{"\\u001b[2J": {"a": 1}}', "[2J"),
        ("[" * 100_000, "a line that begins"),
        ('{"a":' * 100_000, "too deep"),
        ('{"a": ' + "9" * 5000 + "}", "digits"),
    ],
    ids=lambda value: value[:20],
)
def test_errors_name_the_file(
    command: str, text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wrong.txt"
    file.write_text(text, encoding="utf-8")
    assert run([command, str(file), *COMMANDS[command]]) in (1, 2)
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"sniffai: {file}: ")
    assert said in err


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "tally"])
@pytest.mark.parametrize(
    "name", ["round 1.txt", "view", "snapshot of Ann", "no/such", "a\0b", "", "x" * 5000, "\udcff"]
)
def test_a_missing_file_is_named(command: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, name, *COMMANDS[command]]) == 2
    _, err = capsys.readouterr()
    assert err.count("\n") == 1
    assert any(why in err for why in ("No such file", "the path of a file is expected", "File name too long"))


def test_tally_draws_the_scores_of_a_position(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tally", TRACE]) == 0
    drawn = [f"team {team}: {score}\n{sniffai.Tally.of(score).to_text()}\n" for team, score in enumerate((200, 25))]
    assert capsys.readouterr().out == "".join(drawn)
    assert run(["tally", TRACE, "--json"]) == 0
    assert [one["score"] for one in json.loads(capsys.readouterr().out)] == [200, 25]
    for name in ("many", "a\0b"):
        assert run(["tally", name]) == 2
        assert "valid integer" in capsys.readouterr().err
    assert run(["tally", "no/such"]) == 2
    assert "no/such: No such file" in capsys.readouterr().err


REQUEST = {
    "view": SEEN,
    "limits": {"simulations": "300"},
    "seed": "5",
    "clientTag": "table 7",
    "priority": "PRIORITY_BULK",
    "languageCode": "xx",
    "maxMoves": 1,
}


@pytest.mark.parametrize("where", ["here", "server"])
def test_every_field_of_a_request_is_used(where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "request.json"
    file.write_text(json.dumps(REQUEST | {"priority": 99, "objective": 99}), encoding="utf-8")
    with running_server() as server:
        more = [] if where == "here" else ["--server", server.address]
        assert run(["recommend", str(file), "--json", *more]) == 0
        analysis = json.loads(capsys.readouterr().out)["analysis"]
        assert run(["recommend", str(file), *more]) == 0
        told = capsys.readouterr().out
    assert analysis["client_tag"] == "table 7"
    assert analysis["seed"] == "5"
    assert len(analysis["moves"]) == 1
    assert [warning["field"] for warning in analysis["warnings"]] == ["language_code", "objective", "priority"]
    assert "tag: table 7" in told
    assert [line.split(":")[1].strip() for line in told.splitlines() if line.startswith("warning: ")] == [
        "language_code",
        "objective",
        "priority",
    ]


def test_the_priority_of_a_request_reaches_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    from sniffai.client import Client

    asked: list[dict[str, Any]] = []

    def note(self: Client, *args: object, **wishes: Any) -> None:
        asked.append(wishes)
        raise KeyboardInterrupt

    monkeypatch.setattr(Client, "recommend", note)
    assert run(["recommend", json.dumps(REQUEST), "--server", "127.0.0.1:1"]) == 130
    assert (asked[0]["priority"], asked[0]["client_tag"]) == ("bulk", "table 7")


def test_a_request_for_a_review_is_honoured(capsys: pytest.CaptureFixture[str]) -> None:
    asked = {"match": MATCH, "limits": {"simulations": "20"}, "seed": "4", "language_code": "xx"}
    assert run(["review", json.dumps(asked), "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert (found["limits"]["simulations"], found["seed"]) == (20, 4)
    assert [player["name"] for player in found["summary"]] == ["Ann", "Bob"]
    assert err.startswith("sniffai: warning: language_code: ")
    assert run(["review", json.dumps(asked), "--json", "--seed", "0", "--simulations", "10"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["limits"]["simulations"], found["seed"]) == (10, 0)
