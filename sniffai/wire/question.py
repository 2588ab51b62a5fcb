"""Requests for an analysis: position, moves, limits, and the form of the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, get_args

from google.protobuf.duration_pb2 import Duration

from sniffai.errors import SniffError
from sniffai.explain import prospect, reasons
from sniffai.moves import Move
from sniffai.play.level_turn import LevelTurn
from sniffai.play.levels import Level, find_level, opponent_named
from sniffai.round import Round
from sniffai.search.analysis import Analysis
from sniffai.search.candidates import MOST
from sniffai.search.careless import ContrastSearcher
from sniffai.search.open_deal import DealSearcher
from sniffai.search.opponents import Opponent
from sniffai.search.params import Limits, Objective, SearchParams
from sniffai.search.searcher import Searcher
from sniffai.v1 import analysis_service_pb2 as pb
from sniffai.v1 import move_pb2, notice_pb2, reason_pb2
from sniffai.view import View
from sniffai.wire.errors import Violation, WireError, plain
from sniffai.wire.faults import Faults, bad_duration, below, too_many
from sniffai.wire.notices import unknown_fields, warning
from sniffai.wire.paths import joined, searcher_path
from sniffai.wire.read import read_limits, read_round, read_seed, read_view
from sniffai.wire.reasons import language_or_english, write_reasons

Request: TypeAlias = pb.RecommendMoveRequest | pb.AnalyzeRequest | pb.StreamAnalyzeRequest

MAX_TAG: Final = 128
"""Maximum length of ``client_tag`` in characters."""

LEAST_INTERVAL: Final = 0.05
"""Minimum number of seconds between two snapshots."""

DEFAULT_INTERVAL: Final = 0.5

PRIORITIES: Final = {
    pb.PRIORITY_INTERACTIVE: "interactive",
    pb.PRIORITY_ANALYSIS: "analysis",
    pb.PRIORITY_BULK: "bulk",
}

PARAMS: Final = {objective: SearchParams(objective=objective) for objective in get_args(Objective)}
"""By :attr:`Question.objective`."""


@dataclass(frozen=True, slots=True)
class Question:
    """A request for an analysis, read."""

    position: View | Round
    limits: Limits
    """The limits that the request sets."""
    seed: int
    include_moves: tuple[Move, ...]
    exclude_moves: tuple[Move, ...]
    max_moves: int
    """How many moves the answer lists, 0 for all."""
    client_tag: str
    language_code: str
    """Of the reasons' text: one of :data:`sniffai.explain.LANGUAGES`."""
    objective: Objective
    """What the search maximises."""
    priority: str
    """``"interactive"``, ``"analysis"`` or ``"bulk"``."""
    interval: float
    """Seconds between two snapshots."""
    opponents: Mapping[int, Opponent]
    """By seat, how it chooses, as far as the request says."""
    careless: bool
    """Whether each move is also valued against careless opponents."""
    level: Level | None
    """The level of play that chooses the move, if one is requested."""
    warnings: tuple[notice_pb2.Warning, ...]
    """Warnings about parts of the request that were changed or had no effect."""

    def searcher(self) -> Searcher:
        """The search for the answer of a request without a level.

        :raises WireError: the seat has nothing to decide, or the moves to consider are invalid.
        """
        include_moves, exclude_moves = self.include_moves or None, self.exclude_moves or None
        params = PARAMS[self.objective]
        try:
            if isinstance(self.position, Round):
                return DealSearcher(
                    self.position,
                    seed=self.seed,
                    params=params,
                    include_moves=include_moves,
                    exclude_moves=exclude_moves,
                    opponents=self.opponents,
                )
            searcher = ContrastSearcher if self.careless else Searcher
            return searcher(
                self.position,
                seed=self.seed,
                params=params,
                include_moves=include_moves,
                exclude_moves=exclude_moves,
                opponents=self.opponents,
            )
        except SniffError as error:
            at = "deal" if isinstance(self.position, Round) else "view"
            raise WireError(Violation.of(error, searcher_path(error.field, at))) from error

    def level_turn(self) -> LevelTurn | None:
        """The turn of the requested level; ``None`` if none is requested.

        :raises WireError: the seat has nothing to decide.
        """
        if self.level is None:
            return None
        assert isinstance(self.position, View), "only a request for a move has a level, and it has no deal"
        try:
            return LevelTurn(self.level, self.position, self.seed)
        except SniffError as error:
            raise WireError(Violation.of(error, joined("view", error.field))) from error

    def reasons(self, analysis: Analysis) -> list[reason_pb2.Reason]:
        """The reasons for the recommended move; none for an open deal or a snapshot of a stream."""
        view = self._explained(analysis)
        return [] if view is None else write_reasons(reasons(view, analysis), self.language_code)

    def prospect(self, analysis: Analysis) -> list[reason_pb2.Reason]:
        """What the analysis expects of the recommended move, where there are reasons."""
        view = self._explained(analysis)
        return [] if view is None else write_reasons(prospect(view, analysis), self.language_code)

    def _explained(self, analysis: Analysis) -> View | None:
        """The view whose recommended move is explained, if it is."""
        if isinstance(self.position, Round) or not analysis.final:
            return None
        return None if self.level is not None and not self.level.plays_best else self.position


