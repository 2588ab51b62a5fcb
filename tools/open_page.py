"""Say where the page is as soon as it is served, and open it in a browser: `make play`."""

import os
import sys
import time
import urllib.error
import urllib.request
import webbrowser

SECONDS = 60.0
"""Time for the server to start."""


def main(url: str) -> None:
    """Wait for the page, and open it."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            with opener.open(url, timeout=2):
                break
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    else:
        return  # the server has said why
    print(f"==> open {url} in a browser; stop with Ctrl-C", flush=True)
    # Without a screen the browser found might be one in letters, which would take this terminal.
    if sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        webbrowser.open(url)


if __name__ == "__main__":
    main(sys.argv[1])
