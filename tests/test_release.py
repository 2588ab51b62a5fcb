"""What must be true of a release, and the wheels: faults are found, and what is configured is what is supported."""

import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest

from tools import release_check, wheels

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CHANGES = "# Changelog\n\n## [Unreleased]\n{}\n## [1.2.3] - 2030-01-31\n\n- All.\n\n## [1.2.2] - 2029-01-31\n"


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """The files of a clone that is ready, as version 1.2.3."""
    files = {
        "sniffai/version.py": 'VERSION: Final = "1.2.3"\n',
        "CHANGELOG.md": CHANGES.format(""),
        "clients/node/package.json": json.dumps({"version": "1.2.3"}),
        "clients/node/package-lock.json": json.dumps({"version": "1.2.3"}),
        "deploy/kubernetes/example/kustomization.yaml": "images:\n  - newTag: 1.2.3\n",
        "sniffai/v1/rules_pb2.py": "generated",
        "tests/data/stubs-1.2.3/sniffai/v1/rules_pb2.py": "generated",
        "tests/data/proto-1.2.3.binpb": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def told(root: Path) -> list[str]:
    names = [name for name in release_check.CHECKS if name != "wheels"]
    return [fault for _, fault in release_check.faults(root, names)]


def test_a_clone_that_is_ready_has_no_faults(release: Path) -> None:
    assert told(release) == []


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("CHANGELOG.md", CHANGES.format("\n- New.\n"), "1.2.3 is in the changelog with a date, and there is more"),
        ("CHANGELOG.md", "## [Unreleased]\n- New.\n\n## [1.2.2] - 2029-01-31\n", "[Unreleased] is not empty"),
        ("CHANGELOG.md", CHANGES.replace("1.2.3", "1.3.0").format(""), "the newest section with a date is ['1.3.0']"),
        ("CHANGELOG.md", CHANGES.replace("[Unreleased]", "[Next]").format(""), "must be [Unreleased]"),
        ("clients/node/package.json", '{"version": "1.2.2"}', "package.json: 1.2.2 instead of 1.2.3"),
        ("sniffai/version.py", 'VERSION: Final = "1.2"\n', "'1.2' is no MAJOR.MINOR.PATCH"),
        ("sniffai/v1/rules_pb2.py", "generated anew", "not the code of now (rules_pb2.py"),
        ("sniffai/v1/match_pb2.py", "generated", "not the code of now (match_pb2.py"),
        ("deploy/kubernetes/example/kustomization.yaml", "images:\n  - newTag: 1.2.4\n", "1.2.4 instead of 1.2.3"),
    ],
)
def test_each_fault_is_found(release: Path, name: str, text: str, fault: str) -> None:
    (release / name).write_text(text, encoding="utf-8")
    assert any(fault in one for one in told(release))


def test_a_contract_that_is_not_kept_is_found(release: Path) -> None:
    (release / "tests/data/proto-1.2.3.binpb").unlink()
    shutil.rmtree(release / "tests/data/stubs-1.2.3")
    assert len(told(release)) == 2


def test_wheels_are_built_for_the_supported_pythons() -> None:
    build = PROJECT["tool"]["cibuildwheel"]["build"].split()
    classifiers = " ".join(PROJECT["project"]["classifiers"])
    versions = re.findall(r"Python :: (3\.\d+)\b", classifiers)
    assert build == [f"cp{version.replace('.', '')}-*" for version in versions]
    assert set(versions) <= set(wheels.SUPPORTED)
    assert PROJECT["project"]["requires-python"] == f">={versions[0]}"


def test_tests_that_need_the_clone_exist() -> None:
    for argument in wheels.clone_only():
        path, _, name = argument.partition("=")[2].partition("::")
        text = (ROOT / path).read_text(encoding="utf-8")
        assert not name or f"def {name}(" in text


@pytest.mark.parametrize(
    "name", ["gcc", "cc", "x86_64-linux-gnu-gcc-12", "clang-14", "c++", "ld.bfd", "as", "python3.11", "pip3"]
)
def test_compilers_are_left_out(name: str) -> None:
    assert wheels.COMPILERS.fullmatch(name)


@pytest.mark.parametrize("name", ["bash", "cat", "ls", "ldd", "git", "sh", "env", "node", "asciidoc"])
def test_other_commands_are_not(name: str) -> None:
    assert not wheels.COMPILERS.fullmatch(name)


def test_the_copy_beside_the_tests_has_no_packages(tmp_path: Path) -> None:
    copy = wheels.test_files(tmp_path)
    assert not any((copy / name).exists() for name in wheels.PACKAGES)
    assert (copy / "tests" / "test_release.py").exists() and not (copy / ".git").exists()
