"""Start a server on a free port, ask it about the example positions, print its answers, stop it: `make demo`."""

import contextlib
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = Path(sys.executable).parent
START_SECONDS = 30
STOP_SECONDS = 30


def free_port() -> int:
    """Return a TCP port of this machine that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def announce(*words: str) -> list[str]:
    """Print a command as one would type it and return it as one runs it."""
    print("$", *words, flush=True)
    return [str(COMMANDS / words[0]), *words[1:]]


@contextlib.contextmanager
def server(port: int) -> Iterator[str]:
    """Run a server inside the with block, which gets its address; the block begins when it answers."""
    address = f"127.0.0.1:{port}"
    process = subprocess.Popen(announce("sniffai-server", "serve", "--port", str(port), "--log-level", "warning"))
    try:
        with grpc.insecure_channel(address) as channel:
            grpc.channel_ready_future(channel).result(timeout=START_SECONDS)
        yield address
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(STOP_SECONDS)


def main() -> int:
    """Return 0 if every position was answered."""
    failures = 0
    with server(free_port()) as address:
        for path in sorted((ROOT / "examples" / "positions").glob("*.json")):
            command = announce("sniffai", "recommend", path.relative_to(ROOT).as_posix(), "--server", address)
            failures += subprocess.run(command, cwd=ROOT, check=False).returncode != 0
    print("==> the server has stopped", flush=True)
    return failures


if __name__ == "__main__":
    sys.exit(main())
