"""The phases of a round, by how many tiles lie on the table.

The model of the other seats has a temperature for each, and a review counts mistakes by phase.
"""

from typing import Final

from sniffai_ext.inference import PHASE_EDGES

PHASES: Final = ("opening", "middle", "end")
"""Fewer than 8 tiles on the table, fewer than 16, and 16 or more."""


def phase_number(placed: int) -> int:
    """Which of :data:`PHASES` a decision belongs to, 0..2.

    :param placed: tiles on the table before it, 0..27.
    """
    return sum(placed >= edge for edge in PHASE_EDGES)
