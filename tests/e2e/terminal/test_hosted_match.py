"""``sniffai play --server`` in windows of 80 columns and 24 rows, with a server that is killed and started again."""

import re
import signal
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len

from sniffai.rules import TARGET, TEAMS
from tests.e2e.server import ServerProcess, running
from tests.e2e.terminal.window import COLUMNS, Person, Window

AWAY = "No answer from the server. Trying again"
BACK = "The server answers again."


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server for tests that leave it alone."""
    with running(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    """A server for one test."""
    with running(tmp_path) as started:
        yield started


def near(players: int, points: int = 30) -> list[str]:
    return [f"--score={TARGET[players] - points}"] * TEAMS[players]


Play = Callable[..., Window]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    """Opens windows; the files of each player are in a folder of the player's name."""
    opened: list[Window] = []

    def play(server: ServerProcess, *args: str, player: str = "ann") -> Window:
        folder = tmp_path / player
        folder.mkdir(exist_ok=True)
        command = ("play", *args, "--server", server.address)
        opened.append(Window(folder, *command, XDG_STATE_HOME=str(folder / "state")))
        return opened[-1]

    yield play
    for window in opened:
        window.close()


def match_of(window: Window) -> str:
    found = re.search(r"^\S+ ?([0-9a-f]{24})$", window.text, re.MULTILINE)
    assert found is not None, window.text
    return found[1]


@pytest.mark.parametrize(("players", "language"), [(2, "en"), (3, "ja"), (4, "zh-Hans")])
def test_a_whole_match_on_a_server(play: Play, shared: ServerProcess, players: int, language: str) -> None:
    levels = ["casual", "newcomer", "attentive"][: players - 1]
    window = play(shared, *levels, "--seed", "3", "--lang", language, *near(players))
    person = Person(window, language)
    assert person.asked() == "move"
    person.enter("h")
    assert person.play() >= 1
    person.enter("r")
    assert person.asked() == "end"
    person.enter()
    assert window.end() == 0
    assert window.after == window.before
    assert max(map(cell_len, window.text.split("\n"))) <= COLUMNS


def test_a_killed_player_goes_on_where_it_was(tmp_path: Path, play: Play, shared: ServerProcess) -> None:
    window = play(shared, "casual", "--seed", "3")
    person = Person(window)
    assert person.play(3) == 3
    assert person.asked() == "move"
    shown = window.rows[-8:]
    match = match_of(window)
    window.process.kill()
    window.end()
    (ticket,) = tmp_path.rglob(f"{match}-0.json")
    assert stat.S_IMODE(ticket.stat().st_mode) == 0o600
    assert stat.S_IMODE(ticket.parent.stat().st_mode) == 0o700

    window = play(shared, "--list")
    assert window.end() == 0
    assert re.search(rf"{match} +0 +casual +\d+ \d+ +in play", window.text)

    window = play(shared, "--resume", match)
    person = Person(window)
    assert person.asked() == "move"
    assert window.rows[-8:] == shown
    person.enter("q")
    assert window.end() == 0
    assert f"--resume {match}" in window.text


def test_a_server_that_is_killed_and_comes_back_loses_nothing(play: Play, server: ServerProcess) -> None:
    window = play(server, "casual", "--seed", "3", *near(2, 100))
    person = Person(window)
    assert person.play(2) == 2
    for end in (signal.SIGKILL, signal.SIGTERM):
        assert person.asked() == "move"
        placed = len(re.findall(r"^You: \[", window.text, re.MULTILINE))
        server.stop(end)
        window.type("1\n")
        window.wait_for(AWAY)
        server.start()
        window.wait_for(BACK)
        assert person.asked() in ("move", "next")
        assert len(re.findall(r"^You: \[", window.text, re.MULTILINE)) == placed + 1
    person.play()
    person.enter()
    assert window.end() == 0
    assert re.search(r"(You win|Seat 1 wins) the match", window.text)