def read_question(request: Request) -> Question:
    """Read a request.

    :raises WireError: something is missing, invalid or out of range.
    """
    position = _position(request)
    faults = Faults()
    include_moves = _moves(request.include_moves, "include_moves", faults)
    exclude_moves = _moves(request.exclude_moves, "exclude_moves", faults)
    faults.add(
        *bad_max_moves(request.max_moves),
        *bad_tag(request.client_tag),
    )
    level = _level(request, faults)
    opponents = _opponents(request, position, faults)
    careless = _careless(request, faults)
    faults.check()
    language_code, warnings = language_or_english(request.language_code)
    return Question(
        position=position,
        limits=read_limits(request.limits),
        seed=read_seed(request.seed),
        include_moves=include_moves,
        exclude_moves=exclude_moves,
        max_moves=request.max_moves,
        client_tag=request.client_tag,
        language_code=language_code,
        objective=_objective(request, warnings),
        priority=_priority(request, warnings),
        interval=_interval(request, warnings),
        opponents=opponents,
        careless=careless,
        level=level,
        warnings=(*warnings, *unknown_fields(request)),
    )


def level_warnings(level: Level, limits: Limits, objective: Objective) -> list[notice_pb2.Warning]:
    """A warning for each part of a request that has no effect on a level's move.

    :param limits: those that the request sets.
    """
    ignored = []
    if level.max_simulations is not None and limits != Limits():
        ignored.append(warning("limits", "IGNORED", f"the level {level.name} takes no limits"))
    if objective != "match":
        ignored.append(warning("objective", "IGNORED", "a level plays for the match"))
    return ignored


def _position(request: Request) -> View | Round:
    if request.HasField("view"):
        return read_view(request.view)
    if isinstance(request, pb.RecommendMoveRequest):
        raise WireError(Violation("view", "REQUIRED", "view must be given"))
    if request.HasField("deal"):
        return read_round(request.deal)
    raise WireError(Violation("view", "REQUIRED", "view or deal must be given"))


def _moves(messages: Sequence[move_pb2.Move], path: str, faults: Faults) -> tuple[Move, ...]:
    if len(messages) > MOST:
        faults.add(too_many(path, MOST))
        return ()
    return tuple(faults.moves(messages, path))


def bad_max_moves(number: int) -> list[Violation]:
    """A violation if the number of moves to list is negative."""
    text = "the number of moves must be 0 (all moves) or more"
    return below(number, 0, "max_moves", text, "NUMBER_OUT_OF_RANGE")


def bad_tag(tag: str) -> list[Violation]:
    """A violation if a ``client_tag`` is too long."""
    if len(tag) <= MAX_TAG:
        return []
    return [Violation("client_tag", "TOO_LONG", f"a tag has at most {MAX_TAG} characters")]


