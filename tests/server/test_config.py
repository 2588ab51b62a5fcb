"""Settings from flags, variables and a file; how many cores a container leaves; what a wrong value is told."""

import os
import re
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from sniffai.client.diagnosis import Trust
from sniffai_server import cli, commands
from sniffai_server.access.keys import KeysError, add_entry, entry_of, make_key, read_keys
from sniffai_server.access.tls import SecurityError, certificates_of, channel_credentials
from sniffai_server.config import SERVICE, ConfigError, flag_of, from_text, read_config, to_toml, variable_of
from sniffai_server.cores import usable_cores
from sniffai_server.files import MOST_BYTES
from sniffai_server.settings import SettingError, Settings, default_of, rule_of, settings_fields, type_name
from tests.server.support import TIMEOUT

OPERATORS = Path(__file__).parent.parent.parent / "docs" / "operators.md"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "sniffai.toml"


def write(file: Path, *lines: str) -> str:
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(file)


def test_flags_go_before_variables_before_the_file_before_defaults(file: Path) -> None:
    path = write(file, "port = 1", "slots = 1", "queue_size = 1")
    config = read_config({"port": 3}, {"SNIFFAI_PORT": "2", "SNIFFAI_SLOTS": "2"}, path)
    settings = config.settings
    assert (settings.port, settings.slots, settings.queue_size, settings.host) == (3, 2, 1, "127.0.0.1")
    assert {name: config.sources[name] for name in ("port", "slots", "queue_size", "host")} == {
        "port": "flag --port",
        "slots": "variable SNIFFAI_SLOTS",
        "queue_size": f"file {path}, line 3",
        "host": "default",
    }


def test_a_variable_names_the_settings_file(file: Path) -> None:
    path = write(file, "port = 7")
    assert read_config({}, {"SNIFFAI_CONFIG": path}).settings.port == 7
    other = write(file.with_name("other.toml"), "port = 8")
    assert read_config({}, {"SNIFFAI_CONFIG": path}, other).settings.port == 8


def test_every_setting_has_a_flag_a_variable_and_a_key(file: Path) -> None:
    given: dict[str, Any] = {
        "host": "::1",
        "insecure": True,
        "reflection": False,
        "tls_cert": "a",
        "tls_key": "b",
        "health_cert": "c",
        "health_key": "d",
        "log_format": "text",
        "log_level": "debug",
        "web": True,
        "jobs": True,
        "web_origins": "https://a.example http://localhost:5173",
        "max_total_bytes": 1 << 20,
        "min_ping_seconds": 2.5,
    }
    for one in settings_fields():
        given.setdefault(one.name, {int: 1234, float: 1.5, str: "text"}.get(type(default_of(one)), 77))
    given |= {"max_search_bytes": 1 << 20, "max_request_bytes": 4096, "job_bytes": 1 << 28}
    expected = Settings(**given)
    text = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()}
    by_variable = read_config({}, {variable_of(name): value for name, value in text.items()})
    assert by_variable.settings == expected
    path = write(file, to_toml(by_variable))
    assert read_config({}, {}, path).settings == expected
    assert set(tomllib.loads(Path(path).read_text(encoding="utf-8"))) == {one.name for one in fields(Settings)}
    flags = [
        word
        for name, value in given.items()
        for word in (
            [flag_of(name)] if value is True else [f"--no-{name}"] if value is False else [flag_of(name), str(value)]
        )
    ]
    options = commands._parser().parse_args(["config", *flags])
    assert commands._config(options).settings == expected


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"SNIFFAI_PROT": "1"}, "variable SNIFFAI_PROT: unknown setting; did you mean SNIFFAI_PORT?"),
        ({"SNIFFAI_PORT": "70000"}, "variable SNIFFAI_PORT: at most 65,535 is expected, not '70000'"),
        ({"SNIFFAI_SLOTS": "0"}, "variable SNIFFAI_SLOTS: at least 1 is expected, not '0'"),
        ({"SNIFFAI_INSECURE": "maybe"}, "variable SNIFFAI_INSECURE: true or false is expected, not 'maybe'"),
        ({"SNIFFAI_MAX_SECONDS": "nan"}, "variable SNIFFAI_MAX_SECONDS: a number is expected, not 'nan'"),
        ({"SNIFFAI_MAX_SECONDS": "1e999"}, "variable SNIFFAI_MAX_SECONDS: a number is expected"),
        ({"SNIFFAI_LOG_FORMAT": "xml"}, "variable SNIFFAI_LOG_FORMAT: one of json, text is expected, not 'xml'"),
        ({"SNIFFAI_PORT": "9" * 100}, "variable SNIFFAI_PORT: a whole number is expected"),
        ({"SNIFFAI_TLS_CERT": "a.pem"}, "setting tls_key: is required together with tls_cert"),
        ({"SNIFFAI_TLS_KEY": "a.key"}, "setting tls_cert: is required together with tls_key"),
        ({"SNIFFAI_TLS_CLIENT_CA": "a"}, "setting tls_cert: is required together with tls_client_ca"),
        ({"SNIFFAI_MAX_TOTAL_BYTES": "5"}, "variable SNIFFAI_MAX_TOTAL_BYTES: 0 or at least 65,536 is expected"),
        ({"SNIFFAI_CONFIG": "/none.toml"}, "file /none.toml: No such file or directory"),
    ],
)
def test_wrong_variables(environment: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(words)):
        read_config({}, environment)


