"""benchmarks/strength.py and contests.py: contests that go on where they stopped, and that the page shows them."""

from pathlib import Path

import pytest

from benchmarks import strength
from benchmarks.contests import Contest, Figures, Goal, Store, measure
from sniffai.play.adjusted import AdjustedMean
from sniffai.play.arena import play_arena
from sniffai.play.arena_result import ArenaSpec, Cost
from sniffai.play.levels import named_player
from sniffai.play.players import SearchPlayer
from sniffai.search.params import PLAIN, Limits

PAGE = strength.PAGE.read_text(encoding="utf-8")
GREEDY = Contest("random", "greedy", 3, seed=4)
POLICY = Contest("greedy", "policy", 2, seed=4)


@pytest.mark.parametrize("group", strength.GROUPS)
def test_the_strength_page_has_the_figures_that_were_measured(group: str) -> None:
    assert strength.table(Store(strength.FIGURES), group) in PAGE


def test_the_page_has_the_picture() -> None:
    assert strength.PICTURE.read_bytes().startswith(b"<?xml")
    assert "(pictures/strength.svg)" in PAGE


def test_the_picture_shows_quiet_machines_and_simulations(tmp_path: Path) -> None:
    store = Store(tmp_path / "figures.json")
    for players in (2, 3):
        for busy, contest in zip((False, True), strength.contests("time", players).values(), strict=False):
            store.keep(contest, some_figures(players, busy))
        store.keep(strength.contests("simulations", players)["1,000 simulations"], some_figures(1, busy=True))
    curves = strength.curves(store)
    told = [(point.milliseconds, point.by_clock) for point in curves[2]]
    assert told == [(0.3, True), (50, False)]  # 10 decisions took 0.5 s of the processor
    drawn = strength.picture(curves)
    assert drawn == strength.picture(curves)
    assert drawn != strength.picture(curves | {4: curves[3]})
    assert b"#ffffff" in drawn


def some_figures(points: float, busy: bool) -> Figures:
    """Of a contest of a hundred pairings, on a busy machine or a quiet one."""
    mean = AdjustedMean()
    for number in range(100):
        mean.add(points + (-1) ** number, 1)
    cost = Cost(10, 1.0, 0, 0.5 if busy else 0.99)
    return Figures(1, mean, (cost, cost), 1.0)


def test_tables_take_the_place_of_those_before(tmp_path: Path) -> None:
    store = Store(tmp_path / "figures.json")
    page = "Before.\n\n| step |  |\n|---|\n\nAfter.\n"
    assert strength.with_table(page, strength.table(store, "ladder")) == page
    store.keep(next(iter(strength.contests("ladder", 3).values())), some_figures(5.25, False))
    made = strength.with_table(page, strength.table(store, "ladder"))
    assert made.startswith("Before.\n\n| step | 3 seats | pairings | less variance |\n|---|---:|---:|---:|\n")
    assert made.endswith("| greedy over random | +5.25 ± 0.10 | 100 | 0 % |\n\nAfter.\n")
    assert strength.with_table(page, strength.table(store, "parts")) == page
    assert strength.with_table("| step |  |", "| step | x |\n") == "| step | x |\n"


def played(store: Store, contests: list[Contest], pairings: int) -> list[Figures]:
    list(measure(store, contests, Goal(pairings, 1000), 300, 1))
    return [figures for figures in map(store.figures, contests) if figures is not None]


def test_a_contest_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.contests.CHUNK_SECONDS", 0.02)
    file = tmp_path / "figures.json"
    first = played(Store(file), [GREEDY, POLICY], 5)
    assert all(figures.pairings >= 5 for figures in first)
    later = played(Store(file), [GREEDY, POLICY], 40)
    for contest, figures in zip((GREEDY, POLICY), later, strict=True):
        spec = ArenaSpec(contest.a, contest.b, contest.players, pairings=figures.pairings, seed=contest.seed)
        at_once = play_arena(spec)
        assert figures.pairings >= 40
        assert figures.mean == at_once.adjusted_margin
        assert figures.costs[1].decisions == at_once.costs[1].decisions
        assert Figures.from_dict(figures.to_dict()) == figures
        assert Store(file).figures(contest) == figures
    assert played(Store(file), [GREEDY, POLICY], 30) == later  # the goal is reached: nothing is played


