"""Packages whose public names are imported when they are first used, so that importing the package is quick."""

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any


def lazy_names(
    package: str, modules: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The functions ``__getattr__`` and ``__dir__`` of a package.

    :param package: its name.
    :param modules: its public names by the module that defines them, or by the package that offers them. Modules are
        named relative to this package.
    """
    module_of = {name: module for module, names in modules.items() for name in names}

    def import_name(name: str) -> Any:
        """Import a public name when it is first used.

        :raises AttributeError: there is no such name.
        """
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f".{module_of[name]}", package), name)
        setattr(sys.modules[package], name, value)
        return value

    def list_names() -> list[str]:
        """All names, whether they have been used or not."""
        return sorted({*vars(sys.modules[package]), *module_of})

    return import_name, list_names


def load_names(package: ModuleType) -> None:
    """Import all public names of a package now, so that nobody waits for them later."""
    for name in package.__all__:
        getattr(package, name)
