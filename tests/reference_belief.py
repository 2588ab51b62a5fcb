"""What one seat's view says about the tiles it cannot see, worked out in two slow ways (rules §5).

Every tile of another seat came to it in a *batch*: the deal, or one of its draws. What is left is the talon. An
*assignment* puts each tile that the seat did not hold itself, played or not, into one of these; a batch is a set of
tiles, its order does not count. All assignments that agree with the history are equally likely.

* :func:`by_replay` tries every assignment, plays the whole history with it and keeps those in which the seat sees
  exactly what it saw. Nothing is reasoned, so it is the judge, for cases with few tiles left to place.
* :func:`by_tables` writes down which tile may lie in which batch, then counts the ways tile by tile with Python's whole
  numbers. It reaches every case.

Only events count as seen: that a seat to move has not drawn so far says nothing. A draw ends with a tile that can be
joined, unless a pass follows; where nothing follows yet and the talon is empty, its last tile may be any.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any, TypeAlias, TypeVar

from tests.reference import HAND_SIZE, SET, Layout, Round, Tile, parse, teams

R = TypeVar("R", list[int], tuple[int, ...])

TALON = "T"
"""The name of the talon among the places of a marginal."""

Marginals: TypeAlias = dict[str, dict[str, Fraction]]
"""Tile to place (a seat as text, or ``"T"``) to probability, places of probability 0 left out."""


@dataclass
class Sight:
    """A view in the plainest form: the seat's own dealt hand and the events as it saw them."""

    players: int
    seat: int
    leader: int
    hand: list[Tile]
    events: list[dict[str, Any]]


@dataclass
class Batch:
    """Tiles that came to one seat together: the deal, or one draw."""

    owner: str
    size: int
    born: int
    """The index of the draw among the events; 0 for the deal (no draw comes before the lead)."""


def seen(round_: Round, seat: int) -> Sight:
    """What a seat of a round has seen so far."""
    return Sight(round_.players, seat, round_.leader, list(round_.dealt[seat]), round_.seen_by(seat))


def batches(sight: Sight) -> list[Batch]:
    """The batches of the other seats in order, the rest of the talon last."""
    found = [Batch(str(seat), HAND_SIZE[sight.players], 0) for seat in range(sight.players) if seat != sight.seat]
    talon = len(SET) - sight.players * HAND_SIZE[sight.players]
    for index, event in enumerate(sight.events):
        talon -= event.get("draw", 0)
        if "draw" in event and event["seat"] != sight.seat:
            found.append(Batch(str(event["seat"]), event["draw"], index))
    return [*found, Batch(TALON, talon, len(sight.events))]


def own_tiles(sight: Sight) -> list[Tile]:
    """Every tile that the seat has ever held."""
    drawn = [parse(text) for event in sight.events if event["seat"] == sight.seat for text in event.get("tiles", [])]
    return [*sight.hand, *drawn]


def foreign_tiles(sight: Sight) -> list[Tile]:
    """Every tile that the seat never held: those it must place somewhere."""
    own = own_tiles(sight)
    return [tile for tile in SET if tile not in own]


def places_of_play(sight: Sight) -> dict[Tile, tuple[int, str]]:
    """For every tile played by another seat: the number of events before that, and the seat."""
    return {
        parse(event["play"]): (index, str(event["seat"]))
        for index, event in enumerate(sight.events)
        if "play" in event and event["seat"] != sight.seat
    }


Assignment: TypeAlias = list[tuple[Batch, list[Tile]]]
"""The tiles of every batch."""


# by replay ---------------------------------------------------------------------------------------------------------


World: TypeAlias = tuple[tuple[frozenset[Tile], ...], frozenset[Tile]]
"""The hands by seat (the view's own seat empty) and the talon, as they are now."""


