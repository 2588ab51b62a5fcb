"""The page of a review in a browser: it needs no other file, and nothing in it fails."""

from pathlib import Path
from typing import TYPE_CHECKING

import sniffai
from sniffai.review import html_report, of_record, review

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
