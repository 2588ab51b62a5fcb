"""The bench signature and the form of the measured speeds. No test asks how fast this machine is."""

from pathlib import Path

from sniffai.lab.bench import equity_ratio, measure, packed_round_bytes, thread_ratio
from sniffai.rules import PLAYERS
from sniffai.search.signature import signature

SIGNATURE = Path(__file__).parents[3] / "benchmarks" / "signature.txt"


def test_the_signature_is_the_recorded_one() -> None:
    """A change of play that is intended changes the file in the same commit (see CONTRIBUTING.md)."""
    assert f"{signature()}\n" == SIGNATURE.read_text(encoding="utf-8")


def test_the_signature_is_the_same_twice() -> None:
    assert signature() == signature()


def test_a_packed_round_fits_in_a_cache_line() -> None:
    assert packed_round_bytes() <= 64


def test_every_speed_is_measured_for_every_number_of_seats() -> None:
    speeds = list(measure(scale=0.001))
    assert {speed.players for speed in speeds} == set(PLAYERS)
    assert all(0 < speed.slowest <= speed.per_second <= speed.fastest for speed in speeds)
    assert len({speed.name for speed in speeds}) * len(PLAYERS) == len(speeds)


def test_ratios_have_a_form() -> None:
    for ratio in (thread_ratio(scale=0.001), *(equity_ratio(players, scale=0.001) for players in PLAYERS)):
        assert 0 < ratio.slowest <= ratio.per_second <= ratio.fastest
