"""The waiting searches of one class: a line for each caller; the callers take turns."""

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from heapq import heapify, heappop, heappush

from sniffai_server.load.turns import Turn


class ClassLine:
    """The waiting turns of one class: fresh ones, and paused ones that wait to continue."""

    def __init__(self) -> None:
        self._lines: dict[str, deque[Turn]] = {}
        self._fresh: Counter[str] = Counter()
        self.fresh = 0
        """How many fresh turns wait."""
        self.begun = 0
        """How many paused turns wait."""

    def __bool__(self) -> bool:
        return bool(self._lines)

    def fresh_of(self, caller: str) -> int:
        """How many fresh turns of a caller wait."""
        return self._fresh[caller]

    @property
    def longest(self) -> int:
        """The number of fresh turns of the caller with the most."""
        return max(self._fresh.values(), default=0)

    def add(self, turn: Turn) -> None:
        """Put a turn in its caller's line, in order of arrival, even if it was paused."""
        line = self._lines.setdefault(turn.caller, deque())
        place = len(line)
        while place and line[place - 1].number > turn.number:
            place -= 1
        line.insert(place, turn)
        self._count(turn, 1)

    def remove(self, turn: Turn) -> None:
        """Remove a turn."""
        line = self._lines[turn.caller]
        line.remove(turn)
        self._count(turn, -1)
        if not line:
            del self._lines[turn.caller], self._fresh[turn.caller]

    def heads(self, slots: Mapping[str, int], served: Mapping[str, int]) -> list[Turn]:
        """The first turn of each caller, in the order in which they get slots.

        The caller with the fewest slots goes first, of equals the one whose latest slot is oldest.

        :param slots: how many slots each caller holds; 0 if it is missing.
        :param served: the number of each caller's latest slot; later slots have higher numbers.
        """
        return sorted((line[0] for line in self._lines.values()), key=lambda turn: _rank(turn, 0, slots, served))

    def order(self, slots: Mapping[str, int], served: Mapping[str, int]) -> Iterator[Turn]:
        """All turns in the order in which they would get slots, as in :meth:`heads`, if each kept its slot."""
        heap = [(_rank(line[0], 0, slots, served), 0) for line in self._lines.values()]
        lines = {line[0].number: line for line in self._lines.values()}
        heapify(heap)
        while heap:
            (_, _, first), place = heappop(heap)
            line = lines[first]
            yield line[place]
            if place + 1 < len(line):
                rank = _rank(line[0], place + 1, slots, served)
                heappush(heap, (rank, place + 1))

    def last(self) -> Turn:
        """The turn to refuse if too many wait: the last of the caller with the most; of equals, the last to arrive."""
        longest = self.longest
        ends = (line[-1] for caller, line in self._lines.items() if self._fresh[caller] == longest)
        return max(ends, key=lambda turn: turn.number)

    def _count(self, turn: Turn, change: int) -> None:
        if turn.fresh:
            self.fresh += change
            self._fresh[turn.caller] += change
        else:
            self.begun += change
            self._fresh[turn.caller] += 0


def _rank(turn: Turn, place: int, slots: Mapping[str, int], served: Mapping[str, int]) -> tuple[int, int, int]:
    return slots.get(turn.caller, 0) + place, served.get(turn.caller, -1), turn.number
