"""Build the image where no Docker engine is: the steps of the Dockerfile in a clean root, each one a layer.

``python tools/image.py`` (as root, on Linux, with Debian's debootstrap and umoci) makes an OCI image in build/image and
says how large it is and how soon it serves. What Docker would pull as python:3.13-slim is made by debootstrap instead:
Debian trixie, whose Python is 3.13. Everything else are the commands of the Dockerfile, run as Docker would run them:
file systems are overlays, so a layer is what its step changed. ``make image`` builds the real one.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
SUITE: Final = "trixie"
PACKAGES: Final = "ca-certificates,python3,python3-pip"
COMPILING: Final = ",python3-dev"
"""What the base of the first stage has besides: the headers that come with Docker's Python."""
HOST_FILES: Final = ("/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt", "/etc/pip.conf")
"""Files of this machine by which the commands reach the package index; no part of a layer."""
SECONDS: Final = 60.0


@dataclass
class Stage:
    """A stage of the Dockerfile."""

    name: str
    steps: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Tree:
    """A file system of layers, the lowest first."""

    folder: Path
    base: Path
    layers: list[Path] = field(default_factory=list)

    @contextmanager
    def mounted(self, *, change: bool = True) -> Iterator[Path]:
        """The file system with all layers; changes go to a new layer, or are lost."""
        number = len(self.layers)
        upper, work, root = (self.folder / f"{kind}{number}" for kind in ("layer", "work", "root"))
        for path in (upper, work, root):
            path.mkdir(parents=True)
        lower = ":".join(str(path) for path in [*reversed(self.layers), self.base])
        subprocess.run(
            ["mount", "-t", "overlay", "overlay", "-o", f"lowerdir={lower},upperdir={upper},workdir={work}", root],
            check=True,
        )
        try:
            yield root
        finally:
            subprocess.run(["umount", root], check=True)
            root.rmdir()
            shutil.rmtree(work)
        if change:
            self.layers.append(upper)
        else:
            shutil.rmtree(upper)


@dataclass
class Config:
    """What an image says of itself besides its files."""

    env: dict[str, str] = field(
        default_factory=lambda: {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
    )
    user: str = "0:0"
    folder: str = "/"
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    ports: list[str] = field(default_factory=list)
    volumes: list[str] = field(default_factory=list)
    stop: str = ""


def stages(text: str) -> list[Stage]:
    """The stages of a Dockerfile."""
    parsed: list[Stage] = []
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    for line in lines.replace("\\\n", " ").splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "FROM":
            parsed.append(Stage(rest.partition(" AS ")[2]))
        elif word:
            parsed[-1].steps.append((word, rest.strip()))
    return parsed


def base(folder: Path, packages: str) -> Path:
    """The root that stands for the image that the Dockerfile begins with."""
    if not (folder / "usr").exists():
        command = ["debootstrap", "--variant=minbase", f"--include={packages}", SUITE, folder]
        subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL, check=True)
    # as in Docker's image: the command is called python, and pip may install for all
    link = folder / "usr" / "local" / "bin" / "python"
    if not link.is_symlink():
        link.symlink_to("/usr/bin/python3")
    for marker in (folder / "usr" / "lib").glob("python3*/EXTERNALLY-MANAGED"):
        marker.unlink()
    shutil.rmtree(folder / "var" / "cache" / "apt", ignore_errors=True)
    return folder


