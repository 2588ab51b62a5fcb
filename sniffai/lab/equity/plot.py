"""A table as a heat map, PNG or SVG: the leading team's chance over both scores. Needs the extra ``plot``."""

from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sniffai.equity.table import STEP, Equity
from sniffai.errors import LimitsError
from sniffai.extras import explained

try:
    import matplotlib as mpl
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure
    from matplotlib.patheffects import withStroke
except ImportError as error:
    raise explained(error) from None

COLOURS: Final = "PuOr"
"""Orange below an even chance, purple above: people with any kind of colour blindness can distinguish them."""

THIRD_SCORES: Final = (0, 100, 150)
"""Points of the last seat for which 3 seats have a map each."""

CANVASES: Final[dict[str, type[FigureCanvasAgg] | type[FigureCanvasSVG]]] = {
    ".png": FigureCanvasAgg,
    ".svg": FigureCanvasSVG,
}
"""By the end of the file's name."""


def draw(equity: Equity, path: str | PathLike[str]) -> None:
    """Write the heat map; the same table gives the same file.

    :param path: ends in ``.png`` or ``.svg``.
    :raises LimitsError: it ends otherwise.
    :raises OSError: the file cannot be written.
    """
    file = Path(path)
    file.write_bytes(picture(equity, file.suffix.lower()))


def picture(equity: Equity, ending: str) -> bytes:
    """The heat map as a file's contents.

    :param ending: ``.png`` or ``.svg``.
    :raises LimitsError: it is neither.
    """
    if ending not in CANVASES:
        raise LimitsError("the name of the file ends in .png or .svg", reason="UNKNOWN_FORMAT", field="plot")
    made = BytesIO()
    with mpl.rc_context({"svg.hashsalt": "sniffai", "font.family": "DejaVu Sans", "font.size": 10}):
        figure = _figure(equity)
        CANVASES[ending](figure)
        figure.savefig(made, format=ending[1:], dpi=150, metadata={"Date": None} if ending == ".svg" else None)
    return made.getvalue()


def _figure(equity: Equity) -> Figure:
    lead = equity.core.lead
    maps = [(lead, "")]
    if equity.players == 3:
        rows = [(points - equity.lowest) // STEP for points in THIRD_SCORES]
        maps = [(lead[:, :, row, 0], f"last seat: {points}") for row, points in zip(rows, THIRD_SCORES, strict=True)]
    wide = len(maps) > 1
    figure = Figure(figsize=(4.2 * len(maps) + 1.2, 5.2) if wide else (7.2, 6.4), layout="constrained")
    panels = figure.subplots(1, len(maps), sharey=True, squeeze=False)[0]
    shown: Any = None
    for axes, (chances, title) in zip(panels, maps, strict=True):
        shown = _draw_map(axes, equity, chances)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("next seat's points" if wide else _other(equity))
    panels[0].set_ylabel("leader's points" if equity.players < 4 else "leading team's points")
    bar = figure.colorbar(shown, ax=list(panels), shrink=0.9, format="%d %%")
    bar.set_label("chance to win the match")
    figure.suptitle(_title(equity), fontsize=11)
    return figure


def _draw_map(axes: Axes, equity: Equity, chances: npt.NDArray[np.float32]) -> Any:
    scores = np.arange(equity.lowest, equity.highest + STEP, STEP)
    shown = axes.pcolormesh(scores, scores, 100 * chances, cmap=COLOURS, vmin=0, vmax=100, rasterized=True)
    levels = [5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95]
    lines = axes.contour(scores, scores, 100 * chances, levels=levels, colors="black", linewidths=0.7)
    for label in axes.clabel(lines, fmt="%d %%", fontsize=8):
        label.set_path_effects([withStroke(linewidth=2, foreground="white")])
    axes.set_aspect("equal")
    return shown


def _other(equity: Equity) -> str:
    return "other's points" if equity.players == 2 else "other team's points"


def _title(equity: Equity) -> str:
    who = {2: "the leader", 3: "the leader", 4: "the leading team"}[equity.players]
    made = equity.made
    return (
        f"Match equity of {who}, {equity.players} seats to {equity.highest + STEP}\n"
        f"{made['rounds']:,} rounds of {made['player']}"
    )
