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
LAST_LINE_SECONDS: Final = 0.1
"""How long the line about that may take to be written."""

log = logging.getLogger(__name__)


class Signals:
    """What signals ask of a server. Made inside a running event loop, in the main thread.

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
        grace = settings.grace_seconds + END_SECONDS
        self._guard = _Guard([settings.drain_delay + grace, grace, END_SECONDS])
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
            signal.signal(number, self._heed)

    def _heed(self, number: int, _frame: FrameType | None) -> None:
        """Take a signal, which may come between any two steps of anything: no lock may be asked for here."""
        if number == signal.SIGHUP:
            self._loop.call_soon_threadsafe(self._reload)
            return
        if not self._count:
            self.number = signal.Signals(number)
        self._count = 3 if number == signal.SIGQUIT else min(self._count + 1, 3)
        self._guard.tell(self._count)
        self._loop.call_soon_threadsafe(self._tell, self._count)

    def _tell(self, count: int) -> None:
        for wish in self.wishes[:count]:
            wish.set()

    def _reload(self) -> None:
        log.info("SIGHUP: the files are read again")
        self.reload()


class _Guard:
    """Ends the process when its end takes too long: a thread that needs nothing of what may hang.

    :param seconds: from each of three signals to the end.
    """

    def __init__(self, seconds: Sequence[float]) -> None:
        self._seconds = seconds
        self._source, self._sink = os.pipe()
        os.set_blocking(self._sink, False)
        threading.Thread(target=self._watch, name="guard", daemon=True).start()

    def tell(self, count: int) -> None:
        """The first, second or third signal has come. Safe in a handler of signals."""
        with contextlib.suppress(BlockingIOError):  # it has been told often enough
            os.write(self._sink, bytes([count]))

    def _watch(self) -> None:
        end = math.inf
        while (left := end - time.monotonic()) > 0:
            if select.select([self._source], [], [], None if end == math.inf else left)[0]:
                count = os.read(self._source, 1)[0]
                end = min(end, time.monotonic() + self._seconds[count - 1])
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
    if not started.done():
        log.warning("stopped by %s before the server listened", signals.number.name)
        return 128 + signals.number
    address = replace(settings, port=started.result()).address
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
