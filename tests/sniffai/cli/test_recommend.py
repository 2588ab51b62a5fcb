"""``sniffai recommend``: every form of input, here and through a server, for people and for programs."""

import io
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import sniffai
from sniffai import wire
from sniffai.cli.group import run
from sniffai.cli.tables import fit, text_table
from sniffai.explain import sentences
from sniffai.play.level_turn import LevelTurn
from sniffai.play.levels import LEVELS, find_level
from sniffai.play.match import Match, MatchSetup
from sniffai.records.matchfile import format_match
from tests.positions import TURNED
from tests.server.support import running_server

VIEW = sniffai.Round.deal(2, seed=3).view(sniffai.Round.deal(2, seed=3).seat)
LIMITS = sniffai.Limits(simulations=3000)


@pytest.fixture(name="view_file")
def _view_file(tmp_path: Path) -> str:
    file = tmp_path / "view.txt"
    file.write_text(VIEW.to_text() + "\n", encoding="utf-8")
    return str(file)


def write_json(folder: Path, value: object) -> str:
    file = folder / "request.json"
    file.write_text(json.dumps(value, indent=2), encoding="utf-8")
    return str(file)


def request(**more: object) -> dict[str, Any]:
    return {"view": json.loads(wire.to_json(wire.write_view(VIEW))), **more}