def test_variables_of_others_are_left_alone() -> None:
    assert read_config({}, {"PORT": "x", "SNIFFAI_BUILD": "skip"}).settings == Settings()


@pytest.mark.parametrize("service", ["SNIFFAI", "SNIFFAI_SERVER", "SNIFFAI_METRICS", "SNIFFAI_PROD_2"])
def test_variables_of_a_service_called_sniffai(service: str) -> None:
    """As Kubernetes sets them in every container."""
    told = {f"{service}_SERVICE_HOST": "10.0.0.1", f"{service}_PORT": "tcp://10.0.0.1:50051"}
    told |= {f"{service}_SERVICE_PORT": "50051", f"{service}_SERVICE_PORT_GRPC_WEB": "50051"}
    for protocol in ("TCP", "UDP", "SCTP"):
        name = f"{service}_PORT_50051_{protocol}"
        told |= {name: "tcp://10.0.0.1:50051", f"{name}_PROTO": "tcp", f"{name}_PORT": "50051", f"{name}_ADDR": "::1"}
    assert read_config({}, {**told, "SNIFFAI_SLOTS": "3"}).settings == Settings(slots=3)


def test_variables_of_a_link_called_sniffai() -> None:
    """As Docker sets them for a linked container, its own variables included."""
    told = {"SNIFFAI_NAME": "/web/sniffai", "SNIFFAI_ENV_PYTHON_VERSION": "3", "SNIFFAI_1_ENV_lower": "a\nb"}
    assert read_config({}, {**told, "SNIFFAI_SLOTS": "3"}).settings == Settings(slots=3)
    with pytest.raises(ConfigError, match="unknown setting"):
        read_config({}, {"SNIFFAI_NAME": "sniffai"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = " + "[" * 20_000, "the file is nested too deeply"),
        ("x = " + "{a=" * 5000, "the file is nested too deeply"),
        ("port = \uff15\uff10", "(at line 1, column 8): '\uff15' is not allowed there"),
        ("host = \u201clocalhost\u201d", "(at line 1, column 8): '\u201c' is not allowed there"),
        ("# a\r\rport = \ufeff1", "(at line 3, column 8): '\\ufeff' is not allowed there"),
        ("port = x", "Invalid value (at line 1, column 8)"),
        ("port =", "Invalid value (at end of document)"),
    ],
)
def test_text_that_is_no_toml(file: Path, text: str, words: str) -> None:
    file.write_bytes(text.encode())
    with pytest.raises(ConfigError) as told:
        read_config({}, {}, str(file))
    assert str(told.value).endswith(words)
    with pytest.raises(KeysError) as refused:
        read_keys(file, Settings())
    assert str(refused.value).endswith(words)


def test_any_ends_of_lines(file: Path) -> None:
    for end in (b"\n", b"\r\n", b"\r"):
        file.write_bytes(end.join((b"port = 7", b"slots = 3", b"")))
        config = read_config({}, {}, str(file))
        assert (config.settings, config.sources["slots"]) == (Settings(port=7, slots=3), f"file {file}, line 2")


def test_health_of_a_port_that_the_system_chooses(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["health", "--port", "0"]) == 1
    assert capsys.readouterr().err.startswith("sniffai-server: port 0 stands for any free port")


@pytest.mark.parametrize(
    ("variable", "value"), [("OTEL_EXPORTER_OTLP_COMPRESSION", "zip"), ("OTEL_BSP_MAX_QUEUE_SIZE", "-1")]
)
def test_wrong_variables_of_opentelemetry(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint = ["--otlp-endpoint", "http://127.0.0.1:1"]
    assert cli.main(["config", *endpoint]) == 0
    monkeypatch.setenv(variable, value)
    assert cli.main(["config", *endpoint]) == 1
    assert "sniffai-server: OpenTelemetry cannot start" in capsys.readouterr().err


def test_no_setting_is_named_like_a_variable_of_a_service() -> None:
    assert not [one.name for one in settings_fields() if SERVICE.fullmatch(variable_of(one.name))]


@pytest.mark.parametrize("name", ["SNIFFAI_SERVICE_HOSTS", "SNIFFAI_PORT_TCP", "SNIFFAI_PRT", "SNIFFAI_MAX_SECOND"])
def test_other_names_are_still_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=f"variable {name}: unknown setting"):
        read_config({}, {name: "1"})


def test_white_space_around_a_variable_is_ignored(file: Path) -> None:
    given = {
        "SNIFFAI_PORT": "5\n",
        "SNIFFAI_LOG_FORMAT": "text\r\n",
        "SNIFFAI_INSECURE": " true ",
        "SNIFFAI_HOST": "::1\n",
    }
    assert read_config({}, given).settings == Settings(port=5, log_format="text", insecure=True, host="::1")
    assert read_config({}, {"SNIFFAI_CONFIG": write(file, "port = 7") + "\n"}).settings.port == 7


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("SNIFFAI_PORT", "\uff15\uff10", "a whole number is expected, not '\uff15\uff10'"),
        ("SNIFFAI_KEYS_FILE", "/k\udce9", "UTF-8 text is expected, not '/k"),
        ("SNIFFAI_KEYS_FILE", "/k\x1b", "a text without control characters is expected"),
        ("SNIFFAI_HOST", "127.0.0.1:5", "variable SNIFFAI_HOST: a host without a port is expected"),
    ],
)
def test_values_with_invalid_characters_are_refused(name: str, value: str, words: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(words)):
        read_config({}, {name: value})


