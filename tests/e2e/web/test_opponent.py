"""The page of docs/opponent.md in a browser: a whole match by clicks, with a reload and a new start of the server."""

import functools
import http.server
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.server import free_ports, running
from tests.e2e.web.player import SEEDED

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).parent.parent.parent.parent / "examples" / "opponent"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def page_url() -> Iterator[str]:
    """Where the page is served: from another origin than the calls."""
    files = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(FOLDER)))
    threading.Thread(target=files.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{files.server_address[1]}"
    files.shutdown()
    files.server_close()


SHOWS_FAULTS = """for (const kind of ["error", "unhandledrejection"])
  addEventListener(kind, ({ error, reason }) => document.body.append(`Fault: ${error ?? reason}`));"""
"""So that a test that waits for the page to change does not wait for ever once its script has ended with an error."""


def click_last(page: "Page") -> bool:
    """Click the last legal move. Returns whether the match goes on."""
    assert "Fault:" not in page.inner_text("body"), page.inner_text("body")
    page.wait_for_function("document.querySelector('button') || /wins?\\./.test(document.body.innerText)")
    if page.locator("button").count() == 0:
        return False
    before = page.inner_text("body")
    page.locator("button").last.click()
    page.wait_for_function("before => document.body.innerText !== before", arg=before)
    return True


def test_a_whole_match_by_clicks(browser: "Browser", page_url: str, tmp_path: Path) -> None:
    size = {"width": 360, "height": 640}
    with running(tmp_path, "--web-origins", page_url) as server, browser.new_context(viewport=size) as context:
        context.add_init_script(SHOWS_FAULTS)
        context.add_init_script(SEEDED)
        page = context.new_page()
        failed: list[str] = []
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.goto(f"{page_url}/index.html?server={server.url}")
        for _ in range(2):
            assert click_last(page)
        page.wait_for_selector("button")
        shown = page.inner_text("body")
        page.reload()
        page.wait_for_selector("button")
        assert page.inner_text("body") == shown

        server.kill()
        page.locator("button").last.click()
        page.wait_for_function("document.body.innerText.includes('The server is away.')")
        server.start()
        page.wait_for_selector("text=Your move:")
        while click_last(page):
            pass
        end = page.inner_text("body")
        scores = re.search(r"you (-?\d+), club (-?\d+)", end)
        assert scores is not None
        assert (int(scores[1]) >= 250) == ("You win." in end)
        assert max(int(scores[1]), int(scores[2])) >= 250
        assert page.evaluate("localStorage.length") == 0
        assert failed == []


def test_a_page_from_another_origin_is_refused(browser: "Browser", page_url: str, tmp_path: Path) -> None:
    (port,) = free_ports(1)
    allowed = f"http://127.0.0.1:{port}"
    with running(tmp_path, "--web-origins", allowed) as server, browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{page_url}/index.html?server={server.url}")
        page.wait_for_function("document.body.innerText.includes('The server is away.')")
        assert page.locator("button").count() == 0
