"""A net that rates moves as a search would choose them, trained on its choices by numpy.

The form is the policy's (``ext/sniffai_ext/net.pxd``): inputs -> units -> 32 -> one number, with a linear skip; but the
number of units is free, and inputs need not be on or off. It starts as the policy: its weights, and beside them units
and inputs that count for nothing yet.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks.search_choices import Array
from tests.reference_net import NARROW, SCALE, WIDE, parts

PARTS: Final = ("embed", "skip", "bias1", "mix", "bias2", "out", "bias3", "sharpness")
BATCH: Final = 256
"""Choices in a step of training."""
FIRST_RATE: Final = 2e-3
"""Adam's rate at the start; it falls along a line."""
LAST_SHARE: Final = 0.02
"""What is left of the rate at the end."""
SHARPNESS: Final = 0.3
"""By how much a point more makes a move likelier at the start, in nats."""
MEMORIES: Final = (0.9, 0.999)
"""Of Adam, for the mean and the square."""
TINY: Final = 1e-8


@dataclass(frozen=True, slots=True)
class Batch:
    """Some choices."""

    inputs: Array
    """By move."""
    points: Array
    """By move: what it scores."""
    starts: npt.NDArray[np.int64]
    """By choice: the number of its first move."""
    owner: npt.NDArray[np.int64]
    """By move: the number of its choice."""
    phase: npt.NDArray[np.uint8]
    """By choice."""
    target: Array
    """By move: the share of choices that go to it."""


class ChoiceNet:
    """See the module.

    :param weights: of the policy, float32.
    :param rows: of the policy.
    :param count: inputs, of which the policy's rows are the first.
    :param units: in the first layer, at least the policy's 64.
    """

    def __init__(self, weights: Array, rows: int, count: int, units: int, seed: int) -> None:
        random = np.random.default_rng(seed)
        embed, skip, bias1, mix, bias2, out, bias3 = parts(weights, rows, 1)
        wide = np.zeros((count, units))
        wide[:rows, :WIDE] = embed
        wide[:, WIDE:] = random.normal(0, (1 / 45) ** 0.5, (count, units - WIDE))
        self.parts = dict(
            zip(
                PARTS,
                (
                    wide,
                    np.concatenate([skip[0], np.zeros(count - rows)]),
                    np.concatenate([bias1, np.zeros(units - WIDE)]),
                    np.concatenate([mix, np.zeros((units - WIDE, NARROW))]),
                    bias2,
                    out[0],
                    bias3,
                    np.full(3, np.log(SHARPNESS)),
                ),
                strict=True,
            )
        )
        self.parts = {name: part.astype(np.float32) for name, part in self.parts.items()}

    def rate(self, inputs: Array, points: Array) -> Array:
        """What each move brings, in points of the policy's scale."""
        return points + np.float32(SCALE) * self._layers(inputs)[-1]

    def chances(self, batch: Batch) -> Array:
        """Of the moves of each choice, as the net would choose."""
        rating = self.rate(batch.inputs, batch.points)
        return softmax(self._sharpness(batch) * rating, batch.starts, batch.owner)

    def _sharpness(self, batch: Batch) -> Array:
        """By move."""
        raised: Array = np.exp(self.parts["sharpness"])[batch.phase][batch.owner]
        return raised

    def _layers(self, inputs: Array) -> tuple[Array, Array, Array]:
        own = self.parts
        wide = np.maximum(0, inputs @ own["embed"] + own["bias1"])
        narrow = np.maximum(0, wide @ own["mix"] + own["bias2"])
        return wide, narrow, narrow @ own["out"] + inputs @ own["skip"] + own["bias3"][0]

    def gradient(self, batch: Batch) -> dict[str, Array]:
        """Of the mean cross-entropy of the targets."""
        own = self.parts
        wide, narrow, output = self._layers(batch.inputs)
        sharpness = self._sharpness(batch)
        rating = batch.points + np.float32(SCALE) * output
        chances = softmax(sharpness * rating, batch.starts, batch.owner)
        blame = (chances - batch.target) / len(batch.starts)  # of each move's logit
        sharper = np.bincount(batch.phase[batch.owner], blame * rating * sharpness, 3)
        step = blame * sharpness * np.float32(SCALE)
        back = np.outer(step, own["out"]) * (narrow > 0)
        first = (back @ own["mix"].T) * (wide > 0)
        gradients = (
            batch.inputs.T @ first,
            batch.inputs.T @ step,
            first.sum(axis=0),
            wide.T @ back,
            back.sum(axis=0),
            narrow.T @ step,
            step.sum(keepdims=True),
            sharper,
        )
        return {name: part.astype(np.float32) for name, part in zip(PARTS, gradients, strict=True)}


def softmax(logits: Array, starts: npt.NDArray[np.int64], owner: npt.NDArray[np.int64]) -> Array:
    """Chances of the moves of each choice; ``starts``, ``owner``: see :class:`Batch`."""
    raised: Array = np.exp(logits - np.maximum.reduceat(logits, starts)[owner])
    raised /= np.add.reduceat(raised, starts)[owner]
    return raised


def first_best(rating: Array, batch: Batch) -> npt.NDArray[np.int64]:
    """By choice, the place of the move that is rated best."""
    best = rating == np.maximum.reduceat(rating, batch.starts)[batch.owner]
    places = np.flatnonzero(best)
    _, firsts = np.unique(batch.owner[places], return_index=True)
    return places[firsts] - batch.starts


def train(net: ChoiceNet, batches: Iterable[Batch], steps: int) -> None:
    """Train it in place by Adam (Kingma and Ba 2015); afterwards it has the mean weights of the last quarter.

    :param steps: the number of batches.
    """
    mean = {name: np.zeros_like(part) for name, part in net.parts.items()}
    square = {name: np.zeros_like(part) for name, part in net.parts.items()}
    total = {name: np.zeros(part.shape) for name, part in net.parts.items()}
    kept = max(1, steps // 4)
    for step, batch in enumerate(batches, 1):
        rate = FIRST_RATE * max(LAST_SHARE, 1 - (step - 1) / steps)
        for name, gradient in net.gradient(batch).items():
            mean[name] += (1 - MEMORIES[0]) * (gradient - mean[name])
            square[name] += (1 - MEMORIES[1]) * (gradient**2 - square[name])
            ahead = mean[name] / (1 - MEMORIES[0] ** step)
            spread = np.sqrt(square[name] / (1 - MEMORIES[1] ** step)) + TINY
            net.parts[name] -= np.float32(rate) * ahead / spread
            if step > steps - kept:
                total[name] += net.parts[name]
    if steps:
        net.parts = {name: (part / kept).astype(np.float32) for name, part in total.items()}
