"""Several matches reviewed together."""

import json
import statistics
from functools import cache
from pathlib import Path

import pytest

import sniffai
from sniffai.cli.group import run
from sniffai.errors import RecordError
from sniffai.records.matchfile import format_match
from sniffai.review import (
    ReviewedMatch,
    Subject,
    Verdict,
    of_record,
    progress_dict,
    progress_of,
    progress_report,
    review,
)
from sniffai.review.progress_page import progress_tables

SEATS = (("Ann", "Bob"), ("Bob", "Ann"), ("Ann", "<i>Cem</i>"))


@cache
def record(number: int) -> sniffai.MatchRecord:
    """One round; the players change seats."""
    round_ = sniffai.Round.deal(2, seed=number)
    while not round_.over:
        round_.play(round_.legal_moves()[-1])
    names = {f"Seat{seat}": name for seat, name in enumerate(SEATS[number])}
    return sniffai.MatchRecord.of([round_], names | {"Date": f"2026.11.0{number + 1}"})


@cache
def matches() -> tuple[ReviewedMatch, ...]:
    limits = sniffai.Limits(simulations=60)
    return tuple(ReviewedMatch(f"match {number}", review(of_record(record(number)), limits)) for number in range(3))


def test_players_are_followed_by_name_over_all_seats() -> None:
    progress = progress_of(matches())
    assert [player.name for player in progress] == ["Ann", "Bob", "<i>Cem</i>"]
    ann, bob, _ = progress
    assert [match.summary.seat for match in ann.matches] == [0, 1, 0]
    assert [match.summary.seat for match in bob.matches] == [1, 0]
    assert [match.match.date for match in ann.matches] == ["2026.11.01", "2026.11.02", "2026.11.03"]


def test_all_matches_together_are_the_sum_of_their_decisions() -> None:
    for player in progress_of(matches()):
        tallies = [match.summary.total for match in player.matches]
        assert player.total.decision_count == sum(tally.decision_count for tally in tallies) > 0
        assert player.total.points_loss == pytest.approx(sum(tally.points_loss for tally in tallies))
        for verdict in Verdict:
            assert player.total.verdicts[verdict] == sum(tally.verdicts[verdict] for tally in tallies)
        losses = [one.points_loss for match in player.matches for one in match.decisions]
        reach = 1.96 * statistics.stdev(losses) / len(losses) ** 0.5
        assert player.loss_interval == pytest.approx(reach)


def test_matches_without_names_cannot_be_followed() -> None:
    nameless = review(Subject.of_rounds([sniffai.Round.deal(2, seed=1)]), sniffai.Limits(10))
    with pytest.raises(RecordError, match="tags Seat0") as raised:
        progress_of([ReviewedMatch("nobody", nameless)])
    assert raised.value.reason == "NO_NAMES"


@pytest.mark.parametrize("language", ["en", "ja", "zh-Hans"])
def test_page_tables_and_json_say_the_same(language: str) -> None:
    progress = progress_of(matches())
    page = progress_report(progress, language)
    assert "<i>" not in page
    assert "&lt;i&gt;Cem" in page
    for player, table, plain in zip(
        progress, progress_tables(progress, language), progress_dict(progress)["players"], strict=True
    ):
        assert len(table.rows) == len(player.matches) + 1
        assert len(plain["matches"]) == len(player.matches)
        mean = f"{player.total.points_loss / player.total.decision_count:.2f}".replace("-", "\u2212")
        assert mean in table.rows[-1]
        assert f"<td>{mean}</td>" in page
        assert plain["decision_count"] == player.total.decision_count


def test_the_command_takes_several_matches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = []
    for number in range(2):
        files.append(str(tmp_path / f"{number}.match"))
        Path(files[-1]).write_text(format_match(record(number)), encoding="utf-8")
    page = tmp_path / "progress.html"
    assert run(["review", *files, "--simulations", "60", "--html", str(page)]) == 0
    told = capsys.readouterr().out
    assert told.index("Ann") < told.index("0.match") < told.index("1.match") < told.index("Bob")
    assert page.read_text(encoding="utf-8") == progress_report(
        progress_of(ReviewedMatch(f"{match.title[-1]}.match", match.review) for match in matches()[:2])
    )
    assert run(["review", *files, "--simulations", "60", "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert plain["form"] == "sniffai.progress/1"
    for option in ("--all", "--belief"):
        assert run(["review", *files, option]) == 2
        assert f"{option} tells of the placements of one match" in capsys.readouterr().err
    assert run(["review", *files, "--html", files[1]]) == 2
    assert "is the input" in capsys.readouterr().err
