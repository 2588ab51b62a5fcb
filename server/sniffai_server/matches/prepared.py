"""Statements made once, in the form that the driver of a database takes: for what is stored all the time.

Most of what a keeper does is to store steps. Made by SQLAlchemy each time, their statements take far longer than the
database itself.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import sqlalchemy as sa
from sqlalchemy.sql.compiler import SQLCompiler

Execute: TypeAlias = Callable[[str, Any], Any]
"""Runs a statement with its values; what it returns has a ``rowcount``."""


class Prepared:
    """A statement for one kind of database.

    :param names: the columns and parameters whose values are given each time.
    """

    def __init__(self, statement: sa.Insert | sa.Update, dialect: sa.Dialect, names: Iterable[str]) -> None:
        given = list(names)
        compiled = statement.compile(dialect=dialect, column_keys=given)
        assert isinstance(compiled, SQLCompiler)
        self._text = str(compiled)
        self._order = compiled.positiontup
        self._fixed = {name: value for name, value in compiled.params.items() if name not in given}

    def run(self, execute: Execute, given: Mapping[str, Any]) -> int:
        """Run it; how many rows it changed."""
        values = {**self._fixed, **given} if self._fixed else given
        ordered = values if self._order is None else tuple([values[name] for name in self._order])
        rows: int = execute(self._text, ordered).rowcount
        return rows
