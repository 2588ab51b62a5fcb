"""Pages of docs/ whose commands and sessions are run, and whose files and pictures are compared, to the digit."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tools import examples, pictures

PAGES = [examples.ROOT / "docs" / "tutorial.md", examples.ROOT / "docs" / "commands.md"]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with examples.server() as address:
        yield address


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_shows_what_is_printed(address: str, page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "\n$ " in text or "\n>>> " in text
    with examples.folder_of(page) as folder:
        assert examples.rewritten(text, address, folder) == text


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_a_picture_is_as_it_is_drawn(name: str) -> None:
    assert pictures.drawn(name) == (pictures.FOLDER / name).read_text(encoding="utf-8")


def test_the_tutorial_shows_every_picture_of_its_round() -> None:
    text = PAGES[0].read_text(encoding="utf-8")
    assert [name for name in pictures.PICTURES if f"](pictures/{name})" not in text] == []