TEXT = "# first\nslots = 3\n"


@pytest.mark.parametrize("content", [TEXT.encode("utf-8-sig"), TEXT.replace("\n", "\r\n").encode(), TEXT[:-1].encode()])
def test_forms_of_text(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    assert read_config({}, {}, str(file)).sources["slots"] == f"file {file}, line 2"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (TEXT.encode("utf-16"), "UTF-8 text is expected, not UTF-16"),
        (TEXT.encode("utf-16-le"), "line 1: UTF-8 text is expected; this file contains NUL bytes, as UTF-16 does"),
        (TEXT.encode("utf-16-be"), "line 1: UTF-8 text is expected; this file contains NUL bytes, as UTF-16 does"),
        (b"slots = 3\n# caf\xe9\n", "line 2: UTF-8 text is expected, not the byte 0xe9"),
        ("slots = \uff13\n".encode(), "Invalid value (at line 1"),
        (b'host = "a\\u0000b"\n', ", line 1: a text without control characters is expected, not 'a"),
    ],
)
def test_a_binary_file_is_reported_with_its_cause_and_line(file: Path, content: bytes, words: str) -> None:
    file.write_bytes(content)
    with pytest.raises(ConfigError) as told:
        read_config({}, {}, str(file))
    assert f"file {file}" in str(told.value)
    assert words in str(told.value)


