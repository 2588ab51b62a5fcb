"""What holds between the rooms, and between the files and the pages that describe them."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sniffai

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
    assert ast.literal_eval(answer.stdout) == ["sniffai"]


def test_the_names_of_the_library_are_those_that_type_checkers_see() -> None:
    (guarded,) = (
        node
        for node in ast.parse((ROOT / "sniffai" / "__init__.py").read_text(encoding="utf-8")).body
        if isinstance(node, ast.If)
    )
    seen = {}
    for node in guarded.body:
        assert isinstance(node, ast.ImportFrom)
        seen.update({alias.name: node.module for alias in node.names})
    assert seen == {name: f"sniffai.{module}" for name, module in sniffai._MODULE_OF.items()}
    assert {*seen} == {*sniffai.__all__} <= {*dir(sniffai)}
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = sniffai.nothing


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
