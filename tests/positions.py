"""Seeded positions of use to several tests, each (players, seed, placements) for :func:`tests.reference.at_random`."""

FEW_WORLDS = [
    *((2, *case) for case in [(378, 14), (432, 16), (666, 14), (1236, 11), (1377, 14), (1470, 16)]),
    *((3, *case) for case in [(235, 16), (610, 12), (982, 14), (1486, 11), (2029, 16), (2254, 16), (2476, 16)]),
    *((4, *case) for case in [(14, 14), (593, 18), (677, 20), (707, 10), (968, 15), (1583, 13), (1736, 17)]),
]
"""In these, others drew or passed, and few assignments remain for the seat to move: enough to try each."""

UNEVEN_WORLDS = [
    *((2, *case) for case in [(102, 17), (717, 16), (834, 17)]),
    *((3, *case) for case in [(103, 20), (262, 19), (358, 21)]),
    *((4, *case) for case in [(167, 18), (272, 19), (146, 17)]),
]
"""In these, the seat to move has some dozens of worlds left, some of them twice as likely as others, or more."""

TURNED = (
    "view players=4 seat=1 leader=0 scores=0,0 hand=1|1,1|2,1|6,2|3,2|6 : 5|6 2|6@5|6:HIGH 2|5@2|6:LOW 4|5@2|5:HIGH "
    "3|4@4|5:LOW 2|3@3|4:LOW 0|2@2|3:LOW 0|1@0|2:LOW 1|3@0|1:HIGH +5|5 5|5@5|6:LOW 0|3@1|3:HIGH +2 0|4@0|3:LOW +1 "
    "3|5@5|5:LINE_B +2|4 2|4@0|4:HIGH +2 0|5@5|5:SIDE_B 2|2@2|4:LOW 3|6@3|5:LOW 1|2@2|2:LINE_B 0|6@0|5:LOW "
    "6|6@0|6:HIGH +1 1|5@5|5:SIDE_A"
)
"""A view whose best move is another one against careless opponents."""
