"""The command ``sniffai-server``: streams and signals, set up before anything else is imported.

Until then a signal would end the process with a traceback, so this module imports next to nothing itself.
"""

from __future__ import annotations

import gc
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT)
"""The signals that end a command."""
NEED_ALL = {"serve", "info"}
"""The commands that need the whole server."""
INTERRUPTED = 128 + signal.SIGINT
READER_GONE = 128 + 13
"""The exit status if the reader of the output has gone: that of programs that SIGPIPE ends."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status. If the reader of its output goes away, it ends silently.

    :param arguments: of the command; ``None`` for those of this process. Then its signals and standard streams are set
        up as well.
    """
    if arguments is not None:
        return _run(arguments)
    _open_streams()
    _heed_signals()
    gc.disable()  # until all is imported: it would take a sixth of that time, and nothing of it is garbage
    # Threads for large matrices, of which there are none, would take a tenth of the start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    status = _run(None)
    # Everything is done and written. A normal exit would wait for what may hang, such as spans that are being sent.
    os._exit(status)


def _run(arguments: Sequence[str] | None) -> int:
    from sniffai_server.console import say

    try:
        from sniffai_server.commands import run

        if {*(sys.argv[1:] if arguments is None else arguments)[:1]} & NEED_ALL:
            import sniffai_server.process  # noqa: F401 - here, where a missing extra is told and no garbage is collected
    except ImportError as error:
        return _fail_for_module(error)
    if arguments is None:
        gc.freeze()
        gc.enable()
        from sniffai.cli.signs import tolerate_narrow_output

        tolerate_narrow_output()
    try:
        try:
            return run(arguments)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _give_up_output()
        return READER_GONE
    except OSError as error:
        _give_up_output()
        say(f"sniffai-server: {error.strerror or error}")
        return 1
    except KeyboardInterrupt:
        say("sniffai-server: stopped by SIGINT")
        return INTERRUPTED


def _fail_for_module(error: ImportError) -> int:
    """Report an extra that is not installed. Any other missing module is a bug."""
    from sniffai.extras import what_to_install
    from sniffai_server.console import say

    advice = what_to_install(error, "server")
    if advice is None:
        raise error
    say(f"sniffai-server: {advice}")
    return 2


def _open_streams() -> None:
    """Open closed standard streams, so that no file or connection gets their descriptors."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free descriptor is used
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


def _heed_signals() -> None:
    """End with one line on a signal, until a server handles signals itself."""
    for number in ENDING:
        signal.signal(number, _stopped)
    if sys.argv[1:2] == ["serve"]:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the files have not been read yet


def _stopped(number: int, _frame: FrameType | None) -> None:
    line = f"sniffai-server: stopped by {signal.Signals(number).name}"
    try:
        say = getattr(sys.modules.get("sniffai_server.console"), "say", None)
        if say is not None:
            say(line)
        else:  # the module may be in the middle of its import
            os.write(2, f"{line}\n".encode())
    finally:
        os._exit(128 + number)


def _give_up_output() -> None:
    """Discard output that nobody reads."""
    import contextlib

    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
