"""A search's choices in self-play, with what a model of them may be told: the data of ``history_model``.

A choice is a decision with at least two distinct moves, after no draw that decides the tile. By move there are the rows
of the policy net, its rating, and what the search found; by choice, the exact and the inferred marginals and what the
others did. All of it comes from the view, so a model of it knows no more than its seat.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sniffai.events import Draw, Pass, Play
from sniffai.moves import Move
from sniffai.play.players import SearchPlayer
from sniffai.play.selfplay import decisions
from sniffai.search.inferred import calibrated
from sniffai.search.nets import load_policy
from sniffai.search.params import EVIDENCE_SLOPES, MODEL_TEMPERATURES, TOLD_CHOICES, SearchParams
from sniffai.search.phases import phase_number
from sniffai.seeds import derived_seed
from sniffai.view import View
from sniffai_ext.belief import Belief
from sniffai_ext.layout import Layout
from sniffai_ext.worlds import weighted_worlds
from tests.reference_net import OTHER_BLOCK, OTHERS, move_rows

Array = npt.NDArray[np.float32]

WORLDS: Final = 200
"""Worlds weighed for the inferred marginals, besides those that a fit adds. Chosen by judgement."""
FIVES: Final = 6
"""A reply's points are told as the chances that it scores 5, 10, ... and so many fives."""
LAST: Final = 2
"""Tiles that each other seat placed last."""
PAST: Final = 3 + 28 * LAST
"""Numbers that tell what one seat did."""


@dataclass(slots=True)
class SeenMove:
    """A move as a model sees it."""

    codes: tuple[int, int]
    """Its tile and attachment point."""
    rows: npt.NDArray[np.bool_]
    """Of the policy net: which are on."""
    points: float
    """What it scores."""
    rating: float
    """The policy's, in points."""
    exact_replies: Array
    """For each other seat: how many tiles it holds that fit then, whether none does, and what it may score, all as the
    exact marginals expect it."""
    inferred_replies: Array
    """The same as the inferred marginals expect it."""


@dataclass(slots=True)
class Inputs:
    """All that a model is told at a choice."""

    moves: list[SeenMove]
    exact: Array
    """The exact probabilities that the other seats, in turn order, hold each tile; 0 for tiles that are not hidden."""
    inferred: Array
    """The same with what choices suggest."""
    past: Array
    """For each other seat: tiles drawn, times it drew or passed, placements; then the last tiles that it placed."""


def inputs_of(view: View, seed: int) -> Inputs:
    """What a model is told.

    :param view: of a seat that chooses.
    :param seed: of the worlds that are weighed.
    """
    core, others = view.core(), [(view.seat + k) % view.players for k in range(1, view.players)]
    policy, params = load_policy(view.players), SearchParams()
    exact = Belief(core).table()
    pool = weighted_worlds(
        core,
        WORLDS,
        seed,
        policy,
        MODEL_TEMPERATURES[view.players],
        params.floor,
        None,
        params.extra_size(WORLDS),
        TOLD_CHOICES[view.players],
    )
    inferred = calibrated(pool.marginals()[0], exact, EVIDENCE_SLOPES[view.players], view.seat)
    hidden = ~(core.hand | core.layout.tiles) & 0xFFFFFFF
    beliefs = [table[:, others].T for table in (exact, inferred)]
    moves = []
    for tile, at, rating in policy.rate(core):
        table = core.layout
        points = table.play(tile, at)
        rows = np.zeros(row_count(view.players), np.bool_)
        rows[move_rows(view, tile, at)] = True
        moves.append(SeenMove((tile, at), rows, points, rating, *replies(table, hidden, beliefs)))
    moves.sort(key=lambda move: move.codes)  # so that the order tells nothing
    known, guessed = (belief.ravel().astype(np.float32) for belief in beliefs)
    return Inputs(moves, known, guessed, np.concatenate([past(view, seat) for seat in others]))


def row_count(players: int) -> int:
    """Rows of the policy net."""
    return OTHERS + (players - 1) * OTHER_BLOCK


