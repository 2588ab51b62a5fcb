"""Hosted matches as an attacker sees them: nothing tells of a hidden tile, and no token opens another seat."""

import itertools
import logging
import random
import re
import string
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

import sniffai
from sniffai.play.match import Lots
from sniffai.search.candidates import distinct_moves
from sniffai.v1 import match_service_pb2 as pb
from sniffai_server.calls.callers import Priority
from sniffai_server.matches import clock, tokens
from sniffai_server.matches.levels import LevelSeats
from sniffai_server.settings import Settings
from tests.pairing_library import library_round
from tests.reference import at_random
from tests.server.matches.support import Player, create, matches, sit_down, token_of
from tests.server.support import TIMEOUT, failure, running_server, stubs_of, told
from tests.sniffai.test_secrecy import mixed

TILES = [str(tile) for tile in sniffai.TILES]
FIXED = 1_700_000_000_000_000
"""A time, in microseconds since 1970."""


@pytest.fixture(scope="module")
def stub() -> Iterator[Any]:
    with matches() as one:
        yield one


# Hidden tiles


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> Callable[[sniffai.Round], None]:
    """No chance and no clock: two worlds differ in nothing but what is dealt."""

    def begin(dealt: sniffai.Round) -> None:
        numbers = itertools.count(1)
        chance = SimpleNamespace(
            token_urlsafe=lambda size: token_of(next(numbers)),
            token_hex=lambda size: f"{next(numbers):0{2 * size}d}",
            randbits=lambda bits: 3,
        )
        monkeypatch.setattr(tokens, "secrets", chance)
        monkeypatch.setattr("sniffai_server.services.matches.secrets", chance)
        monkeypatch.setattr(clock, "now", lambda: FIXED)
        monkeypatch.setattr(Lots, "first", lambda *_: sniffai.Round.from_deal(dealt.start))

    return begin


def attempts(stub: Any, player: Player, spare: list[str]) -> Iterator[Any]:
    """All that a seat can try at one moment, as bytes."""
    own = player.own
    number = player.view.event_number
    yield stub.GetView(pb.GetViewRequest(**own), timeout=TIMEOUT)
    yield stub.GetView(pb.GetViewRequest(**own, after_event=0), timeout=TIMEOUT)
    yield stub.ExportRecord(pb.ExportRecordRequest(**own), timeout=TIMEOUT)
    yield stub.ListMatches(pb.ListMatchesRequest(player_token=player.player_token), timeout=TIMEOUT)
    hint = pb.RequestHintRequest(**own, limits={"simulations": 60})
    yield refusal_or(lambda: stub.RequestHint(hint, timeout=TIMEOUT))
    back = pb.TakeBackRequest(**own, expected_event=number, idempotency_key="b")
    yield refusal_or(lambda: stub.TakeBack(back, timeout=TIMEOUT))
    yield refusal_or(lambda: list(stub.ReviewMatch(pb.ReviewMatchRequest(**own), timeout=TIMEOUT)))
    places = ["", "0|0:LINE_A", *(point.name for point in player.view.layout.attachment_points)]
    on_turn = player.view.seat_to_move == player.view.seat
    for turn, tile in enumerate(spare):
        # Out of turn a move is not looked at, so that one place for each tile is enough.
        for at in places if on_turn else (places[turn % len(places)],):
            move = {"tile": tile, "at": at}
            asked = pb.PlayMoveRequest(**own, move=move, expected_event=number, idempotency_key=f"{tile}{at}")
            yield refusal_or(lambda asked=asked: stub.PlayMove(asked, timeout=TIMEOUT))
    asked = pb.PlayMoveRequest(**own, move={"tile": "0|0"}, expected_event=number - 1, idempotency_key="old")
    yield refusal_or(lambda: stub.PlayMove(asked, timeout=TIMEOUT))


