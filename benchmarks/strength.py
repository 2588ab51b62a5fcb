"""The strength of the engine, all of it by one command, and its picture: ``python -m benchmarks.strength``.

Groups of contests on paired deals, all for the points of a round, all less luck (docs/strength.md):

- ``time``: the search with 0.3 ms to 1 s a decision over plain ISMCTS with 3 ms, by the clock;
- ``simulations``: the same by simulations, as many for plain ISMCTS as take about 3 ms;
- ``ladder``: each player over the one before it, searches by simulations;
- ``stranger``: the same players over ``flat``, which has nothing to do with the search;
- ``parts``: the search over the same one with one part switched off, 1,500 simulations a decision.

    python -m benchmarks.strength time --minutes 120 --workers 2
    python -m benchmarks.strength ladder parts --players 3

It goes on where it stopped or was killed: the figures are in ``benchmarks/strength.json``. A contest is done with at
least 2,500 pairings and a standard error of at most 0.2 points. With clocks (``time``) a busy machine gives the
searches less to do, so such contests need one with nothing else to do: the share of the time that the processor really
worked on a decision is kept, too, and below 0.95 the picture leaves a result out. All others give the same on any
machine. The tables of docs/strength.md and the picture (with the extra ``plot``) are made anew each time; ``--draw``
does only that.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from benchmarks.contests import Contest, Figures, Goal, Store, measure
from sniffai.rules import PLAYERS
from sniffai.search.params import PLAIN, SearchParams
from sniffai.search.signature import signature

ROOT: Final = Path(__file__).resolve().parent.parent
FIGURES: Final = ROOT / "benchmarks" / "strength.json"
PICTURE: Final = ROOT / "docs" / "pictures" / "strength.svg"
PAGE: Final = ROOT / "docs" / "strength.md"

TIMES: Final = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Seconds a decision."""
PLAIN_TIME: Final = 0.003
BUDGETS: Final = (300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 700_000)
"""Simulations a decision."""
PLAIN_BUDGET: Final = 4_000
"""Simulations of plain ISMCTS that take about 3 ms: the tables say how long they took."""


def _searching(simulations: int) -> str:
    return f"search:simulations={simulations},objective=round"


RUNGS: Final = (
    *("random", "greedy", "policy"),
    *map(_searching, (300, 1_000, 3_000, 10_000, 40_000)),
)
"""The ladder, weakest first."""
PART: Final = "search:simulations=1500"
PARTS: Final = {
    "exact belief, not one that ignores draws and passes (without weights)": ("inference=0,forget=1", "inference=0"),
    "worlds weighted by past choices": ("inference=0", ""),
    "surrogate worlds (`extra_worlds`)": ("extra_worlds=0", ""),
    "common worlds at the root": ("common_worlds=0", ""),
    "exploration by spread and root share": ("by_spread=0,root_share=0,exploration=40", ""),
    "every move tried again (`revisit`)": ("revisit=0", ""),
    "world-value net at the leaves": ("net_leaf=0", ""),
    "the other seats follow the policy (`follow`)": ("follow=0", ""),
    "solved endgame": ("exact=0", ""),
}
"""Parts of the search: what is switched off, and what the other side has."""

SHOWN_FROM: Final = 30
"""Pairings from which a result is shown: the error of fewer says little."""
QUIET: Final = 0.95
"""With a smaller share of the processor a machine counts as busy."""
INTERVAL: Final = 1.96
"""Half the width of a 95 % interval, in standard errors."""
STYLES: Final = {2: ("#0072B2", "o", "-"), 3: ("#D55E00", "s", "--"), 4: ("#009E73", "^", ":")}
"""Colour, mark and line by number of seats, so that nothing is told by colour alone."""
SHIFTS: Final = {2: 0.95, 3: 1.0, 4: 1.05}
"""Factors that keep the intervals of the curves apart."""


def plain_player(limit: str) -> str:
    """Plain ISMCTS by name, with a limit such as ``"seconds=0.003"``."""
    default = SearchParams()
    settings = [
        f"{param.name}={_text(getattr(PLAIN, param.name))}"
        for param in fields(SearchParams)
        if getattr(PLAIN, param.name) != getattr(default, param.name)
    ]
    return ",".join((f"search:{limit}", *settings))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else f"{float(value):g}"