def worlds_by_replay(sight: Sight) -> dict[World, int]:
    """Every world that agrees with the history, with its number of assignments."""
    played, found = places_of_play(sight), dict[World, int]()
    for assignment in fillings(sight):
        if agrees(sight, assignment):
            places: dict[str, set[Tile]] = {}
            for batch, tiles in assignment:
                places.setdefault(batch.owner, set()).update(tile for tile in tiles if tile not in played)
            hands = tuple(frozenset(places.get(str(seat), ())) for seat in range(sight.players))
            world = hands, frozenset(places[TALON])
            found[world] = found.get(world, 0) + 1
    return found


def by_replay(sight: Sight) -> tuple[int, Marginals]:
    """The number of assignments and the marginals, by trying all of them. For few unknown tiles only."""
    worlds = worlds_by_replay(sight)
    total, marginals = sum(worlds.values()), dict[str, dict[str, Fraction]]()
    for (hands, talon), ways in worlds.items():
        for owner, tiles in [*((str(seat), hand) for seat, hand in enumerate(hands)), (TALON, talon)]:
            for tile in tiles:
                row = marginals.setdefault(str(tile), {})
                row[owner] = row.get(owner, Fraction(0)) + Fraction(ways, total)
    return total, marginals


def assignments_of(sight: Sight, world: World) -> int:
    """The number of assignments that make a world, by counting tile by tile; 0 for a world that cannot be."""
    hands, talon = world
    owner = dict.fromkeys(talon, TALON) | {tile: str(seat) for seat, hand in enumerate(hands) for tile in hand}
    slots = slots_of(sight)
    rows = [
        [slot for slot in row if owner.get(tile, slots[slot][0].owner) == slots[slot][0].owner]
        for tile, row in zip(foreign_tiles(sight), table(sight), strict=True)
    ]
    return all_ways(rows, packed(size for _, _, size in slots))


def replay_size(sight: Sight) -> int:
    """How many assignments :func:`by_replay` would try."""
    return all_ways(owned(sight), packed(batch.size for batch in batches(sight)))


def owned(sight: Sight) -> list[list[int]]:
    """For each tile to place, the batches it may lie in if a played tile only has to have been its player's."""
    played = places_of_play(sight)
    return [
        [index for index, batch in enumerate(batches(sight)) if tile not in played or played[tile][1] == batch.owner]
        for tile in foreign_tiles(sight)
    ]


def fillings(sight: Sight) -> Iterator[Assignment]:
    """All ways to put the tiles into the batches."""
    tiles, rows, places = foreign_tiles(sight), owned(sight), batches(sight)
    contents: list[list[Tile]] = [[] for _ in places]

    def fill(index: int) -> Iterator[None]:
        if index == len(tiles):
            yield None
            return
        for place in rows[index]:
            if len(contents[place]) < places[place].size:
                contents[place].append(tiles[index])
                yield from fill(index + 1)
                contents[place].pop()

    for _ in fill(0):
        yield list(zip(places, [list(content) for content in contents], strict=True))


def agrees(sight: Sight, assignment: Assignment) -> bool:
    """Whether the history can have happened with these batches.

    The order inside a draw is settled by the rules: the tile that ended it is the one placed at once, the others could
    not be joined and their order changes nothing.
    """
    return same_history(sight, deal_of(sight, assignment))


def deal_of(sight: Sight, assignment: Assignment) -> Round:
    """The round, before its lead, that an assignment says was dealt; scores are zero."""
    hands = [list(tiles) for batch, tiles in assignment if batch.born == 0 and batch.owner != TALON]
    hands.insert(sight.seat, list(sight.hand))
    rest = next(tiles for batch, tiles in assignment if batch.owner == TALON)
    drawn = {batch.born: tiles for batch, tiles in assignment if batch.born and batch.owner != TALON}
    talon: list[Tile] = []
    for index, event in enumerate(sight.events):
        if "draw" in event:
            own = [parse(text) for text in event.get("tiles", [])]
            talon += own or last_placed(drawn[index], sight.events[index + 1 :])
    return Round(sight.players, hands, talon + rest, sight.leader, [0] * teams(sight.players))


def last_placed(tiles: list[Tile], later: list[dict[str, Any]]) -> list[Tile]:
    """A draw's tiles with the one that was placed right afterwards moved to the end."""
    placed = parse(later[0]["play"]) if later and "play" in later[0] else None
    return sorted(tiles, key=lambda tile: tile == placed)


