"""Players against each other on paired deals: the same tiles are played again with the seats swapped.

With 2 seats player B sits at seat 0, then at seat 1; with 4 seats at team 0, then at team 1; with 3 seats B plays alone
against two of A and sits at each seat in turn. A *pairing* is one deal, or one whole match, played in all these
seatings: round k of a match has the same deal in each. The deals cancel most of the luck, and two equal deterministic
players split every pairing exactly.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from functools import cache
from typing import Final, Protocol, TypeGuard, runtime_checkable

from sniffai.jobs.executor import Executor, executor_or, in_order
from sniffai.jobs.result import JobResult, Measured
from sniffai.jobs.spec import JobSpec, slices
from sniffai.moves import Move
from sniffai.play.adjusted import AdjustedMean
from sniffai.play.arena_result import ArenaResult, ArenaSpec, Cost, Game, Pairing, take_in
from sniffai.play.levels import named_player
from sniffai.play.luck import no_luck, round_luck
from sniffai.play.match import Lots, decide
from sniffai.play.mixed import at_turn, parts_of
from sniffai.play.players import Player
from sniffai.round import Round
from sniffai.rules import TEAMS, margins_of, team_of
from sniffai.seeds import derived_seed
from sniffai.view import View
from sniffai.watch import Watch

__all__ = [
    "ArenaResult",
    "ArenaSpec",
    "play_arena",
    "play_game",
    "play_pairing",
    "play_round",
    "play_rounds",
]

PARAMETERS: Final = ("a", "b", "players", "whole_matches", "seed", "luck")
"""What a job of a contest says besides its limits and the numbers of its pairings."""

QUICK: Final = 16
"""Pairings of a job of players that do not search; of those that do, one. It does not depend on how many are played or
by whom, so that jobs that are done need not be done again. Chosen by judgement."""

MOST_ROUNDS: Final = 1000
"""Rounds after which a match is given up without a winner. Random players need about 40."""


@runtime_checkable
class CountingPlayer(Protocol):
    """A player that searches, and counts its simulations."""

    def decide(self, view: View, seed: int) -> tuple[Move, int]:
        """The choice, as :meth:`Player.choose`, and the simulations that it took."""
        ...


class Schedule(Protocol):
    """What is played."""

    @property
    def players(self) -> int:
        """Seats, 2..4."""
        ...

    @property
    def whole_matches(self) -> bool:
        """Whether a pairing is a match rather than one round."""
        ...

    @property
    def luck(self) -> bool:
        """Whether the luck in each round is worked out (:mod:`sniffai.play.luck`)."""
        ...

    @property
    def seed(self) -> int:
        """Seed of the deals and all other random choices, 0..2**64-1."""
        ...


class Contestant:
    """A player, and what its decisions have cost so far."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.cost = Cost()

    def choose(self, view: View, seed: int) -> Move:
        """The player's move: see :meth:`Player.choose`."""
        started, busy = time.perf_counter(), time.process_time()
        move, simulations = self._decide(view, seed)
        self.cost += Cost(1, time.perf_counter() - started, simulations, time.process_time() - busy)
        return move

    def _decide(self, view: View, seed: int) -> tuple[Move, int]:
        player = at_turn(self.player, seed)
        return player.decide(view, seed) if _searches(player) else (player.choose(view, seed), 0)


def _searches(player: Player) -> TypeGuard[CountingPlayer]:
    return _kind_searches(type(player))


@cache
def _kind_searches(kind: type[Player]) -> bool:
    """Remembered, since a check against a protocol takes longer than a quick player's choice."""
    return issubclass(kind, CountingPlayer)


def play_arena(
    spec: ArenaSpec,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
) -> ArenaResult:
    """Play all pairings, or as many as the test needs.

    The games, and so when a test ends, do not depend on who plays them, unless a clock ends the searches.

    :param workers: processes; 1 plays in this one.
    :param executor: plays instead of such processes; it stays open.
    :param progress: called with the number of pairings done since the last call.
    """
    played: list[Played] = []
    mean = AdjustedMean()
    with executor_or(executor, workers) as open_, closing(_batches(spec, open_)) as batches:
        for batch in batches:
            done = _until_decided(spec, mean, batch)
            played.extend(done)
            if progress is not None:
                progress(len(done))
            if _decided(spec, mean):
                break
    a, b = (sum(costs, Cost()) for costs in zip(*((a, b) for _, a, b in played), strict=True))
    return ArenaResult(spec, tuple(pairing for pairing, *_ in played), (a, b))


Played = tuple[Pairing, Cost, Cost]
"""A pairing, and what its decisions cost A and B."""


def _until_decided(spec: ArenaSpec, mean: AdjustedMean, batch: Iterable[Played]) -> list[Played]:
    """The pairings up to the one that decides the test."""
    done: list[Played] = []
    for pairing in batch:
        done.append(pairing)
        if spec.test is not None:
            take_in(mean, pairing[0], spec.test.of)
            if _decided(spec, mean):
                break
    return done


