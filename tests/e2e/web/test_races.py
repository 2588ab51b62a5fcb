"""What happens twice, at the same time or in the middle of something else: clicks, tabs, pages left and reloaded."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.web.player import match_of, new_match, number, person, place_one, state, wait_for_choice, wait_for_turn
from tests.e2e.web.served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

FULL = "() => { Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }; }"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("served")) as server:
        yield server


def calls_of(page: "Page", method: str) -> list[str]:
    """The bodies of the calls of a method from now on."""
    found: list[str] = []
    page.on("request", lambda asked: found.append(asked.post_data or "") if asked.url.endswith(method) else None)
    return found


def held(page: "Page", method: str) -> "list[Route]":
    """Calls of a method that wait until the test lets them go."""
    routes: list[Route] = []
    page.route(f"**/*MatchService/{method}", lambda route: routes.append(route))
    return routes


def kept(page: "Page") -> dict[str, Any]:
    return dict(page.evaluate("JSON.parse(localStorage.sniffai)"))


def matches_of(served: Served, page: "Page") -> list[dict[str, Any]]:
    """The player's matches on the server."""
    answer = served.call("MatchService/ListMatches", {"playerToken": kept(page)["player"]})
    return list(answer["matches"])


def until(page: "Page", routes: "list[Route]", count: int = 1) -> None:
    """Wait until so many calls are held."""
    for _ in range(600):
        if len(routes) >= count:
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{len(routes)} calls, not {count}")


def test_a_second_click_creates_no_second_match(browser: "Browser", served: Served) -> None:
    with person(browser, served.url) as page:
        page.locator(".opponent").wait_for()
        page.evaluate("""() => {
          const form = document.querySelector(".new");
          for (let i = 0; i < 3; i++) form.dispatchEvent(new Event("submit", { cancelable: true }));
        }""")
        page.locator(".match").wait_for()
        wait_for_turn(page)
        assert len(matches_of(served, page)) == 1


def test_a_match_is_created_once_though_the_first_answer_gets_lost(browser: "Browser", served: Served) -> None:
    with person(browser, served.url) as page:
        page.locator(".opponent").wait_for()
        lost: list[str] = []

        def lose(route: "Route") -> None:
            route.fetch()  # the server has created the match
            lost.append(route.request.post_data or "")
            route.abort()

        page.route("**/*MatchService/CreateMatch", lose)
        page.locator(".new button[type=submit]").click()
        page.locator(".problem:not(:empty)").wait_for()
        page.unroute("**/*MatchService/CreateMatch")
        page.locator(".new button[type=submit]").click()
        page.locator(".match").wait_for()
        assert len(lost) == 1
        (only,) = matches_of(served, page)
        assert only["matchId"] == match_of(page)


def test_who_leaves_while_a_match_is_created_is_not_led_back(browser: "Browser", served: Served) -> None:
    with person(browser, served.url) as page:
        page.locator(".opponent").wait_for()
        routes = held(page, "JoinMatch")
        page.locator(".new button[type=submit]").click()
        until(page, routes)
        page.locator("header nav a[href='#/study']").click()
        page.locator("body[data-page=study]").wait_for()
        routes[0].continue_()
        page.wait_for_function("() => Object.keys(JSON.parse(localStorage.sniffai).matches).length === 1")
        page.wait_for_timeout(300)
        assert page.url.endswith("#/study")
        page.locator("header nav a[href='#/']").click()
        page.locator(".matches a").click()  # the match is there for later
        assert wait_for_turn(page) == "turn"


def invited(served: Served) -> tuple[str, list[str]]:
    """A match for two people, and the way to each seat."""
    made = served.call("MatchService/CreateMatch", {"seats": [{"human": {}}, {"human": {}}]})
    ways = [f"#/join/{made['matchId']}/{one['invitation']}" for one in made["invitations"]]
    return made["matchId"], ways


def test_who_leaves_while_a_seat_is_taken_is_not_led_back(browser: "Browser", served: Served) -> None:
    match, (way, _) = invited(served)
    with person(browser, served.url) as page:
        routes = held(page, "JoinMatch")
        page.evaluate("(way) => { location.hash = way; }", way)
        until(page, routes)
        page.go_back()
        page.locator(".home").wait_for()
        routes[0].continue_()
        page.wait_for_function("(match) => JSON.parse(localStorage.sniffai).matches[match]", arg=match)
        page.wait_for_timeout(300)
        assert page.locator(".home").count() == 1


