"""Where a server keeps its matches: as its settings say, otherwise in a file of the user who runs it."""

import asyncio
import contextlib
import importlib
import logging
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sniffai_server.matches.errors import DatabaseError
from sniffai_server.settings import Settings

if TYPE_CHECKING:
    from sniffai_server.matches.database import Database
    from sniffai_server.matches.store import Store

MEMORY: Final = "memory"
"""The setting for a database that ends with its server."""
FILE: Final = "matches.db"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Place:
    """Where matches are kept."""

    text: str
    """:data:`MEMORY`, the path of a file, or a URL."""
    chosen: bool
    """Whether the settings name it, so that nothing else may take its place."""

    @classmethod
    def of(cls, settings: Settings) -> "Place":
        """The place that the settings name, otherwise the file in the state directory."""
        if settings.matches_database:
            return cls(settings.matches_database, chosen=True)
        return cls(str(state_directory() / FILE), chosen=False)

    @property
    def shared(self) -> bool:
        """Whether several servers may use it."""
        return "://" in self.text

    @property
    def lasts(self) -> bool:
        """Whether matches go on after the server has ended."""
        return self.text != MEMORY


def state_directory() -> Path:
    """The directory for what a service keeps: that of systemd, otherwise that of the user (XDG)."""
    given = os.environ.get("STATE_DIRECTORY", "").partition(":")[0]
    if given:
        return Path(given)
    home = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return Path(home) / "sniffai"


async def store_of(place: Place, on_commit: Callable[[float], None] = lambda seconds: None) -> "Store":
    """The store of a place; its database is opened at its first use, or by :meth:`Store.ready`.

    SQLAlchemy is loaded here, and no sooner: it takes longer to load than some commands take to run. It is loaded in a
    thread for which the end of the process does not wait.

    :param on_commit: called with the seconds that each change took.
    """
    loop = asyncio.get_running_loop()
    loaded: asyncio.Future[Any] = loop.create_future()

    def load() -> None:
        error, module = None, None
        try:
            module = importlib.import_module("sniffai_server.matches.store")
        except BaseException as found:  # whoever waits must learn of it
            error = found
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(_tell, loaded, module, error)

    threading.Thread(target=load, name="load store", daemon=True).start()
    store: Store = (await loaded).Store(partial(_open, place), shared=place.shared, on_commit=on_commit)
    return store


def _tell(loaded: "asyncio.Future[Any]", module: Any, error: BaseException | None) -> None:
    if loaded.done():
        return
    if error is None:
        loaded.set_result(module)
    else:
        loaded.set_exception(error)


def _open(place: Place) -> "Database":
    """Open the database of a place. If nobody has chosen it and it cannot be used, matches are kept in memory."""
    database = importlib.import_module("sniffai_server.matches.database")
    try:
        if not place.chosen:
            Path(place.text).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        opened: Database = database.open_database(place.text)
    except (OSError, DatabaseError) as error:
        if place.chosen:
            raise
        log.warning("matches are kept in memory, and end with this server: %s", error)
        opened = database.open_database(MEMORY)
    return opened
