"""A server as a user starts it: a process that keeps matches in a file, and can be killed and started again."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

START_SECONDS: Final = 60.0


class ServerProcess:
    """``sniffai-server serve`` on ports that it keeps when it is started again.

    :param folder: for its database.
    :param options: of the command.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        self.port, self.web_port = free_ports(2)
        self._command = [sys.executable, "-m", "sniffai_server", "serve", "--log-format", "text"]
        self._command += ["--port", str(self.port), "--web-port", str(self.web_port)]
        self._command += ["--matches-database", str(folder / "matches.db"), "--level-pause", "0", *options]
        self.start()

    @property
    def address(self) -> str:
        """For gRPC."""
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """For HTTP."""
        return f"http://127.0.0.1:{self.web_port}"

    def start(self) -> None:
        """Start it, and wait until it serves HTTP, the last thing it begins."""
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        self.process = subprocess.Popen(self._command, stdout=null, stderr=pipe, stdin=null, text=True)
        assert self.process.stderr is not None
        seen = ""
        while "serving HTTP" not in seen:
            line = self.process.stderr.readline()
            assert line, f"the server has ended: {seen}"
            seen += line

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """End it by a signal, and wait until it has ended."""
        self.process.send_signal(number)
        self.process.communicate(timeout=START_SECONDS)

    def kill(self) -> None:
        """End it at once."""
        self.stop(signal.SIGKILL)


@contextmanager
def running(folder: Path, *options: str) -> Iterator[ServerProcess]:
    """A server that ends with the block."""
    server = ServerProcess(folder, *options)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.kill()


def free_ports(count: int) -> list[int]:
    """TCP ports of this machine that nobody listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [int(one.getsockname()[1]) for one in sockets]
    for one in sockets:
        one.close()
    return ports
