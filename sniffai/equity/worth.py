"""What a point is worth where the score says little."""

from typing import Final

POINT_WORTH: Final = 0.0035
"""What a point adds to the chance to win an even match, early in one of 2 seats:
``sniffai equity show --seats 2 --scores 5,0`` prints 51.80 %, so five points are worth 1.8 %."""
