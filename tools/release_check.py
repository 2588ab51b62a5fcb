"""Expect that this commit can be released: ``make release-check``.

It checks the changelog, the version wherever it is written, the contract that the release leaves behind for later ones,
and that wheels built here work on every Python that is here. Everything is checked, and each fault is told with what to
do.
"""

import argparse
import filecmp
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from tools import release, wheels
from tools.release import PLACES, SECTION, SEMANTIC, version_of, versions_in

ROOT: Final = Path(__file__).resolve().parent.parent
PREPARE: Final = "`python -m tools.release VERSION`"


def check_changelog(root: Path) -> Iterator[str]:
    """A dated section of this version, the newest one, and nothing that is not in it."""
    version = version_of(root)
    sections = SECTION.findall((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    if not sections or sections[0][0] != "Unreleased":
        yield "CHANGELOG.md: the first section must be [Unreleased]"
    if release.unreleased(root):
        yield f"CHANGELOG.md: [Unreleased] has changes since {version}: {PREPARE} makes a version of them"
    released = [name for name, date in sections if date]
    if not released or released[0] != version:
        newest = released[0] if released else "missing"
        yield f"CHANGELOG.md: the newest section with a date is {newest}, the version of the package is {version}"


def check_versions(root: Path) -> Iterator[str]:
    """The same version in all places, and none that has a tag on another commit."""
    version = version_of(root)
    if not SEMANTIC.fullmatch(version):
        yield f"sniffai/version.py: {version!r} is no MAJOR.MINOR.PATCH"
    for name in PLACES:
        versions = versions_in(root, name)
        if set(versions) != {version}:
            yield f"{name}: {', '.join(versions) or 'no version'} instead of {version}"
    tagged = git(root, "rev-list", "-n", "1", f"v{version}")
    if tagged and tagged != git(root, "rev-parse", "HEAD"):
        yield f"the tag v{version} is on another commit: {PREPARE} makes a new version"


def check_contract(root: Path) -> Iterator[str]:
    """The generated code and the contract of this release are kept for the tests of later ones, as they are now."""
    version = version_of(root)
    kept = root / "tests" / "data" / f"stubs-{version}" / "sniffai" / "v1"
    now = root / "sniffai" / "v1"
    names = sorted(path.name for path in now.glob("*_pb2*.py"))
    _, different, missing = filecmp.cmpfiles(now, kept, names, shallow=False)
    if different or missing:
        some = ", ".join([*missing, *different][:3])
        yield f"{kept.relative_to(root)}: not the code of now ({some}, ...): {PREPARE} keeps that of a new version"
    image = root / "tests" / "data" / f"proto-{version}.binpb"
    if not image.exists() or image.read_bytes() != release.contract_image(root):
        yield f"{image.relative_to(root)}: not the contract of now: {PREPARE} keeps that of a new version"


def check_clone(root: Path) -> Iterator[str]:
    """What is committed is what is released."""
    changed = git(root, "status", "--porcelain")
    if changed:
        yield f"there are changes that are not committed: {', '.join(changed.split()[1::2][:3])}, ..."


def check_wheels(root: Path) -> Iterator[str]:
    """Wheels for every Python here work where no compiler is."""
    if wheels.main(["--tests"]):
        yield "the wheels: see above"


def git(root: Path, *words: str) -> str:
    """What git says; empty if it fails or is not there."""
    try:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


CHECKS: Final[dict[str, Callable[[Path], Iterator[str]]]] = {
    "changelog": check_changelog,
    "versions": check_versions,
    "contract": check_contract,
    "clone": check_clone,
    "wheels": check_wheels,
}


def faults(root: Path, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What stands in the way of a release, by check."""
    for name in names:
        messages = list(CHECKS[name](root))
        yield from ((name, message) for message in messages)
        print(f"{'BAD' if messages else 'ok '}  {name}", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Check everything; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=CHECKS, action="append", help="one check; repeat it (default: all)")
    names = parser.parse_args(arguments).only or list(CHECKS)
    all_faults = list(faults(ROOT, names))
    for _, fault in all_faults:
        print(fault)
    return 1 if all_faults else 0


if __name__ == "__main__":
    sys.exit(main())
