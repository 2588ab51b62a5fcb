"""Check deploy/ by the programs that will read it, without a network: ``make deploy-check``.

Each validator that is installed runs; for each that is missing, one line says how to get it. Nothing is started.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
DEPLOY: Final = ROOT / "deploy"
KUBERNETES: Final = DEPLOY / "kubernetes"
COMPONENTS: Final = ("tls", "keys", "postgres")
VERSIONS: Final = ("1.29", "1.33", "1.37")
"""Versions of Kubernetes whose schemas the manifests must fit."""
EXPOSURE: Final = 25
"""The most that `systemd-analyze security` may find, in tenths."""
TOOLS: Final = Path(sys.executable).parent
"""Where pip puts the commands of this Python."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a validator said about a part of deploy/."""

    what: str
    good: bool
    said: str = ""


def run(*command: str | Path) -> tuple[bool, str]:
    """Whether a command succeeded, and what it printed."""
    environment = os.environ | {"GRAFANA_PASSWORD": "for the check"}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment, check=False)
    return done.returncode == 0, (done.stdout + done.stderr).strip()


def find(name: str) -> str | None:
    """A command of this Python or of the system."""
    return shutil.which(name, path=f"{TOOLS}{os.pathsep}{os.environ.get('PATH', os.defpath)}")


def overlays(folder: Path) -> Iterator[tuple[str, Path]]:
    """All ways to combine the base with components, as folders with a kustomization; the example as it is."""
    yield "the example", KUBERNETES / "example"
    for chosen in product((False, True), repeat=len(COMPONENTS)):
        names = [name for name, taken in zip(COMPONENTS, chosen, strict=True) if taken]
        overlay = folder / ("-".join(names) or "base")
        overlay.mkdir()
        resource = os.path.relpath(KUBERNETES / "base", overlay)
        lines = ["resources:", f"  - {resource}", *(["components:"] if names else [])]
        lines += [f"  - {os.path.relpath(KUBERNETES / name, overlay)}" for name in names]
        (overlay / "kustomization.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
        yield f"base with {', '.join(names) or 'nothing'}", overlay


def check_kubernetes(kubectl: str) -> Iterator[Result]:
    """Build every combination, and compare it with the schemas if they are there."""
    validate = find("kubernetes-validate")
    with TemporaryDirectory() as folder:
        built = Path(folder).resolve() / "built.yaml"
        for what, overlay in overlays(built.parent):
            good, said = run(kubectl, "kustomize", overlay)
            yield Result(f"kubectl kustomize: {what}", good, said)
            if not good or validate is None:
                continue
            built.write_text(said, encoding="utf-8")
            for version in VERSIONS:
                good, said = run(validate, "--strict", "--kubernetes-version", version, built)
                yield Result(f"kubernetes-validate {version}: {what}", good, said)


def check_prometheus(promtool: str) -> Iterator[Result]:
    """The configurations, the rules, and when alerts fire."""
    folder = DEPLOY / "prometheus"
    good, said = run(promtool, "check", "config", folder / "prometheus.yml")
    yield Result("promtool check config: prometheus.yml", good, said)
    text = (folder / "kubernetes.yml").read_text(encoding="utf-8")
    with TemporaryDirectory() as temporary:
        # Debian builds promtool without Kubernetes.
        plain = Path(temporary) / "kubernetes.yml"
        plain.write_text(
            text.replace("kubernetes_sd_configs:\n      - {role: pod}", "static_configs: []").replace(
                "[alerts.yml]", f"[{folder / 'alerts.yml'}]"
            ),
            encoding="utf-8",
        )
        good, said = run(promtool, "check", "config", plain)
    yield Result("promtool check config: kubernetes.yml, but for its discovery", good, said)
    good, said = run(promtool, "test", "rules", ROOT / "tests" / "deploy" / "alerts.yml")
    yield Result("promtool test rules: when alerts fire", good, said)


def check_compose(compose: str) -> Iterator[Result]:
    """The compose file, by Docker's own program, which needs no engine for that."""
    good, said = run(compose, "-f", DEPLOY / "compose" / "compose.yaml", "config", "--quiet")
    yield Result("docker-compose config", good, said)


def check_systemd(analyze: str) -> Iterator[Result]:
    """How much the service could do to the machine."""
    unit = DEPLOY / "systemd" / "sniffai-server.service"
    good, said = run(analyze, "security", "--offline=true", f"--threshold={EXPOSURE}", "--no-pager", unit)
    level = next((line for line in said.splitlines() if "Overall" in line), said)
    yield Result(f"systemd-analyze security: {level.removeprefix('→ ')}", good, said)


CHECKS: Final[dict[str, tuple[Callable[[str], Iterator[Result]], str]]] = {
    "kubectl": (check_kubernetes, "kubectl 1.27 or later"),
    "promtool": (check_prometheus, "Debian's package prometheus"),
    "docker-compose": (check_compose, "tools/deploy-requirements.txt"),
    "systemd-analyze": (check_systemd, "Debian's package systemd"),
}


def results() -> Iterator[Result]:
    """What all validators that are installed say."""
    for name, (check, _) in CHECKS.items():
        if (command := find(name)) is not None:
            yield from check(command)


def main() -> int:
    """Print the results; 1 if something is wrong."""
    bad = 0
    for result in results():
        print("ok  " if result.good else "BAD ", result.what)
        if not result.good:
            bad += 1
            print(result.said)
    for name, (_, where) in CHECKS.items():
        if find(name) is None:
            print(f"not checked: {name} is not installed ({where})")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
