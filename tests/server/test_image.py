"""The container image: everything in it is pinned by hash, and the locks cover what pyproject.toml asks for."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tools import image

ROOT = Path(__file__).parent.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
ENTRY = re.compile(r"^([\w.-]+)==(\S+)(?: ; (.+?))? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)


def pinned(name: str) -> dict[str, Version]:
    """The packages of a lock."""
    text = (ROOT / "server" / name).read_text(encoding="utf-8")
    entries = ENTRY.findall(text)
    assert "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#")) == "".join(
        f"{package}=={version}{f' ; {marker}' if marker else ''} \\\n{hashes}"
        for package, version, marker, hashes in entries
    )
    return {str(canonicalize_name(package)): Version(version) for package, version, *_ in entries}


def wanted(*extras: str) -> list[Requirement]:
    """What pyproject.toml asks for with some extras, its own extras resolved."""
    asked, found = [*extras], [Requirement(text) for text in PROJECT["project"]["dependencies"]]
    while asked:
        for text in PROJECT["project"]["optional-dependencies"][asked.pop()]:
            requirement = Requirement(text)
            if requirement.name == "sniffai":
                asked += requirement.extras
            else:
                found.append(requirement)
    return found


@pytest.mark.parametrize("extra", ["server", "cli", "otel", "postgres"])
def test_the_lock_covers_the_extras(extra: str) -> None:
    lock = pinned("requirements.lock")
    for requirement in wanted(extra):
        assert lock[str(canonicalize_name(requirement.name))] in requirement.specifier, requirement


def test_the_lock_covers_what_those_need_in_turn() -> None:
    lock = pinned("requirements.lock")
    for name in lock:
        for text in metadata.requires(name) or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                assert canonicalize_name(requirement.name) in lock, f"{name} needs {requirement}"


def test_the_build_is_pinned_too() -> None:
    lock = pinned("build.lock")
    asked = (ROOT / "server" / "build.in").read_text(encoding="utf-8").splitlines()
    assert [line for line in asked if not line.startswith("#")] == PROJECT["build-system"]["requires"]
    for text in PROJECT["build-system"]["requires"]:
        requirement = Requirement(text)
        assert lock[str(canonicalize_name(requirement.name))] in requirement.specifier


def test_the_image_installs_by_hash_or_from_what_it_built() -> None:
    lines = re.findall(r"pip (?:install|wheel) .*", DOCKERFILE)
    assert len(lines) == 4
    for line in lines:
        assert "--require-hashes" in line or "--no-deps" in line
    assert "COPY . " not in DOCKERFILE


def test_the_image_is_served_to_others_only_on_purpose() -> None:
    assert "ENV SNIFFAI_HOST=0.0.0.0" in DOCKERFILE
    assert 'CMD ["serve"]' in DOCKERFILE
    assert not re.search(r"^(ENV|CMD|ENTRYPOINT).*insecure", DOCKERFILE, re.IGNORECASE | re.MULTILINE)
    assert re.search(r"^USER 10001:10001$", DOCKERFILE, re.MULTILINE)


def test_audit_is_strict_reads_both_locks_and_is_no_part_of_ci() -> None:
    recipe = MAKEFILE.partition("\naudit:")[2].partition("\n\n")[0]
    assert "--strict" in recipe
    assert "server/requirements.lock" in recipe
    assert "server/build.lock" in recipe
    assert "audit" not in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_script_without_docker_knows_every_step() -> None:
    """Only a real build, as root, shows that the steps work: `make image-here`."""
    first, last = image.stages(DOCKERFILE)
    assert (first.name, last.name) == ("build", "")
    config = image.Config()
    build = image.Build(ROOT)
    for word, rest in [*first.steps, *last.steps]:
        if word not in ("RUN", "COPY"):
            build.set(config, word, rest)
    assert (config.user, config.folder, config.stop) == ("10001:10001", "/tmp", "SIGTERM")
    assert (config.entrypoint, config.command) == (["sniffai-server"], ["serve"])
    assert config.ports == ["50051/tcp", "8080/tcp"]
    assert config.volumes == [config.env["STATE_DIRECTORY"]]
    assert config.env["SNIFFAI_HOST"] == "0.0.0.0"


def test_an_unknown_step_ends_the_script() -> None:
    with pytest.raises(SystemExit, match="does not know ADD"):
        image.Build(ROOT).set(image.Config(), "ADD", "a b")
