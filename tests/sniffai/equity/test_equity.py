"""Match equity: what the shipped tables hold to, their check against played matches, building, the command line."""

import json
from importlib import resources
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner

from sniffai import Round, SniffError
from sniffai.cli.group import group, run
from sniffai.equity import Equity, lead_value, load, read_equity, save_equity
from sniffai.lab.equity.build import LOWEST, EquityPlan, build, signature
from sniffai.lab.equity.check import CheckResult, Comparison, Standing, WinTaker, check, held_out
from sniffai.lab.equity.rounds import play_rounds
from sniffai.play.levels import named_player
from sniffai.rules import TARGET, TEAMS
from sniffai.search.params import Limits
from sniffai_ext.equity import Equity as CoreEquity

QUANTUM = 1 / 65_535
MOST_ERROR = {2: 0.003, 3: 0.005, 4: 0.003}
SEATS = (2, 3, 4)


def all_chances(equity: Equity) -> npt.NDArray[np.float64]:
    lead = np.asarray(equity.core.lead, np.float64)
    known = lead if lead.ndim == 4 else lead[..., None]
    return np.concatenate([known, 1 - known.sum(axis=-1, keepdims=True)], axis=-1)


def wrong(equity: Equity, chances: npt.NDArray[np.float64]) -> Equity:
    """The same table with other chances."""
    core = CoreEquity(equity.players, np.clip(chances, 0, 1), equity.lowest)
    return Equity(core, equity.errors, equity.made)


@pytest.fixture(scope="module")
def small() -> Equity:
    """A table from few rounds."""
    return build(EquityPlan(2, 3000, seed=4, lowest=-40))


# The shipped tables


@pytest.mark.parametrize("players", SEATS)
def test_more_points_never_hurt(players: int) -> None:
    """Nobody's chance falls with its own score or rises with another's, but for the rounding of the third of three."""
    chances = all_chances(load(players))
    for team, scored in product(range(chances.shape[-1]), repeat=2):
        steps = np.diff(chances[..., team], axis=scored)
        slack = 2.01 * QUANTUM if team == 2 else 1e-7
        assert (steps if team == scored else -steps).min() >= -slack


@pytest.mark.parametrize("players", SEATS)
def test_every_chance_is_one_and_together_they_are_certain(players: int) -> None:
    equity = load(players)
    for chances in (all_chances(equity), equity.core.random_lead):
        assert chances.min() >= -1e-7
        assert chances.max() <= 1
    for scores in product((equity.lowest, -5, 100, equity.highest), repeat=TEAMS[players]):
        for leader in (None, *range(players)):
            assert min(equity.chance(scores, leader)) >= 0
    for standing in held_out(equity, 20, 1):
        assert sum(equity.chance(*standing)) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("players", SEATS)
def test_nobody_is_ahead_at_equal_scores_when_the_lead_goes_by_lot(players: int) -> None:
    equity, teams = load(players), TEAMS[players]
    for points in range(equity.lowest, TARGET[players], 5):
        assert equity.chance((points,) * teams) == pytest.approx((1 / teams,) * teams, abs=2e-5)
        assert max(equity.chance((points,) * teams, 0)) == equity.chance((points,) * teams, 0)[0]


@pytest.mark.parametrize("players", SEATS)
def test_seats_are_alike(players: int) -> None:
    """Scores and leader moved on by a seat give the same chances, moved on too."""
    equity, teams = load(players), TEAMS[players]
    for standing in held_out(equity, 50, 3):
        scores, leader = standing
        moved = equity.chance(scores[-1:] + scores[:-1], (leader + 1) % players)
        assert moved == pytest.approx(np.roll(equity.chance(scores, leader), 1), abs=1e-6)
        lot = np.mean([equity.chance(scores, lead) for lead in range(players)], axis=0)
        assert equity.chance(scores) == pytest.approx(lot, abs=1e-6)
        assert len(equity.chance(scores)) == teams