def same_history(sight: Sight, round_: Round) -> bool:
    """Whether the placements seen, made in a round, show the seat exactly the events that it saw."""
    for event in (event for event in sight.events if "play" in event):
        move = parse(event["play"]), event["at"]
        if round_.over or round_.seat != event["seat"] or move not in round_.legal_moves():
            return False
        round_.play(*move)
        if round_.match_winner is not None:
            raise AssertionError("scores start at zero here, a round alone never reaches a target")
    strip = [{key: value for key, value in event.items() if key != "points"} for event in sight.events]
    mine = [{key: value for key, value in event.items() if key != "points"} for event in round_.seen_by(sight.seat)]
    return strip == mine


# by tables ---------------------------------------------------------------------------------------------------------


def by_tables(sight: Sight) -> tuple[int, Marginals]:
    """The number of assignments and the marginals, by counting tile by tile.

    Tiles that may lie in the same slots are alike: what is found for one of them holds for all.
    """
    rows_of = dict(zip(foreign_tiles(sight), map(tuple, table(sight)), strict=True))
    rows, slots = in_order(rows_of.values()), packed(size for _, _, size in slots_of(sight))
    owners = [batch.owner for batch, _, _ in slots_of(sight)]
    played, before = places_of_play(sight), list(forward(rows, slots))
    onward = ways_onward(rows, before)
    hidden = {tile: row for tile, row in rows_of.items() if tile not in played}
    found: dict[tuple[int, ...], dict[str, Fraction]] = {}
    for row, ways, after in zip(rows, before[:-1], onward[1:], strict=True):
        if row in hidden.values() and row not in found:
            found[row] = shares(after, row, ways, owners)
    return onward[0][slots], {str(tile): found[row] for tile, row in hidden.items()}


def assignment_count(sight: Sight) -> int:
    """The number of assignments alone."""
    return all_ways(in_order(table(sight)), packed(size for _, _, size in slots_of(sight)))


def in_order(rows: Iterable[R]) -> list[R]:
    """Rows of a table with the fewest slots first, equal ones together: so the fewest states come up in counting."""
    return sorted(rows, key=lambda row: (len(row), row))


State: TypeAlias = int
"""Free places left in every slot, in a digit of its own: none has as many as ``BASE``."""

BASE = 32


def packed(sizes: Iterable[int]) -> State:
    return sum(size * BASE**slot for slot, size in enumerate(sizes))


@cache
def digit(slot: int) -> tuple[int, State, State]:
    """A slot, one place of it, and a state's bits that say how many are free."""
    return slot, BASE**slot, (BASE - 1) * BASE**slot


def digits(row: Sequence[int]) -> list[tuple[int, State, State]]:
    """Those of a row's slots."""
    return [digit(slot) for slot in row]


def places(state: State, row: list[int]) -> list[tuple[int, State]]:
    """Each slot of a row with a free place, and the state once it is taken."""
    return [(slot, state - place) for slot, place, free in digits(row) if state & free]


def any_assignment(sight: Sight, rng: Random) -> Assignment:
    """One of the assignments that agree with the history, each equally likely."""
    rows, slots = table(sight), slots_of(sight)
    state = packed(size for _, _, size in slots)
    onward = ways_onward(rows, list(forward(rows, state)))
    filled: dict[tuple[str, int], list[Tile]] = {(batch.owner, batch.born): [] for batch, _, _ in slots}
    for index, (tile, row) in enumerate(zip(foreign_tiles(sight), rows, strict=True)):
        free = places(state, row)
        slot, state = rng.choices(free, [onward[index + 1][left] for _, left in free])[0]
        filled[slots[slot][0].owner, slots[slot][0].born].append(tile)
    return [(batch, filled[batch.owner, batch.born]) for batch in batches(sight)]


