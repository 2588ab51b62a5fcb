"""Traces: single rounds step by step, one JSON object a line, as independent implementations of the rules write them.

A trace has ``players, leader, hands, talon, scores`` (before the round), then ``steps``, one a placement::

    seat           who places
    drew           the tiles that seat drew before this placement, in order
    passed         seats that passed since the placement before
    others_drew    draws that ended in a pass: {seat: number of tiles}
    legal          [[tile, attachment point or null], ..]
    play           [tile, attachment point or null]
    contributions  [[tile, value], ..] after it, then total (the count) and points

and ``tail_passed, tail_drew`` (after the last placement), ``left`` (hands), ``final_scores``, ``out``, ``blocked``,
``match_winner``. All of it is checked.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from sniffai.checks import check_members
from sniffai.errors import NotationError, RecordError, SniffError
from sniffai.events import Draw, Event, Pass, Play
from sniffai.moves import Move
from sniffai.records import strict_json
from sniffai.round import Round

_START = ("players", "hands", "talon", "leader", "scores")


Trace: TypeAlias = tuple[int, dict[str, Any]]
"""The JSON object of a traced round, with the number of its line."""


def parse_object_or_traces(text: str) -> dict[str, Any] | tuple[Trace, ...]:
    """The single JSON object of a text, on any number of lines; traces if it is one, or if there are several objects.

    :raises NotationError: the text is neither.
    """
    try:
        value: dict[str, Any] = strict_json.loads(text)
    except (ValueError, RecursionError) as error:
        if strict_json.is_several(error):
            return tuple(parse_traces(text))
        raise strict_json.unreadable(error, text) from None
    if "steps" not in value:
        return value
    before = text[: len(text) - len(text.lstrip())]
    return ((before.count("\n") + 1, value),)


def parse_traces(text: str) -> Iterator[Trace]:
    """The JSON objects of a text, each with the number of its line.

    :raises NotationError: a line holds something else; ``field`` is such as ``"line 12"``.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, _parse_object(line, f"line {number}")


def _parse_object(line: str, field: str) -> dict[str, Any]:
    try:
        value = strict_json.loads(line)
    except (ValueError, RecursionError):
        raise NotationError("not JSON", reason="UNREADABLE", field=field) from None
    if not isinstance(value, dict):
        raise NotationError("not a JSON object", reason="UNREADABLE", field=field)
    return value


def replay_trace(trace: Mapping[str, Any]) -> Round:
    """Play a trace's round again and compare every field of it.

    :raises RecordError: the first thing that is wrong; ``field`` is such as ``"steps[3].legal"``.
    """
    check_members(trace, (*_START, "steps"), trace)  # the others are compared after the last step
    try:
        round_ = Round(**{key: trace[key] for key in _START})
    except SniffError as error:
        raise RecordError(error.message, reason=error.reason, field=error.field) from None
    if not isinstance(trace["steps"], list):
        raise RecordError("a list is expected", reason="WRONG_TYPE", field="steps")
    for i, step in enumerate(trace["steps"]):
        try:
            _replay_step(round_, step)
        except SniffError as error:
            raise error.at(f"steps[{i}]") from None
    _compare(_tail(round_), {key: value for key, value in trace.items() if key not in (*_START, "steps")})
    return round_


def _replay_step(round_: Round, step: Any) -> None:
    if not isinstance(step, Mapping):
        raise RecordError("an object is expected", reason="WRONG_TYPE")
    if round_.over:
        raise RecordError("the round was over before this step", reason="ROUND_OVER")
    before = _before_placement(round_)
    _compare(before, {key: step[key] for key in before if key in step})
    _play(round_, step.get("play"))
    after = {"play": step["play"], **_after_placement(round_)}
    _compare(after, {key: value for key, value in step.items() if key not in before})


def _play(round_: Round, play: Any) -> None:
    if not isinstance(play, list) or len(play) != 2:
        raise RecordError("[tile, attachment point] is expected", reason="WRONG_TYPE", field="play")
    try:
        round_.play(Move(*play))
    except SniffError as error:
        raise RecordError(error.message, reason=error.reason, field="play") from None


def _before_placement(round_: Round) -> dict[str, Any]:
    own, others = [], {}
    for event in _since_placement(round_):
        if isinstance(event, Draw):
            if event.seat == round_.seat:
                own = [str(tile) for tile in event.tiles or ()]
            else:
                others[str(event.seat)] = event.count
    return {
        "seat": round_.seat,
        "drew": own,
        "passed": _passed(round_),
        "others_drew": others,
        "legal": [[str(move.tile), move.at] for move in round_.legal_moves()],
    }


def _after_placement(round_: Round) -> dict[str, Any]:
    layout = round_.layout
    return {
        "contributions": [[str(tile), value] for tile, value in layout.contributions],
        "total": layout.count,
        "points": layout.points,
    }


def _tail(round_: Round) -> dict[str, Any]:
    return {
        "tail_passed": _passed(round_),
        "tail_drew": {str(event.seat): event.count for event in _since_placement(round_) if isinstance(event, Draw)},
        "left": [[str(tile) for tile in hand] for hand in round_.hands],
        "final_scores": list(round_.scores),
        "out": round_.went_out,
        "blocked": round_.blocked,
        "match_winner": round_.match_winner,
    }


def _since_placement(round_: Round) -> list[Event]:
    """The draws and passes after the last placement."""
    events: list[Event] = []
    for event in reversed(round_.history):
        if isinstance(event, Play):
            break
        events.append(event)
    return events[::-1]


def _passed(round_: Round) -> list[int]:
    return [event.seat for event in _since_placement(round_) if isinstance(event, Pass)]


def _compare(expected: Mapping[str, Any], claimed: Mapping[str, Any]) -> None:
    """Compare every field with what the rules give; hands may be in any order.

    :raises RecordError: the first that is not.
    """
    check_members(claimed, expected)
    for key, value in expected.items():
        if _sorted_hands(key, claimed[key]) != value:
            raise RecordError(
                f"the rules give {_json(value)}, not {_json(claimed[key])}", reason="WRONG_VALUE", field=key
            )


def _sorted_hands(key: str, value: Any) -> Any:
    if key == "left" and isinstance(value, list):
        return [sorted(hand, key=str) if isinstance(hand, list) else hand for hand in value]
    return value


def _json(value: Any) -> str:
    text = json.dumps(value, default=repr)
    return text if len(text) <= 100 else f"{text[:97]}..."
