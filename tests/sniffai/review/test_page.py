"""The report of a review: one page that needs nothing else, right, whole, and safe to open."""

import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest

from sniffai import Limits
from sniffai.errors import LimitsError
from sniffai.explain.description import move_name
from sniffai.explain.languages import words
from sniffai.play.arena import play_rounds
from sniffai.play.arena_result import ArenaSpec
from sniffai.play.levels import named_player
from sniffai.review import THRESHOLDS, Review, Subject, Verdict, html_report, review
from sniffai.review.charts import anchor
from sniffai.review.heat import heat_map
from sniffai.review.strength import level_names, measured
from sniffai.review.tables import text_tables
from sniffai.review.terms import line_text
from sniffai.tiles import TILES, Tile
from tools import catalogues

VOID = {"meta", "br", "link"}


@cache
def reviewed(players: int = 2, names: str = "") -> Review:
    spec = ArenaSpec("random", "random", players, 1, True, 5)
    seats = [named_player(name) for name in ("level:attentive", "level:club", "level:casual", "level:casual")[:players]]
    rounds = [round_ for round_, _ in zip(play_rounds(spec, seats, 1), range(3), strict=False)]
    tags = (("Seat0", names), ("Event", names)) if names else ()
    return review(Subject.of_rounds(rounds, tags), Limits(simulations=80), seed=1)


@cache
def report(players: int, language: str = "en") -> str:
    return html_report(reviewed(players), language)


