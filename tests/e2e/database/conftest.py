"""A PostgreSQL server of the tests' own, from Debian's package."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.system_parts import postgresql


class Cluster:
    """A PostgreSQL server in a folder, reached by a Unix socket in it. Root runs it as the package's user."""

    def __init__(self, folder: Path) -> None:
        found = postgresql()
        assert found is not None, "make e2e installs it"
        self.commands, self.folder, self.data = found, folder, folder / "data"
        self.user: dict[str, Any] = {}
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
            self.user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        self.run("initdb", "--pgdata", str(self.data), "--username", "sniffai", "--auth", "trust", "--no-sync")
        self.start()

    def run(self, command: str, *arguments: str) -> None:
        done = subprocess.run(
            [str(self.commands / command), *arguments],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            **self.user,
        )
        assert done.returncode == 0, done.stdout

    def start(self) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories='{self.folder}'"
        log = str(self.folder / "log")
        self.run("pg_ctl", "--pgdata", str(self.data), "--log", log, "--wait", "-o", options, "start")

    def stop(self, mode: str = "immediate") -> None:
        self.run("pg_ctl", "--pgdata", str(self.data), "--mode", mode, "--wait", "stop")

    def url(self, database: str) -> str:
        return f"postgresql://sniffai@/{database}?host={self.folder}"

    def create(self, database: str) -> str:
        """A new database; returns its URL."""
        self.run("createdb", "--host", str(self.folder), "--username", "sniffai", database)
        return self.url(database)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # the path of a socket is at most some hundred characters
    one = Cluster(folder)
    yield one
    one.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database(cluster: Cluster, request: pytest.FixtureRequest) -> str:
    """The URL of a database of the test's own."""
    number = next(_numbers)
    return cluster.create(f"matches{number}")


_numbers = iter(range(10**6))
