"""Field paths: from the field in a library error to the field of the message.

The library names fields as its own callers write them (``events[3].at``). A client must get the path of the field that
it sent (``view.record.events[3].play.at``).
"""

import re
from collections.abc import Sequence
from typing import Final

_INDEX: Final = r"(\[\d+\])"

_RECORD: Final = (
    (rf"events{_INDEX}\.play", r"record.events\1.play.tile"),
    (rf"events{_INDEX}\.(at|points)", r"record.events\1.play.\2"),
    (rf"events{_INDEX}\.(?:draw|count)", r"record.events\1.draw.count"),
    (rf"events{_INDEX}\.tiles(.*)", r"record.events\1.draw.tiles\2"),
    (r"events(.*)", r"record.events\1"),
    (r"leader", r"record.leader"),
    (r"", r"record"),
)
_SNAPSHOT: Final = (
    (r"voids.*", r"snapshot.voids"),
    (r"(placements|hand_sizes|talon_size|drawn_tile)(.*)", r"snapshot.\1\2"),
    (r"", r"snapshot"),
)
_DEAL: Final = ((rf"hands{_INDEX}{_INDEX}", r"hands\1.tiles\2"),)

Rules = Sequence[tuple[str, str]]


def record_path(field: str, prefix: str) -> str:
    """The path, below a ``PlayerView`` with a record, of a field of :meth:`sniffai.View.from_events`."""
    return _path(field, prefix, _RECORD)


def snapshot_path(field: str, prefix: str) -> str:
    """The path, below a ``PlayerView`` with a snapshot, of a field of :meth:`sniffai.View.from_snapshot`."""
    return _path(field, prefix, _SNAPSHOT)


def deal_path(field: str, prefix: str) -> str:
    """The path, below an ``OpenDeal``, of a field of :class:`sniffai.Round`."""
    return _path(field, prefix, _DEAL)


def searcher_path(field: str, position: str) -> str:
    """The path, in a request for an analysis, of a field of :class:`sniffai.Searcher`.

    :param position: the path of the view or deal, for errors of other fields than the moves named.
    """
    return field if field.startswith(("include_moves", "exclude_moves")) else joined(position, field)


def joined(prefix: str, field: str) -> str:
    """``prefix.field``, or the one that is not empty."""
    return f"{prefix}.{field}" if prefix and field else prefix or field


def _path(field: str, prefix: str, rules: Rules) -> str:
    for pattern, replacement in rules:
        if match := re.fullmatch(pattern, field):
            return joined(prefix, match.expand(replacement))
    return joined(prefix, field)


def seat_record_path(field: str, last: int) -> str:
    """The path in a SeatRecord: each round is a view, whose scores are those before it.

    :param last: the number of the last round.
    """
    match = re.fullmatch(r"rounds\[(\d+)\]\.?(.*)", field)
    if match is None:
        return {"rounds": "views", "after": "scores_after"}.get(field, field)
    number, part = int(match[1]), match[2]
    if part.startswith("after"):
        return "scores_after" if number == last else f"views[{number + 1}].scores"
    inner = {"before": "scores", "leader": "record.leader", "view": ""}.get(part, part)
    return joined(f"views[{number}]", inner)
