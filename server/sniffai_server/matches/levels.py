"""The moves of levels: searched like any other move, and shown at times that do not tell how hard they were.

A level's hand would show in how long it thinks: it would answer at once if it had only one move. So a level that
searches does so for a single move, too: it waits for a slot as long, and takes one as long. And a move appears a whole
number of pauses (``level_pause``) after the event before it, and never before the time that its limits name.
"""

import asyncio
import math

from sniffai.moves import Move
from sniffai.play.level_turn import LevelTurn
from sniffai.play.levels import find_level
from sniffai.play.match import SIMULATIONS
from sniffai.play.match_log import MatchLog
from sniffai.search.params import Limits
from sniffai.search.unforced import UnforcedSearch
from sniffai_server.calls.callers import Priority
from sniffai_server.calls.refusals import QueueFullError
from sniffai_server.load.admission import Admission
from sniffai_server.load.budget import Budget, effective_limits
from sniffai_server.load.searches import Searches
from sniffai_server.matches.terms import Terms
from sniffai_server.settings import Settings


class LevelSeats:
    """Thinks for the seats of levels, on the slots of the server's searches.

    The levels of one caller hold at most as many places in the queue as there are slots.
    """

    def __init__(self, settings: Settings, searches: Searches) -> None:
        self._settings = settings
        self._searches = searches
        self._callers: dict[str, asyncio.Semaphore] = {}

    async def choose(self, log: MatchLog, terms: Terms) -> Move | None:
        """What the level whose turn it is places now; ``None`` if the server is shutting down.

        The same match and limits on simulations give the same move.
        """
        assert log.level_to_move is not None and log.to_move is not None, "a level is to move"
        view, seed = log.knowledge(log.to_move), log.decision_seed()
        turn = LevelTurn(find_level(log.level_to_move), view, seed, inferred=False)
        searcher = (
            UnforcedSearch(view, seed=seed, inferred=False) if turn.searcher.forced and _thinks(turn) else turn.searcher
        )
        limits, _ = effective_limits(turn.limits or _limits(terms), self._settings)
        admission = Admission(terms.caller, max(Priority.INTERACTIVE, terms.best), terms.weight)
        async with self._place(terms.caller):
            while True:
                try:
                    analysis = await self._searches.run(searcher, Budget.of(limits, None), admission=admission)
                    break
                except QueueFullError as error:
                    wait = error.retry_after
                await asyncio.sleep(wait)
        return None if analysis.stop_reason == "stopped" else turn.move(analysis)

    def pause(self, log: MatchLog, terms: Terms, elapsed: float) -> float:
        """Seconds to wait until a move that has been chosen may be shown.

        :param elapsed: seconds since the event before.
        """
        pause = self._settings.level_pause
        least = terms.level_limits.seconds or 0.0
        if not pause:
            return max(0.0, least - elapsed)
        return max(1, math.ceil(max(least, elapsed) / pause)) * pause - elapsed

    def _place(self, caller: str) -> asyncio.Semaphore:
        if caller not in self._callers:
            self._callers = {name: semaphore for name, semaphore in self._callers.items() if semaphore.locked()}
            self._callers[caller] = asyncio.Semaphore(self._searches.queue.slots)
        return self._callers[caller]


def _thinks(turn: LevelTurn) -> bool:
    """Whether the level searches in this turn if it has a choice."""
    return turn.limits is not None or turn.level.max_simulations is None


def _limits(terms: Terms) -> Limits:
    """The limits of a level without limits of its own."""
    limits = terms.level_limits
    return Limits(simulations=SIMULATIONS) if limits == Limits() else limits
