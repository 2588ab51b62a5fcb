"""The page of a review in a browser: it needs no other file, and nothing in it fails."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import sniffai
from sniffai.play.arena import play_rounds
from sniffai.play.arena_result import ArenaSpec
from sniffai.play.levels import named_player
from sniffai.review import Subject, html_report, of_record, review

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_the_report_opens_without_a_network_and_without_an_error(browser: "Browser", tmp_path: Path) -> None:
    round_ = sniffai.Round.deal(2, seed=4)
    while not round_.over:
        round_.play(round_.legal_moves()[0])
    page_file = tmp_path / "report.html"
    report = review(of_record(sniffai.MatchRecord.of([round_])), sniffai.Limits(simulations=20))
    page_file.write_text(html_report(report, "ja"), encoding="utf-8")
    with browser.new_context(offline=True) as context:
        page = context.new_page()
        failed: list[str] = []
        asked: list[str] = []
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.on("console", lambda message: failed.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: asked.append(request.url))
        page.goto(page_file.as_uri())
        assert page.locator("html").get_attribute("lang") == "ja"
        assert page.locator("svg").count() > 0
        assert (failed, asked) == ([], [page_file.as_uri()])


PAGES = 8
"""On which a match of four players prints."""


def test_the_report_of_a_match_prints_on_few_pages(browser: "Browser", tmp_path: Path) -> None:
    """Weak play, so that there are many mistakes."""
    spec = ArenaSpec("random", "random", 4, 1, True, 5)
    seats = [named_player(f"level:{name}") for name in ("casual", "steady", "newcomer", "beginner")]
    rounds = list(play_rounds(spec, seats, 1))
    report = review(
        Subject.of_rounds(rounds, tuple((f"Seat{seat}", f"player {seat}") for seat in range(4))),
        sniffai.Limits(simulations=40),
    )
    page_file = tmp_path / "report.html"
    page_file.write_text(html_report(report), encoding="utf-8")
    page = browser.new_page()
    page.goto(page_file.as_uri())
    page.pdf(path=tmp_path / "report.pdf", format="A4")
    page.close()
    pages = len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "report.pdf").read_bytes()))
    assert len(report.mistakes) > 10
    assert 3 <= pages <= PAGES
