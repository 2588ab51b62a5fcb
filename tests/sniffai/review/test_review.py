"""Reviews: every placement from what its seat knew, accounts that add up, sources and their errors."""

import json
import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import sniffai
from sniffai import Draw, Limits, MatchRecord, Play, Round, View
from sniffai.equity import load
from sniffai.errors import SniffError
from sniffai.explain.languages import words
from sniffai.play.arena import play_round, play_rounds
from sniffai.play.arena_result import ArenaSpec
from sniffai.play.levels import named_player
from sniffai.play.statistics import mean_and_error
from sniffai.records.matchfile import format_match
from sniffai.review import (
    PHASES,
    SIGNIFICANT,
    THRESHOLDS,
    Judged,
    Review,
    StepKind,
    Subject,
    Value,
    Verdict,
    decision_dict,
    each_job,
    html_report,
    jobs_of,
    read_subject,
    review,
    run_job,
)
from sniffai.review.draws import SAMPLES, _outcomes, weigh_draw
from sniffai.review.story import Placement, Story, TalonDraw
from sniffai.review.strength import Strength, lead_margins, level_names, measured, strength_of
from sniffai.review.tables import LEAST_TOLD, text_tables
from sniffai.review.terms import placement_name
from sniffai.review.verdict import verdict_of
from sniffai.rules import TARGET, TEAMS, team_of
from sniffai.search.phases import phase_number
from sniffai.tiles import TILES
from sniffai.wire.review import write_decision

FEW = Limits(simulations=60)
SEATS = pytest.mark.parametrize("players", [2, 3, 4])
SHORT = {2: 17, 3: 25, 4: 42}
"""By players, a match of few rounds, with draws and passes; that of 2 has a blocked round."""


@cache
def played(players: int) -> tuple[Round, ...]:
    """The rounds of a match."""
    spec = ArenaSpec("random", "random", players, 1, True, 5)
    return tuple(play_rounds(spec, [named_player("level:attentive")] * players, SHORT[players]))


@cache
def reviewed(players: int) -> Review:
    return review(Subject.of_rounds(played(players)), FEW, seed=3)


# Accounts


@SEATS
def test_start_skill_and_luck_add_up_to_the_result(players: int) -> None:
    """Added up again here, from the plain values of every step."""
    found = reviewed(players)
    told = found.to_dict()
    last = played(players)[-1]
    teams = range(TEAMS[players])
    assert last.match_winner is not None
    chances, points = told["account"]["start"]["win_probability"], told["account"]["start"]["points"]
    for kind in told["account"]["luck_by_kind"].values():
        chances = [a + b for a, b in zip(chances, kind["win_probability"], strict=True)]
        points = [a + b for a, b in zip(points, kind["points"], strict=True)]
    for seat in told["account"]["skill_by_seat"].values():
        chances = [a + b for a, b in zip(chances, seat["win_probability"], strict=True)]
        points = [a + b for a, b in zip(points, seat["points"], strict=True)]
    assert chances == pytest.approx([float(team == last.match_winner) for team in teams], abs=1e-9)
    gains = list(last.scores)
    assert points == pytest.approx([own - (sum(gains) - own) / (len(gains) - 1) for own in gains], abs=1e-9)
    assert found.account.residual < 1e-9
    assert found.account.final


@SEATS
def test_every_step_begins_where_the_one_before_ended(players: int) -> None:
    found = reviewed(players)
    table = load(players)
    for number, round_ in enumerate(found.rounds):
        steps, story = round_.steps, round_.story
        assert steps[0].before.chances == table.chance(story.scores, None if story.by_lot else story.leader)
        for before, after in pairwise(steps):
            assert before.after == after.before
        if number:
            assert steps[0].before.chances == found.rounds[number - 1].steps[-1].after.chances
        assert round_.account.residual < 1e-9
        assert (steps[0].kind is StepKind.LOT) == story.by_lot
        assert steps[-1].kind is StepKind.END


