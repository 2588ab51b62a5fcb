"""What is told of a mistake comes from the searches that measured it, and what careless opponents make of it."""

import math
import re
from dataclasses import replace
from functools import cache
from statistics import fmean

import pytest

import sniffai
from sniffai import Limits, wire
from sniffai.equity.worth import POINT_WORTH
from sniffai.explain import ReasonKind
from sniffai.play.arena import play_rounds
from sniffai.play.arena_result import ArenaSpec
from sniffai.play.levels import named_player
from sniffai.review import Job, Judged, Review, Subject, Verdict, decision_dict, html_report, jobs_of, review
from sniffai.review.charts import anchor
from sniffai.review.judge import CONTRASTS, REFINEMENTS
from sniffai.review.tables import text_tables
from sniffai.review.terms import percent
from sniffai.review.verdict import LOPSIDED, verdict_of
from sniffai.search.analysis import Analysis
from sniffai.search.careless import Gap, careless_opponents
from sniffai.wire.review import write_decision

FEW = Limits(simulations=120)
TURNED = Gap(0.04, 0.01, 3.0, 1.0)


@cache
def subject(players: int) -> Subject:
    spec = ArenaSpec("random", "random", players, 1, True, 5)
    seats = [named_player("level:casual")] * players
    return Subject.of_rounds([next(play_rounds(spec, seats, 0))])


@cache
def reviewed(players: int) -> Review:
    return review(subject(players), FEW, seed=3)


def searched(job: Job) -> tuple[Judged, list[tuple[sniffai.Searcher, Analysis]]]:
    """A placement judged, and all searches that this took."""
    work, found = job.work(), []
    try:
        searcher, limits = next(work)
        while True:
            found.append((searcher, searcher.run(limits)))
            searcher, limits = work.send(found[-1][1])
    except StopIteration as done:
        return done.value, found


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_numbers_of_a_mistake_are_those_of_the_searches_that_measured_it(players: int) -> None:
    """Computed again here from every one of them: the loss, both moves' chances and points, and the value before."""
    seen = 0
    for job, known in zip(jobs_of(subject(players), FEW, 3), pieces(players), strict=True):
        if not isinstance(known, Judged) or not known.refined:
            continue
        judged, found = searched(job)
        assert judged == known
        assert judged.best is not None and judged.played is not None and judged.value is not None
        refined = [analysis for _, analysis in found[1 : 1 + REFINEMENTS]]
        moves = (judged.best.move, judged.played.move)
        both = [{entry.move: entry for entry in analysis.moves} for analysis in refined]
        assert all(set(entries) == set(moves) for entries in both)
        chances = [fmean(entries[move].win_probability or 0 for entries in both) for move in moves]
        margins = [fmean(entries[move].expected_margin or 0 for entries in both) for move in moves]
        assert (judged.best.win_probability, judged.played.win_probability) == pytest.approx(tuple(chances))
        assert (judged.best.expected_margin, judged.played.expected_margin) == pytest.approx(tuple(margins))
        assert judged.win_probability_loss == pytest.approx(chances[0] - chances[1])
        assert judged.points_loss == pytest.approx(margins[0] - margins[1])
        assert judged.played.win_probability_loss == judged.win_probability_loss
        assert judged.value.chances[judged.placement.team] == pytest.approx(chances[0])
        assert judged.best.visits == sum(entries[moves[0]].visits for entries in both)
        check_contrast(judged, found[1 + REFINEMENTS :])
        seen += 1
    assert seen > 3


def pieces(players: int) -> list[object]:
    """The pieces of the review in the order of its jobs."""
    found = reviewed(players).rounds[0]
    drawn = {draw.talon_draw.event: draw for draw in found.draws}
    judged = {one.placement.event: one for one in found.judged}
    return [{**drawn, **judged}[event] for event in sorted({**drawn, **judged})]


