"""The documentation site: Sphinx reads this file for `make docs`.

The source folder is the root of the project, so that the pages stay where they are and their links work on the site as
they do in the repository. ``include_patterns`` names what becomes a page.
"""

import importlib
import re
from typing import Any, Final

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.nodes import make_refnode

from sniffai.version import __version__

project = "sniffai"
author = "The sniffai authors"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "docs/index"
include_patterns = [
    *("docs/**", "examples/README.md", "benchmarks/**", "clients/node/README.md", "CHANGELOG.md", "CONTRIBUTING.md"),
]
exclude_patterns = ["docs/README.md"]  # docs/index.md includes it
source_suffix = {".md": "markdown"}
myst_heading_anchors = 5

# `make docs` turns warnings into errors, so every link leads somewhere.
nitpicky = True
nitpick_ignore_regex = [
    # Types of other packages and of the core have no page here.
    (
        "py:.*",
        r"(asyncio|collections|concurrent|datetime|enum|grpc|io|json|np|npt|numpy|os|pathlib|sniffai_ext|types)\b.*",
    ),
]

autodoc_member_order = "bysource"
autodoc_mock_imports = ["ray"]
autodoc_default_options = {"members": True, "undoc-members": True}
add_module_names = False
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

# Everything that a page needs comes with the site: it opens from a file, without a network.
html_theme = "furo"
html_title = f"sniffai {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
templates_path = ["_templates"]
html_additional_pages = {"index": "home.html"}  # leads from the top of the site to docs/index.html
html_copy_source = False
html_show_sphinx = False
html_show_search_summary = False  # it would read other files, which browsers do not let a page opened from a file do
html_theme_options = {"navigation_with_keys": True}

PUBLIC: Final = ("", ".client", ".draw", ".equity", ".explain", ".review")
"""The modules of ``sniffai`` whose ``__all__`` the library reference has to have."""

MESSAGE: Final = re.compile(r"sniffai\.v1\.\w+_pb2\.(\w+)")
"""A message of the wire contract as Python calls it."""

PAGE: Final = re.compile(r"\bdocs/([\w-]+)\.md")

NAMES: Final = ("class", "data", "exc", "func", "obj")
"""Roles of what a module holds."""


def resolve(app: Sphinx, env: BuildEnvironment, node: pending_xref, text: nodes.TextElement) -> Any:
    """Where a name of a docstring leads that Sphinx does not know as it stands.

    A message of the wire contract leads to the reference in docs/service.md, another name to what ``sniffai`` itself
    calls so, or to the one object of the library with that name.
    """
    if node.get("refdomain") != "py":
        return None
    target, page, domain = node["reftarget"], node["refdoc"], env.domains.python_domain
    if message := MESSAGE.fullmatch(target):
        return make_refnode(app.builder, page, "docs/service", message[1].lower(), text)
    name = target.rpartition(".")[2] if node["reftype"] in NAMES else target
    known = [path for path, entry in domain.objects.items() if path.endswith(f".{name}") and not entry.aliased]
    if f"sniffai.{name}" in known:
        known = [f"sniffai.{name}"]
    if len(known) != 1:
        return None
    return domain.resolve_xref(env, page, app.builder, node["reftype"], known[0], node, text)


def link_pages(_app: Sphinx, _what: str, _name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """Make a link of a page that a docstring names, such as docs/rules.md."""
    lines[:] = [PAGE.sub(r":doc:`docs/\1.md </docs/\1>`", line) for line in lines]


def check_whole(_app: Sphinx, env: BuildEnvironment) -> None:
    """Warn of public names that the library reference does not have."""
    last = {path.rpartition(".")[2] for path in env.domains.python_domain.objects}
    for module in PUBLIC:
        for name in importlib.import_module(f"sniffai{module}").__all__:
            if name not in last and name != "__version__":
                logging.getLogger(__name__).warning("sniffai%s.%s is not in docs/library", module, name)


def setup(app: Sphinx) -> None:
    """Sphinx calls it."""
    app.connect("autodoc-process-docstring", link_pages)
    app.connect("missing-reference", resolve)
    app.connect("env-check-consistency", check_whole)