@pytest.mark.parametrize("players", SEATS)
def test_a_table_says_how_it_was_made_and_where_it_holds(players: int) -> None:
    equity = load(players)
    made = equity.made
    assert made["command"].startswith(f"sniffai equity build --seats {players} --rounds {made['rounds']} --seed")
    assert made["signature"] == signature(made["player"], players)
    assert 0 < made["mean_error"] < made["largest_error"] <= MOST_ERROR[players]
    assert equity.errors.max() <= MOST_ERROR[players]
    assert 5 < lead_value(equity) < 15


def test_the_shipped_tables_are_small() -> None:
    data = Path(str(resources.files("sniffai"))) / "data"
    assert sum(file.stat().st_size for file in data.glob("equity-*.npz")) < 2_000_000


@pytest.mark.parametrize("players", SEATS)
def test_equity_is_constant_below_the_lowest_score(players: int) -> None:
    """Documented: five points matter less than 0.8 % there against others at 0, and it is where matches rarely get."""
    equity, teams = load(players), TEAMS[players]
    bottom = [equity.lowest, *[0] * (teams - 1)]
    assert equity.chance([equity.lowest - 300, *bottom[1:]], 0) == equity.chance(bottom, 0)
    gain = equity.chance([equity.lowest + 5, *bottom[1:]], 0)[0] - equity.chance(bottom, 0)[0]
    assert 0 < gain < 0.008


def test_scores_between_two_steps_need_as_many_fives() -> None:
    core = load(2).core
    assert core.chance((118, 96), 0) == core.chance((115, 95), 0)
    assert core.chance((-3, 0), 0) == core.chance((-5, 0), 0)


def test_a_won_match_is_certain() -> None:
    assert load(2).chance((250, 245), 1) == (1, 0)
    assert load(2).error((250, 245), 1) == (0, 0)
    assert load(3).chance((195, 195, 230)) == (0, 0, 1)


@pytest.mark.parametrize(
    ("players", "scores", "leader", "reason", "field"),
    [
        (2, (1,), 0, "WRONG_NUMBER_OF_SCORES", "scores"),
        (3, (1, 2), 0, "WRONG_NUMBER_OF_SCORES", "scores"),
        (4, (1, 2, 3, 4), 0, "WRONG_NUMBER_OF_SCORES", "scores"),
        (2, (1, "2"), 0, "NOT_A_NUMBER", "scores[1]"),
        (2, (1, 99_999), 0, "NUMBER_OUT_OF_RANGE", "scores[1]"),
        (2, (1, 5), 0, "NOT_A_MULTIPLE_OF_5", "scores[0]"),
        (2, 7, 0, "NOT_NUMBERS", "scores"),
        (2, (250, 250), 0, "SCORE_PAST_TARGET", "scores"),
        (2, (0, 0), 2, "SEAT_OUT_OF_RANGE", "leader"),
        (2, (0, 0), -1, "SEAT_OUT_OF_RANGE", "leader"),
        (2, (0, 0), "0", "NOT_A_NUMBER", "leader"),
    ],
)
def test_bad_scores_are_named(players: int, scores: Any, leader: Any, reason: str, field: str) -> None:
    for ask in (load(players).chance, load(players).error):
        with pytest.raises(SniffError) as caught:
            ask(scores, leader)
        assert (caught.value.reason, caught.value.field) == (reason, field)


def test_there_is_no_table_for_other_seats() -> None:
    with pytest.raises(SniffError):
        load(5)