def check_contrast(judged: Judged, found: list[tuple[sniffai.Searcher, Analysis]]) -> None:
    """What careless opponents make of a mistake, computed again."""
    if judged.verdict is Verdict.NONE:
        assert not found
        assert judged.careless is None
        return
    assert judged.careless is not None and judged.best is not None and judged.played is not None
    assert len(found) == CONTRASTS
    gaps = []
    for _, analysis in found:
        entries = {entry.move: entry.win_probability or 0 for entry in analysis.moves}
        gaps.append(entries[judged.played.move] - entries[judged.best.move])
        assert analysis.inferred_belief is None or analysis.inferred_belief.model == "opponents"
    assert judged.careless.chance == pytest.approx(fmean(gaps))


def test_the_page_the_tables_and_the_json_tell_the_same_numbers() -> None:
    found = reviewed(2)
    page = html_report(found)
    for one in found.mistakes:
        assert one.best is not None and one.played is not None
        part = page.partition(f'id="{anchor(one)}"')[2].partition("</details>")[0]
        best, played = one.best.win_probability or 0, one.played.win_probability or 0
        assert best - played == pytest.approx(one.win_probability_loss)
        assert f"★ {percent(best)} · ● {percent(played)}" in part
        assert percent(one.win_probability_loss) in part
        told = decision_dict(one)
        assert told["refined"] is one.refined
        assert told["best_move"]["win_probability"] - told["played_move"]["win_probability"] == pytest.approx(
            one.win_probability_loss
        )
        message = write_decision(one, 0)
        values = [
            next(v for v in entry.values if v.team == one.placement.team)
            for entry in (message.best, message.played_evaluation)
        ]
        assert values[0].win_probability - values[1].win_probability == pytest.approx(message.win_probability_loss)
        assert values[0].expected_margin - values[1].expected_margin == pytest.approx(message.points_loss)
        assert message.refined is one.refined


@pytest.mark.parametrize("players", [2, 4])
def test_the_opponents_of_a_contrast_are_careless_and_a_partner_is_not(players: int) -> None:
    judged = next(one for one in reviewed(players).mistakes)
    opponents = careless_opponents(players, judged.placement.seat)
    assert len(opponents) == (1 if players == 2 else 2)
    assert judged.careless is not None
    assert math.isfinite(judged.careless.chance_error)


def test_a_contrast_is_told_only_where_the_sign_turns_beyond_its_error() -> None:
    mistake = next(iter(reviewed(2).mistakes))
    turned = replace(mistake, careless=TURNED)
    reason = turned.contrast
    assert reason is not None
    assert reason.kind is ReasonKind.CARELESS
    assert (reason.against, reason.probability, reason.error) == (mistake.placement.played, 0.04, 0.01)
    for gap in (Gap(0.04, 0.03, 3.0, 1.0), Gap(-0.04, 0.01, -3.0, 1.0), None):
        assert replace(mistake, careless=gap).contrast is None
    assert replace(turned, verdict=Verdict.NONE).contrast is None


def test_a_contrast_stands_on_the_page_in_the_tables_in_json_and_on_the_wire() -> None:
    found = reviewed(2)
    mistake = next(iter(found.mistakes))
    turned = replace(mistake, careless=TURNED)
    (round_,) = found.rounds
    shown = replace(
        found, rounds=(replace(round_, judged=tuple(turned if one is mistake else one for one in round_.judged)),)
    )
    said = "Against players who overlook points the opposite holds: with "
    for language, words in (
        ("en", said),
        ("ja", "得点を見落とす相手に対しては逆です"),
        ("zh-Hans", "面对会漏看得分的对手则相反"),
    ):
        assert html_report(shown, language).count(words) == 2, "in its section and in the replayer"
        assert words in list(text_tables(shown, language))[-1].note
        assert words not in html_report(found, language)
    assert re.search(r"Round 1, event \d+: " + said, list(text_tables(shown))[-1].note)
    told = decision_dict(turned)["careless"]
    assert (told["win_probability"], told["contrast"]["kind"]) == (0.04, "careless")
    message = write_decision(turned, 0, "en")
    assert message.careless.contrast.text.startswith(said)
    assert (message.careless.win_probability, message.careless.points_error) == (0.04, 1.0)
    assert not write_decision(mistake, 0).careless.HasField("contrast")
    unknown = write_decision(replace(mistake, careless=Gap(0.0, math.inf, 0.0, math.inf)), 0).careless
    assert not unknown.HasField("win_probability_error")


