"""Files that may change while the server runs: looked at every second, and at once when an operator says so."""

import logging
import threading
from collections.abc import Sequence
from typing import Final, Protocol

from sniffai_server.access.keys import KeysError
from sniffai_server.access.tls import SecurityError
from sniffai_server.observe.metrics import Metrics

CHECK_SECONDS: Final = 1.0

log = logging.getLogger(__name__)


class Reloadable(Protocol):
    """Something that a file says."""

    @property
    def name(self) -> str:
        """What it is in log and metrics."""

    def refresh(self, *, force: bool = False) -> str:
        """Read the file again if it has changed, or in any case; says what is in force, empty for no change.

        :raises KeysError: it cannot be used: what was stays in force.
        :raises SecurityError: the same.
        """


class Reloads:
    """Reads files again, in a thread of its own: a disk that hangs holds up no call."""

    def __init__(self, files: Sequence[Reloadable], metrics: Metrics) -> None:
        self._files = files
        self._metrics = metrics
        self._wake = threading.Event()
        self._forced = False
        self._ended = False
        for one in files:
            metrics.watch_reloads(one.name)
        self._thread = threading.Thread(target=self._run, name="reloads", daemon=True)

    def start(self) -> None:
        """Look at the files from now on."""
        self._thread.start()

    def force(self) -> None:
        """Read all files now, changed or not."""
        self._forced = True
        self._wake.set()

    def close(self) -> None:
        """Look at them no more."""
        self._ended = True
        self._wake.set()

    def _run(self) -> None:
        while not self._ended:
            self._wake.wait(CHECK_SECONDS)
            self._wake.clear()
            forced, self._forced = self._forced, False
            for one in self._files:
                if not self._ended:
                    self._look(one, forced)

    def _look(self, one: Reloadable, forced: bool) -> None:
        try:
            told = one.refresh(force=forced)
        except (KeysError, SecurityError) as error:
            self._metrics.reloaded(one.name, "failed")
            log.error("%s: what was read before stays in force: %s", one.name, error)
        except Exception:
            self._metrics.reloaded(one.name, "failed")
            log.exception("%s: what was read before stays in force", one.name)
        else:
            if told:
                self._metrics.reloaded(one.name, "ok")
                log.info("%s read again: %s", one.name, told)
