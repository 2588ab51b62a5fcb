"""What matches may take, how long they last, and who finds them again."""

import asyncio
import base64
import contextlib
import itertools
import json
import random
import secrets
import sqlite3
import string
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sniffai.play.match import MatchSetup
from sniffai.play.match_log import LogSetup, MatchState
from sniffai.records.matchfile import parse_match
from sniffai.search.params import Limits
from sniffai.v1 import match_service_pb2 as pb
from sniffai_server.calls.callers import Caller, Priority
from sniffai_server.calls.refusals import StoreUnavailableError
from sniffai_server.matches import clock
from sniffai_server.matches.commits import Commits
from sniffai_server.matches.database import APPLICATION_ID, VERSION_TABLE, open_database
from sniffai_server.matches.errors import DatabaseError, TooManyError
from sniffai_server.matches.frames import Job
from sniffai_server.matches.place import Place, state_directory
from sniffai_server.matches.records import NewMatch, Standing
from sniffai_server.matches.store import Store
from sniffai_server.matches.tables import METADATA
from sniffai_server.matches.terms import Terms
from sniffai_server.matches.tokens import looks_weak, make_token
from sniffai_server.settings import SettingError, Settings
from sniffai_server.urls import without_secrets
from tests.server.matches.support import Player, create, matches, sit_down
from tests.server.support import TIMEOUT, failure, running_server, stubs_of
from tests.waiting import wait_until

_LETTERS = string.ascii_uppercase + string.ascii_lowercase


@pytest.fixture(scope="module")
def paged() -> Iterator[tuple[Any, str]]:
    """A player with 25 matches of a server."""
    with matches() as stub:
        token = make_token()
        for _ in range(25):
            create(stub, "human", "casual", player_token=token)
        yield stub, token


@pytest.mark.parametrize(("size", "length"), [(0, 20), (1, 1), (24, 24), (25, 25), (26, 25), (100, 25)])
def test_a_page_is_as_long_as_asked(paged: tuple[Any, str], size: int, length: int) -> None:
    stub, token = paged
    answer = stub.ListMatches(pb.ListMatchesRequest(player_token=token, page_size=size), timeout=TIMEOUT)
    assert (len(answer.matches), bool(answer.next_page_token), list(answer.warnings)) == (length, length < 25, [])


def test_a_page_size_out_of_range(paged: tuple[Any, str]) -> None:
    stub, token = paged
    asked = pb.ListMatchesRequest(player_token=token, page_size=101)
    asked.MergeFromString(b"".join(bytes([0xF8, 0x07 + i, 1]) for i in range(20)))  # fields that nobody knows
    answer = stub.ListMatches(asked, timeout=TIMEOUT)
    assert len(answer.matches) == 25
    assert (answer.warnings[0].field, answer.warnings[0].reason) == ("page_size", "CLAMPED")
    assert [one.reason for one in answer.warnings[1:]] == ["UNKNOWN_FIELD"] * 15
    error = failure(lambda: stub.ListMatches(pb.ListMatchesRequest(player_token=token, page_size=-1), timeout=TIMEOUT))
    assert error.violations == [("page_size", "NUMBER_OUT_OF_RANGE")]
    assert "1 to 100, or 0 for 20, is expected, not -1" in error.message


def test_a_page_token_is_taken_as_it_was_given_only(paged: tuple[Any, str]) -> None:
    stub, token = paged

    def ask(page: str, player: str = token) -> pb.ListMatchesResponse:
        request = pb.ListMatchesRequest(player_token=player, page_token=page)
        answer: pb.ListMatchesResponse = stub.ListMatches(request, timeout=TIMEOUT)
        return answer

    good = ask("").next_page_token
    assert len(ask(good).matches) == 5
    plain = base64.urlsafe_b64decode(good + "=" * (-len(good) % 4)).decode()
    created, match_id, proof = plain.split(".")
    changed = [f"{int(created) + 1}.{match_id}.{proof}", f"{created}.{match_id}", f"{created}.{match_id}.{proof}."]
    spelled = [base64.urlsafe_b64encode(text.encode()).decode().rstrip("=") for text in changed]
    others = ["x", "!", "QQ", match_id, "MS4wMDA", "é", good[:-1], good + "=", good + "!", f" {good}", good * 100]
    for wrong in (*spelled, *others, *(good[:i] + "!" + good[i:] for i in range(0, len(good), 7))):
        error = failure(lambda wrong=wrong: ask(wrong))  # type: ignore[misc]
        assert error.violations == [("page_token", "BAD_PAGE_TOKEN")], wrong
    assert failure(lambda: ask(good, make_token())).violations == [("page_token", "BAD_PAGE_TOKEN")]


