"""API keys: a file with one table for each client, which holds salted hashes instead of the keys.

A key is 256 random bits and cannot be guessed, so one round of SHA-256 is as safe as a slow hash.
"""

import errno
import fcntl
import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from io import FileIO
from pathlib import Path
from typing import Any, Final

from sniffai.checks import shown
from sniffai_server.calls.callers import Caller, Priority
from sniffai_server.calls.refusals import KeyRefusedError
from sniffai_server.config import toml_value
from sniffai_server.files import check_regular, decode, read_file, read_toml
from sniffai_server.settings import Settings

KEY_BYTES: Final = 32
KEY_PREFIX: Final = "sniffai_"
"""The prefix of every key, by which scanners recognize leaked ones."""
SALT_BYTES: Final = 16
SCHEME: Final = "sha256"
NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
HASH: Final = re.compile(rf"{SCHEME}:[0-9a-f]{{{2 * SALT_BYTES}}}:[0-9a-f]{{64}}")
MOST_WEIGHT: Final = 100
PRIORITIES: Final = {priority.name.lower(): priority for priority in Priority}


class KeysError(Exception):
    """A keys file that cannot be used; ``str()`` names the file and the entry."""


@dataclass(frozen=True, slots=True)
class Key:
    """One client's entry."""

    caller: Caller
    salt: bytes
    digest: bytes
    expires: date | None
    """The day (UTC) from which the key is no longer accepted; ``None`` if it does not expire."""

    def fits(self, key: str) -> bool:
        """Whether this is the entry of a key, compared in constant time."""
        return hmac.compare_digest(self.digest, digest_of(key, self.salt))


class Keys:
    """The keys of a file, read again whenever it changes. If the new file is invalid, the old keys stay in force.

    :param file: the file's path.
    :param settings: the quotas of entries that set none.
    :raises KeysError: the file cannot be used.
    """

    name: Final = "keys"
    """The name of this file in the log and the metrics."""

    def __init__(self, file: Path, settings: Settings) -> None:
        self._file = file
        self._settings = settings
        self._stamp = _stamp(file)
        self._keys = read_keys(file, settings)

    def caller_of(self, key: str) -> Caller:
        """The client of a key. Every entry is compared, even after a match, so that the time tells nothing.

        :raises KeyRefusedError: the key is unknown or has expired.
        """
        match = None
        for entry in self._keys:
            if entry.fits(key):
                match = entry
        if match is None:
            raise KeyRefusedError("KEY_UNKNOWN", "the API key is unknown")
        if match.expires is not None and datetime.now(UTC).date() >= match.expires:
            raise KeyRefusedError("KEY_EXPIRED", "the API key has expired")
        return match.caller

    def refresh(self, *, force: bool = False) -> str:
        """Read the file again if it has changed; returns what is in force now, empty if nothing has changed.

        :param force: read it and return what is in force in any case.
        :raises KeysError: it has changed and cannot be used; raised once for each change.
        """
        stamp = _stamp(self._file)
        if stamp == self._stamp and not force:
            return ""
        self._stamp = stamp
        before = {key.caller.name: key for key in self._keys}
        self._keys = read_keys(self._file, self._settings)
        after = {key.caller.name: key for key in self._keys}
        changes = {
            "added": after.keys() - before.keys(),
            "removed": before.keys() - after.keys(),
            "changed": {name for name in after.keys() & before.keys() if after[name] != before[name]},
        }
        parts = [f"{word} {', '.join(sorted(names))}" for word, names in changes.items() if names]
        return f"{len(after)} API keys, {'; '.join(parts) or 'unchanged'}"


def make_key() -> str:
    """A new key."""
    return KEY_PREFIX + secrets.token_urlsafe(KEY_BYTES)


def entry_of(name: str, key: str, options: Mapping[str, str | int | bool]) -> str:
    """The TOML table of a new key.

    :param name: the client's name, 1 to 64 letters, digits, ``_`` and ``-``.
    :param options: ``priority``, ``calls``, ``rate``, ``weight`` and ``jobs``, if they differ from the default.
    :raises KeysError: the name is invalid.
    """
    if not NAME.fullmatch(name):
        raise KeysError(f"a name of 1 to 64 letters, digits, _ and - is expected, not {shown(name)}")
    salt = secrets.token_bytes(SALT_BYTES)
    lines = [f"[{name}]", f'hash = "{SCHEME}:{salt.hex()}:{digest_of(key, salt).hex()}"']
    for option, value in options.items():
        lines.append(f"{option} = {toml_value(value)}")
    return "\n".join(lines)


