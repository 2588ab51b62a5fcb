"""The process of a server: what signals ask of it, and an end that comes whatever hangs."""

import asyncio
import contextlib
import logging
import math
import os
import select
import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import FrameType
from typing import Final

from sniffai.version import VERSION
from sniffai_server.app import Server
from sniffai_server.settings import Settings

END_SECONDS: Final = 1.6
"""What the end may take beyond ``drain_delay`` and ``grace_seconds``; then the process is cut off."""
ENDING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)
"""The signals that ask for the end."""
LAST_LINE_SECONDS: Final = 0.1
"""How long the line about that may take to be written."""

log = logging.getLogger(__name__)

_held: Final[list[int]] = []
"""Signals that have come before there was anything to heed them."""


def hold_signals() -> None:
    """Let signals wait until :class:`Signals` are there to heed them."""
    for number in (*ENDING, signal.SIGHUP):
        signal.signal(number, lambda number, _frame: _held.append(number))


class Signals:
    """What signals ask of a server. Made inside a running event loop, in the main thread, before anything can hang.

    SIGTERM and SIGINT end it in good order. A second one ends the wait of ``drain_delay``, a third one that of
    ``grace_seconds``, SIGQUIT both at once. SIGHUP lets the server read its files again.
    """

    def __init__(self, settings: Settings) -> None:
        self.wishes = [asyncio.Event() for _ in range(3)]
        """To end; without the delay; without the grace period."""
        self.number = signal.SIGTERM
        """The first signal that asked for the end."""
        self.reload: Callable[[], None] = lambda: None
        self._loop = asyncio.get_running_loop()
        self._count = 0
        self.guard = _Guard()
        for number in (*ENDING, signal.SIGHUP):
            signal.signal(number, self._heed)
        while _held:
            self.guard.tell(_held[0])
            self._heed(_held.pop(0), None)

    def listening(self, settings: Settings) -> None:
        """From now on there may be calls, which have the time that the settings give them."""
        grace = settings.grace_seconds + END_SECONDS
        self.guard.seconds = [settings.drain_delay + grace, grace, END_SECONDS]

    def _heed(self, number: int, _frame: FrameType | None) -> None:
        """Take a signal, which may come between any two steps of anything: no lock may be asked for here."""
        if number == signal.SIGHUP:
            self._soon(self._reload)
            return
        if not self._count:
            self.number = signal.Signals(number)
        self._count = counted(self._count, number)
        self._soon(self._tell, self._count)

    def _soon(self, step: Callable[..., None], *arguments: int) -> None:
        """Let the event loop do something, while there is one: the process may be at its very end."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(step, *arguments)

    def _tell(self, count: int) -> None:
        for wish in self.wishes[:count]:
            wish.set()

    def _reload(self) -> None:
        log.info("SIGHUP: the files are read again")
        self.reload()


def counted(count: int, number: int) -> int:
    """How many steps of the end are asked for, after one more signal."""
    return 3 if number == signal.SIGQUIT else min(count + 1, 3)


class _Guard:
    """Ends the process when its end takes too long: a thread that needs nothing of what may hang.

    The system itself tells it of signals, so it does not need the main thread either, which may wait for a name to be
    looked up.
    """

    def __init__(self) -> None:
        self.seconds: Sequence[float] = [END_SECONDS] * 3
        """From each of three signals to the end."""
        self._source, self._sink = os.pipe()
        os.set_blocking(self._sink, False)
        signal.set_wakeup_fd(self._sink, warn_on_full_buffer=False)  # it has been told often enough
        threading.Thread(target=self._watch, name="guard", daemon=True).start()

    def tell(self, number: int) -> None:
        """A signal has come before this was made."""
        with contextlib.suppress(BlockingIOError):
            os.write(self._sink, bytes([number]))

    def _watch(self) -> None:
        end, count = math.inf, 0
        while (left := end - time.monotonic()) > 0:
            if not select.select([self._source], [], [], None if end == math.inf else left)[0]:
                continue
            for number in os.read(self._source, 1024):
                if number in ENDING:
                    count = counted(count, number)
                    end = min(end, time.monotonic() + self.seconds[count - 1])
        log.critical("the server does not end within its time: it is cut off")
        time.sleep(LAST_LINE_SECONDS)
        os._exit(1)


async def serve(settings: Settings) -> int:
    """Run a server until SIGTERM or SIGINT, then drain it; returns the exit status.

    It is 0, or 128 and the signal's number where the signal came before the server listened.

    :raises ListenError: its address cannot be listened on.
    :raises SecurityError: its port cannot be secured as the settings say.
    :raises KeysError: its file of API keys cannot be used.
    :raises TracingError: there is an ``otlp_endpoint``, but no OpenTelemetry.
    """
    signals = Signals(settings)
    stop, no_delay, no_grace = signals.wishes
    log.info("sniffai-server %s starts", VERSION)
    server = Server(settings)
    signals.reload = server.reloads.force
    started, stopped = asyncio.ensure_future(server.start()), asyncio.ensure_future(stop.wait())
    await asyncio.wait({started, stopped}, return_when=asyncio.FIRST_COMPLETED)
    if stop.is_set() and not (started.done() and started.exception()):
        log.warning("stopped by %s before the server listened", signals.number.name)
        return 128 + signals.number
    address = replace(settings, port=started.result()).address
    signals.listening(settings)
    log.info("listening on %s", address)
    threading.Thread(target=_announce, args=(address,), daemon=True).start()
    await stopped
    log.info("shutting down: %s", signals.number.name)
    await server.drain(no_delay, no_grace)
    log.info("the server has ended")
    return 0


def _announce(address: str) -> None:
    """Tell on standard output where the server listens; a standard output that takes nothing holds up nothing."""
    try:
        print(f"sniffai-server {VERSION} listening on {address}", flush=True)
    except (OSError, ValueError) as error:
        log.warning("standard output takes nothing: %s", error)