def refusal_or(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except grpc.RpcError as error:
        refused = told(error)
        refused.trailers.pop("x-request-id")
        return refused


def story_of(observer: int, dealt: sniffai.Round, begin: Callable[[sniffai.Round], None]) -> list[Any]:
    """All that one seat is told while a round is played."""
    begin(dealt)
    found: list[Any] = []
    with matches() as stub:
        players = sit_down(stub, *["human"] * dealt.players, hints=True)
        for player in players:
            player.look()
        watcher = players[observer]
        stream = stub.WatchMatch(pb.WatchMatchRequest(**watcher.own, after_event=0), timeout=TIMEOUT)
        found.append(next(stream))
        for turn, move in enumerate(dealt.moves):
            watcher.look()
            mover = players[watcher.view.seat_to_move]
            spare = [tile for tile in TILES if tile not in watcher.view.hand] if turn % 5 == 2 else []
            found += [(type(one).__name__, shown(one)) for one in attempts(stub, watcher, spare)]
            mover.look()
            answer = mover.play({"tile": str(move.tile), "at": move.at or ""}, key=f"turn {turn}")  # type: ignore[arg-type]
            found.append(next(stream))
            if mover is watcher:
                found.append(answer)
        found += [(type(one).__name__, shown(one)) for one in attempts(stub, watcher, [])]
        stream.cancel()
    return [shown(one) for one in found]


def shown(one: Any) -> Any:
    """To the byte."""
    return one.SerializeToString(deterministic=True) if hasattr(one, "SerializeToString") else repr(one)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_other_hidden_tiles_change_no_byte(players: int, still: Callable[[sniffai.Round], None]) -> None:
    """The same placements in another deal that a seat cannot tell from the first: the same answers, events, errors."""
    twin = at_random(players, players, 9)
    seat = (players + 1) % players
    worlds = [library_round(one) for one in (twin, mixed(twin, seat, random.Random(players)))]
    assert worlds[0].start != worlds[1].start
    one, other = (story_of(seat, world, still) for world in worlds)
    assert len(one) > 100
    assert one == other


def test_the_swap_would_be_seen_by_another_seat(still: Callable[[sniffai.Round], None]) -> None:
    """The control: the test above compares worlds that differ."""
    twin = at_random(3, 10, 3)
    worlds = [library_round(one) for one in (twin, mixed(twin, 0, random.Random(0)))]
    one, other = (story_of(1, world, still) for world in worlds)
    assert one != other


# Time


def test_a_level_moves_at_times_that_tell_nothing_of_its_hand() -> None:
    """However long it thought: a whole number of pauses after the event before, and not before its limit."""
    seats = LevelSeats(Settings(level_pause=0.5), searches=None)  # type: ignore[arg-type]
    for limit in (None, 0.2, 0.5, 1.7):
        terms: Any = SimpleNamespace(level_limits=sniffai.Limits(seconds=limit))
        shown_at = {elapsed: elapsed + seats.pause(None, terms, elapsed) for elapsed in (0.0, 0.001, 0.3, 0.49)}  # type: ignore[arg-type]
        assert len(set(shown_at.values())) == 1
        assert next(iter(shown_at.values())) >= (limit or 0.5)
        assert 1.2 + seats.pause(None, terms, 1.2) == pytest.approx(2.0 if limit == 1.7 else 1.5)  # type: ignore[arg-type]


def test_a_forced_move_of_a_level_is_shown_no_sooner(stub: Any) -> None:
    with matches(level_pause=0.3) as slow:
        (player,) = sit_down(slow, "human", "casual")
        player.go_on(random.Random(1), 4)
        events = slow.GetView(pb.GetViewRequest(**player.own, after_event=0), timeout=TIMEOUT).events
    times = [(event.time.ToNanoseconds(), event.round_event) for event in events]
    gaps = [
        (after - before) / 1e9
        for (before, _), (after, event) in itertools.pairwise(times)
        if event.seat == 1 and event.HasField("play")
    ]
    gaps = [gap for gap in gaps if gap]  # a drawn tile comes with the placement before
    assert gaps
    assert min(gaps) >= 0.29


# Tokens


def everything(stub: Any, match_id: str, token: str) -> Iterator[Callable[[], Any]]:
    """Every call that takes a seat's token."""
    own = {"match_id": match_id, "seat_token": token}
    play = pb.PlayMoveRequest(**own, move={"tile": "0|0"}, expected_event=1, idempotency_key="k")
    back = pb.TakeBackRequest(**own, expected_event=1, idempotency_key="k")
    yield lambda: stub.GetView(pb.GetViewRequest(**own), timeout=TIMEOUT)
    yield lambda: stub.PlayMove(play, timeout=TIMEOUT)
    yield lambda: list(stub.WatchMatch(pb.WatchMatchRequest(**own), timeout=TIMEOUT))
    yield lambda: stub.RequestHint(pb.RequestHintRequest(**own), timeout=TIMEOUT)
    yield lambda: stub.TakeBack(back, timeout=TIMEOUT)
    yield lambda: stub.Resign(pb.ResignRequest(**own), timeout=TIMEOUT)
    yield lambda: stub.ExportRecord(pb.ExportRecordRequest(**own), timeout=TIMEOUT)
    yield lambda: list(stub.ReviewMatch(pb.ReviewMatchRequest(**own), timeout=TIMEOUT))


def test_forged_and_swapped_tokens_open_nothing(stub: Any) -> None:
    """A wrong token and an unknown match give the same error, to the letter."""
    made = create(stub, "human", "human", hints=True)
    first, second = (Player(stub, made.match_id, one.invitation) for one in made.invitations)
    other = sit_down(stub, "human", "casual")[0]
    token = first.own["seat_token"]
    wrong = [
        other.own["seat_token"],
        made.invitations[0].invitation,
        made.player_token,
        first.player_token,
        tokens.hash_of(token).hex(),
        token[:-1],
        token + "A",
        token.swapcase(),
        token[:-1] + ("A" if token[-1] != "A" else "B"),
        " " + token,
        "\0" * 43,
        "x" * 100_000,
        "é" * 43,
    ]
    told_of = set()
    for match_id, guess in [
        *((made.match_id, one) for one in wrong),
        (other.own["match_id"], token),
        ("0" * 24, token),
    ]:
        for call in everything(stub, match_id, guess):
            error = failure(call)
            told_of.add((error.code, error.reason, error.message, str(error.metadata)))
    assert len(told_of) == 1
    assert next(iter(told_of))[:2] == ("NOT_FOUND", "UNKNOWN_MATCH")
    assert first.look().status == second.look().status == pb.MATCH_STATUS_PLAYING


def test_an_invitation_is_used_up_by_the_use_of_its_token(stub: Any) -> None:
    made = create(stub, "human", "casual")
    invitation = made.invitations[0].invitation
    lost = Player(stub, made.match_id, invitation)
    found = Player(stub, made.match_id, invitation)
    assert failure(lost.look).reason == "UNKNOWN_MATCH"
    found.look()
    refused = {
        (error.code, error.reason, error.message)
        for match_id, secret in (
            (made.match_id, invitation),
            (made.match_id, "A" * 43),
            ("0" * 24, invitation),
            (made.match_id, found.own["seat_token"]),
        )
        for error in [failure(lambda one=match_id, two=secret: Player(stub, one, two))]  # type: ignore[misc]
    }
    assert len(refused) == 1
    assert next(iter(refused))[:2] == ("PERMISSION_DENIED", "INVITATION_REFUSED")


def test_tokens_are_long_and_random() -> None:
    made = [tokens.make_token() for _ in range(2000)]
    assert len(set(made)) == 2000
    assert all(tokens.looks_like_token(one) for one in made)
    letters = "".join(made)
    assert len(set(letters)) == 64
    assert set(letters) <= set(string.ascii_letters + string.digits + "-_")


def test_neither_tiles_nor_tokens_are_logged_or_stored(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "matches.db"
    with (
        caplog.at_level(logging.DEBUG),
        running_server(matches_database=str(file), level_pause=0.0, metrics_port=0) as server,
        stubs_of(server.address) as stubs,
    ):
        stub = stubs.matches
        players = sit_down(stub, "human", "casual", hints=True, scores=[200, 200])
        players[0].go_on(random.Random(7), 12)
        secrets = [players[0].player_token, players[0].own["seat_token"]]
        made = create(stub, "human", "human")
        secrets += [one.invitation for one in made.invitations]
        for call in everything(stub, made.match_id, "A" * 43):
            failure(call)
        samples = "\n".join(str(family) for family in server.server.metrics.registry.collect())
    logged = "\n".join(
        f"{record.getMessage()} {record.__dict__}" for record in caplog.records if not record.name.startswith("asyncio")
    )
    assert "MatchService/PlayMove" in logged
    for text in (logged, samples):
        assert not re.search(r"\b[0-6]\|[0-6]\b", text)
        assert not any(secret in text for secret in secrets)
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"casual" in stored
    assert not any(secret.encode() in stored for secret in secrets)
    assert file.stat().st_mode & 0o077 == 0


def test_a_seed_is_not_told_and_has_256_bits(stub: Any) -> None:
    with running_server(level_pause=0.0) as server, stubs_of(server.address) as stubs:
        sit_down(stubs.matches, "human", "casual")
        (hosted,) = server.server.host.memory.matches.values()
        assert hosted.log.setup.match.seed.bit_length() > 200
    assert "seed" not in pb.MatchView.DESCRIPTOR.fields_by_name


@pytest.mark.parametrize("level", ["casual", "club", "full"])
async def test_a_level_searches_as_long_for_a_single_move(level: str) -> None:
    """Otherwise the time until its move would tell whether it had a choice."""
    ran: list[tuple[bool, str]] = []

    async def run(searcher: sniffai.Searcher, *_: object, **__: object) -> sniffai.Analysis:
        analysis = searcher.run(sniffai.Limits(simulations=30))
        ran.append((searcher.forced, str(analysis.best.move if analysis.best else None)))
        return analysis

    seats = LevelSeats(Settings(), SimpleNamespace(run=run, queue=SimpleNamespace(slots=1)))  # type: ignore[arg-type]
    terms: Any = SimpleNamespace(caller="anna", best=Priority.INTERACTIVE, weight=1, level_limits=sniffai.Limits())
    single = several = 0
    for round_ in (sniffai.Round.deal(players=2, seed=seed) for seed in itertools.count(5)):
        if min(single, several) > 1:
            break
        while not round_.over:
            view = round_.view(round_.seat)
            log: Any = SimpleNamespace(
                level_to_move=level, to_move=view.seat, knowledge=lambda _, view=view: view, decision_seed=lambda: 3
            )
            move = await seats.choose(log, terms)
            assert move in round_.legal_moves()
            if len(distinct_moves(view)) == 1:
                single += 1
                assert str(move) == ran[-1][1]
            else:
                several += 1
            assert ran[-1][0] == (level == "casual")  # it never searches
            round_.play(move)
