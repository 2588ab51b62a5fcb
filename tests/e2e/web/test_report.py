"""The page of a review in a browser: it needs no other file, and nothing in it fails."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import sniffai
from sniffai.explain import LANGUAGES
from sniffai.play.arena import play_rounds
from sniffai.play.arena_result import ArenaSpec
from sniffai.play.levels import named_player
from sniffai.review import Subject, html_report, of_record, review

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"


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


# The replayer


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same review of two rounds in every language."""
    spec = ArenaSpec("random", "random", 2, 1, True, 5)
    rounds = play_rounds(spec, [named_player("level:casual")] * 2, 0)
    subject = Subject.of_rounds([next(rounds), next(rounds)], (("Seat0", "Ann"), ("Seat1", "Bob")))
    found = review(subject, sniffai.Limits(simulations=60), seed=1)
    folder = tmp_path_factory.mktemp("reports")
    files = {language: folder / f"{language}.html" for language in LANGUAGES}
    for language, file in files.items():
        file.write_text(html_report(found, language), encoding="utf-8")
    return files


@contextmanager
def opened(browser: "Browser", file: Path, **options: Any) -> "Iterator[Page]":
    """A report, offline; anything that fails in it fails the test."""
    failed: list[str] = []
    with browser.new_context(offline=True, reduced_motion="reduce", **options) as context:
        page = context.new_page()
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.on("console", lambda message: failed.append(message.text) if message.type == "error" else None)
        page.goto(file.as_uri())
        page.locator("#replay .judged h2, #replay .judged .note").first.wait_for()
        yield page
        assert failed == []


def step_of(page: "Page") -> str:
    return str(page.locator("#replay input[type=range]").get_attribute("aria-valuetext"))


def test_the_replayer_steps_through_every_event_by_keys_and_by_taps(
    browser: "Browser", reports: dict[str, Path]
) -> None:
    with opened(browser, reports["en"]) as page:
        replay = page.locator("#replay")
        steps = int(str(replay.locator("input[type=range]").get_attribute("max")))
        replay.get_by_role("button", name="On", exact=True).focus()
        placed = 0
        for number in range(1, steps + 1):
            page.keyboard.press("ArrowRight")
            page.wait_for_function(
                "(text) => document.querySelector('#replay .shown').shadowRoot.querySelector('[type=range]')"
                ".getAttribute('aria-valuetext') === text",
                arg=f"{number} of {steps}",
            )
            tiles = replay.locator(".plan .tiles > g").count()
            assert tiles in (placed, placed + 1)
            placed = tiles
        assert placed > 10
        page.keyboard.press("ArrowRight")
        page.wait_for_function(
            "() => document.querySelector('#replay .shown').shadowRoot.querySelector('select').value === '1'"
        )
        page.keyboard.press("ArrowLeft")
        replay.get_by_role("button", name="To the beginning").click()
        assert step_of(page) == f"0 of {steps}"


def test_another_move_is_tried_from_the_stored_analysis(browser: "Browser", reports: dict[str, Path]) -> None:
    with opened(browser, reports["en"], viewport={"width": 360, "height": 800}) as page:
        page.locator(".mistake .replayed").first.click()
        replay = page.locator("#replay")
        before = replay.locator(".plan .tiles > g").count()
        rows = replay.locator(".ranking button.row")
        assert rows.count() > 1
        for number in range(rows.count()):
            rows.nth(number).click()
            told = replay.locator(".event", has_text="If ")
            told.wait_for()
            assert replay.locator(".plan .tiles > g").count() == before + 1
            assert "chance to win" in told.inner_text()
        assert replay.locator(".judged .verdict").count() == 1
        shown = "() => document.documentElement.scrollWidth <= innerWidth"
        assert page.evaluate(shown)


def test_only_what_the_player_knew_can_be_shown(browser: "Browser", reports: dict[str, Path]) -> None:
    with opened(browser, reports["en"]) as page:
        page.locator(".mistake .replayed").first.click()
        replay = page.locator("#replay")
        hands = replay.locator(".openhand")
        assert [hands.nth(seat).locator(".tiles > *").count() > 0 for seat in (0, 1)] == [True, True]
        replay.get_by_label("Only what the player to move knew").check()
        turn = replay.locator(".openhand.turn")
        assert turn.locator(".tiles > *").count() > 0
        assert replay.locator(".openhand:not(.turn) .tiles > *").count() == 0
        replay.locator("summary").click()
        assert replay.locator("table.heat").count() > 0


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_replayer_is_accessible_in_every_language(
    browser: "Browser", reports: dict[str, Path], language: str, scheme: Any
) -> None:
    with opened(browser, reports[language], color_scheme=scheme, viewport={"width": 360, "height": 800}) as page:
        page.locator(".mistake .replayed").first.click()
        page.locator("#replay summary").click()
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("async () => (await axe.run('#replay', { resultTypes: ['violations'] })).violations")
        assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []


def test_without_scripts_and_in_print_there_is_no_replayer(browser: "Browser", reports: dict[str, Path]) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(reports["en"].as_uri())
        assert not page.locator("#replay").is_visible()
        assert page.locator(".mistake").count() > 0
    with opened(browser, reports["en"]) as page:
        page.emulate_media(media="print")
        assert not page.locator("#replay").is_visible()
        assert not page.locator(".replayed").first.is_visible()
