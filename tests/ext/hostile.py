"""Calls every door of the compiled core with hostile arguments; run by test_checks.py in a process of its own.

Each public function and method must be listed here with arguments that it takes. Then, argument by argument, each is
replaced by values that are of another type, out of every range, or not what they seem. The door must refuse what is no
number where a number belongs, and may raise nothing but errors of ours, TypeError, MemoryError and RuntimeError.
Prints what is wrong, a line each.
"""

import faulthandler
import importlib
import inspect
import math
import pkgutil
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from functools import cache
from typing import Any

import numpy as np

import sniffai
import sniffai_ext
from sniffai.equity import load
from sniffai.search.nets import load_policy, load_world_value
from sniffai_ext.errors import SniffError

HANDS = [0b1111111, 0b1111111 << 7]
ROUND = (2, HANDS, list(range(14, 28)), 0, [0, 0])
ALLOWED = (SniffError, TypeError, MemoryError, RuntimeError)


class BadIndex:
    """Looks like a whole number, and is none."""

    def __index__(self) -> int:
        raise OSError("no number")

    def __repr__(self) -> str:
        raise OSError("no text")


class Endless:
    """Looks like a list, and breaks."""

    def __iter__(self) -> Iterator[int]:
        yield 1
        raise TypeError("no list")


NO_NUMBER: list[Any] = [None, "3", "\ud800", b"3", object(), [], [1], {}, True, np.True_, 1j, BadIndex(), np.zeros(2)]
NO_WHOLE: list[Any] = [*NO_NUMBER, 1.5, 2.0, math.nan, math.inf, np.float64(2)]
NO_REAL: list[Any] = [*NO_NUMBER, math.nan, np.float32(math.nan)]
WILD: list[Any] = [
    *(-1, -5, 27, 28, 31, 32, 111, 112, 255, 256, 1 << 28, 2**63 - 1, 2**63, 2**64, -(2**63), 10**30, -(10**30), 0),
    *(np.int8(-5), np.uint64(2**64 - 1), -1.0, 1e-300, 1e300, -math.inf, 10.0**40, "", (), [None], [[1]], [(1,)]),
    *([(1, 2, 3)], [28], [-1], [2**40], [1, 1], [1.5] * 3, [math.nan] * 3, [0] * 3, Endless(), np.zeros((2, 2))),
    *(np.zeros((0, 4)), np.full((3, 4), math.nan), np.ones(5, np.int8), np.ones((3, 3, 3)), np.array("x")),
    *(np.ones((4, 8), np.float32)[:, ::2], lambda *_: None, float, sniffai),
]


@cache
def under_way() -> sniffai.Round:
    """Its seat has choices, and something is hidden from it."""
    round_ = sniffai.Round.deal(players=2, seed=5)
    for _ in range(4):
        round_.play(round_.legal_moves()[0])
    return round_


def view() -> Any:
    """What the seat to move knows of that round: a new view each time, as calls may change it."""
    return under_way().view(under_way().seat).core()


def core(module: str) -> Any:
    return importlib.import_module(f"sniffai_ext.{module}")


def rounds() -> Any:
    return core("round").Round(*ROUND)


def played() -> Any:
    """A round with draws in it."""
    made = rounds()
    for _ in range(6):
        made.play(*made.legal_moves()[0])
    return made


def layout() -> Any:
    made = core("layout").Layout()
    made.play(1, -1)
    return made


def seen() -> Any:
    """A view before the lead, its seat to lead."""
    return core("view").View(2, 0, 0, HANDS[0], [0, 0])


def search() -> Any:
    made = core("search").Search(view(), 1)
    made.run(200, 1.0)
    return made


def searched(**arguments: Any) -> Any:
    """A search made and run, so that what an argument breaks is seen."""
    made = core("search").Search(**arguments)
    made.run(40, 1.0)
    return made.root_moves()


def searched_with(**options: Any) -> Any:
    """The same for one option, or for a parameter of how the tree grows."""
    tree = {name: options.pop(name) for name in TREE if name in options}
    made = core("search_options").SearchOptions(core("tree_params").TreeParams(**tree), **options)
    return searched(view=view(), seed=1, options=made)


def with_a_pool() -> dict[str, Any]:
    """Worlds to search, and what the others reply in them."""
    made = pool()
    return {"pool": made, "replies": {move: [None] * made.size for move in view().legal_moves()}}


def pool() -> Any:
    return core("worlds").weighted_worlds(view(), 40, 1, load_policy(2))


