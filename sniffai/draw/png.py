"""Pictures as PNG, by resvg where it is installed (``pip install 'sniffai[draw]'``)."""

from typing import Final

from sniffai.checks import as_whole, read_kind
from sniffai.errors import LimitsError
from sniffai.extras import explained

SERIF: Final = "DejaVu Serif"
"""Where a drawing asks for any typeface with serifs."""

MAX_WIDTH: Final = 8000
"""Pixels."""


def png(svg: str, width: int = 720) -> bytes:
    """A picture of :mod:`sniffai.draw` as a PNG file.

    Words need a typeface of the system that has their signs.

    :param svg: an SVG document.
    :param width: pixels, 16..8000; the height follows.
    :raises LimitsError: the width is out of range, or ``svg`` is no SVG document.
    :raises ModuleNotFoundError: the extra ``draw`` is not installed.
    """
    try:
        import resvg_py
    except ImportError as error:
        raise explained(error) from None

    read_kind(svg, str, "svg", "NOT_AN_SVG")
    pixels = as_whole(width)
    if pixels is None or not 16 <= pixels <= MAX_WIDTH:
        raise LimitsError(f"a width of 16..{MAX_WIDTH} pixels is expected", reason="WIDTH_OUT_OF_RANGE", field="width")
    try:
        return bytes(resvg_py.svg_to_bytes(svg_string=svg, width=pixels, serif_family=SERIF))
    except ValueError as error:
        raise LimitsError(f"this is not an SVG document: {error}", reason="NOT_AN_SVG", field="svg") from None
