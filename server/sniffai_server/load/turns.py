"""The turn of one search: it waits for a slot, holds one, or has handed it over for a while."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto

from sniffai_server.calls.callers import Priority
from sniffai_server.load.accounts import Account


@dataclass(frozen=True, slots=True)
class Admission:
    """The client of a search, its priority and its weight."""

    client: str
    priority: Priority
    weight: int = 1
    """The client's share beside others of the same class, at least 1."""


class State(Enum):
    """The state of a turn."""

    WAITING = auto()
    """It is in the queue."""
    RUNNING = auto()
    """It holds a slot."""
    ASIDE = auto()
    """Neither: it waits for something other than a slot, or no longer waits."""
    OVER = auto()


@dataclass(eq=False, slots=True)
class Turn:
    """The turn of one search. Only the queue's event loop changes it; the search's thread reads flags and waits."""

    admission: Admission
    account: Account
    """What its client has of the slots."""
    deadline: float | None
    """The latest moment at which it may start, by the queue's clock."""
    memory: int
    """Bytes that the search may take while it runs."""
    number: int
    """Its number in order of arrival."""
    asked: float
    """When it entered the queue."""
    began: "asyncio.Future[None]"
    """Done when it gets its first slot, or will not get one."""
    state: State = State.WAITING
    kept: int | None = None
    """Bytes that a paused search keeps; ``None`` for fresh and running ones."""
    since: float = 0.0
    """When it got its latest slot."""
    spent: float = 0.0
    """Seconds for which it held slots before that."""
    waited: float = 0.0
    """Seconds that it waited for its first slot."""
    wanted: bool = False
    """Whether it should hand its slot over; checked between two slices of the search."""
    ended: bool = False
    """Whether it stops waiting: its search must answer with what it has."""
    go: threading.Event = field(default_factory=threading.Event)
    """Wakes its thread, which waits to continue."""

    @property
    def caller(self) -> str:
        """The client."""
        return self.admission.client

    @property
    def priority(self) -> Priority:
        """The priority."""
        return self.admission.priority

    @property
    def fresh(self) -> bool:
        """Whether its search has not started."""
        return self.kept is None

    def wake(self) -> None:
        """End its wait. May be called from any thread."""
        self.ended = True
        self.go.set()

    def pause(self, hand_over: Callable[[], None], seconds: float | None) -> bool:
        """In the search's thread, hand the slot over and wait for the next one; false if the time is over first.

        :param hand_over: makes the event loop release the slot.
        """
        self.go.clear()
        if self.ended:  # a later wake() finds the thread waiting
            return True
        hand_over()
        return self.go.wait(seconds)
