"""Take the pictures of the web table that docs/web.md shows, with the browser of `make e2e`.

make play
python -m tools.web_pictures http://127.0.0.1:8080/
"""

import argparse
import json
import urllib.request
from typing import TYPE_CHECKING, Any, Final

from tools.screenshots import PICTURES
from tools.system_parts import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SEED: Final = 5
"""Of the matches shown."""
TILES: Final = 7
"""On the table in the first picture, at least."""
PLAYABLE: Final = ".hand button:not([aria-disabled])"


class Host:
    """A server that hosts matches."""

    def __init__(self, url: str) -> None:
        self.url = url

    def call(self, method: str, **request: Any) -> Any:
        """One call of MatchService."""
        headers = {"content-type": "application/json"}
        asked = urllib.request.Request(
            f"{self.url}sniffai.v1.MatchService/{method}", json.dumps(request).encode(), headers
        )
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return json.load(answer)

    def new_match(self, level: str, **request: Any) -> dict[str, str]:
        """A match with a seat taken: what a call for that seat holds."""
        match = self.call("CreateMatch", seats=[{"human": {}}, {"level": level}], seed=str(SEED), hints=True, **request)
        invitation = match["invitations"][0]["invitation"]
        joined = self.call("JoinMatch", matchId=match["matchId"], invitation=invitation)
        return {"matchId": match["matchId"], "seatToken": joined["seatToken"]}


def opened(browser: "Browser", host: Host, seat: dict[str, str], page: str, **context: Any) -> "Page":
    """A page of a match, in a browser that has its seat."""
    kept = {"matches": {seat["matchId"]: {"seat": 0, "token": seat["seatToken"]}}, "settings": {"pace": "fast"}}
    shown = browser.new_page(locale="en", **context)
    shown.add_init_script(f"localStorage.setItem('sniffai', {json.dumps(kept)!r})")
    shown.goto(f"{host.url}#/{page}/{seat['matchId']}")
    return shown


def table(browser: "Browser", host: Host) -> None:
    """A match in play with a hint."""
    seat = host.new_match("club")
    page = opened(browser, host, seat, "match", viewport={"width": 1180, "height": 760})
    while True:
        page.locator(f"{PLAYABLE}, .overlay .main").first.wait_for()
        if page.locator(".overlay .main").is_visible():
            page.locator(".overlay .main").click()
        if page.locator(".tiles > g").count() >= TILES and page.locator(PLAYABLE).count() >= 3:
            break
        if page.locator(PLAYABLE).count():
            page.locator(PLAYABLE).first.click()
            page.locator(".place").first.click()
        page.wait_for_timeout(1500)
    page.locator("#tab-hint").click()
    page.locator("#tab-hint-body button").first.click()
    page.locator(".ranking button").first.click()
    page.wait_for_timeout(3000)  # all has come to rest
    page.screenshot(path=PICTURES / "web-table.png")


def review(browser: "Browser", host: Host) -> None:
    """A mistake in the review of a short match, on a phone in dark colours."""
    seat = host.new_match("casual", scores=[200, 200])
    view: dict[str, Any] = {}
    while view.get("status") in (None, "MATCH_STATUS_PLAYING"):
        answer = host.call("GetView", **seat, afterEvent=str(view.get("eventNumber", 0)), wait="5s")
        view = answer["view"]
        if view["action"] == "ACTION_PLAY":
            move = view["legalMoves"][0]["move"]
            number = view["eventNumber"]
            host.call("PlayMove", **seat, move=move, expectedEvent=number, idempotencyKey=str(number))
    page = opened(browser, host, seat, "review", viewport={"width": 410, "height": 1400}, color_scheme="dark")
    page.locator(".report").wait_for(state="attached", timeout=300_000)
    page.locator(".mistakes button").first.click()
    page.wait_for_timeout(3000)
    page.locator(".replay").evaluate("replay => window.scrollTo(0, replay.getBoundingClientRect().top + scrollY - 8)")
    page.screenshot(path=PICTURES / "web-review.png")


def main() -> None:
    """Write the pictures into docs/pictures."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", help="where the page is served")
    host = Host(parser.parse_args().url)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])  # root has no sandbox
        table(browser, host)
        review(browser, host)
        browser.close()


if __name__ == "__main__":
    main()
