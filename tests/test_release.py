"""What must be true of a release, and the wheels: faults are found, and what is configured is what is supported."""

import re
import shutil
import tomllib
from pathlib import Path

import pytest

from sniffai.version import VERSION
from tools import release, release_check, wheels

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CHANGES = "# Changelog\n\n## [Unreleased]\n{}\n## [1.2.3] - 2030-01-31\n\n- All.\n\n## [1.2.2] - 2029-01-31\n"
VERSIONS = {
    "sniffai/version.py": 'VERSION: Final = "1.2.3"\n',
    "clients/node/package.json": '{\n  "version": "1.2.3"\n}\n',
    "clients/node/package-lock.json": '{"name": "sniffai",\n "version": "1.2.3",\n "x": {"version": "9.9.9"}}',
    "clients/node/README.md": "npm install ./sniffai-1.2.3.tgz --prefix YOUR_PROJECT\n",
    "deploy/kubernetes/example/kustomization.yaml": "images:\n  - newTag: 1.2.3\n",
    "docs/deploy.md": "make image IMAGE=registry.example.com/sniffai:1.2.3    # and push it\n",
    "docs/bulk.md": "as in `1.2.3/1340137123`",
}


@pytest.fixture
def ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of a clone that is ready, as version 1.2.3."""
    files = {
        **VERSIONS,
        "CHANGELOG.md": CHANGES.format(""),
        "sniffai/v1/__init__.py": "",
        "sniffai/v1/rules_pb2.py": "generated",
        "tests/data/stubs-1.2.3/sniffai/v1/rules_pb2.py": "generated",
        "tests/data/proto-1.2.3.binpb": "contract",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(release, "contract_image", lambda root: b"contract")
    return tmp_path


def told(root: Path) -> list[str]:
    names = [name for name in release_check.CHECKS if name != "wheels"]
    return [fault for _, fault in release_check.faults(root, names)]


def test_a_clone_that_is_ready_has_no_faults(ready: Path) -> None:
    assert told(ready) == []


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("CHANGELOG.md", CHANGES.format("\n- New.\n"), "[Unreleased] has changes since 1.2.3"),
        ("CHANGELOG.md", CHANGES.replace("1.2.3", "1.3.0").format(""), "the newest section with a date is 1.3.0"),
        ("CHANGELOG.md", "## [Unreleased]\n", "the newest section with a date is missing"),
        ("CHANGELOG.md", CHANGES.replace("[Unreleased]", "[Next]").format(""), "must be [Unreleased]"),
        ("sniffai/version.py", 'VERSION: Final = "1.2"\n', "'1.2' is no MAJOR.MINOR.PATCH"),
        ("sniffai/v1/rules_pb2.py", "generated anew", "not the code of now (rules_pb2.py"),
        ("sniffai/v1/match_pb2.py", "generated", "not the code of now (match_pb2.py"),
        ("tests/data/proto-1.2.3.binpb", "another", "proto-1.2.3.binpb: not the contract of now"),
        *((name, VERSIONS[name].replace("3", "4"), f"{name}: 1.2.4 instead of 1.2.3") for name in release.PLACES),
        ("docs/deploy.md", "", "docs/deploy.md: no version instead of 1.2.3"),
    ],
)
def test_each_fault_is_found(ready: Path, name: str, text: str, fault: str) -> None:
    if name == "sniffai/version.py" and "1.2.4" in fault:  # the others are measured by this one
        fault = "CHANGELOG.md: the newest section with a date is 1.2.3, the version of the package is 1.2.4"
    (ready / name).write_text(text, encoding="utf-8")
    assert any(fault in one for one in told(ready))


def test_a_contract_that_is_not_kept_is_found(ready: Path) -> None:
    (ready / "tests/data/proto-1.2.3.binpb").unlink()
    shutil.rmtree(ready / "tests/data/stubs-1.2.3")
    assert len(told(ready)) == 2


def test_a_release_is_made_of_what_is_unreleased(ready: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Afterwards nothing is missing, and what the last release left is still there."""
    monkeypatch.setattr(release, "RECORDED", ())
    (ready / "CHANGELOG.md").write_text(CHANGES.format("\n### Added\n\n- New.\n"), encoding="utf-8")
    (ready / "sniffai/v1/rules_pb2.py").write_text("generated anew", encoding="utf-8")
    assert len(told(ready)) == 2
    assert len(list(release.steps(ready, "1.3.0"))) == 3
    assert told(ready) == []
    text = (ready / "CHANGELOG.md").read_text(encoding="utf-8")
    pattern = r"\[Unreleased\]\n\n## \[1\.3\.0\] - \d{4}-\d\d-\d\d\n\n### Added\n\n- New\.\n\n## \[1\.2\.3\]"
    assert re.search(pattern, text)
    assert '"version": "9.9.9"' in (ready / "clients/node/package-lock.json").read_text(encoding="utf-8")
    assert (ready / "tests/data/stubs-1.2.3/sniffai/v1/rules_pb2.py").read_text(encoding="utf-8") == "generated"


@pytest.mark.parametrize(
    ("changes", "version", "why"),
    [
        ("### Added\n\n- New.", "1.3", "1.3 is no MAJOR.MINOR.PATCH"),
        ("### Added\n\n- New.", "1.2.3", "1.2.3 is not later than 1.2.3"),
        ("### Added\n\n- New.", "1.1.9", "1.1.9 is not later than 1.2.3"),
        (
            "### Fixed\n\n- It.\n\n### Added\n\n- New.",
            "1.2.4",
            "is a PATCH after 1.2.3, but [Unreleased] has Added",
        ),
        ("", "1.2.4", "nothing is in [Unreleased]"),
    ],
)
def test_a_version_says_what_has_changed(ready: Path, changes: str, version: str, why: str) -> None:
    (ready / "CHANGELOG.md").write_text(CHANGES.format(f"\n{changes}\n"), encoding="utf-8")
    with pytest.raises(release.ReleaseError, match=re.escape(why)):
        next(release.steps(ready, version))
    assert release.version_of(ready) == "1.2.3"


def test_this_clone_has_one_version() -> None:
    found = {name: release.versions_in(ROOT, name) for name in release.PLACES}
    assert all(found.values())
    assert {version for versions in found.values() for version in versions} == {VERSION}


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
