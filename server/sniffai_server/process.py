"""The process of a server: signals, and an end that comes even if something hangs."""

import asyncio
import contextlib
import logging
import math
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import FrameType
from typing import Final

from sniffai.version import VERSION
from sniffai_server import garbage
from sniffai_server.app import Server
from sniffai_server.settings import Settings

END_SECONDS: Final = 1.6
"""Seconds that the shutdown may take beyond ``drain_delay`` and ``grace_seconds``; then the process exits anyway."""
ENDING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)
"""The signals that end the process."""
LAST_LINE_SECONDS: Final = 0.1
"""Time to write the last log line before the process exits."""
SWITCH_SECONDS: Final = 0.002
"""For how long a thread may keep the interpreter while another one waits for it. With Python's 5 ms a call waits long
for a search that is being set up; with less than this the event loop is often interrupted for one, and then waits."""

log = logging.getLogger(__name__)

_held: Final[list[int]] = []
"""Signals that arrived before :class:`Signals` existed."""


def hold_signals() -> None:
    """Store signals until :class:`Signals` handles them."""
    for number in (*ENDING, signal.SIGHUP):
        signal.signal(number, lambda number, _frame: _held.append(number))


class Signals:
    """The signals of a server. Created inside a running event loop, in the main thread, before anything can hang.

    SIGTERM and SIGINT shut the server down gracefully. A second one skips the rest of ``drain_delay``, a third one the
    rest of ``grace_seconds``; SIGQUIT skips both. SIGHUP makes the server read its files again.
    """

    def __init__(self, settings: Settings) -> None:
        self.wishes = [asyncio.Event() for _ in range(3)]
        """Set to shut down; to skip the delay; to skip the grace period."""
        self.number = signal.SIGTERM
        """The first signal that ended the process."""
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
        """Calls may come from now on, so the shutdown gets the time that the settings allow."""
        grace = settings.grace_seconds + END_SECONDS
        self.guard.seconds = [settings.drain_delay + grace, grace, END_SECONDS]

    def _heed(self, number: int, _frame: FrameType | None) -> None:
        """Handle a signal. It may interrupt any step of anything, so no lock may be taken here."""
        if number == signal.SIGHUP:
            self._soon(self._reload)
            return
        if not self._count:
            self.number = signal.Signals(number)
        self._count = counted(self._count, number)
        self._soon(self._tell, self._count)

    def _soon(self, step: Callable[..., None], *arguments: int) -> None:
        """Run something on the event loop, if it still exists: the process may be about to exit."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(step, *arguments)

    def _tell(self, count: int) -> None:
        for wish in self.wishes[:count]:
            wish.set()

    def _reload(self) -> None:
        log.info("SIGHUP: reading certificates and keys again")
        self.reload()


def counted(count: int, number: int) -> int:
    """How many steps of the shutdown are requested after one more signal."""
    return 3 if number == signal.SIGQUIT else min(count + 1, 3)


class _Guard:
    """A thread that ends the process if the shutdown takes too long. It depends on nothing that may hang.

    The system writes signals to its pipe, so it does not depend on the main thread either, which may be waiting for a
    name to be looked up.
    """

    def __init__(self) -> None:
        self.seconds: Sequence[float] = [END_SECONDS] * 3
        """Time from each of three signals to the exit."""
        self._source, self._sink = os.pipe()
        os.set_blocking(self._sink, False)
        signal.set_wakeup_fd(self._sink, warn_on_full_buffer=False)  # a full pipe holds enough signals
        threading.Thread(target=self._watch, name="guard", daemon=True).start()

    def tell(self, number: int) -> None:
        """Pass on a signal that arrived earlier."""
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
        log.critical("the server did not shut down in time: exiting")
        time.sleep(LAST_LINE_SECONDS)
        os._exit(1)


async def serve(settings: Settings) -> int:
    """Run a server until SIGTERM or SIGINT, then drain it; returns the exit status.

    The status is 0, or 128 plus the signal's number if the signal came before the server listened.

    :raises ListenError: the server cannot listen on its address.
    :raises SecurityError: the TLS settings cannot be used.
    :raises KeysError: the keys file cannot be used.
    :raises TracingError: ``otlp_endpoint`` is set, but OpenTelemetry is not installed.
    """
    signals = Signals(settings)
    stop, no_delay, no_grace = signals.wishes
    log.info("sniffai-server %s is starting", VERSION)
    server = Server(settings)
    signals.reload = server.reloads.force
    started, stopped = asyncio.ensure_future(server.start()), asyncio.ensure_future(stop.wait())
    await asyncio.wait({started, stopped}, return_when=asyncio.FIRST_COMPLETED)
    if stop.is_set() and not (started.done() and started.exception()):
        log.warning("stopped by %s before the server listened", signals.number.name)
        return 128 + signals.number
    address = replace(settings, port=started.result()).address
    signals.listening(settings)
    sys.setswitchinterval(SWITCH_SECONDS)
    garbage.hold_back()
    collector = asyncio.ensure_future(garbage.collect())
    lines = [f"listening on {address}"]
    if server.web is not None:
        what = "HTTP and the page" if settings.web else "HTTP"
        lines.append(f"serving {what} on {server.web.url}")
    for line in lines:
        log.info("%s", line)
    threading.Thread(target=_announce, args=(lines,), daemon=True).start()
    await stopped
    log.info("shutting down: %s", signals.number.name)
    await server.drain(no_delay, no_grace)
    collector.cancel()
    log.info("the server has stopped")
    return 0


def _announce(lines: Sequence[str]) -> None:
    """Print the addresses on standard output, each after "on" on a line of its own.

    If nobody reads it, the server goes on.
    """
    try:
        print(*(f"sniffai-server {VERSION} {line}" for line in lines), sep="\n", flush=True)
    except (OSError, ValueError) as error:
        log.warning("cannot write to standard output: %s", error)
