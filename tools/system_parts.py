"""Install the programs that the end-to-end tests run and that pip does not have: `make e2e`.

They are packages of Debian. Root installs those that are missing; anyone else gets one line that says what to install.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

WAIT_SECONDS: Final = 300
"""How long to wait for another installation on the same machine."""


def chromium() -> Path | None:
    """The browser; ``None`` if there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((Path(command) for command in map(shutil.which, names) if command is not None), None)


def postgresql() -> Path | None:
    """The folder with the commands of the newest PostgreSQL server; ``None`` if there is none."""
    initdb = shutil.which("initdb")
    if initdb is not None:
        return Path(initdb).resolve().parent
    folders = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    return max(folders, key=lambda folder: int(folder.parent.name), default=None)


def wide_font() -> Path | None:
    """A font with Japanese and Chinese letters; ``None`` if there is none."""
    return next(Path("/usr/share/fonts").rglob("*CJK*.tt[cf]"), None)


PARTS: Final[dict[str, Callable[[], Path | None]]] = {
    "chromium": chromium,
    "fonts-noto-cjk": wide_font,
    "postgresql": postgresql,
}
"""What each package brings."""


def missing() -> list[str]:
    """The packages that are to be installed."""
    return [package for package, find in PARTS.items() if find() is None]


def install(packages: list[str]) -> int:
    """Install packages with apt-get. Returns its exit status."""
    env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "-qq", "-o", f"DPkg::Lock::Timeout={WAIT_SECONDS}"]
    print(f"==> installing {' '.join(packages)}", flush=True)
    for action in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
        done = subprocess.run([*command, *action], env=env, stdout=subprocess.DEVNULL, check=False)
        if done.returncode:
            return done.returncode
    return 0


def main() -> int:
    """Return 0 once every part is there."""
    packages = missing()
    if packages and os.geteuid() == 0 and shutil.which("apt-get"):
        install(packages)
        packages = missing()
    if packages:
        print(f"make e2e needs: sudo apt-get install {' '.join(packages)}", file=sys.stderr)
    return 1 if packages else 0


if __name__ == "__main__":
    sys.exit(main())
