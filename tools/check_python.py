"""Say plainly what is missing before a virtual environment is made: Python's version, venv, or the C headers."""

import importlib.util
import pathlib
import sys
import sysconfig


def complaint() -> str:
    """Return what this Python lacks for a build, "" for nothing. Old Pythons run this too: no new syntax."""
    if sys.hexversion < 0x030B0000:
        return f"Python >= 3.11 is needed, this is {sys.version.split()[0]}; choose another: make PYTHON=python3.12 ..."
    if importlib.util.find_spec("ensurepip") is None:
        return "this Python has no venv; on Debian and Ubuntu: apt-get install python3-venv"
    if not (pathlib.Path(sysconfig.get_paths()["include"]) / "Python.h").exists():
        return "this Python has no C headers (Python.h); on Debian and Ubuntu: apt-get install python3-dev"
    return ""


if __name__ == "__main__":
    sys.exit(complaint() or None)
