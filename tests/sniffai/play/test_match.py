"""Matches with people and levels: the rules, take-back, saving and resuming, and nothing hidden for any seat."""

import copy
import pickle
import random
from dataclasses import replace
from itertools import pairwise

import pytest

from sniffai import MatchRecord, NotationError, RecordError, Round, SniffError, View
from sniffai.play.match import HUMAN, Match, MatchSetup, Situation
from sniffai.play.saves import resume_match, save_match
from sniffai.rules import PLAYERS, TARGET, TEAMS
from sniffai.search.candidates import distinct_moves

LEVELS = ("greedy", "random", "level:casual")


def setup(players: int, seed: int = 1, **given: object) -> MatchSetup:
    return MatchSetup((HUMAN, *LEVELS[: players - 1]), seed, **given)  # type: ignore[arg-type]


def person(situation: Situation) -> str:
    """A person who always finds the same move in the same position."""
    view = situation.view
    return str(random.Random(view.to_text()).choice(view.legal_moves()))


def go_on(match: Match, placements: int = 10_000) -> Match:
    """Play on: as many placements of seat 0 as asked for, or to the end of the match."""
    while not match.over:
        if match.step():
            continue
        if match.to_move is None:
            match.next_round()
            continue
        if not placements:
            break
        placements -= 1
        match.place(0, person(match.situation(0)))
    return match


@pytest.mark.parametrize("players", PLAYERS)
def test_a_match_runs_to_the_target_by_the_rules(players: int) -> None:
    match = go_on(Match(setup(players)))
    rounds = match.record().replay()
    assert (match.over, match.to_move, match.asked(), match.step()) == (True, None, None, False)
    assert match.winner == rounds[-1].match_winner
    assert rounds[0].start.scores == (0,) * TEAMS[players]
    assert max(rounds[-1].scores) >= TARGET[players]
    for before, after in pairwise(rounds):
        assert after.start.scores == before.scores
        assert before.went_out in (None, after.start.leader)
    with pytest.raises(SniffError, match="the match is over"):
        match.next_round()


def test_the_situation_after_a_round_tells_settlement_and_next_leader() -> None:
    match = Match(setup(3, 5))
    while match.to_move is not None:
        if not match.step():
            match.place(0, person(match.situation(0)))
    told = match.situation(0)
    (round_,) = match.rounds
    assert told.view.over
    assert (told.settlement, told.scores, told.winner) == (round_.settlement, round_.scores, None)
    match.next_round()
    assert match.rounds[1].start.leader == told.next_leader
    assert match.situation(0).round == 1


def test_scores_to_start_from() -> None:
    match = Match(setup(2, scores=(245, -20)))
    assert match.situation(0).scores == (245, -20)
    with pytest.raises(SniffError, match="250"):
        Match(setup(2, scores=(250, 0)))


def test_a_placement_out_of_turn_or_against_the_rules_changes_nothing() -> None:
    match = Match(MatchSetup((HUMAN, HUMAN), 3))
    seat = match.to_move
    assert seat is not None
    before = save_match(match)
    lead = match.situation(seat).view.hand[0]
    other = match.situation(1 - seat).view.hand[0]
    for wrong, move, reason in (
        (1 - seat, str(other), "WRONG_SEAT"),
        (seat, str(other), "TILE_NOT_IN_HAND"),
        (7, str(lead), "SEAT_OUT_OF_RANGE"),
    ):
        with pytest.raises(SniffError) as caught:
            match.place(wrong, move)
        assert caught.value.reason == reason
    with pytest.raises(SniffError) as caught:
        match.next_round()
    assert caught.value.reason == "ROUND_UNFINISHED"
    assert save_match(match) == before


@pytest.mark.parametrize(
    ("seats", "given", "reason", "field"),
    [
        (("human",), {}, "PLAYERS_OUT_OF_RANGE", "seats"),
        (("human", "nobody"), {}, "UNKNOWN_PLAYER", "seats[1]"),
        (["human", "greedy"], {}, "WRONG_TYPE", "seats"),
        (("human", "greedy"), {"seed": -1}, "OUT_OF_RANGE", "seed"),
        (("human", "greedy"), {"simulations": 0}, "OUT_OF_RANGE", "simulations"),
        (("human", "greedy"), {"practice": 2}, "NOT_A_FLAG", "practice"),
    ],
)
def test_a_setup_that_cannot_be(seats: tuple[str, ...], given: dict[str, object], reason: str, field: str) -> None:
    with pytest.raises(SniffError) as caught:
        Match(MatchSetup(seats, **given))  # type: ignore[arg-type]
    assert (caught.value.reason, caught.value.field) == (reason, field)


# What a level and a seat see


@pytest.mark.parametrize("players", PLAYERS)
def test_a_level_is_asked_with_its_own_view_and_a_seed_of_its_own(players: int) -> None:
    match, seeds, asked = Match(setup(players, 2)), [], 0
    while len(match.rounds) < 3:
        question = match.asked()
        if question is not None:
            player, view, seed = question
            assert view == match.rounds[-1].view(match.to_move or 0)
            expected = player.choose(view, seed)
            assert match.step()
            assert match.rounds[-1].moves[-1] == expected
            seeds.append(seed)
            asked += 1
        elif not match.step():
            if match.to_move is None:
                match.next_round()
            else:
                match.place(0, person(match.situation(0)))
    assert asked == len(set(seeds)) > 5


