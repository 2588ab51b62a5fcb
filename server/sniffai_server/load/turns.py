"""One search's turn: it waits for a slot, holds one, or has handed it over for a while."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto

from sniffai_server.calls.callers import Priority


@dataclass(frozen=True, slots=True)
class Admission:
    """On whose behalf a search is asked for, and how urgent it is."""

    client: str
    priority: Priority


class State(Enum):
    """What a turn has."""

    WAITING = auto()
    """A place in the queue."""
    RUNNING = auto()
    """A slot."""
    ASIDE = auto()
    """Neither: it waits for something else than a slot, or waits no more."""
    OVER = auto()


@dataclass(eq=False, slots=True)
class Turn:
    """The turn of one search. It belongs to the event loop of its queue; its search's thread reads flags and waits."""

    admission: Admission
    deadline: float | None
    """The latest moment at which it may begin, by the queue's clock."""
    memory: int
    """Bytes that the search may take while it runs."""
    number: int
    """Its place in the order of coming."""
    asked: float
    """When it asked for a slot."""
    began: "asyncio.Future[None]"
    """Done when it has its first slot, or will never get one."""
    state: State = State.WAITING
    kept: int | None = None
    """Bytes that a search keeps that has begun and has no slot now; ``None`` for all others."""
    since: float = 0.0
    """When it got the slot that it holds, or held last."""
    spent: float = 0.0
    """Seconds for which it held slots until then."""
    waited: float = 0.0
    """Seconds that it waited for its first slot."""
    wanted: bool = False
    """Whether it is to hand its slot over: looked at between two slices of the search."""
    ended: bool = False
    """Whether it waits no more: its search has to answer with what it has."""
    go: threading.Event = field(default_factory=threading.Event)
    """Wakes its thread while that waits to go on."""

    @property
    def caller(self) -> str:
        """Whose turn it is."""
        return self.admission.client

    @property
    def priority(self) -> Priority:
        """How urgent it is."""
        return self.admission.priority

    @property
    def fresh(self) -> bool:
        """Whether it has not begun."""
        return self.kept is None

    def wake(self) -> None:
        """Let it wait no more. May be called from any thread."""
        self.ended = True
        self.go.set()

    def pause(self, hand_over: Callable[[], None], seconds: float | None) -> bool:
        """Hand the slot over, in the search's thread, and wait for the next one; false where the time is over first.

        :param hand_over: makes the event loop take the slot.
        """
        self.go.clear()
        if self.ended:  # whoever wakes it later finds its thread waiting
            return True
        hand_over()
        return self.go.wait(seconds)
