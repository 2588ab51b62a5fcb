"""Work that can wait a moment: for whoever watches a match, and for levels.

Many matches move at the same time. Whoever has made a move waits for its answer, so all else lets the calls go first.
"""

import asyncio
from collections import deque


class Background:
    """Lets one piece of work begin in each pass of the event loop, in the order of arrival.

    Between two pieces the loop handles all calls that are ready.
    """

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._passing = False

    async def turn(self) -> None:
        """Wait for the next turn."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting.append(turn)
        if not self._passing:
            self._passing = True
            loop.call_soon(self._pass)
        await turn

    def _pass(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                break
        self._passing = bool(self._waiting)
        if self._passing:
            asyncio.get_running_loop().call_soon(self._pass)
