"""Builds the compiled core, ext/sniffai_ext/*.pyx; everything else is declared in pyproject.toml.

Every .pyx found is built: a new room needs no line here. A module is translated again when its .pyx or a .pxd that
it cimports changed, and all of them when this file, Cython or the variant changed.

SNIFFAI_BUILD, a comma-separated list, chooses a variant (default: none, the fast build):
    annotate   an HTML page for each module under build/cython; yellow lines call into Python
    trace      line tracing, for coverage of the .pyx files; slow
    sanitize   address and undefined-behaviour sanitizers, with planted faults as a control; goes into build/sanitize,
               never in place (`make sanitize` builds and runs it)
    skip       no module at all: the Makefile installs first, then builds in place, once

An editable install (`pip install -e .`, and what make does) puts the three source folders on sys.path. What setuptools
would install is an import hook that is asked last, so that a folder called ``sniffai`` in the working directory, such
as a clone seen from the folder above it, is taken for the package.
"""

import locale
import os
import sys
from pathlib import Path

import Cython
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.editable_wheel import editable_wheel

ROOT = Path(__file__).resolve().parent
SOURCES = [ROOT, ROOT / "ext", ROOT / "server"]  # `where` of pyproject.toml: the folders that hold packages
ROOM = Path("ext/sniffai_ext")
GENERATED = Path("build/cython")
SANITIZED = Path("build/sanitize")
PLANTED = Path("tools/planted.pyx")
SHARED = "sniffai_ext._shared"
"""What Cython writes for memoryviews, once for all rooms and not in each of them: half the time to compile."""
CORES = os.cpu_count() or 1
VARIANTS = {"annotate", "sanitize", "skip", "trace"}
OPTIMIZE = ["/O2"] if sys.platform == "win32" else ["-O3", "-g0"]
# What gcc says about Cython's C: shared tables that one room does not use, buffers that it cannot see being filled.
QUIET = ["unused-const-variable", "unused-function", "maybe-uninitialized", "sign-compare"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
# -O1 keeps every read, -fno-wrapv makes overflow a fault that can be seen; of each kind the last option holds.
SANITIZE = [*SANITIZERS, "-fno-omit-frame-pointer", "-fno-wrapv", "-O1", "-g"]


def chosen_variant():
    """Return the set of words in SNIFFAI_BUILD; an unknown word ends the build."""
    words = {word.strip() for word in os.environ.get("SNIFFAI_BUILD", "").split(",")} - {""}
    if unknown := words - VARIANTS:
        raise SystemExit(f"SNIFFAI_BUILD: unknown {sorted(unknown)}; known: {sorted(VARIANTS)}")
    if "sanitize" in words and {"--inplace", "-i"} & {*sys.argv}:
        raise SystemExit("SNIFFAI_BUILD: sanitize never goes in place; see `make sanitize`")
    return words


def extension(name, source, variant):
    """Return the build description of one module. Baseline instruction set: no -march, so that wheels travel."""
    sanitize = "sanitize" in variant
    quiet = [f"-Wno-{warning}" for warning in QUIET] if sys.platform == "linux" else []
    return Extension(
        name,
        [source.as_posix()],
        define_macros=[("CYTHON_TRACE_NOGIL", "1")] if "trace" in variant else [],
        extra_compile_args=OPTIMIZE + quiet + (SANITIZE if sanitize else []),
        extra_link_args=SANITIZERS if sanitize else [],
    )


def modules(variant):
    """Return the build description of every module, the largest sources first, as they take longest to compile."""
    sources = [*ROOM.glob("*.pyx"), *([PLANTED] if "sanitize" in variant else [])]
    sources.sort(key=lambda path: (-path.stat().st_size, path.name))
    return [
        extension(SHARED, ROOM / "_shared.c", variant),
        *(extension(f"sniffai_ext.{path.stem}", path, variant) for path in sources),
    ]


def directives(variant):
    """Return Cython's compiler directives.

    Bounds are checked where Cython can (Python sequences and memoryviews, at the door); the kernels work on C arrays
    and structs, where such checks do not exist, so they cost nothing there.
    """
    return {
        "language_level": "3",
        "cdivision": True,
        "embedsignature": True,
        "linetrace": "trace" in variant,
        "show_performance_hints": "annotate" in variant,
    }


def recipe(variant):
    """Return all that the generated C depends on besides the .pyx and .pxd files."""
    return "\n".join([Path(__file__).read_text(encoding="utf-8"), Cython.__version__, *sorted(variant)])


def translate(variant):
    """Translate to C what changed, or everything after a change of recipe, and return the extensions."""
    sanitize = "sanitize" in variant
    generated = SANITIZED / "cython" if sanitize else GENERATED
    note = generated / "recipe.txt"
    now = recipe(variant)
    extensions = cythonize(
        modules(variant),
        annotate="annotate" in variant,
        build_dir=generated.as_posix(),
        compiler_directives=directives(variant),
        force=not note.exists() or note.read_text(encoding="utf-8") != now,
        include_path=["ext"],
        nthreads=CORES,
        shared_utility_qualified_name=SHARED,
    )
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(now, encoding="utf-8")
    return extensions


class SourceFolders:
    """The setuptools `EditableStrategy` that writes the source folders into one .pth file."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        """Leave nothing to clean up."""

    def __call__(self, wheel, _files, _mapping):
        """Add the file to the wheel. Python reads it as UTF-8 since 3.13, in the encoding of the locale before."""
        encoding = "utf-8" if sys.version_info >= (3, 13) else locale.getencoding()
        text = "".join(f"{folder}\n" for folder in SOURCES)
        wheel.writestr(f"__editable__.{self.name}.pth", text.encode(encoding))


class EditableWheel(editable_wheel):
    """`pip install -e .`; see :class:`SourceFolders`."""

    def _select_strategy(self, name, _tag, _build_lib):
        # The one hook that setuptools has for this; tests/test_install.py fails if it goes away.
        return SourceFolders(name)


def main():
    """Describe the extensions and hand over to setuptools."""
    variant = chosen_variant()
    options = {"parallel": CORES}
    if "sanitize" in variant:
        options |= {"build_lib": str(SANITIZED / "lib"), "build_temp": str(SANITIZED / "temp")}
    extensions = [] if "skip" in variant else translate(variant)
    setup(ext_modules=extensions, options={"build_ext": options}, cmdclass={"editable_wheel": EditableWheel})


if __name__ == "__main__":
    main()
