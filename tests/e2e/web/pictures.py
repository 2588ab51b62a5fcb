"""Pictures of the web table, as docs/web.md shows them: the same matches, tile by tile, in a browser.

``python -m tests.e2e.web.pictures`` takes them again and writes docs/pictures; look at them before they are committed.
"""

import io
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import sniffai
from tests.e2e.web.player import new_match, number, person, place_one, play_by, press, wait_for_turn
from tests.e2e.web.served import Served
from tools.system_parts import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLDER: Final = Path(__file__).parent.parent.parent.parent / "docs" / "pictures"
GRAIN: Final = 10
"""Pixels of a side of what is compared: letters are drawn a little differently everywhere, and numbers of a search that
a clock ends differ."""


def taken(browser: "Browser", url: str) -> Iterator[tuple[str, bytes]]:
    """The pictures by name, as PNG."""
    still: dict[str, Any] = {"reduced_motion": "reduce"}
    with person(browser, url, {"width": 1180, "height": 760}, **still) as page:
        new_match(page, level="steady", length=0)
        place(page, 6)
        page.locator("#tab-hint").click()
        page.locator("#tab-hint-body button").first.click()
        page.locator(".ranking li.best").wait_for()
        press(page, ".hand button:not([aria-disabled])", "click")
        page.mouse.move(0, 0)
        yield "web-table", page.screenshot()
    phone = {"width": 410, "height": 900}
    with person(browser, url, phone, language="ja", color_scheme="dark", is_mobile=True, **still) as page:
        new_match(page, players=4, level="steady", length=0)
        place(page, 3)
        page.evaluate("scrollTo(0, 0)")
        page.wait_for_timeout(2500)  # until the points of the last placement are gone
        yield "web-phone", page.screenshot()
    tall = {"width": 410, "height": 1400}  # so that the judgement of the move shows as well
    with person(browser, url, tall, color_scheme="dark", **still) as page:
        new_match(page, level="steady")
        play_by(page, "click")
        page.get_by_role("button", name="Review").click()
        page.wait_for_function("() => document.querySelector('.report')?.shadowRoot?.querySelector('svg')")
        page.locator(".mistakes button").first.click()
        page.wait_for_function("() => document.querySelectorAll('.replay .tiles > g').length > 1")
        page.locator(".replay").evaluate("(one) => scrollTo(0, one.getBoundingClientRect().top + scrollY - 8)")
        yield "web-review", page.screenshot()
    with person(browser, f"{url}#/study", phone, language="zh-Hans", **still) as page:
        round_ = sniffai.Round.deal(2, seed=5)
        for _ in range(5):
            round_.play(round_.legal_moves()[0])
        page.locator("#text").fill(round_.view(round_.seat).to_text())
        page.get_by_role("button", name="打开").click()
        page.locator(".thinking .ranking").wait_for()
        page.locator(".replay").evaluate("(one) => scrollTo(0, one.getBoundingClientRect().top + scrollY - 8)")
        yield "web-study", page.screenshot()


def place(page: "Page", placements: int) -> None:
    """Place tiles, each the first that fits, until it is the reader's turn again."""
    for _ in range(placements):
        wait_for_turn(page)
        event = number(page)
        place_one(page, "click")
        page.wait_for_function("(before) => document.querySelector('.match').dataset.event !== before", arg=event)
    wait_for_turn(page)


def difference(one: bytes, other: bytes) -> float:
    """The share of two pictures' squares whose colours are plainly others; 1 if their sizes differ."""
    import numpy as np
    from PIL import Image

    grains = []
    for picture in (one, other):
        image = Image.open(io.BytesIO(picture)).convert("RGB")
        size = (image.width // GRAIN, image.height // GRAIN)
        grains.append(np.asarray(image.resize(size, Image.Resampling.BOX), float))
    if grains[0].shape != grains[1].shape:
        return 1.0
    return float((np.abs(grains[0] - grains[1]).max(axis=2) > 40).mean())


def main() -> None:
    """Write the pictures into docs/pictures."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, Served(Path(folder)) as served, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])  # root has no sandbox
        for name, picture in taken(browser, served.url):
            (FOLDER / f"{name}.png").write_bytes(picture)
            print(f"docs/pictures/{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
