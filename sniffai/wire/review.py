"""Reviews of matches: requests for a review, and its results piece by piece."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sniffai.errors import SniffError
from sniffai.records.seat_record import SeatRecord
from sniffai.review import (
    DEFAULT_SIMULATIONS,
    Account,
    DecisionTally,
    Judged,
    PlayerSummary,
    Review,
    Step,
    StepKind,
    Strength,
    Subject,
    Value,
    Verdict,
    read_subject,
)
from sniffai.review.draws import DrawLuck
from sniffai.round import Round
from sniffai.search.careless import Gap
from sniffai.search.params import Limits
from sniffai.v1 import analysis_service_pb2 as service_pb
from sniffai.v1 import notice_pb2
from sniffai.v1 import review_pb2 as pb
from sniffai.version import VERSION
from sniffai.wire.answers import SOURCES, write_belief, write_evaluation, write_inferred_belief
from sniffai.wire.errors import Violation, WireError, plain
from sniffai.wire.notices import most_useful, unknown_fields, warning
from sniffai.wire.paths import joined, seat_record_path
from sniffai.wire.question import PRIORITIES, bad_tag
from sniffai.wire.read import read_limits, read_round, read_seed, read_view
from sniffai.wire.reasons import language_or_english, write_reasons
from sniffai.wire.write import write_deal, write_limits, write_move, write_view

MAX_ROUNDS: Final = 200
"""Maximum number of rounds in a request, several times as many as a match has."""

MAX_TEXT: Final = 500_000
"""Maximum length of a record's text in characters."""

MAX_NAME: Final = 128

PHASES: Final = {"opening": pb.PHASE_OPENING, "middle": pb.PHASE_MIDDLE, "end": pb.PHASE_END}
VERDICTS: Final = {verdict: pb.Verdict.Value(f"VERDICT_{verdict.name}") for verdict in Verdict}
KINDS: Final = {kind: pb.StepKind.Value(f"STEP_KIND_{kind.name}") for kind in StepKind}


# What a request asks


@dataclass(frozen=True, slots=True)
class ReviewQuestion:
    """A request for a review, without the record."""

    limits: Limits
    """The limits of each survey: those of the request, or the default number of simulations."""
    seed: int
    priority: str
    client_tag: str
    language_code: str
    warnings: tuple[notice_pb2.Warning, ...]


def read_review(request: service_pb.AnalyzeMatchRequest) -> ReviewQuestion:
    """Read a request, except for the record, which :func:`read_reviewed` reads.

    :raises WireError: something is wrong or out of range.
    """
    gaps = bad_tag(request.client_tag)
    if gaps:
        raise WireError(*gaps)
    limits = read_limits(request.limits)
    if limits.simulations is None and limits.seconds is None:
        limits = replace(limits, simulations=DEFAULT_SIMULATIONS)
    language_code, warnings = language_or_english(request.language_code)
    priority = request.priority or service_pb.PRIORITY_BULK
    if priority not in PRIORITIES:
        text = f"this version knows no priority {priority}; the default was used"
        warnings.append(warning("priority", "IGNORED", text))
        priority = service_pb.PRIORITY_BULK
    seed = read_seed(request.seed)
    return ReviewQuestion(
        limits=limits,
        seed=seed,
        priority=PRIORITIES[priority],
        client_tag=request.client_tag,
        language_code=language_code,
        warnings=tuple(warnings),
    )


def read_reviewed(request: service_pb.AnalyzeMatchRequest) -> tuple[Subject, list[notice_pb2.Warning]]:
    """What is to be reviewed, replayed and checked, and a warning for each unknown field of the request.

    It can take a few tenths of a second.

    :raises WireError: the record is missing, or it breaks a rule.
    """
    return _subject(request), unknown_fields(request)


def _subject(request: service_pb.AnalyzeMatchRequest) -> Subject:
    kind = request.WhichOneof("record")
    if kind == "match":
        return _match(request.match)
    if kind == "text":
        return _text(request.text)
    if kind == "view":
        return _view(request)
    if kind == "seat_record":
        return Subject.of_seat_record(read_seat_record(request.seat_record))
    raise WireError(Violation("match", "REQUIRED", "match, text, view or seat_record must be given"))


