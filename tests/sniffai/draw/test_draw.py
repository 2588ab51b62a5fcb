"""Pictures: every tile in its place, whatever the layout, and the words that go with them."""

import json
import random
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

import sniffai
from sniffai import wire
from sniffai.cli.group import run
from sniffai.draw import hand_svg, layout_svg, plan_growing_layout, plan_layout, png, position_svg, tally_svg
from sniffai.draw.geometry import Box, OpenEnd, PlacedTile, Plan, Spot
from sniffai.explain import describe

SVG = "{http://www.w3.org/2000/svg}"
RULE_BOOK = sniffai.Layout.of(["4|4", "4|6@4|4:LINE_A", "1|4@4|4:LINE_B", "2|4@4|4:SIDE_A"])


def random_round(players: int, seed: int, plies: int = 28) -> sniffai.Round:
    round_, lots = sniffai.Round.deal(players, seed), random.Random(seed)
    while not round_.over and len(round_.moves) < plies:
        round_.play(lots.choice(round_.legal_moves()))
    return round_


def grown(seed: int) -> sniffai.Layout:
    """A layout that no fair round would make: as long as can be, often in one arm, with many or few doubles."""
    lots, way = random.Random(seed), seed % 3
    tiles = list(sniffai.TILES)
    lots.shuffle(tiles)
    layout = sniffai.Layout.of([sniffai.Move(tiles.pop())])
    while moves := [
        sniffai.Move(tile, point.name)
        for tile in tiles
        for point in layout.attachment_points
        if point.pips in (tile.low, tile.high)
    ]:
        last = layout.placements[-1].tile
        if way:
            moves = [move for move in moves if (move.at or "").startswith(f"{last}:")] or moves
            moves = [move for move in moves if move.tile.is_double is (way == 1)] or moves
        move = lots.choice(moves)
        layout = sniffai.Layout.of([*layout.placements, move])
        tiles.remove(move.tile)
    return layout


def layouts() -> Iterator[sniffai.Layout]:
    for seed in range(300):
        yield random_round(2 + seed % 3, seed, 28 if seed % 2 else 1 + seed % 19).layout
    for seed in range(45):
        yield grown(seed)


def overlap(one: Box, other: Box, distance: int = 0) -> bool:
    """Whether two boxes are nearer to each other than a distance (0: whether they overlap)."""
    across = one.left < other.right + distance and other.left < one.right + distance
    return across and one.top < other.bottom + distance and other.top < one.bottom + distance