@SEATS
def test_json_counts_from_0_and_people_from_1(players: int) -> None:
    found = reviewed(players)
    stories = [round_.story for round_ in found.rounds]
    told = found.to_dict()["rounds"]
    assert [one["round"] for one in told] == list(range(len(stories)))
    decisions = [decision for one in told for decision in one["decisions"]]
    for decision in decisions:
        event = stories[decision["round"]].events[decision["event"]]
        assert isinstance(event, Play)
        assert (event.seat, str(event.move)) == (decision["seat"], decision["played"])
    for one, story in zip(told, stories, strict=True):
        for drawn in one["draws"]:
            event = story.events[drawn["event"]]
            assert isinstance(event, Draw)
            assert (event.seat, [str(tile) for tile in event.tiles or ()]) == (drawn["seat"], drawn["tiles"])
        assert {step["event"] for step in one["steps"] if step["kind"] == "move"} <= {
            decision["event"] for decision in one["decisions"]
        }
    table = list(text_tables(found, every=True))[-1]
    assert [row[:3] for row in table.rows] == [
        (str(one["round"] + 1), str(one["event"] + 1), f"Seat {one['seat']}") for one in decisions
    ]
    assert table.note == "Rounds and events are numbered from 1, seats from 0."
    assert table.note in html_report(found)
    for number, one in enumerate(found.judged):
        message = write_decision(one, number)
        assert (message.round, message.event) == (decisions[number]["round"], decisions[number]["event"])


@pytest.mark.parametrize(("players", "language"), [(2, "en"), (3, "ja"), (4, "zh-Hans")])
def test_tables_tell_what_choices_suggest_of_hidden_tiles(players: int, language: str) -> None:
    """Each number again from the two beliefs; a tile is missing only where they hardly differ."""
    found, say = reviewed(players), words(language)
    *shown, last = list(text_tables(found, language, beliefs=True))[len(list(text_tables(found, language))) :]
    assert shown
    assert (last.columns, "5.0%" in last.note) == ((), True)
    for one in found.mistakes:
        title, view = f"{placement_name(one.placement, say)}", one.placement.view
        told = {row[0]: row[1:] for table in shown if re.match(title + "[:：]", table.title) for row in table.rows}
        if one.inferred_belief is None or one.belief is None:
            assert told == {}
            continue
        places = [place for place in range(players + (view.talon_size > 0)) if place != view.seat]
        for tile in TILES:
            pair = one.belief.table[tile.index], one.inferred_belief.table[tile.index]
            changed = max(abs(pair[1][place] - pair[0][place]) for place in places) >= LEAST_TOLD
            numbers = tuple(f"{100 * belief[place]:.0f}" for place in places for belief in pair)
            assert told.get(str(tile)) == (numbers if changed else None)
    for table in shown:
        assert {"en": "A model of how they play", "ja": "モデル", "zh-Hans": "模型"}[language] in table.note
        assert re.search(r"\d+$", table.note)


@SEATS
def test_skill_is_what_the_decisions_lost(players: int) -> None:
    found = reviewed(players)
    for player in found.players:
        own = [one for one in found.judged if one.placement.seat == player.seat]
        changed = found.account.moves[player.seat]
        assert changed.chances[player.team] == pytest.approx(-sum(one.win_probability_loss for one in own), abs=1e-9)
        assert changed.margins[player.team] == pytest.approx(-player.total.points_loss, abs=1e-9)
        assert player.total.decision_count + player.forced_count == len(own)
        assert sum(tally.decision_count for tally in player.phases.values()) == player.total.decision_count
        assert sum(tally.win_probability_loss for tally in player.phases.values()) == pytest.approx(
            player.total.win_probability_loss
        )
        assert sum(player.total.verdicts.values()) == player.total.decision_count


