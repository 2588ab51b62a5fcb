"""A seat at a match on a server: the same for a front end as a seat at a match of its own."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from sniffai import wire
from sniffai.client import Client, ServiceError
from sniffai.client import hosted_table as module
from sniffai.client.hosted_table import HostedTable
from sniffai.client.patience import PatientClient
from sniffai.errors import MoveError
from sniffai.play.match import HUMAN, Match, MatchSetup
from sniffai.rules import PLAYERS, TARGET, TEAMS
from sniffai.v1 import match_service_pb2 as pb
from tests.server.support import LoopbackServer, running_server
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackServer]:
    with running_server(level_pause=0) as started:
        yield started


@dataclass
class Told:
    """What an onlooker was told."""

    news: list[Any] = field(default_factory=list)

    def lost(self, error: ServiceError) -> None:
        self.news.append(error.code)

    def back(self) -> None:
        self.news.append("back")

    def waits(self, seat: int | None) -> None:
        self.news.append(("waits", seat))

    def joined(self, seat: int, name: str) -> None:
        self.news.append(("joined", seat, name))


class Seats:
    """A match on a server, and those who sit there."""

    def __init__(self, server: LoopbackServer, *seats: str, **terms: Any) -> None:
        self.server, self._clients = server, [Client(server.address)]
        self.made = self._clients[0].create_match(seats, **terms)
        self.told = {one.seat: Told() for one in self.made.invitations}
        self.tokens: dict[int, str] = {}

    def join(self, seat: int, name: str | None = None) -> None:
        (invitation,) = (one.invitation for one in self.made.invitations if one.seat == seat)
        taken = self._clients[0].join_match(self.made.match_id, invitation, name=name)
        self.tokens[seat] = taken.seat_token

    def table(self, seat: int, around: Callable[[Client], Any] = lambda client: client) -> HostedTable:
        """A seat's table.

        :param around: puts something between the table and its client.
        """

        def connect() -> Any:
            self._clients.append(Client(self.server.address))
            return around(self._clients[-1])

        if seat not in self.tokens:
            self.join(seat)
        client = PatientClient(connect, self.told[seat])
        return HostedTable(client, self.made.match_id, self.tokens[seat], self.told[seat])

    def view(self, seat: int) -> pb.MatchView:
        return self._clients[0].get_view(self.made.match_id, self.tokens[seat]).view

    def close(self) -> None:
        for client in self._clients:
            client.close()


@pytest.fixture
def seats(server: LoopbackServer) -> Iterator[Callable[..., Seats]]:
    made: list[Seats] = []

    def create(*names: str, **terms: Any) -> Seats:
        made.append(Seats(server, *names, **terms))
        return made[-1]

    yield create
    for one in made:
        one.close()


Create = Callable[..., Seats]


def place_any(table: Any) -> None:
    table.place(table.situation().view.legal_moves()[-1])


def play_out(table: Any, seen: list[Any]) -> None:
    """Play to the end of the match; every situation that a front end shows is kept."""
    seen.append(table.situation())
    while not seen[-1].match_over:
        if not table.step():
            now = table.situation()
            if now.match_over:
                pass
            elif now.view.over:
                table.next_round()
            else:
                place_any(table)
        seen.append(table.situation())


@pytest.mark.parametrize("players", PLAYERS)
def test_a_hosted_match_is_shown_as_an_own_one(seats: Create, players: int) -> None:
    """All situations of a whole match, compared with those of the same match played by the same rules here."""
    scores = [TARGET[players] - 40] * TEAMS[players]
    there = seats(HUMAN, *["casual"] * (players - 1), seed=7, scores=scores)
    table = there.table(0)
    seen: list[Any] = []
    play_out(table, seen)
    record = table.record()
    assert record is not None
    match = Match(MatchSetup((HUMAN,) * players, 7, tuple(scores)))
    expected = [match.situation(0)]
    rounds = record.replay()
    for index, round_ in enumerate(rounds):
        for move in round_.moves:
            match.place(match.current.seat, move)
            expected.append(match.situation(0))
        if index + 1 < len(rounds):
            match.next_round()
            expected.append(match.situation(0))
    begun = expected.index(seen[0])  # a level that leads may have moved before the seat was taken
    assert begun <= players
    assert without_repeats(seen) == without_repeats(expected[begun:])
    assert seen[-1].winner is not None
    assert wire.read_view(there.view(0).view) == seen[-1].view


def without_repeats(situations: list[Any]) -> list[Any]:
    return [one for i, one in enumerate(situations) if i == 0 or one != situations[i - 1]]


@pytest.mark.parametrize("code", ["UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED"])
def test_a_move_whose_answer_got_lost_is_played_once(seats: Create, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr("sniffai.client.patience.FIRST_PAUSE", 0.01)
    lost = [code, code, code]

    class Losing:
        """Makes the call, and loses its answer."""

        def __init__(self, client: Client) -> None:
            self._client = client

        def __getattr__(self, name: str) -> Any:
            method = getattr(self._client, name)

            def call(*args: Any, **options: Any) -> Any:
                answer = method(*args, **options)
                if name == "play_move" and lost:
                    raise ServiceError(lost.pop(), "the answer got lost", "", ())
                return answer

            return call if callable(method) else method

    there = seats(HUMAN, "casual", seed=7)
    table = there.table(0, Losing)
    while table.step():
        pass
    before = len(table.situation().view.placements)
    place_any(table)
    assert there.told[0].news == [code, "back"]
    assert len(table.situation().view.placements) == before + 1
    while table.step():
        pass
    assert table.situation().view == wire.read_view(there.view(0).view)


def test_a_refusal_is_not_repeated(seats: Create) -> None:
    there = seats(HUMAN, "casual")
    there.join(0)
    there.tokens[0] = "x" * 43
    with pytest.raises(ServiceError) as caught:
        there.table(0)
    assert caught.value.code == "NOT_FOUND"
    assert there.told[0].news == []


def test_a_seat_that_moved_elsewhere_is_told_and_goes_on(seats: Create) -> None:
    there = seats(HUMAN, "casual", seed=7)
    one, two = there.table(0), there.table(0)
    for table in (one, two):
        while table.step():
            pass
    place_any(one)
    with pytest.raises(MoveError) as caught:
        place_any(two)
    assert caught.value.reason in ("STALE_VIEW", "NOT_YOUR_TURN")
    for table in (one, two):
        while table.step():
            pass
    assert one.situation() == two.situation()


def test_a_take_back_and_another_window_of_the_same_seat(seats: Create) -> None:
    there = seats(HUMAN, "casual", seed=7, practice=True)
    one, two = there.table(0), there.table(0)
    while one.step():
        pass
    before = one.situation()
    assert len(before.view.legal_moves()) > 1
    place_any(one)
    while two.step():
        pass
    assert one.take_back()
    assert one.situation() == before
    assert not one.take_back()
    while two.step():
        pass
    place_any(one)
    two.step()
    assert two.situation().view.events[: len(before.view.events)] == before.view.events


def test_people_join_wait_and_give_up(seats: Create, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_WAIT", 0.05)
    monkeypatch.setattr(module, "NEXT_WAIT", 0.2)
    there = seats(HUMAN, HUMAN)
    ann = there.table(0)
    assert (ann.missing(), ann.names, ann.seats) == ((1,), ("", ""), (HUMAN, HUMAN))
    timer = threading.Timer(0.3, lambda: there.join(1, "Bob"))
    timer.start()
    assert ann.wait_for_start()
    timer.join()
    assert there.told[0].news == [("waits", None), ("joined", 1, "Bob")]
    bob = there.table(1)
    assert bob.wait_for_start()
    waiting, moving = (ann, bob) if ann.situation().view.leader == 1 else (bob, ann)
    moving.resign()
    assert not waiting.step()
    now = waiting.situation()
    assert (now.resigned, now.winner, now.match_over) == (moving.seat, waiting.seat, True)
    assert moving.situation().resigned == moving.seat
    with pytest.raises(MoveError) as caught:
        place_any(moving)
    assert caught.value.reason == "MATCH_OVER"
    assert waiting.record() is not None


def test_a_match_that_ends_before_it_begins(seats: Create) -> None:
    there = seats(HUMAN, HUMAN)
    ann = there.table(0)
    ann.resign()
    assert not ann.wait_for_start()


def test_a_hint_has_a_legal_move_and_reasons_in_a_language(seats: Create) -> None:
    there = seats(HUMAN, "casual", seed=7, hints=True)
    table = there.table(0)
    while table.step():
        pass
    hint = table.hint("ja")
    assert hint.move in table.situation().view.legal_moves()
    assert any("。" in reason for reason in hint.reasons)


def test_a_match_in_which_nothing_happens_ends_at_the_table(seats: Create) -> None:
    with running_server(level_pause=0, match_idle_seconds=1) as server:
        there = Seats(server, HUMAN, "casual", seed=7)
        table = there.table(0)
        while table.step():
            pass
        wait_until(lambda: there.view(0).status == pb.MATCH_STATUS_EXPIRED)
        with pytest.raises(MoveError) as caught:
            place_any(table)
        assert caught.value.reason == "MATCH_OVER"
        assert not table.step()
        now = table.situation()
        assert (now.expired, now.match_over, now.winner) == (True, True, None)
        there.close()


@pytest.mark.parametrize(
    "view", [pb.MatchView(), pb.MatchView(seat=2, seats=[pb.SeatInfo()] * 2)], ids=["none", "seat"]
)
def test_an_answer_that_is_no_view_is_told(seats: Create, view: pb.MatchView) -> None:
    there = seats(HUMAN, "casual")
    there.join(0)

    class Other:
        """A server of another program."""

        def __init__(self, client: Client) -> None:
            self.close = client.close

        def get_view(self, *args: Any, **options: Any) -> pb.GetViewResponse:
            return pb.GetViewResponse(view=view)

    with pytest.raises(ServiceError, match="is no view of a match"):
        there.table(0, Other)
