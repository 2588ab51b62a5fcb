"""Strength against time, and its picture: ``python -m benchmarks.strength_curve``, about 6 minutes on one core.

A search plays for points against the greedy player, on the same paired deals with every budget. Budgets are given in
simulations, since a clock would give a busy machine less to do. The same run measures the processor time of a decision:
every budget takes its turn at each position, so that other work on the machine slows all of them alike. The figures are
written to ``benchmarks/strength_curve.json``, the picture to ``docs/pictures/strength.svg``. ``--draw`` makes the
picture again from the figures, ``--times`` measures the times alone. It needs the extra ``plot``.
"""

import argparse
import json
import time
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from benchmarks.decided import positions
from sniffai.play.arena import play_pairing
from sniffai.play.arena_result import ArenaSpec
from sniffai.play.levels import named_player
from sniffai.play.statistics import mean_and_error
from sniffai.rules import PLAYERS

ROOT: Final = Path(__file__).resolve().parent.parent
FIGURES: Final = ROOT / "benchmarks" / "strength_curve.json"
PICTURE: Final = ROOT / "docs" / "pictures" / "strength.svg"

BUDGETS: Final = (30, 100, 300, 1_000, 3_000, 10_000)
"""Simulations a decision."""
POSITIONS: Final = 200
"""Decisions whose time is measured."""
POLICY_FACTOR: Final = 10
"""Deals of the policy for each deal of a search: it plays a round in a fraction of the time."""
OPPONENT: Final = "greedy"
INTERVAL: Final = 1.96
"""Half the width of a 95 % interval, in standard errors."""
STYLES: Final = {2: ("#0072B2", "o", "-"), 3: ("#D55E00", "s", "--"), 4: ("#009E73", "^", ":")}
"""Colour, mark and line by number of seats, so that nothing is told by colour alone."""

SHIFTS: Final = {2: 0.95, 3: 1.0, 4: 1.05}
"""Factors that keep the intervals of the curves apart."""


def name_of(budget: int) -> str:
    """The player that searches with so many simulations, for points; 0 is the policy, which does not search."""
    return f"search:simulations={budget},objective=round" if budget else "policy"


def measure(players: int, name: str, deals: int, seed: int) -> dict[str, float]:
    """Points a round of a player over the greedy one, and their standard error.

    :param players: seats, 2 to 4.
    :param name: the player, as in ``sniffai arena``.
    :param deals: paired deals, at least 2.
    """
    spec = ArenaSpec(OPPONENT, name, players=players, pairings=deals, seed=seed)
    opponent, player = named_player(OPPONENT), named_player(name)
    margins = []
    for number in range(deals):
        games = play_pairing(spec, opponent, player, number)
        margins.append(sum(game.margins[team] for team, game in enumerate(games)) / len(games))
    estimate = mean_and_error(margins)
    return {"points": round(estimate.mean, 2), "error": round(estimate.standard_error, 2)}


def milliseconds(players: int, count: int, seed: int) -> dict[int, float]:
    """Mean processor time of a decision by budget, in ms, over decisions of rounds that the policy plays.

    :param count: decisions, each of a round of its own, at least 1.
    """
    contestants = {budget: named_player(name_of(budget)) for budget in (0, *BUDGETS)}
    seconds = dict.fromkeys(contestants, 0.0)
    views = list(positions(players, count, seed))
    for player in contestants.values():
        player.choose(views[0], seed)  # loads the nets
    for view in views:
        for budget, player in contestants.items():
            started = time.process_time()
            player.choose(view, seed)
            seconds[budget] += time.process_time() - started
    return {budget: float(f"{1000 * total / count:.2g}") for budget, total in seconds.items()}


def curve(players: int, deals: int, seed: int) -> dict[str, Any]:
    """The figures of one number of seats, by budget; 0 is the policy."""
    rows = {}
    for budget in (0, *BUDGETS):
        row = measure(players, name_of(budget), deals if budget else POLICY_FACTOR * deals, seed)
        print(f"{players} seats, {budget:,} simulations: {shown(row)}", flush=True)
        rows[str(budget)] = row
    return with_times({"deals": deals, "seed": seed, "rows": rows}, players)


