"""Take the pictures of the review page that the documents show, with the browser of `make e2e`.

sniffai review examples/matches/attentive-club.match --html report.html
python -m tools.screenshots report.html
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tools.system_parts import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Page

PICTURES: Final = Path(__file__).resolve().parent.parent / "docs" / "pictures"

WIDTH: Final = 1000

AT_DESK: Final = "#r1e5"
ON_PHONE: Final = "#r3e7"
"""The mistakes shown: round 1, event 5, and round 3, event 7."""


def pictures(page: "Page", folder: Path) -> None:
    """The pictures of a report at a desk: its top, luck and skill, the replayer, and a mistake."""
    sections = page.locator("main > section")
    below = sections.nth(2).bounding_box()  # players, chance to win, loss of each decision
    assert below is not None
    shown(page, 0, below["y"] + below["height"] + 16, folder / "review-top.png")
    page.locator(f"{AT_DESK} .replayed").click()
    page.locator("#replay .ranking").first.wait_for()
    page.wait_for_timeout(800)  # until the tiles lie still
    page.evaluate("scrollTo(0, 0)")
    for selector, name in (("main > section >> nth=3", "account"), ("#replay", "replay"), (AT_DESK, "mistake")):
        box = page.locator(selector).bounding_box()
        assert box is not None
        shown(page, box["y"], box["height"], folder / f"review-{name}.png")


def shown(page: "Page", top: float, height: float, path: Path) -> None:
    """A picture of a part of the page, over its whole width."""
    page.screenshot(path=path, clip={"x": 0, "y": top, "width": WIDTH, "height": height}, full_page=True)


def main() -> None:
    """Write the pictures into docs/pictures."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=Path, help="HTML file that `sniffai review --html` wrote")
    address = parser.parse_args().report.resolve().as_uri()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])  # root has no sandbox
        page = browser.new_page(viewport={"width": WIDTH, "height": 800})
        page.goto(address)
        pictures(page, PICTURES)
        page = browser.new_page(viewport={"width": 410, "height": 1250}, color_scheme="dark")
        page.goto(address)
        page.locator(ON_PHONE).evaluate("mistake => window.scrollTo(0, mistake.getBoundingClientRect().top - 8)")
        page.screenshot(path=PICTURES / "review-phone.png")
        browser.close()


if __name__ == "__main__":
    main()
