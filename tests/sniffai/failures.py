"""Functions that fail, for another process to call: it imports this module only, and not all that the tests import."""

from typing import NoReturn

from sniffai.client import ServiceError
from sniffai.errors import LimitsError
from sniffai.wire import Violation, WireError

VIOLATION = Violation("view.hand[3]", "UNKNOWN_TILE", "'7|7' is not a tile")


def fail_in_client() -> NoReturn:
    raise ServiceError("UNAVAILABLE", "full", "QUEUE_FULL", (VIOLATION,), 2.5)


def fail_on_wire() -> NoReturn:
    raise WireError(VIOLATION)


def fail_at_door() -> NoReturn:
    raise LimitsError("too few", reason="OUT_OF_RANGE", field="simulations").at("limits")
