"""A server process that serves the page, and can be killed and started again in its place."""

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any, Self

SECONDS = 60.0
"""Time for a start, on a busy machine."""


def free_port() -> int:
    """A TCP port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Served:
    """A server on a port of its own, with its matches in a folder.

    :param folder: an existing one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start it, and wait until it serves."""
        options = ["--port", "0", "--web", "--web-port", str(self.port), "--log-level", "error"]
        database = ["--matches-database", str(self.folder / "matches.db")]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "sniffai_server", "serve", *options, *database], stdout=subprocess.DEVNULL
        )
        end = time.monotonic() + SECONDS
        while True:
            try:
                with urllib.request.urlopen(self.url, timeout=5):
                    return
            except OSError:
                assert self._process.poll() is None and time.monotonic() < end, "the server does not start"
                time.sleep(0.1)

    def kill(self) -> None:
        """End it at once, as a lost machine would."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(SECONDS)

    def call(self, method: str, request: dict[str, Any]) -> dict[str, Any]:
        """One call, such as ``MatchService/GetView``."""
        asked = urllib.request.Request(
            f"{self.url}sniffai.v1.{method}", json.dumps(request).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(asked, timeout=SECONDS) as answer:
            found: dict[str, Any] = json.load(answer)
        return found
