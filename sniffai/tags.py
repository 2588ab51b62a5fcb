"""Tags of record files, ``[Name "text"]``: see docs/notation.md."""

import re
from collections.abc import Iterable
from typing import Final

_NAME: Final = r'[^\s"\[\]#\\]{1,100}'
_TAG: Final = re.compile(rf'\[({_NAME})\s+"((?:[^"\\]|\\["\\])*)"\s*\]\s*(?:#.*)?')
_TAG_NAME: Final = re.compile(_NAME)


def read_tag(line: str) -> tuple[str, str] | None:
    """Name and text of a line that is a tag, without white space around it."""
    match = _TAG.fullmatch(line)
    return None if match is None else (match[1], re.sub(r"\\(.)", r"\1", match[2]))


def fits_tag(name: str, text: str) -> bool:
    """Whether a line can hold this tag."""
    return _TAG_NAME.fullmatch(name) is not None and len(text.splitlines()) <= 1 and not text.endswith("\n")


def tag_lines(tags: Iterable[tuple[str, str]]) -> list[str]:
    """Tags that fit as lines."""
    return [f'[{name} "{_quoted(text)}"]' for name, text in tags]


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
