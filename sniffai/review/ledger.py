"""The accounts of luck and skill: how a match came from its start to its result, step by step.

The *value* of a moment is what the search expects from what the seat that is to place knows then; between two rounds it
is match equity. Each step is a difference of two such values, so that all of them add up to the result less the start:

=======  ===================================================================================  =====
lot      the lead was drawn at random                                                                 luck
deal     the leader looks at its tiles                                                        luck
hands    the turn goes on to the next seat, which knows its own tiles                         luck
draw     a seat drew: what the tiles are worth less what was to be expected of the draw        luck
move     a seat placed: what that is worth less the best move                                 skill
others   what happened between the turns of the one seat whose tiles are known: of all seats      both
end      the round ended: hidden hands are settled, the next lead is known                    luck
=======  ===================================================================================  =====

Whatever the player before expected of the tiles of the next one is the mean over what those may be. So with right
values every step of luck is 0 on average, and a step of skill is never above it for the team that places.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sniffai.equity import load
from sniffai.events import Pass
from sniffai.review.draws import DrawLuck
from sniffai.review.judge import Judged
from sniffai.review.story import Story
from sniffai.review.strength import lead_margins
from sniffai.review.values import Value
from sniffai.rules import TEAMS


class StepKind(StrEnum):
    """What changed the value."""

    LOT = "lot"
    DEAL = "deal"
    HANDS = "hands"
    DRAW = "draw"
    OTHERS = "others"
    END = "end"
    MOVE = "move"

    @property
    def luck(self) -> bool:
        """Whether it is luck."""
        return self is not StepKind.MOVE


LUCK = tuple(kind for kind in StepKind if kind.luck)
"""The kinds of luck."""


@dataclass(frozen=True, slots=True)
class Step:
    """One change of value."""

    kind: StepKind
    round: int
    event: int | None
    """The event of the round at which the value is ``after``; ``None`` before the first and after the last."""
    seat: int | None
    """Who placed, drew, or turned out to hold its tiles."""
    before: Value
    after: Value

    @property
    def change(self) -> Value:
        """What it changed."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Account:
    """How one round or a whole match came to its result."""

    start: Value
    moves: Mapping[int, Value]
    """Skill: what the placements of each seat changed, for every team."""
    luck: Mapping[StepKind, Value]
    """By kind, for every team."""
    result: Value
    final: bool
    """Whether the result is the real one; else it is the value at the end of an unfinished record."""

    @property
    def skill(self) -> Value:
        """What all placements changed."""
        return Value.total(self.moves.values(), len(self.start.chances))

    @property
    def all_luck(self) -> Value:
        """What everything else changed."""
        return Value.total(self.luck.values(), len(self.start.chances))

    @property
    def told_luck(self) -> Value:
        """What luck changed, as far as it can be told from what the others did."""
        changes = (value for kind, value in self.luck.items() if kind is not StepKind.OTHERS)
        return Value.total(changes, len(self.start.chances))

    @property
    def residual(self) -> float:
        """By how much start, skill and luck differ from the result: a rounding error, far below 1e-9."""
        gap = self.start + self.skill + self.all_luck - self.result
        return max(map(abs, (*gap.chances, *gap.margins)))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "start": self.start.to_dict(),
            "skill": self.skill.to_dict(),
            "skill_by_seat": {str(seat): value.to_dict() for seat, value in self.moves.items()},
            "luck": self.all_luck.to_dict(),
            "luck_by_kind": {str(kind): value.to_dict() for kind, value in self.luck.items()},
            "result": self.result.to_dict(),
            "final": self.final,
            "residual": self.residual,
        }


def start_of(story: Story) -> Value:
    """The value of a round before anyone has seen a tile: by the scores, and by the leader unless that is random."""
    if story.by_lot:
        return Value(load(story.players).chance(story.scores), (0.0,) * TEAMS[story.players])
    return _led(story)


def steps_of(
    story: Story, number: int, judged: Mapping[int, Judged], drawn: Mapping[int, DrawLuck]
) -> tuple[Step, ...]:
    """The steps of one round; none where nothing of it has been valued yet.

    :param number: of the round in the match, from 0.
    :param judged: the placements of the round, by event.
    :param drawn: its draws, by event.
    """
    chain = _Chain(story, number)
    for i in range(len(story.events)):
        if i in drawn:
            chain.draw(i, drawn[i], _value_at(story, judged, i + 1))
        elif i in judged:
            chain.move(i, judged[i])
    if story.outcome is not None:
        chain.end(story.outcome)
    return tuple(chain.steps)