def test_the_lead_value_is_worth_as_much_as_the_lead() -> None:
    equity = load(2)
    points = lead_value(equity, (100, 80))
    low, high = (equity.chance((100 + 5 * (int(points) // 5 + more), 80))[0] for more in (0, 1))
    assert low <= equity.chance((100, 80), 0)[0] <= high


# Played matches


@pytest.fixture(scope="module", params=SEATS)
def played(request: pytest.FixtureRequest) -> CheckResult:
    """The shipped table of each number of seats against matches."""
    return check(load(request.param), matches=200, seed=11)


def judged(table: Equity, played: CheckResult) -> CheckResult:
    """The same matches against another table."""
    rows = [
        Comparison(row.standing, table.chance(*row.standing), table.error(*row.standing), row.won)
        for row in played.comparisons
    ]
    return CheckResult(tuple(rows))


def test_played_matches_agree(played: CheckResult) -> None:
    assert played.passed
    assert played.agreeing >= 40
    assert len(played.comparisons) == 50


def test_a_wrong_table_is_detected(played: CheckResult, request: pytest.FixtureRequest) -> None:
    """As if the lead were worth nothing; as if each stood five fives higher than it does."""
    equity = load(request.node.callspec.params["played"])
    blind = judged(wrong(equity, equity.core.random_lead), played)
    assert not blind.passed
    assert blind.bias > blind.bias_margin
    shifted = judged(wrong(equity, np.roll(equity.core.lead, -5, axis=0)), played)
    assert not shifted.passed
    assert shifted.p_value < 1e-6


def test_a_comparison_worked_out_by_hand() -> None:
    row = Comparison(Standing((0, 0), 0), (0.6, 0.4), (0.0, 0.0), (65, 35))
    assert row.statistic == pytest.approx(0.05**2 * 100 / 0.6 + 0.05**2 * 100 / 0.4)
    assert row.agrees
    assert not Comparison(Standing((0, 0), 0), (0.6, 0.4), (0.0, 0.0), (650, 350)).agrees
    assert Comparison(Standing((0, 0), 0), (0.6, 0.4), (0.06, 0.06), (650, 350)).agrees


def test_other_players_are_asked_move_by_move(small: Equity) -> None:
    found = check(small, player="greedy", standings=2, matches=100, seed=1)
    assert [row.matches for row in found.comparisons] == [100, 100]
    assert found.to_dict()["standings"][0]["won"] == found.comparisons[0].won


def test_a_possible_win_is_taken() -> None:
    hands = [["5|5", "0|1", "0|2", "1|2", "0|3", "1|3", "2|3"], ["0|0", "1|1", "2|2", "3|3", "0|4", "1|4", "2|4"]]
    talon = ["3|4", "4|4", "0|5", "1|5", "2|5", "3|5", "4|5", "0|6", "1|6", "2|6", "3|6", "4|6", "5|6", "6|6"]
    for seed in range(5):
        round_ = Round(2, hands, talon, 0, (240, 240))
        choice = WinTaker(named_player("random", Limits())).choose(round_.view(0), seed)
        assert str(choice) == "5|5"


# Building


def test_the_same_plan_gives_the_same_table(small: Equity, tmp_path: Path) -> None:
    again = build(EquityPlan(2, 3000, seed=4, lowest=-40))
    assert np.array_equal(again.core.lead, small.core.lead)
    save_equity(small, tmp_path / "table.npz")
    read = read_equity(tmp_path / "table.npz")
    assert np.array_equal(read.core.lead, small.core.lead)
    assert np.all(read.errors >= small.errors - 1e-7)
    assert np.all(read.errors <= small.errors + 1.1e-4)
    assert dict(read.made) == dict(small.made)


def test_the_stated_error_agrees_with_other_rounds(small: Equity) -> None:
    """Against the shipped table, whose error is a thirtieth: 95 in 100 entries within, in ten tables."""
    lead = load(2).core.lead[(small.lowest - LOWEST[2]) // 5 :, (small.lowest - LOWEST[2]) // 5 :]
    within = [np.abs(small.core.lead - lead) <= small.errors]
    for seed in range(5, 14):
        other = build(EquityPlan(2, 3000, seed=seed, lowest=small.lowest))
        within.append(np.abs(other.core.lead - lead) <= other.errors)
    assert 0.85 < np.mean(within) < 0.995


def test_rounds_do_not_depend_on_the_workers() -> None:
    one, two = (play_rounds("greedy", 3, 45, 2, workers=workers) for workers in (1, 2))
    assert one.gains.tobytes() == two.gains.tobytes()
    assert one.leads.tobytes() == two.leads.tobytes()
    assert len(one) == 45


@pytest.mark.parametrize(
    ("plan", "field"),
    [
        ({"players": 5}, "players"),
        ({"rounds": 3}, "rounds"),
        ({"seed": -1}, "seed"),
        ({"lowest": -7}, "lowest"),
        ({"lowest": 5}, "lowest"),
        ({"player": "nobody"}, "player"),
    ],
)
def test_a_bad_plan_is_named(plan: dict[str, Any], field: str) -> None:
    with pytest.raises(SniffError) as caught:
        EquityPlan(**{"players": 2, "rounds": 100, **plan})
    assert caught.value.field == field


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "broken.npz"
    for content in (b"", b"no table", b"PK\x03\x04"):
        file.write_bytes(content)
        with pytest.raises(SniffError):
            read_equity(file)


# Command line and drawing


def test_show_prints_scores_and_table() -> None:
    told = CliRunner().invoke(group, ["equity", "show", "--seats", "2", "--scores", "120,95", "--leader", "0"])
    assert told.exit_code == 0
    assert f"{100 * load(2).chance((120, 95), 0)[0]:.2f} %" in told.output
    for players in SEATS:
        told = CliRunner().invoke(group, ["equity", "show", "--seats", str(players), "--step", "50"])
        assert told.exit_code == 0
        for part in (load(players).made["command"], load(players).made["signature"], f"to {TARGET[players]}"):
            assert part in told.output
    told = CliRunner().invoke(group, ["equity", "show", "--scores", "-20,0", "--json"])
    assert json.loads(told.output)["chances"] == list(load(2).chance((-20, 0)))


@pytest.mark.parametrize(
    ("scores", "notes"),
    [
        ("120,95", []),
        ("250,-500", ["team 0 has reached 250: the match is decided"]),
        ("-500,0", ["team 0 is below the table's lowest score: -500 counts as -150"]),
    ],
)
def test_show_says_where_scores_are_outside_the_table(
    scores: str, notes: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["equity", "show", "--scores", scores]) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if line.startswith("team ")] == notes
    assert run(["equity", "show", "--scores", scores, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["notes"] == notes


def test_show_draws_a_heat_map(tmp_path: Path) -> None:
    from sniffai.lab.equity.plot import draw  # loads Matplotlib: half a second in each process that collects tests

    drawn = str(tmp_path / "map.png")
    assert run(["equity", "show", "--seats", "3", "--scores", "0,0,0", "--plot", drawn]) == 0
    assert Path(drawn).read_bytes().startswith(b"\x89PNG")
    files = [tmp_path / f"{name}.svg" for name in "ab"]
    for file in files:
        draw(load(2), file)
    text = files[0].read_text(encoding="utf-8")
    assert text == files[1].read_text(encoding="utf-8")
    assert text.startswith("<?xml")


def test_build_and_check_from_the_command_line(tmp_path: Path) -> None:
    out = str(tmp_path / "table.npz")
    told = CliRunner().invoke(group, ["equity", "build", "--rounds", "2000", "--lowest", "-20", "--out", out, "--json"])
    assert told.exit_code == 0
    assert json.loads(told.output) == dict(read_equity(out).made)
    assert run(["equity", "check", "--table", out, "--standings", "5", "--matches", "200"]) == 0
    table = read_equity(out)
    save_equity(wrong(table, table.core.lead**2), out)
    assert run(["equity", "check", "--table", out, "--standings", "10", "--matches", "1000"]) == 1


@pytest.mark.parametrize(
    "line",
    [
        ["show", "--scores", "1,2,3"],
        ["show", "--scores", "a,b"],
        ["show", "--leader", "1"],
        ["show", "--plot", "table.gif"],
        ["show", "--table", "/nowhere/table.npz"],
        ["build", "--out", "table.txt"],
        ["build", "--out", "table.npz", "--player", "nobody"],
        ["check", "--player", "nobody"],
    ],
)
def test_a_wrong_line_gives_one_sentence(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["equity", *line]) == 2
    told = capsys.readouterr().err
    assert told.startswith("sniffai: ")
    assert told.count("\n") == 1
