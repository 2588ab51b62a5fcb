"""Which runs of the tests are about ``tests/e2e``, and what `make e2e` installs before it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import system_parts

ROOT = Path(__file__).resolve().parent.parent
OTHERS = [
    folder.relative_to(ROOT)
    for parent, kept in ((ROOT / "tests", "e2e"), (ROOT / "tests" / "e2e", "database"))
    for folder in parent.iterdir()
    if folder.is_dir() and folder.name != kept
]


def collected(*args: str) -> str:
    """What pytest says of a run, apart from the folders beside ``tests/e2e/database``, which stands for all of them."""
    quick = ["--collect-only", "-q", *(f"--ignore={folder}" for folder in OTHERS), "--ignore-glob=tests/test_*"]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *quick, *args]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120).stdout


@pytest.mark.parametrize("args", [["tests"], ["-m", "not slow"]], ids=" ".join)
def test_other_runs_leave_the_end_to_end_tests_out_and_say_so(args: list[str]) -> None:
    said = collected(*args)
    parts = "a real browser, terminal, database and Ray, and with servers that are loaded or killed"
    assert f"left to `make e2e`: the tests with {parts}" in said
    assert "tests/e2e/" not in said


@pytest.mark.parametrize("args", [["tests/e2e/database"], ["-m", "e2e"]], ids=" ".join)
def test_a_run_that_asks_for_them_has_them(args: list[str]) -> None:
    """Those with a database can be collected without what `make e2e` installs."""
    said = collected(*args)
    assert "left to" not in said
    assert "tests/e2e/database/test_postgres.py::" in said


def test_without_root_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = {"chromium": lambda: None, "postgresql": lambda: Path("/usr/bin"), "fonts-noto-cjk": lambda: None}
    monkeypatch.setattr(system_parts, "PARTS", parts)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert system_parts.main() == 1
    assert capsys.readouterr() == ("", "make e2e needs: sudo apt-get install chromium fonts-noto-cjk\n")


def test_root_installs_only_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    there: set[str] = {"postgresql"}
    commands = []

    def run(command: list[str], **_: object) -> "subprocess.CompletedProcess[bytes]":
        commands.append(command)
        there.update(command)
        return subprocess.CompletedProcess(command, 0)

    parts = {name: (lambda name=name: Path("/") if name in there else None) for name in ("chromium", "postgresql")}
    monkeypatch.setattr(system_parts, "PARTS", parts)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(system_parts.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(system_parts.subprocess, "run", run)
    assert system_parts.main() == 0
    assert [command[-1] for command in commands] == ["update", "chromium"]
    assert system_parts.main() == 0
    assert len(commands) == 2
