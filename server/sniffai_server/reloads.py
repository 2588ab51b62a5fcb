"""Files that may change while the server runs: checked every second, and at once on SIGHUP."""

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
    """Something that is read from files."""

    @property
    def name(self) -> str:
        """Its name in the log and the metrics."""

    def refresh(self, *, force: bool = False) -> str:
        """Read the files again if they have changed, or if forced; returns what is in force, empty without a change.

        :raises KeysError: they cannot be used; what was in force stays in force.
        :raises SecurityError: the same.
        """


class Reloads:
    """Reads files again in a thread of its own, so that a disk that hangs delays no call."""

    def __init__(self, files: Sequence[Reloadable], metrics: Metrics) -> None:
        self._files = files
        self._metrics = metrics
        self._wake = threading.Event()
        self._forced = False
        self._ended = False
        for source in files:
            metrics.watch_reloads(source.name)
        self._thread = threading.Thread(target=self._run, name="reloads", daemon=True)

    def start(self) -> None:
        """Start checking the files."""
        self._thread.start()

    def force(self) -> None:
        """Read all files now, whether they have changed or not."""
        self._forced = True
        self._wake.set()

    def close(self) -> None:
        """Stop checking the files."""
        self._ended = True
        self._wake.set()

    def _run(self) -> None:
        while not self._ended:
            self._wake.wait(CHECK_SECONDS)
            self._wake.clear()
            forced, self._forced = self._forced, False
            for source in self._files:
                if not self._ended:
                    self._look(source, forced)

    def _look(self, source: Reloadable, forced: bool) -> None:
        try:
            change = source.refresh(force=forced)
        except (KeysError, SecurityError) as error:
            self._metrics.reloaded(source.name, "failed")
            log.error("%s: cannot be used, the previous version stays in force: %s", source.name, error)
        except Exception:
            self._metrics.reloaded(source.name, "failed")
            log.exception("%s: cannot be used, the previous version stays in force", source.name)
        else:
            if change:
                self._metrics.reloaded(source.name, "ok")
                log.info("%s read again: %s", source.name, change)
