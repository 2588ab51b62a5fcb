"""A search engine for the domino game American Sniff: rules, views, beliefs, search.

>>> import sniffai
>>> r = sniffai.Round.deal(players=2, seed=1)
>>> best = sniffai.recommend(r.view(r.seat), sniffai.Limits(simulations=2000), seed=1)
>>> r.play(best.move) == best.points_now
True

Rounds with all hands known: :class:`Round`. What one seat may know: :class:`View`. Every error is a
:class:`SniffError`.
"""

from sniffai.belief import Belief, World
from sniffai.deal import Deal
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
from sniffai.layout import AttachmentPoint, Layout
from sniffai.matchfile import dump_match, load_match
from sniffai.moves import Move
from sniffai.params import Limits, SearchParams
from sniffai.perft import divide, perft
from sniffai.position import History, Snapshot
from sniffai.record import MatchRecord, RoundRecord
from sniffai.report import Analysis, BeliefTable, Effort, LineStep, MoveEvaluation, TeamValue
from sniffai.round import Round
from sniffai.search import Searcher, analyze, recommend
from sniffai.study import DealSearcher, analyze_deal
from sniffai.tally import Tally
from sniffai.tiles import TILES, Tile
from sniffai.version import VERSION
from sniffai.view import View

__version__ = VERSION

__all__ = [
    "TILES",
    "Analysis",
    "AttachmentPoint",
    "Belief",
    "BeliefTable",
    "BusyError",
    "Deal",
    "DealSearcher",
    "Draw",
    "Effort",
    "Event",
    "History",
    "HistoryError",
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
    "analyze_deal",
    "divide",
    "dump_match",
    "load_match",
    "perft",
    "recommend",
]
