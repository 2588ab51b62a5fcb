"""A person at the web table: opens pages, starts matches, and plays by mouse, finger or keys."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}
WAIT = 60_000.0
"""Milliseconds until something must have happened, on a busy machine."""
PLAYABLE = ".hand button:not([aria-disabled])"
SEEDED = """{
  const plain = window.fetch;
  window.fetch = (target, options) => {
    const called = /(MatchService\\/CreateMatch|RulesService\\/DealRound)$/.test(String(target));
    if (!called) return plain(target, options);
    const request = JSON.parse(options.body);
    if (!request.seats || request.seats.filter((seat) => seat.human).length === 1) request.seed = "5";
    return plain(target, { ...options, body: JSON.stringify(request) });
  };
}"""
"""Gives each match that a page creates, and each round that it deals, the same seed, so that no test depends on luck.
The server refuses a seed where several people play."""


@contextmanager
def person(
    browser: "Browser",
    url: str,
    size: dict[str, int] = DESKTOP,
    *,
    language: str = "en",
    refused: bool = False,
    **context: Any,
) -> "Iterator[Page]":
    """A page in a browser without a past. What fails on it, and a request to another server, fails the test.

    :param refused: whether the server is to refuse a request.
    """
    settings = json.dumps({"matches": {}, "settings": {"pace": "fast", "language": language}})
    faults: list[str] = []
    with browser.new_context(viewport=size, **context) as opened:  # type: ignore[arg-type]
        opened.set_default_timeout(WAIT)
        opened.add_init_script(SEEDED)
        opened.add_init_script(f"localStorage.getItem('sniffai') ?? localStorage.setItem('sniffai', {settings!r})")
        page = opened.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if is_fault(message, refused) else None)
        page.on("request", lambda asked: None if own(asked.url, url) else faults.append(asked.url))
        page.goto(url)
        yield page
        assert not faults, faults


def own(asked: str, url: str) -> bool:
    """Whether a request goes to the page's own server."""
    return asked.startswith((url.partition("#")[0], "blob:", "data:"))


def is_fault(message: Any, refused: bool) -> bool:
    """Whether a message on the console tells of a fault; lost connections are what some tests make."""
    expected = "net::ERR_" in message.text or (refused and "status of 40" in message.text)
    return message.type == "error" and not expected


def new_match(page: "Page", players: int = 2, level: str = "casual", length: int = 50) -> None:
    """Start a short match on the first page."""
    page.locator(f"#players-{players}").check()
    names = page.evaluate(LEVELS)
    for slider in page.locator(".opponent input[type=range]").all():
        slider.fill(str(names.index(level)))
    page.locator(".new summary").click()
    page.locator("#length").select_option(str(length))
    page.locator(".new button[type=submit]").click()
    page.locator(".match").wait_for()


LEVELS = """async () => {
  const headers = { "content-type": "application/json" };
  const answer = await fetch("/sniffai.v1.EngineService/GetEngineInfo", { method: "POST", headers, body: "{}" });
  return (await answer.json()).levels.map((level) => level.name);
}"""


def wait_for_turn(page: "Page") -> str:
    """Wait until it is the reader's turn, or a round or the match is over. Returns ``turn``, ``round`` or ``match``."""
    found = page.wait_for_function(
        """() => document.querySelector(".result.over") ? "match"
          : document.querySelector(".overlay:not([hidden]) .result .main") ? "round"
          : document.querySelector(".status.go") && document.querySelector(PLAYABLE) ? "turn" : "" """.replace(
            "PLAYABLE", json.dumps(PLAYABLE)
        )
    )
    return str(found.json_value())


def play_by(page: "Page", way: str) -> int:
    """Play until the match is over. Returns the number of tiles placed.

    :param way: ``click``, ``tap``, ``drag`` or ``keys``.
    """
    placed = 0
    while (now := wait_for_turn(page)) != "match":
        if now == "round":
            if way == "keys":
                assert page.evaluate("document.activeElement.classList.contains('main')"), "the way on has the focus"
                page.keyboard.press("Enter")
            else:
                press(page, ".overlay .main", way)
            page.locator(".overlay").wait_for(state="hidden")
            continue
        event = number(page)
        place_one(page, way)
        placed += 1
        page.wait_for_function("(before) => document.querySelector('.match').dataset.event !== before", arg=event)
    return placed


def wait_for_choice(page: "Page") -> None:
    """Play until several tiles fit."""
    while wait_for_turn(page) == "turn" and page.locator(PLAYABLE).count() < 2:
        event = number(page)
        place_one(page, "click")
        page.wait_for_function("(before) => document.querySelector('.match').dataset.event !== before", arg=event)


def number(page: "Page") -> str:
    """The number of the event that the page shows."""
    return page.locator(".match").get_attribute("data-event") or ""


def place_one(page: "Page", way: str) -> None:
    """Place the first tile that fits, at the first place."""
    if way == "keys":
        focus_hand(page)
        while page.evaluate("document.activeElement.hasAttribute('aria-disabled')"):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.className").startswith("place"), "Enter leads to the places"
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
    elif way == "drag":
        drag_one(page)
    else:
        press(page, PLAYABLE, way)
        press(page, ".place", way)


def focus_hand(page: "Page") -> None:
    """Reach the hand with the tabulator alone."""
    for _ in range(60):
        if page.evaluate("Boolean(document.activeElement.closest('.hand'))"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("the tabulator never reaches the hand")


def drag_one(page: "Page") -> None:
    """Drag the first tile that fits to a place."""
    tile = page.locator(PLAYABLE).first.bounding_box()
    assert tile is not None
    x, y = tile["x"] + tile["width"] / 2, tile["y"] + tile["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 40, steps=4)
    page.locator(".place").first.wait_for()
    spot = page.locator(".place").first.bounding_box()
    assert spot is not None
    page.mouse.move(spot["x"] + 22, spot["y"] + 22, steps=4)
    page.mouse.up()


def press(page: "Page", selector: str, way: str) -> None:
    """Click or tap the first of these."""
    found = page.locator(selector).first
    if way == "tap":
        found.tap()
    else:
        found.click()


def state(page: "Page") -> dict[str, Any]:
    """What the page shows of the match."""
    return dict(
        page.evaluate(
            """() => ({
              event: document.querySelector(".match").dataset.event,
              hand: [...document.querySelectorAll(".hand button")].map((tile) => tile.dataset.key),
              table: [...document.querySelectorAll(".tiles > g")].map((tile) => tile.dataset.key).sort(),
              scores: [...document.querySelectorAll(".score b")].map((score) => score.textContent),
            })"""
        )
    )


def match_of(page: "Page") -> str:
    """The id of the match on the page."""
    found = re.search(r"#/match/(\w+)", page.url)
    assert found is not None, page.url
    return found[1]
