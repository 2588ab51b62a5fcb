"""Strict JSON: no duplicate keys, no NaN, and no lone surrogates in keys or texts."""

import json
import re
import sys
from typing import Any, Final, NoReturn

from sniffai.checks import check_encodable, shown
from sniffai.errors import NotationError

_SURROGATE: Final = re.compile(r"\\u[dD]|[\ud800-\udfff]")
"""Half of a character, or what may be the escape of one: a text without them has none in its values."""


def loads(text: str) -> Any:
    """The value of a JSON text; a byte order mark at its beginning is ignored.

    :raises NotationError: a key occurs twice, a number is NaN or infinite, or a text cannot be written in UTF-8;
        ``field`` is the key or the path.
    :raises ValueError: it is not JSON for another reason, as :func:`json.loads` says.
    :raises RecursionError: it is too deep.
    """
    value = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_once, parse_constant=_no_number)
    if _SURROGATE.search(text):
        _check_texts(value)
    return value


def is_several(error: Exception) -> bool:
    """Whether :func:`loads` refused the text because it is one JSON text after another."""
    return isinstance(error, json.JSONDecodeError) and error.msg == "Extra data"


def unreadable(error: Exception, text: str) -> NotationError:
    """The error to raise for a text that :func:`loads` refused; ``field`` is the line, if it is known."""
    if isinstance(error, NotationError):
        return error
    if isinstance(error, RecursionError):
        return NotationError("the JSON is nested too deeply", reason="UNREADABLE")
    if isinstance(error, json.JSONDecodeError):
        return NotationError(f"not JSON: {error.msg}", reason="UNREADABLE", field=f"line {error.lineno}")
    digits = sys.get_int_max_str_digits()  # of a whole number, beyond which Python reads none
    number = re.search(rf"[0-9]{{{digits + 1},}}", text)
    line = "" if number is None else f"line {text.count(chr(10), 0, number.start()) + 1}"
    return NotationError(f"not JSON: a number of more than {digits} digits", reason="UNREADABLE", field=line)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise NotationError("the key occurs twice in one object", reason="KEY_TWICE", field=_name(twice))
    return members


def _no_number(text: str) -> NoReturn:
    raise NotationError(f"{text} is not a number in JSON", reason="NOT_JSON")


def _check_texts(value: Any) -> None:
    waiting = [("", value)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str):
            check_encodable(value, path, NotationError)
        elif isinstance(value, dict):
            for key, member in value.items():
                here = f"{path}.{_name(key)}" if path else _name(key)
                check_encodable(key, here, NotationError)
                waiting.append((here, member))
        elif isinstance(value, list):
            waiting += [(f"{path}[{i}]", member) for i, member in enumerate(value)]


def _name(key: str) -> str:
    return key if key.isidentifier() and len(key) <= 40 else shown(key)
