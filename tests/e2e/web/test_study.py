"""Study and review on the web table."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

import sniffai
from sniffai.records.matchfile import format_match
from tests.e2e.web.player import DESKTOP, PHONE, new_match, person, play_by
from tests.e2e.web.served import Served
from tests.positions import TURNED

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("served")) as server:
        yield server


def tiles_on(page: "Page") -> list[str]:
    found = page.locator(".replay .tiles > g").evaluate_all("(tiles) => tiles.map((tile) => tile.dataset.key)")
    return sorted(map(str, found))


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_deal_is_walked_through_and_other_moves_are_tried(
    browser: "Browser", served: Served, size: dict[str, int]
) -> None:
    with person(browser, f"{served.url}#/study", size) as page:
        page.get_by_role("button", name="Deal the tiles").click()
        page.locator(".ranking li").first.wait_for()
        for _ in range(2):
            before = page.locator(".replay input[type=range]").input_value()
            page.locator(".hands button:not([disabled])").first.click()
            page.locator(".place").first.click()
            page.wait_for_function(
                "(before) => document.querySelector('.replay input[type=range]').value !== before", arg=before
            )
            page.locator(".hands button:not([disabled])").first.wait_for()
        assert len(tiles_on(page)) == 2
        page.get_by_role("button", name="Back", exact=True).click()
        page.wait_for_function("() => document.querySelectorAll('.replay .tiles > g').length < 2")
        page.get_by_role("button", name="Back to the record").click()
        page.wait_for_function("() => document.querySelectorAll('.replay .tiles > g').length === 0")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_analysis_sharpens_while_one_looks(browser: "Browser", served: Served) -> None:
    with person(browser, f"{served.url}#/study") as page:
        page.locator("#text").fill(sniffai.Round.deal(2, seed=5).view(sniffai.Round.deal(2, seed=5).seat).to_text())
        page.get_by_role("button", name="Open").click()
        page.locator(".thinking .ranking").wait_for()
        counts = set()
        while page.get_by_role("button", name="Stop").count():
            counts.add(page.locator(".thinking .note").all_inner_texts()[1])
            page.wait_for_timeout(100)
        assert len(counts) > 2
        assert page.locator(".thinking .reasons li").count() > 0


def test_moves_are_also_valued_against_careless_opponents(browser: "Browser", served: Served) -> None:
    with person(browser, f"{served.url}#/study") as page:
        page.locator("#text").fill(TURNED)
        page.get_by_role("button", name="Open").click()
        page.locator(".thinking .ranking").wait_for()
        assert page.locator(".ranking .careless").count() == 0
        page.get_by_label("Also against players who overlook points").check()
        page.locator(".ranking .careless").first.wait_for()
        assert page.locator(".ranking .careless").count() == page.locator(".ranking li").count()
        page.locator(".thinking .contrast").wait_for()
        assert "the opposite holds" in page.locator(".thinking .contrast").inner_text()


def test_the_hidden_tiles_are_shown_with_the_others_choices_or_without(browser: "Browser", served: Served) -> None:
    round_ = sniffai.Round.deal(3, seed=4)
    while len(round_.moves) < 8:
        round_.play(round_.legal_moves()[0])
    with person(browser, f"{served.url}#/study") as page:
        page.locator("#text").fill(round_.view(round_.seat).to_text())
        page.get_by_role("button", name="Open").click()
        page.locator(".thinking .ranking").wait_for()
        page.get_by_role("button", name="Analyse").wait_for()
        page.locator(".thinking summary").click()
        panel = page.locator(".thinking details")
        maps = "() => [...document.querySelectorAll('.thinking .heat td')].map((cell) => cell.textContent).join()"
        exact = page.evaluate(maps)
        assert "Exact" in panel.inner_text()
        panel.get_by_label("with the others' choices").check()
        assert "a model of how they play is in it" in panel.inner_text()
        assert page.evaluate(maps) != exact
        page.reload()
        page.locator("#text").fill(round_.view(round_.seat).to_text())
        page.get_by_role("button", name="Open").click()
        page.get_by_role("button", name="Analyse").wait_for()
        page.locator(".thinking summary").click()
        assert panel.get_by_label("with the others' choices").is_checked()
        panel.get_by_label("with the others' choices").uncheck()
        assert page.evaluate(maps) == exact


def test_a_match_is_pasted(browser: "Browser", served: Served) -> None:
    round_ = sniffai.Round.deal(3, seed=1)
    while not round_.over:
        round_.play(round_.legal_moves()[0])
    with person(browser, f"{served.url}#/study", refused=True) as page:
        page.locator("#text").fill("no position at all")
        page.get_by_role("button", name="Open").click()
        page.wait_for_function("() => document.querySelector('.problem').textContent !== ''")
        page.locator("#text").fill(format_match(sniffai.MatchRecord.of([round_])))
        page.get_by_role("button", name="Open").click()
        page.get_by_role("button", name="To the end").click()
        page.wait_for_function(
            "(count) => document.querySelectorAll('.replay .tiles > g').length === count", arg=len(round_.moves)
        )
        assert tiles_on(page) == sorted(str(move.tile) for move in round_.moves)


def test_a_seats_record_is_pasted(browser: "Browser", served: Served) -> None:
    """Two rounds as seat 1 saw them: the other hands stay hidden, and the players have their names."""
    first = sniffai.Round.deal(3, seed=1)
    while not first.over:
        first.play(first.legal_moves()[0])
    second = sniffai.Round.deal(3, 2, first.next_leader(seed=1), first.scores)
    second.play(second.legal_moves()[0])
    record = sniffai.SeatRecord.seen_by(sniffai.MatchRecord.of([first, second], {"Seat0": "Ann"}), 1)
    with person(browser, f"{served.url}#/study") as page:
        page.locator("#text").fill(record.to_text())
        page.get_by_role("button", name="Open").click()
        page.get_by_role("button", name="To the end").click()
        page.wait_for_function(
            "(count) => document.querySelectorAll('.replay .tiles > g').length === count", arg=len(first.moves)
        )
        assert tiles_on(page) == sorted(str(move.tile) for move in first.moves)
        assert "Ann" in page.locator(".replay").inner_text()


def test_a_round_is_entered_by_clicking_tiles(browser: "Browser", served: Served) -> None:
    with person(browser, f"{served.url}#/study", PHONE) as page:
        hand = ["zero", "one", "two", "three", "four", "five", "six"]
        tray = page.get_by_role("group", name="Your tiles")
        for pips in hand[1:]:
            tray.get_by_role("button", name=f"blank-{pips}").click()
        page.get_by_role("button", name="Study it").click()
        page.wait_for_function("() => document.querySelector('.setup .problem').textContent !== ''")
        tray.get_by_role("button", name="one-one").click()
        page.get_by_role("button", name="Study it").click()
        page.locator(".hands button:not([disabled])").first.click()
        page.locator(".place").first.click()
        # Now the other seat: it places 1|6 on the one of 0|1.
        tray = page.get_by_role("group", name="Tiles that you have not seen")
        tray.get_by_role("button", name="one-six").click()
        page.locator(".place").first.click()
        page.wait_for_function("() => document.querySelectorAll('.replay .tiles > g').length === 2")
        assert tiles_on(page) == ["0|1", "1|6"]
        page.get_by_role("button", name="Undo").click()
        page.wait_for_function("() => document.querySelectorAll('.replay .tiles > g').length === 1")


def test_a_table_is_set_up_as_it_lies(browser: "Browser", served: Served) -> None:
    with person(browser, f"{served.url}#/study") as page:
        page.get_by_label("The table as it lies now").check()
        mine = page.get_by_role("group", name="Your tiles")
        for tile in ("four-five", "two-six", "blank-blank", "one-one", "two-two", "three-three"):
            mine.get_by_role("button", name=tile).click()
        stock = page.get_by_role("group", name="Tiles to lay on the table")
        for tile in ("four-four", "four-six"):
            stock.get_by_role("button", name=tile).click()
            page.locator(".setup .place").first.click()
        page.wait_for_function("() => document.querySelectorAll('.setup .tiles > g').length === 2")
        page.get_by_label("Tiles in the hand").fill("1")
        page.get_by_label("Tiles in the hand").press("Tab")
        page.get_by_role("button", name="Study it").click()
        page.wait_for_function("() => document.querySelector('.setup .problem').textContent !== ''")
        page.get_by_label("Tiles in the hand").fill("6")
        page.get_by_label("Tiles in the hand").press("Tab")
        page.get_by_role("button", name="Study it").click()
        page.locator(".thinking .ranking li").first.wait_for()
        assert tiles_on(page) == ["4|4", "4|6"]


def test_a_match_is_reviewed(browser: "Browser", served: Served) -> None:
    with person(browser, served.url) as page:
        new_match(page, level="newcomer")
        play_by(page, "click")
        page.get_by_role("button", name="Review").click()
        page.wait_for_function("() => document.querySelector('.report')?.shadowRoot?.querySelector('svg')")
        page.locator("progress").wait_for(state="hidden")
        placed = page.locator(".chart .dot").count()
        assert placed > 0
        page.get_by_role("button", name="On", exact=True).click()
        page.wait_for_function("() => document.querySelectorAll('.replay .tiles > g').length === 1")
        assert page.locator(".judged").inner_text() != ""
        try_a_move(page)
        with page.expect_download() as saved:
            page.get_by_role("link", name="Save the report").click()
        text = saved.value.path().read_text(encoding="utf-8")
        assert text.startswith("<!doctype html>")
        solve_mistakes(page)
        page.reload()
        page.wait_for_function("() => document.querySelectorAll('.hands .openhand').length === 2")


def try_a_move(page: "Page") -> None:
    """In the replay of a review: another move of the list shows the table after it."""
    page.get_by_role("button", name="To the beginning").click()
    rows = page.locator(".judged .ranking button.row")
    rows.last.click()
    page.locator(".replay .event", has_text="If ").wait_for()
    assert page.locator(".replay .plan .tiles > g").count() == 1
    page.get_by_label("Only what the player to move knew").check()
    assert page.locator(".openhand:not(.turn) .tiles > *").count() == 0
    page.get_by_label("Only what the player to move knew").uncheck()


def solve_mistakes(page: "Page") -> None:
    """Answer every question of the quiz; only the own tiles are shown meanwhile."""
    page.get_by_role("button", name="Solve your own mistakes").click()
    heading = page.locator(".quiz h2")
    number = 0
    while True:
        heading.wait_for()
        if heading.inner_text() == "That was all":
            break
        number += 1
        page.wait_for_function(
            f"() => document.querySelector('.quiz h2').textContent.startsWith('Mistake {number} of')"
        )
        page.locator(".quiz .moves li button").first.wait_for()
        hands = page.locator(".hands .openhand").evaluate_all(
            "(hands) => hands.map((hand) => hand.querySelectorAll('.tiles > *').length)"
        )
        assert sorted(count > 0 for count in hands) == [False, True]
        assert page.locator(".replay .controls").is_hidden()
        page.locator(".quiz .moves li button").first.click()
        page.locator(".quiz .ranking li").first.wait_for()
        assert "best move" in page.locator(".quiz .lead").inner_text() or "you played" in page.inner_text(".quiz .lead")
        page.get_by_role("button", name="Next", exact=True).click()
    assert number > 0
    assert f"of {number}." in page.locator(".quiz .lead").inner_text()
    page.get_by_role("button", name="Back to the review").click()
    assert page.locator(".mistakes li").count() > 0
    assert page.locator(".replay .controls").is_visible()
