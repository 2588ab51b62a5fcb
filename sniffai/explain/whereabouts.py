"""Where hidden tiles may be: the exact belief, and beside it the inferred one, as the cells of a table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sniffai.explain.languages import Words
from sniffai.explain.numbers import fixed
from sniffai.view import View

Chances: TypeAlias = Mapping[str, Sequence[float]]
"""By tile, how likely it is at each seat, and last in the talon, 0..1."""


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """One row for each hidden tile, in per cent."""

    columns: tuple[str, ...]
    """A name that ends in ``>`` is that of a column aligned to the right."""
    rows: tuple[tuple[str, ...], ...]
    note: str
    """What the inferred belief rests on, or that there is none."""


def whereabouts(
    view: View,
    exact: Chances,
    inferred: Chances | None,
    size: float,
    name: Callable[[int], str],
    say: Words,
    least: float = 0.0,
) -> Whereabouts:
    """The table for one seat's view.

    :param inferred: ``None`` where the others' choices say nothing.
    :param size: effective sample size of the inferred belief, in worlds.
    :param name: the name of a seat.
    :param least: tiles whose place the choices change by less than this are left out, 0..1.
    """
    places = dict(_places(view, name, say))
    inferred_head = say.say("inferred")
    heads = [
        [f"{place} %>", f"{inferred_head}>"] if inferred is not None else [f"{place} %>"] for place in places.values()
    ]
    rows = []
    for tile in (tile for tile, chances in exact.items() if any(chances[place] > 0 for place in places)):
        kinds = [exact[tile]] if inferred is None else [exact[tile], inferred[tile]]
        if max(abs(kinds[-1][place] - kinds[0][place]) for place in places) >= least:
            rows.append((tile, *(fixed(100 * kind[place], 0) for place in places for kind in kinds)))
    note = (
        say.say("The others' choices say nothing more here.")
        if inferred is None
        else say.say(
            "inferred: by the others' choices as well. A model of how they play is in it, so it is not exact. "
            "Effective sample size, in worlds: {size}",
            size=fixed(size, 0),
        )
    )
    return Whereabouts((say.say("tile"), *(head for pair in heads for head in pair)), tuple(rows), note)


def exact_note(say: Words) -> str:
    """What the exact belief rests on."""
    return say.say("%: how likely the tile is there, by all draws and passes: exact")


def _places(view: View, name: Callable[[int], str], say: Words) -> Iterator[tuple[int, str]]:
    """The places where a hidden tile may be, with their names."""
    for seat in range(view.players):
        if seat != view.seat:
            yield seat, name(seat)
    if view.talon_size:
        yield view.players, say.say("talon")
