"""What one caller has of the slots, for one class of searches."""

from dataclasses import dataclass


@dataclass(eq=False, slots=True)
class Account:
    """What a caller with searches in a class has, from its first of them to its last."""

    caller: str
    weight: int
    """Its share beside others, at least 1: with a weight of 2 it may use twice as much as with 1."""
    used: float
    """Seconds of slots that it has used, divided by its weight, without the slots that it holds now.

    It starts at the least of the others, so that nobody is punished for what was used while nobody else was there.
    """
    turns: int = 0
    """How many searches it has, whatever their state."""
    slots: int = 0
    """How many slots it holds."""
    since: float = 0.0
    """The sum of the moments at which it got the slots that it holds."""
    served: int = -1
    """The number of its latest slot; later slots have higher numbers."""
    fresh: int = 0
    """How many of its searches wait for their first slot."""

    def used_at(self, now: float) -> float:
        """What it has used, with the slots that it holds."""
        return self.used + (self.slots * now - self.since) / self.weight

    def take(self, now: float, number: int) -> None:
        """Begin to hold one more slot, with a number."""
        self.slots += 1
        self.since += now
        self.served = number

    def give_back(self, began: float, now: float) -> None:
        """Release a slot that it has held since a moment."""
        self.slots -= 1
        self.since = self.since - began if self.slots else 0.0
        self.used += (now - began) / self.weight
