"""From the library's values to messages."""

from collections.abc import Iterable
from typing import Final

from google.protobuf.duration_pb2 import Duration

from sniffai.events import Draw, Event, Play
from sniffai.history import History, Snapshot
from sniffai.layout import Layout
from sniffai.moves import Move
from sniffai.round import Round
from sniffai.search.params import Limits
from sniffai.tiles import TILES, Tile
from sniffai.v1 import event_pb2, limits_pb2, move_pb2, round_pb2, rules_service_pb2, view_pb2
from sniffai.view import View
from sniffai_ext.layout import Layout as CoreLayout

ACTIONS: Final = {
    "play": move_pb2.ACTION_PLAY,
    "draw": move_pb2.ACTION_DRAW,
    "pass": move_pb2.ACTION_PASS,
    "wait": move_pb2.ACTION_WAIT,
    "over": move_pb2.ACTION_OVER,
}

_TEXTS: Final = tuple(map(str, TILES))
"""All tiles by index, as text."""


def write_move(move: Move) -> move_pb2.Move:
    """A move."""
    return move_pb2.Move(**move_fields(move))


def move_fields(move: Move) -> dict[str, str]:
    """The fields of a move's message."""
    return {"tile": str(move.tile), "at": move.at or ""}


def write_layout(layout: Layout) -> move_pb2.Layout:
    """A layout."""
    return move_pb2.Layout(
        placements=map(write_move, layout.placements),
        attachment_points=[
            move_pb2.AttachmentPoint(name=point.name, pips=point.pips) for point in layout.attachment_points
        ],
        contributions=_contributions(layout.contributions),
        count=layout.count,
        sniff=str(layout.sniff) if layout.sniff else "",
    )


def write_legal_moves(view: View) -> list[move_pb2.LegalMove]:
    """The legal moves of the view's seat, each with its immediate effect."""
    layout = view.core().layout
    return [_legal_move(layout, tile, at) for tile, at in view.core().legal_moves()]


def write_event(event: Event) -> event_pb2.Event:
    """An event, with the tiles of a draw if they are known."""
    if isinstance(event, Play):
        placement = event_pb2.Placement(tile=str(event.move.tile), at=event.move.at or "", points=event.points)
        return event_pb2.Event(seat=event.seat, play=placement)
    if isinstance(event, Draw):
        draw = event_pb2.Draw(count=event.count, tiles=_tiles(event.tiles or ()))
        return event_pb2.Event(seat=event.seat, draw=draw)
    message = event_pb2.Event(seat=event.seat)
    getattr(message, "pass").SetInParent()  # a keyword of Python
    return message


def write_view(view: View) -> view_pb2.PlayerView:
    """A view."""
    message = view_pb2.PlayerView(players=view.players, seat=view.seat, scores=view.scores)
    if isinstance(view.position, Snapshot):
        message.hand.extend(_tiles(view.position.hand))
        message.snapshot.CopyFrom(_snapshot(view.position))
    else:
        message.hand.extend(_tiles(view.position.dealt))
        message.record.CopyFrom(_record(view.position))
    return message


def write_deal(round_: Round) -> round_pb2.OpenDeal:
    """A round with all hands known."""
    start = round_.start
    return round_pb2.OpenDeal(
        players=start.players,
        leader=start.leader,
        scores=start.scores,
        hands=[round_pb2.Hand(tiles=_tiles(hand)) for hand in start.hands],
        talon=_tiles(start.talon),
        moves=map(write_move, round_.moves),
    )


def write_state(round_: Round) -> round_pb2.RoundState:
    """The state of a round."""
    views = [round_.view(seat) for seat in range(round_.players)]
    return round_pb2.RoundState(
        seat_to_move=None if round_.over else round_.seat,
        scores=round_.scores,
        hands=[round_pb2.Hand(tiles=_tiles(hand)) for hand in round_.hands],
        talon=_tiles(round_.talon),
        layout=write_layout(round_.layout),
        legal_moves=write_legal_moves(views[round_.seat]),
        events=map(write_event, round_.history),
        views=map(write_view, views),
        over=round_.over,
        went_out=round_.went_out,
        blocked=round_.blocked,
        match_winner=round_.match_winner,
        settlement=round_.settlement,
    )


def write_limits(limits: Limits) -> limits_pb2.Limits:
    """The limits that are set."""
    return limits_pb2.Limits(
        time=None if limits.seconds is None else write_seconds(limits.seconds),
        simulations=limits.simulations,
        memory_bytes=limits.memory_bytes,
        stop_when_decided=limits.stop_when_decided,
        target_standard_error=limits.target_standard_error,
    )


def write_seconds(seconds: float) -> Duration:
    """A duration, to the nanosecond."""
    duration = Duration()
    duration.FromNanoseconds(round(seconds * 1e9))
    return duration


def write_facts(view: View, world_count: float) -> rules_service_pb2.ViewFacts:
    """The facts that follow from a view."""
    return rules_service_pb2.ViewFacts(
        action=ACTIONS[view.must],
        seat_to_move=view.to_move,
        hand=_tiles(view.hand),
        hand_sizes=view.hand_sizes,
        talon_size=view.talon_size,
        scores=view.scores_now,
        layout=write_layout(view.layout),
        world_count=world_count,
    )


def _record(history: History) -> view_pb2.EventRecord:
    return view_pb2.EventRecord(leader=history.leader, events=map(write_event, history.events))


def _snapshot(snapshot: Snapshot) -> view_pb2.Snapshot:
    return view_pb2.Snapshot(
        placements=map(write_move, snapshot.placements),
        hand_sizes=snapshot.hand_sizes,
        talon_size=snapshot.talon_size,
        voids=[view_pb2.SeatVoids(seat=seat, suits=suits) for seat, suits in enumerate(snapshot.voids) if suits],
        drawn_tile=str(snapshot.drawn_tile) if snapshot.drawn_tile else "",
    )


def _legal_move(layout: CoreLayout, tile: int, at: int) -> move_pb2.LegalMove:
    points, count, contributions = layout.outlook(tile, at)
    return move_pb2.LegalMove(
        move=write_move(Move.from_codes(tile, at)),
        points_now=points,
        count_after=count,
        contributions_after=[
            move_pb2.Contribution(tile=_TEXTS[counted], value=value) for counted, value in contributions
        ],
    )


def _contributions(ends: Iterable[tuple[Tile, int]]) -> list[move_pb2.Contribution]:
    return [move_pb2.Contribution(tile=str(tile), value=value) for tile, value in ends]


def _tiles(tiles: Iterable[Tile]) -> list[str]:
    return [str(tile) for tile in tiles]