class Page(HTMLParser):
    """What a page holds."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data if not {"style", "script"} & set(self.open) else ""

    def values(self, attribute: str) -> list[str]:
        return [value for _, attrs in self.tags if (value := attrs.get(attribute)) is not None]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_page_is_whole_and_needs_nothing_else(players: int) -> None:
    page = Page(report(players))
    assert page.open == []
    assert not {tag for tag, _ in page.tags} & {"link", "img", "iframe", "object", "base", "form"}
    kinds = [attrs.get("type") for tag, attrs in page.tags if tag == "script"]
    assert kinds == ["application/json", "text/css", None]
    assert page.values("src") == []
    assert all(value.startswith("#") for value in page.values("href"))
    assert "url(" not in report(players)
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    policy = next(attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv"))
    assert policy is not None and policy.startswith("default-src 'none'")
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert {value[1:] for value in page.values("href")} <= set(ids)


def test_every_mistake_has_its_table_belief_and_reasons() -> None:
    found = reviewed(2)
    text = report(2)
    assert found.mistakes
    anchors = {anchor(one) for one in found.mistakes}
    assert set(Page(text).values("id")) == {"replay", "replay-data", "replay-style", *anchors}
    for one in found.mistakes:
        part = text.partition(f'id="{anchor(one)}"')[2].partition("</details>")[0]
        assert part.startswith(" open") == one.verdict.mistake
        assert "Position of seat" in part
        (named,) = re.findall(r'<th scope="col">tiles</th>.*?<tbody>(.*?)</tbody>', part)
        listed = [tile for tiles in re.findall(r'<th scope="row">(.*?)</th>', named) for tile in tiles.split()]
        assert sorted(listed) == [str(tile) for tile in hidden(one)]
        assert ("<li>" in part) == bool(one.reasons)
        assert "±" in part


def hidden(one: object) -> list[object]:
    placement = one.placement  # type: ignore[attr-defined]
    placed = {move.tile for move in placement.view.placements}
    return [tile for tile in TILES if tile not in placed and tile not in placement.view.hand]


def test_the_heat_map_has_the_belief_and_the_truth() -> None:
    found = reviewed(3)
    one = next(one for one in found.judged if one.belief is not None and len(hidden(one)) > 5)
    story = found.subject.stories[one.placement.round]
    truth = [frozenset(story.view(seat, one.placement.event).hand) for seat in range(3)]
    drawn = heat_map(found.subject, one, truth, words("en"))
    assert one.belief is not None
    others = [seat for seat in range(3) if seat != one.placement.seat]
    rows, listed = set(), []
    for names, cells in re.findall(r'<th scope="row">([^<]*)</th>(.*?)</tr>', drawn):
        shown = re.findall(r">([\d–]+)(?:<small>◆ ([^<]*)</small>)?</td>", cells)
        rows.add(tuple(text for text, _ in shown))
        listed += names.split()
        for tile in map(Tile.parse, names.split()):
            table = one.belief.table[tile.index]
            assert [text for text, _ in shown] == [
                f"{100 * table[place]:.0f}" if table[place] >= 0.0005 else "–" for place in (*others, 3)
            ]
            holder = [tile in truth[seat] for seat in others]
            assert [str(tile) in there.split() for _, there in shown] == [*holder, not any(holder)]
    assert sorted(listed) == [str(tile) for tile in hidden(one)]
    assert len(rows) == drawn.count("<tr>") - 1, "rows of equal chances are one"
    assert "◆" not in heat_map(found.subject, one, None, words("en"))


def test_marks_and_seats_have_colours_of_their_own() -> None:
    data = Path(catalogues.ROOT) / "sniffai" / "data"
    style = "".join((data / name).read_text(encoding="utf-8") for name in ("palette.css", "review.css"))
    names = ("seat0", "seat1", "seat2", "seat3", "doubtful", "error", "blunder")
    for theme in re.findall(r":root \{([^}]*--seat0[^}]*)\}", style):
        colours = [re.findall(rf"--{name}: (#\w+);", theme)[0] for name in names]
        assert len(set(colours)) == len(names)
    text = report(2)
    for player in reviewed(2).players:
        assert (f'class="dot seat{player.seat}"' in text) == (player.strength is not None)


def test_counts_and_totals_are_described_in_words() -> None:
    found = reviewed(2)
    page = Page(report(2)).text
    for player in found.players:
        blunders = player.total.verdicts[Verdict.BLUNDER]
        assert f"{blunders} blunder{'' if blunders == 1 else 's'} · " in page
    assert "errors per decision" in page
    assert "In points the start is what the leads are worth." in page


def test_moves_and_lines_are_told_in_words() -> None:
    found = reviewed(2)
    page = report(2)
    tables = {cell for one in text_tables(found, every=True) for row in one.rows for cell in row}
    for one in found.judged:
        played = move_name(one.placement.played, words("en"))
        assert played in tables
        assert f"<td>{played}</td>" in page
    assert not re.search(r"[0-6]@[0-6]", Page(page).text + str(tables))
    lines = [line_text(one.line, words("en")) for one in found.mistakes]
    assert any(lines)
    for line in lines:
        assert f"<dd>{line}</dd>" in page


def test_text_of_a_record_is_escaped_on_the_page() -> None:
    name = '<script>alert("x")</script>&\x07'
    text = html_report(reviewed(2, name))
    assert "<script>alert" not in text
    assert text.count("<script") == 3
    assert "&lt;script&gt;" in text
    assert "\x07" not in text
    Page(text)


@pytest.mark.parametrize("language", ["ja", "zh-Hans"])
def test_the_page_speaks_other_languages(language: str) -> None:
    page = Page(report(2, language))
    assert page.tags[0] == ("html", {"lang": language, "data-saved": None})
    english = Page(report(2)).text
    for word in ("Luck and skill", "Mistakes", "best line", "blunder", "Belief"):
        assert word in english
        assert word not in page.text
    with pytest.raises(LimitsError):
        html_report(reviewed(2), "tlh")


def test_the_words_of_reviews_are_in_the_catalogues() -> None:
    assert "sniffai/review" in catalogues.ROOMS


def test_one_seats_view_is_reported_without_the_truth() -> None:
    subject = Subject.of_view(reviewed(2).rounds[0].story.view(0, 99))
    text = html_report(review(subject, Limits(simulations=80), seed=1))
    assert "as seat 0 saw it" in text
    assert "◆" not in text
    assert "Seat 1</h3>" not in text


def test_a_review_without_mistakes_says_so() -> None:
    found = reviewed(2)
    good = [replace(one, judged=tuple(j for j in one.judged if j.verdict is Verdict.NONE)) for one in found.rounds]
    clean = replace(found, rounds=tuple(good))
    assert "There is none." in Page(html_report(clean)).text


def test_the_style_of_the_page_is_in_the_package() -> None:
    data = Path(catalogues.ROOT) / "sniffai" / "data"
    style = "".join((data / name).read_text(encoding="utf-8") for name in ("palette.css", "review.css"))
    for needed in ("prefers-color-scheme: dark", "@media print", "max-width"):
        assert needed in style
    assert "@import" not in style


def test_the_page_of_the_manual_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python on docs/analysis.md runs; its thresholds and the losses of the levels are those in force."""
    root = Path(catalogues.ROOT)
    manual = (root / "docs" / "analysis.md").read_text(encoding="utf-8")
    monkeypatch.chdir(root)
    (code,) = re.findall(r"```python\n(.*?)```", manual, re.DOTALL)
    code = code.replace("simulations=2000", "simulations=20")
    exec(compile(code, "analysis.md", "exec"), {})
    for name, least in THRESHOLDS.items():
        assert f"| {name} | at least {100 * least:g} % |" in manual
    for name in level_names(2):
        losses = [measured()["losses"][str(players)][name]["mean"] for players in (2, 3, 4)]
        row = next(line for line in manual.splitlines() if line.startswith(f"| {name} | ") and "±" in line)
        shown = [float(text.replace("−", "-")) for text in re.findall(r"(−?[\d.]+) ±", row)]
        assert shown == [round(loss, 2) for loss in losses]
    assert f"{measured()['simulations']:,} simulations" in manual
