"""What commands print: safe for the terminal, whole at any width and in any encoding, whoever stops taking it."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import tomllib
import unicodedata
from functools import cache
from pathlib import Path

import pytest

import sniffai
from sniffai import MatchRecord, wire
from sniffai.checks import visible
from sniffai.cli import terminal
from sniffai.cli.forms import load
from sniffai.cli.group import COMMANDS, READER_GONE, run
from sniffai.review import html_report, review
from sniffai_server.config import toml_value

HOSTILE = {
    "an escape": "\x1b[2J",
    "a title": "\x1b]0;owned\x07",
    "the clipboard": "\x1b]52;c;ZXZpbA==\x07",
    "a C1 escape": "\x9b2J",
    "a C1 string": "\x9d0;owned\x9c",
    "a delete": "a\x7fb",
    "a backspace": "a\x08b",
    "a carriage return": "a\rb",
    "an override": "\u202egpj.exe",
    "an isolate": "\u2067abc",
    "a mark": "\u200fabc\u061c",
    "no width": "a\u200bb\ufeff",
    "a line": "a\u2028b",
    "a tag": "a\U000e0041b",
}
ENDINGS = {"dumb": {"TERM": "dumb"}, "forced": {"FORCE_COLOR": "1"}, "pipe": {}, "narrow": {"COLUMNS": "20"}}


def steering(text: str) -> set[str]:
    """The signs of an output that steer, apart from new lines."""
    return {sign for sign in set(text) - {"\n"} if unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Zl", "Zp")}


def hostile_match(folder: Path, name: str) -> Path:
    """A match of one round with few decisions, whose review has all that a page can show."""
    round_ = sniffai.Round.deal(2, seed=307)
    while not round_.over:
        round_.play(round_.legal_moves()[0])
    path = folder / "a.match"
    tags = {"Seat0": "PLACE", "Seat1": "[bold]Bob[/bold] :smile:", "Event": "PLACE", "Date": "PLACE"}
    sniffai.dump_match(MatchRecord.of([round_], tags), path)
    path.write_text(path.read_text(encoding="utf-8").replace("PLACE", name), encoding="utf-8", newline="")
    return path


@pytest.fixture(name="view", scope="module")
def _view() -> str:
    round_ = sniffai.Round.deal(2, seed=3)
    return round_.view(round_.seat).to_text()


def start(*args: str, **env: str) -> "subprocess.CompletedProcess[bytes]":
    clean = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    command = [sys.executable, "-m", "sniffai", *args]
    return subprocess.run(command, env=clean | env, capture_output=True, check=False, timeout=60)


def on_a_terminal(*args: str, **env: str) -> str:
    """What a person sees: standard output and standard error on a terminal."""
    clean = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR")}
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "sniffai", *args]
    process = subprocess.Popen(command, env=clean | env, stdout=follower, stderr=follower, stdin=subprocess.DEVNULL)
    os.close(follower)
    seen = b""
    while select.select([leader], [], [], 60)[0]:
        try:
            more = os.read(leader, 65536)
        except OSError:  # nobody writes any more
            break
        if not more:
            break
        seen += more
    os.close(leader)
    assert process.wait(60) == 0, seen
    return seen.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_a_name_cannot_control_the_terminal_or_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = hostile_match(tmp_path, name)
    page = tmp_path / "page.html"
    assert run(["review", str(path), "--simulations", "3", "--html", str(page)]) == 0
    out, err = capsys.readouterr()
    assert steering(out + err) == set()
    assert "[bold]Bob[/bold] :smile:" in out
    assert steering(page.read_text(encoding="utf-8")) == set()
    assert run(["review", str(path), "--simulations", "3", "--json"]) == 0
    assert steering(capsys.readouterr().out) == set()
    for args in (
        ["recommend", name],
        ["replay", str(tmp_path / name.replace("/", ""))],
        ["recommend", str(path), "--lang", name],
    ):
        assert run(args) == 2
        out, err = capsys.readouterr()
        assert (steering(out + err), err.count("\n")) == (set(), 1)


def test_a_right_to_left_name_is_isolated_on_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = hostile_match(tmp_path, "דני")
    assert run(["review", str(path), "--simulations", "10"]) == 0
    assert "דני" in capsys.readouterr().out
    page = html_report(review(load(str(path)).subject(), sniffai.Limits(simulations=10)))
    assert "\u2068דני\u2069" in page


def test_text_from_a_server_cannot_control_the_terminal(capsys: pytest.CaptureFixture[str], view: str) -> None:
    request = f'{{"view": {wire.to_json(wire.write_view(sniffai.View.from_text(view)))}, "clientTag": "\\u001b[2J"}}'
    assert run(["recommend", request, "--simulations", "10"]) == 0
    out, _ = capsys.readouterr()
    assert "tag: \\x1b[2J" in out
    assert steering(out) == set()


def test_control_characters_are_shown() -> None:
    assert visible("a\x1b[2J\u202e\ud800\nb\tc") == "a\\x1b[2J\\u202e\\ud800\nb\tc"
    assert visible("a\nb", "") == "a\\nb"
    assert visible("Müller 山田　太郎 דני") == "Müller 山田　太郎 דני"


def unstyled(text: str) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", text)


@pytest.mark.parametrize("env", ENDINGS.values(), ids=ENDINGS)
def test_no_value_is_lost_in_a_pipe(
    view: str, env: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["recommend", view, "--simulations", "1000"]) == 0
    plain = capsys.readouterr().out
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert run(["recommend", view, "--simulations", "1000"]) == 0
    told = capsys.readouterr().out
    assert unstyled(told).split() == plain.split()
    assert "…" not in told
    assert ("\x1b" in told) == ("FORCE_COLOR" in env)


@pytest.mark.parametrize("columns", ["1", "20", "40", "60", "80", "300"])
@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_no_value_is_lost_on_a_terminal(
    view: str, columns: str, term: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    args = ["recommend", view, "--simulations", "1000"]
    assert run(args) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.strip()[:1].isdigit()]
    monkeypatch.setattr(terminal, "is_terminal", lambda stream: True)
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("TERM", term)
    assert run(args) == 0
    seen = capsys.readouterr().out
    assert "…" not in seen
    values = unstyled(seen).split()
    assert len(rows) == 7
    for row in rows:
        assert set(row[:9]) <= set(values)
    assert ("\x1b" in seen) == (term != "dumb" and int(columns) >= 60)
    assert ("then: " in seen) == (int(columns) < 60 or int(columns) == 300)
    if int(columns) >= 60:
        table = unstyled(seen).splitlines()[2:12]
        assert max(map(len, table)) <= int(columns)


def test_a_real_terminal_gets_the_table_that_it_has_room_for(tmp_path: Path) -> None:
    path = hostile_match(tmp_path, "Ann")
    seen = on_a_terminal("review", str(path), "--simulations", "10", TERM="xterm", COLUMNS="100")
    assert "\x1b[1m" in seen
    assert "Ann" in unstyled(seen)
    narrow = on_a_terminal("review", str(path), "--simulations", "10", TERM="xterm", COLUMNS="20", NO_COLOR="1")
    assert "\x1b" not in narrow
    assert "Ann: " in narrow


@pytest.mark.parametrize(
    ("env", "wanted"),
    [
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, True),
        ({"CLICOLOR": "0"}, False),
        ({"CLICOLOR": "0", "CLICOLOR_FORCE": "1"}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "unknown"}, False),
        ({"TERM": "xterm"}, True),
    ],
    ids=str,
)
def test_no_escape_sequence_where_none_is_wanted(
    tmp_path: Path,
    env: dict[str, str],
    wanted: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = hostile_match(tmp_path, "Ann")
    monkeypatch.setattr(terminal, "is_terminal", lambda stream: True)
    for name, value in ({"TERM": "xterm", "COLUMNS": "100"} | env).items():
        monkeypatch.setenv(name, value)
    assert run(["review", str(path), "--simulations", "10"]) == 0
    out, err = capsys.readouterr()
    assert ("\x1b" in out) == wanted
    assert wanted or "\x1b" not in err
    assert "Ann" in out


@cache
def numbers(view: str, encoding: str) -> list[str]:
    """The rows of an answer as a process prints them."""
    done = start("recommend", view, "--simulations", "500", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    rows = [line.split() for line in done.stdout.decode(encoding.partition(":")[0]).splitlines()]
    return [" ".join(row[:9]).replace("−", "-") for row in rows if row and row[0].isdigit()]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "ascii:ignore", "latin-1:replace"])
def test_a_number_is_the_same_in_every_encoding(view: str, encoding: str) -> None:
    assert numbers(view, encoding) == numbers(view, "utf-8")


ALL = [
    *[[name, "--help"] for name in COMMANDS],
    ["--help"],
    ["--version"],
    ["info"],
    ["deal"],
    ["deal", "--json"],
    ["perft", "--depth", "2", "--divide"],
    ["equity", "show"],
    ["equity", "show", "--help"],
    ["tally", "100"],
]
EVERY = """
import json, os, sys
from sniffai.cli.group import run
for args in json.loads(sys.argv[2]):
    if sys.argv[1] == "gone":
        reader, target = os.pipe()
        os.close(reader)
    else:
        target = os.open(sys.argv[1], os.O_WRONLY)
    os.dup2(target, 1)
    sys.stdout = open(1, "w", closefd=False)
    print(json.dumps([args, run(args)]), file=sys.stderr)
    os.close(target)
