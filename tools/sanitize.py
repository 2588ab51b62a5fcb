"""Run the core's tests and some play under AddressSanitizer and UBSan: ``make sanitize``. Linux and gcc.

First the planted faults (tools/planted.pyx) must all be seen. Leaks are not looked for: the interpreter itself keeps
memory to its end. ``python tools/sanitize.py --play 60`` plays, with whatever core it finds.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Final, get_args

import sniffai
from sniffai.search.params import Objective

ROOT: Final = Path(__file__).resolve().parent.parent
LIBRARY: Final = ROOT / "build" / "sanitize" / "lib"
PLANTED: Final = {
    "read_past_the_end(100)": "AddressSanitizer: heap-buffer-overflow",
    "read_what_is_freed(100)": "AddressSanitizer: heap-use-after-free",
    "shift_too_far(32)": "runtime error: shift exponent",
    "add_too_much(2**31 - 1)": "runtime error: signed integer overflow",
}
"""What each planted fault is called by the one who sees it."""
PLAY_SECONDS: Final = 60.0


def main() -> int:
    """Build, check the controls, test, play; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--play", type=float, metavar="SECONDS", help="play only, in this process")
    seconds = parser.parse_args().play
    if seconds is not None:
        play(seconds)
        return 0
    build()
    for call, name in PLANTED.items():
        check_planted(call, name)
    print(f"==> {len(PLANTED)} planted faults, all seen")
    for path in (LIBRARY / "sniffai_ext").glob("planted.*"):
        path.unlink()  # a test calls all that the core has, and knows nothing of these
    print("==> the tests of the core", flush=True)
    run("-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "timeout=3600", "tests/ext")
    print(f"==> {PLAY_SECONDS:.0f} s of play", flush=True)
    run(__file__, "--play", str(PLAY_SECONDS))
    return 0


def build() -> None:
    """Build the core with the sanitizers into a folder of its own."""
    print("==> building the core with the sanitizers into build/sanitize", flush=True)
    command = [sys.executable, "setup.py", "--quiet", "build_ext"]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"SNIFFAI_BUILD": "sanitize"}, check=True)
    for path in (ROOT / "ext" / "sniffai_ext").glob("*.py"):
        shutil.copy(path, LIBRARY / "sniffai_ext")


def check_planted(call: str, name: str) -> None:
    """Expect a planted fault to be seen and to end its process.

    :raises SystemExit: it is not.
    """
    script = f"from sniffai_ext import planted; planted.{call}"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode == 0 or name not in done.stderr:
        raise SystemExit(f"a planted fault was not seen: {call}\n{done.stderr}")


def run(*words: str) -> None:
    """Run Python with the sanitized core.

    :raises SystemExit: it fails.
    """
    done = subprocess.run([sys.executable, *words], cwd=ROOT, env=environment(), check=False)
    if done.returncode:
        raise SystemExit(done.returncode)


def environment() -> dict[str, str]:
    """What a process needs to run the sanitized core; memory of Python objects is watched, too."""
    compiler = os.environ.get("CC", "gcc").split()
    asked = subprocess.run([*compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    return os.environ | {
        "ASAN_OPTIONS": "detect_leaks=0",
        "LD_PRELOAD": asked.stdout.strip(),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(LIBRARY),
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


def play(seconds: float) -> None:
    """Play rounds by search, decision by decision in all ways that the core is asked, for some time."""
    end, seed, decisions = time.monotonic() + seconds, 0, 0
    while time.monotonic() < end:
        round_, lots = sniffai.Round.deal(2 + seed % 3, seed), random.Random(seed)
        while not round_.over and time.monotonic() < end:
            ask(round_, lots)
            round_.play(lots.choice(round_.legal_moves()))
            decisions += 1
        seed += 1
    print(f"{decisions} decisions of {seed} rounds")


def ask(round_: sniffai.Round, lots: random.Random) -> None:
    """One decision: the belief, a search of a random kind, now and then of the open deal."""
    view, seed = round_.view(round_.seat), lots.getrandbits(63)
    view = sniffai.View.from_text(view.to_text())
    assert len(sniffai.Belief(view).sample_many(3, seed)[0]) == 3
    limits = sniffai.Limits(
        simulations=lots.choice([1, 40, 600, 3000]),
        memory_bytes=lots.choice([None, 65_536]),
        stop_when_decided=lots.random() < 0.3,
        target_standard_error=lots.choice([None, 1.0]),
    )
    params = sniffai.SearchParams(exact=lots.random() < 0.5, objective=lots.choice(get_args(Objective)))
    searcher = sniffai.Searcher(view, seed=seed, params=params, threads=lots.choice([1, 1, 2]))
    stopper = threading.Timer(0.001, searcher.stop)
    if lots.random() < 0.1:
        stopper.start()
    assert searcher.run(limits, on_snapshot=lambda _: None, interval=0.01).moves
    stopper.cancel()
    if lots.random() < 0.1:
        assert sniffai.analyze_deal(round_, limits, seed=seed).moves


if __name__ == "__main__":
    sys.exit(main())
