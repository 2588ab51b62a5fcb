"""Files that an operator names, read without ever blocking."""

import codecs
import errno
import os
import re
import stat
import tomllib
from pathlib import Path
from typing import Any, Final

from sniffai.checks import shown

MOST_BYTES: Final = 16 << 20
"""More than any file of keys or certificates needs."""
PLACE: Final = re.compile(r"\(at line ([0-9]+), column ([0-9]+)\)")
"""The place of an error in a message of ``tomllib``."""
KINDS: Final = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFDIR: "a directory",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


class TextError(ValueError):
    """Bytes that are not text; ``str()`` says why and in which line."""


def read_file(file: Path) -> bytes:
    """The content of a regular file.

    Pipes and devices are refused, because reading them could block or never end.

    :raises OSError: it cannot be read, is not a regular file, or has more than 16 MiB; ``strerror`` says which.
    """
    check_regular(os.stat(file).st_mode)
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as opened:
        check_regular(os.fstat(descriptor).st_mode)
        content = opened.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"the file has more than {MOST_BYTES:,} bytes")
    return content


def check_regular(mode: int) -> None:
    """Refuse anything but a regular file.

    :param mode: of the file, from ``os.stat``.
    :raises OSError: it is a pipe, a directory or the like.
    """
    if not stat.S_ISREG(mode):
        kind = KINDS.get(stat.S_IFMT(mode), "something else")
        raise OSError(errno.EINVAL, f"a regular file is expected, not {kind}")


def decode(content: bytes) -> str:
    """The text of a file in UTF-8, with or without a byte order mark; line ends become newlines.

    :raises TextError: it is not UTF-8.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise TextError("UTF-8 text is expected, not UTF-16")
    if b"\0" in content:
        line = content.count(b"\n", 0, content.index(b"\0")) + 1
        raise TextError(f"line {line}: UTF-8 text is expected; this file contains NUL bytes, as UTF-16 does")
    try:
        return re.sub(r"\r\n?", "\n", content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise TextError(f"line {line}: UTF-8 text is expected, not the byte 0x{content[error.start]:02x}") from None


def read_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text.

    :raises TextError: it is not TOML.
    """
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise TextError("the file is nested too deeply") from None
    except ValueError as error:
        raise TextError(f"{error}{_foreign_sign(text, str(error))}") from None


def _foreign_sign(text: str, fault: str) -> str:
    """A note on the character at which TOML fails, if it only looks right, such as a full-width digit."""
    place = PLACE.search(fault)
    line = text.split("\n")[int(place[1]) - 1] if place else ""
    sign = line[int(place[2]) - 1 : int(place[2])] if place else ""
    return "" if sign.isascii() else f": {shown(sign)} is not allowed there"
