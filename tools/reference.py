"""Write the reference part of docs/service.md from the comments of proto/sniffai/v1. Run it by `make proto`.

With --check nothing is written: a page that is not what would be written is an error.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "service.md"
BEGIN, END = "<!-- The reference begins: made by `make proto`. -->", "<!-- The reference ends. -->"
BLOCK = re.compile(r"(message|enum|service|oneof) (\w+) \{(\})?")
FIELD = re.compile(r"(optional |repeated )?([\w.]+) (\w+) = (\d+)")
VALUE = re.compile(r"([A-Z][A-Z0-9_]+) = \d+")
RPC = re.compile(r"rpc (\w+)\((\w+)\) returns \((stream )?(\w+)\)")
ORDER = ("analysis_service", "rules_service", "engine_service")


@dataclass
class Entry:
    """A field, a value or an RPC."""

    name: str
    kind: str
    text: str


@dataclass
class Block:
    """A message, an enum or a service."""

    kind: str
    name: str
    text: str
    entries: list[Entry] = field(default_factory=list)


def blocks(text: str) -> Iterator[Block]:
    """Read one .proto file: each block with its comments."""
    block, said, oneof = None, [], ""
    for whole in text.splitlines():
        line = whole.strip()
        if line.startswith("//"):
            said.append(line.removeprefix("//").strip())
            continue
        opened = BLOCK.match(line)
        if opened and opened[1] == "oneof":
            oneof = opened[2]
        elif opened:
            block = Block(opened[1], opened[2], " ".join(said))
        elif line == "}" and oneof:
            oneof = ""
        elif block and (entry := read_entry(line, " ".join(said), oneof)):
            block.entries.append(entry)
        elif block and whole == "}":  # an indented one ends the options of an RPC
            yield block
            block = None
        if block and opened and opened[3]:
            yield block
            block = None
        said = []


def read_entry(line: str, said: str, oneof: str) -> Entry | None:
    """Return what a line declares, None where it declares nothing."""
    if match := RPC.match(line):
        return Entry(match[1], f"{match[2]} → {match[3] or ''}{match[4]}", said)
    if match := FIELD.match(line):
        kind = f"{match[1] or ''}{match[2].rpartition('.')[2]}" + (f", one of {oneof}" if oneof else "")
        return Entry(match[3], kind, said)
    if match := VALUE.match(line):
        return Entry(match[1], "", said.removeprefix(f"{match[1]}: "))
    return None


def shown(block: Block) -> str:
    """Return a block as Markdown."""
    lines = [f"#### {block.name}", "", cell(block.text), ""]
    if block.kind == "enum":
        lines += ["| value | meaning |", "|---|---|"]
        lines += [f"| `{entry.name}` | {cell(entry.text)} |" for entry in block.entries]
    elif block.entries:
        lines += ["| field | type | meaning |", "|---|---|---|"]
        lines += [f"| `{entry.name}` | {entry.kind} | {cell(entry.text)} |" for entry in block.entries]
    return "\n".join(lines).rstrip() + "\n"


def cell(text: str) -> str:
    """Return text that a table can hold."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def reference(folder: Path) -> str:
    """Return the whole reference: services first, then messages and enums by file."""
    files = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.proto"))}
    names = [*ORDER, *(name for name in files if name not in ORDER)]
    declared = [block for name in names for block in blocks(files[name])]
    parts = ["### RPCs\n", "| service | RPC | messages | meaning |", "|---|---|---|---|"]
    for block in (block for block in declared if block.kind == "service"):
        parts += [f"| `{block.name}` | `{rpc.name}` | {rpc.kind} | {cell(rpc.text)} |" for rpc in block.entries]
    for title, kind in (("Messages", "message"), ("Enums", "enum")):
        parts += [f"\n### {title}\n", *(shown(block) for block in declared if block.kind == kind)]
    return "\n".join(parts).rstrip() + "\n"


def page_with(page: str, made: str) -> str:
    """Return the page with the reference between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{made}\n{END}{after}"


def main() -> None:
    """Write the reference, or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only")
    arguments = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    if BEGIN not in page or END not in page:
        sys.exit(f"{PAGE.name} has no marks for the reference")
    fresh = page_with(page, reference(ROOT / "proto" / "sniffai" / "v1"))
    if not arguments.check:
        PAGE.write_text(fresh, encoding="utf-8")
    elif fresh != page:
        sys.exit("docs/service.md is not what proto/ gives; run `make proto` and commit")


if __name__ == "__main__":
    main()
