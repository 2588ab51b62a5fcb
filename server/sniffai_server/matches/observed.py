"""What a host tells its operator."""

from typing import Protocol

from sniffai.play.match_log import StepKind
from sniffai_server.calls.current import Call


class MatchObserver(Protocol):
    """Is told what happens in matches; nothing of it names a tile or a secret."""

    def stepped(self, kind: StepKind, by: str) -> None:
        """A step was stored.

        :param by: ``"person"``, ``"level"`` or ``"server"``.
        """

    def stored(self, seconds: float) -> None:
        """A change was stored. Called in the thread that stores.

        :param seconds: from when it was given to the database to its commit.
        """

    def level_searched(self, call: Call) -> None:
        """A level has thought.

        :param call: holds its search.
        """