def read_seat_record(message: pb.SeatRecord, path: str = "seat_record") -> SeatRecord:
    """A match as one seat saw it.

    :raises WireError: something is missing or breaks a rule.
    """
    _check_sizes(len(message.views), f"{path}.views", message.names, f"{path}.names")
    views = [read_view(view, f"{path}.views[{i}]") for i, view in enumerate(message.views)]
    names = {f"Seat{seat}": name for seat, name in enumerate(message.names)}
    try:
        return SeatRecord.of(views, message.scores_after or None, names)
    except SniffError as error:
        last = len(message.views) - 1
        raise WireError(Violation.of(error, joined(path, seat_record_path(error.field, last)))) from None


def write_seat_record(record: SeatRecord) -> pb.SeatRecord:
    """A match as one seat saw it, as a message. Of the tags it holds the names of the players."""
    tags = dict(record.tags)
    names = [tags.get(f"Seat{seat}", "") for seat in range(record.players)]
    after = record.rounds[-1].after if record.views[-1].over else None
    return pb.SeatRecord(
        views=map(write_view, record.views), names=names if any(names) else (), scores_after=after or ()
    )


def _check_sizes(rounds: int, rounds_path: str, names: Sequence[str], names_path: str) -> None:
    """Whether there are neither too many rounds nor too many or too long names.

    :raises WireError: there are.
    """
    gaps = []
    if rounds > MAX_ROUNDS:
        gaps.append(Violation(rounds_path, "TOO_MANY", f"at most {MAX_ROUNDS} can be given"))
    if len(names) > 4:
        gaps.append(Violation(names_path, "TOO_MANY", "at most 4 can be given"))
    gaps += [
        Violation(f"{names_path}[{i}]", "TOO_LONG", f"a name has at most {MAX_NAME} characters")
        for i, name in enumerate(names[:4])
        if len(name) > MAX_NAME
    ]
    if gaps:
        raise WireError(*gaps)


def _match(match: pb.RecordedMatch) -> Subject:
    _check_sizes(len(match.rounds), "match.rounds", match.names, "match.names")
    rounds = [read_round(deal, f"match.rounds[{i}]") for i, deal in enumerate(match.rounds)]
    tags = tuple((f"Seat{seat}", name) for seat, name in enumerate(match.names))
    try:
        return Subject.of_rounds(rounds, tags)
    except SniffError as error:
        raise WireError(Violation.of(error, joined("match", error.field))) from None


def _text(text: str) -> Subject:
    if len(text) > MAX_TEXT:
        raise WireError(Violation("text", "TOO_LONG", f"a record has at most {MAX_TEXT} characters"))
    try:
        subject = read_subject(text)
    except SniffError as error:
        raise WireError(Violation("text", error.reason, plain(str(error)))) from None
    if len(subject.stories) > MAX_ROUNDS:
        raise WireError(Violation("text", "TOO_MANY", f"at most {MAX_ROUNDS} rounds can be given"))
    return subject


def _view(request: service_pb.AnalyzeMatchRequest) -> Subject:
    view = read_view(request.view)
    try:
        return Subject.of_view(view)
    except SniffError as error:
        raise WireError(Violation.of(error, error.field)) from None


def write_record(rounds: Iterable[Round], names: Iterable[str] = ()) -> pb.RecordedMatch:
    """Rounds as a message."""
    return pb.RecordedMatch(rounds=map(write_deal, rounds), names=names)


# What was found


def write_decision(judged: Judged, index: int, language_code: str = "en") -> pb.DecisionReview:
    """One placement.

    :param index: its place among the pieces of the review.
    :param language_code: of the reasons' text.
    """
    placement = judged.placement
    message = pb.DecisionReview(
        index=index,
        round=placement.round,
        event=placement.event,
        seat=placement.seat,
        team=placement.team,
        phase=PHASES[judged.phase],
        source=SOURCES[judged.source],
        played=write_move(placement.played),
        points=placement.points,
        verdict=VERDICTS[judged.verdict],
        win_probability_loss=judged.win_probability_loss,
        win_probability_loss_error=judged.win_probability_loss_error,
        points_loss=judged.points_loss,
        points_loss_error=judged.points_loss_error,
        reasons=write_reasons(judged.reasons, language_code),
        simulations=judged.simulations,
    )
    if judged.best is not None and judged.played is not None and judged.value is not None:
        message.best.CopyFrom(write_evaluation(judged.best))
        message.played_evaluation.CopyFrom(write_evaluation(judged.played))
        message.values.extend(_outlooks(judged.value))
        message.changes.extend(() if judged.lost is None else _outlooks(judged.lost))
        message.refined = judged.refined
        message.moves.extend(write_evaluation(replace(entry, line=())) for entry in judged.moves)
    if judged.careless is not None:
        message.careless.CopyFrom(_gap(judged, judged.careless, language_code))
    if judged.belief is not None:
        message.belief.CopyFrom(write_belief(judged.belief))
        if judged.inferred_belief is not None:
            message.inferred_belief.CopyFrom(write_inferred_belief(judged.inferred_belief))
    return message


