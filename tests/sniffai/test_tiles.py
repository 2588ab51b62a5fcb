"""Tiles, moves, attachment points and the layout as values."""

import json
import pickle
from pathlib import Path

import pytest

import sniffai
from sniffai import TILES, Layout, Move, MoveError, SniffError, Tile, TileError
from sniffai.ports import point_code, point_name, ports_of
from sniffai.tiles import mask_tiles, read_tiles, tile_mask

POSITIONS = Path(__file__).parent.parent / "data" / "rulebook_positions.json"
PORTS = {"low": "LOW", "high": "HIGH", "A": "LINE_A", "B": "LINE_B", "sA": "SIDE_A", "sB": "SIDE_B"}


def test_there_are_28_tiles_with_168_pips_in_the_order_of_their_index() -> None:
    assert [tile.index for tile in TILES] == list(range(28))
    assert sum(tile.pips for tile in TILES) == 168
    assert list(TILES) == sorted(TILES)
    assert sum(tile.is_double for tile in TILES) == 7


def test_a_tile_is_written_and_read_one_way() -> None:
    assert [Tile.parse(str(tile)) for tile in TILES] == list(TILES)
    assert Tile.of("4|6") is Tile.of(TILES[Tile(4, 6).index])
    with pytest.raises(TileError, match=r"write 4\|6"):
        Tile.parse("6|4")


@pytest.mark.parametrize("text", ["", "4|7", "7|7", "4|6 ", "46", "4|6|1", "-1|3", "\u00b2|6", "4\u01c06"])
def test_other_texts_are_not_tiles(text: str) -> None:
    with pytest.raises(TileError) as caught:
        Tile.parse(text)
    assert caught.value.reason == "UNKNOWN_TILE"


@pytest.mark.parametrize("value", [None, 4, ["4|6"], b"4|6"])
def test_other_values_are_not_tiles(value: object) -> None:
    with pytest.raises(TileError):
        Tile.of(value)  # type: ignore[arg-type]


def test_a_tile_cannot_be_made_wrong() -> None:
    with pytest.raises(TileError):
        Tile(6, 4)


def test_a_set_of_tiles_is_a_mask() -> None:
    tiles = (Tile(0, 0), Tile(4, 6), Tile(6, 6))
    assert mask_tiles(tile_mask(tiles)) == tiles


def test_a_list_of_tiles_names_the_place_of_what_is_wrong() -> None:
    with pytest.raises(TileError, match=r"hand\[2\]: 4\|6 occurs twice: it is also at hand\[0\]") as caught:
        read_tiles(["4|6", "5|6", "4|6"], "hand")
    assert (caught.value.field, caught.value.reason) == ("hand[2]", "TILE_TWICE")
    with pytest.raises(TileError, match="a list of tiles"):
        read_tiles("4|6", "hand")


def test_ports_have_names_and_codes() -> None:
    names = [f"{tile}:{port}" for tile in TILES for port in ports_of(tile)]
    assert len(names) == 21 * 2 + 7 * 4
    assert [point_name(point_code(name)) for name in names] == names
    assert point_name(point_code(None)) is None


def test_a_move_has_one_written_form() -> None:
    move = Move("4|5", "4|6:HIGH")
    assert str(move) == "4|5@4|6:HIGH"
    assert Move.parse("4|5@4|6:HIGH") == move
    assert Move.from_codes(*move.codes) == move
    assert str(Move("4|5")) == "4|5"
    assert Move.of(Tile(4, 5)) == Move("4|5")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "kind", "field"),
    [
        ("4|7@4|6:HIGH", TileError, "tile"),
        ("4|5@4|6:LINE_A", MoveError, "at"),
        ("4|5@4|4:LOW", MoveError, "at"),
        ("4|5@", MoveError, "at"),
        ("4|5@4|6", MoveError, "at"),
        ("", TileError, "tile"),
    ],
)
def test_a_move_names_the_part_that_is_wrong(text: str, kind: type[SniffError], field: str) -> None:
    with pytest.raises(kind) as caught:
        Move.parse(text)
    assert caught.value.field == field


def test_values_can_be_pickled() -> None:
    view = sniffai.Round.deal(3, seed=1).view(1)
    for value in (Tile(4, 6), Move("4|5", "4|6:HIGH"), view, Layout.of(["4|4", "4|6@4|4:LINE_A"])):
        assert pickle.loads(pickle.dumps(value)) == value
    error = pickle.loads(pickle.dumps(TileError("no", reason="NO", field="hand")))
    assert (type(error), str(error), error.reason) == (TileError, "hand: no", "NO")


def test_the_layout_names_the_placement_that_does_not_fit() -> None:
    with pytest.raises(MoveError) as caught:
        Layout.of(["4|4", "4|6@4|4:LINE_A", "1|2@4|6:HIGH"])
    assert caught.value.field == "[2].at"


@pytest.mark.parametrize("position", json.loads(POSITIONS.read_text(encoding="utf-8")))
def test_the_positions_of_the_rule_book(position: dict[str, list[list[object]]]) -> None:
    layout = Layout.of(rulebook_moves(position))
    assert [(at.name, at.pips) for at in layout.attachment_points] == sorted_points(position)
    assert sorted((str(tile), value) for tile, value in layout.contributions) == sorted(
        (text(tile), value) for tile, value in position["contributions"]
    )
    assert (layout.count, layout.points) == (position["sum"], position["points"])


def text(tile: object) -> str:
    low, high = tile  # type: ignore[misc]
    return f"{low}|{high}"


def rulebook_moves(position: dict[str, list[list[object]]]) -> list[Move]:
    """Each tile joined to the one before it that it is linked with."""
    tiles = [text(tile) for tile in position["tiles"]]
    links = [(text(a), PORTS[str(p)], text(b), PORTS[str(q)]) for a, p, b, q in position["links"]]
    moves = [Move(tiles[0])]
    for i, tile in enumerate(tiles[1:], start=1):
        (at,) = [f"{a}:{p}" for a, p, b, q in links if b == tile and a in tiles[:i]] + [
            f"{b}:{q}" for a, p, b, q in links if a == tile and b in tiles[:i]
        ]
        moves.append(Move(tile, at))
    return moves


def sorted_points(position: dict[str, list[list[object]]]) -> list[tuple[str, object]]:
    """Attachment points ascending by tile, then port."""
    points = [(f"{text(tile)}:{PORTS[str(port)]}", pips) for tile, port, pips in position["attachable"]]
    return sorted(points, key=lambda point: point_code(point[0]))
