"""Build the source distribution and a wheel for each Python here, and test the wheels where no compiler is.

``python tools/wheels.py --tests`` is what `make release-check` does. A wheel is built from the source distribution, by
pip with the build requirements of pyproject.toml alone. It is installed into a new environment whose PATH has no
compiler, and the tests run against what is installed: beside them lie all folders of the clone but those of the
packages.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
SUPPORTED: Final = ("3.11", "3.12", "3.13", "3.14", "3.13t", "3.14t")
COMPILERS: Final = re.compile(
    r"(.*-)?(gcc|g\+\+|cc|c\+\+|clang|clang\+\+|tcc|cpp|ld|as|gold|bfd)([-.].*)?|c[89]9(-gcc)?|cl|python.*|pip.*"
)
PACKAGES: Final = ("ext", "server", "sniffai")
"""Folders that hold the packages: not beside the tests, which must find what is installed."""
LEFT_OUT: Final = (".*", "build", "dist", "node_modules", "*.egg-info", "__pycache__")
TESTED: Final = ("tests/ext", "tests/sniffai", "tests/server")
CLONE_ONLY: Final = "tests/clone_only.txt"
"""Names the tests that read the source folders of the packages."""
SECONDS: Final = 3600


class WheelError(Exception):
    """A wheel that cannot be built, installed or used; ``str()`` has what was said."""


def run(command: Sequence[str | Path], folder: Path | None = None, environment: Mapping[str, str] | None = None) -> str:
    """What a command prints.

    :raises WheelError: it failed.
    """
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode:
        raise WheelError(f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}")
    return done.stdout


def version_of(python: str | Path) -> str:
    """Such as ``"3.13t"``; empty if it does not run."""
    code = "import sys, sysconfig; t = 't' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''"
    code += "; print(f'{sys.version_info[0]}.{sys.version_info[1]}{t}')"
    try:
        return run([python, "-c", code]).strip()
    except (WheelError, OSError):
        return ""


def pythons() -> dict[str, str]:
    """A Python of each supported version that is here: on PATH, or of pyenv."""
    folders = [Path(folder) for folder in os.get_exec_path()]
    folders += sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/*/bin"))
    by_version: dict[str, str] = {}
    for folder in folders:
        for version in SUPPORTED:
            command = folder / f"python{version}"
            if version not in by_version and command.exists() and version_of(command) == version:
                by_version[version] = str(command)
    return by_version


def build_sdist(out: Path) -> Path:
    """The source distribution, by the build backend alone."""
    code = f"import setuptools.build_meta as build; build.build_sdist({str(out)!r})"
    run([sys.executable, "-c", code], ROOT, os.environ | {"SNIFFAI_BUILD": "skip"})
    (archive,) = out.glob("*.tar.gz")
    return archive


def build_wheel(python: str, archive: Path, out: Path) -> Path:
    """The wheel of a source distribution for one Python."""
    before = set(out.glob("*.whl"))
    run([python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", out, archive])
    (wheel,) = set(out.glob("*.whl")) - before
    return wheel


def commands_without_compilers(folder: Path) -> Path:
    """A folder with links to all commands but compilers and Pythons."""
    folder.mkdir()
    for directory in reversed(os.get_exec_path()):
        for command in Path(directory).iterdir() if Path(directory).is_dir() else ():
            if not COMPILERS.fullmatch(command.name):
                link = folder / command.name
                link.unlink(missing_ok=True)
                link.symlink_to(command)
    return folder


def clean_environment(python: str, folder: Path) -> tuple[Path, dict[str, str]]:
    """The Python of a new virtual environment, and variables by which nothing can be compiled."""
    run([python, "-m", "venv", folder / "venv"])
    binaries = folder / "venv" / "bin"
    path = f"{binaries}{os.pathsep}{commands_without_compilers(folder / 'commands')}"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SNIFFAI", "VIRTUAL"))}
    return binaries / "python", {
        **kept,
        "PATH": path,
        "CC": "/bin/false",
        "CXX": "/bin/false",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


def test_files(folder: Path) -> Path:
    """A copy of the clone without the packages."""
    copy = folder / "clone"
    shutil.copytree(ROOT, copy, ignore=lambda where, names: _left_out(Path(where), names), symlinks=True)
    return copy


def _left_out(where: Path, names: list[str]) -> set[str]:
    left = {name for pattern in LEFT_OUT for name in names if Path(name).match(pattern)}
    return left | ({name for name in names if name in PACKAGES} if where == ROOT else set())


def clone_only() -> Iterator[str]:
    """Arguments of pytest that leave out tests of the source folders."""
    for line in (ROOT / CLONE_ONLY).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield f"--deselect={line}" if "::" in line else f"--ignore={line}"


def check_wheel(python: str, wheel: Path, *, tests: bool) -> Iterator[str]:
    """Install a wheel where no compiler is, and use it; yields a line for each step.

    :param tests: whether to run the tests as well, with what they need.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        inside, environment = clean_environment(python, folder)
        pip: list[str | Path] = [inside, "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
        run([*pip, wheel], folder, environment)
        listed = run([inside, "-m", "pip", "list", "--format=freeze"], folder, environment)
        names = sorted(line.partition("==")[0] for line in listed.splitlines() if "==" in line)
        yield f"pip install sniffai brings {', '.join(names)}"
        smoke = shutil.copy(ROOT / "tools" / "wheel_smoke.py", folder)
        yield run([inside, smoke], folder, environment).strip()
        if tests:
            run([*pip, f"{wheel}[test]"], folder, environment)
            arguments = ["-q", "-m", "not slow", "-n", "auto", "-p", "no:cacheprovider", *TESTED, *clone_only()]
            output = run([inside, "-m", "pytest", *arguments], test_files(folder), environment)
            yield output.strip().splitlines()[-1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Build and check; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for what is built (default: dist)")
    parser.add_argument(
        "--python", action="append", help="a Python to build for; repeat it (default: all that are here)"
    )
    parser.add_argument("--tests", action="store_true", help="run the tests, too: minutes for each Python")
    options = parser.parse_args(arguments)
    shutil.rmtree(options.out, ignore_errors=True)
    options.out.mkdir(parents=True)
    archive = build_sdist(options.out.resolve())
    print(f"{archive.name}: {archive.stat().st_size / 1e6:.1f} MB", flush=True)
    by_version = {version_of(python): python for python in options.python} if options.python else pythons()
    for version, python in by_version.items():
        try:
            wheel = build_wheel(python, archive, options.out.resolve())
            print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB", flush=True)
            for line in check_wheel(python, wheel, tests=options.tests):
                print(f"  {line}", flush=True)
        except WheelError as error:
            print(f"Python {version}: {error}", file=sys.stderr)
            return 1
    missing = [version for version in SUPPORTED if version not in by_version and not version.endswith("t")]
    print(f"wheels work on Python {', '.join(by_version)}" + (f"; not here: {', '.join(missing)}" if missing else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
