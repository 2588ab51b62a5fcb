"""Access to the web table: axe-core finds nothing serious, targets are large, the focus survives, changes are told."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.web.player import PHONE, focus_hand, new_match, number, person, place_one, wait_for_turn
from tests.e2e.web.served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
TARGET = 44
"""Pixels that a finger needs."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("served")) as server:
        yield server


def serious(page: "Page") -> list[str]:
    """What axe-core finds that is serious or worse."""
    page.wait_for_timeout(600)  # colours are judged after all has come to rest
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: dict[str, Any] = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        f"{violation['id']}: {node['html'][:120]} {node['failureSummary'][:200]}"
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"][:3]
    ]


def small(page: "Page") -> list[str]:
    """Buttons and links that are smaller than a finger."""
    found = page.evaluate(
        """(least) => [...document.querySelectorAll("main button, main a, main select, header a, header summary")]
          .filter((one) => one.checkVisibility() && !one.closest("p"))
          .map((one) => [one, one.getBoundingClientRect()])
          .filter(([_, box]) => Math.min(box.width, box.height) < least - 0.5)
          .map(([one]) => one.outerHTML.slice(0, 100))""",
        TARGET,
    )
    return [str(one) for one in found]


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "ja", "zh-Hans"])
def test_axe_finds_nothing_serious(browser: "Browser", served: Served, colours: str, language: str) -> None:
    options: dict[str, Any] = {"color_scheme": colours, "reduced_motion": "reduce"}
    with person(browser, served.url, PHONE, language=language, **options) as page:
        page.locator(".opponent").wait_for()
        assert (serious(page), small(page)) == ([], [])
        new_match(page, length=0)
        wait_for_turn(page)
        assert (serious(page), small(page)) == ([], [])
        page.locator(".hand button:not([aria-disabled])").first.click()
        assert (serious(page), small(page)) == ([], [])
        page.locator("#tab-hint").click()
        page.locator("#tab-hint-body button").click()
        page.locator(".ranking").wait_for()
        assert (serious(page), small(page)) == ([], [])
        page.locator("#tab-belief").click()
        assert serious(page) == []
        page.locator("#tab-moves").click()
        assert (serious(page), small(page)) == ([], [])
        page.goto(f"{served.url}#/study")
        page.locator(".setup").wait_for()
        assert serious(page) == []
        page.locator(".study .card .main").first.click()
        page.locator(".thinking .ranking").wait_for()
        assert serious(page) == []


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_nothing_serious_at_the_end(browser: "Browser", served: Served, colours: str) -> None:
    options: dict[str, Any] = {"color_scheme": colours, "reduced_motion": "reduce"}
    with person(browser, served.url, **options) as page:
        new_match(page, players=4, length=0)
        for _ in range(3):
            wait_for_turn(page)
            event = number(page)
            place_one(page, "click")
            page.wait_for_function("(before) => document.querySelector('.match').dataset.event !== before", arg=event)
        wait_for_turn(page)
        page.locator("#tab-log").click()
        assert (serious(page), small(page)) == ([], [])
        page.get_by_role("button", name="Resign").click()
        page.get_by_role("button", name="Really resign?").click()
        page.locator(".result.over").wait_for()
        assert (serious(page), small(page)) == ([], [])
        page.get_by_role("button", name="Review").click()
        page.locator(".report").wait_for(state="attached")
        page.get_by_role("button", name="On", exact=True).click()
        assert serious(page) == []
        page.locator(".report").locator("xpath=..").evaluate("details => (details.open = true)")
        assert serious(page) == []


def test_places_have_spoken_names_and_the_focus_survives(browser: "Browser", served: Served) -> None:
    with person(browser, served.url) as page:
        new_match(page, length=0)
        wait_for_turn(page)
        focus_hand(page)
        place_one(page, "keys")
        wait_for_turn(page)
        assert page.evaluate("Boolean(document.activeElement.closest('.hand'))"), "the focus is back in the hand"
        told = page.locator("[aria-live=polite]").inner_text()
        assert "You:" in told and "Your turn" in told
        page.locator(".hand button:not([aria-disabled])").first.click()
        name = page.locator(".place .hidden").first.text_content() or ""
        words = {"blank", "one", "two", "three", "four", "five", "six"}
        assert words & set(name.replace("-", " ").replace(",", " ").split())
        assert " on the " in name and ("scores" in name or "count" in name)
        before = number(page)
        assert before != ""
