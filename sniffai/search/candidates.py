"""The moves that an analysis considers: all legal moves, the included ones, or those that are not excluded."""

from collections.abc import Iterable
from typing import Final, TypeAlias

from sniffai.checks import is_listed, shown
from sniffai.errors import MoveError, SniffError
from sniffai.moves import Move, MoveLike
from sniffai.view import View

Moves: TypeAlias = Iterable[MoveLike] | None
"""Moves that a caller names; ``None`` for none."""

Group: TypeAlias = tuple[int, int]
"""A tile and the lowest of its attachment points that lead to the same future."""

MOST: Final = 128
"""Moves that a caller may name: more than any seat has."""


def distinct_moves(view: View) -> list[Move]:
    """The legal moves of the view's seat, those with equal futures once (the lowest attachment point)."""
    return [Move.from_codes(tile, at) for tile, at in view.core().distinct_moves()]


def equal_moves(view: View, move: Move) -> list[Move]:
    """A legal move with those that lead to the same future: the tile at each of its equal attachment points."""
    tile, at = move.codes
    if at < 0:
        return [move]
    return [Move.from_codes(tile, point) for point in view.core().layout.equal_points(tile, at)]


def considered_moves(view: View, moves: list[Move], include_moves: Moves, exclude_moves: Moves) -> list[Move]:
    """Those of the :func:`distinct_moves` of a view that are included or not excluded, in their order.

    A move that a caller names stands for all its equal attachment points.

    :raises TileError: a tile does not exist; ``field`` is such as ``"include_moves[2].tile"``.
    :raises MoveError: both are given; a move is not legal or named twice; nothing is left.
    """
    if include_moves is None and exclude_moves is None:
        return moves
    if include_moves is not None and exclude_moves is not None:
        message = "moves can be included or excluded, not both"
        raise MoveError(message, reason="INCLUDE_AND_EXCLUDE", field="exclude_moves")
    field = "exclude_moves" if include_moves is None else "include_moves"
    named = _groups(view, exclude_moves if include_moves is None else include_moves, field)
    left = [move for move in moves if (move.codes in named) == (field == "include_moves")]
    if not left:
        raise MoveError("no move is left to consider", reason="NO_MOVE_LEFT", field=field)
    return left


def _groups(view: View, named: Moves, field: str) -> set[Group]:
    """The distinct moves that a caller names."""
    groups = _legal_groups(view)
    chosen: dict[Move, Group] = {}
    for i, move in enumerate(_read(named, field)):
        if move not in groups:
            message = f"{move} is not a legal move of seat {view.seat} now"
            raise MoveError(message, reason="MOVE_NOT_LEGAL", field=f"{field}[{i}]")
        if move in chosen:
            raise MoveError(f"{move} is named twice", reason="MOVE_TWICE", field=f"{field}[{i}]")
        chosen[move] = groups[move]
    return set(chosen.values())


def _legal_groups(view: View) -> dict[Move, Group]:
    """Every legal move, with the distinct move that has the same future."""
    core = view.core()
    return {
        Move.from_codes(tile, at): (tile, at if at < 0 else core.layout.equal_points(tile, at)[0])
        for tile, at in core.legal_moves()
    }


def _read(named: Moves, field: str) -> list[Move]:
    if named is None or not is_listed(named):
        raise MoveError(f"a list of moves is expected, not {shown(named)}", reason="NOT_MOVES", field=field)
    moves: list[Move] = []
    for i, move in enumerate(named):
        if i == MOST:
            raise MoveError(f"at most {MOST} moves can be named", reason="TOO_MANY", field=field)
        moves.append(_read_move(move, f"{field}[{i}]"))
    return moves


def _read_move(move: MoveLike, path: str) -> Move:
    try:
        return Move.of(move)
    except SniffError as error:
        raise error.at(path) from None
