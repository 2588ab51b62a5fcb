"""How many cores this process may use. More searches than that only slow each other down."""

import math
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

CGROUPS: Final = Path("/sys/fs/cgroup")
MEMBERSHIP: Final = Path("/proc/self/cgroup")


def usable_cores(cgroups: Path = CGROUPS, membership: Path = MEMBERSHIP) -> int:
    """The number of cores by CPU affinity, limited by the quotas of the process's control groups; at least 1.

    A quota of 1.5 cores counts as 2. The smallest quota from the process's own group up to the root applies. A
    container sees its own group as the root.
    """
    quotas = (*_quotas_v2(cgroups, membership), *_quotas_v1(cgroups, membership))
    return max(1, math.ceil(min(_affinity(), *quotas)) if quotas else _affinity())


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quotas_v2(cgroups: Path, membership: Path) -> Iterator[float]:
    """The quotas in ``cpu.max``, such as ``"150000 100000"`` for 1.5 cores; none for ``"max"`` or without the file."""
    for group in _groups(membership, ""):
        match _words(cgroups / group / "cpu.max"):
            case [quota, period]:
                yield from _ratio(quota, period)


def _quotas_v1(cgroups: Path, membership: Path) -> Iterator[float]:
    for controller in ("cpu", "cpu,cpuacct"):
        for group in _groups(membership, "cpu"):
            folder = cgroups / controller / group
            match _words(folder / "cpu.cfs_quota_us"), _words(folder / "cpu.cfs_period_us"):
                case [quota], [period]:
                    yield from _ratio(quota, period)


def _groups(membership: Path, controller: str) -> list[PurePosixPath]:
    """The process's group of a version 1 controller (``""`` for version 2) and its parents, relative to the root."""
    for line in _words(membership):
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if controller in controllers.split(","):
            group = PurePosixPath(path.lstrip("/"))
            return [group, *group.parents]
    return [PurePosixPath()]


def _ratio(quota: str, period: str) -> Iterator[float]:
    """The quota in cores; nothing without a quota (``max``, or -1 in version 1)."""
    if quota.isdigit() and period.isdigit() and int(quota) > 0 and int(period) > 0:
        yield int(quota) / int(period)


def _words(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return []
