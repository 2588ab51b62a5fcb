"""How a seat chooses, learned from what it did: a mixture of players by Bayes's rule."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import exp, log
from typing import Final

from sniffai.checks import check_seat, shown
from sniffai.errors import ViewError
from sniffai.play.habits import OWN, habits_of, mixture
from sniffai.play.levels import LEVELS
from sniffai.search.nets import load_policy
from sniffai.search.opponents import Opponent
from sniffai.search.params import MODEL_TEMPERATURES
from sniffai.seeds import check_seed, derived_seed
from sniffai.view import View
from sniffai_ext.inference import sampled_deals
from sniffai_ext.seat_model import SeatModel

CANDIDATES: Final[Mapping[str, Opponent]] = {
    **{level.name: habits for level in LEVELS if (habits := habits_of(level.player)) is not None},
    "search": OWN,
}
"""Whom a seat may be, by name: the levels that do not search, and the search's own model."""

DEALS: Final = 400
"""Deals drawn for each round to learn from. Chosen by judgement."""

FLOOR: Final = 0.02
"""Share of a seat's choices that is taken to be random, so that one choice decides little alone."""

LEAST_SHARE: Final = 0.01
"""A candidate less likely than this is left out."""


def learned_opponent(views: Iterable[View], seat: int, seed: int = 0) -> Opponent:
    """How a seat chooses, as far as its placements tell: a mixture of :data:`CANDIDATES` by Bayes's rule.

    At first each is equally likely. A candidate's likelihood for a round is the mean, over deals that explain what was
    seen, of the chances of all that the seat chose. Nothing hidden has a part in it.

    :param views: what one and the same seat knows of rounds of the match, the present one too, in any order; none: all
        candidates alike.
    :param seat: whose choices: not the one whose views they are.
    :param seed: 0..2**64-1; decides the deals drawn.
    :raises ViewError: there is no such seat, or it is the one whose views these are.
    :raises LimitsError: the seed is out of range.
    """
    check_seed(seed)
    logs = dict.fromkeys(CANDIDATES, 0.0)
    for number, view in enumerate(views):
        check_seat(seat if type(seat) is int else -1, view.players, "seat")
        if seat == view.seat:
            message = f"seat {shown(seat)} is the one whose views these are"
            raise ViewError(message, reason="SEAT_OUT_OF_RANGE", field="seat")
        for name, opponent in CANDIDATES.items():
            logs[name] += _log_likelihood(view, seat, opponent, derived_seed(seed, number))
    most = max(logs.values())
    chances = {name: exp(value - most) for name, value in logs.items()}
    total = sum(chances.values())
    likely = {name: chance / total for name, chance in chances.items() if chance >= LEAST_SHARE * total}
    return mixture((CANDIDATES[name], share / sum(likely.values())) for name, share in likely.items())


@lru_cache(maxsize=1024)
def _log_likelihood(view: View, seat: int, opponent: Opponent, seed: int) -> float:
    """Of what the seat chose in a round, in nats. Kept, as a match grows by one round after the other."""
    models: list[SeatModel | None] = [None] * view.players
    models[seat] = None if opponent == OWN else opponent.core(view.players)
    policy, temperatures = load_policy(view.players), MODEL_TEMPERATURES[view.players]
    _, _, logs = sampled_deals(view.core(), DEALS, seed, policy, temperatures, FLOOR, models)
    seat_logs = logs[:, seat]
    most = float(seat_logs.max())
    return most + log(float(sum(exp(value - most) for value in seat_logs)) / DEALS)
