"""Make sniffai/v1 and the code of the npm package from proto/sniffai/v1. Run it by `make proto`.

In Python: messages, service stubs and their types. In JavaScript: messages and services with their types, and the
details of errors. With --check nothing is written: the generated text is compared, and a difference is an error. The
same .proto files, tools/proto-requirements.txt and clients/node/package-lock.json always give the same bytes.
"""

import argparse
import importlib.resources
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "proto"
PACKAGE = Path("sniffai/v1")
NODE = ROOT / "clients" / "node"
DETAILS = Path(sysconfig.get_path("purelib"))
"""Where googleapis-common-protos has its .proto files."""
ERROR_DETAILS = "google/rpc/error_details.proto"
PACKAGES = (PACKAGE, Path("clients/node/sniffai/v1"), Path("clients/node/google/rpc"))
"""The folders that are generated, whole."""
INIT = '"""Generated from proto/sniffai/v1 by `make proto`: messages and stubs of the wire contract. Do not edit."""\n'


def names(marker: str = "") -> list[str]:
    """Return the .proto files whose text holds marker, as protoc wants them, sorted."""
    paths = sorted((SOURCES / PACKAGE).glob("*.proto"))
    return [path.relative_to(SOURCES).as_posix() for path in paths if marker in path.read_text(encoding="utf-8")]


def protoc(*arguments: str) -> None:
    """Run protoc with its well-known types and our three plugins; its own complaint ends the program."""
    tools = Path(sys.executable).parent
    folders = (SOURCES, importlib.resources.files("grpc_tools") / "_proto", DETAILS)
    plugins = (tools / "protoc-gen-mypy", tools / "protoc-gen-mypy_grpc", NODE / "node_modules/.bin/protoc-gen-es")
    options = [*(f"--proto_path={folder}" for folder in folders), *(f"--plugin={plugin}" for plugin in plugins)]
    if subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *options, *arguments], check=False).returncode != 0:
        sys.exit("protoc failed")


def generate(folder: Path) -> None:
    """Write all packages below folder, each at its path in the project."""
    for package in PACKAGES:
        (folder / package).mkdir(parents=True)
    protoc(f"--python_out={folder}", f"--mypy_out=quiet:{folder}", *names())
    # Stubs only for the files that define a service.
    protoc(f"--grpc_python_out={folder}", f"--mypy_grpc_out=quiet:{folder}", *names("\nservice "))
    (folder / PACKAGE / "__init__.py").write_text(INIT, encoding="utf-8")
    options = "--es_opt=target=js+dts,import_extension=js"
    protoc(f"--es_out={folder / NODE.relative_to(ROOT)}", options, *names(), ERROR_DETAILS)


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a generated package by name, caches left out."""
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.*")) if path.is_file()}


def check(fresh: Path, package: Path) -> None:
    """End the program with the names of the files that differ, if any."""
    new, old = contents(fresh / package), contents(ROOT / package)
    if different := sorted(name for name in new.keys() | old.keys() if new.get(name) != old.get(name)):
        sys.exit(f"{package} is not what proto/ gives; run `make proto` and commit: {', '.join(different)}")


def main() -> None:
    """Generate, then replace the packages or compare with them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        fresh = Path(temporary)
        generate(fresh)
        for package in PACKAGES:
            if arguments.check:
                check(fresh, package)
            else:
                shutil.rmtree(ROOT / package, ignore_errors=True)
                shutil.copytree(fresh / package, ROOT / package)


if __name__ == "__main__":
    main()