def contests(group: str, players: int) -> dict[str, Contest]:
    """The contests of a group by the names of their rows."""
    if group == "time":
        plain = plain_player(f"seconds={PLAIN_TIME:g}")
        return {
            f"{1000 * limit:g} ms": Contest(plain, f"search:seconds={limit:g},objective=round", players)
            for limit in TIMES
        }
    if group == "simulations":
        plain = plain_player(f"simulations={PLAIN_BUDGET}")
        return {_short(name): Contest(plain, name, players) for name in map(_searching, BUDGETS)}
    if group == "ladder":
        return {f"{_short(b)} over {_short(a)}": Contest(a, b, players) for a, b in pairwise(RUNGS)}
    if group == "stranger":
        return {_short(name): Contest("flat", name, players) for name in RUNGS[1:]}
    return {name: Contest(_with(off), _with(on), players) for name, (off, on) in PARTS.items()}


HEADS: Final = {
    "time": "a decision",
    "simulations": "over plain ISMCTS",
    "ladder": "step",
    "stranger": "over `flat`",
    "parts": "part of the search",
}
"""What heads the first column of each group's table."""
GROUPS: Final = tuple(HEADS)


def _with(parameters: str) -> str:
    return f"{PART},{parameters}" if parameters else PART


def _short(name: str) -> str:
    kind, _, parameters = name.partition(":")
    if kind != "search":
        return name
    count = int(parameters.partition(",")[0].partition("=")[2])
    return f"{count:,} simulations"


# What is told


def known(store: Store, contest: Contest) -> Figures | None:
    """The figures of a contest; ``None`` as long as they say little."""
    figures = store.figures(contest)
    return None if figures is None or figures.pairings < SHOWN_FROM else figures


def shown(figures: Figures) -> str:
    """Points with their standard error, as the pages write them."""
    return f"{figures.points.mean:+.2f} ± {figures.points.standard_error:.2f}".replace("-", "−")


