"""What the replayer in a saved report shows: the match event by event, and its stored analyses.

Plans of the table are packed: each holds what the one before it lacks. The scripts that unpack them are
``sniffai/data/web/saved.js`` and what it imports.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from sniffai.deal import Deal
from sniffai.draw.geometry import PlacedTile, Plan, plan_growing_layout
from sniffai.events import Draw, Event, Play
from sniffai.explain import render
from sniffai.explain.languages import Words
from sniffai.layout import Layout
from sniffai.moves import Move
from sniffai.review.judge import Judged
from sniffai.review.story import Story
from sniffai.review.summary import Review, RoundReview
from sniffai.review.terms import isolated
from sniffai.review.verdict import Verdict
from sniffai.round import Round
from sniffai.search.analysis import BeliefTable, InferredBelief, MoveEvaluation

Plain: TypeAlias = dict[str, Any]
"""Plain values, with the names that the wire's JSON has."""

END_ROOM: Final = 2
"""Grid units of an open end's room."""


def replay_data(review: Review, say: Words) -> Plain:
    """All that the replayer of a review needs."""
    subject = review.subject
    own = -1 if subject.whole else subject.stories[0].seats[0]
    seats = [{"name": isolated(name), "level": ""} for name in subject.names]
    return {"seats": seats, "own": own, "rounds": [_round(round_, say) for round_ in review.rounds]}


def _round(round_: RoundReview, say: Words) -> Plain:
    story = round_.story
    moves = [event.move for event in story.events if isinstance(event, Play)]
    plans = list(_plans(moves))
    placed = {event: number for number, event in enumerate(_placements(story.events))}
    decisions = []
    for judged in round_.judged:
        number = placed[judged.placement.event]
        before = plans[number - 1] if number else None
        decisions.append(_decision(judged, moves[:number], before, say))
    packed = [_packed(plan, plans[i - 1] if i else None, moves[: i + 1]) for i, plan in enumerate(plans)]
    return {
        "players": story.players,
        "leader": story.leader,
        "scores": list(story.scores),
        "hands": _hands(story),
        "events": [_event(event) for event in story.events],
        "plans": packed,
        "decisions": decisions,
        **_end(story),
    }


def _placements(events: Sequence[Event]) -> Iterator[int]:
    return (number for number, event in enumerate(events) if isinstance(event, Play))


def _plans(moves: Sequence[Move]) -> Iterator[Plan]:
    for number in range(len(moves)):
        yield plan_growing_layout(Layout.of(moves[: number + 1]), END_ROOM)


def _hands(story: Story) -> list[list[str] | None]:
    """By seat the tiles dealt, where they are known."""
    if isinstance(story.source, Deal):
        return [[str(tile) for tile in hand] for hand in story.source.hands]
    known = story.view(story.source.seat, 0)
    own = [str(tile) for tile in known.hand]
    return [own if seat == known.seat else None for seat in range(story.players)]


def _event(event: Event) -> Plain:
    if isinstance(event, Play):
        return {"seat": event.seat, "play": {**_move(event.move), "points": event.points or 0}}
    if isinstance(event, Draw):
        tiles = [str(tile) for tile in event.tiles or ()]
        return {"seat": event.seat, "draw": {"count": event.count, "tiles": tiles}}
    return {"seat": event.seat, "pass": {}}


def _move(move: Move) -> Plain:
    return {"tile": str(move.tile), "at": move.at or ""}


def _end(story: Story) -> Plain:
    """What the round cost and where it left the scores, where it ended and all hands are known."""
    if not isinstance(story.source, Deal):
        return {}
    round_ = Round.from_deal(story.source)
    for event in story.events:
        if isinstance(event, Play):
            round_.play(event.move)
    return {"settlement": list(round_.settlement), "after": list(round_.scores)} if round_.over else {}


# Plans


def _packed(plan: Plan, before: Plan | None, placements: Sequence[Move]) -> list[Any]:
    """A plan as lists of numbers, with the count of its layout; only the last tile where the others stay."""
    layout, box = Layout.of(placements), plan.box
    tiles = plan.tiles
    if before is not None and [_spots(tile) for tile in tiles[:-1]] == [_spots(tile) for tile in before.tiles]:
        tiles = tiles[-1:]
    ends = [
        [end.name, end.pips, end.value, end.box.left, end.box.top, end.box.right, end.box.bottom, end.heading]
        for end in plan.ends
    ]
    return [
        [box.left, box.top, box.right, box.bottom],
        ends,
        [_spots(tile) for tile in tiles],
        "" if layout.sniff is None else str(layout.sniff),
        [value for _, value in layout.contributions],
    ]


def _spots(placed: PlacedTile) -> list[Any]:
    return [str(placed.tile), placed.low.x, placed.low.y, placed.high.x, placed.high.y]


# Judgements


def _decision(judged: Judged, placements: Sequence[Move], before: Plan | None, say: Words) -> Plain:
    """One placement, with the names of the wire's ``DecisionReview``."""
    placement = judged.placement
    plain: Plain = {
        "event": placement.event,
        "seat": placement.seat,
        "source": f"SOURCE_{judged.source.upper()}",
        "played": _move(placement.played),
        "verdict": f"VERDICT_{judged.verdict.name}",
    }
    if judged.best is None or judged.played is None:
        return plain
    plain["moves"] = [_entry(entry) | {"plan": _tried(entry.move, placements, before)} for entry in judged.moves]
    plain["belief"], plain["inferred"] = _table(judged.belief), _table(judged.inferred_belief)
    plain["worlds"] = 0 if judged.inferred_belief is None else round(judged.inferred_belief.effective_sample_size)
    if judged.verdict is Verdict.NONE and not judged.refined:
        return plain
    contrast = judged.contrast
    return plain | {
        "best": _entry(judged.best),
        "playedEvaluation": _entry(judged.played),
        "refined": judged.refined,
        "winProbabilityLoss": _short(judged.win_probability_loss),
        "winProbabilityLossError": _short(judged.win_probability_loss_error),
        "reasons": [{"text": render(reason, say.language_code)} for reason in judged.reasons],
        "careless": {} if contrast is None else {"contrast": {"text": render(contrast, say.language_code)}},
    }


def _entry(entry: MoveEvaluation) -> Plain:
    plain: Plain = {
        "move": _move(entry.move),
        "rank": entry.rank,
        "equalPoints": list(entry.equal_points),
        "pointsNow": entry.points_now,
        "countAfter": entry.count_after,
        "values": [],
    }
    for value in entry.values:
        if value.expected_margin == entry.expected_margin:
            plain["values"] = [
                {
                    "team": value.team,
                    "winProbability": _short(value.win_probability),
                    "winProbabilityError": _short(value.win_probability_error or 0.0),
                    "expectedMargin": round(value.expected_margin, 2),
                    "errorsUnknown": value.standard_error is None,
                }
            ]
            break
    return plain


def _short(chance: float) -> float:
    return round(chance, 5)


def _tried(move: Move, placements: Sequence[Move], before: Plan | None) -> list[Any]:
    """The plan after another move."""
    tried = [*placements, move]
    return _packed(plan_growing_layout(Layout.of(tried), END_ROOM), before, tried)


def _table(belief: BeliefTable | InferredBelief | None) -> list[list[int]] | None:
    """Where each tile may lie, in thousandths."""
    return None if belief is None else [[round(1000 * chance) for chance in row] for row in belief.table.tolist()]