def _gap(judged: Judged, gap: Gap, language_code: str) -> pb.CarelessGap:
    contrast = write_reasons(filter(None, [judged.contrast]), language_code)
    return pb.CarelessGap(
        win_probability=gap.chance,
        win_probability_error=gap.chance_error if math.isfinite(gap.chance_error) else None,
        points=gap.points,
        points_error=gap.points_error if math.isfinite(gap.points_error) else None,
        contrast=contrast[0] if contrast else None,
    )


def write_draw(draw_luck: DrawLuck, index: int) -> pb.DrawReview:
    """The draws of one turn.

    :param index: their place among the pieces of the review.
    """
    talon_draw = draw_luck.talon_draw
    return pb.DrawReview(
        index=index,
        round=talon_draw.round,
        event=talon_draw.event,
        seat=talon_draw.seat,
        luck=() if draw_luck.luck is None else _outlooks(draw_luck.luck),
        error=draw_luck.error,
        expected=_outlooks(draw_luck.expected),
        after=() if draw_luck.after is None else _outlooks(draw_luck.after),
        simulations=draw_luck.simulations,
    )


def write_summary(
    review: Review, limits: Limits, warnings: Iterable[notice_pb2.Warning] = (), client_tag: str = ""
) -> pb.MatchReview:
    """A whole review.

    :param limits: the effective ones.
    :param warnings: any number; the most useful ones are written.
    """
    return pb.MatchReview(
        players=map(_player, review.players),
        account=_account(review.account),
        rounds=[
            pb.RoundReview(account=_account(round_.account), steps=map(_step, round_.steps)) for round_ in review.rounds
        ],
        simulations=review.simulations,
        effective_limits=write_limits(limits),
        seed=review.seed,
        deterministic=review.deterministic,
        engine_version=VERSION,
        warnings=most_useful(warnings),
        client_tag=client_tag,
    )


def _player(player: PlayerSummary) -> pb.PlayerReview:
    team = player.team
    return pb.PlayerReview(
        seat=player.seat,
        team=team,
        name=player.name,
        total=_tally(player.total),
        phases=[pb.PhaseTally(phase=PHASES[phase], tally=_tally(tally)) for phase, tally in player.phases.items()],
        forced_count=player.forced_count,
        exact_count=player.exact_count,
        luck=pb.Outlook(team=team, win_probability=player.luck.chances[team], points=player.luck.margins[team]),
        strength=None if player.strength is None else _strength(player.strength),
    )


def _strength(strength: Strength) -> pb.Strength:
    return pb.Strength(level=strength.level, scale=strength.scale, low=strength.low, high=strength.high)


def _tally(tally: DecisionTally) -> pb.DecisionTally:
    return pb.DecisionTally(
        decision_count=tally.decision_count,
        doubtful_count=tally.verdicts[Verdict.DOUBTFUL],
        error_count=tally.verdicts[Verdict.ERROR],
        blunder_count=tally.verdicts[Verdict.BLUNDER],
        error_rate=tally.error_rate,
        win_probability_loss=tally.win_probability_loss,
        win_probability_loss_error=tally.win_probability_loss_error,
        points_loss=tally.points_loss,
        points_loss_error=tally.points_loss_error,
    )


def _account(account: Account) -> pb.Account:
    return pb.Account(
        start=_outlooks(account.start),
        skill=[pb.SeatChange(seat=seat, changes=_outlooks(value)) for seat, value in account.moves.items()],
        luck=[pb.LuckChange(kind=KINDS[kind], changes=_outlooks(value)) for kind, value in account.luck.items()],
        result=_outlooks(account.result),
        final=account.final,
    )


def _step(step: Step) -> pb.ValueStep:
    return pb.ValueStep(
        kind=KINDS[step.kind],
        event=step.event,
        seat=step.seat,
        before=_outlooks(step.before),
        after=_outlooks(step.after),
    )


def _outlooks(value: Value) -> list[pb.Outlook]:
    return [
        pb.Outlook(team=team, win_probability=chance, points=points)
        for team, (chance, points) in enumerate(zip(value.chances, value.margins, strict=True))
    ]