def seat_model() -> Any:
    return core("seat_model").SeatModel([("hasty", 9.0, 1.0), ("careless", 0.5, 1.0)], load_policy(2), load(2).core)


TREE = {
    "exploration": 20.0,
    "root_exploration": 80.0,
    "by_spread": 1.0,
    "root_share": 0.5,
    "revisit": 0.1,
    "common_worlds": True,
    "epsilon": 0.1,
    "follow": 0.5,
    "floor": 0.05,
}
OPTIONS = {
    "equity": None,
    "match": False,
    "memory_bytes": 1 << 20,
    "expected": 10,
    "pool_size": 40,
    "extra_size": 40,
    "policy": load_policy(2),
    "temperatures": (3.0, 3.0, 3.0),
    "value": load_world_value(2),
    "proofs": True,
    "models": (None, None),
}
FREE = {
    "equity",
    "policy",
    "value",
    "options",
    "root_moves",
    "world",
    "pool",
    "replies",
    "stop",
    "hands",
    "a",
    "tiles",
    "start",
    "progress",
}
"""Arguments that may be None."""


LONG = {"count": 1000, "rounds": 1000, "matches": 1000, "deals": 1000, "depth": 3, "node_cap": 1000, "worlds": 1000}
"""Arguments that say how much work is done, and from where on it lasts too long for a test."""


def few_outcomes() -> dict[str, Any]:
    return {
        "teams": 2,
        "reach": np.array([[2, 1], [0, 3]], np.int32),
        "net": np.array([[1, -1], [0, 2]], np.int32),
        "leads": np.array([0, 2], np.int32),
        "weights": np.array([0.5, 0.5]),
        "wins": np.full((2, 4, 4), 0.2),
        "size": 4,
        "pad": 1,
        "start": None,
        "tolerance": 0.01,
        "most_sweeps": 3,
        "progress": None,
    }


def training_part() -> dict[str, Any]:
    given = training()
    del given["seed"]
    return {**given, "start": 0, "stop": 1, "state": (1, 2, 3.0, 4.0, 5)}


first_weights = cache(lambda: core("train").first_weights(2, 1))


def training() -> dict[str, Any]:
    policy, world = first_weights()
    return {
        "players": 2,
        "policy_weights": policy.copy(),
        "world_weights": world.copy(),
        "rounds": 2,
        "seed": 1,
        "first_rate": 0.01,
        "last_rate": 0.001,
        "temperature": 3.0,
        "decay": 0.7,
        "progress": None,
    }


def valued() -> dict[str, Any]:
    nets = {"policy": load_policy(2), "value": load_world_value(2)}
    return {**nets, "equity": None, "seed": 1, "count": 2, "depth": 3}


def weights(players: int) -> Any:
    return np.zeros(core("policy").weight_count(players), np.float32)


def world_weights(players: int) -> Any:
    return np.zeros(core("world_value").world_weight_count(players), np.float32)


def named(**arguments: Any) -> Callable[[], dict[str, Any]]:
    return lambda: dict(arguments)