def _level(request: Request, faults: Faults) -> Level | None:
    """The level of a request for a move."""
    if not isinstance(request, pb.RecommendMoveRequest) or not request.level:
        return None
    for field in ("include_moves", "exclude_moves"):
        if getattr(request, field):
            faults.add(Violation(field, "NOT_WITH_LEVEL", "a level chooses among all legal moves"))
    try:
        return find_level(request.level)
    except SniffError as error:
        faults.add(Violation.of(error, "level"))
        return None


def _opponents(request: Request, position: View | Round, faults: Faults) -> dict[int, Opponent]:
    """How other seats choose."""
    if isinstance(request, pb.RecommendMoveRequest) and request.level and request.opponents:
        faults.add(Violation("opponents", "NOT_WITH_LEVEL", "a level chooses whoever the others are"))
    opponents: dict[int, Opponent] = {}
    for i, message in enumerate(faults.limited(request.opponents, "opponents", position.players - 1)):
        path, seat = f"opponents[{i}]", message.seat
        if not 0 <= seat < position.players or seat == position.seat:
            faults.add(Violation(f"{path}.seat", "SEAT_OUT_OF_RANGE", f"{seat} is none of the other seats"))
        elif seat in opponents:
            faults.add(Violation(f"{path}.seat", "SEAT_TWICE", f"seat {seat} is named twice"))
        if not message.name:
            faults.add(Violation(f"{path}.name", "REQUIRED", "the name of a level or player must be given"))
            continue
        try:
            opponents[seat] = opponent_named(message.name)
        except SniffError as error:
            reason = error.reason if error.reason == "RATING_OUT_OF_RANGE" else "UNKNOWN_OPPONENT"
            faults.add(Violation(f"{path}.name", reason, plain(error.message)))
    return opponents


def _careless(request: Request, faults: Faults) -> bool:
    """Whether moves are also to be valued against careless opponents."""
    if isinstance(request, pb.RecommendMoveRequest):
        if request.level and request.careless:
            faults.add(Violation("careless", "NOT_WITH_LEVEL", "a level chooses whoever the others are"))
    elif request.careless and request.HasField("deal"):
        faults.add(Violation("careless", "NOT_WITH_DEAL", "where all hands are known, nobody overlooks anything"))
    return request.careless


def _objective(request: Request, warnings: list[notice_pb2.Warning]) -> Objective:
    objective = request.objective or pb.OBJECTIVE_MATCH
    if objective not in (pb.OBJECTIVE_MATCH, pb.OBJECTIVE_ROUND):
        warnings.append(warning("objective", "IGNORED", f"this version knows no objective {objective}: MATCH was used"))
    return "round" if objective == pb.OBJECTIVE_ROUND else "match"


def _priority(request: Request, warnings: list[notice_pb2.Warning]) -> str:
    default = pb.PRIORITY_INTERACTIVE if isinstance(request, pb.RecommendMoveRequest) else pb.PRIORITY_ANALYSIS
    priority = request.priority or default
    if priority not in PRIORITIES:
        warnings.append(
            warning("priority", "IGNORED", f"this version knows no priority {priority}; the default was used")
        )
        priority = default
    return PRIORITIES[priority]


def _interval(request: Request, warnings: list[notice_pb2.Warning]) -> float:
    if not isinstance(request, pb.StreamAnalyzeRequest) or not request.HasField("report_interval"):
        return DEFAULT_INTERVAL
    seconds = _seconds(request.report_interval)
    if seconds < LEAST_INTERVAL:
        warnings.append(warning("report_interval", "CLAMPED", f"{seconds} s is too short: {LEAST_INTERVAL} s was used"))
    return max(seconds, LEAST_INTERVAL)


def _seconds(interval: Duration) -> float:
    """The interval in seconds.

    :raises WireError: it is not above 0.
    """
    seconds = interval.seconds + interval.nanos / 1e9
    gaps = [
        *below(seconds, 1e-9, "report_interval", "the time between snapshots must be above 0 seconds"),
        *bad_duration(interval, "report_interval"),
    ]
    if gaps:
        raise WireError(*gaps)
    return seconds
