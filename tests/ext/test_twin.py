"""The packed round of the compiled core against the literal twin, move by move, event by event."""

from hypothesis import given, settings

from sniffai_ext.layout import Layout as CoreLayout
from sniffai_ext.round import Round as CoreRound
from tests.pairing_core import codes, core_event, core_round, index, mask, name
from tests.reference import SET, Layout, Round
from tests.strategies import Choices, choices, deals


def table_of(layout: CoreLayout) -> tuple[list[tuple[str, int]], list[tuple[int, int]], int, int]:
    points = [(name(at), pips) for at, pips in layout.attachment_points()]
    return points, layout.contributions(), layout.count, layout.points


def literal_table(layout: Layout) -> tuple[list[tuple[str, int]], list[tuple[int, int]], int, int]:
    ends = [(index(tile), value) for tile, value in layout.contributions()]
    return layout.attachment_points(), ends, layout.count, layout.points


def assert_same(core: CoreRound, literal: Round) -> None:
    assert core.over == literal.over
    assert core.legal_moves() == [codes(move) for move in literal.legal_moves()]
    assert table_of(core.layout) == literal_table(literal.layout)
    assert core.hands == tuple(map(mask, literal.hands))
    assert core.talon == tuple(map(index, literal.talon))
    assert core.scores == tuple(literal.scores)
    assert core.events() == [core_event(event) for event in literal.events]
    assert core.forced == (-1 if literal.forced is None else index(literal.forced))


def assert_same_end(core: CoreRound, literal: Round) -> None:
    assert core.went_out == (-1 if literal.went_out is None else literal.went_out)
    assert core.blocked == literal.blocked
    assert core.match_winner == (-1 if literal.match_winner is None else literal.match_winner)


@settings(max_examples=250)
@given(deals(), choices())
def test_rounds_agree_after_every_placement(literal: Round, way: Choices) -> None:
    core = core_round(literal)
    assert_same(core, literal)
    while not literal.over:
        assert core.seat == literal.seat
        move = way.choose(literal)
        assert core.play(*codes(move)) == literal.play(*move)
        assert_same(core, literal)
        assert_same_end(core, literal)


@settings(max_examples=60)
@given(deals(), choices())
def test_a_tile_fits_exactly_where_the_twin_says(literal: Round, way: Choices) -> None:
    core = CoreLayout()
    for _ in range(len(SET)):
        free = [tile for tile in SET if tile not in literal.layout.tiles and literal.layout.places_for(tile)]
        assert core.fits(mask(SET)) & ~core.tiles == mask(free)
        if literal.over:
            break
        move = way.choose(literal)
        literal.play(*move)
        core.play(*codes(move))
        assert core.tiles == mask(literal.layout.tiles)
        assert core.sniff == (-1 if literal.layout.sniff is None else index(literal.layout.sniff))
        assert core.placements() == [codes(placed) for placed in literal.layout.placements]
        assert core.open_pips == sum({1 << pips for _, pips in literal.layout.attachment_points()})


@settings(max_examples=60)
@given(deals(), choices())
def test_a_copy_goes_its_own_way(literal: Round, way: Choices) -> None:
    core = core_round(literal)
    twin = literal.again()
    while not literal.over:
        before = core.copy()
        move = way.choose(literal)
        core.play(*codes(move))
        literal.play(*move)
        assert_same(before, twin)
        twin.play(*move)
    assert_same(core, literal)