def test_a_server_that_hangs_is_told_and_can_be_left(play: Play, server: ServerProcess) -> None:
    window = play(server, "casual", "--seed", "3")
    person = Person(window)
    assert person.asked() == "move"
    server.process.send_signal(signal.SIGSTOP)
    window.type("1\n")
    window.wait_for(AWAY)
    window.type("\x03")
    status = window.end()
    server.process.send_signal(signal.SIGCONT)
    assert status == 130
    assert window.after == window.before
    assert "The server keeps the match. To go on:" in window.text
    assert "Traceback" not in window.text


def test_two_people_play_by_invitation(play: Play, shared: ServerProcess) -> None:
    ann = play(shared, "human", "--name", "Ann", *near(2))
    ann.wait_for("Waiting for others to join.")
    invitation = re.search(r"^  ([0-9a-f]{24}\.\S+)$", ann.text, re.MULTILINE)
    assert invitation is not None
    bob = play(shared, "--join", "-", "--lang", "ja", player="bob")
    bob.wait_for("Invitation: ")
    bob.type(invitation[1] + "\n")
    ann.wait_for("Seat 1 has joined.")
    bob.wait_for("席0：Ann")
    people = {ann: Person(ann), bob: Person(bob, "ja")}
    play_together(people)
    ends = [re.search(r"(You win|Seat 1 wins) the match with (\d+) points", ann.text)]
    ends.append(re.search(r"(\d+)点で、(あなた|席0)が対局に勝ちました", bob.text))
    assert ends[0] is not None and ends[1] is not None
    assert ends[0][2] == ends[1][1]
    assert (ends[0][1] == "You win") == (ends[1][2] == "席0")

    again = play(shared, "--join", invitation[1], player="eve")
    assert again.end() == 1
    assert "used up" in again.text


def play_together(people: dict[Window, Person]) -> None:
    """Let everyone answer whatever they are asked, until all have left."""
    left = dict(people)
    while left:
        for window, person in list(left.items()):
            question = person.asked_now()
            if question is None:
                continue
            if question == "move":
                person.place()
            else:
                person.enter()
            if question == "end":
                assert window.end() == 0
                del left[window]


def test_two_windows_at_one_seat_do_not_get_in_each_other_s_way(play: Play, shared: ServerProcess) -> None:
    first = play(shared, "casual", "--seed", "3")
    one = Person(first)
    assert one.play(1) == 1
    assert one.asked() == "move"
    second = play(shared, "--resume", match_of(first))
    two = Person(second)
    assert two.asked() == "move"
    two.place()
    assert two.asked() == "move"
    first.type("1\n")
    first.wait_for("Not placed: this seat has moved meanwhile")
    assert one.asked() == "move"
    assert first.rows[-6:] == second.rows[-6:]


@pytest.mark.parametrize("player", [0, 1])
def test_giving_up_ends_the_match_for_both(play: Play, shared: ServerProcess, player: int) -> None:
    ann = play(shared, "human", "--seat", str(player))
    ann.wait_for("Waiting for others to join.")
    invitation = re.search(r"^  ([0-9a-f]{24}\.\S+)$", ann.text, re.MULTILINE)
    assert invitation is not None
    bob = play(shared, "--join", invitation[1], player="bob")
    people = {ann: Person(ann), bob: Person(bob)}
    gives_up = next(window for window in turns(people))
    gives_up.type("resign\n")
    gives_up.wait_for("again to give the match up: ")
    gives_up.type("resign\n")
    gives_up.wait_for("You have resigned.")
    other = bob if gives_up is ann else ann
    other.wait_for("You win the match.")


def turns(people: dict[Window, Person]) -> Iterator[Window]:
    """Whoever is asked for a move."""
    while True:
        for window, person in people.items():
            if person.asked_now() == "move":
                yield window


def test_a_name_full_of_escape_sequences_is_shown_harmlessly(play: Play, shared: ServerProcess) -> None:
    window = play(shared, "human", "--name", "\x1b[2J\x1b]0;owned\x07Bob")
    assert window.end() == 2
    assert "name" in window.text
    assert "\x1b]0" not in window.seen
