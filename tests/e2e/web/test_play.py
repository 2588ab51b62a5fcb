"""Whole matches on the web table, by mouse, finger and keys, with what may go wrong on the way."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.web.player import (
    DESKTOP,
    PHONE,
    focus_hand,
    match_of,
    new_match,
    number,
    person,
    place_one,
    play_by,
    press,
    state,
    wait_for_choice,
    wait_for_turn,
)
from tests.e2e.web.served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("served")) as server:
        yield server


@pytest.mark.parametrize(
    ("way", "size", "players", "language", "context"),
    [
        ("click", DESKTOP, 2, "en", {}),
        ("drag", DESKTOP, 3, "zh-Hans", {"color_scheme": "dark"}),
        ("tap", PHONE, 4, "ja", {"has_touch": True, "is_mobile": True}),
        ("keys", PHONE, 2, "en", {"reduced_motion": "reduce"}),
    ],
)
def test_a_whole_match(
    browser: "Browser",
    served: Served,
    way: str,
    size: dict[str, int],
    players: int,
    language: str,
    context: dict[str, Any],
) -> None:
    with person(browser, served.url, size, language=language, **context) as page:
        new_match(page, players)
        assert play_by(page, way) > 0
        seat = page.evaluate("JSON.parse(localStorage.sniffai)")["matches"][match_of(page)]
        view = served.call("MatchService/GetView", {"matchId": match_of(page), "seatToken": seat["token"]})["view"]
        assert view["status"] == "MATCH_STATUS_FINISHED"
        own = view["seat"] % 2 if players == 4 else view["seat"]
        shown = page.locator(".result.over").inner_text()
        assert str(view["scores"][own]) in shown
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is cut off at the side"


def test_the_match_is_as_it_was_after_a_reload(browser: "Browser", served: Served) -> None:
    with person(browser, served.url) as page:
        new_match(page, length=0)
        for _ in range(2):
            wait_for_turn(page)
            event = number(page)
            place_one(page, "click")
            page.wait_for_function("(before) => document.querySelector('.match').dataset.event !== before", arg=event)
        assert wait_for_turn(page) == "turn"
        before = state(page)
        page.reload()
        assert wait_for_turn(page) == "turn"
        assert state(page) == before
        assert page.locator(".log li").count() > 3


def test_a_move_made_without_a_connection_is_placed_once_it_is_back(browser: "Browser", served: Served) -> None:
    with person(browser, served.url) as page:
        new_match(page, length=0)
        wait_for_turn(page)
        before = state(page)
        page.context.set_offline(True)
        place_one(page, "click")
        page.wait_for_function("() => document.querySelector('.match').classList.contains('offline')")
        assert state(page)["hand"] == before["hand"]
        page.context.set_offline(False)
        page.wait_for_function(
            "(before) => document.querySelector('.match').dataset.event !== before", arg=before["event"]
        )
        wait_for_turn(page)
        assert len(set(before["hand"]) - set(state(page)["hand"])) == 1
        assert not page.locator(".offline").count()


def test_a_match_goes_on_after_the_server_was_killed(browser: "Browser", served: Served) -> None:
    with person(browser, served.url) as page:
        new_match(page)
        wait_for_turn(page)
        before = state(page)
        served.kill()
        try:
            place_one(page, "click")
            page.wait_for_function("() => document.querySelector('.match').classList.contains('offline')")
        finally:
            served.start()
        page.wait_for_function(
            "(before) => document.querySelector('.match').dataset.event !== before", arg=before["event"]
        )
        assert play_by(page, "click") > 0


def test_a_move_on_its_way_when_the_page_is_closed_is_sent_by_the_next(browser: "Browser", served: Served) -> None:
    with person(browser, served.url) as page:
        new_match(page, length=0)
        wait_for_turn(page)
        before = state(page)
        page.route("**/*MatchService/PlayMove", lambda route: None)
        place_one(page, "click")
        page.wait_for_function("() => JSON.stringify(localStorage).includes('pending')")
        page.unroute("**/*MatchService/PlayMove")
        page.reload()
        page.wait_for_function("() => document.querySelector('.match')?.dataset.event > 0")
        page.wait_for_function("() => !JSON.stringify(localStorage).includes('pending')")
        wait_for_turn(page)
        assert len(set(before["hand"]) - set(state(page)["hand"])) == 1


def test_a_placement_is_taken_back(browser: "Browser", served: Served) -> None:
    with person(browser, served.url) as page:
        new_match(page, length=0)
        wait_for_choice(page)  # a placement without a choice is no decision to take back
        focus_hand(page)
        before = state(page)
        place_one(page, "keys")
        page.wait_for_function(
            "(before) => document.querySelector('.match').dataset.event !== before", arg=before["event"]
        )
        wait_for_turn(page)
        event = number(page)
        page.get_by_role("button", name="Take back").click()
        page.wait_for_function("(before) => document.querySelector('.match').dataset.event !== before", arg=event)
        wait_for_turn(page)
        after = state(page)
        assert (after["hand"], after["table"], after["scores"]) == (before["hand"], before["table"], before["scores"])


def test_a_typed_move_and_a_tile_named_by_its_digits(browser: "Browser", served: Served) -> None:
    with person(browser, served.url) as page:
        new_match(page, length=0)
        wait_for_turn(page)
        page.get_by_role("tab", name="Moves").click()
        field = page.get_by_label("Type a move")
        field.fill("7|9")
        field.press("Enter")
        assert page.locator("#typed-error").inner_text() != ""
        tile = page.locator(".hand button:not([aria-disabled])").first.get_attribute("data-key") or ""
        at = page.locator(".moves button .hidden").first.text_content() or ""
        assert "scores" in at or "count" in at
        event = number(page)
        field.fill(page.evaluate("document.querySelector('.moves li').dataset.key.replace(/@$/, '')"))
        field.press("Enter")
        page.wait_for_function("(before) => document.querySelector('.match').dataset.event !== before", arg=event)
        assert tile not in state(page)["hand"]
        wait_for_turn(page)
        tile = page.locator(".hand button:not([aria-disabled])").first.get_attribute("data-key") or ""
        focus_hand(page)
        page.keyboard.type(tile.replace("|", ""))
        assert page.locator(".hand .selected").get_attribute("data-key") == tile
        page.keyboard.press("Escape")
        assert page.locator(".hand .selected").count() == 0
        assert page.evaluate("document.activeElement.dataset.key") == tile


def test_two_people_play_by_a_link(browser: "Browser", served: Served) -> None:
    with person(browser, served.url) as page, person(browser, served.url) as other:
        page.locator("#players-2").check()
        page.get_by_label("a person, by a link").check()
        page.get_by_role("button", name="Deal the tiles").click()
        link = page.get_by_label("Link for seat 1").input_value()
        other.goto(link)
        other.reload()
        other.locator(".hand button").first.wait_for()
        page.locator(".hand button").first.wait_for()
        assert other.url.split("#")[1].startswith("/match/"), "the invitation is no longer in the address"
        other.goto(link)  # whoever has used up the invitation keeps the seat
        other.locator(".hand button").first.wait_for()
        assert other.url.split("#")[1].startswith("/match/")
        page.wait_for_function("() => document.querySelectorAll('.hand button').length === 7")
        assert not set(state(page)["hand"]) & set(state(other)["hand"])
        mover = page if page.locator(".status.go").count() else other
        wait_for_turn(mover)
        place_one(mover, "click")
        wait_for_turn(other if mover is page else page)


def test_hints_are_on_demand_and_no_secret_is_in_the_page(browser: "Browser", served: Served) -> None:
    with person(browser, served.url) as page:
        new_match(page, length=0)
        wait_for_choice(page)
        assert page.locator(".ranking").count() == 0
        page.get_by_role("tab", name="Hint").click()
        page.get_by_role("button", name="Show me the best move").click()
        page.locator(".ranking li.best").wait_for()
        assert "±" in page.locator(".ranking").inner_text()
        assert page.locator(".reasons li").count() > 0
        page.get_by_role("tab", name="Hidden").click()
        page.locator(".heat").first.wait_for()
        assert page.locator(".heat").count() == 2
        page.get_by_role("tab", name="Chances").click()
        assert page.locator(".chances circle").count() == 1
        seat = page.evaluate("JSON.parse(localStorage.sniffai)")["matches"][match_of(page)]
        assert seat["token"] not in page.content()


def test_a_place_lies_where_its_end_is(browser: "Browser", served: Served) -> None:
    """Whether it scores or not, a place's middle is within a tile of the middle of its end's mark."""
    with person(browser, served.url, reduced_motion="reduce") as page:
        new_match(page, length=0)
        seen = set()
        while len(seen) < 2 and wait_for_turn(page) == "turn":
            for tile in page.locator(".hand button:not([aria-disabled])").all():
                tile.click()
                for far, scores in page.evaluate(DISTANCES):
                    assert far < 24
                    seen.add(scores)
            event = number(page)
            press(page, ".place", "click")
            page.wait_for_function("(before) => document.querySelector('.match').dataset.event !== before", arg=event)
        assert seen == {True, False}


DISTANCES = """() => [...document.querySelectorAll('.place:not([data-key$="@"])')].map((place) => {
  const end = place.dataset.key.split("@")[1];
  const chip = document.querySelector(`.chip[data-key="${end}"] circle`).getBoundingClientRect();
  const box = place.getBoundingClientRect();
  const middle = (one) => [one.x + one.width / 2, one.y + one.height / 2];
  const [[x, y], [x2, y2]] = [middle(box), middle(chip)];
  return [Math.hypot(x - x2, y - y2), place.classList.contains("scores")];
})"""
