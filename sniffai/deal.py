"""The start of a round: the hands, the order of the talon, the leader and the scores."""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Self

from sniffai.checks import as_whole, is_listed, keep_plain, read_integer, read_integers, shown
from sniffai.errors import TileError, ViewError
from sniffai.rules import HAND_SIZE, TEAMS
from sniffai.tiles import TILES, Tile, TileLike, read_tiles
from sniffai_ext.round import check_players, check_scores


@dataclass(frozen=True, slots=True)
class Deal:
    """Everything that determines a round, apart from the moves (docs/rules.md §1 and §2).

    Hands are kept ascending, so two deals of the same tiles are equal. :meth:`of` reads tiles as text or values.
    """

    players: int
    """Seats, 2..4."""
    hands: tuple[tuple[Tile, ...], ...]
    """The tiles of each seat, ascending."""
    talon: tuple[Tile, ...]
    """The undealt tiles in the order of drawing."""
    leader: int
    """The seat that leads."""
    scores: tuple[int, ...]
    """Points before the round, one number a team."""

    def __post_init__(self) -> None:
        keep_plain(self, "players", "leader", "scores")

    @classmethod
    def of(
        cls,
        players: int,
        hands: Iterable[Iterable[TileLike]],
        talon: Iterable[TileLike],
        leader: int,
        scores: Iterable[int],
    ) -> Self:
        """Read tiles as text or values; the core checks the numbers when the round begins.

        :raises TileError: a tile does not exist or occurs twice; ``field`` is such as ``"hands[1][3]"``.
        :raises ViewError: something that should be a whole number, or a list, is not.
        """
        seen: dict[Tile, str] = {}
        if not is_listed(hands):
            raise TileError(f"a list of hands is expected, not {shown(hands)}", reason="NOT_TILES", field="hands")
        read = tuple(read_tiles(hand, f"hands[{seat}]", seen) for seat, hand in enumerate(hands))
        return cls(
            players=read_integer(players, "players"),
            hands=tuple(tuple(sorted(hand)) for hand in read),
            talon=read_tiles(talon, "talon", seen),
            leader=read_integer(leader, "leader"),
            scores=read_integers(scores, "scores"),
        )

    @classmethod
    def shuffled(cls, players: int, seed: int, leader: int | None = None, scores: Iterable[int] | None = None) -> Self:
        """A random deal: the same arguments give the same deal on every machine and Python version.

        :param players: seats, 2..4.
        :param seed: any whole number from 0.
        :param leader: the seat that leads; random if not given.
        :param scores: points before the round, one number a team; all 0 if not given.
        :raises ViewError: a number is out of range.
        """
        players = check_players(read_integer(players, "players"))
        lots = _lots(seed)
        tiles = sorted(TILES, key=lambda tile: lots.random())
        by_lot = int(lots.random() * players)
        size = HAND_SIZE[players]
        hands = tuple(tuple(sorted(tiles[size * seat : size * (seat + 1)])) for seat in range(players))
        before = (0,) * TEAMS[players] if scores is None else read_integers(scores, "scores")
        seat = by_lot if leader is None else read_integer(leader, "leader")
        return cls(players, hands, tuple(tiles[size * players :]), seat, check_scores(players, before))


def seat_by_lot(players: int, seed: int) -> int:
    """A seat, each equally likely: who leads the first round, or the one after a blocked round (§2).

    :raises ViewError: ``seed`` is not a whole number from 0.
    """
    return int(_lots(seed).random() * players)


def _lots(seed: int) -> Random:
    """A seeded generator; of its methods only ``random()`` is promised to stay the same in later Pythons."""
    number = as_whole(seed)
    if number is None or number < 0:
        message = f"a whole number of at least 0 is expected, not {shown(seed)}"
        raise ViewError(message, reason="SEED_OUT_OF_RANGE", field="seed")
    return Random(number)
