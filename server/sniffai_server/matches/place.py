"""Where a server keeps its matches: as its settings say, otherwise in a file of the user who runs it."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sniffai_server.settings import Settings

MEMORY: Final = "memory"
"""The setting for a database that ends with its server."""
FILE: Final = "matches.db"


@dataclass(frozen=True, slots=True)
class Place:
    """Where matches are kept."""

    text: str = field(repr=False)
    """:data:`MEMORY`, the path of a file, or a URL."""
    chosen: bool
    """Whether the settings name it, so that nothing else may take its place."""

    @classmethod
    def of(cls, settings: "Settings") -> "Place":
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
