"""SVG elements as text: numbers short, words escaped."""

from collections.abc import Iterable
from functools import cache
from html import escape
from typing import Final
from unicodedata import category

from sniffai.checks import joins, steers

FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
"""Typefaces that readers have, the first found being used."""

IN_QUOTES: Final = str.maketrans({'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
"""What stands for signs that would end the value of an attribute, or that a reader would take for a blank."""

Attribute = str | int | float | None

KEPT: Final = frozenset("\n\t\u2068\u2069")
"""Signs that steer, and are left in a text: lines, and the pair that keeps the direction of a name to itself."""


def element(name: str, *children: str, **attributes: Attribute) -> str:
    """An element.

    :param children: elements, made by this function or by :func:`escaped`.
    :param attributes: ``stroke_width`` is written ``stroke-width``, ``None`` is left out.
    """
    written = "".join(
        f' {_name(key)}="{_quotable(clean(value)) if isinstance(value, str) else _number(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(children)}</{name}>" if children else f"<{name}{written}/>"


def escaped(text: str) -> str:
    """Text between tags. Characters that XML does not have, and those that steer, are dropped."""
    return escape(clean(text), quote=False)


@cache
def _name(key: str) -> str:
    """An attribute's name."""
    return key.rstrip("_").replace("_", "-")


def _quotable(text: str) -> str:
    """Text between the quotes of an attribute's value.

    The standard library's ``quoteattr`` comes with all that fetches pages, which takes longer to import than a picture
    takes to draw.
    """
    return escape(text, quote=False).translate(IN_QUOTES)


def clean(text: str) -> str:
    """Text without control characters, marks of direction and the like, but with those that isolate a name."""
    if text.isprintable():
        return text
    return "".join(
        sign
        for place, sign in enumerate(text)
        if sign in KEPT or joins(text, place) or not (steers(sign) or category(sign) in ("Cn", "Co"))
    )


def label(text: str, x: float, y: float, size: float, fill: str, **attributes: Attribute) -> str:
    """A line of text, its middle (or what ``text_anchor`` says) at ``x``, its letters' middle at ``y``."""
    given: dict[str, Attribute] = {"text_anchor": "middle", "font_weight": "600", **attributes}
    # Not dominant-baseline, which renderers place at different heights: digits are about 0.7 of the size high.
    return element("text", escaped(text), x=x, y=y + 0.35 * size, font_size=size, fill=fill, **given)


def document(
    width: float, height: float, title: str, description: str, language_code: str, children: Iterable[str]
) -> str:
    """A whole drawing, as wide as its page allows, with a title and a description for those who do not see it."""
    return (
        element(
            "svg",
            element("title", escaped(title)),
            element("desc", escaped(description)),
            *children,
            xmlns="http://www.w3.org/2000/svg",
            width=width,
            height=height,
            viewBox=f"0 0 {_number(width)} {_number(height)}",
            role="img",
            lang=language_code,
            aria_label=title,
            font_family=FONT,
        )
        + "\n"
    )


def _number(value: int | float) -> str:
    return f"{round(float(value), 2):g}"
