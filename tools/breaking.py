"""Expect no change of proto/ that breaks the clients of an earlier version: `make breaking`.

Compared are the last tag of git that this commit descends from, where there is one, and the images in tests/data, one a
version (`buf build --exclude-source-info -o tests/data/proto-VERSION.binpb`): those are there in a plain clone too. A
break planted into a copy must be found, or the comparison proves nothing.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUF = Path(sys.executable).with_name("buf")


def last_tag(root: Path) -> str | None:
    """Return the nearest tag, None where there is none or no git."""
    command = ["git", "describe", "--tags", "--abbrev=0"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() or None


def earlier(root: Path) -> list[str]:
    """Return what buf is to compare with."""
    tag = last_tag(root)
    images = [path.relative_to(root).as_posix() for path in sorted((root / "tests" / "data").glob("proto-*.binpb"))]
    return [*([f".git#tag={tag}"] if tag else []), *images]


def breaks(root: Path, against: str, output: int | None = None) -> bool:
    """Return whether buf finds a break; it prints what it finds, unless told where else to send that."""
    command = [str(BUF), "breaking", "--against", against]
    return subprocess.run(command, cwd=root, stdout=output, check=False).returncode != 0


def finds_planted(root: Path) -> bool:
    """Return whether a field that is another one all of a sudden is found."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        shutil.copytree(root / "proto", copy / "proto")
        shutil.copy(root / "buf.yaml", copy)
        file = copy / "proto" / "sniffai" / "v1" / "limits.proto"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("optional int64 simulations = 2;", "optional string simulations = 2;"), "utf-8")
        return all(breaks(copy, str(root / image), subprocess.DEVNULL) for image in earlier(root)[-1:])


def main() -> int:
    """Return 0 if nothing breaks."""
    failures = 0
    for against in earlier(ROOT):
        print(f"comparing proto with {against}", flush=True)
        failures += breaks(ROOT, against)
    if not finds_planted(ROOT):
        print("a planted break was not found", file=sys.stderr)
        failures += 1
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