def answer(capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, Any]:
    """The JSON that a command line prints."""
    assert run(["recommend", *args, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return dict(json.loads(out))


def refused(capsys: pytest.CaptureFixture[str], status: int, args: Sequence[str]) -> str:
    assert run(["recommend", *args]) == status
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return err


def test_every_form_of_input_gets_the_library_s_answer(
    capsys: pytest.CaptureFixture[str], view_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    best = sniffai.recommend(VIEW, LIMITS, seed=7)
    options = ("--simulations", "3000", "--seed", "7")
    by_text = answer(capsys, view_file, *options)
    assert by_text["move"] == {"tile": str(best.move.tile), "at": best.move.at or ""}
    assert answer(capsys, write_json(tmp_path, request()), *options) == by_text
    assert answer(capsys, write_json(tmp_path, request()["view"]), *options) == by_text
    asked = request(limits={"simulations": "3000"}, seed="7")
    assert answer(capsys, write_json(tmp_path, asked)) == by_text
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(VIEW.to_text().encode())))
    assert answer(capsys, "-", *options) == by_text


def test_options_go_before_the_request(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = write_json(tmp_path, request(limits={"simulations": "3000"}, seed="7"))
    told = answer(capsys, file, "--simulations", "500", "--seed", "8")
    assert (told["analysis"]["effort"]["simulations"], told["analysis"]["seed"]) == ("500", "8")
    timed = answer(capsys, file, "--seconds", "0.05")
    assert timed["analysis"]["stop_reason"] == "STOP_REASON_TIME"


def test_people_get_a_table(capsys: pytest.CaptureFixture[str], view_file: str) -> None:
    assert run(["recommend", view_file, "--simulations", "3000"]) == 0
    table = capsys.readouterr().out
    best = sniffai.recommend(VIEW, LIMITS)
    rows = [line.split() for line in table.splitlines()]
    assert [row[1] for row in rows if row and row[0] == "1"] == [str(best.move)]
    assert len([row for row in rows if row and row[0].isdigit()]) == len(VIEW.legal_moves())
    assert "3000 simulations" in table


def test_a_forced_move_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    view = forced_view()
    (tmp_path / "view.txt").write_text(view.to_text(), encoding="utf-8")
    assert run(["recommend", str(tmp_path / "view.txt")]) == 0
    table = capsys.readouterr().out
    assert "forced: there is nothing to choose" in table
    assert not any(word in table for word in ("visits", "win %", "±", "then"))
    assert str(view.legal_moves()[0]) in table


def test_other_languages_have_no_english_word(capsys: pytest.CaptureFixture[str], view_file: str) -> None:
    for language, head in (("ja", "手牌"), ("zh-Hans", "摸牌堆")):
        for more in ((), ("--objective", "round"), ("--describe",)):
            assert run(["recommend", view_file, "--simulations", "500", "--lang", language, *more]) == 0
            told = capsys.readouterr().out
            assert head in told
            assert not re.search(r"[A-Za-z]{3,}", re.sub(r":(LOW|HIGH|LINE_[AB]|SIDE_[AB])", "", told)), told


def test_describe_puts_the_situation_into_words(capsys: pytest.CaptureFixture[str], view_file: str) -> None:
    assert run(["recommend", view_file, "--simulations", "100", "--lang", "ja"]) == 0
    assert not set(sentences(VIEW, "ja")) & set(capsys.readouterr().out.splitlines())
    assert run(["recommend", view_file, "--simulations", "100", "--lang", "ja", "--describe"]) == 0
    assert set(sentences(VIEW, "ja")) <= set(capsys.readouterr().out.splitlines())


@pytest.mark.parametrize("level", [*(level.name for level in LEVELS), "1350", "1650.5"])
def test_a_level_chooses_here_as_on_a_server(
    level: str, capsys: pytest.CaptureFixture[str], view_file: str, tmp_path: Path
) -> None:
    options = ("--simulations", "300") if level == "full" else ()
    here = answer(capsys, view_file, "--level", level, "--seed", "4", *options)
    turn = LevelTurn(find_level(level), VIEW, 4)
    move = turn.move(turn.searcher.run(turn.limits or sniffai.Limits(simulations=300)))
    assert move is not None
    assert (here["level"], here["move"]) == (level, {"tile": str(move.tile), "at": move.at or ""})
    asked = request(level=level, seed="4", **({"limits": {"simulations": "300"}} if options else {}))
    assert answer(capsys, write_json(tmp_path, asked)) == here
    with running_server() as server:
        there = answer(capsys, view_file, "--level", level, "--seed", "4", *options, "--server", server.address)
    for told in (here, there):
        del told["analysis"]["effective_limits"]  # a server has caps of its own
    assert there == here
    assert run(["recommend", view_file, "--level", level, "--seed", "4", *options]) == 0
    assert f" plays {move}\n" in capsys.readouterr().out


def test_a_level_is_told_in_every_language(capsys: pytest.CaptureFixture[str], view_file: str) -> None:
    for language, word in (("ja", "レベル"), ("zh-Hans", "等级")):
        assert run(["recommend", view_file, "--level", "casual", "--lang", language]) == 0
        told = capsys.readouterr().out
        assert word in told
        assert not re.search(r"[A-Za-z]{3,}", re.sub(r":(LOW|HIGH|LINE_[AB]|SIDE_[AB])", "", told)), told


def test_what_a_level_cannot_be_asked(capsys: pytest.CaptureFixture[str], view_file: str) -> None:
    told = refused(capsys, 2, [view_file, "--level", "grandmaster"])
    assert told.startswith("sniffai: level: 'grandmaster' is not one of newcomer, beginner, casual, ")
    told = refused(capsys, 2, [view_file, "--level", "999"])
    assert told.startswith(f"sniffai: level: a rating is in {LEVELS[0].rating}..{LEVELS[-1].rating}, not 999; ")
    move = str(VIEW.legal_moves()[0])
    for option in ("--include", "--exclude"):
        assert "--level cannot be used with" in refused(capsys, 2, [view_file, "--level", "casual", option, move])
    warned = answer(capsys, view_file, "--level", "casual", "--simulations", "5", "--objective", "round")
    assert [warning["field"] for warning in warned["analysis"]["warnings"]] == ["limits", "objective"]


def test_losses_are_in_units_of_the_objective(capsys: pytest.CaptureFixture[str], view_file: str) -> None:
    told = {}
    for objective in ("match", "round"):
        assert run(["recommend", view_file, "--simulations", "3000", "--objective", objective]) == 0
        told[objective] = capsys.readouterr().out
    assert "loss %: how much less chance" in told["match"] and "loss pts" not in told["match"]
    assert "loss pts: how much less margin" in told["round"] and "loss %" not in told["round"]
    found = sniffai.analyze(VIEW, LIMITS, params=sniffai.SearchParams(objective="round"))
    losses = [row.split()[6] for row in told["round"].splitlines() if row.strip()[:1].isdigit()]
    assert losses == [f"{move.loss:.2f}".replace("-", "−") for move in found.moves]


def test_tables_are_made_as_narrow_as_the_terminal() -> None:
    def lines(width: int) -> list[str]:
        made = text_table("#>", "move", "points>", "values?", "then?")
        made.add_row("1", "0|5@1|5:HIGH (= 5|6:LOW)", "15", "searched", "1|6@1|1:SIDE_A? 2|6@1|6:HIGH?")
        fit(made, width)
        console = Console(width=width, file=io.StringIO())
        with console.capture() as captured:
            console.print(made)
        return captured.get().splitlines()

    assert "SIDE_A? 2|6" in "".join(lines(100))
    assert "then" not in "".join(lines(60)) and "searched" in "".join(lines(60))
    narrow = lines(32)
    assert max(map(len, narrow)) <= 32
    assert "values" not in "".join(narrow)
    for part in ("0|5@1|5:HIGH", "5|6:LOW)", "15"):
        assert part in "".join(narrow)


def forced_view() -> sniffai.View:
    """A view with one legal move."""
    round_ = sniffai.Round.deal(2, seed=1)
    while len(moves := round_.legal_moves()) != 1:
        round_.play(moves[0])
    return round_.view(round_.seat)


def test_a_forced_draw_to_come_is_described(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The view stops before the seat's own draw: there is nothing to place."""
    view = view_before_a_draw()
    (tmp_path / "view.txt").write_text(view.to_text(), encoding="utf-8")
    assert run(["recommend", str(tmp_path / "view.txt")]) == 0
    assert "nothing to place: draw" in capsys.readouterr().out


def view_before_a_draw() -> sniffai.View:
    round_ = sniffai.Round.deal(2, seed=1)
    while not isinstance(round_.history[-1:] and round_.history[-1], sniffai.Draw):
        round_.play(round_.legal_moves()[0])
    seat = round_.seat
    assert round_.history[-1].seat == seat
    start = round_.start
    events = [event.to_dict() for event in round_.view(seat).events[:-1]]
    return sniffai.View.from_events(
        players=2, seat=seat, leader=start.leader, hand=start.hands[seat], events=events, scores=start.scores
    )


def test_a_server_gives_the_same_answer(capsys: pytest.CaptureFixture[str], view_file: str) -> None:
    options = (view_file, "--simulations", "3000", "--seed", "7")
    here = answer(capsys, *options)
    with running_server() as server:
        there = answer(capsys, *options, "--server", server.address)
        assert run(["recommend", *options, "--server", server.address]) == 0
        assert here["move"]["tile"] in capsys.readouterr().out
        assert run(["info", "--server", server.address]) == 0
        assert sniffai.__version__ in capsys.readouterr().out
        assert run(["info", "--server", server.address, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["engine_version"] == sniffai.__version__
    assert there["move"] == here["move"]
    assert there["analysis"]["moves"] == here["analysis"]["moves"]


def test_a_server_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str], view_file: str) -> None:
    assert "UNAVAILABLE" in refused(capsys, 1, [view_file, "--server", "127.0.0.1:1"])
    assert run(["info", "--server", "127.0.0.1:1"]) == 1
    assert "UNAVAILABLE" in capsys.readouterr().err


def test_wrong_input_is_named_with_its_field(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    wrong = request()
    wrong["view"]["hand"][2] = "6|4"
    assert "view.hand[2]: " in refused(capsys, 2, [write_json(tmp_path, wrong)])
    assert "view" in refused(capsys, 2, [write_json(tmp_path, {"seed": "1"})])
    assert "colour" in refused(capsys, 2, [write_json(tmp_path, request(colour="red"))])
    (tmp_path / "line.txt").write_text(VIEW.to_text().replace("seat=", "chair="), encoding="utf-8")
    assert "chair" in refused(capsys, 2, [str(tmp_path / "line.txt")])
    other = sniffai.Round.deal(2, seed=3).view(1 - VIEW.seat)
    (tmp_path / "line.txt").write_text(other.to_text(), encoding="utf-8")
    assert "turn" in refused(capsys, 2, [str(tmp_path / "line.txt")])


def test_a_round_is_analysed_for_the_seat_to_move(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, view_file: str
) -> None:
    options = ("--simulations", "500", "--seed", "7")
    by_view = answer(capsys, view_file, *options)
    round_ = sniffai.Round.deal(2, seed=3)
    assert answer(capsys, round_.to_text(), *options) == by_view
    while not round_.over:
        round_.play(round_.legal_moves()[0])
    (tmp_path / "over.txt").write_text(round_.to_text(), encoding="utf-8")
    assert "over.txt: the round is over: no seat is to move" in refused(capsys, 2, [str(tmp_path / "over.txt")])


def test_options_of_a_server_are_checked(capsys: pytest.CaptureFixture[str], view_file: str, tmp_path: Path) -> None:
    here, none = ["--server", "127.0.0.1:1"], str(tmp_path / "none")
    (tmp_path / "empty").write_text("\n", encoding="utf-8")
    (tmp_path / "wrong").write_text("kéy", encoding="utf-8")
    for args, word in (
        (["--tls-ca", none], "--tls-ca needs --server"),
        (["--api-key-file", none], "--api-key-file needs --server"),
        ([*here, "--tls-ca", none], "none: No such file"),
        ([*here, "--api-key-file", none], "none: No such file"),
        ([*here, "--api-key-file", str(tmp_path / "empty")], "an API key is expected"),
        ([*here, "--api-key-file", str(tmp_path / "wrong")], "an API key has printable ASCII characters only"),
        ([*here, "--tls-cert", none], "--tls-cert and --tls-key must be given together"),
    ):
        assert word in refused(capsys, 2, [view_file, *args])


def test_an_empty_address_a_closed_input_and_endless_seconds_are_refused(
    capsys: pytest.CaptureFixture[str], view_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "address" in refused(capsys, 2, [view_file, "--server", ""])
    assert "seconds" in refused(capsys, 2, [view_file, "--seconds", "1e305"])
    assert "seconds" in refused(capsys, 2, [view_file, "--seconds", "1e300", "--server", "127.0.0.1:1"])
    monkeypatch.setattr(sys, "stdin", None)
    assert "closed" in refused(capsys, 2, ["-"])


@pytest.mark.parametrize("target", ["/dev/full"])
def test_output_that_nobody_can_take_ends_with_one_line(view_file: str, target: str) -> None:
    with Path(target).open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "sniffai", "recommend", view_file, "--simulations", "10"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith("sniffai: ")
    assert done.stderr.count("\n") == 1


def told_of(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    round_ = sniffai.Round.deal(2, 3, leader=0)
    for _ in range(4):
        round_.play(round_.legal_moves()[0])
    view = round_.view(round_.seat).to_text()
    status = run(["recommend", view, "--simulations", "400", "--json", *options])
    out, err = capsys.readouterr()
    return status, out, err


def test_it_can_be_told_how_others_choose(capsys: pytest.CaptureFixture[str]) -> None:
    plain = told_of(capsys)
    assert plain[0] == 0
    assert told_of(capsys, "--opponent", "1=full")[:2] == (0, plain[1])
    answers = {told_of(capsys, "--opponent", f"1={name}")[1] for name in ("casual", "policy", "learned")}
    assert len(answers | {plain[1]}) == 4
    for wrong, words in (
        ("casual", "--opponent: a seat and a name are expected, such as 1=casual, not 'casual'"),
        ("one=casual", "--opponent: a seat and a name are expected"),
        ("0=casual", "0 is not one of the other seats: 1"),
        ("2=casual", "2 is not one of the other seats: 1"),
        ("1=nobody", "the levels are newcomer, beginner"),
        ("2=learned", "there is no seat 2"),
    ):
        status, out, err = told_of(capsys, "--opponent", wrong)
        assert (status, out) == (2, "")
        assert words in err
    status, _, err = told_of(capsys, "--opponent", "1=casual", "--opponent", "1=steady")
    assert (status, "seat 1 is named twice" in err) == (2, True)
    for name, *other in (("casual", "--level", "casual"), ("learned", "--server", "unix:/nowhere")):
        status, _, err = told_of(capsys, "--opponent", f"1={name}", *other)
        assert (status, "cannot be used with" in err) == (2, True)


def test_it_tells_how_moves_fare_against_careless_opponents(capsys: pytest.CaptureFixture[str]) -> None:
    limits = ("--simulations", "1500", "--seed", "1", "--careless")
    assert run(["recommend", TURNED, *limits]) == 0
    told = capsys.readouterr().out
    assert "careless %: the same chance against opponents who overlook points" in told
    assert "- Against players who overlook points the opposite holds: with [1|6] on [1|2]" in told
    assert run(["recommend", TURNED, *limits, "--json"]) == 0
    moves = json.loads(capsys.readouterr().out)["analysis"]["moves"]
    assert all("careless" in move for move in moves)
    assert run(["recommend", TURNED, "--careless", "--level", "club"]) == 2
    assert "--careless cannot be used with --level" in capsys.readouterr().err


def test_it_learns_from_the_earlier_rounds_of_a_record(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The last round alone, and the whole record, in which the seat to move has seen more of the other one."""
    match = Match(MatchSetup(("level:newcomer", "level:newcomer"), seed=4))
    for _ in range(4):
        while not match.current.over:
            match.step()
        match.next_round()
    while len(match.current.moves) < 5 or len(match.current.legal_moves()) < 2:
        match.step()
    answers = []
    for text in (match.current.to_text(), format_match(match.record())):
        file = tmp_path / "record"
        file.write_text(text, encoding="utf-8")
        other = 1 - match.current.seat
        args = ["recommend", str(file), "--simulations", "300", "--json", "--opponent", f"{other}=learned"]
        assert run(args) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] != answers[1]


@pytest.mark.parametrize(
    ("language", "standing"),
    [("en", "A model of how they play is in it"), ("ja", "打ち方のモデルが入っている"), ("zh", "其中有一个打法模型")],
)
def test_beliefs_are_shown_beside_each_other(capsys: pytest.CaptureFixture[str], language: str, standing: str) -> None:
    round_ = sniffai.Round.deal(3, seed=4)
    while len(round_.moves) < 8:
        round_.play(round_.legal_moves()[0])
    view = round_.view(round_.seat).to_text()
    args = ["recommend", view, "--simulations", "500", "--lang", language]
    assert run([*args, "--belief"]) == 0
    out = capsys.readouterr().out
    assert standing in out
    told = sniffai.analyze(round_.view(round_.seat), sniffai.Limits(simulations=500))
    assert told.inferred_belief is not None
    tile = next(tile for tile in sniffai.TILES if 0 < told.belief.table[tile.index].max() < 1)
    row = next(line.split() for line in out.splitlines() if line.split()[:1] == [str(tile)])
    cells = [
        f"{100 * table[tile.index, place]:.0f}"
        for place in range(4)
        if place != round_.seat
        for table in (told.belief.table, told.inferred_belief.table)
    ]
    assert row[1:] == cells[: len(row) - 1]
    assert run(args) == 0
    assert standing not in capsys.readouterr().out


def test_the_exact_belief_alone_is_shown_at_the_lead(capsys: pytest.CaptureFixture[str], view_file: str) -> None:
    assert run(["recommend", view_file, "--simulations", "300", "--belief"]) == 0
    out = capsys.readouterr().out
    assert "The others' choices say nothing more here." in out
    assert "inferred" not in out
