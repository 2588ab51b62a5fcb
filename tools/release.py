"""Make a release of what is here: `python -m tools.release 0.2.0`. Nothing is committed, tagged or published.

It writes the version into all places that have it, gives the changelog a section with the date, keeps the contract for
the tests of later versions (tests/data/stubs-VERSION and proto-VERSION.binpb), and records again what has the version
in it: the service's answers and the output in the documents. Read the difference, commit it, and run
`make release-check`. docs/stability.md has the other steps.
"""

import argparse
import datetime
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tools.breaking import BUF

ROOT: Final = Path(__file__).resolve().parent.parent
NUMBER: Final = r"(\d+\.\d+\.\d+)"
SEMANTIC: Final = re.compile(NUMBER)
PLACES: Final = {
    "sniffai/version.py": r'^VERSION: Final = "([^"]*)"$',
    "clients/node/package.json": r'^\s*"version": "([^"]*)"',
    "clients/node/package-lock.json": r'"name": "sniffai",\s+"version": "([^"]*)"',
    "clients/node/README.md": rf"\./sniffai-{NUMBER}\.tgz",
    "deploy/kubernetes/example/kustomization.yaml": r"\bnewTag: (\S+)$",
    "docs/deploy.md": rf"IMAGE=\S+:{NUMBER}",
    "docs/bulk.md": rf"as in `{NUMBER}/",
}
"""Where the version is written by hand, and how to find it there."""
SECTION: Final = re.compile(r"^## \[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?$", re.MULTILINE)
FIXES: Final = ("Fixed", "Security")
"""What a PATCH version may have in the changelog."""
RECORDED: Final = ("tests.golden_answers", "tools.examples")
"""Modules that record again what has the version in it."""


class ReleaseError(Exception):
    """What is asked for cannot be released; ``str()`` says why."""


def versions_in(root: Path, name: str) -> list[str]:
    """The version as a file has it, once for each place."""
    text = (root / name).read_text(encoding="utf-8")
    return [place[1] for place in re.finditer(PLACES[name], text, re.MULTILINE)]


def version_of(root: Path) -> str:
    """The version of the package; empty if there is none."""
    return next(iter(versions_in(root, "sniffai/version.py")), "")


def unreleased(root: Path) -> str:
    """What the changelog says of changes since the last release."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    return text.partition("## [Unreleased]")[2].partition("\n## [")[0].strip()


def check_version(root: Path, version: str) -> None:
    """Expect that a version may follow.

    :raises ReleaseError: it is none, no later one, or promises less change than there is.
    """
    old, changes = version_of(root), unreleased(root)
    if not SEMANTIC.fullmatch(version):
        raise ReleaseError(f"{version} is no MAJOR.MINOR.PATCH")
    if not changes:
        raise ReleaseError("CHANGELOG.md: nothing is in [Unreleased]")
    parts, before = (tuple(map(int, text.split("."))) for text in (version, old))
    if parts <= before:
        raise ReleaseError(f"{version} is not later than {old}")
    kinds = re.findall(r"^### (.*)$", changes, re.MULTILINE)
    more = [kind for kind in kinds if kind not in FIXES]
    if parts[:2] == before[:2] and more:
        raise ReleaseError(f"{version} is a PATCH after {old}, but [Unreleased] has {', '.join(more)}: raise MINOR")


def write_version(root: Path, version: str, date: str) -> None:
    """Write a version into all places, and give the changelog its section."""
    for name, pattern in PLACES.items():
        path = root / name
        text = path.read_text(encoding="utf-8")
        places = list(re.finditer(pattern, text, re.MULTILINE))
        for place in reversed(places):
            text = text[: place.start(1)] + version + text[place.end(1) :]
        path.write_text(text, encoding="utf-8")
    path = root / "CHANGELOG.md"
    text = path.read_text(encoding="utf-8")
    heading = "## [Unreleased]\n"
    path.write_text(text.replace(heading, f"{heading}\n## [{version}] - {date}\n", 1), encoding="utf-8")


def keep_contract(root: Path, version: str) -> None:
    """Keep the generated code and the contract of a version for the tests of later ones."""
    data = root / "tests" / "data"
    kept = data / f"stubs-{version}" / "sniffai"
    shutil.rmtree(kept.parent, ignore_errors=True)
    (kept / "v1").mkdir(parents=True)
    for path in sorted((root / "sniffai" / "v1").glob("*.py")):
        shutil.copy(path, kept / "v1")
    (kept / "__init__.py").write_text(f'"""The generated code of version {version}."""\n', encoding="utf-8")
    (data / f"proto-{version}.binpb").write_bytes(contract_image(root))


def contract_image(root: Path) -> bytes:
    """The contract as buf compares it."""
    command = [str(BUF), "build", "--exclude-source-info", "-o", "-"]
    return subprocess.run(command, cwd=root, check=True, capture_output=True).stdout


def steps(root: Path, version: str) -> Iterator[str]:
    """Do it, and tell of each step before it.

    :raises ReleaseError: the version may not follow, or a step failed.
    """
    check_version(root, version)
    yield f"{version_of(root)} becomes {version}: {', '.join(PLACES)}, CHANGELOG.md"
    write_version(root, version, datetime.datetime.now(datetime.UTC).date().isoformat())
    yield f"the contract: tests/data/stubs-{version}, tests/data/proto-{version}.binpb"
    keep_contract(root, version)
    for module in RECORDED:
        yield f"python -m {module}"
        if subprocess.run([sys.executable, "-m", module], cwd=root, check=False).returncode:
            raise ReleaseError(f"that failed; all before it is done, so mend it and go on with `python -m {module}`")
    yield "read `git diff`, commit it, and run `make release-check`"


def main(arguments: Sequence[str] | None = None) -> int:
    """Prepare a release; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", help="MAJOR.MINOR.PATCH, later than the last one")
    try:
        for step in steps(ROOT, parser.parse_args(arguments).version):
            print(f"==> {step}", flush=True)
    except ReleaseError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
