"""The result of a review: every placement judged, a summary of every player, accounts of luck and skill."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from sniffai.checks import read_kind
from sniffai.errors import RecordError
from sniffai.events import Play
from sniffai.review.draws import DrawLuck
from sniffai.review.judge import Judged
from sniffai.review.ledger import Account, Step, StepKind, account_of, match_account, start_of, steps_of
from sniffai.review.story import Story, Subject
from sniffai.review.strength import Strength, strength_of
from sniffai.review.values import Value
from sniffai.review.verdict import SIGNIFICANT, THRESHOLDS, Verdict
from sniffai.rules import TARGET, team_of
from sniffai.search.analysis import LineStep, MoveEvaluation
from sniffai.search.careless import Gap
from sniffai.search.params import Limits
from sniffai.search.phases import PHASES
from sniffai.tiles import TILES
from sniffai.version import VERSION

FORM: Final = "sniffai.review/1"
"""The version of the form of :meth:`Review.to_dict`; it grows when a field changes its meaning."""


@dataclass(frozen=True, slots=True)
class DecisionTally:
    """Decisions summed up. A *decision* is a placement that the rules left a choice for."""

    decision_count: int
    verdicts: Mapping[Verdict, int]
    win_probability_loss: float
    """Of all decisions together, in chance to win the match."""
    win_probability_loss_error: float
    points_loss: float
    """In points."""
    points_loss_error: float

    @classmethod
    def of(cls, judged: Iterable[Judged]) -> Self:
        """Sum up those that had a choice."""
        decisions = [judgement for judgement in judged if judgement.searched]
        return cls(
            decision_count=len(decisions),
            verdicts={verdict: sum(judgement.verdict is verdict for judgement in decisions) for verdict in Verdict},
            win_probability_loss=math.fsum(judgement.win_probability_loss for judgement in decisions),
            win_probability_loss_error=math.hypot(*(judgement.win_probability_loss_error for judgement in decisions)),
            points_loss=math.fsum(judgement.points_loss for judgement in decisions),
            points_loss_error=math.hypot(*(judgement.points_loss_error for judgement in decisions)),
        )

    @property
    def mistakes(self) -> int:
        """Errors and blunders."""
        return sum(count for verdict, count in self.verdicts.items() if verdict.mistake)

    @property
    def error_rate(self) -> float | None:
        """Mistakes a decision, 0..1; ``None`` without a decision."""
        return self.mistakes / self.decision_count if self.decision_count else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "decision_count": self.decision_count,
            **{f"{verdict}_count": count for verdict, count in self.verdicts.items()},
            "error_rate": self.error_rate,
            "win_probability_loss": self.win_probability_loss,
            "win_probability_loss_error": self.win_probability_loss_error,
            "points_loss": self.points_loss,
            "points_loss_error": self.points_loss_error,
        }


@dataclass(frozen=True, slots=True)
class PlayerSummary:
    """One seat over the whole review."""

    seat: int
    team: int
    name: str
    """``""`` where the record names nobody."""
    total: DecisionTally
    forced_count: int
    """Placements without a choice."""
    exact_count: int
    """Decisions whose values are exact, since nothing was hidden any more."""
    phases: Mapping[str, DecisionTally]
    """By :data:`PHASES`."""
    luck: Value
    """Of the seat's team, as far as it can be told: see :attr:`Account.told_luck`."""
    strength: Strength | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        strength = self.strength
        return {
            "seat": self.seat,
            "team": self.team,
            "name": self.name,
            **self.total.to_dict(),
            "forced_count": self.forced_count,
            "exact_count": self.exact_count,
            "phases": {phase: tally.to_dict() for phase, tally in self.phases.items()},
            "luck": {"win_probability": self.luck.chances[self.team], "points": self.luck.margins[self.team]},
            "strength": None
            if strength is None
            else {
                "level": strength.level,
                "scale": strength.scale,
                "low": strength.low,
                "high": strength.high,
            },
        }


@dataclass(frozen=True, slots=True)
class RoundReview:
    """One round."""

    story: Story
    judged: tuple[Judged, ...]
    """Its placements, in order."""
    draws: tuple[DrawLuck, ...]
    steps: tuple[Step, ...]
    account: Account


