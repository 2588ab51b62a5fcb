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
