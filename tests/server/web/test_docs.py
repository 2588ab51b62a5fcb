"""docs/http.md: its curl commands, and its error, as a server answers them; all codes and reasons are on the page."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from connectrpc.code import Code

from sniffai_server.web.methods import Methods
from tests.server.support import LoopbackServer, running_server
from tests.server.web.client import call

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "http.md").read_text(encoding="utf-8")
CURL = [shlex.split(block.replace("\\\n", " ")) for block in re.findall(r"```sh\n(curl .*?)```", PAGE, re.DOTALL)]


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackServer]:
    with running_server(web_port=0) as running:
        yield running


def methods(server: LoopbackServer) -> Methods:
    assert server.server.web is not None
    return server.server.web.methods


@pytest.mark.parametrize("command", CURL, ids=lambda command: urlsplit(command[1]).path)
def test_a_command(server: LoopbackServer, command: list[str]) -> None:
    assert server.server.web is not None
    url, options = urlsplit(command[1]), list(zip(command[2::2], command[3::2], strict=True))
    assert (url.scheme, url.netloc) == ("http", "127.0.0.1:8080")
    headers = dict(value.split(": ") for option, value in options if option == "-H")
    (body,) = [value.encode() for option, value in options if option == "-d"] or [None]
    path = url.path.lstrip("/") + (f"?{url.query}" if url.query else "")
    answer = call(server.server.web.port, path, body, method="POST" if body else "GET", headers=headers)
    assert answer.status == 200, answer.body


def test_the_error(server: LoopbackServer) -> None:
    (shown,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert server.server.web is not None
    answer = call(server.server.web.port, "sniffai.v1.RulesService/DealRound", {"players": 7})
    assert answer.json == json.loads(shown)


def test_the_page_names_what_may_be_asked_by_get(server: LoopbackServer) -> None:
    sentence = PAGE.partition("may also be a GET")[2].partition("```")[0]
    reading = {method.info.name for method in methods(server).values() if method.reads_only}
    assert set(re.findall(r"`(\w+)`", sentence)) == reading


def test_the_page_has_each_code() -> None:
    shown = set(re.findall(r"`(\w+)`", PAGE.partition("| HTTP | `code` |")[2].partition("\n\n")[0]))
    assert shown == {code.value for code in Code} - {"canceled", "data_loss"}  # which no answer has


def test_each_reason_of_http_is_among_the_errors_of_the_service() -> None:
    errors = (DOCS / "service.md").read_text(encoding="utf-8").partition("## Errors")[2]
    room = Path(__file__).parents[3] / "server" / "sniffai_server" / "web"
    sources = "".join(path.read_text(encoding="utf-8") for path in room.glob("*.py"))
    reasons = set(re.findall(r'HttpRefusedError\(\s*"([A-Z_]+)"', sources))
    assert len(reasons) == 5
    assert reasons <= set(re.findall(r"`([A-Z_]+)`", errors))
