"""Which engine this is: engines that play alike have the same version here, on every machine."""

from functools import cache

from sniffai.errors import LimitsError
from sniffai.search.signature import signature
from sniffai.version import VERSION

_told: list[str] = []
"""What another process of the same installation found out: at most one."""


def engine_version() -> str:
    """``"0.1.0/1671324093"``: the version of the package, and the bench signature.

    The first call of a process takes a fifth of a second.
    """
    return _told[0] if _told else _own()


def take_engine(version: str) -> None:
    """Take over what the process that started this one has found out, unless the package has been replaced since."""
    if version.partition("/")[0] == VERSION:
        _told[:] = [version]


def check_engine(version: str) -> None:
    """Check that work is meant for this engine.

    :raises LimitsError: it is meant for another one; the reason is ``ENGINE_VERSION``.
    """
    if version != engine_version():
        message = (
            f"this engine is {engine_version()}, but the job requires {version}; "
            "results of different engines cannot be combined"
        )
        raise LimitsError(message, reason="ENGINE_VERSION", field="engine")


@cache
def _own() -> str:
    return f"{VERSION}/{signature()}"