def port_edge(placed: PlacedTile, port: str) -> set[Spot]:
    """The middles of the edges at which a port may be joined."""
    box = placed.box
    middle_x, middle_y = (box.left + box.right) // 2, (box.top + box.bottom) // 2
    left, right, top, bottom = (
        Spot(box.left, middle_y),
        Spot(box.right, middle_y),
        Spot(middle_x, box.top),
        Spot(middle_x, box.bottom),
    )
    if placed.tile.is_double:
        short = {top, bottom} if placed.upright else {left, right}
        return short if port.startswith("SIDE") else {left, right, top, bottom} - short
    half = placed.high if port == "HIGH" else placed.low
    edges = {Spot(half.x + dx, half.y + dy) for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))}
    inside = Spot((placed.low.x + placed.high.x) // 2, (placed.low.y + placed.high.y) // 2)
    return edges - {inside}


def joints(layout: sniffai.Layout) -> Iterator[tuple[sniffai.Tile, str, sniffai.Tile, str]]:
    for move in layout.placements[1:]:
        assert move.at is not None
        parent, _, port = move.at.partition(":")
        outer = sniffai.Tile.parse(parent)
        pips = outer.high if port == "HIGH" else outer.low
        near = "LINE_A" if move.tile.is_double else ("LOW" if move.tile.low == pips else "HIGH")
        yield outer, port, move.tile, near


def check_plan(layout: sniffai.Layout, plan: Plan, mark: int) -> None:
    placed = {one.tile: one for one in plan.tiles}
    assert [one.move for one in plan.tiles] == list(layout.placements)
    joined = {frozenset((outer, inner)) for outer, _, inner, _ in joints(layout)}
    for one, other in combinations(plan.tiles, 2):
        apart = 0 if frozenset((one.tile, other.tile)) in joined else 1
        assert not overlap(one.box, other.box, apart), (layout, one, other)
    for outer, port, inner, near in joints(layout):
        assert port_edge(placed[outer], port) & port_edge(placed[inner], near), (layout, outer, inner)
    used: dict[sniffai.Tile, list[Spot]] = {}
    for outer, port, inner, near in joints(layout):
        (edge,) = port_edge(placed[outer], port) & port_edge(placed[inner], near)
        used.setdefault(outer, []).append(edge)
        used.setdefault(inner, []).append(edge)
    assert all(len(edges) == len(set(edges)) for edges in used.values())
    check_marks(layout, plan, placed, mark)


def check_marks(layout: sniffai.Layout, plan: Plan, placed: dict[sniffai.Tile, PlacedTile], mark: int) -> None:
    assert [end.name for end in plan.ends] == [point.name for point in layout.attachment_points]
    assert sum(end.value or 0 for end in plan.ends) == layout.count
    for end, point in zip(plan.ends, layout.attachment_points, strict=True):
        assert {end.box.width, end.box.height} <= {2, mark}
        assert touches(end, port_edge(placed[point.tile], point.port)), (layout, end)
        assert not any(overlap(end.box, one.box) for one in plan.tiles), (layout, end)
    assert not any(overlap(one.box, other.box) for one, other in combinations(plan.ends, 2))
    inner = [*(one.box for one in plan.tiles), *(end.box for end in plan.ends)]
    assert plan.box == Box(
        min(box.left for box in inner),
        min(box.top for box in inner),
        max(box.right for box in inner),
        max(box.bottom for box in inner),
    )


def touches(end: OpenEnd, edges: set[Spot]) -> bool:
    """Whether a mark's room begins at one of some edges."""
    box = end.box
    middles = {
        Spot((box.left + box.right) // 2, box.top),
        Spot((box.left + box.right) // 2, box.bottom),
        Spot(box.left, (box.top + box.bottom) // 2),
        Spot(box.right, (box.top + box.bottom) // 2),
    }
    return bool(middles & edges)


def test_every_layout_lies_right_and_fits_a_phone() -> None:
    longest = 0
    for number, layout in enumerate(layouts()):
        mark = 4 if number % 5 == 0 else 2
        plan = plan_layout(layout, mark)
        check_plan(layout, plan, mark)
        assert plan.box.width <= 36
        assert plan.box.height <= 48
        longest = max(longest, len(layout.placements))
    assert longest == 28


def test_a_layout_always_gets_the_same_plan() -> None:
    layout = random_round(3, 5).layout
    assert plan_layout(layout) == plan_layout(sniffai.Layout.of(layout.placements))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_tiles_stay_where_they_lie_while_a_table_grows(players: int) -> None:
    placements = moved = 0
    for seed in range(8):
        round_, lots = sniffai.Round.deal(players, seed), random.Random(seed)
        before: dict[sniffai.Tile, Box] = {}
        while not round_.over:
            sniff = round_.layout.sniff
            round_.play(lots.choice(round_.legal_moves()))
            plan = plan_growing_layout(round_.layout, 4)
            check_plan(round_.layout, plan, 4)
            assert plan.box.width <= 36
            assert plan.box.height <= 60
            boxes = {one.tile: one.box for one in plan.tiles}
            if sniff == round_.layout.sniff:
                placements += 1
                moved += any(boxes[tile] != box for tile, box in before.items())
            before = boxes
        assert plan_growing_layout(round_.layout, 4) == plan
    assert moved <= placements / 50  # where no room is left


def test_an_empty_table_has_an_empty_plan() -> None:
    for plan in (plan_layout(sniffai.Layout.of([])), plan_growing_layout(sniffai.Layout.of([]))):
        assert (plan.tiles, plan.ends) == ((), ())
    assert "No tile has been played." in texts(layout_svg(sniffai.Layout.of([])))


def texts(drawn: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(drawn).iter(f"{SVG}text")]


def pips_drawn(drawn: str) -> int:
    """The dots inside tiles: circles that lie in a group in a tile's group."""
    return len(ET.fromstring(drawn).findall(f".//{SVG}g/{SVG}g/{SVG}g/{SVG}circle"))


@pytest.mark.parametrize("seed", range(12))
def test_a_picture_shows_every_pip_and_what_counts(seed: int) -> None:
    layout = random_round(2 + seed % 3, seed, 4 + 2 * seed).layout
    drawn = layout_svg(layout)
    assert pips_drawn(drawn) == sum(move.tile.pips for move in layout.placements)
    plan = plan_layout(layout)
    for end in plan.ends:
        assert end.value is None or str(end.value) in texts(drawn)
    assert f" = {layout.count}" in "".join(texts(drawn))
    root = ET.fromstring(drawn)
    assert (root.get("role"), root.get("lang")) == ("img", "en")
    assert root.findtext(f"{SVG}desc") == describe(layout)
    assert root.findtext(f"{SVG}title") == root.get("aria-label") != ""


def test_the_rule_book_s_example_reads_as_in_the_book() -> None:
    assert [text for text in texts(layout_svg(RULE_BOOK)) if "=" in text] == ["1 + 2 + 4 + 6 = 13"]
    lead = plan_layout(sniffai.Layout.of(["2|2"]))
    assert [(end.name, end.value) for end in lead.ends] == [("2|2:LINE_A", 4), ("2|2:LINE_B", None)]
    turned = [one.upright for one in plan_layout(sniffai.Layout.of(["1|4", "4|4@1|4:HIGH", "1|1@1|4:LOW"])).tiles]
    assert turned == [False, True, True]


def test_names_are_letters_with_a_legend() -> None:
    written = texts(layout_svg(RULE_BOOK, names=True))
    assert [written.count(letter) for letter in "ABCD"] == [2, 2, 2, 2]
    assert "[4|4] (side branch B): fits 4, counts 4" in written
    assert "[4|4] (側枝B)：4の目に接続、寄与値4" in texts(layout_svg(RULE_BOOK, names=True, language_code="ja"))


def test_the_legend_tells_what_fits_from_what_counts() -> None:
    double = texts(layout_svg(sniffai.Layout.of(["2|2"]), names=True))
    assert "[2|2] (line side A): fits 2, counts 4" in double
    assert "[2|2] (line side B): fits 2, counts nothing" in double
    assert "[0|5] (low end): fits 0, counts 0" in texts(layout_svg(sniffai.Layout.of(["0|5"]), names=True))


def test_moves_at_one_place_show_all_their_tags() -> None:
    view = sniffai.View.from_snapshot(
        players=2,
        seat=0,
        placements=["4|6"],
        hand=["1|4", "2|4", "0|0", "0|1", "0|2", "0|3", "0|5"],
        hand_sizes=[7, 6],
        talon_size=14,
        scores=[0, 0],
    )
    here = texts(position_svg(view, moves={"A": "1|4@4|6:LOW", "B": "2|4@4|6:LOW"}))
    assert [here.count(tag) for tag in ("A/B", "A", "B")] == [1, 1, 1]
    tile = texts(hand_svg(["4|6"], moves={"A": "4|6@4|4:LINE_A", "B": "4|6@6|6:LINE_A"}))
    assert tile == ["A/B"]


def test_a_position_names_its_players() -> None:
    view = random_round(4, 5, 6).view(2)
    written = texts(position_svg(view, players=["Ann", "", "N" * 40, "花子さんと太郎さんの長い名前"]))
    assert written[:1] == ["Ann"]
    assert "Seat 1" in written
    assert "Seat 0" not in written
    assert f"Hand of {'N' * 17}…" in written
    assert {"NNNNN…", "花子…"} <= set(written)
    assert texts(position_svg(view, players=[])) == texts(position_svg(view))
    for wrong in (["Ann"], ["a"] * 5, [1, 2, 3, 4], "Ann", None, 4):
        with pytest.raises(sniffai.LimitsError) as raised:
            position_svg(view, players=wrong)  # type: ignore[arg-type]
        assert (raised.value.reason, raised.value.field) == ("NOT_NAMES", "players")


def test_a_position_shows_what_the_seat_sees() -> None:
    round_ = random_round(4, 5, 6)
    view = round_.view(round_.seat)
    move = view.legal_moves()[0]
    written = texts(position_svg(view, moves={"a<b": move}))
    assert written.count("a<b") == 2
    assert [f"Seat {seat}" in written for seat in range(4)] == [True] * 4
    assert f"Talon: {view.talon_size}" in written
    shown = [*view.hand, *(placed.tile for placed in view.placements)]
    assert pips_drawn(position_svg(view)) == sum(tile.pips for tile in shown)
    assert f"轮到座位{view.seat}行动" in ET.fromstring(position_svg(view, language_code="zh-CN")).findtext(
        f"{SVG}desc", ""
    )


def test_a_hand_of_fifteen_takes_two_rows() -> None:
    drawn = hand_svg(list(sniffai.TILES[:15]))
    assert float(ET.fromstring(drawn).get("height", "0")) < 160
    assert pips_drawn(drawn) == sum(tile.pips for tile in sniffai.TILES[:15])
    assert ET.fromstring(hand_svg([])).findtext(f"{SVG}title") == "Hand of 0 tiles"


def test_scores_are_drawn_as_on_paper() -> None:
    drawn = ET.fromstring(tally_svg([185, -35]))
    assert len(list(drawn.iter(f"{SVG}path"))) == (185 + 35) // 5
    assert [text.text for text in drawn.iter(f"{SVG}text")] == ["185", "\N{MINUS SIGN}35"]
    assert ET.fromstring(tally_svg(50, language_code="ja")).findtext(f"{SVG}title") == "得点：50点"


def test_what_cannot_be_drawn_is_reported() -> None:
    with pytest.raises(sniffai.LimitsError, match="1 to 3 signs"):
        layout_svg(RULE_BOOK, moves={"best": "4|5@4|6:HIGH"})
    with pytest.raises(sniffai.LimitsError, match="languages en, ja, zh-Hans"):
        layout_svg(RULE_BOOK, language_code="de")
    with pytest.raises(sniffai.TileError):
        hand_svg(["7|7"])
    with pytest.raises(sniffai.LimitsError, match="multiple of 5"):
        tally_svg([3])


def test_a_png_has_the_width_asked_for() -> None:
    drawn = png(layout_svg(RULE_BOOK), 500)
    assert drawn[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(drawn[16:20], "big") == 500
    for bad in (0, 8001, True, 12.5):
        with pytest.raises(sniffai.LimitsError, match="width"):
            png(layout_svg(RULE_BOOK), bad)  # type: ignore[arg-type]
    with pytest.raises(sniffai.LimitsError, match="not an SVG"):
        png("<html>")


def test_the_command_draws_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    round_ = random_round(3, 4, 9)
    view = round_.view(round_.seat)
    move = str(view.legal_moves()[0])
    file = tmp_path / "view.txt"
    file.write_text(view.to_text() + "\n", encoding="utf-8")
    svg, picture = str(tmp_path / "a.svg"), str(tmp_path / "a.png")
    assert run(["draw", str(file), "-o", svg, "--lang", "ja", "--names", "--move", move]) == 0
    expected = position_svg(view, language_code="ja", names=True, moves={"1": move})
    assert Path(svg).read_text(encoding="utf-8") == expected
    assert run(["draw", view.to_text(), "-o", picture, "--width", "400"]) == 0
    assert Path(picture).read_bytes() == png(position_svg(view), 400)
    assert run(["draw", round_.to_text()]) == 0
    assert capsys.readouterr().out == layout_svg(round_.layout)
    assert run(["draw", round_.to_text(), "--seat", str(round_.seat)]) == 0
    assert capsys.readouterr().out == position_svg(view)


def test_the_command_draws_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    round_ = random_round(2, 4, 9)
    view = round_.view(round_.seat)
    seen, deal = (json.loads(wire.to_json(made)) for made in (wire.write_view(view), wire.write_deal(round_)))
    file = tmp_path / "position.json"
    for value, drawn in (
        (seen, position_svg(view)),
        ({"view": seen, "seed": "7"}, position_svg(view)),
        (deal, layout_svg(round_.layout)),
        ({"deal": deal, "limits": {"simulations": "10"}}, layout_svg(round_.layout)),
    ):
        file.write_text(json.dumps(value), encoding="utf-8")
        assert run(["draw", str(file)]) == 0
        assert capsys.readouterr().out == drawn
    for wrong, word in (
        ({"seed": "7"}, "view"),
        ({"deal": deal | {"talon": []}}, "deal.talon"),
        ([], "view, snapshot or round"),
    ):
        file.write_text(json.dumps(wrong), encoding="utf-8")
        assert run(["draw", str(file)]) == 2
        assert word in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["view players=2"], "field is missing"),
        (["no-such-file"], "No such file"),
        (["round", "--lang", "tlh"], "languages"),
        ([random_round(2, 1, 3).to_text(), "-o", "picture.gif"], ".svg or .png"),
        ([random_round(2, 1, 3).to_text(), "--move", "9|9"], "not a tile"),
    ],
)
def test_the_command_reports_what_is_wrong(capsys: pytest.CaptureFixture[str], args: list[str], told: str) -> None:
    assert run(["draw", *args]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err
