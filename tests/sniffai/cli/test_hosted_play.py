"""``sniffai play --server``: what a player types and sees, and the files that hold the player's tokens."""

import json
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from sniffai import Limits, load_match
from sniffai.cli.game import Game, LeaveError
from sniffai.cli.group import run
from sniffai.cli.hosted_play import Onlooker
from sniffai.cli.parts import BadInput
from sniffai.cli.table_words import opening
from sniffai.cli.tickets import Ticket, Tickets
from sniffai.explain.languages import words
from sniffai.play.match import HUMAN, Match, MatchSetup
from sniffai.play.table import OwnTable
from tests.server.support import LoopbackServer, running_server
from tests.sniffai.cli.test_play import END, Typist, Unkept, player
from tests.sniffai.cli.test_terminal import HOSTILE, steering

TOKEN = "A" * 43
MATCH = "0123456789abcdef01234567"

Play = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackServer]:
    with running_server(level_pause=0) as started:
        yield started


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Play:
    """Runs ``sniffai play`` with typed lines: the exit status, the output and the errors."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def played(*args: str, typed: Callable[[str], str | None] | Iterable[str] = ()) -> tuple[int, str, str]:
        lines = iter([] if callable(typed) else typed)
        monkeypatch.setattr("sys.stdin", Typist(typed if callable(typed) else lambda question: next(lines, None)))
        status = run(["play", *args])
        return status, *capsys.readouterr()

    return played


def test_a_match_is_left_listed_and_played_to_its_end(
    play: Play, server: LoopbackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = ("--server", server.address)
    assert play(*at, "--list")[:2] == (0, "You have no matches with this server.\n")
    # With this seed the player leads, so the scores stay until the move that is taken back.
    start = ("casual", *at, "--score=220", "--score=220", "--practice", "--seed", "4")
    status, out, _ = play(*start, typed=["h", "1", "u", "?"])
    assert status == 0
    assert "Hint: " in out
    assert "resign: give the match up" in out
    found = re.search(rf"sniffai play --server {server.address} --resume ([0-9a-f]+)", out)
    assert found is not None
    for path in tmp_path.rglob("*.json"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    _, out, _ = play(*at, "--list")
    assert re.search(rf"{found[1]} +0 +casual +220 220 +in play", out)
    monkeypatch.chdir(tmp_path)
    ends = ["s", "s", "s here.match", "s here.match", ""]

    def answer(question: str) -> str | None:
        return ends.pop(0) if END in question else player()(question)

    typed = iter(["s too-early.match"])
    status, out, _ = play(*at, "--resume", found[1], typed=lambda question: next(typed, None) or answer(question))
    assert status == 0
    assert re.search(r"wins? the match with", out)
    assert "The record can be saved once the match is over." in out
    assert "here.match is there already" in out
    names = ["here.match", "sniffai-2.match", "sniffai.match"]
    assert sorted(path.name for path in tmp_path.glob("*.match")) == names
    for name in names:
        assert load_match(name).replay()[-1].match_winner is not None
    _, out, _ = play(*at, "--list")
    assert re.search(rf"{found[1]} .* finished", out)


def test_giving_up_needs_to_be_said_twice(play: Play, server: LoopbackServer) -> None:
    lines = ["resign", "no", "resign", "resign", ""]
    status, out, _ = play("casual", "--server", server.address, typed=lines)
    assert status == 0
    assert out.count("Type resign again to give the match up: ") == 2
    assert "You have resigned.\nYou lose the match.\n" in out


class WithoutHints(OwnTable):
    """As a table of several people is."""

    @property
    def hints(self) -> bool:
        return False


def test_a_match_without_hints_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    lines = iter(["h"])
    monkeypatch.setattr("sys.stdin", Typist(lambda question: next(lines, None)))
    table = WithoutHints(Match(MatchSetup((HUMAN, "greedy"), 5)), 0, Limits(simulations=1))
    with pytest.raises(LeaveError):
        Game(table, words("en"), Unkept(), lambda: None).play()
    assert "There are no hints in this match." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--join", "x"], "--join needs --server"),
        (["--name", "x"], "--name needs --server"),
        (["--list"], "--list needs --server"),
        (["human"], "or a --server"),
        (["--server", "HERE", "--save", "x"], "a server keeps its own"),
        (["--server", "HERE", "--join", "x", "--list"], "do not go together"),
        (["--server", "HERE", "--join", "x"], "--join: an invitation is expected"),
        (["--server", "HERE", "--join", f"../../{MATCH}.{TOKEN}"], "--join: an invitation is expected"),
        (["--server", "HERE", "--resume", "../../etc/passwd"], "--resume: with --server, the id of a match"),
        (["--server", "HERE", "--resume", MATCH], f"no seat at match {MATCH} is kept here"),
        (["--server", "HERE", "--resume", MATCH, "--practice"], "keeps its seats"),
        (["casual", "--server", "HERE", "--join", f"{MATCH}.{TOKEN}"], "keeps its seats"),
        (["nobody", "--server", "HERE"], "seats[1].level"),
        (["casual", "--server", "HERE", "--score", "3", "--score", "0"], "scores"),
        (["casual", "--server", "HERE", "--name", "\x1b[2J"], "name"),
        (["casual", "--server", "HERE", "--name", "x" * 65], "name"),
        (["human", "human", "--server", "HERE", "--practice"], "practice"),
        (["human", "--server", "HERE", "--seed", "1"], "seed"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_options_that_cannot_be(play: Play, server: LoopbackServer, args: list[str], told: str) -> None:
    status, out, err = play(*(server.address if arg == "HERE" else arg for arg in args))
    assert status == 2
    assert told in err
    assert (err.count("\n"), steering(out + err)) == (1, set())


def test_an_unknown_invitation_is_refused(play: Play, server: LoopbackServer) -> None:
    status, _, err = play("--server", server.address, "--join", f"{MATCH}.{TOKEN}")
    assert status == 1
    assert "INVITATION_REFUSED" in err


def test_a_server_that_is_not_there_is_told_at_once(play: Play) -> None:
    status, out, err = play("casual", "--server", "127.0.0.1:1")
    assert (status, out) == (1, "")
    assert "127.0.0.1:1: UNAVAILABLE" in err


@pytest.mark.parametrize("name", ["\x1b[2J", "a\u202eb", "\u200d", "x" * 65])
def test_a_name_that_would_disturb_others_is_refused_at_once(play: Play, name: str) -> None:
    status, out, err = play("casual", "--server", "127.0.0.1:1", "--name", name)
    assert (status, out) == (2, "")
    assert "--name: a name has" in err and err.strip().isprintable()


# Tokens


@pytest.fixture
def tickets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Tickets:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return Tickets("127.0.0.1:50051")


def test_a_ticket_comes_back_and_no_other_server_gets_it(tickets: Tickets) -> None:
    ticket = Ticket(MATCH, 1, TOKEN, others={"0": "B" * 43})
    tickets.keep(ticket)
    tickets.keep_player("C" * 43)
    assert tickets.find(MATCH, None) == ticket
    assert tickets.player_token() == "C" * 43
    other = Tickets("127.0.0.1:50052")
    assert (other.seats(MATCH), other.player_token()) == ([], "")
    with pytest.raises(BadInput):
        other.find(MATCH, None)


def test_several_seats_of_one_match_are_told_apart(tickets: Tickets) -> None:
    tickets.keep(Ticket(MATCH, 0, TOKEN))
    tickets.keep(Ticket(MATCH, 1, "B" * 43))
    with pytest.raises(BadInput, match="name one by --seat"):
        tickets.find(MATCH, None)
    assert tickets.find(MATCH, 1).seat_token == "B" * 43


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        "{}",
        '{"match_id": "x", "seat": 0, "others": {}}',
        json.dumps({"match_id": MATCH, "seat": 0, "seat_token": "\x1b[2J", "others": {}}),
        json.dumps({"match_id": MATCH, "seat": 0, "seat_token": 7, "others": {}}),
        json.dumps({"match_id": MATCH, "seat": "0", "seat_token": TOKEN, "others": {}}),
        json.dumps({"match_id": MATCH, "seat": 0, "seat_token": TOKEN, "others": []}),
        "[" * 100_000,
        "\udcff",
    ],
    ids=range(11),
)
def test_a_damaged_ticket_is_told_in_one_line(tickets: Tickets, tmp_path: Path, text: str) -> None:
    tickets.keep(Ticket(MATCH, 0, TOKEN))
    (path,) = tmp_path.rglob(f"{MATCH}-0.json")
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(BadInput, match="the file is damaged"):
        tickets.find(MATCH, None)


def test_a_ticket_that_cannot_be_kept_stops_no_match(
    play: Play, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    status, out, err = play("casual", "--server", server.address, typed=["1"])
    assert status == 0
    assert "Your seat cannot be kept: No space left on device." in err
    assert "You: [" in out
    assert list(tmp_path.rglob("*.json")) == []


# Names that others chose


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_a_name_from_a_server_cannot_control_the_terminal(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A sniffai server refuses such names; another program may send them."""
    from sniffai.cli.terminal import tell

    table = SimpleNamespace(seats=(HUMAN, HUMAN), names=("", name), seat=0)
    tell("\n".join(opening(table, words("en"))))  # type: ignore[arg-type]
    Onlooker(words("en")).joined(1, name)
    out = capsys.readouterr().out
    assert steering(out) == set()
    assert out.count("\n") <= 5
