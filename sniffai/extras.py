"""Parts of the package that are installed only where they are asked for, and how to ask for them."""

from typing import Final

EXTRAS: Final = {
    "click": "cli",
    "rich": "cli",
    "google": "client",
    "grpc": "client",
    "grpc_status": "client",
    "matplotlib": "plot",
    "resvg_py": "draw",
    "ray": "ray",
    "grpc_health": "server",
    "grpc_reflection": "server",
    "pyarrow": "parquet",
    "prometheus_client": "server",
    "opentelemetry": "otel",
    "connectrpc": "web",
    "protobuf": "web",
    "starlette": "web",
    "uvicorn": "web",
}
"""Which extra of the package brings a module, by the first part of the module's name."""


def what_to_install(error: ImportError, extra: str | None = None) -> str | None:
    """One line that says what is missing and how to get it; ``None`` if no extra brings the module.

    :param extra: the extra to name whatever is missing, such as ``"server"`` for a part that needs all of it.
    """
    name = error.name or ""
    root = name.partition(".")[0]
    if root == "sniffai_ext":
        return f"{name} is missing: the compiled core has not been built; make build does it"
    if root not in EXTRAS:
        return None
    wrong = "is missing" if isinstance(error, ModuleNotFoundError) else "cannot be used, perhaps because it is too old"
    return f"{name} {wrong}; it comes with: pip install 'sniffai[{extra or EXTRAS[root]}]'"


def explained(error: ImportError) -> ImportError:
    """The same error, its message saying what to install where an extra brings the module."""
    advice = what_to_install(error)
    return error if advice is None else type(error)(advice, name=error.name, path=error.path)
