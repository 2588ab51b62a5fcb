"""The web table looks as it does in the documents: pictures taken now against those in docs/pictures."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.e2e.web.pictures import FOLDER, difference, taken
from tests.e2e.web.served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MOST = 0.04
"""Share of a picture that may look otherwise: other fonts, and the numbers of a hint."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("served")) as server:
        yield server


def test_the_page_looks_as_in_the_documents(browser: "Browser", served: Served) -> None:
    """If a change of the page is meant, ``python -m tests.e2e.web.pictures`` takes the pictures again."""
    found = {name: difference(picture, kept(name)) for name, picture in taken(browser, served.url)}
    assert len(found) == 4
    assert {name: share for name, share in found.items() if share > MOST} == {}


def kept(name: str) -> bytes:
    return (FOLDER / f"{name}.png").read_bytes()


def test_pictures_of_other_tables_differ_by_more() -> None:
    """So the test above can fail: two views of the same page with other tiles on the table are told apart."""
    assert difference(kept("web-review"), kept("web-phone")) > 2 * MOST
    assert difference(kept("web-table"), kept("web-phone")) == 1.0