def add_entry(file: Path, name: str, entry: str, settings: Settings) -> None:
    """Append a client's table to a file. A new file is readable by its owner only.

    The file is locked, so several processes may append at once. Existing text is checked and never changed: the table
    is appended as a whole or not at all.

    :raises KeysError: the file cannot be read or written, is not a keys file, or has an entry of that name.
    """
    try:
        with open(file, "a+b", buffering=0, opener=_open) as stored:
            check_regular(os.fstat(stored.fileno()).st_mode)
            fcntl.flock(stored, fcntl.LOCK_EX)
            stored.seek(0)
            text = stored.read()
            if any(key.caller.name == name for key in _keys_of(text, file, settings)):
                raise KeysError(
                    f"file {file}: {name} already has an entry: choose another name, or remove the entry first"
                )
            _append(stored, text, entry)
    except OSError as error:
        raise KeysError(f"file {file}: {error.strerror}") from None


def _open(path: str, flags: int) -> int:
    """Open a file for its owner only, without waiting if it is a pipe."""
    return os.open(path, flags | os.O_NONBLOCK, 0o600)


def _append(stored: FileIO, text: bytes, entry: str) -> None:
    """Append a table to a file's text. If the disk is full, the text stays as it was."""
    gap = b"" if not text else b"\n" if text.endswith(b"\n") else b"\n\n"
    piece = gap + entry.encode() + b"\n"
    try:
        if stored.write(piece) != len(piece):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(stored.fileno())
    except OSError:
        stored.truncate(len(text))
        raise


def digest_of(key: str, salt: bytes) -> bytes:
    """The salted hash of a key."""
    return hashlib.sha256(salt + key.encode(errors="replace")).digest()


def read_keys(file: Path, settings: Settings) -> tuple[Key, ...]:
    """The entries of a file.

    :raises KeysError: the file cannot be read, or an entry is invalid.
    """
    try:
        text = read_file(file)
    except OSError as error:
        raise KeysError(f"file {file}: {error.strerror}") from None
    return _keys_of(text, file, settings)


def _keys_of(text: bytes, file: Path, settings: Settings) -> tuple[Key, ...]:
    """The entries of a file's text.

    :raises KeysError: an entry is invalid; ``str()`` names the file.
    """
    try:
        tables = read_toml(decode(text))
    except ValueError as error:
        raise KeysError(f"file {file}: {error}") from None
    try:
        return tuple(_key(name, table, settings) for name, table in tables.items())
    except KeysError as error:
        raise KeysError(f"file {file}: {error}") from None


def _key(name: str, table: Any, settings: Settings) -> Key:
    if not NAME.fullmatch(name):
        raise KeysError(f"{shown(name)}: a name has 1 to 64 letters, digits, _ and -")
    if not isinstance(table, dict):
        raise KeysError(f"{name}: a table is expected, such as [{name}] with hash = ...")
    if unknown := table.keys() - {"hash", "priority", "calls", "rate", "weight", "jobs", "expires"}:
        raise KeysError(f"{name}: unknown entry {shown(min(unknown))}")
    if not isinstance(table.get("hash"), str) or not HASH.fullmatch(table["hash"]):
        raise KeysError(f"{name}.hash: the line that `sniffai-server key` printed is expected")
    priority = table.get("priority", "interactive")
    if priority not in PRIORITIES:
        raise KeysError(f"{name}.priority: one of {', '.join(PRIORITIES)} is expected")
    caller = Caller(
        name,
        PRIORITIES[priority],
        _quota(name, "calls", table, settings.client_calls),
        _quota(name, "rate", table, settings.client_rate),
        _weight(name, table),
        _jobs(name, table),
        known=True,
    )
    _, salt, digest = table["hash"].split(":")
    return Key(caller, bytes.fromhex(salt), bytes.fromhex(digest), _expiry(name, table))


def _quota(name: str, entry: str, table: Mapping[str, Any], default: int) -> int:
    value = table.get(entry, default)
    if type(value) is not int or not 0 <= value <= 1_000_000:
        raise KeysError(f"{name}.{entry}: a whole number in 0..1,000,000 is expected")
    return value


def _weight(name: str, table: Mapping[str, Any]) -> int:
    value = table.get("weight", 1)
    if type(value) is not int or not 1 <= value <= MOST_WEIGHT:
        raise KeysError(f"{name}.weight: a whole number in 1..{MOST_WEIGHT} is expected")
    return value


def _jobs(name: str, table: Mapping[str, Any]) -> bool:
    value = table.get("jobs", False)
    if type(value) is not bool:
        raise KeysError(f"{name}.jobs: true or false is expected")
    return value


def _expiry(name: str, table: Mapping[str, Any]) -> date | None:
    value = table.get("expires")
    if value is not None and type(value) is not date:
        raise KeysError(f"{name}.expires: a day such as 2030-01-31 is expected")
    return value


def _stamp(file: Path) -> tuple[int, ...]:
    """Attributes that differ if the file has changed."""
    try:
        status = file.stat()
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
