"""The file of a match at the terminal: written after every change, so that a match outlives its terminal."""

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

import click

from sniffai.cli.output import NOT_WRITTEN, Output, kept
from sniffai.cli.parts import BadInput
from sniffai.cli.signs import complain
from sniffai.cli.terminal import tell_folded
from sniffai.explain.languages import Words
from sniffai.play.table import Table

FILE_NAME: Final = "sniffai{number}.match"
"""Where a match is saved whose player names no file."""


class Keeper(Protocol):
    """Keeps a match."""

    status: int
    """The exit status: 0, or 1 if the match could not be kept."""

    def begin(self) -> None:
        """Say where the match is kept, before it begins."""
        ...

    def changed(self) -> None:
        """Keep the match after a change."""
        ...

    def save(self, path: str) -> None:
        """Keep the match because its player asks for it, and say how to go on.

        :param path: the file that the player names; empty for the one that it has.
        """
        ...

    def leave(self) -> None:
        """Keep the match where nobody can be told any more."""
        ...


def save_new(text: str, path: str, say: Words) -> int:
    """Save a text in a new file, and say where. Returns the exit status.

    :param path: as the user named it; empty for a new name.
    """
    output = _named(path, None, say) if path else _new_output()
    if output is None:
        if path:  # another name may do
            return 0
        tell_folded(say.say("no folder takes a file"))
        return NOT_WRITTEN
    status = output.write(text)
    if not status:
        tell_folded(say.say("Saved: {file}", file=output.path))
    return status


class Saver:
    """Keeps a match of this process in a file.

    :param path: of the file, as the user named it; a new file in this folder if not given.
    :raises BadInput: the named file cannot be written.
    """

    def __init__(self, table: Table, path: str | None, say: Words) -> None:
        self.table, self._say = table, say
        self._output = _new_output() if path is None else Output(path, "--save")
        self._failed: str | None = None
        """Why the last change was not saved."""
        self.status = 0

    def begin(self) -> None:
        """See :class:`Keeper`."""
        self.changed()
        if self._output is not None and self._failed is None:
            tell_folded(self._say.say("Saved after each move: {file}", file=self._output.path))

    def changed(self) -> None:
        """See :class:`Keeper`. Where it cannot be saved, the match goes on, and a line says so once."""
        why = self._say.say("no folder takes a file") if self._output is None else self._output.replace(self._text())
        if why is not None and why != self._failed:
            tell_folded(self._say.say("The match goes on, but is not saved: {reason}.", reason=why))
        self._failed = why

    def save(self, path: str) -> None:
        """See :class:`Keeper`."""
        if path and not self._chosen(path):
            return
        self.leave()
        if self.status or self._output is None:
            return
        if self.table.record() is not None:
            tell_folded(self._say.say("Saved: {file}", file=self._output.path))
        else:
            tell_folded(self._say.say("Saved. To go on: sniffai play --resume {file}", file=self._output.path))

    def leave(self) -> None:
        """See :class:`Keeper`. Where the file cannot be written, another one is, and standard error says which."""
        if self._output is not None:
            self.status = self._output.write(self._text())
        else:
            self.status = NOT_WRITTEN
            complain(kept(FILE_NAME.format(number=""), self._text().encode()))

    def _text(self) -> str:
        return self.table.saved() or ""

    def _chosen(self, path: str) -> bool:
        """Whether a file is one that the match may be saved into."""
        output = _named(path, self._output, self._say)
        self._output = output or self._output
        return output is not None


def _named(path: str, own: Output | None, say: Words) -> Output | None:
    """The file that the player names; ``None``, and a line that says why, if it cannot be used.

    :param own: may be written again.
    """
    if Path(path).exists() and (own is None or Path(path) != Path(own.path)):
        tell_folded(say.say("{file} is there already: name another file.", file=path))
        return None
    try:
        return Output(path, "--save")
    except click.ClickException as error:
        tell_folded(error.format_message())
        return None


def check_new(path: str) -> None:
    """:raises BadInput: a new match is to be saved into a file that is there already."""
    if Path(path).is_file():
        raise BadInput(f"{path} is there already: name another file, or go on with it by --resume")


def _new_output() -> Output | None:
    """A new, empty file: in this folder, else where the user may write."""
    numbers = ("", *(f"-{number}" for number in range(2, 10_000)))
    for folder in (Path(), Path.home(), Path(tempfile.gettempdir())):
        for path in (folder / FILE_NAME.format(number=number) for number in numbers):
            try:
                path.open("x").close()
            except FileExistsError:
                continue
            except OSError:
                break
            with suppress(click.ClickException):
                return Output(str(path), "--save")
    return None
