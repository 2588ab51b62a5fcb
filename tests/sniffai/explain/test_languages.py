"""Words in three languages: nothing missing, nothing lost, the terms of the rule documents, plurals."""

import ast
import gettext
import json
import re
import string
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Message

import sniffai
from sniffai.explain import LANGUAGES, Reason, ReasonKind, describe, read_language, render, render_all, sentences
from sniffai.explain.languages import words
from tools import catalogues

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "tests" / "data"
FILES = catalogues.catalogue_files()
BY_LANGUAGE = pytest.mark.parametrize("file", FILES, ids=lambda file: file.parts[-3])


def forms(text: Any) -> tuple[str, ...]:
    """A message or translation as its forms."""
    return tuple(text) if isinstance(text, (tuple, list)) else (text,)


def parts(text: str) -> set[str | None]:
    """The names in braces."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def entries(file: Path) -> list[Message]:
    return [message for message in catalogues.read_catalogue(file) if message.id]


def test_there_is_a_catalogue_for_every_language_but_english() -> None:
    assert {file.parts[-3].replace("_", "-") for file in FILES} | {"en"} == set(LANGUAGES)


@BY_LANGUAGE
def test_the_catalogue_has_the_messages_of_the_source(file: Path) -> None:
    source = {message.id for message in catalogues.messages() if message.id}
    assert len(source) > 50
    assert {message.id for message in entries(file)} == source


@BY_LANGUAGE
def test_every_message_is_translated_with_all_its_parts(file: Path) -> None:
    for message in entries(file):
        assert not message.fuzzy, message.id
        assert len(forms(message.string)) == 1  # neither language has a plural
        for text in forms(message.string):
            assert text.strip(), message.id
            assert parts(text) == set().union(*map(parts, forms(message.id))), message.id
            assert "  " not in text


@BY_LANGUAGE
def test_the_compiled_catalogue_says_the_same(file: Path) -> None:
    with file.with_suffix(".mo").open("rb") as opened:
        compiled = gettext.GNUTranslations(opened)
    for message in entries(file):
        one, *many = forms(message.id)
        for number in (0, 1, 2, 5):
            said = compiled.ngettext(one, many[0], number) if many else compiled.gettext(one)
            assert said == forms(message.string)[0]


@BY_LANGUAGE
def test_translations_use_the_terms_of_the_rules(file: Path) -> None:
    glossary = json.loads((DATA / "glossary.json").read_text(encoding="utf-8"))
    used = set()
    for message in entries(file):
        for entry in glossary:
            if re.search(rf"(?<![\w{{]){entry['en']}(?![\w}}])", forms(message.id)[0]):
                used.add(entry["en"])
                assert re.search(entry[file.parts[-3]], forms(message.string)[0]), (message.id, message.string, entry)
    assert used == {entry["en"] for entry in glossary}


def test_messages_are_only_found_through_the_marks() -> None:
    """Whatever is said is a literal at the place where it is said, or was marked, so that no message is overlooked."""
    marked = {form for message in catalogues.messages() if message.id for form in forms(message.id)}
    for room in catalogues.ROOMS:
        for file in sorted((ROOT / room).glob("*.py")):
            for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "say":
                    said = call.args[0]
                    assert (isinstance(said, ast.Constant) and said.value in marked) or (
                        isinstance(said, ast.Subscript) and ast.unparse(said.value) == "PORTS"
                    ), (file, ast.unparse(call))


# The rule documents' own sentences


def rule_book() -> list[tuple[sniffai.Layout, dict[str, str]]]:
    """The eleven drawn positions, each with what the documents write below it."""
    positions = json.loads((DATA / "rulebook_positions.json").read_text(encoding="utf-8"))
    sentences = json.loads((DATA / "rulebook_sentences.json").read_text(encoding="utf-8"))
    ports = {"low": "LOW", "high": "HIGH", "A": "LINE_A", "B": "LINE_B", "sA": "SIDE_A", "sB": "SIDE_B"}
    found = []
    for position, said in zip(positions, sentences, strict=True):
        tiles = ["|".join(map(str, tile)) for tile in position["tiles"]]
        joined = ["|".join(map(str, outer)) + ":" + ports[port] for outer, port, _, _ in position["links"]]
        moves = [tiles[0], *(f"{tile}@{at}" for tile, at in zip(tiles[1:], joined, strict=True))]
        found.append((sniffai.Layout.of(moves), said))
    return found


@pytest.mark.parametrize("number", range(11))
def test_a_layout_is_described_as_the_documents_do(number: int) -> None:
    """As they do, but that every sentence ends in a wide full stop, and points are told as in their other sentences."""
    layout, said = rule_book()[number]
    assert describe(layout, "ja") == said["ja"].replace("換算前の得点", "")
    assert describe(layout, "zh-Hans") == re.sub(r"\.( |$)", "。", said["zh-Hans"]).replace(" 原始分", "分")


@BY_LANGUAGE
def test_sentences_end_in_a_wide_full_stop(file: Path) -> None:
    ended = 0
    for message in entries(file):
        for source, text in zip(forms(message.id), forms(message.string), strict=False):
            assert not text.endswith("."), message.id
            assert text.endswith("。") == source.endswith("."), message.id
            ended += text.endswith("。")
    assert ended > 40


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_description_is_its_sentences(language: str) -> None:
    view = sniffai.Round.deal(2, 3).view(0)
    told = sentences(view, language)
    assert all(one[-1] in ".。" for one in told)
    assert "".join(told).replace(" ", "") == describe(view, language).replace(" ", "")


def test_a_chance_that_is_nearly_known_shows_an_error_above_0() -> None:
    def said(error: float) -> str:
        return render(Reason(ReasonKind.CHANCE, probability=0.672, error=error))

    assert said(0.0004) == "The chance to win the match is 67.2% ± 0.04%."
    assert said(1e-9) == "The chance to win the match is 67.2% ± 0.01%."
    assert said(0.012) == "The chance to win the match is 67.2% ± 1.2%."
    assert said(0.0) == "The chance to win the match is 67.2%."


def test_a_layout_in_english() -> None:
    layout = sniffai.Layout.of(["4|4", "4|6@4|4:LINE_A", "1|4@4|4:LINE_B"])
    assert describe(layout) == (
        "Counted ends: 1 + 4 + 4 + 6 = 15. Points for the placement: 15 points. Tiles: [4|4], [4|6], [1|4]."
        " Branching double: [4|4]. Joined: [4|4] (line side A) – [4|6] (low end); [4|4] (line side B) – [1|4]"
        " (high end). Attachment points: [1|4] (low end, 1); [4|4] (side branch A, 4); [4|4] (side branch B, 4);"
        " [4|6] (high end, 6). Counted ends: [1|4]: 1; [4|4]: 4; [4|4]: 4; [4|6]: 6."
    )
    assert describe(sniffai.Layout.of([])) == "No tile has been played."


def test_a_description_has_what_the_seat_sees() -> None:
    round_ = sniffai.Round.deal(4, 3)
    view = round_.view(round_.seat)
    seat, mate = round_.seat, (round_.seat + 2) % 4
    said = describe(view)
    assert said.startswith(f"No tile has been played. Hand of seat {seat}: [")
    assert f"seat {mate}: 5 tiles" in said
    assert "Talon: 8 tiles. Score: seats 0 and 2: 0; seats 1 and 3: 0." in said
    assert said.endswith(f"Seat {seat} is to move.")
    hidden = {tile for tile in sniffai.TILES if tile not in view.hand}
    assert not any(f"[{tile}]" in said for tile in hidden)
    assert "席0と席2のペア：0" in describe(view, "ja").replace(": ", "：")


# Reasons in words

EXAMPLE: dict[str, Any] = {
    "seat": 1,
    "suit": 5,
    "tile": sniffai.Tile(4, 4),
    "points": 15,
    "score": 255,
    "count": 1,
    "left": 2,
    "pips": 8,
    "probability": 0.5,
    "value": 2.25,
    "error": 0.5,
    "before": 4.0,
    "other": 1.0,
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ReasonKind)
def test_every_reason_has_words(kind: ReasonKind, language: str) -> None:
    for more in (
        {},
        {"probability": 1.0, "count": 3, "left": 0, "only": True},
        {"against": sniffai.Move("1|5", "4|5:LOW")},
    ):
        if kind is ReasonKind.CARELESS:
            more |= {"against": sniffai.Move("1|5", "4|5:LOW")}
        said = render(Reason(kind, **{**EXAMPLE, **more}), language)
        assert said.strip()[-1] in ".。"
        assert "{" not in said
        assert "None" not in said
        if language != "en":
            assert not re.search(r"[A-Za-z]{3,}", said), said


def test_numbers_choose_their_form() -> None:
    one, two = (Reason(ReasonKind.KEEPS_MOVES, count=count) for count in (1, 2))
    assert render_all([one, two]) == [
        "1 tile of the remaining hand fits the table.",
        "2 tiles of the remaining hand fit the table.",
    ]
    assert render(one, "ja") == "残る手牌のうち1枚の牌が置けます。"
    assert words("zh-Hans").count("{points} point", "{points} points", 1, points=1) == "1分"


def test_a_chance_is_100_per_cent_only_where_it_is_certain() -> None:
    said = [
        render(Reason(ReasonKind.BLOCKS_SUIT, seat=1, suit=5, probability=chance)) for chance in (0.9999, 0.001, 1.0)
    ]
    assert "99%" in said[0]
    assert "1%" in said[1]
    assert said[2] == "The new end shows 5, and seat 1 has no 5."


# Codes


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("", "en"),
        ("en-GB", "en"),
        ("EN", "en"),
        ("ja", "ja"),
        ("ja_JP", "ja"),
        ("zh", "zh-Hans"),
        ("zh-CN", "zh-Hans"),
        ("zh-Hans-SG", "zh-Hans"),
        ("zh_hans", "zh-Hans"),
    ],
)
def test_valid_language_codes_are_accepted(code: str, language: str) -> None:
    assert read_language(code) == language


@pytest.mark.parametrize("code", ["de", "zh-TW", "zh-Hant", "english", "-", "ja" * 40, None, 7, "../ja"])
def test_invalid_language_codes_are_refused(code: Any) -> None:
    with pytest.raises(sniffai.LimitsError) as caught:
        read_language(code)
    assert (caught.value.reason, caught.value.field) == ("UNKNOWN_LANGUAGE", "language_code")
    with pytest.raises(sniffai.LimitsError):
        describe(sniffai.Layout.of([]), code)
