"""Records of rounds and matches: as values, as a text file, and as JSON."""

from typing import TYPE_CHECKING, Final

from sniffai.lazy import lazy_names

if TYPE_CHECKING:
    from sniffai.records.matchfile import dump_match, format_match, load_match, parse_match
    from sniffai.records.record import MatchRecord, RoundRecord
    from sniffai.records.seat_record import SeatRecord, SeatRound

_MODULES: Final = {
    "matchfile": (
        "dump_match",
        "format_match",
        "load_match",
        "parse_match",
    ),
    "record": (
        "MatchRecord",
        "RoundRecord",
    ),
    "seat_record": (
        "SeatRecord",
        "SeatRound",
    ),
}
"""The public names by the module that defines them."""

__all__ = [
    "MatchRecord",
    "RoundRecord",
    "SeatRecord",
    "SeatRound",
    "dump_match",
    "format_match",
    "load_match",
    "parse_match",
]

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