@SEATS
def test_luck_is_zero_on_average_when_the_search_plays_itself(players: int) -> None:
    """Over rounds, for the team of seat 0; and the luck of draws alone, for whoever drew."""
    whole, draws = [], []
    for number in range(12):
        dealt = Round.deal(players, 1000 + number, leader=number % players)
        end = play_round(dealt, [named_player("search", FEW)] * players, number)
        found = review(Subject.of_rounds([end]), FEW, seed=number)
        whole.append(found.account.all_luck.margins[0] - found.account.luck[StepKind.LOT].margins[0])
        draws += [
            step.change.margins[team_of(players, step.seat)]
            for step in found.rounds[0].steps
            if step.kind is StepKind.DRAW and step.seat is not None
        ]
    for values in (whole, draws):
        mean = mean_and_error(values)
        assert abs(mean.mean) < 4 * mean.standard_error


def test_an_unfinished_round_is_accounted_for_to_its_last_value() -> None:
    dealt = Round.deal(2, 4)
    for _ in range(6):
        dealt.play(dealt.legal_moves()[0])
    found = review(Subject.of_rounds([dealt]), FEW)
    assert not found.account.final
    assert found.account.residual < 1e-9
    assert found.account.result == found.rounds[0].steps[-1].after


# Placements


def test_a_win_left_on_the_table_is_a_blunder() -> None:
    """Seat 0 needs 5 and can score 10 with its first tile, but leads another."""
    dealt = Round(
        2,
        [["5|5", "0|1", "0|2", "1|2", "2|4", "3|4", "0|4"], ["0|0", "1|1", "2|2", "3|3", "4|4", "6|6", "1|6"]],
        [
            tile
            for tile in map(str, sniffai.TILES)
            if tile not in "5|5 0|1 0|2 1|2 2|4 3|4 0|4 0|0 1|1 2|2 3|3 4|4 6|6 1|6"
        ],
        0,
        [245, 240],
    )
    dealt.play("2|4")
    (one, *_) = review(Subject.of_rounds([dealt]), Limits(simulations=400)).judged
    assert one.best is not None
    assert str(one.best.move) == "5|5"
    assert one.verdict is Verdict.BLUNDER
    assert one.win_probability_loss > 0.1
    assert one.win_probability_loss > SIGNIFICANT * one.win_probability_loss_error > 0
    assert "wins_match" in [reason.kind for reason in one.reasons]
    assert one.line[0].move == one.best.move


def test_the_class_needs_size_and_significance() -> None:
    assert [verdict_of(loss, 0.0) for loss in (0.0, -0.1, 0.0049, 0.005, 0.0149, 0.015, 0.039, 0.04, 0.9)] == [
        *[Verdict.NONE] * 3,
        *[Verdict.DOUBTFUL] * 2,
        *[Verdict.ERROR] * 2,
        *[Verdict.BLUNDER] * 2,
    ]
    assert verdict_of(0.05, 0.05 / SIGNIFICANT) is Verdict.NONE
    assert verdict_of(0.05, 0.049 / SIGNIFICANT) is Verdict.BLUNDER
    assert list(THRESHOLDS) == [verdict for verdict in Verdict if verdict is not Verdict.NONE]
    assert [PHASES[phase_number(placed)] for placed in (0, 7, 8, 15, 16, 27)] == [p for p in PHASES for _ in range(2)]


@SEATS
def test_forced_and_exact_decisions_are_marked(players: int) -> None:
    found = reviewed(players)
    judged = list(found.judged)
    if players == 2:
        judged += review(Subject.of_rounds([ended_without_a_talon()]), FEW).judged
    sources = {one.source for one in judged}
    assert sources == ({"forced", "search", "exact"} if players == 2 else {"forced", "search"})
    for one in judged:
        legal = sniffai.search.searcher.distinct_moves(one.placement.view)
        assert (one.source == "forced") == (len(legal) == 1)
        if one.source == "forced":
            assert (one.value, one.win_probability_loss, one.verdict) == (None, 0.0, Verdict.NONE)
        if one.source == "exact":
            assert one.win_probability_loss_error == 0.0
            assert one.win_probability_loss >= 0.0
            assert one.placement.view.talon_size == 0
        if one.was_best:
            assert one.win_probability_loss == 0.0


