"""What holds between the rooms, and between the files and the pages that describe them."""

import ast
import pkgutil
import re
import subprocess
import sys
from importlib.util import resolve_name
from pathlib import Path
from types import ModuleType

import pytest

import sniffai.client
import sniffai.jobs
import sniffai.play
import sniffai.records
import sniffai.review
import sniffai.search
import sniffai.wire
from sniffai.lazy import load_names

ROOT = Path(__file__).resolve().parent.parent
HEAVY = ("click", "google.protobuf", "grpc", "rich")


def sources() -> list[Path]:
    """The hand-written files of the rooms that are shipped, relative to the root."""
    files = [path.relative_to(ROOT) for room in ("ext", "sniffai", "server") for path in (ROOT / room).rglob("*.p*")]
    kept = [path for path in files if path.suffix in {".py", ".pyx", ".pxd"} and "v1" not in path.parts]
    return sorted(path for path in kept if path.name != "__init__.py")


def test_the_core_imports_nothing_of_ours() -> None:
    arrow = re.compile(r"^\s*(?:from|c?import)\s+(sniffai|sniffai_server|tests|tools)\b(?!_)", re.MULTILINE)
    for path in sources():
        if path.parts[0] == "ext":
            assert not arrow.findall((ROOT / path).read_text(encoding="utf-8")), path


def test_the_library_needs_no_extra() -> None:
    script = "import sys, sniffai; [getattr(sniffai, name) for name in sniffai.__all__]"
    script += f"; print([name for name in {HEAVY!r} if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_importing_the_library_imports_none_of_its_rooms() -> None:
    """So Ctrl-C is heard from the first moment of a command, and a script starts at once."""
    script = "import sys, sniffai; print(sorted(name for name in sys.modules if name.split('.')[0] in sys.argv[1:]))"
    ours = ["sniffai", "sniffai_ext", "numpy"]
    answer = subprocess.run([sys.executable, "-c", script, *ours], capture_output=True, text=True, check=True)
    assert ast.literal_eval(answer.stdout) == ["sniffai", "sniffai.lazy"]


@pytest.mark.parametrize(
    "code",
    [
        "sniffai.cli.main()",
        "sniffai.cli.group.run(['deal'])",
        "sniffai.Round.deal(2, 1).view(0).legal_moves()",
        "import sniffai.client",
    ],
)
def test_what_makes_no_array_starts_without_numpy(code: str) -> None:
    """It takes as long to import as such a command to run."""
    hook = (
        "import sys\nclass Hidden:\n def find_spec(self, name, *_):\n  assert name.partition('.')[0] != 'numpy', name\n"
    )
    script = f"{hook}sys.meta_path.insert(0, Hidden())\nsys.argv[1:] = ['--version']\nimport sniffai.cli.group\n{code}"
    subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)


@pytest.mark.parametrize(
    "package",
    [
        sniffai,
        sniffai.client,
        sniffai.jobs,
        sniffai.play,
        sniffai.records,
        sniffai.review,
        sniffai.search,
        sniffai.wire,
    ],
    ids=lambda package: package.__name__,
)
def test_the_names_of_a_package_are_those_that_type_checkers_see(package: ModuleType) -> None:
    assert package.__file__
    (guarded,) = (
        node for node in ast.parse(Path(package.__file__).read_text(encoding="utf-8")).body if isinstance(node, ast.If)
    )
    seen = {}
    for node in guarded.body:
        assert isinstance(node, ast.ImportFrom)
        seen.update({alias.name: node.module for alias in node.names})
    assert seen == {
        name: resolve_name(f".{module}", package.__name__)
        for module, names in package._MODULES.items()
        for name in names
    }
    assert {*seen} == {*package.__all__} <= {*dir(package)}
    # Importing a module of that name would put the module in the name's place.
    assert not {*seen} & {module.name for module in pkgutil.iter_modules(package.__path__)}
    load_names(package)
    assert {*seen} <= {*vars(package)}
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = package.nothing


def test_the_architecture_page_has_a_line_for_each_file() -> None:
    lines, folder = [], ""
    for line in (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"#+ `(.+?)`", line):
            folder = heading[1]
        elif entry := re.match(r"\| `(.+?)` \| .", line):
            lines.append(f"{folder}/{entry[1]}")
    assert sorted(set(lines)) == sorted({path.with_suffix("").as_posix() for path in sources()})
    assert len(lines) == len(set(lines))


def test_every_folder_of_code_is_a_package() -> None:
    """A folder without ``__init__.py`` would be missing from the wheel."""
    assert sorted({str(path.parent) for path in sources() if not (ROOT / path.parent / "__init__.py").exists()}) == []


def test_make_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = next(line for line in makefile.splitlines() if line.startswith(".PHONY:")).split()[1:]
    answer = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert sorted(line.split()[1] for line in answer.stdout.splitlines()) == sorted(phony)


def test_the_slow_tests_exist() -> None:
    """A test that was renamed would come back into `make check`."""
    for name in (ROOT / "tests" / "slow.txt").read_text(encoding="utf-8").split():
        file, _, function = name.partition("::")
        assert f"def {function}(" in (ROOT / file).read_text(encoding="utf-8"), name