@dataclass(frozen=True, slots=True)
class Review:
    """The result of one review."""

    subject: Subject
    limits: Limits
    """Of each survey."""
    seed: int
    rounds: tuple[RoundReview, ...]
    account: Account
    players: tuple[PlayerSummary, ...]
    """The seats that were reviewed."""

    @property
    def judged(self) -> tuple[Judged, ...]:
        """Every placement, in the order of play."""
        return tuple(judgement for round_ in self.rounds for judgement in round_.judged)

    @property
    def mistakes(self) -> tuple[Judged, ...]:
        """Placements that were doubtful or worse, in the order of play."""
        return tuple(judgement for judgement in self.judged if judgement.verdict is not Verdict.NONE)

    @property
    def simulations(self) -> int:
        """Simulations of the whole review."""
        return sum(piece.simulations for piece in self._pieces)

    @property
    def deterministic(self) -> bool:
        """Whether the result did not depend on a clock."""
        return all(piece.deterministic for piece in self._pieces)

    @property
    def _pieces(self) -> Iterator[Judged | DrawLuck]:
        for round_ in self.rounds:
            yield from round_.judged
            yield from round_.draws

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON: docs/analysis.md describes them."""
        return {
            "form": FORM,
            "engine_version": VERSION,
            "players": self.subject.players,
            "target": TARGET[self.subject.players],
            "tags": dict(self.subject.tags),
            "limits": {"simulations": self.limits.simulations, "seconds": self.limits.seconds},
            "seed": self.seed,
            "deterministic": self.deterministic,
            "simulations": self.simulations,
            "significant": SIGNIFICANT,
            "thresholds": THRESHOLDS,
            "summary": [player.to_dict() for player in self.players],
            "account": self.account.to_dict(),
            "rounds": [_round_dict(round_, i) for i, round_ in enumerate(self.rounds)],
        }


def put_together(
    subject: Subject, limits: Limits, seed: int, judged: Sequence[Judged], drawn: Sequence[DrawLuck]
) -> Review:
    """The review of all results, which may come in any order."""
    rounds = tuple(_round_review(subject.stories[i], i, judged, drawn) for i in range(len(subject.stories)))
    final = rounds[-1].story.outcome is not None
    account = match_account([(round_.account, round_.steps) for round_ in rounds], final)
    ordered = [judgement for round_ in rounds for judgement in round_.judged]
    players = tuple(
        _player(subject, seat, [judgement for judgement in ordered if judgement.placement.seat == seat], account)
        for seat in subject.stories[0].seats
    )
    return Review(subject, limits, seed, rounds, account, players)


def _round_review(story: Story, number: int, judged: Sequence[Judged], drawn: Sequence[DrawLuck]) -> RoundReview:
    own = {judgement.placement.event: judgement for judgement in judged if judgement.placement.round == number}
    draws = {judgement.talon_draw.event: judgement for judgement in drawn if judgement.talon_draw.round == number}
    steps = steps_of(story, number, own, draws)
    return RoundReview(
        story=story,
        judged=tuple(own[event] for event in sorted(own)),
        draws=tuple(draws[event] for event in sorted(draws)),
        steps=steps,
        account=account_of(start_of(story), steps, story.outcome is not None),
    )


def _player(subject: Subject, seat: int, judged: Sequence[Judged], account: Account) -> PlayerSummary:
    decisions = [judgement for judgement in judged if judgement.searched]
    return PlayerSummary(
        seat=seat,
        team=team_of(subject.players, seat),
        name=subject.names[seat],
        total=DecisionTally.of(decisions),
        forced_count=len(judged) - len(decisions),
        exact_count=sum(judgement.source == "exact" for judgement in decisions),
        phases={
            phase: DecisionTally.of(judgement for judgement in decisions if judgement.phase == phase)
            for phase in PHASES
        },
        luck=account.told_luck,
        strength=strength_of([judgement.points_loss for judgement in decisions], subject.players),
    )


# Plain values


def _round_dict(round_: RoundReview, number: int) -> dict[str, Any]:
    story = round_.story
    return {
        "round": number,
        "scores": list(story.scores),
        "leader": story.leader,
        "lead_by_lot": story.by_lot,
        "placements": sum(isinstance(event, Play) for event in story.events),
        "account": round_.account.to_dict(),
        "steps": [_step_dict(step) for step in round_.steps],
        "decisions": [decision_dict(judgement) for judgement in round_.judged],
        "draws": [_draw_dict(judgement) for judgement in round_.draws],
    }


def _step_dict(step: Step) -> dict[str, Any]:
    return {
        "kind": str(step.kind),
        "luck": step.kind is not StepKind.MOVE,
        "event": step.event,
        "seat": step.seat,
        "before": step.before.to_dict(),
        "after": step.after.to_dict(),
    }


def _draw_dict(draw: DrawLuck) -> dict[str, Any]:
    talon_draw, luck = draw.talon_draw, draw.luck
    team = team_of(talon_draw.before.players, talon_draw.seat)
    return {
        "event": talon_draw.event,
        "seat": talon_draw.seat,
        "tiles": [str(tile) for tile in talon_draw.tiles],
        "expected": draw.expected.to_dict(),
        "luck": None if luck is None else {"win_probability": luck.chances[team], "points": luck.margins[team]},
        "error": draw.error,
    }


def decision_dict(judgement: Judged) -> dict[str, Any]:
    """One placement as plain values.

    :raises RecordError: it is not a :class:`Judged`.
    """
    placement = read_kind(judgement, Judged, "judgement", "NOT_JUDGED", RecordError).placement
    plain: dict[str, Any] = {
        "round": placement.round,
        "event": placement.event,
        "seat": placement.seat,
        "team": placement.team,
        "phase": judgement.phase,
        "source": judgement.source,
        "view": placement.view.to_text(),
        "played": str(placement.played),
        "points": placement.points,
        "after_draw": placement.after_draw,
        "verdict": str(judgement.verdict),
    }
    if judgement.best is None or judgement.played is None or judgement.value is None:
        return plain
    return plain | {
        "best": str(judgement.best.move),
        "was_best": judgement.was_best,
        "refined": judgement.refined,
        "win_probability_loss": judgement.win_probability_loss,
        "win_probability_loss_error": judgement.win_probability_loss_error,
        "points_loss": judgement.points_loss,
        "points_loss_error": judgement.points_loss_error,
        "value": judgement.value.to_dict(),
        "best_move": _move_dict(judgement.best),
        "played_move": _move_dict(judgement.played),
        "best_line": [_line_dict(step) for step in judgement.line],
        "reasons": [reason.to_dict() for reason in judgement.reasons],
        "careless": None if judgement.careless is None else _gap_dict(judgement, judgement.careless),
        "moves": [_move_dict(entry) for entry in judgement.moves],
        "inferred_belief": None if judgement.inferred_belief is None else _inferred_dict(judgement),
        "simulations": judgement.simulations,
    }


def _inferred_dict(judgement: Judged) -> dict[str, Any]:
    """By hidden tile, how likely each seat held it, and last that it lay in the talon."""
    inferred, belief = judgement.inferred_belief, judgement.belief
    assert inferred is not None and belief is not None
    seat = judgement.placement.seat
    rows = zip(TILES, inferred.table.tolist(), belief.table.tolist(), strict=True)
    return {
        "tiles": {str(tile): row for tile, row, exact in rows if sum(exact) > 0 and not exact[seat]},
        "effective_sample_size": inferred.effective_sample_size,
        "worlds_used": inferred.worlds_used,
        "model": inferred.model,
    }


def _gap_dict(judgement: Judged, gap: Gap) -> dict[str, Any]:
    contrast = judgement.contrast
    return {
        "win_probability": gap.chance,
        "win_probability_error": gap.chance_error if math.isfinite(gap.chance_error) else None,
        "points": gap.points,
        "points_error": gap.points_error if math.isfinite(gap.points_error) else None,
        "contrast": None if contrast is None else contrast.to_dict(),
    }


def _move_dict(entry: MoveEvaluation) -> dict[str, Any]:
    return {
        "move": str(entry.move),
        "rank": entry.rank,
        "equal_points": list(entry.equal_points),
        "points_now": entry.points_now,
        "win_probability": entry.win_probability,
        "win_probability_error": entry.win_probability_error,
        "expected_margin": entry.expected_margin,
        "standard_error": entry.standard_error,
        "visits": entry.visits,
    }


def _line_dict(step: LineStep) -> dict[str, Any]:
    return {"move": str(step.move), "visits": step.visits, "estimated": step.estimated}
