"""A command on a terminal of its own, as a person has it: it draws a window, sends signals and takes keys."""

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from pathlib import Path

from tests.waiting import TIMEOUT

START = """
import fcntl, signal, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from sniffai.cli import main
main()
"""
"""A program whose standard input is the terminal that sends it signals. A ``nohup`` of the tests does not reach it."""

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
NEW_LINE = re.compile(r"\r\n|\r|\x1b\[2K")
"""What begins a line, or the same one again."""


def plain(seen: str) -> str:
    """Lines without escape sequences."""
    return ESCAPES.sub("", NEW_LINE.sub("\n", seen))


class OwnTerminal:
    """The command ``sniffai`` on a terminal, which has 80 columns and 24 rows.

    :param folder: where it starts.
    :param env: more variables; ``COLUMNS`` and ``LINES`` override the size that the terminal tells.
    """

    def __init__(self, folder: Path, *args: str, columns: int = 80, rows: int = 24, **env: str) -> None:
        self._leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(self._leader)
        left_out = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
        clean = {name: value for name, value in os.environ.items() if name not in left_out}
        self.process = subprocess.Popen(
            [sys.executable, "-c", START, *args],
            cwd=folder,
            env=clean | {"TERM": "xterm"} | env,
            stdin=follower,
            stdout=follower,
            stderr=follower,
            start_new_session=True,
        )
        os.close(follower)
        self.seen = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")()  # a letter may arrive in two parts

    @property
    def text(self) -> str:
        """All that was seen, without escape sequences."""
        return plain(self.seen)

    def read(self, seconds: float = 3 * TIMEOUT) -> bool:
        """Read what is printed next; fails after some time. Returns whether anything can still come."""
        assert select.select([self._leader], [], [], seconds)[0], self.seen
        try:
            more = os.read(self._leader, 65536)
        except OSError:  # nobody writes any more
            return False
        self.take(self._decoder.decode(more))
        return bool(more)

    def has_more(self, seconds: float = 0.05) -> bool:
        """Whether something is printed within a moment."""
        return bool(select.select([self._leader], [], [], seconds)[0])

    def take(self, more: str) -> None:
        """What was printed."""
        self.seen += more

    def wait_for(self, *texts: str) -> str:
        """Read until one of several texts is printed. Returns it."""
        start = len(self.seen)
        while True:
            new = plain(self.seen[start:])
            found = next((text for text in texts if text in new), None)
            if found is not None:
                return found
            assert self.read(), self.seen

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self._leader, text.encode())

    def close(self) -> None:
        """End the program, if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.end()

    def end(self) -> int:
        """The exit status, once everything was read."""
        while self.read():
            pass
        status = self.process.wait(60)
        self.after = termios.tcgetattr(self._leader)
        os.close(self._leader)
        return status
