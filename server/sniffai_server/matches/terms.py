"""How a hosted match begins, as its host stores it: the setup, and what the host needs to know besides."""

import json
from dataclasses import dataclass
from typing import Any, Final

from sniffai.play.match import MatchSetup
from sniffai.play.match_log import LogSetup
from sniffai.search.params import Limits
from sniffai_server.calls.callers import Priority

FORM: Final = 2
"""The form of the text; a later one reads earlier ones."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How a hosted match begins."""

    log: LogSetup
    level_limits: Limits
    """Of levels without limits of their own; those that are not set are the server's."""
    caller: str
    """Who created it: its levels think at this caller's turn."""
    best: Priority
    """The highest priority of that caller."""
    weight: int = 1
    """That caller's share of the slots beside others."""
    request: str = ""
    """What tells two requests with the same id apart."""

    def to_text(self) -> str:
        """The terms as JSON. They hold the seed."""
        log, match, limits = self.log, self.log.match, self.level_limits
        fields = {
            "form": FORM,
            "seats": match.seats,
            "names": log.names,
            "seed": f"{match.seed:x}",
            "scores": match.scores,
            "practice": match.practice,
            "hints": log.hints,
            "wait": log.wait,
            "idle": log.idle,
            "created": log.created,
            "limits": [
                limits.simulations,
                limits.seconds,
                limits.memory_bytes,
                limits.stop_when_decided,
                limits.target_standard_error,
            ],
            "caller": self.caller,
            "best": int(self.best),
            "weight": self.weight,
            "request": self.request,
        }
        return json.dumps(fields, separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> "Terms":
        """Read :meth:`to_text` back."""
        fields: dict[str, Any] = json.loads(text)
        match = MatchSetup(
            seats=tuple(fields["seats"]),
            seed=int(fields["seed"], 16),
            scores=tuple(fields["scores"]),
            practice=fields["practice"],
        )
        log = LogSetup(
            match=match,
            names=tuple(fields["names"]),
            hints=fields["hints"],
            wait=fields.get("wait", fields["idle"]),  # form 1 had one time for both
            idle=fields["idle"],
            created=fields["created"],
        )
        return cls(
            log=log,
            level_limits=Limits(*fields["limits"]),
            caller=fields["caller"],
            best=Priority(fields["best"]),
            weight=fields.get("weight", 1),
            request=fields["request"],
        )