def table(store: Store, group: str) -> str:
    """The table of a group, as docs/strength.md has it: points a round, pairings, and with clocks the time measured."""
    seats = [
        players for players in PLAYERS if any(known(store, contest) for contest in contests(group, players).values())
    ]
    columns = COLUMNS.get(group, ("less variance",))
    heads = [f"{players} seats | pairings | {' | '.join(columns)}" for players in seats]
    lines = [f"| {HEADS[group]} | {' | '.join(heads)} |", "|---|" + "---:|" * (len(seats) * (2 + len(columns)))]
    for row in contests(group, PLAYERS[0]):
        cells = [_cells(known(store, contests(group, players)[row]), group) for players in seats]
        if any(cell.strip(" |") for cell in cells):
            lines.append(f"| {row} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def with_table(page: str, made: str) -> str:
    """A page with a table in the place of the one that has the same first column; the page itself if it has none."""
    first = made[: made.index("|", 1) + 1]
    lines = page.splitlines(keepends=True)
    begin = next((i for i, line in enumerate(lines) if line.startswith(first)), None)
    if begin is None:
        return page
    end = next((i for i in range(begin, len(lines)) if not lines[i].startswith("|")), len(lines))
    return "".join((*lines[:begin], made, *lines[end:]))


COLUMNS: Final = {"time": ("ms", "on the processor"), "simulations": ("ms", "plain, ms")}
"""What the tables have beside points and pairings; of other groups, what was gained by taking the luck."""


def _cells(figures: Figures | None, group: str) -> str:
    if figures is None:
        return " | " * (1 + len(COLUMNS.get(group, ("",))))
    cells = [shown(figures), f"{figures.pairings:,}"]
    if group == "time":
        cells += [f"{figures.milliseconds:.3g}", f"{100 * figures.processor_share:.0f} %"]
    elif group == "simulations":
        plain, own = figures.processor_milliseconds
        cells += [f"{own:.2g}", f"{plain:.2g}"]
    else:
        cells += [f"{100 * figures.mean.reduction:.0f} %"]
    return " | ".join(cells)


@dataclass(frozen=True)
class Point:
    """A mark of the picture."""

    milliseconds: float
    figures: Figures
    by_clock: bool
    """Else the search was limited by simulations, and the milliseconds are the processor's."""


def curves(store: Store) -> dict[int, list[Point]]:
    """The marks by number of seats: by the clock where the machine had nothing else to do, and by simulations."""
    points: dict[int, list[Point]] = {}
    for players in PLAYERS:
        for limit, contest in zip(TIMES, contests("time", players).values(), strict=True):
            figures = known(store, contest)
            if figures is not None and figures.processor_share >= QUIET:
                points.setdefault(players, []).append(Point(1000 * limit, figures, by_clock=True))
        for contest in contests("simulations", players).values():
            figures = known(store, contest)
            if figures is not None:
                milliseconds = figures.processor_milliseconds[1]
                points.setdefault(players, []).append(Point(milliseconds, figures, by_clock=False))
    return points


def picture(points: Mapping[int, Sequence[Point]]) -> bytes:
    """The picture as an SVG document; the same figures give the same bytes.

    :param points: by number of seats.
    """
    import matplotlib as mpl  # an extra
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullLocator

    made = BytesIO()
    with mpl.rc_context({"svg.hashsalt": "sniffai", "font.family": "DejaVu Sans", "font.size": 10}):
        drawn = Figure(figsize=(7.2, 4.2), layout="constrained")
        axes = drawn.add_subplot()
        for players, curve in points.items():
            colour, mark, line = STYLES[players]
            axes.plot([], [], color=colour, linestyle=line, marker=mark, label=f"{players} seats")
            for by_clock in (True, False):
                marks = [point for point in curve if point.by_clock == by_clock]
                axes.errorbar(
                    [SHIFTS[players] * point.milliseconds for point in marks],
                    [point.figures.points.mean for point in marks],
                    yerr=[INTERVAL * point.figures.points.standard_error for point in marks],
                    color=colour,
                    marker=mark,
                    markerfacecolor=colour if by_clock else "white",
                    linestyle=line,
                    elinewidth=0.8,
                )
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set_xscale("log")
        axes.set_xlim(1000 * TIMES[0] / 1.5, 1000 * TIMES[-1] * 1.5)
        axes.set_xticks([1000 * limit for limit in TIMES], [f"{1000 * limit:g}" for limit in TIMES])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlabel("milliseconds a decision")
        axes.set_ylabel(f"points a round over plain ISMCTS at {1000 * PLAIN_TIME:g} ms")
        axes.grid(alpha=0.3)
        axes.legend(loc="upper right", frameon=False, ncols=3)
        FigureCanvasSVG(drawn)
        drawn.savefig(made, format="svg", metadata={"Date": None, "Title": "Strength against time"})
    return made.getvalue()


def read_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(GROUPS)} (default: time)")
    parser.add_argument("--minutes", type=float, default=60, help="at most so long, for all of them (default: 60)")
    parser.add_argument("--players", type=int, choices=PLAYERS, help="this number of seats only (default: all)")
    parser.add_argument("--rows", action="append", help="only rows that begin like this; may be repeated")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--pairings", type=int, default=Goal.pairings, help="at least, a contest (default: 2500)")
    parser.add_argument("--error", type=float, default=Goal.error, help="at most, in points (default: 0.2)")
    parser.add_argument("--anew", action="store_true", help="forget what the chosen contests have given before")
    parser.add_argument("--draw", action="store_true", help="play nothing: print the tables, draw the picture")
    parser.add_argument("--figures", type=Path, default=FIGURES, help="file of figures (default: %(default)s)")
    parser.add_argument("--picture", type=Path, default=PICTURE, help="file of the picture (default: %(default)s)")
    parser.add_argument("--page", type=Path, default=PAGE, help="page to put the tables in (default: %(default)s)")
    options = parser.parse_args(arguments)
    if unknown := set(options.groups) - set(GROUPS):
        parser.error(f"no such group: {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Play, keep the figures, print the tables and draw the picture."""
    options = read_options(arguments)
    groups = options.groups or (GROUPS if options.draw else ("time",))
    seats = [options.players] if options.players else PLAYERS
    store = Store(options.figures)
    if not options.draw:
        play(store, chosen(groups, seats, options.rows), options)
    page = options.page.read_text(encoding="utf-8")
    for group in groups:
        print(table(store, group))
        page = with_table(page, table(store, group))
    options.page.write_text(page, encoding="utf-8")
    if curves(store):
        options.picture.write_bytes(picture(curves(store)))


def chosen(groups: Iterable[str], seats: Iterable[int], rows: Sequence[str] = ()) -> dict[Contest, str]:
    """The contests of some groups, with a name for each.

    :param rows: if given, only rows whose names begin like one of these.
    """
    return {
        contest: f"{group}, {players} seats, {row}"
        for group in groups
        for players in seats
        for row, contest in contests(group, players).items()
        if not rows or row.startswith(tuple(rows))
    }


def play(store: Store, named: Mapping[Contest, str], options: argparse.Namespace) -> None:
    """Play some contests as far as the options allow."""
    if options.anew:
        store.forget(named)
    if old := store.strangers(named, signature()):
        names = "; ".join(named[contest] for contest in old)
        raise SystemExit(f"--anew forgets the figures of contests that another engine played: {names}")
    goal = Goal(options.pairings, options.error)
    for contest, figures in measure(store, list(named), goal, 60 * options.minutes, options.workers):
        print(f"{named[contest]}: {shown(figures)}, {figures.pairings:,} pairings", flush=True)


if __name__ == "__main__":
    main()
