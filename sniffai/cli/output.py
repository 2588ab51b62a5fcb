"""Files that commands write: checked before the work begins, and never lost when it is done."""

import os
import stat
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import click

from sniffai.cli.parts import BadInput
from sniffai.cli.signs import complain

NOT_WRITTEN: Final = 1
"""The exit status if a result could not be written to the named file."""


class Output:
    """A file to be written at the end of a command.

    :param path: as the user named it.
    :param option: such as ``"--out"``, for messages.
    :param sources: what the command reads: files, which are not to be overwritten, ``"-"`` or text.
    :param endings: how the name may end, such as ``(".npz",)``; any way where there is none.
    :param others: the other files of the command by option: what it writes besides, and what it reads for its work.
    :raises BadParameter: the name ends otherwise, is none, or is that of a file that is read or that another option
        names.
    :raises BadInput: the file cannot be written; nothing has been computed so far.
    """

    def __init__(
        self,
        path: str,
        option: str,
        *endings: str,
        sources: Sequence[str] = (),
        others: Mapping[str, str] | None = None,
    ) -> None:
        self.path = path
        if path in ("", "-"):
            message = "the name of a file is expected; standard output is /dev/stdout" if path else "the name is empty"
            raise click.BadParameter(message, param_hint=option)
        if endings and Path(path).suffix.lower() not in endings:
            raise click.BadParameter(f"the name of the file ends in {' or '.join(endings)}", param_hint=option)
        try:
            for source in sources:
                if os.path.exists(source) and Path(path).is_file() and Path(path).samefile(source):
                    raise click.BadParameter(f"{path} is the input; name another file to write", param_hint=option)
            for other, name in (others or {}).items():
                if _same_place(Path(path), Path(name)):
                    message = f"{path} is the file of {other}; name another file to write"
                    raise click.BadParameter(message, param_hint=option)
            self._check()
        except (OSError, ValueError) as error:
            raise BadInput(f"{path}: {_why(error)}") from None

    @property
    def ending(self) -> str:
        """``".npz"``, in small letters."""
        return Path(self.path).suffix.lower()

    def write(self, data: bytes | str) -> int:
        """Write the result, all of it or nothing.

        Where it cannot be written, it goes into another file, and a line on standard error says which.

        :return: the exit status.
        """
        encoded = data.encode("utf-8", "backslashreplace") if isinstance(data, str) else data
        try:
            self._write(encoded)
        except OSError as error:
            complain(f"{self.path}: {_why(error)}; {kept(Path(self.path).name, encoded)}")
            return NOT_WRITTEN
        return 0

    def replace(self, data: str) -> str | None:
        """Write what the file is to hold now, all of it or nothing. Returns why it cannot be written."""
        try:
            self._write(data.encode())
        except OSError as error:
            return f"{self.path}: {_why(error)}"
        return None

    def _check(self) -> None:
        named = Path(self.path)
        if named.is_dir() or self.path.endswith(os.sep):
            raise IsADirectoryError("Is a directory")
        if named.exists() and not os.access(named, os.W_OK):
            raise PermissionError("Permission denied")
        if _replaced(named):
            _beside(_target(named)).unlink()

    def _write(self, data: bytes) -> None:
        named = Path(self.path)
        if not _replaced(named):
            named.write_bytes(data)
            return
        target = _target(named)
        part = _beside(target)
        try:
            with part.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                part.chmod(stat.S_IMODE(target.stat().st_mode))
            part.replace(target)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise


def kept(name: str, data: bytes) -> str:
    """Keep a result that could not be written where it should be.

    :param name: of the file that it was for.
    :return: where it is now, in words.
    """
    for folder in (Path.cwd, lambda: Path(tempfile.gettempdir()), Path.home):
        with suppress(OSError, RuntimeError):
            path = folder() / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-{name}"
            with path.open("xb") as file:
                try:
                    file.write(data)
                    file.flush()
                except OSError:
                    path.unlink()
                    raise
            return f"the result is in {path}"
    return "the result could not be saved anywhere"


def _same_place(path: Path, other: Path) -> bool:
    """Whether two names stand for one file, by whatever way, or the first for one inside a folder that the other is.

    None of them needs to be there yet.
    """
    place, taken = _target(path), _target(other)
    if place == taken or taken in place.parents:
        return True
    return path.is_file() and other.is_file() and path.samefile(other)  # a hard link, or capital letters


def _target(named: Path) -> Path:
    """The file itself if a link is named."""
    return Path(os.path.realpath(named))


def _replaced(named: Path) -> bool:
    """Whether the file is replaced by a new one: every plain file in a folder that takes new files is.

    A device, a pipe, or a file in a folder that takes no new files is written directly.
    """
    if not named.exists():
        return True
    plain = named.is_file() and named.absolute().parts[1:2] not in (("dev",), ("proc",))
    return plain and os.access(_target(named).parent, os.W_OK)


def _beside(target: Path) -> Path:
    """A new, empty file in the same folder."""
    for number in range(100):
        part = target.with_name(f".{target.name[:200]}.{os.getpid()}-{number}.part")
        with suppress(FileExistsError):
            os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
            return part
    raise FileExistsError("File exists")


def _why(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
