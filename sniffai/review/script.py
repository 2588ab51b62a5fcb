"""The script of the report: the modules of ``sniffai/data/web`` that it needs, as one.

The modules import each other by ``import { … } from "./name.js"`` at the beginnings of lines, and export by ``export``
before a declaration. Each becomes a function that returns what it exports, called once, after those that it imports.
"""

import base64
import hashlib
import json
import re
from functools import lru_cache
from typing import Any, Final

from sniffai.packaged import read_packaged

FOLDER: Final = "data/web"
FIRST: Final = "saved.js"
"""The module that the page begins with."""

_IMPORT: Final = re.compile(r'^import \{([^}]*)\} from "\./([\w/]+\.js)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:const|function|class) (\w+))", re.MULTILINE)
_WORDS: Final = re.compile(r"words/(\w+)\.js")


@lru_cache(maxsize=8)
def script(language_code: str) -> str:
    """The script for a language, without the words of others.

    :param language_code: one of :data:`sniffai.explain.LANGUAGES`.
    """
    modules: dict[str, str] = {}
    _add(FIRST, language_code.partition("-")[0], modules)
    return f'(() => {{\n"use strict";\n{"".join(modules.values())}}})();\n'


def _add(name: str, words: str, modules: dict[str, str]) -> None:
    """Add a module after those that it imports.

    :param words: the file of the language.
    :param modules: the code by module, in order.
    """
    if name in modules:
        return
    language = _WORDS.fullmatch(name)
    if language is not None and language[1] != words:
        modules[name] = f"const {_variable(name)} = {{ {language[1]}: {{}} }};\n"
        return
    source = read_packaged(f"{FOLDER}/{name}").decode()
    for _, other in _IMPORT.findall(source):
        _add(other, words, modules)
    exported = ", ".join(_EXPORT.findall(source))
    body = _EXPORT.sub(
        "", _IMPORT.sub(lambda statement: f"const {{{statement[1]}}} = {_variable(statement[2])};\n", source)
    )
    modules[name] = f"const {_variable(name)} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();\n"


def _variable(name: str) -> str:
    return "_" + re.sub(r"\W", "_", name.removesuffix(".js"))


def style() -> str:
    """The style sheet of what the script shows."""
    return read_packaged(f"{FOLDER}/parts.css").decode()


def source_hash(code: str) -> str:
    """A script as a page's policy names it."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(code.encode()).digest()).decode() + "'"


def json_for_page(value: Any) -> str:
    """JSON that can stand in a page: no tag begins or ends in it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