def test_a_change_of_the_page_takes_no_seat_twice(browser: "Browser", served: Served) -> None:
    match, (way, _) = invited(served)
    with person(browser, served.url) as page:
        routes = held(page, "JoinMatch")
        page.evaluate("(way) => { location.hash = way; }", way)
        until(page, routes)
        page.locator("header summary").click()
        page.locator("#language").select_option("ja")  # which shows the page anew
        page.wait_for_timeout(300)
        assert len(routes) == 1
        routes[0].continue_()
        page.locator(".match").wait_for()
        assert match_of(page) == match


def test_two_tabs_with_one_invitation_share_the_seat(browser: "Browser", served: Served) -> None:
    """The token of the later one ends that of the earlier one, which then goes on with the token that was kept."""
    match, (way, other) = invited(served)
    with person(browser, served.url, refused=True) as page:
        second = page.context.new_page()
        second.goto(served.url)
        routes = held(page, "JoinMatch"), held(second, "JoinMatch")
        for tab, waiting in zip((page, second), routes, strict=True):
            tab.evaluate("(way) => { location.hash = way; }", way)
            until(tab, waiting)
        watching = held(page, "WatchMatch")
        routes[0][0].continue_()
        until(page, watching)  # the first has its token, which nobody has used yet
        routes[1][0].continue_()
        second.wait_for_function("() => document.querySelector('.match .overlay')?.hidden === false")
        watching[0].continue_()
        page.unroute("**/*MatchService/WatchMatch")
        page.wait_for_function("() => document.querySelector('.match .overlay')?.hidden === false")
        last = served.call("MatchService/JoinMatch", {"matchId": match, "invitation": other.rsplit("/", 1)[1]})
        for tab in (page, second):
            tab.wait_for_function("() => Number(document.querySelector('.match').dataset.event) >= 3")
        assert last["view"]["status"] == "MATCH_STATUS_PLAYING"
        assert list(kept(page)["matches"]) == [match]


def test_two_tabs_play_one_seat(browser: "Browser", served: Served) -> None:
    with person(browser, served.url) as page:
        new_match(page, length=0)
        wait_for_turn(page)
        second = page.context.new_page()
        second.goto(page.url)
        assert wait_for_turn(second) == "turn"
        assert state(second) == state(page)
        for tab, same in ((page, second), (second, page)):
            event = number(same)
            place_one(tab, "click")
            same.wait_for_function("(before) => document.querySelector('.match').dataset.event !== before", arg=event)
            assert wait_for_turn(tab) == wait_for_turn(same) == "turn"
        page.wait_for_function("() => !JSON.stringify(localStorage).includes('pending')")
        assert state(second) == state(page)


def test_a_double_click_does_not_resign(browser: "Browser", served: Served) -> None:
    with person(browser, served.url) as page:
        new_match(page, length=0)
        wait_for_turn(page)
        resign = page.get_by_role("button", name="Resign")
        calls = calls_of(page, "Resign")
        resign.dblclick()
        page.wait_for_timeout(700)
        assert not calls
        page.locator(".mine .bar button", has_text="⚑").evaluate("(button) => { button.click(); button.click(); }")
        page.locator(".result.over").wait_for()
        assert len(calls) == 1


def test_a_double_click_takes_back_once(browser: "Browser", served: Served) -> None:
    with person(browser, served.url) as page:
        new_match(page, length=0)
        wait_for_choice(page)
        event = number(page)
        place_one(page, "click")
        page.wait_for_function("(before) => document.querySelector('.match').dataset.event !== before", arg=event)
        wait_for_turn(page)
        calls = calls_of(page, "TakeBack")
        page.get_by_role("button", name="Take back").dblclick()
        page.wait_for_timeout(500)
        wait_for_turn(page)
        assert len(calls) == 1
        assert page.locator(".notice").is_hidden()


def test_a_match_is_played_though_the_browser_keeps_nothing(browser: "Browser", served: Served) -> None:
    with person(browser, served.url) as page:
        page.evaluate(FULL)
        new_match(page, length=0)
        for _ in range(2):
            assert wait_for_turn(page) == "turn"
            event = number(page)
            place_one(page, "click")
            page.wait_for_function("(before) => document.querySelector('.match').dataset.event !== before", arg=event)
        assert kept(page)["matches"] == {}
