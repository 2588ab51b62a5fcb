"""Pages of docs/ whose commands and sessions are run, and whose files and pictures are compared, to the digit."""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from sniffai.cli.group import COMMANDS
from tests.server.support import running_server
from tools import examples, pictures

DOCS = examples.ROOT / "docs"
TUTORIAL, SERVER = DOCS / "tutorial.md", DOCS / "how-to" / "run-a-server.md"
PAGES = [TUTORIAL, DOCS / "commands.md", DOCS / "play.md", DOCS / "speed.md", *sorted((DOCS / "how-to").glob("*.md"))]
SECONDS = 120

SMALLER = {
    "explain.md": {},
    "equity.md": {},
    "exploit.md": {"deals=400": "deals=1, simulations=20, worlds=8", "workers=2": "workers=1"},
    "bulk.md": {
        "LocalExecutor(workers=2)": "LocalExecutor(workers=1)",
        '"search:simulations=1000"': '"search:simulations=10", pairings=2',
        'a="search", b="policy", pairings=10_000': 'a="search:simulations=10", b="policy", pairings=2',
    },
}
"""By page with Python programs whose output it does not show: what stands there, and what does less."""


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


def test_the_page_of_commands_has_every_command() -> None:
    text = (DOCS / "commands.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `sniffai ([\w-]+)` \|", text, re.MULTILINE) == re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert sorted(re.findall(r"^## (.+)$", text, re.MULTILINE)) == sorted(COMMANDS)


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_a_picture_of_the_pages_is_up_to_date(name: str) -> None:
    assert pictures.drawn(name) == (pictures.FOLDER / name).read_text(encoding="utf-8")


def test_the_tutorial_shows_every_picture_of_its_round() -> None:
    text = TUTORIAL.read_text(encoding="utf-8")
    assert [name for name in pictures.PICTURES if f"](pictures/{name})" not in text] == []


@pytest.mark.parametrize("page", SMALLER)
def test_the_programs_of_a_page_run(page: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    programs = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    whole = "".join(programs)
    assert whole and ">>> " not in whole
    for old, new in SMALLER[page].items():
        assert old in whole
        whole = whole.replace(old, new)
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.chdir(tmp_path))
        if page == "bulk.md":
            server = stack.enter_context(running_server(jobs=True, slots=1))
            whole = whole.replace("10.0.0.7:50051,10.0.0.8:50051", server.address)
            first = whole.partition("import pyarrow")[0]
            assert server.address in whole and "contest.jsonl" in first
            exec(first.replace("contest.jsonl", "contest.parquet"), {})
        exec(whole, {})
    assert capsys.readouterr().out.count("\n") >= whole.count("print(")


def shell_lines(page: Path) -> list[str]:
    """The commands whose output a page does not show."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return "".join(blocks).splitlines()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_other_commands_of_a_page_exist(page: Path, tmp_path: Path) -> None:
    """A server that would serve until it is stopped says by ``config`` that it can.

    A match that would be played prints its help instead: an option that is not there is an error all the same.
    """
    authority = trustme.CA()
    certificate = authority.issue_cert("localhost", "127.0.0.1")
    certificate.cert_chain_pems[0].write_to_path(tmp_path / "server.pem")
    certificate.private_key_pem.write_to_path(tmp_path / "server-key.pem")
    for line in shell_lines(page):
        if line.startswith("make "):
            command, folder = line.replace("make", "make -n", 1), examples.ROOT
        elif line.startswith("sniffai-server "):
            command, folder = line.replace(" serve ", " config "), tmp_path
        elif line.startswith("sniffai play "):
            command, folder = f"{line} --help", tmp_path
        else:
            assert line in {". .venv/bin/activate", "npm --prefix examples/node ci"}
            continue
        done = examples.completed(command, examples.SHOWN_ADDRESS, SECONDS, folder)
        assert done.returncode == 0, done.stderr
