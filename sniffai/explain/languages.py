"""The languages that explanations come in, and messages in each: gettext catalogues under ``sniffai/locale``.

English is the language of the messages themselves and needs no catalogue. ``make catalogues`` takes the messages out of
the source, brings the ``.po`` files up to date and compiles them.
"""

import gettext
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from sniffai.checks import shown
from sniffai.errors import LimitsError

LANGUAGES: Final = ("en", "ja", "zh-Hans")
"""Language codes (BCP 47) of English, Japanese and Simplified Chinese."""

DOMAIN: Final = "sniffai"
LOCALE: Final = Path(__file__).resolve().parent.parent / "locale"

_LONGEST: Final = 35
"""Longest language code that is read, in characters (BCP 47 asks for no more)."""


def read_language(code: str) -> str:
    """The language of :data:`LANGUAGES` that a code asks for: ``"ja-JP"`` is ``"ja"``, ``"zh_CN"`` is ``"zh-Hans"``.

    :param code: a BCP 47 code, ``_`` for ``-`` and any case allowed; ``""`` asks for English.
    :raises LimitsError: it is in none of the languages (``field`` is ``"language_code"``).
    """
    known = _known(code) if isinstance(code, str) and len(code) <= _LONGEST else None
    if known is None:
        raise LimitsError(
            f"{shown(code)} is not one of the languages {', '.join(LANGUAGES)}",
            reason="UNKNOWN_LANGUAGE",
            field="language_code",
        )
    return known


@lru_cache(maxsize=64)
def _known(code: str) -> str | None:
    first, *rest = code.lower().replace("_", "-").split("-")
    if first == "zh":
        traditional = "hant" in rest or ("hans" not in rest and not {"tw", "hk", "mo"}.isdisjoint(rest))
        return None if traditional else "zh-Hans"
    return {"": "en", "en": "en", "ja": "ja"}.get(first) if first or not rest else None


@dataclass(frozen=True, slots=True)
class Words:
    """Messages in one language."""

    language_code: str
    """One of :data:`LANGUAGES`."""
    catalogue: gettext.NullTranslations

    def say(self, message: str, **parts: Any) -> str:
        """A message with its parts filled in.

        :param message: in English, with ``{name}`` for each part.
        """
        return self.catalogue.gettext(message).format(**parts)

    def count(self, one: str, many: str, number: int, **parts: Any) -> str:
        """A message whose form depends on a number, with its parts filled in.

        :param one: the English message for 1; it may spell the number out.
        :param many: for any other number.
        """
        return self.catalogue.ngettext(one, many, number).format(**parts)


@cache
def words(language_code: str) -> Words:
    """The messages of a language.

    :param language_code: one of :data:`LANGUAGES`; see :func:`read_language`.
    """
    if language_code == "en":
        return Words(language_code, gettext.NullTranslations())
    return Words(language_code, gettext.translation(DOMAIN, LOCALE, [language_code.replace("-", "_")]))


def marked(message: str) -> str:
    """A message that is said elsewhere: the mark by which it is found."""
    return message
