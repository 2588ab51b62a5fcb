"""Files that come with the package: nets, tables, and what was measured."""

import json
from importlib import resources
from typing import Any


def read_packaged(name: str) -> bytes:
    """The bytes of a file in the package.

    :param name: its path there, such as ``"data/levels.json"``.
    """
    return resources.files("sniffai").joinpath(name).read_bytes()


def read_packaged_json(name: str) -> dict[str, Any]:
    """The JSON object in a file in the package."""
    value: dict[str, Any] = json.loads(read_packaged(name))
    return value