class Build:
    """The stages of a Dockerfile, one after the other.

    :param folder: where everything is made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.trees: dict[str, Tree] = {}

    def stage(self, stage: Stage, root: Path) -> tuple[Tree, Config, list[str]]:
        """Run all steps of a stage; its files, its settings and the step of each layer."""
        tree, config, made = Tree(self.folder / (stage.name or "image"), root), Config(), []
        self.trees[stage.name] = tree
        for word, rest in stage.steps:
            if word in ("RUN", "COPY"):
                began = time.perf_counter()
                with tree.mounted() as mounted:
                    self.run(mounted, config, rest) if word == "RUN" else self.copy(mounted, config, rest)
                made.append(f"{word} {rest}")
                size = megabytes(tree.layers[-1])
                print(f"{size:7.1f} MB {time.perf_counter() - began:5.1f} s  {word} {rest[:80]}", flush=True)
            else:
                self.set(config, word, rest)
                if word == "WORKDIR":
                    with tree.mounted() as mounted:
                        (mounted / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
                    made.append(f"{word} {rest}")
        return tree, config, made

    def run(self, root: Path, config: Config, rest: str) -> None:
        """A command in the root, with what it mounts and with the network of this machine."""
        mounts = re.findall(r"--mount=(\S+)", rest)
        command = re.sub(r"--mount=\S+\s*", "", rest)
        with ExitStack() as stack:
            for mount in mounts:
                options = dict(part.partition("=")[::2] for part in mount.split(","))
                source = ROOT / options["source"]
                if "from" in options:
                    built = stack.enter_context(self.trees[options["from"]].mounted(change=False))
                    source = built / options["source"].lstrip("/")
                stack.enter_context(bound(source, root / options["target"].lstrip("/")))
            for name in HOST_FILES:
                if Path(name).exists():
                    stack.enter_context(bound(Path(name), root / name.lstrip("/")))
            inside(root, config, ["/bin/sh", "-c", command])

    def copy(self, root: Path, config: Config, rest: str) -> None:
        """Files of the clone that git knows, as .dockerignore lets them through."""
        *sources, target = rest.split()
        place = root / Path(config.folder, target).as_posix().lstrip("/")
        listed = subprocess.run(["git", "ls-files", *sources], cwd=ROOT, capture_output=True, text=True, check=True)
        for name in listed.stdout.splitlines():
            inner = (
                Path(name).relative_to(sources[0]) if len(sources) == 1 and Path(ROOT, sources[0]).is_dir() else None
            )
            path = place / inner if inner else place / name if target.endswith("/") else place
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, path)

    def set(self, config: Config, word: str, rest: str) -> None:
        """A step that changes no file."""
        match word:
            case "ENV":
                config.env |= dict(part.partition("=")[::2] for part in shlex.split(rest))
            case "USER":
                config.user = rest
            case "WORKDIR":
                config.folder = rest
            case "ENTRYPOINT":
                config.entrypoint = json.loads(rest)
            case "CMD":
                config.command = json.loads(rest)
            case "EXPOSE":
                config.ports += [f"{port}/tcp" for port in rest.split()]
            case "VOLUME":
                config.volumes.append(rest)
            case "STOPSIGNAL":
                config.stop = rest
            case "HEALTHCHECK":
                pass  # OCI images have none
            case _:
                raise SystemExit(f"tools/image.py does not know {word}")


@contextmanager
def bound(source: Path, target: Path, how: str = "bind,ro") -> Iterator[None]:
    """Mount a file or folder at a place, which is there only meanwhile."""
    there = target.exists()
    if not there:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.mkdir() if source.is_dir() else target.touch()
    subprocess.run(["mount", "-o", how, source, target], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", target], check=True)
        if not there:
            target.rmdir() if source.is_dir() else target.unlink()


def inside(root: Path, config: Config, command: Sequence[str]) -> None:
    """Run a command in a root, as the image's user and in its folder."""
    user, group = config.user.split(":")
    chroot = ["chroot", f"--userspec={user}:{group}", root, "/usr/bin/env", "-i", f"--chdir={config.folder}"]
    variables = [f"{name}={value}" for name, value in {**config.env, "HOME": "/root"}.items()]
    done = subprocess.run(list(map(str, [*chroot, *variables, *command])), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{shlex.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def megabytes(folder: Path) -> float:
    """The size of the files in a folder, in MB; those with several names count once."""
    seen = {}
    for path in folder.rglob("*"):
        status = path.lstat()
        seen[status.st_ino] = status.st_size
    return sum(seen.values()) / 1e6


def mark_removed(layer: Path) -> None:
    """What a step removed, as images say it instead of overlays."""
    for path in list(layer.rglob("*")):
        status = path.lstat()
        if stat.S_ISCHR(status.st_mode) and status.st_rdev == 0:
            path.unlink()
            (path.parent / f".wh.{path.name}").touch()
        elif stat.S_ISDIR(status.st_mode) and "trusted.overlay.opaque" in os.listxattr(path):
            (path / ".wh..wh..opq").touch()


def write(folder: Path, tree: Tree, config: Config, made: Sequence[str]) -> Path:
    """The OCI image, by umoci: a layer for the base and one for each step."""
    image = folder / "oci"
    shutil.rmtree(image, ignore_errors=True)

    def umoci(*words: str) -> None:
        subprocess.run(["umoci", *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    umoci("init", "--layout", str(image))
    umoci("new", "--image", f"{image}:sniffai")
    for layer, step in zip([tree.base, *tree.layers], ["the base", *made], strict=True):
        archive = folder / "layer.tar"
        mark_removed(layer)
        subprocess.run(["tar", "--numeric-owner", "--sort=name", "-C", layer, "-cf", archive, "."], check=True)
        umoci("raw", "add-layer", "--image", f"{image}:sniffai", "--history.created_by", step, str(archive))
        archive.unlink()
    words = [f"--config.env={name}={value}" for name, value in config.env.items()]
    words += [f"--config.entrypoint={word}" for word in config.entrypoint]
    words += [f"--config.cmd={word}" for word in config.command]
    words += [f"--config.exposedports={port}" for port in config.ports]
    words += [f"--config.volume={volume}" for volume in config.volumes]
    words += [
        f"--config.user={config.user}",
        f"--config.workingdir={config.folder}",
        f"--config.stopsignal={config.stop}",
    ]
    umoci("config", "--image", f"{image}:sniffai", *words)
    return image


def seconds_to_serve(tree: Tree, config: Config) -> float:
    """Seconds from the start of the image's command until its own health check says SERVING; it is ended by SIGTERM.

    The root is read-only but for the volumes, and the network is that of this machine, at another port.
    """
    environment = {**config.env, "SNIFFAI_HOST": "127.0.0.1", "SNIFFAI_PORT": "50991"}
    config = replace(config, env=environment)
    user = config.user.split(":")[0]
    with tree.mounted(change=False) as root, bound_proc(root), ExitStack() as stack:
        for volume in config.volumes:
            place = root / volume.lstrip("/")
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"uid={user},mode=0700", "tmpfs", place], check=True)
            stack.callback(_unmount, place)
        subprocess.run(["mount", "-o", "remount,ro", root], check=True)
        chroot = ["chroot", f"--userspec={user}:{user}", str(root), "/usr/bin/env", "-i", f"--chdir={config.folder}"]
        variables = [f"{name}={value}" for name, value in environment.items()]
        began = time.perf_counter()
        server = subprocess.Popen(
            [*chroot, *variables, "sniffai-server", "serve"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        line = server.stdout.readline()
        took = time.perf_counter() - began
        if "listening on" not in line:
            raise SystemExit(f"the image does not serve: {line}{server.communicate()[1]}")
        try:
            inside(root, config, ["sniffai-server", "health"])
        finally:
            server.terminate()
            server.wait(SECONDS)
    if server.returncode:
        raise SystemExit(f"the image's server ended with {server.returncode}")
    return took


def _unmount(place: Path) -> None:
    subprocess.run(["umount", place], check=True)


@contextmanager
def bound_proc(root: Path) -> Iterator[None]:
    """A /proc and a /dev for a server."""
    with ExitStack() as stack:
        for name in ("proc", "dev"):
            stack.enter_context(bound(Path("/") / name, root / name, "bind"))
        yield


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, measure and write the image; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "image")
    folder = parser.parse_args(arguments).out.resolve()
    if os.geteuid() or not all(map(shutil.which, ("debootstrap", "umoci"))):
        raise SystemExit("tools/image.py needs root, and Debian's packages debootstrap and umoci")
    first, last = stages((ROOT / "Dockerfile").read_text(encoding="utf-8"))
    build = Build(folder / "stages")
    shutil.rmtree(build.folder, ignore_errors=True)
    build.stage(first, base(folder / "base-build", PACKAGES + COMPILING))
    root = base(folder / "base", PACKAGES)
    tree, config, made = build.stage(last, root)
    print(f"{megabytes(root):7.1f} MB          the base")
    took = seconds_to_serve(tree, config)
    image = write(folder, tree, config, made)
    size = sum(path.stat().st_size for path in image.rglob("*") if path.is_file())
    total = megabytes(root) + sum(map(megabytes, tree.layers))
    print(f"{image}: {size / 1e6:.0f} MB to pull, {total:.0f} MB unpacked, serving after {took:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