def test_a_kill_between_two_chunks_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.contests.CHUNK_SECONDS", 0.02)
    file = tmp_path / "figures.json"
    chunks = measure(Store(file), [POLICY], Goal(1000, 0.1), 300, 1)
    _, one = next(chunks)
    _, two = next(chunks)
    chunks.close()
    kept = Store(file).figures(POLICY)
    assert kept == two
    assert kept.pairings > one.pairings
    assert [path.name for path in tmp_path.iterdir()] == ["figures.json"]


def test_time_is_shared_out_by_what_a_pairing_costs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.contests.CHUNK_SECONDS", 0.05)
    dear = Contest("greedy", "search:simulations=300", 2)
    file = tmp_path / "figures.json"
    for _ in zip(range(30), measure(Store(file), [dear, POLICY], Goal(10**6, 0), 300, 1), strict=False):
        pass
    some, more = (Store(file).figures(contest) for contest in (dear, POLICY))
    assert some is not None
    assert more is not None
    assert more.pairings > some.pairings > 4
    assert some.seconds > more.seconds


def test_figures_of_another_engine_are_not_mixed_in(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    contest = next(iter(strength.contests("ladder", 3).values()))
    Store(file).keep(contest, Figures(engine=1))
    page = tmp_path / "page.md"
    page.write_text("| step |\n", encoding="utf-8")
    arguments = ["ladder", "--players", "3", "--minutes", "0", "--figures", str(file), "--page", str(page)]
    with pytest.raises(SystemExit, match="another engine played: ladder, 3 seats, greedy over random"):
        strength.main(arguments)
    strength.main([*arguments, "--anew"])
    assert page.read_text(encoding="utf-8") == "| step |  |\n|---|\n"
    assert strength.chosen(["ladder"], [3], ["greedy"]) == {contest: "ladder, 3 seats, greedy over random"}
    with pytest.raises(SystemExit):
        strength.read_options(["nothing"])


def test_all_names_are_players_and_no_contest_is_listed_twice() -> None:
    for players in (2, 3, 4):
        for group in strength.GROUPS:
            found = strength.contests(group, players)
            assert len(set(found.values())) == len(found)
            for contest in found.values():
                assert contest.spec.players == players
    plain = named_player(strength.plain_player("seconds=0.003"))
    assert plain == SearchPlayer(Limits(seconds=0.003), PLAIN)


def test_a_goal_needs_pairings_and_a_small_error() -> None:
    mean = AdjustedMean()
    figures = Figures(1, mean, (Cost(), Cost(10, 2.0, 0, 1.0)))
    goal = Goal(4, 5)
    for number, total in enumerate((30.0, -30.0, 30.0, -30.0)):
        assert not goal.reached(figures), number
        mean.add(total, 1)
    assert not goal.reached(figures)
    assert Goal(4, 30).reached(figures)
    assert (figures.milliseconds, figures.processor_share) == (200, 0.5)
    assert strength.shown(Figures(1, mean)) == "+0.00 ± 17.32"
    assert not goal.reached(None)


def test_few_pairings_are_not_shown(tmp_path: Path) -> None:
    store = Store(tmp_path / "figures.json")
    contest = strength.contests("time", 2)["1 ms"]
    figures = some_figures(1, False)
    figures.mean.groups = strength.SHOWN_FROM - 1
    store.keep(contest, figures)
    assert strength.known(store, contest) is None
    assert strength.table(store, "time") == "| a decision |  |\n|---|\n"
    assert strength.curves(store) == {}
    figures.mean.groups += 1
    assert strength.known(store, contest) == figures
    assert list(strength.curves(store)) == [2]