@cache
def ended_without_a_talon() -> Round:
    """A round of 2 seats that left a choice with the talon empty."""
    for seed in range(1000):
        round_ = Round.deal(2, seed)
        while not round_.over:
            if not round_.talon and len(round_.view(round_.seat).legal_moves()) > 2:
                while not round_.over:
                    round_.play(round_.legal_moves()[-1])
                return round_
            round_.play(round_.legal_moves()[0])
    raise AssertionError


def test_only_what_the_seat_knew_counts() -> None:
    """The same placements, reviewed from one seat's own view, are judged the same to the last bit."""
    (round_, *_) = played(2)
    whole = review(Subject.of_rounds([round_]), FEW, seed=9)
    for seat in range(2):
        own = review(Subject.of_view(round_.view(seat)), FEW, seed=9)
        assert [one.placement.seat for one in own.judged] == [seat] * len(own.judged)
        pairs = zip(own.judged, [one for one in whole.judged if one.placement.seat == seat], strict=True)
        for mine, other in pairs:
            assert mine.placement.view == other.placement.view
            assert (mine.win_probability_loss, mine.value, mine.reasons) == (
                other.win_probability_loss,
                other.value,
                other.reasons,
            )
        assert own.account.residual < 1e-9
        assert {step.kind for step in own.rounds[0].steps} & {StepKind.OTHERS, StepKind.HANDS} == {StepKind.OTHERS}
        assert [player.seat for player in own.players] == [seat]


def test_the_search_is_not_called_mistaken_by_a_review_of_twice_its_effort() -> None:
    """tools/measure_review.py measures it well: docs/analysis.md. Here a few rounds, with wide margins."""
    choices: list[Judged] = []
    for players in (2, 3, 4):
        for number in range(2):
            dealt = Round.deal(players, 50 + number)
            end = play_round(dealt, [named_player("search", Limits(simulations=1000))] * players, 1)
            found = review(Subject.of_rounds([end]), Limits(simulations=2000), seed=2)
            choices += [one for one in found.judged if one.searched]
    assert len(choices) > 40
    assert sum(one.verdict.mistake for one in choices) <= 2


def test_the_same_seed_gives_the_same_review_in_any_process() -> None:
    subject = Subject.of_rounds(played(2)[:1])
    first, other = (review(subject, FEW, seed=4, workers=workers).to_dict() for workers in (1, 2))
    assert first == other
    assert first["deterministic"]
    assert json.loads(json.dumps(first)) == json.loads(json.dumps(other))
    assert review(subject, FEW, seed=5).to_dict() != first


def test_progress_is_reported_piece_by_piece() -> None:
    subject = Subject.of_rounds(played(2)[:1])
    told: list[tuple[int, int]] = []
    review(subject, Limits(simulations=10), progress=lambda done, total: told.append((done, total)))
    total = len(jobs_of(subject))
    assert told == [(done, total) for done in range(1, total + 1)]
    assert total == sum(kind in ("Play", "Draw") for kind in (type(e).__name__ for e in subject.stories[0].events))


