"""Random clients, faults and restarts, against a small model: all that was ever answered, by match and seat.

Whatever happens, a match holds every event that any answer has shown, to the byte. A key always gives the same answer.
A move that was refused or got no answer is there once or not at all.
"""

import asyncio
import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import sqlalchemy as sa
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy.exc import OperationalError

from sniffai.v1 import match_service_pb2 as pb
from sniffai.v1 import move_pb2
from sniffai_server.calls.holdings import Holding
from sniffai_server.calls.refusals import MatchRefusedError, StoreUnavailableError
from sniffai_server.load.admission import SlotQueue
from sniffai_server.load.searches import Searches
from sniffai_server.matches.database import Database, open_database
from sniffai_server.matches.host import Host
from sniffai_server.matches.levels import LevelSeats
from sniffai_server.matches.store import Store
from sniffai_server.services.matches import MatchService
from sniffai_server.settings import Settings

SETTINGS = Settings(level_pause=0.0, slots=1)


class Faulty:
    """An engine whose next transactions fail, before they begin or once they are committed."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self.dialect = engine.dialect
        self.faults: list[str] = []

    @contextmanager
    def begin(self) -> Iterator[sa.Connection]:
        fault = self._next_fault()
        with self._engine.begin() as connection:
            yield connection
        if fault == "after":
            raise OperationalError("", {}, Exception("the connection is lost"))

    def raw_connection(self) -> Any:
        fault = self._next_fault()
        connection = self._engine.raw_connection()
        return Lost(connection) if fault == "after" else connection

    def _next_fault(self) -> str:
        fault = self.faults.pop(0) if self.faults else ""
        if fault == "before":
            raise OperationalError("", {}, Exception("the disk is full"))
        return fault

    def dispose(self) -> None:
        self._engine.dispose()


class Lost:
    """A connection that is lost once something is committed."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def commit(self) -> None:
        self._connection.commit()
        raise sqlite3.OperationalError("the connection is lost")


class Context:
    """The small part of a call's context that the service uses."""

    def auth_context(self) -> dict[str, Any]:
        return {}

    def peer(self) -> str:
        return "ipv4:127.0.0.1:1"

    def time_remaining(self) -> None:
        return None


class Observer:
    """Counts nothing."""

    def stepped(self, kind: Any, by: str) -> None:
        pass

    def level_searched(self, call: Any) -> None:
        pass

    def stored(self, seconds: float) -> None:
        pass


class World:
    """One server, from its start to its crash."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.runner = asyncio.Runner()
        self.engine: Faulty
        self.searches = Searches(SlotQueue(1, 64, 1 << 30))
        self.runner.run(self._start())

    async def _start(self) -> None:
        self.host = Host(SETTINGS, LevelSeats(SETTINGS, self.searches), Observer())
        self.store = Store(self._open)
        await self.host.start(self.store, lasting=True)
        watches = Holding("TOO_MANY_MATCH_WATCHES", "watches", 100)
        self.service = MatchService(SETTINGS, self.searches, self.host, watches, None)  # type: ignore[arg-type]

    def _open(self) -> Database:
        opened = open_database(str(self.file))
        self.engine = Faulty(opened.engine)
        return replace(opened, engine=self.engine)  # type: ignore[arg-type]

    def call(self, method: str, request: Any) -> Any:
        return self.runner.run(getattr(self.service, method)(request, Context()))

    def call_and_leave(self, method: str, request: Any) -> None:
        """Call, and go away before the answer."""

        async def leave() -> None:
            call = asyncio.ensure_future(getattr(self.service, method)(request, Context()))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            call.cancel()
            with contextlib.suppress(asyncio.CancelledError, MatchRefusedError, StoreUnavailableError):
                await call

        self.runner.run(leave())

    def settle(self) -> None:
        """Let levels play until it is a person's turn."""

        async def wait() -> None:
            for _ in range(2000):
                await asyncio.sleep(0.001)
                if all(hosted.thinking is None for hosted in self.host.memory.matches.values()):
                    return
            raise AssertionError("a level thinks for ever")

        self.runner.run(wait())

    def crash(self, copy: Path) -> None:
        """End, and leave what a killed process would have left: the files as they are."""
        for path in self.file.parent.glob(f"{self.file.name}*"):
            if not path.name.endswith(".lock"):
                shutil.copy(path, copy.parent / path.name.replace(self.file.name, copy.name))
        self.close()

    def close(self) -> None:
        self.host.finish()
        self.runner.run(asyncio.sleep(0.01))
        self.host.close()
        self.searches.close()
        self.runner.close()


@dataclass
class Model:
    """All that was answered about one seat."""

    own: dict[str, Any]
    events: dict[int, bytes] = field(default_factory=dict)
    keys: dict[str, tuple[str, Any, bytes]] = field(default_factory=dict)
    """By key: the method, the request, the answer."""
    view: pb.MatchView | None = None

    def remember(self, events: Any) -> None:
        for event in events:
            data = event.SerializeToString(deterministic=True)
            assert self.events.setdefault(event.number, data) == data


