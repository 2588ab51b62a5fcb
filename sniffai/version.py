"""The version of the package: pyproject.toml reads it here."""

from typing import Final

VERSION: Final = "0.1.0"
"""``MAJOR.MINOR.PATCH``. It is written here, since reading it from the installed package takes a fifth of the time in
which a short command starts."""

__version__ = VERSION