@SEATS
def test_a_review_makes_its_pieces_one_after_the_other(players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = Subject.of_rounds(played(players))
    assert subject.size == len(jobs_of(subject))
    told: list[Story] = []
    follow = Story.follow

    def noted(story: Story) -> Callable[[int, int], View]:
        told.append(story)
        return follow(story)

    monkeypatch.setattr(Story, "follow", noted)
    next(each_job(subject, FEW, 3))
    assert told == [subject.stories[0]]


# Draws


@cache
def talon_draws(players: int) -> list[TalonDraw]:
    """Those of rounds of any legal moves, which take long and empty the talon; of two players' rounds few do."""
    seeds = range(190, 250) if players == 2 else range(60)
    rounds = [play_round(Round.deal(players, seed), [named_player("random")] * players, seed) for seed in seeds]
    subjects = [Subject.of_rounds([round_]) for round_ in rounds]
    return [point for subject in subjects for point in subject.moments() if isinstance(point, TalonDraw)]


@SEATS
def test_draws_are_sampled_as_the_rules_make_them(players: int) -> None:
    passes = blocks = 0
    for talon_draw in talon_draws(players):
        open_pips = {point.pips for point in talon_draw.before.attachment_points()}
        outcomes = list(_outcomes(talon_draw.before, 1))
        assert len(outcomes) == SAMPLES
        for outcome in outcomes:
            fits = [bool({tile.low, tile.high} & open_pips) for tile in outcome.drawn]
            assert fits == [False] * (len(fits) - 1) + [outcome.fits]
            assert outcome.fits or len(outcome.drawn) == talon_draw.before.talon_size
            assert not set(outcome.drawn) & set(talon_draw.before.hand)
            view = outcome.view()
            if view is None:
                blocks += 1
                blocked = outcome.blocked(talon_draw)
                assert sum(blocked.margins) == pytest.approx(0.0)
                assert sum(blocked.chances) == pytest.approx(1.0, abs=1e-6)
                continue
            assert view.must == "play"
            assert (view.seat == talon_draw.seat) == outcome.fits
            passes += not outcome.fits
    assert passes > 0
    assert blocks > 0


def test_drawing_a_better_tile_counts_as_more_luck() -> None:
    """What the tiles drawn are worth is compared with what all tiles that might have come are worth."""
    found = []
    for talon_draw in talon_draws(2)[:12]:
        work = weigh_draw(talon_draw, Limits(simulations=400), 1)
        searcher, limits = next(work)
        try:
            while True:
                searcher, limits = work.send(searcher.run(limits))
        except StopIteration as done:
            found.append(done.value)
    for one in found:
        if one.luck is not None:
            assert one.luck == one.after - one.expected
            assert one.error > 0
            assert all(0 <= chance <= 1 for chance in one.expected.chances)
    assert len({one.luck for one in found}) > 3


# Strength


def test_strength_is_read_off_the_measured_losses() -> None:
    for players in (2, 3, 4):
        names = level_names(players)
        losses = [measured()["losses"][str(players)][name]["mean"] for name in names]
        assert names[0] == "newcomer" and names[-1] == "full"
        assert losses == sorted(losses, reverse=True)
        for place, (name, loss) in enumerate(zip(names, losses, strict=True)):
            found = strength_of([loss - 1.0, loss + 1.0] * 50, players)
            assert found is not None
            assert (found.level, found.scale) == (name, pytest.approx(place, abs=1e-9))
            assert found.low <= found.scale <= found.high
        assert strength_of([0.0] * 19, players) is None
        wide, narrow = (strength_of([0.0, 2 * losses[2]] * pairs, players) for pairs in (10, 200))
        assert wide is not None and narrow is not None
        assert wide.high - wide.low > 2 * (narrow.high - narrow.low)
        assert strength_of([100.0] * 30, players) == Strength(0.0, 0.0, 0.0, players)


def test_a_review_tells_levels_apart() -> None:
    """A careless player's decisions lose more points than those of one that thinks ahead."""
    means = []
    for level in ("level:casual", "level:full"):
        players = [named_player(level, Limits(simulations=500))] * 2
        rounds = [play_round(Round.deal(2, 70 + i), players, i) for i in range(6)]
        found = [
            one for round_ in rounds for one in review(Subject.of_rounds([round_]), Limits(simulations=500)).judged
        ]
        losses = [one.points_loss for one in found if one.searched]
        assert len(losses) > 20
        means.append(sum(losses) / len(losses))
    assert means[0] > 5 * abs(means[1])


def test_the_lead_is_worth_points() -> None:
    assert measured()["lead_margins"].keys() == {"2", "3", "4"}
    for players in (2, 3, 4):
        margins = lead_margins(players, 1)
        assert sum(margins) == pytest.approx(0.0)
        assert max(margins) == margins[1] > 2
        assert lead_margins(4, 3) == lead_margins(4, 1)


def test_measured_false_alarms_are_below_the_stated_rate() -> None:
    for row in measured()["false_alarms"].values():
        assert row["decisions"] > 100
        assert row["mistakes"] <= 0.02 * row["decisions"]


# Sources


def plain_round(round_: Round) -> dict[str, Any]:
    start = round_.start
    return {
        "players": start.players,
        "leader": start.leader,
        "hands": [list(map(str, hand)) for hand in start.hands],
        "talon": list(map(str, start.talon)),
        "scores": list(start.scores),
    }


def trace() -> str:
    """A trace of :mod:`sniffai.records.trace`: one line."""
    with open(Path(__file__).parents[2] / "data" / "rounds.jsonl", encoding="utf-8") as file:
        return next(file).strip()


def test_every_form_of_a_round_is_read_alike() -> None:
    round_ = played(2)[0]
    events = [{key: value for key, value in event.items() if key != "points"} for event in round_.events]
    expected = Subject.of_rounds([round_])
    forms = [
        format_match(MatchRecord.of([round_])),
        round_.to_text(),
        json.dumps({**plain_round(round_), "moves": list(map(str, round_.moves))}),
        json.dumps({**plain_round(round_), "events": round_.events}, indent=2),
        json.dumps({**plain_round(round_), "events": events}),
    ]
    for text in forms:
        assert read_subject(text).stories == expected.stories, text[:60]


def test_every_form_of_a_view_is_read_alike() -> None:
    view = played(3)[0].view(1)
    assert view.dealt is not None
    plain = {
        "players": 3,
        "seat": 1,
        "leader": view.leader,
        "hand": list(map(str, view.dealt)),
        "scores": list(view.scores),
        "events": [event.to_dict() for event in view.events],
    }
    for text in (view.to_text(), json.dumps(plain)):
        assert read_subject(text) == Subject.of_view(view)
    assert not Subject.of_view(view).whole


def test_traces_are_the_rounds_of_a_match() -> None:
    line = trace()
    assert len(read_subject(line).stories) == 1
    with pytest.raises(SniffError, match=r"^line 2: round 2: ") as raised:
        read_subject(f"{line}\n{line}\n")
    assert raised.value.reason in ("WRONG_SCORES", "WRONG_LEADER")
    broken = json.loads(line)
    broken["steps"][0]["points"] = 35
    with pytest.raises(SniffError, match=r"^line 1: round 1, steps\[0\]\.points: "):
        read_subject(json.dumps(broken))


def without(text: str, word: str) -> str:
    """The text without its first line that begins with a word."""
    lines = text.splitlines()
    lines.remove(next(line for line in lines if line.startswith(word)))
    return "\n".join(lines)


def broken_texts() -> dict[str, tuple[str, str, str]]:
    """By name: a text that cannot be reviewed, the field told, the reason."""
    round_ = played(2)[0]
    record = format_match(MatchRecord.of(played(2)))
    plain = plain_round(round_)
    moves = list(map(str, round_.moves))
    view = round_.view(0)
    number = record.splitlines().index(next(line for line in record.splitlines() if line.startswith("end "))) + 1
    return {
        "empty": ("", "Players", "UNREADABLE"),
        "no round": ('[Players "2"]\n', "rounds", "NO_ROUNDS"),
        "no tag": (without(record, "[Players"), "Players", "UNREADABLE"),
        "no end": (without(record, "end "), f"line {number}", "UNREADABLE"),
        "a long number": (f'{{"players": 2,\n "scores": [{"1" * 5000}]}}', "line 2", "UNREADABLE"),
        "no json": ('{"players": 2,\n "hands": [}', "line 2", "UNREADABLE"),
        "a snapshot": (snapshot(round_), "view", "NO_EVENTS"),
        "nothing known": ('{"cards": []}', "", "UNREADABLE"),
        "a field too many": (json.dumps({**plain, "moves": moves, "cheat": 1}), "cheat", "UNKNOWN_FIELD"),
        "a field without a name": (json.dumps({**plain, "moves": moves, "": 1}), "''", "UNKNOWN_FIELD"),
        "a field's name with escapes": (json.dumps({**plain, "\x1b[2J": 1}), r"'\x1b[2J'", "UNKNOWN_FIELD"),
        "a field too few": (json.dumps({"hands": plain["hands"], "moves": moves}), "players", "MISSING_FIELD"),
        "no moves": (json.dumps({**plain, "moves": 3}), "moves", "WRONG_TYPE"),
        "a wrong move": (json.dumps({**plain, "moves": [*moves[:2], moves[0]]}), "moves[2].tile", "TILE_ON_TABLE"),
        "a broken view": (view.to_text().replace("leader=", "leader=9"), "leader", "SEAT_OUT_OF_RANGE"),
    }


def snapshot(round_: Round) -> str:
    start = Round.from_deal(round_.start)
    start.play(round_.moves[0])
    return View.from_snapshot(
        players=2,
        seat=start.seat,
        placements=start.moves,
        hand=start.hands[start.seat],
        hand_sizes=[len(hand) for hand in start.hands],
        talon_size=len(start.talon),
        scores=start.scores,
    ).to_text()


@pytest.mark.parametrize("name", broken_texts())
def test_broken_texts_are_reported_with_their_place(name: str) -> None:
    text, field, reason = broken_texts()[name]
    with pytest.raises(SniffError) as raised:
        read_subject(text)
    assert (raised.value.field, raised.value.reason) == (field, reason)


def test_a_false_record_is_reported_with_line_round_and_event() -> None:
    lines = format_match(MatchRecord.of(played(2))).splitlines()
    at = next(i for i, line in enumerate(lines) if " +" in line)
    lines[at] = lines[at].replace(" +", " +5")
    with pytest.raises(SniffError, match=rf"^line {at + 1}: round \d+, event \d+: the count is ") as raised:
        read_subject("\n".join(lines))
    assert raised.value.reason == "WRONG_POINTS"


def test_rounds_must_follow_each_other() -> None:
    first, second, *_ = played(2)
    for rounds, reason in (
        ([second, first], "WRONG_SCORES"),
        ([first, played(3)[0]], "WRONG_PLAYERS"),
        ([played(2)[-1], first], "MATCH_OVER"),
        ([Round.deal(2, 1), first], "ROUND_UNFINISHED"),
        ([], "NO_ROUNDS"),
        ([first, "no round"], "WRONG_TYPE"),
    ):
        with pytest.raises(SniffError) as raised:
            Subject.of_rounds(rounds)  # type: ignore[arg-type]
        assert raised.value.reason == reason
    assert first.went_out is not None or first.blocked
    if first.went_out is not None:
        other = Round.deal(2, 1, leader=1 - first.went_out, scores=first.scores)
        with pytest.raises(SniffError, match=r"^rounds\[1\]\.leader: seat"):
            Subject.of_rounds([first, other])


def test_a_part_of_a_match_may_begin_anywhere() -> None:
    rounds = played(2)[1:4]
    found = review(Subject.of_rounds(rounds), FEW)
    assert found.account.residual < 1e-9
    assert found.account.start.chances == load(2).chance(rounds[0].start.scores, rounds[0].start.leader)
    assert max(rounds[-1].scores) < TARGET[2]
    assert 0 < found.account.result.chances[0] < 1


def test_values_are_added_by_team() -> None:
    one, other = Value((0.25, 0.75), (1.0, -1.0)), Value((0.5, 0.5), (-2.0, 2.0))
    assert one + other == Value((0.75, 1.25), (-1.0, 1.0))
    assert (one - other) + other == one
    assert Value.mean([one, other]) == Value((0.375, 0.625), (-0.5, 0.5))
    assert Value.total([], 2) == Value.zero(2)


def test_jobs_run_in_any_order_give_the_same_review() -> None:
    jobs = jobs_of(Subject.of_rounds(played(2)[:1]), FEW, 3)
    results = [run_job(job) for job in reversed(jobs)]
    judged = [result for result in reversed(results) if isinstance(result, Judged)]
    whole = review(Subject.of_rounds(played(2)[:1]), FEW, seed=3)
    assert [decision_dict(one) for one in judged] == [decision_dict(one) for one in whole.judged]
    assert [job.forced for job in jobs if isinstance(job.moment, Placement)] == [not one.searched for one in judged]