"""


def ends(target: str) -> list[str]:
    """What is on standard error when each command writes to a target that takes nothing."""
    command = [sys.executable, "-c", EVERY, target, json.dumps(ALL)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stderr.splitlines()


def test_every_command_ends_alike_when_its_reader_is_gone() -> None:
    assert ends("gone") == [json.dumps([args, READER_GONE]) for args in ALL]


def test_every_command_tells_of_a_full_device() -> None:
    told = "sniffai: standard output: No space left on device"
    assert ends("/dev/full") == [line for args in ALL for line in (told, json.dumps([args, 1]))]


@pytest.mark.parametrize("program", ["sniffai", "sniffai_server"])
def test_a_program_ends_alike_when_its_reader_is_gone(program: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", program, "info"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False, timeout=60)
    os.close(writer)
    assert (done.returncode, done.stderr) == (READER_GONE, b"")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_device_that_takes_half_of_the_output_is_reported(tmp_path: Path, view: str, unbuffered: str) -> None:
    limited = ["bash", "-c", 'ulimit -f 4; exec "$@" >half.svg', "bash", sys.executable, "-m", "sniffai", "draw", view]
    env = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(limited, cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (1, "sniffai: standard output: File too large\n")
    assert (tmp_path / "half.svg").stat().st_size == 4096


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("args", [["info"], ["perft", "--depth", "2", "--divide"]], ids=" ".join)
def test_output_goes_into_a_pipe_in_one_piece(args: list[str], unbuffered: str) -> None:
    reader, writer = os.pipe2(os.O_DIRECT)  # a reading gets one writing
    env = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    subprocess.run([sys.executable, "-m", "sniffai", *args], stdout=writer, env=env, check=True, timeout=60)
    os.close(writer)
    pieces = [os.read(reader, 65536) for _ in range(2)]
    os.close(reader)
    assert pieces[0].count(b"\n") > 5
    assert pieces[1] == b""


def test_a_long_name_leaves_room_for_the_rest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = hostile_match(tmp_path, "N" * 3000)
    assert run(["review", str(path), "--simulations", "1"]) == 0
    out = capsys.readouterr().out
    assert "N" * 39 + "…" in out
    assert max(map(len, out.splitlines())) < 200


def test_a_closed_output_is_reported() -> None:
    command = ["bash", "-c", 'exec "$@" >&-', "bash", sys.executable, "-m", "sniffai", "deal"]
    closed = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    assert (closed.returncode, closed.stderr) == (1, "sniffai: standard output is closed\n")


def test_a_long_result_is_kept_if_the_output_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(terminal, "finish", full)
    monkeypatch.setattr(terminal, "give_up", lambda: None)
    assert run(["tally", "100"]) == 1
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr("sniffai.cli.group.COSTLY_SECONDS", 0)
    capsys.readouterr()
    assert run(["tally", "100"]) == 1
    (file,) = tmp_path.iterdir()
    assert capsys.readouterr().err.endswith(f"the result is in {file}\n")
    assert file.read_text(encoding="utf-8") == sniffai.Tally.of(100).to_text() + "\n"


def test_errors_of_a_server_cannot_control_the_terminal() -> None:
    for args in (["\x1b[2J"], ["serve", "--port", "\x9b2J"], ["config", "--config", "no\x1b]0;owned\x07\u202e"]):
        command = [sys.executable, "-m", "sniffai_server", *args]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode != 0
        assert done.stderr
        assert steering(done.stdout + done.stderr) == set()


def test_the_server_s_settings_are_printed_in_any_encoding() -> None:
    command = [sys.executable, "-m", "sniffai_server", "config", "--health-ca", "no/é−"]
    env = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=env)
    assert '"no/?-"' in done.stdout
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    told = "é\x9b\u202e\x7f"
    assert tomllib.loads(f"a = {toml_value(told)}") == {"a": told}
    assert steering(toml_value(told)) == set()
