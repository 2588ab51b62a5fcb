"""How smooth the page of the web table is on a slow phone: ``python -m benchmarks.web_page``, after ``make e2e``.

A headless Chromium of 360 x 740 pixels plays a match against a level by touch, with its processor slowed down
(``--slower 6``: what browsers' own tools take for a cheap phone). Meanwhile the page's frames are timed and its long
tasks counted: a task of more than 50 ms is one that a finger notices. Without a graphics card all is drawn by the
processor.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.server.figures import Check, machine, quantile, verdict
from tests.e2e.web.player import PHONE, new_match, person, place_one, press, wait_for_turn
from tests.e2e.web.served import Served
from tools.system_parts import chromium

MOST = 0.2
"""Seconds that a task may take, p99 of the long ones: what is done within a fifth of a second seems prompt."""

WATCH = """() => {
  window.frames_ = []; window.tasks_ = [];
  let last = performance.now();
  const next = (now) => { window.frames_.push(now - last); last = now; requestAnimationFrame(next); };
  requestAnimationFrame(next);
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => window.tasks_.push(entry.duration)))
    .observe({ entryTypes: ["longtask"] });
}"""


def main() -> int:
    """The command."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slower", type=float, default=6.0, help="how much slower (default: %(default)s)")
    parser.add_argument("--placements", type=int, default=30, help="to make (default: %(default)s)")
    options = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder, Served(Path(folder)) as served, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])  # root has no sandbox
        touch: dict[str, Any] = {"has_touch": True, "is_mobile": True}
        with person(browser, served.url, PHONE, **touch) as page:
            page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": options.slower})
            new_match(page, level="steady", length=0)
            page.evaluate(WATCH)
            for _ in range(options.placements):
                now = wait_for_turn(page)
                if now == "match":
                    break
                if now == "round":
                    press(page, ".overlay .main", "tap")
                    page.locator(".overlay").wait_for(state="hidden")
                else:
                    place_one(page, "tap")
            frames, tasks = page.evaluate("[window.frames_, window.tasks_]")
        browser.close()
    p50, p95, p99 = (quantile(frames, share) for share in (0.5, 0.95, 0.99))
    print(f"{len(frames)} frames: p50 {p50:.0f} ms, p95 {p95:.0f} ms, p99 {p99:.0f} ms")
    longest = quantile(tasks, 0.99) / 1000 if tasks else 0.0
    print(f"{len(tasks)} tasks of more than 50 ms, p99 {longest * 1e3:.0f} ms")
    return verdict([Check(f"tasks p99 {longest * 1e3:.0f} ms, at most {MOST * 1e3:.0f} ms", longest <= MOST)])


if __name__ == "__main__":
    sys.exit(main())
