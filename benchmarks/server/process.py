"""A server in a process of its own, to be loaded, watched, killed and started again."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

COMMAND: Final = (sys.executable, "-m", "sniffai_server", "serve")
SECONDS: Final = 30.0
"""How long a start, a stop or a look at the metrics may take."""
PAGE: Final = 4096


@dataclass(frozen=True, slots=True)
class Vitals:
    """What a process holds."""

    memory: int
    """Resident bytes."""
    threads: int
    descriptors: int

    @classmethod
    def of(cls, pid: int) -> Self:
        """The vitals of a process of this machine; Linux only."""
        proc = Path(f"/proc/{pid}")
        threads = re.search(r"^Threads:\s*(\d+)", (proc / "status").read_text(), re.MULTILINE)
        assert threads is not None
        resident = int((proc / "statm").read_text().split()[1])
        return cls(resident * PAGE, int(threads[1]), len(list((proc / "fd").iterdir())))


@dataclass(frozen=True, slots=True)
class Processor:
    """Processor time that a process has used, in seconds."""

    loop: float
    """Of its first thread, on which the event loop runs."""
    whole: float
    """Of all threads, and of its children."""

    @classmethod
    def of(cls, pid: int) -> Self:
        """The time of a process of this machine so far; Linux only."""
        spent = [
            int((task / "schedstat").read_text().split()[0]) / 1e9
            for process_id in (pid, *children_of(pid))
            for task in sorted(Path(f"/proc/{process_id}/task").iterdir(), key=lambda task: int(task.name))
        ]
        return cls(spent[0], sum(spent))

    def __sub__(self, earlier: Self) -> Self:
        return type(self)(self.loop - earlier.loop, self.whole - earlier.whole)


class ServerProcess:
    """A context in which a server runs.

    :param command: what runs it; flags are added.
    :param environment: variables of the process besides those of this one.
    :param settings: of the server, by name; ports are chosen here, and stay over a restart.
    """

    def __init__(
        self, command: Sequence[str] = COMMAND, environment: Mapping[str, str] | None = None, **settings: Any
    ) -> None:
        self._ports = free_ports(2)
        given = {"port": self._ports[0], "metrics_port": self._ports[1], "log_level": "warning", **settings}
        flags = [word for name, value in given.items() for word in (f"--{name.replace('_', '-')}", str(value))]
        self._command = [*command, *flags]
        self._environment = os.environ | dict(environment or {})
        self.process: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self._ports[0]}"

    def start(self) -> None:
        """Start it, and wait until it listens.

        :raises RuntimeError: it does not.
        """
        self.process = subprocess.Popen(self._command, env=self._environment, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        if "listening on" not in (line := self.process.stdout.readline()):
            self.process.kill()
            self.wait()
            raise RuntimeError(f"the server did not start: {line!r}")

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, and wait for its end; the exit status."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """Wait for its end; the exit status."""
        assert self.process is not None
        self.process.communicate(timeout=SECONDS)
        return self.process.returncode

    def metrics(self) -> dict[str, float]:
        """What the metrics port tells, by name and labels as they are written."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self._ports[1]}/metrics", timeout=SECONDS) as answer:
            lines: list[str] = answer.read().decode().splitlines()
        pairs = [line.rpartition(" ") for line in lines if not line.startswith("#")]
        return {name: float(value) for name, _, value in pairs}

    def vitals(self) -> Vitals:
        """What it holds now."""
        assert self.process is not None
        return Vitals.of(self.process.pid)

    def children(self) -> list[int]:
        """The ids of the processes that it has started, such as the one that keeps its matches."""
        assert self.process is not None
        return children_of(self.process.pid)

    def processor(self) -> Processor:
        """The processor time that it has used so far. Threads that have ended do not count."""
        assert self.process is not None
        return Processor.of(self.process.pid)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


def children_of(pid: int) -> list[int]:
    """The ids of the processes that a process of this machine has started; Linux only."""
    children: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended meanwhile
            children += map(int, (task / "children").read_text().split())
    return children


def free_ports(count: int) -> list[int]:
    """TCP ports of this machine that nobody listens on."""
    with ExitStack() as stack:
        listeners = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [int(listener.getsockname()[1]) for listener in listeners]
