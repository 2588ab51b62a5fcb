"""What the pages of reviews are made of: a document without the network, sections, tables."""

from collections.abc import Iterable
from typing import Final

from sniffai.draw.svg import escaped
from sniffai.explain.languages import Words
from sniffai.packaged import read_packaged
from sniffai.review.script import source_hash

STYLES: Final = ("data/palette.css", "data/review.css")
"""The style sheets in the package, which the page contains."""

POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What the page may load: nothing. It runs no script but the one that it holds."""


def document(title: str, body: str, say: Words, data: str = "", code: str = "") -> str:
    """A whole page.

    :param body: HTML below the title.
    :param data: HTML after the content, for the script.
    :param code: a script, which runs at the end.
    """
    policy, run, saved = POLICY, "", ""
    if code:
        policy, saved = f"{POLICY}; script-src {source_hash(code)}", " data-saved"
        run = f"<script>{code}</script>\n"
    style = "".join(read_packaged(name).decode() for name in STYLES)
    return (
        f'<!doctype html>\n<html lang="{say.language_code}"{saved}>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escaped(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escaped(title)}</h1>\n{body}\n</main>\n{data}{run}</body>\n</html>\n"
    )


def section(title: str, body: str) -> str:
    """A part with a title of its own."""
    return f"<section>\n<h2>{escaped(title)}</h2>\n{body}\n</section>"


def small(text: str) -> str:
    """A remark in small letters."""
    return f'<p class="note">{escaped(text)}</p>'


def table(heads: Iterable[str], rows: Iterable[Iterable[str]], kind: str) -> str:
    """A table of texts.

    :param kind: its class in the style sheet.
    """
    head = "".join(f'<th scope="col">{escaped(text)}</th>' for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{escaped(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f'<table class="{kind}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