def test_a_review_from_the_wire_is_the_same() -> None:
    found = reviewed(2)
    pieces_ = [
        wire_piece(decision=write_decision(one, i))
        if isinstance(one, Judged)
        else wire_piece(draw=wire.write_draw(one, i))
        for i, one in enumerate(pieces(2))
    ]
    summary = wire_piece(summary=wire.write_summary(found, found.limits))
    again = wire.read_reviewed_pieces(subject(2), [*pieces_, summary])
    assert [one.careless for one in again.judged] == [one.careless for one in found.judged]
    assert [one.refined for one in again.judged] == [one.refined for one in found.judged]
    assert [[entry.values for entry in one.moves] for one in again.judged] == [
        [entry.values for entry in one.moves] for one in found.judged
    ]
    assert [one.inferred_belief for one in again.judged] == [one.inferred_belief for one in found.judged]


def wire_piece(**fields: object) -> object:
    from sniffai.v1.analysis_service_pb2 import AnalyzeMatchResponse

    return AnalyzeMatchResponse(**fields)  # type: ignore[arg-type]


def test_points_count_as_well_where_the_match_is_lopsided() -> None:
    points = 0.015 / POINT_WORTH
    for chance, verdict in (
        (0.5, Verdict.NONE),
        (LOPSIDED, Verdict.ERROR),
        (1 - LOPSIDED, Verdict.ERROR),
        (None, Verdict.NONE),
    ):
        assert verdict_of(0.002, 0.0001, points + 0.01, 0.1, chance) is verdict
    assert verdict_of(0.05, 0.001, 0.0, 1.0, 0.95) is Verdict.BLUNDER, "by chance"
    assert verdict_of(-0.002, 0.0001, 20.0, 0.1, 0.95) is Verdict.NONE, "it wins the match more often"
    assert verdict_of(0.002, 0.0001, points, 4.0, 0.95) is Verdict.NONE, "points that may be chance"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_decision_has_all_moves_and_what_the_choices_of_others_suggest(players: int) -> None:
    """As a search of the survey's seed and limits tells them; on the wire too."""
    seen = 0
    for job, known in zip(jobs_of(subject(players), FEW, 3), pieces(players), strict=True):
        if not isinstance(known, Judged) or known.source != "search":
            continue
        searcher, limits = next(job.work())
        survey = searcher.run(limits)
        assert known.moves == survey.moves
        assert known.inferred_belief == survey.inferred_belief
        told, message = decision_dict(known), write_decision(known, 0)
        assert [move["move"] for move in told["moves"]] == [str(entry.move) for entry in survey.moves]
        assert [move.rank for move in message.moves] == [entry.rank for entry in survey.moves]
        assert message.HasField("inferred_belief") == (known.inferred_belief is not None)
        if known.inferred_belief is None:
            assert told["inferred_belief"] is None
            continue
        hidden = told["inferred_belief"]["tiles"]
        assert all(sum(row) == pytest.approx(1) and row[known.placement.seat] == 0 for row in hidden.values())
        assert hidden == {
            str(tile): known.inferred_belief.table[tile.index].tolist() for tile in map(sniffai.Tile.parse, hidden)
        }
        assert [
            [*tile.hands, tile.talon] for tile in message.inferred_belief.tiles
        ] == known.inferred_belief.table.tolist()
        assert message.inferred_belief.model == known.inferred_belief.model
        seen += 1
    assert seen > 0
