"""The table: every team's chance to win the match between two rounds, and the error of that."""

import json
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from os import PathLike
from typing import IO, TYPE_CHECKING, Any, Final

from sniffai.checks import check_seat, keep, read_integer, read_integers, read_kind, read_only, read_path, read_players
from sniffai.errors import LimitsError, RecordError, ViewError
from sniffai.packaged import read_packaged
from sniffai.rules import TARGET, TEAMS, team_of
from sniffai_ext.equity import Equity as CoreEquity

if TYPE_CHECKING:  # imported where arrays are made: see sniffai.checks
    import numpy as np
    import numpy.typing as npt

STEP: Final = 5
"""All points and deductions are multiples of 5 (docs/rules.md §4, §6)."""

FINENESS: Final = 65_535
"""Steps of a stored chance between 0 and 1: rounding changes it by at most 0.0008 %."""

ERROR_UNIT: Final = 1e-4
"""The unit of a stored error; errors are rounded up."""

MOST_LEAD: Final = 60
"""The largest result of :func:`lead_value`, in points."""


@dataclass(frozen=True, slots=True, eq=False)
class Equity:
    """Every team's chance to win the match, from the scores and who leads next. Threads may share it.

    The chances are those between two rounds, of equal players who play like the table's player. Scores may be below 0.
    """

    core: CoreEquity
    """The chances, in the core's form."""
    errors: "npt.NDArray[np.float32]"
    """Half the width of a 95 % interval: ``[n, n]`` for the leading team, with 3 seats ``[n, n, n, 3]`` for the leader
    and the seats after it."""
    made: Mapping[str, Any]
    """How the table was made: ``command``, ``player`` and its ``signature``, ``rounds``, ``seed``, ``version``,
    ``largest_error`` and ``mean_error``."""

    def __post_init__(self) -> None:
        keep(self, "errors", read_only(self.errors))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.core, self.errors, dict(self.made))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Equity):
            return NotImplemented
        return self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts()[:-1])

    def _parts(self) -> tuple[Any, ...]:
        tables = (self.core.lead, self.errors)
        return (self.players, self.lowest, *(table.tobytes() for table in tables), dict(self.made))

    @property
    def players(self) -> int:
        """Seats, 2..4."""
        return self.core.players

    @property
    def lowest(self) -> int:
        """The lowest score of the table, in points; lower scores have the same chances as this one."""
        return self.core.lowest

    @property
    def highest(self) -> int:
        """The highest score of the table, in points: 5 below the target."""
        return TARGET[self.players] - STEP

    def chance(self, scores: Iterable[int], leader: int | None = None) -> tuple[float, ...]:
        """Every team's chance to win the match, each 0..1, together 1.

        :param scores: points of each team, after the settlement. A team at or past the target has won (docs/rules.md
            §7).
        :param leader: the seat that leads the next round; ``None`` for a random seat (§2).
        :raises ViewError: a wrong number of scores, a score that is not a multiple of 5, more than one team at
            the target, or an unknown seat.
        """
        return self.core.chance(*self._read(scores, leader))

    def error(self, scores: Iterable[int], leader: int | None = None) -> tuple[float, ...]:
        """The error of each chance: half the width of its 95 % interval; 0 once the match is decided.

        It covers the sampling error of the rounds played, not differences between players.

        :raises ViewError: as for :meth:`chance`.
        """
        import numpy as np

        points, seat = self._read(scores, leader)
        teams = TEAMS[self.players]
        if max(points) >= TARGET[self.players]:
            return (0.0,) * teams
        leads = range(teams) if seat < 0 else [team_of(self.players, seat)]
        return tuple(float(error) for error in np.mean([self._errors(points, lead) for lead in leads], axis=0))

    def _errors(self, points: tuple[int, ...], lead: int) -> list[float]:
        """The errors by team when team ``lead`` leads."""
        teams = len(points)
        rows = [max(0, (score - self.lowest) // STEP) for score in points]
        errors = self.errors[tuple(rows[lead:] + rows[:lead])]
        return [float(errors if teams == 2 else errors[(team - lead) % teams]) for team in range(teams)]

    def _read(self, scores: Iterable[int], leader: int | None) -> tuple[tuple[int, ...], int]:
        points = self._read_scores(scores)
        seat = -1 if leader is None else read_integer(leader, "leader")
        if leader is not None:
            check_seat(seat, self.players, "leader")
        return points, seat

    def _read_scores(self, scores: Iterable[int]) -> tuple[int, ...]:
        points, teams, target = read_integers(scores, "scores"), TEAMS[self.players], TARGET[self.players]
        if len(points) != teams:
            message = f"{self.players} seats have {teams} scores, one for each team, not {len(points)}"
            raise ViewError(message, reason="WRONG_NUMBER_OF_SCORES", field="scores")
        if sum(score >= target for score in points) > 1:
            message = f"only one team can have reached {target}: the first to do so has won"
            raise ViewError(message, reason="SCORE_PAST_TARGET", field="scores")
        for team, score in enumerate(points):
            if score % STEP:
                message = f"{score} is not a multiple of {STEP}"
                raise ViewError(message, reason="NOT_A_MULTIPLE_OF_5", field=f"scores[{team}]")
        return points


def lead_value(equity: Equity, scores: Iterable[int] | None = None) -> float:
    """What the lead is worth in points: with so many more points, its team would do as well if a random seat led.

    It is interpolated between the table's scores.

    :param scores: points of each team; all 0 if not given. Seat 0 leads.
    :return: 0..60, in points.
    :raises LimitsError: ``equity`` is not an :class:`Equity`.
    :raises ViewError: as for :meth:`Equity.chance`.
    """
    import numpy as np

    read_kind(equity, Equity, "equity", "NOT_EQUITY")
    given = read_integers((0,) * TEAMS[equity.players] if scores is None else scores, "scores")
    wanted = equity.chance(given, 0)[0]
    first, *others = given
    more = range(0, MOST_LEAD + STEP, STEP)
    return float(np.interp(wanted, [equity.chance([first + points, *others])[0] for points in more], more))


def load(players: int) -> Equity:
    """The table that comes with the package, for 2, 3 or 4 seats.

    :raises ViewError: there is no such number of seats.
    """
    return _loaded(read_players(players))


@cache
def _loaded(players: int) -> Equity:
    """The table that comes with the package, read once."""
    return _read(BytesIO(read_packaged(f"data/equity-{players}.npz")))


def read_equity(path: str | PathLike[str]) -> Equity:
    """Read a table that :func:`save_equity` wrote.

    :raises OSError: there is no such file.
    :raises RecordError: the file is not a table, or ``path`` is not a path.
    """
    with read_path(path).open("rb") as file:
        return _read(file)


def _read(file: IO[bytes]) -> Equity:
    from zipfile import BadZipFile

    import numpy as np

    try:
        with np.load(file, allow_pickle=False) as data:
            made = json.loads(str(data["made"]))
            lead = data["lead"].astype(np.float32) / FINENESS
            errors = data["error"].astype(np.float32) * np.float32(ERROR_UNIT)
        return Equity(CoreEquity(made["players"], lead, made["lowest"]), errors, made)
    except (KeyError, ValueError, TypeError, EOFError, BadZipFile) as error:
        raise RecordError("this is not an equity table", reason="UNREADABLE") from error


def save_equity(equity: Equity, path: str | PathLike[str] | BytesIO) -> None:
    """Write a table as compressed NumPy arrays: uint16 chances, uint8 errors, and how it was made as JSON text.

    :param path: of the file, or a buffer for its bytes.
    :raises LimitsError: ``equity`` is not an :class:`Equity`.
    :raises OSError: the file cannot be written.
    :raises RecordError: ``path`` is not a path.
    """
    import numpy as np

    read_kind(equity, Equity, "equity", "NOT_EQUITY")
    place = path if isinstance(path, BytesIO) else read_path(path)
    errors = np.ceil(np.round(equity.errors / ERROR_UNIT, 3)).clip(0, 255).astype(np.uint8)
    with nullcontext(place) if isinstance(place, BytesIO) else place.open("wb") as file:
        np.savez_compressed(
            file,
            lead=np.round(equity.core.lead * np.float32(FINENESS)).astype(np.uint16),
            error=errors,
            made=np.array(json.dumps(dict(equity.made))),
        )


def check_lowest(lowest: int) -> int:
    """The lowest score itself.

    :raises LimitsError: it is not a multiple of 5 in -1,000..0.
    """
    if lowest % STEP or not -1000 <= lowest <= 0:
        message = f"a multiple of {STEP} in -1000..0 is expected, not {lowest}"
        raise LimitsError(message, reason="OUT_OF_RANGE", field="lowest")
    return lowest