def swapped(round_: Round, one: int, other: int) -> Round | None:
    """The same round, in which two tiles hidden from seat 0 change places; ``None`` where its history forbids that."""
    start = round_.start
    first, second = start.talon[one], start.hands[1][other]
    hand = tuple(sorted((*start.hands[1][:other], first, *start.hands[1][other + 1 :])))
    talon = (*start.talon[:one], second, *start.talon[one + 1 :])
    new = Round.from_deal(replace(start, hands=(start.hands[0], hand, *start.hands[2:]), talon=talon))
    try:
        for move in round_.moves:
            new.play(move)
    except SniffError:
        return None
    return new if new.view(0) == round_.view(0) else None


@pytest.mark.parametrize("players", PLAYERS)
def test_what_a_seat_is_told_does_not_depend_on_hidden_tiles(players: int) -> None:
    compared = 0
    for seed in range(6):
        match = go_on(Match(setup(players, seed, practice=True)), 2)
        if match.to_move != 0:
            continue
        (*before, round_) = match.rounds
        for one in range(len(round_.start.talon)):
            other = swapped(round_, one, 0)
            if other is None:
                continue
            twin = Match(match.setup, [*before, other])
            assert twin.situation(0) == match.situation(0)
            assert twin.record_for(0) == match.record_for(0)
            assert (twin.take_back(0), twin.situation(0)) == (
                (mine := match.copy()).take_back(0),
                mine.situation(0),
            )
            compared += 1
    assert compared > 5


def test_a_seat_takes_home_its_views_and_after_the_end_the_record() -> None:
    match = go_on(Match(setup(2)), 12)
    taken = match.record_for(0)
    assert isinstance(taken, tuple)
    assert [type(part) for part in taken] == [View] * len(match.rounds)
    assert [part.seat for part in taken] == [0] * len(match.rounds)
    assert isinstance(go_on(match).record_for(0), MatchRecord)


# Take-back


@pytest.mark.parametrize("players", PLAYERS)
def test_a_take_back_leads_to_the_last_decision_and_the_same_placements_to_the_same_match(players: int) -> None:
    match = Match(setup(players, 4, practice=True))
    kept = []
    for _ in range(12):
        go_on(match, 0)
        if len(distinct_moves(match.situation(0).view)) > 1:
            kept.append(save_match(match))
        match.place(0, person(match.situation(0)))
    end = save_match(go_on(match, 0))
    assert len(kept) > 5
    for text in reversed(kept):
        assert match.take_back(0)
        assert save_match(match) == text
    assert not match.take_back(0)
    assert save_match(go_on(match, 12)) == end


def test_a_match_that_was_won_can_be_taken_back() -> None:
    match = go_on(Match(setup(2, practice=True)))
    assert match.take_back(0)
    assert (match.over, match.to_move) == (False, 0)


def test_only_practice_has_a_take_back() -> None:
    match = go_on(Match(setup(2)), 3)
    with pytest.raises(SniffError) as caught:
        match.take_back(0)
    assert caught.value.reason == "NOT_PRACTICE"


# Saving


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("placements", [0, 3, 9])
def test_a_match_resumed_in_mid_round_is_the_uninterrupted_one(players: int, placements: int) -> None:
    match = go_on(Match(setup(players, 6)), placements)
    other = resume_match(save_match(match))
    assert other == match
    assert save_match(go_on(other)) == save_match(go_on(match))


def test_a_saved_match_of_a_search_goes_on_the_same() -> None:
    match = go_on(Match(MatchSetup((HUMAN, "search"), 6, simulations=30)), 4)
    other = resume_match(save_match(match))
    assert go_on(other, 6) == go_on(match, 6)


def test_a_saved_match_between_two_rounds_and_after_the_end() -> None:
    match = Match(setup(2, 8))
    while match.to_move is not None:
        if not match.step():
            match.place(0, person(match.situation(0)))
    assert resume_match(save_match(match)) == match
    assert resume_match(save_match(go_on(match))) == match


def damaged(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ('[Seed "6"]\n', "", "Seed"),
        ('[Seed "6"]', '[Seed "six"]', "Seed"),
        ('[Seed "6"]', f'[Seed "{2**256}"]', "seed"),
        ('[Seed "6"]', '[Seed "7"]', "line 9: round 1"),
        ('"no"', '"perhaps"', "Practice"),
        ('[Simulations "50000"]', '[Simulations "0"]', "simulations"),
        ('"greedy"', '"nobody"', "seats[1]"),
        ('[Seat1 "greedy"]\n', "", "Seat1"),
        ("end unfinished", "end blocked", "line 38: round 1, ending"),
        ("before 0 0", "before 0 99999", "scores[1]"),
        ("before 0 0", "before 0 5", "line 39: round 1, after"),
    ],
)
def test_a_damaged_file_says_what_is_wrong(old: str, new: str, field: str) -> None:
    text = save_match(go_on(Match(setup(2, 6)), 9))
    with pytest.raises(RecordError) as caught:
        resume_match(damaged(text, old, new))
    assert caught.value.field == field


def test_every_cut_of_a_file_is_refused() -> None:
    text = save_match(go_on(Match(setup(2, 6)), 9))
    lines = text.splitlines(keepends=True)
    for length in range(len(lines)):
        with pytest.raises((RecordError, NotationError)):
            resume_match("".join(lines[:length]))


# Values


def test_a_match_copies_pickles_and_compares() -> None:
    match = go_on(Match(setup(2, 6)), 9)
    for other in (copy.copy(match), copy.deepcopy(match), pickle.loads(pickle.dumps(match))):
        assert other == match
        go_on(other)
        assert other != match
    assert match != object()
    assert "round" in repr(match)
    with pytest.raises(TypeError, match="unhashable"):
        hash(match)
