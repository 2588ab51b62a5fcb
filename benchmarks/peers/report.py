"""Results as tables of README.md, between two comments."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

BEGIN: Final = "<!-- results: written by compare.py -->"
END: Final = "<!-- end of results -->"

Row = Sequence[str]


def write_tables(path: Path, results: Mapping[str, Any]) -> None:
    """Put the tables in place of those in a text file.

    :raises ValueError: the comments around them are missing.
    """
    before, _, rest = path.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"{path} has no place for results")
    path.write_text(f"{before}{BEGIN}\n{tables(results)}\n{END}{after}")


def tables(results: Mapping[str, Any]) -> str:
    """All tables as Markdown."""
    versions = ", ".join(f"{name} {number}" for name, number in results["versions"].items())
    return "\n".join(
        [
            f"`{results['command']}`, {results['seconds']} s, on one core of {results['machine']}; {versions}.",
            "",
            *_table(("simulations/s", "within", *_kinds(results), "sniffai is faster by"), _speed_rows(results)),
            "",
            *_table(("engine", "against", "within", "margin a round", "matches won"), map(_duel_row, results["duels"])),
        ]
    )


def duel_line(duel: Mapping[str, Any]) -> str:
    """One duel in one line."""
    engine, peer, limit, margin, matches = _duel_row(duel)
    return f"{engine} against {peer}, {limit}: {margin} a round{f', {matches} matches' if matches else ''}"


def _table(head: Row, rows: Iterable[Row]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]


def _kinds(results: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys(speed["positions"] for speed in results["speeds"]))


def _speed_rows(results: Mapping[str, Any]) -> Iterable[Row]:
    """A row an engine and limit: speeds by kind of position, then how much faster sniffai is."""
    speeds = {(speed["limit"], speed["engine"], speed["positions"]): speed for speed in results["speeds"]}
    for limit, engine in dict.fromkeys(key[:2] for key in speeds):
        row = [speeds[limit, engine, kind] for kind in _kinds(results)]
        ratios = "" if engine == "sniffai" else " / ".join(f"{speed['ratio']:.3g}×" for speed in row)
        yield (engine, limit, *(f"{speed['per_second']:,.0f}" for speed in row), ratios)


def _duel_row(duel: Mapping[str, Any]) -> Row:
    error = duel["standard_error"]
    margin = f"{duel['mean_margin']:+.1f}" + ("" if error is None else f" ± {error:.1f}")
    return duel["b"], duel["a"], _limit(duel["limits"]), margin, _matches(duel)


def _limit(limits: Mapping[str, Any]) -> str:
    seconds = limits["seconds"]
    return f"{limits['simulations']:,} simulations" if seconds is None else f"{1000 * seconds:.0f} ms"


def _matches(duel: Mapping[str, Any]) -> str:
    if not duel["matches"]:
        return ""
    low, high = duel["win_interval"]
    share = f"{100 * duel['win_rate']:.0f} % ({100 * low:.0f}–{100 * high:.0f})"
    return f"{duel['matches_won']} of {duel['matches']}, {share}"
