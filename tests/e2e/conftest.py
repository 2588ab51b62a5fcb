"""The real parts: Debian's Chromium, driven by Playwright."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tools.system_parts import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """A headless browser; each test opens a context of its own."""
    from playwright.sync_api import sync_playwright

    path = chromium()
    assert path is not None, "make e2e installs it"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])  # root has no sandbox
        yield started
        started.close()
