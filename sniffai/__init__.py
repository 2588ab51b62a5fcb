"""A search engine for the domino game American Sniff: rules, views, beliefs, search.

>>> import sniffai
>>> r = sniffai.Round.deal(players=2, seed=1)
>>> best = sniffai.recommend(r.view(r.seat), sniffai.Limits(simulations=2000), seed=1)
>>> r.play(best.move) == best.points_now
True

Names are imported when they are first used, so that ``import sniffai`` is quick.

Rounds with all hands known: :class:`Round`. What one seat may know: :class:`View`. Every error is a
:class:`SniffError`.
"""

from typing import TYPE_CHECKING, Final

from sniffai.lazy import lazy_names

if TYPE_CHECKING:
    from sniffai.belief import Belief, World
    from sniffai.deal import Deal
    from sniffai.draw.tally import Tally
    from sniffai.errors import (
        BusyError,
        HistoryError,
        LimitsError,
        MoveError,
        NotationError,
        RecordError,
        SniffError,
        TileError,
        ViewError,
    )
    from sniffai.events import Draw, Event, Pass, Play
    from sniffai.history import History, Snapshot
    from sniffai.layout import AttachmentPoint, Layout
    from sniffai.moves import Move
    from sniffai.perft_counts import divide, perft
    from sniffai.records import MatchRecord, RoundRecord, SeatRecord, SeatRound, dump_match, load_match
    from sniffai.round import Round
    from sniffai.search import (
        Analysis,
        BeliefTable,
        ContrastSearcher,
        DealSearcher,
        Effort,
        InferredBelief,
        Limits,
        LineStep,
        MoveEvaluation,
        Searcher,
        SearchParams,
        TeamValue,
        analyze,
        analyze_contrast,
        analyze_deal,
        recommend,
    )
    from sniffai.tiles import TILES, Tile
    from sniffai.version import __version__
    from sniffai.view import View

_MODULES: Final = {
    "belief": ("Belief", "World"),
    "deal": ("Deal",),
    "draw.tally": ("Tally",),
    "errors": (
        "BusyError",
        "HistoryError",
        "LimitsError",
        "MoveError",
        "NotationError",
        "RecordError",
        "SniffError",
        "TileError",
        "ViewError",
    ),
    "events": ("Draw", "Event", "Pass", "Play"),
    "history": ("History", "Snapshot"),
    "layout": ("AttachmentPoint", "Layout"),
    "moves": ("Move",),
    "perft_counts": ("divide", "perft"),
    "records": ("MatchRecord", "RoundRecord", "SeatRecord", "SeatRound", "dump_match", "load_match"),
    "round": ("Round",),
    "search": (
        "Analysis",
        "BeliefTable",
        "ContrastSearcher",
        "DealSearcher",
        "Effort",
        "InferredBelief",
        "Limits",
        "LineStep",
        "MoveEvaluation",
        "SearchParams",
        "Searcher",
        "TeamValue",
        "analyze",
        "analyze_contrast",
        "analyze_deal",
        "recommend",
    ),
    "tiles": ("TILES", "Tile"),
    "version": ("__version__",),
    "view": ("View",),
}
"""The public names by the module that defines them, or by the package that offers them."""

__all__ = [
    "TILES",
    "Analysis",
    "AttachmentPoint",
    "Belief",
    "BeliefTable",
    "BusyError",
    "ContrastSearcher",
    "Deal",
    "DealSearcher",
    "Draw",
    "Effort",
    "Event",
    "History",
    "HistoryError",
    "InferredBelief",
    "Layout",
    "Limits",
    "LimitsError",
    "LineStep",
    "MatchRecord",
    "Move",
    "MoveError",
    "MoveEvaluation",
    "NotationError",
    "Pass",
    "Play",
    "RecordError",
    "Round",
    "RoundRecord",
    "SearchParams",
    "Searcher",
    "SeatRecord",
    "SeatRound",
    "Snapshot",
    "SniffError",
    "Tally",
    "TeamValue",
    "Tile",
    "TileError",
    "View",
    "ViewError",
    "World",
    "__version__",
    "analyze",
    "analyze_contrast",
    "analyze_deal",
    "divide",
    "dump_match",
    "load_match",
    "perft",
    "recommend",
]

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