def shares(
    after: dict[State, int], row: Sequence[int], ways: dict[State, int], owners: list[str]
) -> dict[str, Fraction]:
    """How a tile is shared out among the places, by the ways to place the tiles before it and those after it."""
    found: dict[str, int] = {}
    for slot, place, free in digits(row):
        into = sum([before * after[state - place] for state, before in ways.items() if state & free])
        found[owners[slot]] = found.get(owners[slot], 0) + into
    total = sum(found.values())
    return {owner: Fraction(number, total) for owner, number in found.items() if number}


def all_ways(rows: Sequence[Sequence[int]], slots: State) -> int:
    """The ways to place all tiles."""
    return sum(list(forward(rows, slots))[-1].values())


def ways_onward(rows: Sequence[Sequence[int]], before: list[dict[State, int]]) -> list[dict[State, int]]:
    """For each tile and after the last: the ways to place the tiles from it on, by what is left free.

    :param before: what :func:`forward` says, which meets the same states.
    """
    *earlier, last = before
    onward = [dict.fromkeys(last, 1)]
    for row, states in zip(reversed(rows), reversed(earlier), strict=True):
        choices, after = digits(row), onward[-1]
        onward.append(
            {state: sum([after[state - place] for _, place, free in choices if state & free]) for state in states}
        )
    return onward[::-1]


def forward(rows: Sequence[Sequence[int]], slots: State) -> Iterator[dict[State, int]]:
    """For each tile and after the last: the ways to have placed the tiles before it, by what is left free."""
    ways = {slots: 1}
    yield ways
    for row in rows:
        after: dict[State, int] = {}
        for _, place, free in digits(row):
            for state, number in ways.items():
                if state & free:
                    after[state - place] = after.get(state - place, 0) + number
        ways = after
        yield ways


def has_last(sight: Sight, batch: Batch) -> bool:
    """Whether a batch is a draw whose last tile is a slot by itself: no pass followed it."""
    if batch.born == 0 or batch.owner == TALON:
        return False
    following = sight.events[batch.born + 1 :][:1]
    return not (following and "pass" in following[0])


def slots_of(sight: Sight) -> list[tuple[Batch, str, int]]:
    """Batches split into slots (batch, kind, size): a draw without a pass is its ``"last"`` tile and the others."""
    slots = []
    for batch in batches(sight):
        last = int(has_last(sight, batch))
        slots.append((batch, "many", batch.size - last))
        slots += [(batch, "last", 1)] * last
    return slots


def table(sight: Sight) -> list[list[int]]:
    """For each tile to place, the indices of the slots that it may lie in."""
    layouts, played = list(layouts_before(sight)), places_of_play(sight)
    slots = slots_of(sight)
    return [
        [index for index, (batch, kind, _) in enumerate(slots) if allows(sight, layouts, played, tile, batch, kind)]
        for tile in foreign_tiles(sight)
    ]


def layouts_before(sight: Sight) -> Iterator[Layout]:
    """The table as it stood at every event."""
    layout = Layout()
    yield layout.copy()
    for event in sight.events:
        if "play" in event:
            layout.place(parse(event["play"]), event["at"])
        yield layout.copy()


def allows(
    sight: Sight, layouts: list[Layout], played: dict[Tile, tuple[int, str]], tile: Tile, batch: Batch, kind: str
) -> bool:
    """Whether a tile may have come in a slot, by all that happened from then until it was played."""
    played_at, player = played.get(tile, (len(sight.events), batch.owner))
    if batch.owner == TALON:
        return tile not in played
    if player != batch.owner or (batch.born and played_at < batch.born):
        return False
    if kind == "last":
        open_end = batch.born + 1 == len(sight.events) and batches(sight)[-1].size == 0
        return played_at == batch.born + 1 and (open_end or bool(layouts[batch.born].places_for(tile)))
    drawn_and_placed = [index + 1 for index, event in enumerate(sight.events) if "draw" in event]
    if tile in played and played_at in drawn_and_placed:
        return False
    return not any(
        layouts[index].places_for(tile)
        for index, event in enumerate(sight.events)
        if batch.born <= index < played_at and "play" not in event and str(event["seat"]) == batch.owner
    )
