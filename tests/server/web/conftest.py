import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def no_fault_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Whatever a client does, the server takes none of it for a fault of its own."""
    yield
    assert [one.getMessage() for one in caplog.records if one.levelno >= logging.ERROR] == []
