"""What the numbers of a move are worth: the packaged weights, and the tool that fits them."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import sniffai
from sniffai.explain.facts import Facts
from sniffai.explain.worth import NUMBERS, numbers_of, weights

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(name="tool", scope="module")
def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("measure_reasons", ROOT / "tools" / "measure_reasons.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_number_has_a_weight_of_at_least_0(players: int) -> None:
    assert list(weights(players)) == list(NUMBERS)
    assert min(weights(players).values()) >= 0.0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_numbers_of_a_move_are_among_those_with_a_weight(players: int) -> None:
    round_ = sniffai.Round.deal(players, 5)
    while not round_.over:
        facts = Facts(round_.view(round_.seat))
        for move in facts.moves:
            numbers = numbers_of(facts, move)
            assert set(numbers) <= set(NUMBERS)
            assert all(numbers.values())
        round_.play(round_.legal_moves()[0])


def test_a_fit_finds_the_weights_that_made_the_data(tool: ModuleType) -> None:
    lots = np.random.default_rng(1)
    true = np.linspace(0.0, 2.0, len(NUMBERS))
    numbers = lots.normal(size=(2000, len(NUMBERS)))
    margins = numbers @ true + lots.normal(scale=0.5, size=2000)
    pairs = tool.Pairs(numbers, margins, np.full(2000, 0.5))
    assert tool.fitted(pairs) == pytest.approx(true, abs=0.06)
    told = tool.explained(pairs)
    assert told["r2"] == pytest.approx(1 - 0.25 / margins.var(), abs=0.01)
    assert told["noise"] == pytest.approx(0.25 / margins.var(), abs=0.01)


def test_an_interrupted_gathering_goes_on(tool: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "decisions.jsonl"
    asked = ["--decisions", "6", "--simulations", "200"]
    first = tool.gather(tool.options([str(file), *asked]))
    assert {one["players"] for one in first} == {2, 3, 4}
    kept = file.read_text(encoding="utf-8")
    assert tool.gather(tool.options([str(file), *asked])) == first
    assert file.read_text(encoding="utf-8") == kept
    more = tool.gather(tool.options([str(file), "--decisions", "60", "--simulations", "200"]))
    assert more[: len(first)] == first
    assert len(more) >= 60
