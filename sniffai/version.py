"""The version of the installed package."""

from importlib.metadata import version
from typing import Final

VERSION: Final = version("sniffai")
"""``MAJOR.MINOR.PATCH``, as pyproject.toml has it."""

__version__ = VERSION
