"""The pages in docs/ and at the top: the index is whole, links lead somewhere, tables agree with the code.

Other tests execute README.md, docs/notation.md, docs/service.md and examples/README.md.
"""

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from sniffai import SearchParams
from sniffai.play.levels import named_player
from sniffai.rules import HAND_SIZE, PLAYERS, TALON_SIZE, TARGET

REASON = re.compile(r'"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|REQUIRED|UNREADABLE|UNFINISHED|CLAMPED|IGNORED)"')
"""How a source names a reason."""
OTHER_NAMES = re.compile(
    "(?:LINE|SIDE)_[AB]|(?:MIN|MAX|DEFAULT)_[A-Z]+|UNKNOWN_CA|WRONG_VERSION|INVALID_ARGUMENT|DEADLINE_EXCEEDED"
    "|RESOURCE_EXHAUSTED|FAILED_PRECONDITION|NOT_FOUND|GRPC_[A-Z_]+|RAY_[A-Z_]+"
)
"""Names of the same form: ports, constants, statuses of gRPC, words of OpenSSL, variables of Ray."""

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "examples").glob("*.md")])


def rows(page: Path, *columns: str) -> list[list[str]]:
    """The cells of the table with this head."""
    head = re.escape(f"| {' | '.join(columns)} |")
    table = re.search(rf"^{head}\n\|[-|: ]+\|\n((?:\|.*\n)+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert table is not None, f"{page} has no table {columns}"
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table[1].splitlines()]


def anchors(page: Path) -> set[str]:
    """What a link can name behind its #."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), target
        assert not anchor or anchor in anchors(linked), target


def test_the_index_and_the_navigation_of_the_site_name_every_page() -> None:
    """In the same order; `make docs` finds pages that the navigation leaves out."""
    linked = re.findall(r"\[([^]]+)\]\((.+?)\)", (DOCS / "README.md").read_text(encoding="utf-8"))
    site = (DOCS / "index.md").read_text(encoding="utf-8")
    trees = re.findall(r"^```\{toctree\}\n(?::.*\n)*((?:.+\n)+)```", site, re.MULTILINE)
    entries = re.findall(r"^(.+) <(.+)>$", "".join(trees), re.MULTILINE)
    assert linked == [(title, re.sub("^/", "../", name) + ".md") for title, name in entries]
    named = [name for _, name in linked]
    own = {page.name for page in DOCS.glob("*.md")} - {"README.md", "index.md"}
    assert own <= set(named)
    assert len(named) == len(set(named))


def test_the_search_page_has_every_parameter_with_its_default() -> None:
    table = rows(DOCS / "search.md", "parameter", "default", "range", "meaning")
    listed = [(name.strip("`"), default) for name, default, *_ in table]
    assert listed == [(field.name, str(field.default).removesuffix(".0")) for field in fields(SearchParams)]


def test_the_search_page_names_players_that_there_are() -> None:
    players = re.findall(r"search:[\w.,=]*\w", (DOCS / "search.md").read_text(encoding="utf-8"))
    assert players
    for player in players:
        named_player(player)


def test_the_rules_page_has_the_numbers_of_the_game() -> None:
    table = rows(DOCS / "rules.md", "seats", "teams", "tiles dealt to each", "talon", "target")
    listed = [(int(seats), int(hand), int(talon), int(target)) for seats, _, hand, talon, target in table]
    assert listed == [(n, HAND_SIZE[n], TALON_SIZE[n], TARGET[n]) for n in PLAYERS]


def glossary() -> list[list[str]]:
    """Term, meaning, Japanese and Chinese word of each row of the glossary."""
    lines = (DOCS / "glossary.md").read_text(encoding="utf-8").splitlines()
    cells = [re.split(r" (?<!\\)\| ", line.strip("| ")) for line in lines if re.match(r"\| (?!term )\w", line)]
    assert all(len(row) == 4 and all(row) for row in cells)
    return cells


def test_the_glossary_has_every_term_once() -> None:
    terms = [term for term, *_ in glossary()]
    assert len(terms) > 80
    assert len(set(terms)) == len(terms)


@pytest.mark.parametrize(
    "entry", json.loads((ROOT / "tests" / "data" / "glossary.json").read_text(encoding="utf-8")), ids=lambda e: e["en"]
)
def test_the_glossary_has_the_words_of_the_catalogues(entry: dict[str, str]) -> None:
    """Some row names the term and has the words that translations of messages must use for it."""
    english = {"seats \\{first\\}": "team"}.get(entry["en"], entry["en"].removesuffix("s"))
    assert any(
        re.search(rf"\b{english}", f"{term}: {meaning}", re.IGNORECASE)
        and re.search(entry["ja"], japanese)
        and re.search(entry["zh_Hans"], chinese)
        for term, meaning, japanese, chinese in glossary()
    )


def raised() -> set[str]:
    """Every reason that the library and the core can give, but for the command line, which gives none."""
    sources = [*ROOT.glob("sniffai/**/*.py"), *ROOT.glob("ext/**/*.pyx")]
    read = [path for path in sources if path.relative_to(ROOT).parts[1] not in ("v1", "cli")]
    named = {name for path in read for name in REASON.findall(path.read_text(encoding="utf-8"))}
    return {name for name in named if not OTHER_NAMES.fullmatch(name)}


def explained(page: str) -> list[str]:
    """The reasons that a page has in its tables."""
    text = (DOCS / page).read_text(encoding="utf-8").partition("## Reference")[0]
    return re.findall(r"^\| `([A-Z][A-Z0-9_]+)` \| [a-z]", text, re.MULTILINE)


def test_every_reason_is_explained_and_every_reason_explained_is_one() -> None:
    own, shared = explained("errors.md"), set(explained("service.md"))
    assert {"UNKNOWN_LANGUAGE", "NOT_A_NUMBER", "TILE_DOES_NOT_FIT"} <= raised()
    assert sorted(raised() - set(own) - shared) == []
    assert sorted(set(own) - raised()) == []
    assert len(own) == len(set(own))
    warnings = {"UNKNOWN_LANGUAGE", "UNKNOWN_FIELD"}
    assert set(own) & shared == warnings