Make = Callable[[], Any]
FUNCTIONS: dict[str, Callable[[], dict[str, Any]]] = {
    "hand_chances.best_later": lambda: {"layout": layout(), "tiles": 1, "chances": (0.5,) * 7},
    "hand_chances.chance_without": lambda: {"belief": core("belief").Belief(view()), "seats": 2, "tiles": 7},
    "hand_chances.expected_cost": lambda: {"belief": core("belief").Belief(view()), "places": 2},
    "hand_chances.longest_run": lambda: {"layout": layout(), "tiles": 1},
    "hand_chances.scores_at_once": lambda: {"layout": layout(), "tiles": 1},
    "checks.as_real": named(value=1.0),
    "checks.as_whole": named(value=object()),
    "equity.row_count": named(players=2, lowest=-500),
    "inference.sampled_deals": lambda: {
        "view": view(),
        "count": 3,
        "seed": 1,
        "policy": load_policy(2),
        "temperatures": (1.0, 1.0, 1.0),
        "floor": 0.1,
        "models": (None, None),
    },
    "inference.sampled_past": lambda: {"view": view(), "seed": 1},
    "best_chance.best_chances": named(values=[(1.0, 0.5), (2.0, 0.0)]),
    "layout.played_layout": named(placements=[(1, -1)]),
    "layout.point_name": named(at=4),
    "flat.flat_values": lambda: {"view": view(), "worlds": 3, "seed": 1},
    "luck.draw_luck": lambda: {"round_": played(), **valued()},
    "luck.prospects": lambda: {"round_": rounds(), **valued()},
    "policy.duel": lambda: {"players": 2, "deals": 1, "seed": 1, "b": load_policy(2), "a": None},
    "policy.weight_count": named(players=2),
    "tree_params.read_params": lambda: {"params": core("tree_params").TreeParams()},
    "worlds.check_temperatures": named(temperatures=(1.0, 1.0, 1.0)),
    "inference.check_told": named(told=(1.0, 1.0, 0.1)),
    "worlds.given_worlds": lambda: {
        "view": view(),
        "hands": np.array([row[:2] for row in pool().worlds()], np.uint32),
        "weights": np.ones(pool().size),
        "seed": 1,
    },
    "worlds.weighted_worlds": lambda: {
        "view": view(),
        "room": 40,
        "seed": 1,
        "policy": load_policy(2),
        "temperatures": (1.0, 1.0, 1.0),
        "floor": 0.1,
        "hands": None,
        "extra": 40,
        "told": (1.0, 1.0, 0.1),
    },
    "equity_solve.first_to_reach": lambda: {
        "teams": 2,
        "ends": np.array([1, 2]),
        "gains": np.array([0x0011, 0x0122], np.uint16),
        "size": 4,
    },
    "equity_solve.solve": few_outcomes,
    "rollout.rollouts": named(players=2, count=2, seed=1, epsilon=0.5),
    "rollout.state_bytes": named(),
    "round.check_players": named(players=2),
    "round.check_scores": named(players=2, scores=[0, 5]),
    "round.played_round": named(dealt=ROUND, placements=[(0, -1)]),
    "equity_rounds.noted_gains": lambda: {"start": rounds(), "placements": [(0, -1)]},
    "equity_rounds.play_matches": lambda: {
        "policy": load_policy(2),
        "scores": [245, 240],
        "leader": 0,
        "matches": 1,
        "seed": 1,
    },
    "equity_rounds.play_scored_rounds": lambda: {"policy": load_policy(2), "rounds": 2, "seed": 1},
    "shown.shown": named(value=1j),
    "proportional_fit.fit_sums": lambda: {
        "table": np.ones((28, 2)),
        "rows": np.ones(28),
        "columns": np.full(2, 14.0),
        "close": 1e-9,
        "rounds": 5,
    },
    "surrogate.fit": lambda: {"hands": np.ones((3, 4), np.uint32), "logs": np.zeros((3, 4))},
    "train.first_weights": named(players=2, seed=1),
    "train.first_state": named(seed=1),
    "train.net_errors": named(state=(1, 2, 3.0, 4.0, 5)),
    "train.train": training,
    "train.train_part": training_part,
    "train.weight_counts": named(players=2),
    "world_value.world_weight_count": named(players=2),
}
"""Functions, each with arguments that it takes."""

PLAIN = {"checks.as_real", "checks.as_whole", "shown.shown"}
"""Functions that take anything."""
OWN = {
    *("belief.subsets", "checks.read_flag", "checks.read_net", "checks.read_real", "checks.read_whole"),
    *("trained_net.TrainedNet", "shown.joins", "shown.steers", "shown.visible"),
    *("equity.float_array", "equity.mean_over_leads", "equity.pairs_within_one"),
    *("root_statistics.ranked", "root_statistics.told_apart", "rows.LineMove", "rows.RootMove", "rows.SolvedMove"),
}
"""Helpers that the core and the library call with bounds, arrays and rows of their own: no doors."""

