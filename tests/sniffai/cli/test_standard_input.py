"""Signals that come while a command waits for its input."""

import subprocess
from pathlib import Path

import pytest

from tests.own_terminal import OwnTerminal

EARLY_SIGNAL = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/select.h>
#include <unistd.h>

static int waits = 0;

/* Ctrl-C, just before the system begins to wait for the terminal. */
static void interrupt(void)
{
    if (++waits == atoi(getenv("EARLY_SIGNAL")))
        raise(SIGINT);
}

ssize_t read(int file, void *to, size_t size)
{
    ssize_t (*real)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
    if (file == 0)
        interrupt();
    return real(file, to, size);
}

int select(int count, fd_set *in, fd_set *out, fd_set *bad, struct timeval *time)
{
    int (*real)(int, fd_set *, fd_set *, fd_set *, struct timeval *) = dlsym(RTLD_NEXT, "select");
    if (in && FD_ISSET(0, in))
        interrupt();
    return real(count, in, out, bad, time);
}
"""


@pytest.fixture(scope="module")
def early_signal(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A library that sends a signal at the worst moment: Python has looked for one and does not yet wait."""
    folder = tmp_path_factory.mktemp("early")
    (folder / "early.c").write_text(EARLY_SIGNAL)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "early.so", folder / "early.c", "-ldl"], check=True)
    return str(folder / "early.so")


@pytest.mark.parametrize("args", [("play", "random", "--seed", "5"), ("recommend", "-")], ids=["lines", "a text"])
@pytest.mark.parametrize(("typed", "call"), [("", 1), ("1\n", 2), ("1\n", 3)], ids=["first", "reading", "second"])
def test_ctrl_c_just_before_the_input_is_read_ends_the_command(
    tmp_path: Path, early_signal: str, args: tuple[str, ...], typed: str, call: int
) -> None:
    """Each line takes two calls: one that waits, one that reads."""
    on = OwnTerminal(tmp_path, *args, LD_PRELOAD=early_signal, EARLY_SIGNAL=str(call))
    on.type(typed)
    assert on.end() == 130
    assert "Traceback" not in on.seen
