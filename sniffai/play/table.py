"""A seat's place at a match, wherever that is hosted: what a front end for people talks to.

A front end shows :meth:`Table.situation`, lets the others play with :meth:`Table.step` and places with
:meth:`Table.place`. It needs no rules of its own. :class:`OwnTable` is a match in this process,
:class:`sniffai.client.hosted_table.HostedTable` one that a server hosts.
"""

from dataclasses import dataclass
from typing import Protocol

from sniffai.errors import MoveError
from sniffai.explain import prospect, reasons, render_all
from sniffai.moves import Move
from sniffai.play.match import Match, Situation
from sniffai.play.saves import save_match
from sniffai.records.record import MatchRecord
from sniffai.search.params import Limits
from sniffai.search.searcher import analyze
from sniffai.seeds import derived_seed


@dataclass(frozen=True, slots=True)
class Hint:
    """What full strength would place."""

    move: Move
    reasons: tuple[str, ...]
    """Sentences, the strongest reason first."""
    prospect: tuple[str, ...] = ()
    """What is expected of it, in sentences: the chance to win the match and the margin, where they are known."""


class Table(Protocol):
    """One seat at a match."""

    @property
    def seat(self) -> int:
        """The seat, from 0."""
        ...

    @property
    def seats(self) -> tuple[str, ...]:
        """Who plays, by seat: :data:`~sniffai.play.match.HUMAN`, or a player's name."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The names of people, by seat, as they chose them; ``""`` where there is none."""
        ...

    @property
    def practice(self) -> bool:
        """Whether placements may be taken back."""
        ...

    @property
    def hints(self) -> bool:
        """Whether there are hints."""
        ...

    @property
    def can_resign(self) -> bool:
        """Whether the seat may give the match up."""
        ...

    def situation(self) -> Situation:
        """All that the seat may know now."""
        ...

    def step(self) -> bool:
        """Wait for the next placement of another seat.

        :return: whether there was one; ``False`` where it is up to this seat, or the round or the match is over.
        """
        ...

    def place(self, move: Move) -> int:
        """Place a tile. Returns the points.

        :raises MoveError: it is not the seat's turn, not any more where somebody else plays at this seat, or the move
            is not legal.
        """
        ...

    def next_round(self) -> None:
        """Go on after the end of a round.

        :raises MoveError: the round is not over, or the match is.
        """
        ...

    def take_back(self) -> bool:
        """Go back to the seat's last decision. Returns whether there was one.

        :raises MoveError: it is no practice match.
        """
        ...

    def resign(self) -> None:
        """Give the match up, at a table where the seat :attr:`can_resign`."""
        ...

    def hint(self, language_code: str) -> Hint:
        """What full strength would place, knowing what the seat knows; it is the seat's turn, and there are hints.

        :param language_code: of the reasons.
        """
        ...

    def record(self) -> MatchRecord | None:
        """The whole record once the match is over; before that ``None``."""
        ...

    def saved(self) -> str | None:
        """The match as text, to be resumed; ``None`` where its host keeps it."""
        ...


class OwnTable:
    """A seat at a match in this process: a :class:`Table`.

    :param match: the other seats of people, if there are any, place through it.
    :param hints: the limits of a hint.
    """

    def __init__(self, match: Match, seat: int, hints: Limits) -> None:
        self._match, self._seat, self._hints = match, seat, hints

    @property
    def seat(self) -> int:
        """See :class:`Table`."""
        return self._seat

    @property
    def seats(self) -> tuple[str, ...]:
        """See :class:`Table`."""
        return self._match.setup.seats

    @property
    def names(self) -> tuple[str, ...]:
        """See :class:`Table`."""
        return ("",) * len(self.seats)

    @property
    def practice(self) -> bool:
        """See :class:`Table`."""
        return self._match.setup.practice

    @property
    def hints(self) -> bool:
        """See :class:`Table`."""
        return True

    @property
    def can_resign(self) -> bool:
        """See :class:`Table`."""
        return False

    def situation(self) -> Situation:
        """See :class:`Table`."""
        return self._match.situation(self._seat)

    def step(self) -> bool:
        """See :class:`Table`."""
        return self._match.step()

    def place(self, move: Move) -> int:
        """See :class:`Table`."""
        return self._match.place(self._seat, move)

    def next_round(self) -> None:
        """See :class:`Table`."""
        self._match.next_round()

    def take_back(self) -> bool:
        """See :class:`Table`."""
        return self._match.take_back(self._seat)

    def resign(self) -> None:
        """See :class:`Table`.

        :raises MoveError: a match in this process is left, not given up.
        """
        raise MoveError("a match in this process is left, not given up", reason="CANNOT_RESIGN")

    def hint(self, language_code: str) -> Hint:
        """See :class:`Table`."""
        now = self.situation()
        seed = derived_seed(self._match.setup.seed, now.round, len(now.view.placements))
        analysis = analyze(now.view, self._hints, seed=seed, inferred=False)
        assert analysis.best is not None, "it is the seat's turn"
        return Hint(
            analysis.best.move,
            tuple(render_all(reasons(now.view, analysis), language_code)),
            tuple(render_all(prospect(now.view, analysis), language_code)),
        )

    def record(self) -> MatchRecord | None:
        """See :class:`Table`."""
        return self._match.record() if self._match.over else None

    def saved(self) -> str:
        """See :class:`Table`."""
        return save_match(self._match)