CLASSES: dict[str, tuple[Make, Callable[[], dict[str, Any]]]] = {
    "belief.Belief": (lambda: core("belief").Belief(view()), lambda: {"view": view()}),
    "equity.Equity": (
        lambda: core("equity").Equity(2, np.full((51, 51), 0.5), -5),
        lambda: {"players": 2, "lead": np.full((51, 51), 0.5), "lowest": -5},
    ),
    "layout.Layout": (layout, named()),
    "policy.Policy": (lambda: load_policy(2), lambda: {"players": 2, "weights": weights(2)}),
    "worlds.Pool": (pool, named()),
    "round.Round": (
        rounds,
        lambda: dict(zip(("players", "hands", "talon", "leader", "scores"), ROUND, strict=True)),
    ),
    "search.Search": (
        search,
        lambda: {
            "view": view(),
            "seed": 1,
            "options": None,
            "root_moves": None,
            "world": None,
            **with_a_pool(),
            "stop": None,
        },
    ),
    "search_options.SearchOptions": (lambda: core("search_options").SearchOptions(), lambda: TREE | OPTIONS),
    "seat_model.SeatModel": (
        seat_model,
        lambda: {"parts": [("hasty", 9.0, 1.0)], "policy": load_policy(2), "equity": load(2).core},
    ),
    "solver.Solver": (
        lambda: core("solver").Solver(table_bytes=4096),
        lambda: {"table_bytes": 4096, "equity": None, "match": False},
    ),
    "stop.StopFlag": (lambda: core("stop").StopFlag(), named()),
    "tree_params.TreeParams": (lambda: core("tree_params").TreeParams(), lambda: dict(TREE)),
    "turn.Turn": (lambda: core("turn").Turn("this runs"), named(what="this runs")),
    "view.View": (seen, lambda: {"players": 2, "seat": 0, "leader": 0, "hand": HANDS[0], "scores": [0, 0]}),
    "world_value.WorldValue": (
        lambda: load_world_value(2),
        lambda: {"players": 2, "weights": world_weights(2)},
    ),
}
"""Classes, each with an object of it and the arguments of its constructor."""

TARGETS: dict[str, Callable[..., Any]] = {
    "search.Search": searched,
    "search_options.SearchOptions": searched_with,
    "tree_params.TreeParams": searched_with,
}
"""What is called in place of a constructor: the object is also used."""

METHODS: dict[str, Callable[[], dict[str, Any]]] = {
    "belief.Belief.of": lambda: {"view": view()},
    "belief.Belief.sample": named(count=3, seed=1),
    "belief.Belief.worlds": named(limit=10),
    "equity.Equity.chance": named(scores=[0, 5], leader=0),
    "equity.Equity.churn": named(count=3, seed=1),
    "layout.Layout.check": named(tile=2, at=4),
    "layout.Layout.effect": named(tile=2, at=4),
    "layout.Layout.equal_points": named(tile=2, at=4),
    "layout.Layout.fits": named(mask=7),
    "layout.Layout.moves": named(hand=5),
    "layout.Layout.outlook": named(tile=2, at=4),
    "layout.Layout.play": named(tile=2, at=4),
    "policy.Policy.draw_replies": named(positions=1, times=1, seed=1),
    "policy.Policy.play_rounds": named(rounds=1, seed=1),
    "policy.Policy.rate": lambda: {"view": view()},
    "worlds.Pool.draws": named(count=3),
    "worlds.Pool.marginals": named(share=0.5),
    "round.Round.perft": named(depth=1),
    "round.Round.play": named(tile=0, at=-1),
    "seat_model.SeatModel.chances": lambda: {"view": view()},
    "seat_model.SeatModel.choose": lambda: {"view": view(), "seed": 1},
    "search.Search.outcome_count": lambda: dict(zip(("tile", "at"), view().legal_moves()[0], strict=True)),
    "search.Search.line": lambda: dict(zip(("tile", "at"), view().legal_moves()[0], strict=True)) | {"least": 2},
    "search.Search.run": named(
        simulations=300, seconds=0.01, goal=0.0, precision=0.0, trees=1, least=0, pool_seconds=0.01
    ),
    "solver.Solver.solve": lambda: {"round_": rounds(), "node_cap": 100},
    "solver.Solver.solve_moves": lambda: {"round_": rounds(), "node_cap": 100},
    "solver.Solver.solve_view": lambda: {"view": view(), "node_cap": 100},
    "view.View.draw": named(seat=0, count=1, tiles=None),
    "view.View.passes_turn": named(seat=0),
    "view.View.play": named(seat=0, tile=0, at=-1),
    "view.View.snapshot": lambda: {
        "players": 2,
        "seat": 0,
        "placements": [(1, -1)],
        "hand": 0b101,
        "hand_sizes": [2, 11],
        "talon_size": 14,
        "voids": [0, 0],
        "scores": [0, 0],
        "drawn_tile": -1,
    },
    "world_value.WorldValue.judge_positions": named(positions=1, times=1, seed=1),
}
"""Methods that take arguments, with some that they take."""


def attempt(where: str, call: Callable[[], Any], must_refuse: bool) -> None:
    try:
        call()
    except ALLOWED as error:
        str(error).encode()
        return
    except BaseException as error:
        print(f"{where}: {type(error).__name__}: {error!a}")
        return
    if must_refuse:
        print(f"{where}: was taken")


def outcome(target: Callable[..., Any], given: dict[str, Any]) -> str:
    """How a call ends, in a word or a sentence."""
    try:
        target(**given)
    except Exception as error:
        return ascii(error)
    return "done"


