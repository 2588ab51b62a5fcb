"""What `make breaking` compares the contract with. That it finds a break it proves itself, with a planted one."""

import importlib.util
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
IMAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests" / "data").glob("proto-*.binpb"))
"""Of the contract of each release."""


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("breaking", ROOT / "tools" / "breaking.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What buf needs of the project, without git."""
    shutil.copytree(ROOT / "proto", tmp_path / "proto")
    shutil.copy(ROOT / "buf.yaml", tmp_path)
    (tmp_path / "tests" / "data").mkdir(parents=True)
    for image in IMAGES:
        shutil.copy(ROOT / image, tmp_path / "tests" / "data")
    return tmp_path


def test_a_clone_without_tags_has_a_contract_to_compare_with(clone: Path) -> None:
    assert IMAGES
    assert tool().earlier(clone) == IMAGES


def test_the_last_tag_is_compared_as_well(clone: Path) -> None:
    git = ["git", "-c", "user.name=n", "-c", "user.email=e@example.com", "-C", str(clone)]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "One"], ["tag", "v0.2.0"]):
        subprocess.run([*git, *words], check=True, capture_output=True)
    assert tool().earlier(clone) == [".git#tag=v0.2.0", *IMAGES]
