from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from tests.server.support import LoopbackServer, much_for_the_answer, running_server, stubs_of

__all__ = ["much_for_the_answer"]


@pytest.fixture(scope="session")
def server() -> Iterator[LoopbackServer]:
    with running_server() as running:
        yield running


@pytest.fixture(scope="session")
def stubs(server: LoopbackServer) -> Iterator[SimpleNamespace]:
    with stubs_of(server.address) as calls:
        yield calls