def test_files_that_could_block_a_reader_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    kinds = {tmp_path / "pipe": "a pipe", tmp_path: "a directory", Path("/dev/zero"): "a device"}
    for path, kind in kinds.items():
        told = re.escape(f"file {path}: a regular file is expected, not {kind}")
        with pytest.raises(ConfigError, match=told):
            read_config({}, {}, str(path))
        with pytest.raises(KeysError, match=told):
            read_keys(path, Settings())
        with pytest.raises(SecurityError, match=told):
            certificates_of(Settings(tls_cert=str(path), tls_key=str(path)))
        with pytest.raises(SecurityError, match=told):
            channel_credentials(Trust(path))
    with pytest.raises(KeysError, match="not a pipe"):
        add_entry(tmp_path / "pipe", "alice", entry_of("alice", make_key(), {}), Settings())
    large = tmp_path / "large"
    with open(large, "wb") as made:
        made.truncate(MOST_BYTES + 1)
    with pytest.raises(ConfigError, match="more than 16,777,216 bytes"):
        read_config({}, {}, str(large))


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["", "prot = 1"], ", line 2: unknown setting 'prot'; did you mean port?"),
        (["[server]", "port = 1"], ", line 1: unknown setting 'server'"),
        (["host = 5"], ", line 1: host: a text is expected, not 5"),
        (["# port", 'port = "5"'], ", line 2: port: a whole number is expected, not '5'"),
        (["port = true"], ", line 1: port: a whole number is expected, not True"),
        (["port = -1"], ", line 1: port: at least 0 is expected, not -1"),
        (["max_seconds = nan"], ", line 1: max_seconds: at least 0.001 is expected, not nan"),
        (["port = 1", "port = 2"], ": Cannot overwrite a value (at line 2"),
        (["port ="], ": Invalid value (at line 1"),
        (['tls_key = "k"'], "setting tls_cert: is required together with"),
    ],
)
def test_wrong_files(file: Path, lines: list[str], words: str) -> None:
    with pytest.raises(ConfigError) as told:
        read_config({}, {}, write(file, *lines))
    assert words in str(told.value)
    assert str(file) in str(told.value) or words.startswith("setting")


def test_a_whole_number_is_accepted_as_a_number(file: Path) -> None:
    assert read_config({}, {}, write(file, "max_seconds = 5")).settings.max_seconds == 5


@pytest.mark.parametrize(
    ("fields_given", "name"),
    [
        ({"port": -1}, "port"),
        ({"slots": 0}, "slots"),
        ({"host": 1}, "host"),
        ({"max_seconds": float("inf")}, "max_seconds"),
    ],
)
def test_settings_check_themselves(fields_given: dict[str, Any], name: str) -> None:
    with pytest.raises(SettingError) as told:
        Settings(**fields_given)
    assert told.value.name == name


def test_limits_that_follow() -> None:
    settings = Settings(slots=3, max_search_bytes=1 << 20, max_seconds=0.5, default_seconds=2.0)
    assert settings.search_memory == 6 << 20
    assert (settings.caps.memory_bytes, settings.default_limits.seconds) == (1 << 20, 0.5)
    assert Settings(slots=3, max_total_bytes=1 << 20).caps.memory_bytes == 1 << 20


def test_the_config_command(file: Path) -> None:
    path = write(file, "slots = 3", "max_seconds = 2")
    command = [sys.executable, "-m", "sniffai_server", "config", "--config", path, "--port", "1"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=TIMEOUT, check=True, env={"SNIFFAI_HOST": "::1"}
    )
    lines = done.stdout.splitlines()
    assert f"slots = 3  # file {path}, line 1" in lines
    assert 'host = "::1"  # variable SNIFFAI_HOST' in lines
    assert "port = 1  # flag --port" in lines
    assert "# reflection is unset  # default: only on loopback addresses" in lines
    printed = file.with_name("printed.toml")
    printed.write_text(done.stdout, encoding="utf-8")
    assert read_config({}, {}, str(printed)).settings == Settings(slots=3, max_seconds=2.0, host="::1", port=1)


