"""Names of people: what they may hold, and that none of them steers a terminal, a picture or a review."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sniffai.checks import joins, steers, visible
from sniffai.draw.svg import clean
from sniffai.errors import LimitsError
from sniffai.names import LONGEST, read_name
from sniffai.review.terms import isolated

GOOD = [
    "",
    "Ann",
    "Ann Lee",
    "José",
    "花子",
    "李明",
    "محمد",
    "می\u200cخواهم",  # Persian: the parts of one word kept apart
    "क्\u200dष",  # Hindi: a half letter
    "র\u200d্যাম",  # Bengali: the mark comes after the joiner
    "葛\U000e0100城",  # Japanese: another form of the character
    "❤\ufe0f",
    "👩\u200d👩\u200d👧",
    "❤\ufe0f\u200d🔥",
    "👋🏽",
    "🇳🇿",
    "1\ufe0f\u20e3",
    "x" * LONGEST,
    "a\u3000b",
    'O\'Neil-Smith "Ace" <b>',
]


@pytest.mark.parametrize("name", GOOD, ids=ascii)
def test_a_name(name: str) -> None:
    assert read_name(name, "name") == name
    assert read_name(f" \t{name}\u3000", "name") == name
    assert visible(name) == clean(name) == name
    assert isolated(name).strip("\u2068\u2069") == name


def test_a_name_is_normalised() -> None:
    assert read_name("Jose\u0301", "name") == "José"
    assert read_name("e\u0301" * LONGEST, "name") == "é" * LONGEST
    assert read_name(" \u00a0\u3000", "name") == ""


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("x" * (LONGEST + 1), "TEXT_TOO_LONG"),
        ("x" * 10**6, "TEXT_TOO_LONG"),
        (" " * 10**6, "TEXT_TOO_LONG"),
        ("a\nb", "CONTROL_CHARACTER"),
        ("a\x1b[31mb", "CONTROL_CHARACTER"),
        ("a\x9b31mb", "CONTROL_CHARACTER"),
        ("a\u202eb", "CONTROL_CHARACTER"),
        ("a\u2066b", "CONTROL_CHARACTER"),
        ("a\u200bb", "CONTROL_CHARACTER"),
        ("a\ufeffb", "CONTROL_CHARACTER"),
        ("a\u00adb", "CONTROL_CHARACTER"),
        ("a\u2028b", "CONTROL_CHARACTER"),
        ("a\U000e0041b", "CONTROL_CHARACTER"),
        ("\u200d", "CONTROL_CHARACTER"),
        ("\u200dAnn", "CONTROL_CHARACTER"),
        ("Ann\u200d", "CONTROL_CHARACTER"),
        ("Ann\u200d\u200dLee", "CONTROL_CHARACTER"),
        ("Ann \u200d Lee", "CONTROL_CHARACTER"),
        ("\ufe0f", "CONTROL_CHARACTER"),
        ("Ann \ufe0f", "CONTROL_CHARACTER"),
        ("A\ufe0f\ufe0f", "CONTROL_CHARACTER"),
        ("\u3164", "NOT_VISIBLE"),
        ("\u2800\u2800", "NOT_VISIBLE"),
        ("\u0301", "NOT_VISIBLE"),
        ("a\ud800b", "BAD_TEXT"),
        (b"Ann", "NOT_A_TEXT"),
        (None, "NOT_A_TEXT"),
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_no_name(name: object, reason: str) -> None:
    with pytest.raises(LimitsError) as error:
        read_name(name, "name")
    assert (error.value.reason, error.value.field) == (reason, "name")
    assert str(error.value).isprintable()


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("\u200c\u200d\ufe0f\x1b a👩")), max_size=8))
def test_whatever_passes_is_safe_and_stays_the_same(text: str) -> None:
    try:
        name = read_name(text, "name")
    except LimitsError:
        return
    assert read_name(name, "name") == name == unicodedata.normalize("NFC", name)
    assert all(not steers(sign) or joins(name, place) for place, sign in enumerate(name))
    assert visible(name) == name


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("\u200c\u200d\x1b\u202e a👩")), max_size=8))
def test_nothing_that_steers_is_printed(text: str) -> None:
    """Joiners are left between two signs that are read; everything else that steers is escaped or dropped."""
    for shown in (visible(text, ""), clean(text).translate(dict.fromkeys(map(ord, "\n\t\u2068\u2069")))):
        assert all(sign in "\u200c\u200d" for sign in shown if steers(sign))
        assert "\u200d\u200d" not in shown and not shown.startswith("\u200d")
