"""What the options of ``sniffai play`` say about a new match, here or on a server."""

from dataclasses import dataclass
from typing import Final

import click

from sniffai.play.match import HUMAN
from sniffai.rules import TEAMS

DEFAULT_LEVEL: Final = "casual"


@dataclass(frozen=True)
class Setting:
    """What the options say about a new match."""

    levels: tuple[str, ...] = ()
    players: int | None = None
    seat: int | None = None
    seed: int | None = None
    scores: tuple[int, ...] = ()
    practice: bool = False
    simulations: int | None = None

    def seats(self) -> tuple[tuple[str, ...], int]:
        """Who plays, by seat, as the user named them; and the player's seat.

        :raises UsageError: the options do not fit together.
        """
        own, count, others = self.seat or 0, self.players or max(2, len(self.levels) + 1), self.levels
        if count > 4 or len(others) not in (0, 1, count - 1):
            raise click.UsageError(
                f"{len(others)} LEVELs do not fit {count} seats: give one, or one for each other seat"
            )
        if own >= count:
            raise click.BadParameter(f"there is no seat {own} at a table of {count}", param_hint="--seat")
        if self.scores and len(self.scores) != TEAMS[count]:
            raise click.UsageError(f"--score must be given once for each team: {TEAMS[count]} times")
        seats = list(others) if len(others) == count - 1 else [*(others or (DEFAULT_LEVEL,))] * (count - 1)
        seats.insert(own, HUMAN)
        return tuple(seats), own
