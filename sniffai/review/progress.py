"""Several matches reviewed together: how each player fares from match to match.

Players are told apart by the names in the records' tags, so a player may change seats.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sniffai.errors import RecordError
from sniffai.review.judge import Judged, standard_error
from sniffai.review.strength import Strength, Z, strength_of
from sniffai.review.summary import DecisionTally, PlayerSummary, Review

FORM: Final = "sniffai.progress/1"
"""The version of the form of :func:`progress_dict`; it grows when a field changes its meaning."""


@dataclass(frozen=True, slots=True)
class ReviewedMatch:
    """One of several matches."""

    title: str
    """How to call it: its file, for example."""
    review: Review

    @property
    def date(self) -> str:
        """The day from the record's tags; ``""`` where it has none."""
        return dict(self.review.subject.tags).get("Date", "")


@dataclass(frozen=True, slots=True)
class PlayerMatch:
    """One player in one match."""

    match: ReviewedMatch
    summary: PlayerSummary

    @property
    def decisions(self) -> list[Judged]:
        """The player's placements with a choice."""
        seat = self.summary.seat
        judged = self.match.review.judged
        return [judgement for judgement in judged if judgement.placement.seat == seat and judgement.searched]

    @property
    def loss_interval(self) -> float:
        """Half of the 95 % interval of the points lost in a decision; see :attr:`PlayerProgress.loss_interval`."""
        return _interval(self.decisions)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"match": self.match.title, "date": self.match.date, **self.summary.to_dict()}


@dataclass(frozen=True, slots=True)
class PlayerProgress:
    """One player over all matches."""

    name: str
    matches: tuple[PlayerMatch, ...]
    """Those that it played, in the order given."""
    total: DecisionTally
    """Over all of them."""
    loss_interval: float
    """Half of the 95 % interval of the points lost in a decision, by how decisions differ; 0 for fewer than 2."""
    strength: Strength | None
    """Over all of them; ``None`` after too few decisions, or where the numbers of seats differ."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        strength = self.strength
        return {
            "name": self.name,
            "matches": [match.to_dict() for match in self.matches],
            **self.total.to_dict(),
            "strength": None
            if strength is None
            else {"level": strength.level, "scale": strength.scale, "low": strength.low, "high": strength.high},
        }


def progress_of(matches: Iterable[ReviewedMatch]) -> tuple[PlayerProgress, ...]:
    """The progress of everyone who has a name, in the order in which they first appear.

    :param matches: in the order of time.
    :raises RecordError: nobody has a name.
    """
    played: dict[str, list[PlayerMatch]] = {}
    for match in matches:
        for summary in match.review.players:
            if summary.name:
                played.setdefault(summary.name, []).append(PlayerMatch(match, summary))
    if not played:
        message = "players are followed by their names, and no record names anyone (tags Seat0, Seat1 and so on)"
        raise RecordError(message, reason="NO_NAMES", field="tags")
    return tuple(_progress(name, own) for name, own in played.items())


def progress_dict(progress: Sequence[PlayerProgress]) -> dict[str, Any]:
    """Plain values, for JSON."""
    return {"form": FORM, "players": [player.to_dict() for player in progress]}


def _progress(name: str, own: Sequence[PlayerMatch]) -> PlayerProgress:
    judged = [judgement for match in own for judgement in match.decisions]
    seats = {match.match.review.subject.players for match in own}
    losses = [judgement.points_loss for judgement in judged]
    strength = strength_of(losses, seats.pop()) if len(seats) == 1 else None
    return PlayerProgress(name, tuple(own), DecisionTally.of(judged), _interval(judged), strength)


def _interval(judged: Sequence[Judged]) -> float:
    losses = [judgement.points_loss for judgement in judged]
    return Z * standard_error(losses) if len(losses) > 1 else 0.0
