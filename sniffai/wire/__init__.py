"""Conversion between the wire's messages (proto/sniffai/v1) and the library's values, for server, client and CLI.

===================  ==================================================================================
:mod:`~.read`        messages to values; errors are :class:`WireError` with field paths
:mod:`~.faults`      faults of a message, collected while it is read
:mod:`~.question`    requests for an analysis
:mod:`~.write`       values to messages
:mod:`~.answers`     analyses to messages
:mod:`~.reasons`     reasons for a move to messages
:mod:`~.review`      reviews of matches
:mod:`~.reviewed`    answers of a review back to values
:mod:`~.plans`       plans of the table
:mod:`~.matches`     hosted matches
:mod:`~.text`        messages to JSON and back
:mod:`~.pasted`      texts that people paste
:mod:`~.notices`     warnings about parts of a request that had no effect
:mod:`~.paths`       field paths of the library to field paths of the message
===================  ==================================================================================
"""

from typing import TYPE_CHECKING, Final

from sniffai.extras import explained
from sniffai.lazy import lazy_names

if TYPE_CHECKING:
    from sniffai.wire.answers import write_analysis, write_recommendation
    from sniffai.wire.errors import MAX_VIOLATIONS, Violation, WireError
    from sniffai.wire.faults import bad_duration
    from sniffai.wire.matches import (
        STATES,
        MatchRequest,
        add_own_view,
        bad_key,
        read_match_request,
        read_seat_name,
        write_common_view,
        write_match_event,
        write_match_view,
        write_time,
    )
    from sniffai.wire.notices import MAX_WARNINGS, most_useful, unknown_fields, warning
    from sniffai.wire.pasted import parse_text
    from sniffai.wire.plans import MAX_ROOM, MIN_ROOM, read_layout, read_room, write_plan
    from sniffai.wire.question import Question, bad_max_moves, level_warnings, read_question
    from sniffai.wire.read import (
        given,
        located,
        play,
        read_limits,
        read_move,
        read_round,
        read_seed,
        read_view,
    )
    from sniffai.wire.reasons import language_or_english, write_reasons
    from sniffai.wire.review import (
        ReviewQuestion,
        read_review,
        read_reviewed,
        read_seat_record,
        write_decision,
        write_draw,
        write_record,
        write_seat_record,
        write_summary,
    )
    from sniffai.wire.reviewed import read_reviewed_pieces
    from sniffai.wire.text import from_json, position_from_json, request_from_json, request_of, to_json
    from sniffai.wire.write import (
        ACTIONS,
        write_deal,
        write_event,
        write_facts,
        write_layout,
        write_legal_moves,
        write_limits,
        write_move,
        write_state,
        write_view,
    )

try:
    import google.protobuf  # noqa: F401 (every message needs it)
except ImportError as error:
    raise explained(error) from None

_MODULES: Final = {
    "answers": ("write_analysis", "write_recommendation"),
    "errors": ("MAX_VIOLATIONS", "Violation", "WireError"),
    "faults": ("bad_duration",),
    "matches": (
        "STATES",
        "MatchRequest",
        "add_own_view",
        "bad_key",
        "read_match_request",
        "read_seat_name",
        "write_common_view",
        "write_match_event",
        "write_match_view",
        "write_time",
    ),
    "notices": ("MAX_WARNINGS", "most_useful", "unknown_fields", "warning"),
    "pasted": ("parse_text",),
    "plans": ("MAX_ROOM", "MIN_ROOM", "read_layout", "read_room", "write_plan"),
    "question": ("Question", "bad_max_moves", "level_warnings", "read_question"),
    "read": (
        "given",
        "located",
        "play",
        "read_limits",
        "read_move",
        "read_round",
        "read_seed",
        "read_view",
    ),
    "reasons": ("language_or_english", "write_reasons"),
    "review": (
        "ReviewQuestion",
        "read_review",
        "read_reviewed",
        "read_seat_record",
        "write_decision",
        "write_draw",
        "write_record",
        "write_seat_record",
        "write_summary",
    ),
    "reviewed": ("read_reviewed_pieces",),
    "text": ("from_json", "position_from_json", "request_from_json", "request_of", "to_json"),
    "write": (
        "ACTIONS",
        "write_deal",
        "write_event",
        "write_facts",
        "write_layout",
        "write_legal_moves",
        "write_limits",
        "write_move",
        "write_state",
        "write_view",
    ),
}
"""The public names by the module that defines them."""

__all__ = [
    "ACTIONS",
    "MAX_ROOM",
    "MAX_VIOLATIONS",
    "MAX_WARNINGS",
    "MIN_ROOM",
    "STATES",
    "MatchRequest",
    "Question",
    "ReviewQuestion",
    "Violation",
    "WireError",
    "add_own_view",
    "bad_duration",
    "bad_key",
    "bad_max_moves",
    "from_json",
    "given",
    "language_or_english",
    "level_warnings",
    "located",
    "most_useful",
    "parse_text",
    "play",
    "position_from_json",
    "read_layout",
    "read_limits",
    "read_match_request",
    "read_move",
    "read_question",
    "read_review",
    "read_reviewed",
    "read_reviewed_pieces",
    "read_room",
    "read_round",
    "read_seat_name",
    "read_seat_record",
    "read_seed",
    "read_view",
    "request_from_json",
    "request_of",
    "to_json",
    "unknown_fields",
    "warning",
    "write_analysis",
    "write_common_view",
    "write_deal",
    "write_decision",
    "write_draw",
    "write_event",
    "write_facts",
    "write_layout",
    "write_legal_moves",
    "write_limits",
    "write_match_event",
    "write_match_view",
    "write_move",
    "write_plan",
    "write_reasons",
    "write_recommendation",
    "write_record",
    "write_seat_record",
    "write_state",
    "write_summary",
    "write_time",
    "write_view",
]

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
