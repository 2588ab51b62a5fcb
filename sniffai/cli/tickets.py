"""What a player keeps of matches on servers: tokens, in files that nobody else can read.

They lie in the state folder of the user, by the address of the server, so that no token goes to another server.
"""

import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from sniffai.addresses import read_address
from sniffai.cli.parts import BadInput
from sniffai.errors import NotationError
from sniffai.records import strict_json

MATCH_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What may be part of a file's name."""
SECRET: Final = re.compile(r"[A-Za-z0-9_-]{16,256}")
LONGEST_NAME: Final = 100
PLAYER: Final = "player.json"


@dataclass(frozen=True, slots=True)
class Ticket:
    """One seat at a match."""

    match_id: str
    seat: int
    seat_token: str = ""
    """Empty until the seat is taken."""
    invitation: str = ""
    """To this seat, until it is taken."""
    others: dict[str, str] = field(default_factory=dict)
    """The invitations of other people, by seat."""

    @property
    def name(self) -> str:
        """Of its file."""
        return f"{self.match_id}-{self.seat}.json"


def state_folder() -> Path:
    """Where programs of this user keep what they need later."""
    home = os.environ.get("XDG_STATE_HOME", "")
    return (Path(home) if os.path.isabs(home) else Path.home() / ".local" / "state") / "sniffai" / "seats"


class Tickets:
    """The tickets of one server.

    :param address: of the server.
    """

    def __init__(self, address: str) -> None:
        target = read_address(address).target
        name = quote(target, safe="")
        self._folder = state_folder() / (name if len(name) <= LONGEST_NAME else sha256(target.encode()).hexdigest())

    def player_token(self) -> str:
        """The token of this player; empty if there is none yet.

        :raises BadInput: its file cannot be read.
        """
        path = self._folder / PLAYER
        return _text(_read(path), "player_token", SECRET, path) if path.exists() else ""

    def keep_player(self, token: str) -> None:
        """Keep the token of this player.

        :raises OSError: it cannot be written.
        """
        self._write(PLAYER, {"player_token": token})

    def keep(self, ticket: Ticket) -> None:
        """Keep a ticket: all of it is on the disk, or the one before.

        :raises OSError: it cannot be written.
        """
        self._write(ticket.name, asdict(ticket))

    def find(self, match_id: str, seat: int | None) -> Ticket:
        """The ticket to a match.

        :param seat: for a player who has several.
        :raises BadInput: there is none, or several; or its file cannot be read.
        """
        if not MATCH_ID.fullmatch(match_id):
            raise BadInput("--resume: with --server, the id of a match is expected; --list shows yours")
        tickets = [ticket for ticket in self._of(match_id) if seat in (None, ticket.seat)]
        if not tickets:
            raise BadInput(f"--resume: no seat at match {match_id} is kept here; --list shows yours")
        if len(tickets) > 1:
            raise BadInput(f"--resume: you have several seats at match {match_id}: name one by --seat")
        return tickets[0]

    def seats(self, match_id: str) -> list[int]:
        """The seats whose tickets are kept."""
        return [ticket.seat for ticket in self._of(match_id)] if MATCH_ID.fullmatch(match_id) else []

    def _of(self, match_id: str) -> Iterator[Ticket]:
        for seat in range(4):
            path = self._folder / Ticket(match_id, seat).name
            if path.exists():
                yield _ticket(_read(path), path)

    def _write(self, name: str, fields: dict[str, Any]) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        number, part = tempfile.mkstemp(dir=self._folder, prefix=f".{name}.")  # nobody else can read it
        try:
            with open(number, "w", encoding="utf-8") as file:
                json.dump(fields, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, self._folder / name)
        except BaseException:
            with suppress(OSError):
                os.unlink(part)
            raise


def _read(path: Path) -> dict[str, Any]:
    try:
        value = strict_json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from None
    except (NotationError, ValueError, RecursionError):
        raise _damaged(path) from None
    if not isinstance(value, dict):
        raise _damaged(path)
    return value


def _ticket(fields: dict[str, Any], path: Path) -> Ticket:
    seat, others = fields.get("seat"), fields.get("others")
    if type(seat) is not int or not isinstance(others, dict) or path.name != f"{fields.get('match_id')}-{seat}.json":
        raise _damaged(path)
    return Ticket(
        _text(fields, "match_id", MATCH_ID, path),
        seat,
        _text(fields, "seat_token", SECRET, path) if fields.get("seat_token") else "",
        _text(fields, "invitation", SECRET, path) if fields.get("invitation") else "",
        {name: _text(others, name, SECRET, path) for name in others if name in ("0", "1", "2", "3")},
    )


def _text(fields: dict[str, Any], name: str, form: re.Pattern[str], path: Path) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not form.fullmatch(value):
        raise _damaged(path)
    return value


def _damaged(path: Path) -> BadInput:
    return BadInput(f"{path}: the file is damaged: {path.name} was not written by sniffai play")