def test_the_command_reports_wrong_settings(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SNIFFAI_SLOTS", "many")
    assert cli.main(["config"]) == 1
    assert capsys.readouterr().err == "sniffai-server: variable SNIFFAI_SLOTS: a whole number is expected, not 'many'\n"
    with pytest.raises(SystemExit):
        cli.main(["config", "--slots", "0"])
    assert "argument --slots: at least 1 is expected, not '0'" in capsys.readouterr().err


EACH = """
import os, sys
from sniffai_server import cli, commands
reader, writer = os.pipe()
os.close(reader)
os.dup2(writer, 1)
for line in sys.argv[1:]:
    child = os.fork()
    if not child:
        sys.argv[1:] = line.split()
        cli.main()
    print(line, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=sys.stderr)
"""
"""Each command line in a process of its own, whose output nobody reads; all that they import is imported once."""


@pytest.mark.parametrize("buffered", ["", "1"])
def test_a_reader_that_goes_away_is_no_error(buffered: str) -> None:
    lines = ["config", "info", "--help", "serve --help", "key bob"]
    done = subprocess.run(
        [sys.executable, "-c", EACH, *lines],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": buffered},
    )
    told = [line for line in done.stderr.splitlines() if not line.startswith("the key of bob")]
    assert told == [f"{line} {cli.READER_GONE}" for line in lines]


def test_the_operators_page_has_every_setting_as_it_is() -> None:
    page = OPERATORS.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \|$", page.partition("<!-- settings -->")[2], re.MULTILINE)
    assert rows == [(one.name, rule_of(one).text, default_in_words(one)) for one in settings_fields()]


def default_in_words(one: Any) -> str:
    words, default = rule_of(one).shown_default, default_of(one)
    return words or ("" if default in ("", False) else f"`{default}`")


def test_types_are_named_in_words() -> None:
    assert {type_name(one) for one in settings_fields()} == {"true or false", "a whole number", "a number", "a text"}
    port = next(one for one in settings_fields() if one.name == "port")
    assert from_text(port, "5") == 5


# Cores


def quota(cgroups: Path, folder: str, **files: str) -> None:
    (cgroups / folder).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (cgroups / folder / name.replace("__", ".")).write_text(text + "\n", encoding="ascii")


def cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, membership: str = "") -> int:
    monkeypatch.setattr("sniffai_server.cores._affinity", lambda: 16)
    file = tmp_path / "membership"
    file.write_text(membership, encoding="ascii")
    return usable_cores(tmp_path / "cgroup", file)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("400000 100000", 4), ("150000 100000", 2), ("20000 100000", 1), ("max 100000", 16), ("6400000 100000", 16)],
)
def test_quota_of_version_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, expected: int) -> None:
    quota(tmp_path / "cgroup", ".", cpu__max=text)
    assert cores(tmp_path, monkeypatch, "0::/\n") == expected


def test_quota_of_a_service_below_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As systemd sets it by CPUQuota; the tightest on the way up holds."""
    quota(tmp_path / "cgroup", "system.slice", cpu__max="800000 100000")
    quota(tmp_path / "cgroup", "system.slice/sniffai.service", cpu__max="300000 100000")
    assert cores(tmp_path, monkeypatch, "0::/system.slice/sniffai.service\n") == 3
    quota(tmp_path / "cgroup", "system.slice", cpu__max="200000 100000")
    assert cores(tmp_path, monkeypatch, "0::/system.slice/sniffai.service\n") == 2
    assert cores(tmp_path, monkeypatch, "0::/user.slice\n") == 16


@pytest.mark.parametrize("controller", ["cpu", "cpu,cpuacct"])
def test_quota_of_version_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, controller: str) -> None:
    group = f"{controller}/docker/abc"
    quota(tmp_path / "cgroup", group, cpu__cfs_quota_us="250000", cpu__cfs_period_us="100000")
    quota(tmp_path / "cgroup", controller, cpu__cfs_quota_us="-1", cpu__cfs_period_us="100000")
    membership = "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n"
    assert cores(tmp_path, monkeypatch, membership) == 3
    # inside a container, whose own group is the root
    quota(tmp_path / "cgroup", controller, cpu__cfs_quota_us="200000", cpu__cfs_period_us="100000")
    assert cores(tmp_path, monkeypatch, membership) == 2
    assert cores(tmp_path, monkeypatch, "") == 2


@pytest.mark.parametrize("text", ["", "x y", "1", "5 0", "0 100000", "-1 100000", "100000 100000 1", "\u00e9"])
def test_files_that_say_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    folder = tmp_path / "cgroup"
    folder.mkdir()
    (folder / "cpu.max").write_text(text, encoding="utf-8")
    assert cores(tmp_path, monkeypatch, "nonsense\n\n") == 16


def test_without_control_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sniffai_server.cores._affinity", lambda: 7)
    assert usable_cores(tmp_path / "none", tmp_path / "none") == 7
