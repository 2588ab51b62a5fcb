"""The messages of the library and their catalogues. Run it by `make catalogues`.

It takes the messages out of the source, brings ``sniffai/locale/*/LC_MESSAGES/sniffai.po`` up to date and compiles
them.
A message that is new has an empty translation and makes the tests fail until a person fills it in; one that is gone is
removed.
"""

import io
import sys
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "sniffai" / "locale"
ROOMS = ("sniffai/cli", "sniffai/draw", "sniffai/explain", "sniffai/review")
KEYWORDS: dict[str, tuple[int, ...] | None] = {"say": None, "count": (1, 2), "marked": None}
"""The calls that hold messages: see ``sniffai/explain/languages.py``."""


def messages() -> Catalog:
    """Every message of the source, with the files that say it."""
    catalogue = Catalog(project="sniffai", charset="utf-8")
    for room in ROOMS:
        extracted = extract_from_dir(ROOT / room, method_map=[("**.py", "python")], keywords=KEYWORDS)
        for file, line, message, comments, context in sorted(extracted, key=lambda entry: entry[:2]):
            catalogue.add(message, None, [(f"{room}/{file}", line)], auto_comments=comments, context=context)
    return catalogue


def catalogue_files() -> list[Path]:
    """The ``.po`` file of each language."""
    return sorted(LOCALE.glob("*/LC_MESSAGES/sniffai.po"))


def read_catalogue(file: Path) -> Catalog:
    """What is in a ``.po`` file."""
    with file.open("rb") as opened:
        return read_po(opened, locale=file.parts[-3])


def po_bytes(catalogue: Catalog) -> bytes:
    """The text of a ``.po`` file."""
    written = io.BytesIO()
    write_po(written, catalogue, width=100, sort_by_file=True, ignore_obsolete=True, include_lineno=False)
    return written.getvalue()


def mo_bytes(catalogue: Catalog) -> bytes:
    """The compiled form."""
    written = io.BytesIO()
    write_mo(written, catalogue)
    return written.getvalue()


def update(file: Path) -> int:
    """Bring one catalogue up to date; how many messages still want a translation."""
    catalogue = read_catalogue(file)
    catalogue.update(messages(), no_fuzzy_matching=True, update_creation_date=False)
    file.write_bytes(po_bytes(catalogue))
    file.with_suffix(".mo").write_bytes(mo_bytes(read_catalogue(file)))
    return sum(1 for message in catalogue if message.id and not is_translated(message.string))


def is_translated(string: object) -> bool:
    """Whether a translation is there, in every form."""
    return all(string) if isinstance(string, (tuple, list)) else bool(string)


def main() -> None:
    """Update every catalogue; exit 1 where a translation is missing."""
    missing = {file.parts[-3]: update(file) for file in catalogue_files()}
    for language, count in missing.items():
        print(f"{language}: {count} messages without a translation")
    sys.exit(1 if any(missing.values()) else 0)


if __name__ == "__main__":
    main()
