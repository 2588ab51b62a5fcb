"""How many cores this process may really use: searches beyond that number only slow each other down."""

import math
import os
from pathlib import Path
from typing import Final

CGROUPS: Final = Path("/sys/fs/cgroup")


def usable_cores(cgroups: Path = CGROUPS) -> int:
    """The cores of the scheduler's affinity, cut to the container's quota, at least 1."""
    quota = _quota_v2(cgroups) or _quota_v1(cgroups) or math.inf
    return max(1, math.ceil(min(_affinity(), quota)))


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quota_v2(cgroups: Path) -> float | None:
    """Cores by ``cpu.max``, such as ``"150000 100000"`` for 1.5; ``None`` for ``"max"`` or where there is no file."""
    match _words(cgroups / "cpu.max"):
        case [quota, period] if quota != "max":
            return int(quota) / int(period)
    return None


def _quota_v1(cgroups: Path) -> float | None:
    match _words(cgroups / "cpu" / "cpu.cfs_quota_us"), _words(cgroups / "cpu" / "cpu.cfs_period_us"):
        case [quota], [period] if int(quota) > 0:
            return int(quota) / int(period)
    return None


def _words(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="ascii").split()
    except OSError:
        return []
