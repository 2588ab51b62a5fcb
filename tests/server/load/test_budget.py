"""What a search may spend, without a server."""

import time
from pathlib import Path

import pytest

from sniffai import Limits
from sniffai.search.params import EffectiveLimits
from sniffai_server.cores import usable_cores
from sniffai_server.load.budget import Budget, effective_limits
from sniffai_server.settings import Settings

SETTINGS = Settings(slots=1)


@pytest.mark.parametrize(("deadline", "left"), [(0.1, 0.07), (0.5, 0.47), (10.0, 9.5), (0.01, -0.02)])
def test_deadline_leaves_a_margin(deadline: float, left: float) -> None:
    end = Budget.of(EffectiveLimits(seconds=60.0), deadline).end
    assert end is not None
    assert end - time.monotonic() == pytest.approx(left, abs=0.005)


def test_no_deadline() -> None:
    assert Budget.of(EffectiveLimits(seconds=0.2), None) == Budget(EffectiveLimits(seconds=0.2), None)


def test_limits_default_to_the_servers() -> None:
    assert effective_limits(Limits(), SETTINGS) == (SETTINGS.default_limits, [])
    limits, warnings = effective_limits(Limits(simulations=10), SETTINGS)
    assert (limits.simulations, limits.seconds, warnings) == (10, SETTINGS.caps.seconds, [])


def test_a_target_error_is_kept() -> None:
    asked = Limits(target_standard_error=0.5, stop_when_decided=True)
    limits, warnings = effective_limits(asked, SETTINGS)
    assert (limits.target_standard_error, limits.stop_when_decided, warnings) == (0.5, True, [])


def test_limits_are_cut_to_the_caps() -> None:
    limits, warnings = effective_limits(Limits(seconds=61.0, simulations=10, memory_bytes=1 << 40), SETTINGS)
    assert limits == EffectiveLimits(simulations=10, seconds=60.0, memory_bytes=SETTINGS.caps.memory_bytes)
    assert [warning.field for warning in warnings] == ["limits.time", "limits.memory_bytes"]


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({"cpu.max": "100000 100000"}, 1),
        ({"cpu.max": "20000 100000"}, 1),
        ({"cpu/cpu.cfs_quota_us": "50000", "cpu/cpu.cfs_period_us": "100000"}, 1),
    ],
)
def test_cores_of_a_container(tmp_path: Path, files: dict[str, str], cores: int) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text + "\n", encoding="ascii")
    assert usable_cores(tmp_path) == cores


@pytest.mark.parametrize("text", ["max 100000", "6400000 100000"])
def test_cores_without_a_tight_quota(tmp_path: Path, text: str) -> None:
    (tmp_path / "cpu.max").write_text(text, encoding="ascii")
    assert usable_cores(tmp_path) == usable_cores(tmp_path / "none")


def test_addresses() -> None:
    assert Settings(host="::1", port=5, slots=1).address == "[::1]:5"
    assert Settings(port=5, slots=1).address == "127.0.0.1:5"
