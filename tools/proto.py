"""Make sniffai/v1 from proto/sniffai/v1: messages, service stubs and their types. Run it by `make proto`.

With --check nothing is written: the generated text is compared with sniffai/v1 and a difference is an error.
The same .proto files and tools/proto-requirements.txt always give the same bytes.
"""

import argparse
import importlib.resources
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "proto"
PACKAGE = Path("sniffai/v1")
INIT = '"""Generated from proto/sniffai/v1 by `make proto`: messages and stubs of the wire contract. Do not edit."""\n'


def names(marker: str = "") -> list[str]:
    """Return the .proto files whose text holds marker, as protoc wants them, sorted."""
    paths = sorted((SOURCES / PACKAGE).glob("*.proto"))
    return [path.relative_to(SOURCES).as_posix() for path in paths if marker in path.read_text(encoding="utf-8")]


def protoc(*arguments: str) -> None:
    """Run protoc with its well-known types and our two plugins; its own complaint ends the program."""
    tools = Path(sys.executable).parent
    paths = [f"--proto_path={SOURCES}", f"--proto_path={importlib.resources.files('grpc_tools') / '_proto'}"]
    plugins = [f"--plugin={tools / name}" for name in ("protoc-gen-mypy", "protoc-gen-mypy_grpc")]
    command = [sys.executable, "-m", "grpc_tools.protoc", *paths, *plugins, *arguments]
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit("protoc failed")


def generate(folder: Path) -> None:
    """Write the package below folder, which must exist; stubs only for the files that define a service."""
    protoc(f"--python_out={folder}", f"--mypy_out=quiet:{folder}", *names())
    protoc(f"--grpc_python_out={folder}", f"--mypy_grpc_out=quiet:{folder}", *names("\nservice "))
    (folder / PACKAGE / "__init__.py").write_text(INIT, encoding="utf-8")


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a generated package by name, caches left out."""
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.py*"))}


def check(fresh: Path, kept: Path) -> None:
    """End the program with the names of the files that differ, if any."""
    new, old = contents(fresh), contents(kept)
    if different := sorted(name for name in new.keys() | old.keys() if new.get(name) != old.get(name)):
        sys.exit(f"{PACKAGE} is not what proto/ gives; run `make proto` and commit: {', '.join(different)}")


def main() -> None:
    """Generate, then replace the package or compare with it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        generate(Path(temporary))
        fresh = Path(temporary) / PACKAGE
        if arguments.check:
            check(fresh, ROOT / PACKAGE)
        else:
            shutil.rmtree(ROOT / PACKAGE, ignore_errors=True)
            shutil.copytree(fresh, ROOT / PACKAGE)


if __name__ == "__main__":
    main()
