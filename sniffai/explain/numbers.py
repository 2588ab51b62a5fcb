"""Numbers as people read them: with a true minus sign, and an error shown as 0 only where it is 0."""

from typing import Final

MINUS: Final = "\N{MINUS SIGN}"

CERTAIN_CHANCE: Final = 1.0 - 1e-9
"""A chance that only rounding keeps from being 1."""

LEAST: Final = 0.01
"""The smallest error that is shown; one between this and 0 is shown as this."""


def fixed(value: float, places: int = 1, *, signed: bool = False) -> str:
    """A number to so many places, with its sign where asked for; 0 has none."""
    text = f"{value:+.{places}f}" if signed else f"{value:.{places}f}"
    zero = f"{0:.{places}f}"
    return zero if text.lstrip("+-") == zero else text.replace("-", MINUS)


def uncertain(error: float, places: int = 1) -> str:
    """A standard error of at least 0 to so many places; to two where it would be shown as 0 and is not."""
    text = f"{error:.{places}f}"
    return text if error == 0.0 or float(text) > 0.0 else f"{max(error, LEAST):.2f}"