@pytest.fixture(scope="module")
def stub() -> Iterator[Any]:
    with matches() as one:
        yield one


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Move the clock of matches on, by days."""
    moved, real = [0.0], clock.now
    monkeypatch.setattr(clock, "now", lambda: real() + round(moved[0] * clock.DAY))

    def move(days: float) -> None:
        moved[0] += days

    return move


def test_a_match_without_events_expires(later: Callable[[float], None]) -> None:
    with matches(match_idle_seconds=3600) as stub:
        player, _ = sit_down(stub, "human", "human")
        left = player.look().expire_time.ToMicroseconds() - clock.now()
        assert 3500 < left / clock.MICROSECONDS <= 3600
        later(0.5)
        view = player.look()
        assert (view.status, view.HasField("winner"), view.HasField("expire_time")) == (
            pb.MATCH_STATUS_EXPIRED,
            False,
            False,
        )
        assert failure(lambda: player.play({"tile": "0|0"})).reason == "MATCH_OVER"  # type: ignore[arg-type]
        assert stub.ExportRecord(pb.ExportRecordRequest(**player.own), timeout=TIMEOUT).text


def test_a_match_with_a_free_seat_expires_sooner(later: Callable[[float], None]) -> None:
    with running_server(match_wait_seconds=3600, level_pause=0.0) as server, stubs_of(server.address) as stubs:
        made = create(stubs.matches, "human", "human")
        player = Player(stubs.matches, made.match_id, made.invitations[0].invitation, player_token=made.player_token)
        left = player.view.expire_time.ToMicroseconds() - clock.now()
        assert 3500 < left / clock.MICROSECONDS <= 3600
        watched = stubs.matches.WatchMatch(pb.WatchMatchRequest(**player.own, after_event=0), timeout=TIMEOUT)
        assert next(watched).view.status == pb.MATCH_STATUS_WAITING
        later(0.5)
        server.call(server.server.host.upkeep.look_after())
        (last,) = list(watched)  # whoever watches is told, and the stream ends
        assert last.events[-1].match_ended.status == last.view.status == pb.MATCH_STATUS_EXPIRED
        assert server.server.host.counts == {"expired": 1}
        late = failure(lambda: Player(stubs.matches, made.match_id, made.invitations[1].invitation))
        assert late.reason == "MATCH_OVER"


def test_a_match_that_is_played_expires_as_an_idle_one(later: Callable[[float], None]) -> None:
    with matches(match_wait_seconds=3600) as stub:
        player, _ = sit_down(stub, "human", "human")
        later(1)
        assert player.look().status == pb.MATCH_STATUS_PLAYING
        later(7)
        assert player.look().status == pb.MATCH_STATUS_EXPIRED


def test_matches_that_wait_make_room_for_new_ones(later: Callable[[float], None]) -> None:
    with running_server(max_matches=4, level_pause=0.0) as server, stubs_of(server.address) as stubs:
        create(stubs.matches, "human", "casual")
        assert failure(lambda: create(stubs.matches, "human", "casual")).reason == "TOO_MANY_MATCHES"
        later(1.01)
        server.call(server.server.host.upkeep.look_after())
        create(stubs.matches, "human", "casual")


def test_the_terms_of_an_earlier_version_wait_as_long_as_they_said() -> None:
    setup = LogSetup(MatchSetup(("human", "level:casual"), seed=1), ("Ann", ""), True, wait=5, idle=7, created=0)
    terms = Terms(setup, Limits(), "someone", Priority.INTERACTIVE)
    assert Terms.from_text(terms.to_text()) == terms
    fields = json.loads(terms.to_text())
    assert fields.pop("wait") == 5
    assert Terms.from_text(json.dumps(fields)).log.wait == 7


def test_the_sweep_ends_and_removes_matches(later: Callable[[float], None]) -> None:
    with running_server(match_idle_seconds=3600, match_keep_days=2.0, level_pause=0.0) as server:
        host = server.server.host
        with stubs_of(server.address) as stubs:
            player, _ = sit_down(stubs.matches, "human", "human")
            player.look()
            later(1)
            server.call(host.upkeep.look_after())
            assert host.counts == {"expired": 1}
            later(3)
            server.call(host.upkeep.look_after())
            assert host.counts == {}
            host.memory.matches.clear()
            assert failure(player.look).reason == "UNKNOWN_MATCH"


def test_the_oldest_matches_that_are_over_make_room(later: Callable[[float], None]) -> None:
    """One that gives up match after match keeps a quarter of what is kept, and its newest; those in play stay."""
    with running_server(max_kept_matches=8, level_pause=0.0) as server, stubs_of(server.address) as stubs:
        played, _ = sit_down(stubs.matches, "human", "human")
        given_up = []
        for _ in range(4):
            later(1)
            player, *_ = sit_down(stubs.matches, "human", "casual")
            stubs.matches.Resign(pb.ResignRequest(**player.own), timeout=TIMEOUT)
            given_up.append(player)
        upkeep = server.server.host.upkeep
        server.call(upkeep.look_after())  # counts them
        server.call(upkeep.look_after())
        server.call(upkeep.look_after())
        assert upkeep.counts == {"resigned": 2, "playing": 1}
        server.server.host.memory.matches.clear()
        assert [failure(one.look).reason for one in given_up[:2]] == ["UNKNOWN_MATCH"] * 2
        assert {one.look().status for one in given_up[2:]} == {pb.MATCH_STATUS_RESIGNED}
        assert played.look().status == pb.MATCH_STATUS_PLAYING


async def test_all_callers_together_keep_no_more_than_is_allowed(tmp_path: Path) -> None:
    store = Store(lambda: open_database(str(tmp_path / "matches.db")))
    log = LogSetup(MatchSetup(("human", "level:casual"), seed=1), ("Ann", ""), True, wait=5, idle=7, created=0)
    state = Standing(MatchState.FINISHED.value, 0, None, False, "{}")
    for number in range(12):
        terms = Terms(log, Limits(), f"caller {number % 6}", Priority.INTERACTIVE)
        standing = replace(state, updated=number)
        new = NewMatch(f"match {number}", terms, standing, (None, None), bytes([number]), None, terms.caller)
        await store.create(new, 400)
    assert await store.remove_excess(12, 2) == 0
    assert await store.remove_excess(8, 2) == 4
    assert [await store.load(f"match {number}") is None for number in range(12)] == [True] * 4 + [False] * 8
    assert await store.remove_excess(8, 1) == 2
    assert await store.counts() == {"finished": 6}
    store.close()


async def places_of(accounts: list[str], most: int) -> list[int]:
    """How many matches each of these gets in turn, if it takes as many as it can."""
    store = Store(lambda: open_database("memory"))
    log = LogSetup(MatchSetup(("human", "level:casual"), seed=1), ("Ann", ""), True, wait=5, idle=7, created=0)
    state = Standing(MatchState.PLAYING.value, 0, 9, False, "{}")
    ids, taken, limits = itertools.count(), [], []
    for account in accounts:
        taken.append(0)
        while True:
            number = next(ids)
            terms = Terms(log, Limits(), account, Priority.INTERACTIVE)
            player = number.to_bytes(4, "big")
            try:
                await store.create(NewMatch(f"match {number}", terms, state, (None, None), player, None, account), most)
            except TooManyError as error:
                limits.append(error.limit)
                break
            taken[-1] += 1
    store.close()
    assert all(limit in (count, most) for limit, count in zip(limits, taken, strict=True))
    return taken


async def test_callers_without_names_never_take_all_places() -> None:
    """Each may have a quarter of what the others leave; one with a name, a quarter of all."""
    taken = await places_of([*(f"address:10.0.0.{i}" for i in range(8)), "ann"], 64)
    assert taken == [16, 12, 9, 6, 5, 4, 3, 2, 7]
    assert await places_of(["ann", "bob", "cn:eve", "dan", "address:10.0.0.1"], 8) == [2, 2, 2, 2, 0]


def test_who_a_caller_is_counted_as() -> None:
    assert Caller("ann", known=True).account == "ann"
    assert Caller("10.0.0.1").account == "address:10.0.0.1"


def test_matches_that_nobody_moves_in_end_sooner_where_places_are_short(later: Callable[[float], None]) -> None:
    """But none in which a person has moved, or that someone watches."""
    with running_server(max_matches=1, level_pause=0.0) as server, stubs_of(server.address) as stubs:
        upkeep = server.server.host.upkeep

        def sweep() -> None:
            for _ in range(2):  # the first one counts them
                server.call(upkeep.look_after())

        create(stubs.matches, "human", "human")
        later(0.02)
        sweep()
        assert failure(lambda: create(stubs.matches, "human", "casual")).reason == "TOO_MANY_MATCHES"
        later(0.03)
        sweep()
        watched = sit_down(stubs.matches, "human", "human")[0]
        stream = stubs.matches.WatchMatch(pb.WatchMatchRequest(**watched.own), timeout=TIMEOUT)
        next(stream)
        later(0.06)
        sweep()
        assert watched.look().status == pb.MATCH_STATUS_PLAYING
        stream.cancel()
        wait_until(lambda: not any(one.busy for one in server.server.host.memory.matches.values()))
        later(0.09)
        sweep()
        assert watched.look().status == pb.MATCH_STATUS_EXPIRED
        played = sit_down(stubs.matches, "human", "human")
        mover = played[played[0].look().seat_to_move]
        mover.look()
        mover.play(mover.moves[0])
        later(5)
        sweep()
        assert mover.look().status == pb.MATCH_STATUS_PLAYING


def test_one_caller_may_have_a_quarter_of_the_matches() -> None:
    with matches(max_matches=8) as stub:
        made = [sit_down(stub, "human", "casual")[0] for _ in range(2)]
        error = failure(lambda: create(stub, "human", "casual"))
        assert (error.code, error.reason) == ("RESOURCE_EXHAUSTED", "TOO_MANY_MATCHES")
        assert "2 matches in play" in error.message
        stub.Resign(pb.ResignRequest(**made[0].own), timeout=TIMEOUT)
        create(stub, "human", "casual")


def test_one_caller_may_watch_a_quarter() -> None:
    with matches(max_match_watches=8) as stub:
        (player,) = sit_down(stub, "human", "human")[:1]
        asked = pb.WatchMatchRequest(**player.own)
        streams = [stub.WatchMatch(asked, timeout=TIMEOUT) for _ in range(2)]
        for stream in streams:
            next(stream)
        error = failure(lambda: next(stub.WatchMatch(asked, timeout=TIMEOUT)))
        assert (error.code, error.reason) == ("RESOURCE_EXHAUSTED", "TOO_MANY_MATCH_WATCHES")
        for stream in streams:
            stream.cancel()


def test_a_player_finds_all_matches_page_by_page(stub: Any) -> None:
    first = sit_down(stub, "human", "casual")[0]
    token = first.player_token
    made = [first.own["match_id"]]
    for i in range(6):
        one = create(stub, "human", "human", player_token=token)
        if i % 2:
            Player(stub, one.match_id, one.invitations[1].invitation, player_token=token)
        made.append(one.match_id)
    stub.Resign(pb.ResignRequest(**first.own), timeout=TIMEOUT)
    found, page = [], ""
    while True:
        answer = stub.ListMatches(
            pb.ListMatchesRequest(player_token=token, page_size=3, page_token=page), timeout=TIMEOUT
        )
        found += answer.matches
        page = answer.next_page_token
        if not page:
            break
        assert len(answer.matches) == 3
    assert [one.match_id for one in found] == made[::-1]
    assert [list(one.own_seats) for one in found] == [[1], [], [1], [], [1], [], [0]]
    running = stub.ListMatches(pb.ListMatchesRequest(player_token=token, running_only=True), timeout=TIMEOUT)
    assert [one.match_id for one in running.matches] == made[:0:-1]
    assert not stub.ListMatches(pb.ListMatchesRequest(player_token=make_token()), timeout=TIMEOUT).matches


def test_the_same_request_creates_one_match(stub: Any, later: Callable[[float], None]) -> None:
    player = create(stub, "human", "casual").player_token
    ask: dict[str, Any] = {"player_token": player, "request_id": "mine", "scores": [5, 10]}
    first, again = (create(stub, "human", "casual", **ask) for _ in range(2))
    assert first.match_id == again.match_id
    old, new = (one.invitations[0].invitation for one in (first, again))
    assert failure(lambda: Player(stub, first.match_id, old)).reason == "INVITATION_REFUSED"
    Player(stub, first.match_id, new).look()
    assert not create(stub, "human", "casual", **ask).invitations
    error = failure(lambda: create(stub, "human", "attentive", **ask))
    assert error.violations == [("request_id", "KEY_REUSED")]
    later(1.5)
    assert create(stub, "human", "casual", **ask).match_id != first.match_id
    error = failure(lambda: create(stub, "human", "casual", request_id="mine"))
    assert error.violations == [("player_token", "REQUIRED")]


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"seats": []}, "seats", "PLAYERS_OUT_OF_RANGE"),
    ({"seats": [{"human": {}}] * 5}, "seats", "PLAYERS_OUT_OF_RANGE"),
    ({"seats": [{"human": {}}, {}]}, "seats[1]", "REQUIRED"),
    ({"seats": [{"human": {}}, {"level": "master"}]}, "seats[1].level", "UNKNOWN_LEVEL"),
    ({"seats": [{"level": "casual"}] * 2}, "seats", "NO_HUMAN_SEAT"),
    ({"seats": [{"human": {}, "name": "x" * 65}, {"human": {}}]}, "seats[0].name", "TOO_LONG"),
    ({"seats": [{"human": {}, "name": "a\nb"}, {"human": {}}]}, "seats[0].name", "CONTROL_CHARACTER"),
    ({"seats": [{"human": {}}] * 2, "seed": 1}, "seed", "NOT_WITH_OTHERS"),
    ({"seats": [{"human": {}}] * 2, "practice": True}, "practice", "NOT_WITH_OTHERS"),
    ({"seats": [{"human": {}}] * 2, "scores": [0]}, "scores", "WRONG_NUMBER_OF_SCORES"),
    ({"seats": [{"human": {}}] * 2, "scores": [0, 250]}, "scores[1]", "SCORE_PAST_TARGET"),
    ({"seats": [{"human": {}, "name": "\u3164"}, {"human": {}}]}, "seats[0].name", "NOT_VISIBLE"),
    ({"seats": [{"human": {}, "name": "x" * 65}, {"human": {}}]}, "seats[0].name", "TOO_LONG"),
    ({"seats": [{"human": {}}] * 2, "player_token": "me"}, "player_token", "BAD_TOKEN"),
    ({"seats": [{"human": {}}] * 2, "player_token": "A" * 43}, "player_token", "BAD_TOKEN"),
    (
        {"seats": [{"human": {}}] * 2, "level_limits": {"simulations": 0}},
        "level_limits.simulations",
        "LIMIT_OUT_OF_RANGE",
    ),
]


@pytest.mark.parametrize(("fields", "field", "reason"), BAD, ids=[f"{field} {reason}" for _, field, reason in BAD])
def test_a_bad_match_is_refused(stub: Any, fields: dict[str, Any], field: str, reason: str) -> None:
    error = failure(lambda: stub.CreateMatch(pb.CreateMatchRequest(**fields), timeout=TIMEOUT))
    assert (error.code, error.violations) == ("INVALID_ARGUMENT", [(field, reason)])


def test_what_a_match_does_not_allow_now(stub: Any) -> None:
    made = create(stub, "human", "human")
    first = Player(stub, made.match_id, made.invitations[0].invitation)
    assert failure(lambda: first.play({"tile": "0|0"})).reason == "MATCH_NOT_STARTED"  # type: ignore[arg-type]
    second = Player(stub, made.match_id, made.invitations[1].invitation)
    mover, other = (first, second) if first.look().seat_to_move == 0 else (second, first)
    mover.look()
    other.look()
    assert failure(lambda: other.play(mover.moves[0])).reason == "NOT_YOUR_TURN"
    assert failure(lambda: mover.play(mover.moves[0], expected=1)).reason == "STALE_VIEW"
    assert failure(lambda: mover.play(mover.moves[0], expected=99)).reason == "STALE_VIEW"
    held = next(tile for tile in ("0|0", "1|1", "2|2", "3|3", "4|4", "5|5", "6|6") if tile not in mover.view.hand)
    error = failure(lambda: mover.play({"tile": held}))  # type: ignore[arg-type]
    assert (error.code, error.violations) == ("INVALID_ARGUMENT", [("move.tile", "TILE_NOT_IN_HAND")])
    own = mover.own
    number = mover.view.event_number
    back = pb.TakeBackRequest(**own, expected_event=number, idempotency_key="x")
    for call, reason in (
        (lambda: stub.RequestHint(pb.RequestHintRequest(**own), timeout=TIMEOUT), "NO_HINTS"),
        (lambda: stub.TakeBack(back, timeout=TIMEOUT), "NOT_PRACTICE"),
        (lambda: list(stub.ReviewMatch(pb.ReviewMatchRequest(**own), timeout=TIMEOUT)), "MATCH_NOT_OVER"),
    ):
        refused = failure(call)
        assert (refused.code, refused.reason) == ("FAILED_PRECONDITION", reason)
    view = stub.Resign(pb.ResignRequest(**own), timeout=TIMEOUT).view
    assert (view.status, view.winner, view.resigned_seat) == (pb.MATCH_STATUS_RESIGNED, 1 - view.seat, view.seat)
    assert failure(lambda: list(stub.ReviewMatch(pb.ReviewMatchRequest(**own), timeout=TIMEOUT))).reason == (
        "NOTHING_TO_REVIEW"
    )
    for after in (-1, 10**6):
        refused = failure(lambda n=after: stub.GetView(pb.GetViewRequest(**own, after_event=n), timeout=TIMEOUT))  # type: ignore[misc]
        assert refused.violations == [("after_event", "EVENT_OUT_OF_RANGE")]


def test_a_watcher_is_told_of_the_end_of_the_server() -> None:
    with running_server(level_pause=0.0) as server, stubs_of(server.address) as stubs:
        (player, _) = sit_down(stubs.matches, "human", "human")
        stream = stubs.matches.WatchMatch(pb.WatchMatchRequest(**player.own), timeout=TIMEOUT)
        next(stream)
        closing = threading.Thread(target=server.call, args=(server.server.drain(),))
        closing.start()
        error = failure(lambda: next(stream))
        closing.join()
        assert (error.code, error.reason) == ("UNAVAILABLE", "SHUTTING_DOWN")


def test_who_begins_to_wait_once_the_server_shuts_down_does_not_wait() -> None:
    """A watcher whose first message was on its way while the others were woken."""
    with running_server(level_pause=0.0) as server, stubs_of(server.address) as stubs:
        sit_down(stubs.matches, "human", "human")
        host = server.server.host
        (hosted,) = host.memory.matches.values()

        async def late() -> None:
            host.finish()
            await asyncio.wait_for(host.next_move(hosted, hosted.log.number, 10 * TIMEOUT), TIMEOUT)

        server.call(late())


def test_a_restart_goes_on_where_it_was(tmp_path: Path) -> None:
    """A level that was about to move makes the same move after the restart."""
    file, lots = str(tmp_path / "matches.db"), random.Random(3)
    with matches(matches_database=file, level_pause=60.0) as stub:
        (player,) = sit_down(stub, "human", "club", seed=4, level_limits={"simulations": 50})
        if player.view.action == 1:
            player.play(lots.choice(player.moves))
        before = player.look()
    views = []
    for _ in range(2):
        copy = tmp_path / f"{len(views)}.db"
        for path in tmp_path.glob("matches.db*"):
            if not path.name.endswith("lock"):
                (tmp_path / path.name.replace("matches.db", copy.name)).write_bytes(path.read_bytes())
        with matches(matches_database=str(copy)) as stub:
            player.stub, player.view = stub, before
            assert player.look(20).event_number > before.event_number
            while player.view.action == 4:
                player.look(20)
            views.append(player.view.view.record.SerializeToString())
    assert views[0] == views[1]


def test_only_one_server_uses_a_file(tmp_path: Path) -> None:
    file = str(tmp_path / "matches.db")
    with (
        matches(matches_database=file),
        pytest.raises(DatabaseError, match="another server uses"),
        matches(matches_database=file),
    ):
        pass
    with matches(matches_database=file):
        pass


def test_where_matches_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert Place.of(Settings()) == Place(str(tmp_path / "sniffai" / "matches.db"), chosen=False)
    monkeypatch.setenv("STATE_DIRECTORY", "/var/lib/a:/var/lib/b")
    assert str(state_directory()) == "/var/lib/a"
    assert Place.of(Settings(matches_database="postgresql://h/d")).shared
    assert not Place.of(Settings(matches_database="memory")).lasts
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "file"))
    (tmp_path / "file").write_text("")
    with matches(matches_database="") as stub:  # the place that nobody chose cannot be used: memory will do
        sit_down(stub, "human", "casual")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/nowhere/matches.db", "cannot use /nowhere/matches.db: No such file"),
        ("mysql://host/name", "postgresql:// is expected, not 'mysql'"),
        ("://", "a URL such as"),
        ("postgresql://user@host:port/name", "a URL such as"),
        ("postgresql://user:pass@word@host/name", "a URL has one @"),
    ],
)
def test_a_database_that_cannot_be_used(text: str, message: str) -> None:
    with pytest.raises(DatabaseError, match=message):
        open_database(text)


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("/var/lib/matches@home?.db", "/var/lib/matches@home?.db"),
        ("postgresql://ann@host/name", "postgresql://ann@host/name"),
        ("postgresql://ann:secret@host:5432/name", "postgresql://ann:***@host:5432/name"),
        ("postgresql://ann:se@cr/et@host/name", "postgresql://ann:***@host/name"),
        ("postgresql:///name?password=secret&host=h", "postgresql:///name?***"),
    ],
)
def test_a_url_is_shown_without_secrets(url: str, text: str) -> None:
    assert without_secrets(url) == text
    assert "secret" not in repr(Place(url, chosen=True))


def test_a_setting_with_a_control_character_is_shown_without_secrets() -> None:
    with pytest.raises(SettingError) as raised:
        Settings(matches_database="postgresql://ann:secret@host/na\nme")
    assert "secret" not in str(raised.value)


def test_a_full_disk(tmp_path: Path) -> None:
    """Nothing half stored stays, and changes are taken as soon as there is room."""
    opened = open_database(str(tmp_path / "matches.db"))
    commits = Commits(lambda: opened)

    def limit(pages: int) -> None:
        with opened.engine.begin() as connection:
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

    def create(number: int) -> Exception | None:
        match = {"match_id": f"match {number}", "setup": "x" * 100_000, "caller": "ann", "created": 0, "step_count": 0}
        standing = Standing(MatchState.PLAYING.value, 0, 9, False, "{}").columns()
        player = {"player_hash": b"p", "match_id": match["match_id"], "created": 0, "seats": 0, "request_hash": None}
        seat = {"match_id": match["match_id"], "seat": 0, "invitation_hash": None}
        return commits.do([Job(number, "create", (match | standing, [seat], player, 100), True, "")])[0].error

    limit(1)  # no more than there is
    assert isinstance(create(1), StoreUnavailableError)
    limit(1000)
    assert create(1) is None
    (counted,) = commits.do([Job(2, "counts", (), False, "")])
    assert counted.result == {"playing": 1}
    commits.close()


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text("not a database, but long enough to look like one" * 100)
    with pytest.raises(DatabaseError, match="file is not a database"):
        open_database(str(tmp_path / "a.db"))


def test_the_migrations_make_the_tables(tmp_path: Path) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    opened = open_database(str(tmp_path / "a.db"))
    with opened.engine.begin() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(context, METADATA) == []
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        connection.exec_driver_sql(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    opened.close()
    with pytest.raises(DatabaseError, match="a later version"):
        open_database(str(tmp_path / "a.db"))


def test_names_are_kept_as_they_are_read(stub: Any) -> None:
    family = "👩\u200d👩\u200d👧"
    seats = [{"human": {}, "name": " Jose\u0301 "}, {"human": {}, "name": "Bob"}]
    made = stub.CreateMatch(pb.CreateMatchRequest(seats=seats), timeout=TIMEOUT)
    match_id, (first, second) = made.match_id, (one.invitation for one in made.invitations)
    for wrong in ("\u202eAnn", "\u200d", "x" * 65):
        error = failure(lambda wrong=wrong: Player(stub, match_id, second, name=wrong))  # type: ignore[misc]
        assert [field for field, _ in error.violations] == ["name"]
    player = Player(stub, match_id, second, name=f"  {family}\u3000")
    assert [seat.name for seat in player.view.seats] == ["José", family]
    Player(stub, match_id, first, name="  ")  # no name: that of the setup stays
    stub.Resign(pb.ResignRequest(**player.own), timeout=TIMEOUT)
    answer = stub.ExportRecord(pb.ExportRecordRequest(**player.own), timeout=TIMEOUT)
    assert list(answer.match.names) == ["José", family]
    assert dict(parse_match(answer.text).tags)["Seat1"] == family


def test_a_client_may_make_its_player_token(stub: Any) -> None:
    token = make_token()
    ask: dict[str, Any] = {"player_token": token, "request_id": "first"}
    first, again = (create(stub, "human", "casual", **ask) for _ in range(2))
    assert (first.player_token, again.match_id) == (token, first.match_id)
    (listed,) = stub.ListMatches(pb.ListMatchesRequest(player_token=token), timeout=TIMEOUT).matches
    assert listed.match_id == first.match_id


@pytest.mark.parametrize(
    "token",
    ["A" * 43, "Ab" * 21 + "A", "password" * 5 + "pas", "0123456789" * 4 + "012", _LETTERS[:43], _LETTERS[43::-1][:43]],
)
def test_a_token_that_is_not_random_is_refused(stub: Any, token: str) -> None:
    for call in (
        lambda: create(stub, "human", "casual", player_token=token),
        lambda: stub.ListMatches(pb.ListMatchesRequest(player_token=token), timeout=TIMEOUT),
    ):
        error = failure(call)
        assert error.violations == [("player_token", "BAD_TOKEN")]
        assert "not random" in error.message


@pytest.mark.parametrize("token", ["me", "A" * 42, "A" * 44, "+" * 43, "Ä" * 43])
def test_a_token_of_another_form_is_refused(stub: Any, token: str) -> None:
    error = failure(lambda: create(stub, "human", "casual", player_token=token))
    assert error.violations == [("player_token", "BAD_TOKEN")]
    assert "43 characters" in error.message and "random," not in error.message


def test_random_tokens_are_taken() -> None:
    assert not any(looks_weak(make_token()) for _ in range(10_000))
    assert not any(looks_weak(secrets.token_hex(22)[:43]) for _ in range(1000))  # 16 letters are enough, too


def _read(path: Path, question: str) -> list[Any]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute(question).fetchall()


@pytest.mark.parametrize("mark", ["PRAGMA application_id = 252006673", "PRAGMA user_version = 3"])
@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
def test_a_database_of_another_program_is_left_alone(tmp_path: Path, mark: str, journal: str) -> None:
    path = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"PRAGMA journal_mode = {journal}; CREATE TABLE matches (name TEXT); {mark};")
    before = path.read_bytes()
    with pytest.raises(DatabaseError, match=r"other\.db is a database of another program"):
        open_database(str(path))
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["other.db"]


def test_an_empty_database_with_the_id_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript("PRAGMA application_id = 7; VACUUM;")
    with pytest.raises(DatabaseError, match="another program"):
        open_database(str(path))


def test_a_file_says_whose_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.touch()  # an empty file is nobody's
    for _ in range(2):
        open_database(str(path)).close()
        assert _read(path, "PRAGMA application_id") == [(APPLICATION_ID,)]
    assert path.read_bytes()[68:72] == b"Snif"  # where `file` looks


def test_a_file_of_an_earlier_version_is_adopted(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with running_server(matches_database=str(path), level_pause=0.0) as server, stubs_of(server.address) as stubs:
        made = create(stubs.matches, "human", "casual")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA application_id = 0")
    with running_server(matches_database=str(path), level_pause=0.0) as server, stubs_of(server.address) as stubs:
        Player(stubs.matches, made.match_id, made.invitations[0].invitation)
    assert _read(path, "PRAGMA application_id") == [(APPLICATION_ID,)]
