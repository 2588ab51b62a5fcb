"""A process that does jobs for a server, one after the other: ``python -m sniffai_server.jobs.worker``.

It says that it is ready, then reads specs from a connection and writes an answer to each: one byte that says what it
is, then text. What a job asks
for comes from another machine, so the process has little: no files but the package's own, no network, a limit of
memory. It ends with the server, however that ends.
"""

import json
import os
import resource
import sys
import sysconfig
import threading
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from sniffai.errors import LimitsError, SniffError
from sniffai.jobs import JobSpec, engine_version, run_job
from sniffai_server.children import end_with_server

RESULT: Final = b"R"
"""The result of the job follows, as JSON."""
REJECTED: Final = b"E"
"""The job is wrong: class, message, reason and field of the error follow, as JSON."""
NO_MEMORY: Final = b"M"
"""The job needs more memory than the process may have, or its result is too large."""
FAULT: Final = b"F"
"""A fault of the engine: the traceback follows."""

MOST_RESULT: Final = 64 << 20
"""Maximum size of a result, in bytes."""
READS: Final = os.O_RDONLY
REFUSED: Final = (
    "socket.",
    "subprocess.",
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.kill",
    "os.link",
    "os.mkdir",
    "os.posix_spawn",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.spawn",
    "os.symlink",
    "os.system",
    "os.truncate",
    "shutil.",
)
"""The beginnings of what Python calls the deeds that no job needs (its audit events)."""


def main(descriptors: tuple[int, int], memory: int) -> None:
    """Do jobs until the server closes the connection.

    :param descriptors: the connection, and a pipe that ends when the server does.
    :param memory: bytes of data that the process may have.
    """
    connection, lifeline = descriptors
    _end_with_server(lifeline)
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    engine_version()
    fence()
    with Connection(connection) as server:
        server.send_bytes(b"")
        while True:
            try:
                text = server.recv_bytes()
            except EOFError:
                return
            server.send_bytes(answer(text.decode()))


def answer(text: str) -> bytes:
    """Do a job; the answer to it."""
    try:
        result = run_job(JobSpec.from_json(text)).to_json().encode()
    except SniffError as error:
        rejection = [type(error).__name__, error.message, error.reason, error.field]
        return REJECTED + json.dumps(rejection).encode()
    except MemoryError:
        return NO_MEMORY
    except Exception:
        return FAULT + traceback.format_exc().encode(errors="replace")
    return RESULT + result if len(result) <= MOST_RESULT else NO_MEMORY


def fence() -> None:
    """From now on open no files but those of Python and its packages, and do none of :data:`REFUSED`.

    No kind of job does that. It is a second fence, should one ever be made to.
    """
    sys.dont_write_bytecode = True
    named = sysconfig.get_paths()
    folders = [Path(folder).resolve() for folder in (*sys.path, named["stdlib"], named["platstdlib"]) if folder]

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            _check_open(folders, *arguments)
        elif event.startswith(REFUSED):
            raise _refusal()

    sys.addaudithook(refuse)


def _check_open(folders: list[Path], path: object, _mode: object, flags: int) -> None:
    """:raises LimitsError: a file is to be written, or it is none of the folders'."""
    if isinstance(path, int):
        return
    reads = flags & (os.O_ACCMODE | os.O_CREAT | os.O_TRUNC) == READS
    place = Path(os.path.realpath(os.fsdecode(path)))  # type: ignore[arg-type]
    if not reads or not any(place.is_relative_to(folder) for folder in folders):
        raise _refusal()


def _refusal() -> LimitsError:
    return LimitsError("a job on a server opens no files and no connections", reason="NOT_IN_A_JOB")


def _end_with_server(lifeline: int) -> None:
    """End this process when the server has ended, even if it could not say so.

    The pipe ends with the server. A process that is stopped at that moment cannot see it, so Linux is asked to kill it.
    """
    end_with_server()

    def watch() -> None:
        os.read(lifeline, 1)
        os._exit(1)

    threading.Thread(target=watch, name="lifeline", daemon=True).start()


if __name__ == "__main__":
    main((int(sys.argv[1]), int(sys.argv[2])), int(sys.argv[3]))
