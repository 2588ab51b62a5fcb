"""After few simulations what is not known is told as unknown: in the library, on the wire, in JSON, tables, reasons."""

import json
import math
from collections.abc import Iterator

import pytest

import sniffai
from sniffai import Limits, Round, View, analyze, wire
from sniffai.cli.group import run
from sniffai.explain import compare, prospect, reasons, render
from sniffai.review import Subject, Verdict, review
from sniffai.search.candidates import distinct_moves

SEATS = pytest.mark.parametrize("players", [2, 3, 4])
FEW = [1, 2, 3, 4, 5, 10, 29]


def decisions(players: int, count: int = 12) -> Iterator[View]:
    """Decisions of rounds, at all stages."""
    for deal in range(100):
        round_ = Round.deal(players, deal)
        while not round_.over:
            view = round_.view(round_.seat)
            if len(distinct_moves(view)) > 1 and len(round_.moves) % 5 == deal % 5:
                yield view
                count -= 1
                if not count:
                    return
            round_.play(round_.legal_moves()[-1])


@SEATS
@pytest.mark.parametrize("simulations", FEW)
def test_unknown_values_are_none(players: int, simulations: int) -> None:
    for view in decisions(players):
        found = analyze(view, Limits(simulations=simulations), seed=1)
        if found.source == "exact":
            continue
        for value in [*found.root_values, *(value for entry in found.moves for value in entry.values)]:
            assert value.standard_error is value.standard_deviation is value.win_probability_error is None
        for entry in found.moves:
            assert entry.standard_error is entry.win_probability_error is entry.best_probability is None
            assert not entry.loss_significant
            assert (entry.loss, entry.win_probability_loss) == ((0, 0) if entry.rank == 1 else (None, None))
        assert prospect(view, found) == prospect(view, found, found.moves[-1].move) == ()
        for reason in [*reasons(view, found), *compare(view, found, found.moves[-1].move)]:
            assert "best play" not in render(reason)


@SEATS
@pytest.mark.parametrize("simulations", [30, 60, 120])
def test_a_known_value_has_an_error_above_0(players: int, simulations: int) -> None:
    known = 0
    for view in decisions(players):
        found = analyze(view, Limits(simulations=simulations), seed=1)
        if found.source == "exact":
            continue
        tried = all(entry.visits for entry in found.moves)
        for entry in found.moves:
            assert (entry.standard_error is None) == (entry.visits < 5)
            assert (entry.best_probability is None) == (not tried)
            assert entry.standard_error is None or entry.standard_error > 0
            known += entry.standard_error is not None
            if entry.rank > 1 and min(entry.visits, found.moves[0].visits) < 5:
                assert (entry.loss, entry.loss_significant) == (None, False)
        if tried:
            assert math.fsum(entry.best_probability or 0 for entry in found.moves) == pytest.approx(1)
        for part in prospect(view, found):
            assert part.error is not None
            assert part.error > 0
            assert "best play" not in render(part)
    assert known


def test_only_solved_rounds_speak_of_best_play() -> None:
    """With errors that are truly 0."""
    said = 0
    for deal in range(60):
        round_ = Round.deal(2, deal)
        while not round_.over:
            view = round_.view(round_.seat)
            if not view.talon_size and len(distinct_moves(view)) > 1:
                found = analyze(view, Limits(simulations=50))
                texts = [render(part) for part in prospect(view, found)]
                assert found.source == "exact"
                assert {entry.standard_error for entry in found.moves} == {0.0}
                assert all(entry.best_probability is not None for entry in found.moves)
                said += any("With best play" in text for text in texts)
            round_.play(round_.legal_moves()[0])
    assert said


def test_one_considered_move_is_unknown_too() -> None:
    view = next(decisions(2))
    found = analyze(view, Limits(simulations=5), include_moves=[distinct_moves(view)[0]])
    (only,) = found.moves
    assert (only.visits, only.standard_error, only.best_probability) == (5, None, None)
    assert analyze(view, Limits(simulations=30), include_moves=[only.move]).moves[0].best_probability == 1


def test_the_wire_and_json_mark_unknown_values() -> None:
    view = next(decisions(3))
    for simulations, unknown in ((3, True), (3000, False)):
        found = analyze(view, Limits(simulations=simulations))
        message = wire.write_analysis(found)
        first = message.moves[0]
        assert {value.errors_unknown for value in [*first.values, *message.root_values]} == {unknown}
        assert first.HasField("best_probability") is not unknown
        assert message.moves[1].HasField("loss") is not unknown
        told = json.loads(wire.to_json(message))["moves"][0]
        for value in told["values"]:
            errors = [value["standard_error"], value["standard_deviation"], value["win_probability_error"]]
            assert errors == [None] * 3 if unknown else all(errors)
        assert ("best_probability" in told) is not unknown
        assert wire.from_json(wire.to_json(message), type(message)) == message


def test_the_command_line_marks_unknown_values(capsys: pytest.CaptureFixture[str], tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "view.txt"
    file.write_text(next(decisions(2)).to_text(), encoding="utf-8")
    assert run(["recommend", str(file), "--simulations", "2"]) == 0
    told = capsys.readouterr().out
    assert "?: not known after so few simulations" in told
    assert "best play" not in told
    assert "±" in told
    assert run(["recommend", str(file), "--simulations", "2000"]) == 0
    assert "not known after" not in capsys.readouterr().out


@SEATS
def test_a_review_with_few_simulations_finds_no_mistakes_in_good_play(players: int) -> None:
    """Each survey has enough of them to know something of every move."""
    player = sniffai.play.players.SearchPlayer(Limits(simulations=1000))
    round_ = Round.deal(players, 901)
    number = 0
    while not round_.over:
        round_.play(player.choose(round_.view(round_.seat), number))
        number += 1
    found = review(Subject.of_rounds([round_]), Limits(simulations=1), seed=2)
    assert not [one for one in found.judged if one.verdict.mistake]
    assert sum(one.verdict is not Verdict.NONE for one in found.judged) <= 2
    for one in found.judged:
        if one.source == "search":
            assert one.best is not None
            assert one.played is not None
            assert one.simulations >= 30 * len(distinct_moves(one.placement.view))
            assert one.best.standard_error is not None
            assert one.played.standard_error is not None