class Histories(RuleBasedStateMachine):
    @initialize(levels=st.booleans(), seed=st.integers(0, 2**256 - 1))
    def start(self, levels: bool, seed: int) -> None:
        self.drawn = mock.patch("sniffai_server.services.matches.secrets.randbits", return_value=seed)
        self.drawn.start()
        self.folder = tempfile.TemporaryDirectory()
        self.starts, self.keys = 0, 0
        self.world = World(self._file())
        seats = [pb.SeatSetup(human=pb.HumanSeat())] * (1 if levels else 2)
        if levels:
            seats = [*seats, pb.SeatSetup(level="newcomer")]
        made = self.world.call("CreateMatch", pb.CreateMatchRequest(seats=seats, scores=[150, 150], practice=levels))
        self.seats = []
        for one in made.invitations:
            asked = pb.JoinMatchRequest(match_id=made.match_id, invitation=one.invitation)
            joined = self.world.call("JoinMatch", asked)
            self.seats.append(Model({"match_id": made.match_id, "seat_token": joined.seat_token}))

    def _file(self) -> Path:
        self.starts += 1
        return Path(self.folder.name) / f"matches{self.starts}.db"

    def _look(self, model: Model) -> pb.MatchView:
        self.world.settle()
        after = max(model.events, default=0)
        answer = self.world.call("GetView", pb.GetViewRequest(**model.own, after_event=after))
        model.remember(answer.events)
        model.view = answer.view
        return answer.view

    def _mover(self) -> Model | None:
        for model in self.seats:
            if self._look(model).action == move_pb2.ACTION_PLAY:
                return model
        return None

    def _request(self, data: st.DataObject, model: Model) -> tuple[str, str, Any]:
        """A move, or a decision taken back, with a new key."""
        assert model.view is not None
        self.keys += 1
        key = f"k{self.keys}"
        named = {"expected_event": model.view.event_number, "idempotency_key": key}
        if model.view.can_take_back and data.draw(st.integers(0, 3), "take back") == 0:
            return "TakeBack", key, pb.TakeBackRequest(**model.own, **named)
        moves = [legal.move for legal in model.view.legal_moves]
        move = data.draw(st.sampled_from(moves), "move")
        return "PlayMove", key, pb.PlayMoveRequest(**model.own, move=move, **named)

    def _send(self, model: Model, method: str, key: str, request: Any) -> bool:
        """Send a request; whether it was answered."""
        try:
            answer = self.world.call(method, request)
        except StoreUnavailableError:
            return False
        model.remember(answer.events)
        data = answer.SerializeToString(deterministic=True)
        assert model.keys.setdefault(key, (method, request, data)) == (method, request, data)
        return True

    @rule(data=st.data())
    def play(self, data: st.DataObject) -> None:
        model = self._mover()
        if model is not None:
            assert self._send(model, *self._request(data, model))

    @rule(data=st.data(), faults=st.lists(st.sampled_from(["before", "after", ""]), min_size=1, max_size=3))
    def play_while_the_database_fails(self, data: st.DataObject, faults: list[str]) -> None:
        """The client sends the same request until it is answered."""
        model = self._mover()
        if model is None:
            return
        method, key, request = self._request(data, model)
        self.world.engine.faults = list(faults)
        sent = 0
        while not self._send(model, method, key, request):
            sent += 1
            assert sent < 10
        self.world.engine.faults = []

    @rule(data=st.data(), restart=st.booleans())
    def play_and_leave(self, data: st.DataObject, restart: bool) -> None:
        """The client goes away in the middle, the server may die too; later it sends the same request again."""
        model = self._mover()
        if model is None:
            return
        method, key, request = self._request(data, model)
        self.world.call_and_leave(method, request)
        if restart:
            self.restart()
        self._send(model, method, key, request)

    @rule(data=st.data())
    def send_again(self, data: st.DataObject) -> None:
        """An old key, whatever has happened since."""
        known = [(model, key) for model in self.seats for key in model.keys]
        if known:
            model, key = data.draw(st.sampled_from(known), "key")
            method, request, _ = model.keys[key]
            assert self._send(model, method, key, request)

    @rule()
    def move_out_of_turn(self) -> None:
        for model in self.seats:
            view = self._look(model)
            if view.action != move_pb2.ACTION_PLAY:
                request = pb.PlayMoveRequest(
                    **model.own,
                    move=move_pb2.Move(tile="0|0"),
                    expected_event=view.event_number,
                    idempotency_key="never",
                )
                with pytest.raises(MatchRefusedError) as refused:
                    self.world.call("PlayMove", request)
                assert refused.value.reason in ("NOT_YOUR_TURN", "MATCH_OVER")

    @precondition(lambda self: self.starts < 6)
    @rule()
    def restart(self) -> None:
        old, new = self.world, self._file()
        old.crash(new)
        self.world = World(new)

    @invariant()
    def every_answer_still_holds(self) -> None:
        for model in getattr(self, "seats", []):
            self.world.settle()
            found = self.world.call("GetView", pb.GetViewRequest(**model.own, after_event=0)).events
            assert [event.number for event in found] == list(range(1, len(found) + 1))
            assert set(model.events) <= {event.number for event in found}
            model.remember(found)
            seat = self.seats.index(model)
            played = sum(event.round_event.HasField("play") and event.round_event.seat == seat for event in found)
            assert played == sum(method == "PlayMove" for method, *_ in model.keys.values())

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.drawn.stop()
            self.world.close()
            self.folder.cleanup()


def test_a_change_that_is_not_stored_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: a store that forgets every sixth step."""
    store = Store.append

    async def forget(self: Store, change: Any, *, patient: bool) -> None:
        if change.number % 6:
            await store(self, change, patient=patient)

    monkeypatch.setattr(Store, "append", forget)
    few = settings(max_examples=20, stateful_step_count=15, phases=[Phase.generate])
    with pytest.raises((AssertionError, StoreUnavailableError, ExceptionGroup)):
        run_state_machine_as_test(Histories, settings=few)


def test_histories() -> None:
    """``HISTORIES=1000`` tries as many."""
    examples = int(os.environ.get("HISTORIES", "6"))
    run_state_machine_as_test(Histories, settings=settings(max_examples=examples, stateful_step_count=15))
