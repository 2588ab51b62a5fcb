"""The packages can be imported from any folder, also from one that has a folder called ``sniffai`` in it."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
USE = """
import sniffai, sniffai_ext.rollout, sniffai_server.app
print(sniffai.Round.deal(2, 1).seat, sniffai_ext.rollout.state_bytes() > 0, sniffai_server.app.Server.__name__)
"""


@pytest.mark.parametrize("kind", ["empty", "clone"])
def test_a_folder_of_the_same_name_does_not_hide_the_package(tmp_path: Path, kind: str) -> None:
    """A clone is called ``sniffai``, too, and has no ``__init__.py``: Python takes it for a namespace package."""
    namesake = tmp_path / "sniffai"
    if kind == "clone":
        namesake.symlink_to(ROOT, target_is_directory=True)
    else:
        namesake.mkdir()
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-c", USE]
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    assert (done.stdout.split()[1:], done.stderr) == (["True", "Server"], "")


def test_an_editable_install_puts_the_source_folders_on_the_path(tmp_path: Path) -> None:
    """What `pip install -e .` installs: no import hook, which Python would ask only after looking into folders."""
    subprocess.run(
        [sys.executable, "-c", f"import setuptools.build_meta as build; build.build_editable({str(tmp_path)!r})"],
        cwd=ROOT,
        env={**os.environ, "SNIFFAI_BUILD": "skip"},
        capture_output=True,
        check=True,
    )
    (built,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(built) as wheel:
        installed = [name for name in wheel.namelist() if ".dist-info/" not in name]
        assert len(installed) == 1 and installed[0].endswith(".pth")
        assert wheel.read(installed[0]).decode().split("\n") == [f"{ROOT}", f"{ROOT / 'ext'}", f"{ROOT / 'server'}", ""]
