"""Pin what the container image installs: every package at one version, each of its files by hash.

``python tools/lock.py`` writes the two locks again, at the newest versions that pyproject.toml allows.
"""

import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PYTHON: Final = "3.13"
"""The Python of the image."""
LOCKS: Final = {
    "server/requirements.lock": (
        *(f"--extra={extra}" for extra in ("server", "cli", "otel", "postgres", "web")),
        "pyproject.toml",
    ),
    "server/build.lock": ("server/build.in",),
}
"""What is pinned where: what the image runs with, and what its first stage builds with."""


def main() -> int:
    """Write both locks; returns the exit status."""
    uv = str(Path(sys.executable).with_name("uv"))
    for lock, sources in LOCKS.items():
        command = [uv, "pip", "compile", "--quiet", "--universal", "--upgrade", "--generate-hashes", "--no-annotate"]
        more = [f"--python-version={PYTHON}", "--custom-compile-command=make lock", f"--output-file={lock}"]
        subprocess.run([*command, *more, *sources], cwd=ROOT, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