def told(value: Any) -> str:
    return type(value).__name__ if isinstance(value, (BadIndex, np.ndarray)) else ascii(value)[:40]


def with_each(where: str, target: Callable[..., Any], arguments: Callable[[], dict[str, Any]], strict: bool) -> None:
    """Call with each argument replaced by each hostile value; what is no number must be refused as a number."""
    for name, valid in arguments().items():
        number = type(valid) in (int, float) and strict
        wrong: list[Any] = (NO_WHOLE if type(valid) is int else NO_REAL) if number else []
        if type(valid) is bool and strict:
            wrong = [None, 1, 0.0, "True", []]
        hostile = [(value, True) for value in wrong] + [(value, False) for value in [*NO_WHOLE, *WILD]]
        for value, must_refuse in hostile:
            if isinstance(value, int) and LONG.get(name, 2**63) < value < 2**63:
                continue  # it is taken, and would last
            given = arguments() | {name: value}
            must = must_refuse and not (value is None and name in FREE)
            attempt(f"{where}({name}={told(value)})", lambda given=given: target(**given), must)
        if number and type(valid) is int:
            plain, other = (outcome(target, arguments() | {name: kind(valid)}) for kind in (int, np.int64))
            if plain != other:
                print(f"{where}({name}=np.int64): {plain} before, {other} now")


def functions(module: Any) -> Iterator[tuple[str, Any]]:
    for name, value in vars(module).items():
        if not name.startswith("_") and callable(value) and getattr(value, "__module__", "") == module.__name__:
            yield f"{module.__name__.removeprefix('sniffai_ext.')}.{name}", value


def use_all(made: Any) -> None:
    """Read every property, and call every method without arguments."""
    for name in dir(type(made)):
        if name.startswith("__") and name not in ("__eq__", "__hash__", "__repr__"):
            continue
        attempt(f"{type(made).__name__}.{name}", lambda name=name: getattr(made, name)(), False)


def bare(where: str, kind: type) -> None:
    """Objects of ``__new__`` alone. One of a dataclass has no fields; Python itself says so."""
    if is_dataclass(kind):
        return
    try:
        made = kind.__new__(kind)
    except TypeError:
        return
    use_all(made)
    for method, arguments in METHODS.items():
        if method.startswith(f"{where}."):
            call = getattr(made, method.rpartition(".")[2])
            attempt(f"bare {method}", lambda call=call, arguments=arguments: call(**arguments()), False)
    for other in (core("belief").Belief, core("search").Search, core("inference").sampled_past):
        attempt(f"{other.__name__}(bare {where})", lambda other=other: other(made, 1), False)
    for other in (core("solver").Solver(table_bytes=64).solve, core("solver").Solver(table_bytes=64).solve_view):
        attempt(f"{other.__name__}(bare {where})", lambda other=other: other(made, 100), False)


def again(where: str, make: Make, arguments: Callable[[], dict[str, Any]]) -> None:
    """An object whose ``__init__`` is called once more."""
    made = make()
    for _ in range(3):
        attempt(f"{where}.__init__ again", lambda: made.__init__(**arguments()), False)
    use_all(made)


def walk() -> None:
    known = set(FUNCTIONS) | set(CLASSES) | OWN
    for module in pkgutil.iter_modules(sniffai_ext.__path__):
        if module.name == "errors":
            continue
        for where, value in functions(importlib.import_module(f"sniffai_ext.{module.name}")):
            if where not in known:
                print(f"{where}: is not listed here")
            elif where in OWN:
                continue
            elif where in FUNCTIONS:
                with_each(where, value, FUNCTIONS[where], where not in PLAIN)
            else:
                walk_class(where, value)


def walk_class(where: str, kind: type) -> None:
    make, arguments = CLASSES[where]
    target = TARGETS.get(where, kind)
    with_each(where, target, arguments, True)
    bare(where, kind)
    again(where, make, arguments)
    use_all(make())
    for name, method in inspect.getmembers(kind, callable):
        full = f"{where}.{name}"
        if name.startswith("_"):
            continue
        if full in METHODS:
            with_each(full, lambda name=name, **given: getattr(make(), name)(**given), METHODS[full], True)
        elif "(self)" not in (method.__doc__ or ""):
            print(f"{full}: is not listed here")


if __name__ == "__main__":
    faulthandler.enable()
    warnings.simplefilter("ignore")
    load(2)
    walk()
    sys.exit(0)