def _decided(spec: ArenaSpec, mean: AdjustedMean) -> bool:
    return spec.test is not None and spec.test.judge(mean).verdict is not None


def _batches(spec: ArenaSpec, executor: Executor) -> Generator[list[Played], None, None]:
    for result in in_order(executor, jobs_of(spec)):
        yield played_of(result)


def jobs_of(spec: ArenaSpec) -> Iterator[JobSpec]:
    """The jobs of a contest, in the order of its pairings."""
    players = [part for name in (spec.a, spec.b) for part in parts_of(named_player(name, spec.limits))]
    size = 1 if spec.whole_matches or any(map(_searches, players)) else QUICK
    parameters = {name: getattr(spec, name) for name in PARAMETERS}
    for numbers in slices(spec.pairings, size):
        yield JobSpec("arena", parameters, numbers, limits=spec.limits)


def play_job(job: JobSpec) -> Measured:
    """Play some pairings of a contest: the work of the kind ``arena``.

    :raises LimitsError: a parameter out of range, or no such player.
    """
    spec = ArenaSpec(**job.read(PARAMETERS), pairings=job.pieces.stop, limits=job.limits)
    played = [play_numbered(spec, number) for number in job.pieces]
    return Measured(
        [[[game.to_list() for game in pairing], *map(_counts, costs)] for pairing, *costs in played],
        {"seconds": [[_seconds(a), _seconds(b)] for _, a, b in played]},
    )


def played_of(result: JobResult) -> list[Played]:
    """What :func:`play_job` made, pairing by pairing."""
    return [
        (tuple(map(Game.from_list, games)), Cost(a[0], x[0], a[1], x[1]), Cost(b[0], y[0], b[1], y[1]))
        for (games, a, b), (x, y) in zip(result.value, result.measured["seconds"], strict=True)
    ]


def _counts(cost: Cost) -> list[int]:
    return [cost.decisions, cost.simulations]


def _seconds(cost: Cost) -> list[float]:
    return [cost.seconds, cost.processor_seconds]


def play_numbered(spec: ArenaSpec, number: int) -> Played:
    """One pairing of a contest by its number, from 0, and what it cost."""
    a, b = (Contestant(named_player(name, spec.limits)) for name in (spec.a, spec.b))
    return play_pairing(spec, a, b, number), a.cost, b.cost


def play_pairing(spec: Schedule, a: Player, b: Player, number: int) -> Pairing:
    """One deal or match in every seating."""
    seats = range(spec.players)
    return tuple(
        play_game(spec, [b if team_of(spec.players, seat) == team else a for seat in seats], number)
        for team in range(TEAMS[spec.players])
    )


def play_game(spec: Schedule, seats: Sequence[Player], number: int) -> Game:
    """One deal or match in one seating."""
    margins = [0.0] * TEAMS[spec.players]
    endings = {"out": 0, "blocked": 0, "target": 0}
    luck, winner = no_luck(spec.players), None
    players = [seat.player if isinstance(seat, Contestant) else seat for seat in seats]
    for index, round_ in enumerate(play_rounds(spec, seats, number)):
        margins = [total + margin for total, margin in zip(margins, round_margins(round_), strict=True)]
        endings[_ending(round_)] += 1
        winner = round_.match_winner if spec.whole_matches else None
        if spec.luck:
            luck += round_luck(round_, players, derived_seed("luck", spec.seed, number, index))
    margin_luck, match_luck = (luck.margins, luck.chances if spec.whole_matches else ()) if spec.luck else ((), ())
    return Game(tuple(margins), winner, **endings, luck=margin_luck, match_luck=match_luck)


def play_rounds(spec: Schedule, seats: Sequence[Player], number: int) -> Iterator[Round]:
    """The rounds of one match, or the only round, each as it has ended.

    The first leader rotates with the pairing's number. The seat that went out leads the next round of a match, after a
    blocked round a random one (docs/rules.md §2).
    """
    lots = Lots((spec.seed, number))
    round_ = lots.first(spec.players, number % spec.players)
    for index in range(MOST_ROUNDS if spec.whole_matches else 1):
        if index:
            round_ = lots.following(round_, index - 1)
        yield play_round(round_, seats, lots.decisions(index))
        if round_.match_winner is not None:
            return


def play_round(round_: Round, seats: Sequence[Player], seed: int) -> Round:
    """Play a round to its end, one player per seat.

    A player is asked if there is more than one legal move. Each decision gets a seed of its own, by its place in the
    round.
    """
    watch = Watch(round_)
    placed = len(round_.moves)
    while not round_.over:
        round_.play(decide(seats[round_.seat], round_, watch, seed, placed))
        placed += 1
    return round_


def round_margins(round_: Round) -> tuple[float, ...]:
    """Each team's margin in a finished round, in points; together 0."""
    return margins_of([after - before for after, before in zip(round_.scores, round_.start.scores, strict=True)])


def _ending(round_: Round) -> str:
    if round_.match_winner is not None:
        return "target"
    return "blocked" if round_.blocked else "out"