def with_times(entry: dict[str, Any], players: int) -> dict[str, Any]:
    """The figures with times measured now."""
    times = milliseconds(players, POSITIONS, entry["seed"])
    return entry | {"rows": {key: row | {"milliseconds": times[int(key)]} for key, row in entry["rows"].items()}}


def shown(row: dict[str, float]) -> str:
    """Points with their standard error, as the pages write them."""
    return f"{row['points']:+.2f} ± {row['error']:.2f}".replace("-", "−")


def table(figures: dict[str, Any]) -> str:
    """The table of docs/strength.md."""
    lines = [
        "| simulations | " + " | ".join(f"{players} seats | ms" for players in figures) + " |",
        "|---:" * (1 + 2 * len(figures)) + "|",
    ]
    for budget in (0, *BUDGETS):
        cells = [entry["rows"][str(budget)] for entry in figures.values()]
        name = f"{budget:,}" if budget else "policy, no search"
        lines.append(f"| {name} | " + " | ".join(f"{shown(cell)} | {cell['milliseconds']:g}" for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def mean_time(figures: dict[str, Any], budget: int) -> float:
    """Milliseconds of a decision, the mean over the numbers of seats."""
    times: list[float] = [entry["rows"][str(budget)]["milliseconds"] for entry in figures.values()]
    return sum(times) / len(times)


def picture(figures: dict[str, Any]) -> bytes:
    """The picture as an SVG document; the same figures give the same bytes."""
    made = BytesIO()
    with mpl.rc_context({"svg.hashsalt": "sniffai", "font.family": "DejaVu Sans", "font.size": 10}):
        figure = Figure(figsize=(7.2, 4.2), layout="constrained")
        axes = figure.add_subplot()
        for players, entry in figures.items():
            colour, mark, line = STYLES[int(players)]
            rows = [entry["rows"][str(budget)] for budget in BUDGETS]
            axes.errorbar(
                [budget * SHIFTS[int(players)] for budget in BUDGETS],
                [row["points"] for row in rows],
                yerr=[INTERVAL * row["error"] for row in rows],
                color=colour,
                marker=mark,
                linestyle=line,
                elinewidth=0.8,
                label=f"{players} seats",
            )
            axes.axhline(entry["rows"]["0"]["points"], color=colour, linestyle=line, linewidth=0.8, alpha=0.6)
        axes.set_xscale("log")
        axes.set_xticks(BUDGETS, [f"{budget:,}\n{mean_time(figures, budget):.2g} ms" for budget in BUDGETS])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_ylim(bottom=0)
        axes.set_xlabel("simulations a decision, and their processor time")
        axes.set_ylabel("points a round over the greedy player")
        axes.grid(alpha=0.3)
        axes.legend(loc="lower right", frameon=False, ncols=3)
        FigureCanvasSVG(figure)
        figure.savefig(made, format="svg", metadata={"Date": None, "Title": "Strength against time"})
    return made.getvalue()


def main() -> None:
    """Measure, write the figures and the picture, and print the table of docs/strength.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, choices=PLAYERS, help="measure this number of seats only (default: all)")
    parser.add_argument("--deals", type=int, default=200, help="paired deals for each budget (default: 200)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the deals (default: 1)")
    parser.add_argument("--times", action="store_true", help="measure the times again, and nothing else")
    parser.add_argument("--draw", action="store_true", help="measure nothing: draw the figures measured before")
    options = parser.parse_args()
    figures = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    for players in () if options.draw else [options.players] if options.players else PLAYERS:
        known = figures.get(str(players))
        figures[str(players)] = (
            with_times(known, players) if options.times and known else curve(players, options.deals, options.seed)
        )
        FIGURES.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    PICTURE.write_bytes(picture(figures))
    print(table(figures), end="")


if __name__ == "__main__":
    main()
