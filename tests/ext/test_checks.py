"""The doors of the core: what they take, what they refuse, and that nothing that they are given crashes the process."""

import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sniffai.errors import SniffError
from sniffai.search.nets import load_policy
from sniffai_ext.belief import Belief
from sniffai_ext.checks import as_real, as_whole, read_flag, read_real, read_whole
from sniffai_ext.errors import LimitsError, TileError
from sniffai_ext.layout import Layout
from sniffai_ext.round import Round
from sniffai_ext.search import Search
from sniffai_ext.search_options import SearchOptions
from sniffai_ext.solver import Solver
from sniffai_ext.tree_params import RANGES, TreeParams
from sniffai_ext.view import View
from sniffai_ext.worlds import Pool, weighted_worlds
from tests.ext.hostile import HANDS, ROUND, view

ROOT = Path(__file__).parents[2]


def test_the_core_neither_crashes_on_nor_accepts_what_is_not_a_number() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.ext.hostile"], cwd=ROOT, capture_output=True, text=True, timeout=500, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_a_whole_number_is_whatever_has_an_index(kind: Any) -> None:
    assert (as_whole(kind(7)), type(as_whole(kind(7)))) == (7, int)
    assert (as_real(kind(7)), type(as_real(kind(7)))) == (7, int)
    assert read_whole(np.array(7, kind), "n", 0, 9) == 7


@pytest.mark.parametrize("value", [True, np.True_, 1.0, np.float32(1), "1", None, Fraction(1)])
def test_values_that_are_not_whole_numbers(value: object) -> None:
    assert as_whole(value) is None
    with pytest.raises(LimitsError) as error:
        read_whole(value, "n", 0, 9)
    assert (error.value.field, error.value.reason) == ("n", "NOT_A_NUMBER")


def test_a_real_number_is_a_plain_one_afterwards() -> None:
    assert (as_real(np.float32(0.5)), type(as_real(np.float32(0.5)))) == (0.5, float)
    assert (as_real(np.float64(0.5)), type(as_real(np.float64(0.5)))) == (0.5, float)
    assert as_real(Fraction(1, 4)) == 0.25
    assert [as_real(value) for value in (True, np.False_, "1", None, 1j)] == [None] * 5
    assert read_flag(np.True_, "f") is True


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.1, 10**400, -(10**400), np.float32(math.nan)])
def test_nan_and_what_is_too_large_are_in_no_range(value: float) -> None:
    with pytest.raises(LimitsError) as error:
        read_real(value, "x", 0.0, 1.0)
    assert error.value.reason == "OUT_OF_RANGE"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("exploration", value) for value in (-1.0, math.nan, math.inf, 10**400)),
        *(("root_exploration", value) for value in (-1.0, math.nan)),
        *(("by_spread", value) for value in (-1.0, math.nan)),
        *((name, value) for name in ("root_share", "epsilon", "follow") for value in (-0.01, 1.01, math.nan)),
        *(("memory_bytes", value) for value in (-1, 2**63, 10**30)),
        *(("expected", value) for value in (-1, 2**63)),
        *((name, value) for name in ("pool_size", "extra_size") for value in (-5, 1_000_001, 2**31, 10**30)),
        *(("revisit", value) for value in (-0.01, 1.01, math.nan)),
        *(("floor", value) for value in (0.0, 1e-50, 1.5, math.nan)),
        *((name, "yes") for name in ("match", "common_worlds")),
    ],
)
def test_a_search_checks_every_range_it_names(name: str, value: Any) -> None:
    kind: Any = TreeParams if name in (*RANGES, "common_worlds") else SearchOptions
    with pytest.raises(LimitsError) as error:
        kind(**{name: value})
    assert error.value.field == name


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_search_checks_its_seed(seed: int) -> None:
    with pytest.raises(LimitsError) as error:
        Search(view(), seed)
    assert error.value.field == "seed"


@pytest.mark.parametrize("name", [*RANGES, "common_worlds"])
def test_options_check_parameters_that_were_changed_behind_their_checks(name: str) -> None:
    params = TreeParams()
    object.__setattr__(params, name, math.nan)
    with pytest.raises(LimitsError) as error:
        SearchOptions(params)
    assert error.value.field == name


@pytest.mark.parametrize("wrong", [0.0, -1.0, math.nan, math.inf, "3"])
def test_a_temperature_is_above_zero(wrong: Any) -> None:
    for place in range(3):
        temperatures = [3.0, 3.0, 3.0]
        temperatures[place] = wrong
        with pytest.raises(LimitsError) as error:
            SearchOptions(temperatures=tuple(temperatures))
        assert error.value.field == f"temperatures[{place}]"
        with pytest.raises(LimitsError) as error:
            weighted_worlds(view(), 10, 1, load_policy(2), temperatures)
        assert error.value.field == f"temperatures[{place}]"
    with pytest.raises(LimitsError):
        SearchOptions(temperatures=(3.0, 3.0))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("simulations", value) for value in (0, -1, 2**63)),
        ("seconds", math.nan),
        *(("goal", value) for value in (-0.1, 1.1, math.nan)),
        *(("precision", value) for value in (-1.0, math.nan)),
        *(("trees", value) for value in (0, -1, 10**30)),
    ],
)
def test_a_run_checks_its_limits(name: str, value: Any) -> None:
    with pytest.raises(LimitsError) as error:
        Search(view(), 1).run(**({"simulations": 10, "seconds": 1.0} | {name: value}))
    assert error.value.field == name


@pytest.mark.parametrize("tile", [28, 255, -1, 2**40])
def test_a_tile_that_is_none_is_in_no_world_and_no_talon(tile: int) -> None:
    now = view()
    with pytest.raises(SniffError):
        Search(now, 1, world=([now.hand, 0], [tile] * now.talon_size))
    with pytest.raises(TileError) as error:
        Round(*ROUND[:2], [*ROUND[2][:-1], tile], *ROUND[3:])
    assert error.value.field == "talon[13]"
    with pytest.raises(SniffError):
        View(2, 0, 0, 1 << 28 | 0b111111, [0, 0])
    with pytest.raises(TileError):
        Layout().fits(1 << 28)


def test_objects_made_by_new_alone_do_not_crash() -> None:
    for kind in (Belief, Search, Solver):
        with pytest.raises(TypeError):
            kind.__new__(kind)
    nobody = Round.__new__(Round)
    assert (nobody.over, nobody.legal_moves(), nobody.perft(3)) == (True, [], 0)
    with pytest.raises(SniffError):
        Solver(table_bytes=64).solve(nobody, 10)
    unseen = View.__new__(View)
    assert (unseen.over, unseen.must, unseen.legal_moves()) == (True, "over", [])
    with pytest.raises(SniffError):
        Belief(unseen)
    with pytest.raises(RuntimeError):
        Pool().worlds()


def test_a_round_and_a_view_are_made_once() -> None:
    round_ = Round(*ROUND)
    round_.play(0, -1)
    with pytest.raises(TypeError, match="again"):
        round_.__init__(*ROUND)  # type: ignore[misc]
    assert round_.layout.placements() == [(0, -1)]
    seen = View(2, 0, 0, HANDS[0], [0, 0])
    with pytest.raises(TypeError, match="again"):
        seen.__init__(2, 1, 0, HANDS[1], [0, 0])  # type: ignore[misc]
    assert seen.seat == 0
