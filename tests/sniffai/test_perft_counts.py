"""Counts of play sequences against those that the literal twin wrote to tests/data/perft."""

from pathlib import Path

import pytest

import sniffai

DATA = Path(__file__).parents[1] / "data" / "perft"


def blocks() -> list[tuple[str, dict[int, int]]]:
    """Every position on disk with its counts by depth."""
    found: list[tuple[str, dict[int, int]]] = []
    for path in sorted(DATA.glob("*.perft")):
        for line in filter(None, path.read_text().splitlines()):
            word, rest = line.split(" ", 1)
            if word == "position":
                found.append((rest, {}))
            else:
                depth, count = rest.split()
                found[-1][1][int(depth)] = int(count)
    return found


BLOCKS = blocks()


def test_there_are_positions_for_all_seats() -> None:
    seats = [position.split()[1] for position, _ in BLOCKS]
    assert {players: seats.count(players) for players in set(seats)} == {f"players={n}": 4 for n in (2, 3, 4)}


@pytest.mark.parametrize(("position", "counts"), BLOCKS, ids=lambda value: None)
def test_counts(position: str, counts: dict[int, int]) -> None:
    round_ = sniffai.Round.from_text(position)
    assert {depth: sniffai.perft(round_, depth) for depth in counts} == counts
    assert round_.to_text() == position


@pytest.mark.parametrize(("position", "counts"), BLOCKS, ids=lambda value: None)
def test_counts_by_first_move_add_up(position: str, counts: dict[int, int]) -> None:
    round_ = sniffai.Round.from_text(position)
    depth = max(counts)
    by_move = sniffai.divide(round_, depth)
    assert list(by_move) == round_.legal_moves()
    assert sum(by_move.values()) == counts[depth]


def test_perft_at_depth_zero_is_one() -> None:
    round_ = sniffai.Round.deal(players=3, seed=1)
    assert sniffai.perft(round_, 0) == 1


@pytest.mark.parametrize("depth", [-1, 29])
def test_a_depth_out_of_range(depth: int) -> None:
    with pytest.raises(sniffai.LimitsError) as caught:
        sniffai.perft(sniffai.Round.deal(players=2, seed=1), depth)
    assert caught.value.field == "depth"