def replies(table: Layout, hidden: int, beliefs: Sequence[npt.NDArray[np.float64]]) -> list[Array]:
    """See :attr:`SeenMove.exact_replies`.

    :param table: after the move.
    :param hidden: the tiles that the seat does not see.
    :param beliefs: by other seat and tile, the probability that the seat holds it; each gives an answer.
    """
    most: dict[int, int] = {}
    for tile, at in table.moves(hidden):
        most[tile] = max(most.get(tile, 0), table.copy().play(tile, at))
    fives = np.array(list(most.values())) // 5
    answers = []
    for belief in beliefs:
        held = belief[:, list(most)]
        scoring = [1 - np.prod(1 - held[:, fives >= k], axis=1) for k in range(1, FIVES + 1)]
        numbers = np.stack([held.sum(axis=1) / 4, np.prod(1 - held, axis=1), *scoring], axis=1)
        answers.append(numbers.ravel().astype(np.float32))
    return answers


def past(view: View, seat: int) -> Array:
    """See :attr:`Inputs.past`."""
    inputs, placed = np.zeros(PAST, np.float32), []
    for event in view.events:
        if event.seat != seat:
            continue
        if isinstance(event, Draw):
            inputs[0] += event.count / 5
        if isinstance(event, Draw | Pass):
            inputs[1] += 1 / 4
        if isinstance(event, Play):
            inputs[2] += 1 / 7
            placed.append(event.move.codes[0])
    for k, tile in enumerate(placed[: -LAST - 1 : -1]):
        inputs[3 + 28 * k + tile] = 1
    return inputs


class Recorder:
    """A search that notes each of its choices.

    :param again: whether each choice is made a second time with another seed, and noted too.
    """

    def __init__(self, player: SearchPlayer, again: bool) -> None:
        self._player, self._again = player, again
        self.noted: list[dict[str, npt.NDArray[np.generic]]] = []

    def choose(self, view: View, seed: int) -> Move:
        """See :class:`sniffai.play.players.Player`."""
        analysis = self._player.analyze(view, seed)
        chosen = self._player.pick(analysis, seed)
        if view.core().forced >= 0:
            return chosen
        inputs = inputs_of(view, derived_seed(seed, "inputs"))
        place = {move.codes: k for k, move in enumerate(inputs.moves)}
        again = self._player.choose(view, derived_seed(seed, "again")) if self._again else chosen
        share, margin = np.zeros((2, len(place)), np.float32)
        for move in analysis.moves:
            margin[place[move.move.codes]] = move.expected_margin
            share[place[move.move.codes]] = move.best_probability if analysis.source == "exact" else move.visits
        self.noted.append(
            {
                "moves": np.array([len(place)], np.uint8),
                "phase": np.array([phase_number(view.core().layout.placed)], np.uint8),
                "picked": np.array([place[chosen.codes]], np.uint8),
                "again": np.array([place[again.codes]], np.uint8),
                "rows": np.packbits([move.rows for move in inputs.moves], axis=1),
                "points": np.array([move.points for move in inputs.moves], np.float16),
                "rating": np.array([move.rating for move in inputs.moves], np.float32),
                "exact_replies": np.array([move.exact_replies for move in inputs.moves], np.float16),
                "inferred_replies": np.array([move.inferred_replies for move in inputs.moves], np.float16),
                "exact": inputs.exact[None].astype(np.float16),
                "inferred": inputs.inferred[None].astype(np.float16),
                "past": inputs.past[None].astype(np.float16),
                "share": (share / share.sum()).astype(np.float16),
                "margin": margin,
            }
        )
        return chosen


def record(player: SearchPlayer, players: int, numbers: range, seed: int, again: bool, file: Path) -> int:
    """Play rounds of self-play and write their choices to a file, unless it is there; returns how many rounds.

    :param numbers: which rounds, from 0: each is the same whichever others are played.
    """
    if not file.exists():
        recorder = Recorder(player, again)
        for _ in decisions(recorder, players, numbers, seed):
            pass
        unfinished = file.with_suffix(".part.npz")
        columns: Any = {name: np.concatenate([choice[name] for choice in recorder.noted]) for name in recorder.noted[0]}
        np.savez(unfinished, **columns)
        unfinished.rename(file)
    return len(numbers)
