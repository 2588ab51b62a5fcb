"""Where a part of the package is not installed, one line says what to install: in every command, and in the library."""

import json
import subprocess
import sys

import pytest

import sniffai
from sniffai.cli.group import COMMANDS
from sniffai.errors import LimitsError
from sniffai.extras import what_to_install
from sniffai.jobs.processes import Processes

HIDE = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

hidden = sys.argv[1].split(",")
sys.meta_path.insert(0, Hidden())
"""
EACH = (
    HIDE
    + """
import json
try:
    from sniffai.cli.group import run
except ImportError:
    from sniffai.cli import main
    main()
for args in json.loads(sys.argv[2]):
    print(json.dumps([args, run(args)]), file=sys.stderr)
"""
)
VIEW = sniffai.Round.deal(2, seed=3).to_text()
WIRE = json.dumps({"players": 2})


def hiding(modules: str, code: str, *args: str) -> tuple[int, list[str]]:
    command = [sys.executable, "-c", HIDE + code, modules, *args]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stderr.splitlines()


def commands(modules: str, *lines: list[str], first: str = "") -> list[tuple[str, int]]:
    """What each command line says, and its exit status.

    :param first: code that is run before the command line is imported.
    """
    command = [sys.executable, "-c", first + EACH, modules, json.dumps(lines)]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stderr.splitlines()
    assert len(told) == 2 * len(lines), told
    return [(line, json.loads(status)[1]) for line, status in zip(told[::2], told[1::2], strict=True)]


@pytest.mark.parametrize("module", ["click", "rich"])
def test_the_command_line_says_what_it_comes_with(module: str) -> None:
    status, told = hiding(module, "from sniffai.cli import main; main()", "deal")
    assert (status, told) == (2, [f"sniffai: {module} is missing; it comes with: pip install 'sniffai[cli]'"])


@pytest.mark.parametrize("module", ["google", "grpc"])
def test_commands_that_need_the_wire_say_so(module: str) -> None:
    lines = [["info", "--server", "127.0.0.1:1"], ["recommend", VIEW, "--server", "127.0.0.1:1", "--simulations", "1"]]
    if module == "google":
        lines += [["deal", "--json"], ["draw", WIRE], ["review", WIRE], ["replay", WIRE], ["recommend", VIEW]]
        lines += [["perft", WIRE, "--depth", "1"]]
    for line, status in commands(module, *lines):
        assert line.startswith(f"sniffai: {module}")
        assert line.endswith("is missing; it comes with: pip install 'sniffai[client]'")
        assert status == 2


def test_pictures_and_plots_say_what_they_need(tmp_path: "object") -> None:
    lines = [
        ["draw", VIEW, "--output", f"{tmp_path}/a.png"],
        ["equity", "show", "--scores", "0,0", "--plot", f"{tmp_path}/a.svg"],
    ]
    told = commands("resvg_py,matplotlib", *lines)
    assert told == [
        ("sniffai: resvg_py is missing; it comes with: pip install 'sniffai[draw]'", 2),
        ("sniffai: matplotlib is missing; it comes with: pip install 'sniffai[plot]'", 2),
    ]


def test_no_other_command_needs_the_wire() -> None:
    """Their help is enough to import them."""
    code = "from sniffai.cli.group import run\nfor name in sys.argv[2:]: assert run([name, '--help']) == 0, name"
    names = [name for name in COMMANDS if name != "recommend"]
    assert hiding("google,grpc,grpc_status,matplotlib,resvg_py", code, *names) == (0, [])


@pytest.mark.parametrize(
    ("module", "command"),
    [("grpc", "config"), ("google", "config"), ("grpc_health", "config"), ("prometheus_client", "serve")],
)
def test_the_server_says_what_it_needs(module: str, command: str) -> None:
    status, told = hiding(module, f"from sniffai_server.cli import main; sys.exit(main(['{command}']))")
    assert status == 2
    assert len(told) == 1
    assert told[0].startswith(f"sniffai-server: {module}")
    assert told[0].endswith("is missing; it comes with: pip install 'sniffai[server]'")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import sniffai.client", "client"),
        ("import sniffai.wire", "client"),
        ("import sniffai.lab.equity.plot", "plot"),
        ("from sniffai.draw import png; png('<svg/>')", "draw"),
    ],
)
def test_the_library_says_what_to_install(code: str, told: str) -> None:
    status, lines = hiding("google,grpc,matplotlib,resvg_py", code)
    assert status == 1
    assert lines[-1].startswith("ModuleNotFoundError: ")
    assert lines[-1].endswith(f"is missing; it comes with: pip install 'sniffai[{told}]'")


def test_numpy_is_enough_for_the_library() -> None:
    hidden = "click,rich,google,grpc,grpc_status,matplotlib,resvg_py,grpc_health,prometheus_client,opentelemetry"
    code = """
import sniffai, sniffai.review, sniffai.draw, sniffai.explain, sniffai.equity, sniffai.play.arena
table = sniffai.Round.deal(2, seed=1)
sniffai.recommend(table.view(table.seat), sniffai.Limits(simulations=10))
"""
    assert hiding(hidden, code) == (0, [])


def test_a_package_that_is_too_old_is_reported() -> None:
    old = ImportError("cannot import name 'runtime_version'", name="google.protobuf")
    assert what_to_install(old) == (
        "google.protobuf cannot be used, perhaps because it is too old; it comes with: pip install 'sniffai[client]'"
    )
    assert what_to_install(ModuleNotFoundError(name="sniffai_ext.search")) is not None
    assert what_to_install(ModuleNotFoundError(name="somewhere")) is None


NO_SEMAPHORES = """
import errno, _multiprocessing, multiprocessing.synchronize
def refuse(*args, **options):
    raise OSError(errno.ENOSYS, "Function not implemented")
multiprocessing.synchronize._multiprocessing.SemLock = refuse
"""


def test_a_system_without_semaphores_says_what_to_set() -> None:
    round_ = sniffai.Round.deal(2, seed=3)
    while not round_.over:
        round_.play(round_.legal_moves()[0])
    lines = [
        ["arena", "random", "greedy", "--deals", "4", "--workers", "2"],
        ["ladder", "random", "greedy", "--deals", "4", "--workers", "2"],
        ["review", round_.to_text(), "--workers", "2", "--simulations", "10"],
    ]
    error = "[Errno 38] Function not implemented"
    why = f"this system cannot start worker processes ({error}): set workers to 1 to work without them"
    assert commands("nothing", *lines, first=NO_SEMAPHORES) == [(f"sniffai: workers: {why}", 2)] * 3


def test_a_platform_without_semaphores_is_an_error_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise NotImplementedError("This Python build lacks multiprocessing.synchronize")

    monkeypatch.setattr("sniffai.jobs.processes.ProcessPoolExecutor", refuse)
    with pytest.raises(LimitsError, match="cannot start worker processes") as caught:
        list(Processes(2).spread(str, [1, 2]))
    assert (caught.value.reason, caught.value.field) == ("NO_WORKERS", "workers")
