"""Trailing metadata, sent at the end of a call."""

from typing import Any


def add_trailers(context: Any, **trailers: str) -> None:
    """Add trailing metadata to a call; underscores in a name become hyphens."""
    added = {name.replace("_", "-"): value for name, value in trailers.items()}
    kept = [(key, value) for key, value in trailers_of(context) if key not in added]
    context.set_trailing_metadata((*kept, *added.items()))


def trailers_of(context: Any) -> tuple[tuple[str, str | bytes], ...]:
    """The trailing metadata of a call so far."""
    return tuple(context.trailing_metadata() or ())