def account_of(start: Value, steps: Sequence[Step], final: bool) -> Account:
    """The account of one round.

    :param start: see :func:`start_of`. It is the result, too, where there is no step.
    """
    return _account([steps], start, steps[-1].after if steps else start, final)


def match_account(rounds: Sequence[tuple[Account, Sequence[Step]]], final: bool) -> Account:
    """The account of a match: chances from its start to its result, points as the sum over its rounds.

    :param rounds: the account and the steps of each, at least one.
    """
    accounts = [account for account, _ in rounds]
    first, last = accounts[0], accounts[-1]
    teams = len(first.start.chances)
    start = Value(first.start.chances, Value.total((account.start for account in accounts), teams).margins)
    result = Value(last.result.chances, Value.total((account.result for account in accounts), teams).margins)
    return _account([steps for _, steps in rounds], start, result, final)


def _account(rounds: Sequence[Sequence[Step]], start: Value, result: Value, final: bool) -> Account:
    moves: dict[int, list[Value]] = {}
    luck: dict[StepKind, list[Value]] = {}
    for steps in rounds:
        for step in steps:
            if step.kind is StepKind.MOVE:
                assert step.seat is not None
                moves.setdefault(step.seat, []).append(step.change)
            else:
                luck.setdefault(step.kind, []).append(step.change)
    teams = len(start.chances)
    return Account(
        start=start,
        moves={seat: Value.total(moves[seat], teams) for seat in sorted(moves)},
        luck={kind: Value.total(luck[kind], teams) for kind in StepKind if kind in luck},
        result=result,
        final=final,
    )


class _Chain:
    """The steps of a round, built one by one: each begins where the one before ended."""

    def __init__(self, story: Story, number: int) -> None:
        self.steps: list[Step] = []
        self._number = number
        self._whole = len(story.seats) > 1
        self._between = StepKind.DEAL if story.leader in story.seats else StepKind.OTHERS
        """What the next change will have been, unless it is a draw or a placement."""
        self._last = -1
        """The event that was valued last."""
        self._story = story
        self._drawer: int | None = None
        self._now = start_of(story)
        if story.by_lot:
            self.to(StepKind.LOT, None, None, _led(story))

    def to(self, kind: StepKind, event: int | None, seat: int | None, value: Value) -> None:
        """One step."""
        self.steps.append(Step(kind, self._number, event, seat, self._now, value))
        self._now = value
        if event is not None:
            self._last = event

    def draw(self, event: int, luck: DrawLuck, value: Value | None) -> None:
        """The draws of a turn.

        :param value: of the choice that follows it; ``None`` if there was nothing to choose.
        """
        seat = luck.talon_draw.seat
        after = luck.after if value is None else value
        if luck.luck is None or after is None:
            # The seat had to pass: what its draw was worth shows in the value of whoever places next.
            self.to(self._between, event, seat, luck.expected)
            self._between, self._drawer = StepKind.DRAW if self._whole else StepKind.OTHERS, seat
            return
        self.to(self._between, event, seat, after - luck.luck)
        self.to(StepKind.DRAW, event, seat, after)
        self._settle()

    def move(self, event: int, judgement: Judged) -> None:
        """A placement; where there was nothing to choose nothing is known of it."""
        if judgement.value is None or judgement.lost is None:
            return
        seat = judgement.placement.seat
        if self._now is not judgement.value:
            self.to(self._between, event, seat if self._drawer is None else self._drawer, judgement.value)
        self.to(StepKind.MOVE, event, seat, judgement.value + judgement.lost)
        self._settle()

    def end(self, outcome: Value) -> None:
        """The end of the round; for one seat's record also what the others did since its last turn."""
        rest = self._story.events[self._last + 1 :]
        alone = all(isinstance(event, Pass) or event.seat in self._story.seats for event in rest)
        self.to(StepKind.END if alone else StepKind.OTHERS, None, None, outcome)

    def _settle(self) -> None:
        self._between = StepKind.HANDS if self._whole else StepKind.OTHERS
        self._drawer = None


def _led(story: Story) -> Value:
    """What a round is worth where it is known who leads."""
    chances = load(story.players).chance(story.scores, story.leader)
    return Value(chances, lead_margins(story.players, story.leader))


def _value_at(story: Story, judged: Mapping[int, Judged], event: int) -> Value | None:
    """The value of the choice at an event, if there is one."""
    judgement = judged.get(event)
    return None if judgement is None else judgement.value
