"""Who gets in: addresses, TLS, client certificates, API keys."""

import hmac
import io
import json
import os
import re
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
import trustme
from cryptography import x509
from grpc_health.v1 import health_pb2, health_pb2_grpc

import sniffai
from sniffai.cli.group import run
from sniffai.v1 import analysis_pb2, analysis_service_pb2, engine_service_pb2, engine_service_pb2_grpc
from sniffai_server import cli
from sniffai_server.access import keys as keys_module
from sniffai_server.access.keys import Keys, KeysError, entry_of, make_key, read_keys
from sniffai_server.access.tls import SecurityError, certificates_of
from sniffai_server.calls.callers import Priority
from sniffai_server.calls.refusals import KeyRefusedError
from sniffai_server.config import read_config
from sniffai_server.settings import Settings
from tests.server.support import (
    TIMEOUT,
    LoopbackServer,
    choice,
    failure,
    read_again,
    recommend,
    running_server,
    stubs_of,
    view_message,
)

REMOTE = "192.0.2.1"
"""An address of documentation: nobody's, and certainly not this machine's."""


def info(channel: grpc.Channel, **metadata: str) -> Any:
    stub = engine_service_pb2_grpc.EngineServiceStub(channel)
    return stub.GetEngineInfo(
        engine_service_pb2.GetEngineInfoRequest(), timeout=TIMEOUT, metadata=tuple(metadata.items())
    )


# Addresses


@pytest.mark.parametrize("host", ["0.0.0.0", "::", REMOTE, "example.com"])
def test_plaintext_is_refused_where_others_can_reach_it(host: str) -> None:
    with pytest.raises(
        SecurityError, match="it requires TLS: set tls_cert and tls_key, or --insecure to serve without TLS"
    ):
        certificates_of(Settings(host=host))
    assert certificates_of(Settings(host=host, insecure=True)) is None


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_plaintext_on_this_machine_is_the_default(host: str) -> None:
    assert certificates_of(Settings(host=host)) is None
    assert Settings(host=host).reflects


def test_the_command_refuses_plaintext_for_others() -> None:
    command = [sys.executable, "-m", "sniffai_server", "serve", "--host", "0.0.0.0", "--port", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 1
    told = [json.loads(line) for line in done.stderr.splitlines()]
    assert told[-1]["level"] == "critical"
    assert told[-1]["message"].startswith("other machines can reach 0.0.0.0")
    assert done.stdout == ""


def test_reflection_is_off_for_others_unless_asked_for() -> None:
    assert not Settings(host=REMOTE).reflects
    assert Settings(host=REMOTE, reflection=True).reflects
    assert not Settings(reflection=False).reflects


def test_a_server_without_reflection() -> None:
    with running_server(reflection=False) as server, stubs_of(server.address) as stubs:
        reflect = stubs.channel.stream_stream("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
        assert failure(lambda: list(reflect(iter([b""]), timeout=TIMEOUT))).code == "UNIMPLEMENTED"
        assert info(stubs.channel).engine_version


def test_requests_are_at_most_1_mib() -> None:
    assert Settings().max_request_bytes == 1 << 20
    with running_server(max_request_bytes=1024) as server, stubs_of(server.address) as stubs:
        view = choice() | {"hand": ["0|0"] * 300}
        assert failure(lambda: recommend(stubs, view_message(view))).code == "RESOURCE_EXHAUSTED"
        assert recommend(stubs, view_message(choice()), limits={"simulations": 10}).move.tile


# TLS


class Authority:
    """A certificate authority that writes the files an operator would."""

    def __init__(self, folder: Path) -> None:
        self.ca = trustme.CA()
        self.folder = folder
        self.file = str(folder / "ca.pem")
        self.ca.cert_pem.write_to_path(self.file)

    def issue(self, name: str, *hosts: str, common_name: str | None = None) -> tuple[str, str]:
        """A certificate and its key; those of the same name are replaced."""
        made = self.ca.issue_cert(*hosts, common_name=common_name)
        cert, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        replace_file(key, made.private_key_pem.bytes())
        replace_file(cert, b"".join(part.bytes() for part in made.cert_chain_pems))
        return str(cert), str(key)


def replace_file(file: Path, content: bytes) -> None:
    fresh = file.with_suffix(".new")
    fresh.write_bytes(content)
    os.replace(fresh, file)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@contextmanager
def channel(address: str, ca: str, cert: str = "", key: str = "") -> Iterator[grpc.Channel]:
    """A connection of its own, never one that is shared with an earlier channel."""
    parts = [Path(name).read_bytes() if name else None for name in (ca, key, cert)]
    options = [("grpc.use_local_subchannel_pool", 1)]
    with grpc.secure_channel(address, grpc.ssl_channel_credentials(*parts), options) as made:
        yield made


def serial(address: str, ca: str) -> int:
    """The serial number of the certificate that a server shows."""
    host, _, port = address.rpartition(":")
    pem = ssl.get_server_certificate((host, int(port)), ca_certs=ca, timeout=TIMEOUT)
    return x509.load_pem_x509_certificate(pem.encode()).serial_number


def test_tls(authority: Authority, tmp_path: Path) -> None:
    cert, key = authority.issue("server", "127.0.0.1")
    stranger = Authority(tmp_path_below(tmp_path, "stranger"))
    with running_server(tls_cert=cert, tls_key=key) as server:
        with channel(server.address, authority.file) as secure:
            assert info(secure).engine_version
        with channel(server.address, stranger.file) as fooled:
            assert failure(lambda: info(fooled)).code == "UNAVAILABLE"
        with grpc.insecure_channel(server.address) as plain:
            assert failure(lambda: info(plain)).code == "UNAVAILABLE"


def tmp_path_below(tmp_path: Path, name: str) -> Path:
    (tmp_path / name).mkdir()
    return tmp_path / name


@pytest.mark.parametrize(("verbosity", "told"), [({}, False), ({"GRPC_VERBOSITY": "INFO"}, True)])
def test_lines_of_grpc_itself_are_lines_of_the_log(authority: Authority, verbosity: dict[str, str], told: bool) -> None:
    """A plaintext client makes it write some, where the operator asks for them; they are JSON like all others."""
    cert, key = authority.issue("server", "127.0.0.1")
    command = [sys.executable, "-m", "sniffai_server", "serve", "--port", "0", "--tls-cert", cert, "--tls-key", key]
    own = {name: value for name, value in os.environ.items() if name != "GRPC_VERBOSITY"} | verbosity
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*command], **pipes, text=True, env=own) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        with grpc.insecure_channel(address) as plain:
            assert failure(lambda: info(plain)).code == "UNAVAILABLE"
        with channel(address, authority.file) as secure:
            assert info(secure).engine_version
        process.terminate()
        _, log = process.communicate(timeout=TIMEOUT)
    lines = [json.loads(line) for line in log.splitlines()]
    assert any("GetEngineInfo" in line["message"] for line in lines)
    assert any(line["logger"] == "stderr" for line in lines) is told


def test_client_certificates(authority: Authority, tmp_path: Path) -> None:
    cert, key = authority.issue("server", "127.0.0.1")
    stranger = Authority(tmp_path_below(tmp_path, "stranger"))
    with running_server(tls_cert=cert, tls_key=key, tls_client_ca=authority.file, client_rate=1) as server:
        with channel(server.address, authority.file, *authority.issue("alice", "a.example", common_name="alice")) as a:
            assert info(a).engine_version
            error = failure(lambda: info(a))
            assert error.quotas == [("client:cn:alice", "the quota is 1 calls a minute")]
        with channel(server.address, authority.file) as nobody:
            assert failure(lambda: info(nobody)).code == "UNAVAILABLE"
        with channel(server.address, authority.file, *stranger.issue("mallory", "m.example")) as mallory:
            assert failure(lambda: info(mallory)).code == "UNAVAILABLE"


def test_certificates_are_replaced_without_a_restart(authority: Authority) -> None:
    cert, key = authority.issue("server", "127.0.0.1")
    with running_server(tls_cert=cert, tls_key=key) as server:
        first = serial(server.address, authority.file)
        with channel(server.address, authority.file) as old:
            assert info(old).engine_version
            authority.issue("server", "127.0.0.1")
            read_again(server)
            second = serial(server.address, authority.file)
            assert info(old).engine_version  # a connection that stands goes on
        with channel(server.address, authority.file) as new:
            assert info(new).engine_version
        assert second != first


def test_the_clients_authority_is_replaced_without_a_restart(authority: Authority, tmp_path: Path) -> None:
    cert, key = authority.issue("server", "127.0.0.1")
    other = Authority(tmp_path_below(tmp_path, "other"))
    clients = tmp_path / "clients.pem"
    clients.write_bytes(Path(authority.file).read_bytes())
    alice, bob = authority.issue("alice", "a.example"), other.issue("bob", "b.example")
    with running_server(tls_cert=cert, tls_key=key, tls_client_ca=str(clients)) as server:
        with channel(server.address, authority.file, *bob) as early:
            assert failure(lambda: info(early)).code == "UNAVAILABLE"
        replace_file(clients, Path(other.file).read_bytes())
        read_again(server)
        with channel(server.address, authority.file, *bob) as late:
            assert info(late).engine_version
        with channel(server.address, authority.file, *alice) as gone:
            assert failure(lambda: info(gone)).code == "UNAVAILABLE"


@pytest.mark.parametrize("broken", [b"", b"no certificate", None])
def test_broken_files_leave_the_certificate_in_force(authority: Authority, broken: bytes | None) -> None:
    """Also a certificate whose key has not arrived yet, or whose file is away for a moment."""
    cert, key = authority.issue("server", "127.0.0.1")
    with running_server(tls_cert=cert, tls_key=key) as server:
        first = serial(server.address, authority.file)
        content, other = Path(cert).read_bytes(), authority.ca.issue_cert("127.0.0.1")
        for wrong in (broken, other.cert_chain_pems[0].bytes()):
            if wrong is None:
                os.unlink(cert)
            else:
                replace_file(Path(cert), wrong)
            read_again(server)
            assert serial(server.address, authority.file) == first
        replace_file(Path(cert), content)
        read_again(server)
        assert serial(server.address, authority.file) == first


def test_unusable_files_are_reported_before_the_server_listens(authority: Authority, tmp_path: Path) -> None:
    cert, key = authority.issue("server", "127.0.0.1")
    _, other_key = authority.issue("other", "127.0.0.1")
    for files, word in (
        ({"tls_cert": str(tmp_path / "none"), "tls_key": key}, "none: No such file"),
        ({"tls_cert": cert, "tls_key": other_key}, "the key does not belong to the first certificate"),
        ({"tls_cert": cert, "tls_key": key, "tls_client_ca": other_key}, "other.key"),
    ):
        with pytest.raises(SecurityError, match=re.escape(word)):
            certificates_of(Settings(**files))


def test_the_health_command_over_tls(authority: Authority, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cert, key = authority.issue("server", "127.0.0.1", "localhost")
    stranger = Authority(tmp_path_below(tmp_path, "stranger"))
    with running_server(tls_cert=cert, tls_key=key) as server:
        ask = ["health", "--address", server.address, "--timeout", "5"]
        assert cli.main([*ask, "--health-ca", authority.file]) == 0
        assert cli.main([*ask, "--health-ca", authority.file, "--health-name", "localhost"]) == 0
        assert cli.main(["health", "--address", server.address, "--timeout", "1"]) == 1
        assert cli.main([*ask, "--health-ca", authority.file, "--health-name", "example.com", "--timeout", "1"]) == 1
        assert cli.main(["health", "--address", server.address, "--health-ca", stranger.file]) == 1
    with running_server() as server:
        assert cli.main(["health", "--address", server.address, "--health-ca", authority.file]) == 1
    out, err = capsys.readouterr()
    assert out == "SERVING\nSERVING" + "\nNOT SERVING" * 4 + "\n"
    words = ["it speaks TLS: set tls_cert", "has another name than example.com", "is not trusted", "does not speak TLS"]
    assert [word in line for word, line in zip(words, err.splitlines(), strict=True)] == [True] * 4


def test_the_health_command_trusts_the_servers_own_certificate(
    authority: Authority, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With nothing but the settings that the server has itself."""
    cert, key = authority.issue("server", "sniffai.example")
    with running_server(tls_cert=cert, tls_key=key) as server:
        monkeypatch.setenv("SNIFFAI_TLS_CERT", cert)
        monkeypatch.setenv("SNIFFAI_TLS_KEY", key)
        ask = ["health", "--address", server.address, "--timeout", "1"]
        assert cli.main([*ask, "--health-name", "sniffai.example", "--timeout", "5"]) == 0
        assert cli.main(ask) == 1
    assert capsys.readouterr().out == "SERVING\nNOT SERVING\n"


def test_the_health_command_with_a_client_certificate(
    authority: Authority, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the server's own settings from the environment, as in a container."""
    cert, key = authority.issue("server", "127.0.0.1")
    probe_cert, probe_key = authority.issue("probe", "probe.example")
    with running_server(tls_cert=cert, tls_key=key, tls_client_ca=authority.file) as server:
        monkeypatch.setenv("SNIFFAI_PORT", server.address.rpartition(":")[2])
        monkeypatch.setenv("SNIFFAI_HOST", "0.0.0.0")
        for name, value in (("TLS_CERT", cert), ("TLS_KEY", key), ("HEALTH_CA", authority.file)):
            monkeypatch.setenv(f"SNIFFAI_{name}", value)
        assert cli.main(["health", "--timeout", "1"]) == 1
        monkeypatch.setenv("SNIFFAI_HEALTH_CERT", probe_cert)
        monkeypatch.setenv("SNIFFAI_HEALTH_KEY", probe_key)
        assert cli.main(["health", "--timeout", "5"]) == 0
    out, err = capsys.readouterr()
    assert out == "NOT SERVING\nSERVING\n"
    assert "set health_cert and health_key" in err


# API keys


class KeyFile:
    """A file of API keys as the command makes it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "keys.toml"
        self.path.write_text("", encoding="utf-8")

    def add(self, name: str, *options: str, more: str = "") -> str:
        """Make a key by the command and store its entry; returns the key."""
        entry, told = io.StringIO(), io.StringIO()
        with redirect_stdout(entry), redirect_stderr(told):
            assert cli.main(["key", name, *options]) == 0
        text = self.path.read_text(encoding="utf-8")
        replace_file(self.path, f"{text}{entry.getvalue()}{more}\n".encode())
        return told.getvalue().split()[-1]


@pytest.fixture
def keys(tmp_path: Path) -> KeyFile:
    return KeyFile(tmp_path)


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


def test_a_key_opens_the_server(keys: KeyFile) -> None:
    alice, bob = keys.add("alice"), keys.add("bob")
    with running_server(keys_file=str(keys.path)) as server, stubs_of(server.address) as stubs:
        for key in (alice, bob):
            assert info(stubs.channel, **bearer(key)).engine_version
        assert info(stubs.channel, authorization=f"bearer  {alice}").engine_version


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({}, "KEY_MISSING"),
        ({"authorization": "Basic YTpi"}, "KEY_MISSING"),
        ({"authorization": "Bearer"}, "KEY_MISSING"),
        ({"authorization": "Bearer "}, "KEY_UNKNOWN"),
        ({"authorization": "Bearer sniffai_wrong"}, "KEY_UNKNOWN"),
        ({"x-api-key": "whatever"}, "KEY_MISSING"),
    ],
)
def test_without_a_good_key(keys: KeyFile, metadata: dict[str, str], reason: str) -> None:
    keys.add("alice")
    with running_server(keys_file=str(keys.path)) as server, stubs_of(server.address) as stubs:
        error = failure(lambda: info(stubs.channel, **metadata))
        assert (error.code, error.reason, error.domain) == ("UNAUTHENTICATED", reason, "sniffai")
        assert error.trailers["x-request-id"]
        assert "wrong" not in error.message


def test_every_service_but_health_needs_a_key(keys: KeyFile) -> None:
    keys.add("alice")
    with running_server(keys_file=str(keys.path)) as server, stubs_of(server.address) as stubs:
        for method in ("AnalysisService/RecommendMove", "AnalysisService/Analyze", "RulesService/DealRound"):
            call = stubs.channel.unary_unary(f"/sniffai.v1.{method}")
            # bytes that are no message: a stranger's request is not even decoded
            assert failure(lambda call=call: call(b"\xff\xff", timeout=TIMEOUT)).code == "UNAUTHENTICATED"
        stream = stubs.channel.unary_stream("/sniffai.v1.AnalysisService/StreamAnalyze")
        assert failure(lambda: list(stream(b"\xff", timeout=TIMEOUT))).code == "UNAUTHENTICATED"
        reflect = stubs.channel.stream_stream("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
        assert failure(lambda: list(reflect(iter([b""]), timeout=TIMEOUT))).code == "UNAUTHENTICATED"
        health = health_pb2_grpc.HealthStub(stubs.channel)
        assert health.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT).status == 1
        assert next(health.Watch(health_pb2.HealthCheckRequest(), timeout=TIMEOUT)).status == 1


def test_keys_are_hashed_at_rest(keys: KeyFile) -> None:
    key, same_name = keys.add("alice"), make_key()
    text = keys.path.read_text(encoding="utf-8")
    assert len(key) > 40
    assert key not in text
    assert key.removeprefix("sniffai_") not in text
    assert entry_of("alice", same_name, {}) != entry_of("alice", same_name, {})  # the salt


def test_every_entry_is_compared_in_constant_time(keys: KeyFile, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [keys.add(f"client{number}") for number in range(5)]
    loaded = Keys(keys.path, Settings())
    compared = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return hmac.compare_digest(one, other)

    monkeypatch.setattr(keys_module, "hmac", SimpleNamespace(compare_digest=compare))
    assert loaded.caller_of(made[0]).name == "client0"
    with pytest.raises(KeyRefusedError):
        loaded.caller_of("nobody's")
    assert len(compared) == 10


def test_an_expired_key(keys: KeyFile) -> None:
    today = datetime.now(UTC).date()
    old = keys.add("old", more=f"expires = {today}\n")
    new = keys.add("new", more=f"expires = {today + timedelta(days=2)}\n")
    loaded = Keys(keys.path, Settings())
    assert loaded.caller_of(new).name == "new"
    with pytest.raises(KeyRefusedError) as refused:
        loaded.caller_of(old)
    assert refused.value.reason == "KEY_EXPIRED"


def test_keys_are_read_again_when_the_file_changes(keys: KeyFile) -> None:
    alice = keys.add("alice")
    loaded = Keys(keys.path, Settings())
    assert loaded.refresh() == ""
    bob = keys.add("bob")
    assert loaded.refresh() == "2 API keys, added bob"
    assert [loaded.caller_of(key).name for key in (alice, bob)] == ["alice", "bob"]
    replace_file(keys.path, b"[alice]\nhash = 3\n")
    with pytest.raises(KeysError, match=r"alice\.hash"):
        loaded.refresh()
    assert loaded.refresh() == ""  # told once
    with pytest.raises(KeysError, match=r"alice\.hash"):
        loaded.refresh(force=True)
    assert loaded.caller_of(alice).name == "alice"  # a broken file changes nothing
    replace_file(keys.path, b"")
    assert loaded.refresh() == "0 API keys, removed alice, bob"
    assert loaded.refresh(force=True) == "0 API keys, unchanged"
    with pytest.raises(KeyRefusedError):
        loaded.caller_of(alice)


def test_quotas_and_priority_of_a_key(keys: KeyFile) -> None:
    alice = keys.add("alice", "--priority", "bulk", "--calls", "3", "--rate", "2", "--weight", "5")
    bob = keys.add("bob")
    loaded = Keys(keys.path, Settings(client_calls=7, client_rate=60))
    caller = loaded.caller_of(alice)
    assert (caller.best, caller.calls, caller.rate, caller.weight) == (Priority.BULK, 3, 2, 5)
    caller = loaded.caller_of(bob)
    assert (caller.best, caller.calls, caller.rate, caller.weight) == (Priority.INTERACTIVE, 7, 60, 1)
    with running_server(keys_file=str(keys.path)) as server, stubs_of(server.address) as stubs:
        for _ in range(2):
            info(stubs.channel, **bearer(alice))
        error = failure(lambda: info(stubs.channel, **bearer(alice)))
        assert (error.reason, error.metadata["client"]) == ("TOO_MANY_CALLS_A_MINUTE", "alice")
        for _ in range(5):
            info(stubs.channel, **bearer(bob))


def test_the_priority_of_a_key_caps_that_of_a_search(keys: KeyFile) -> None:
    alice = keys.add("alice", "--priority", "bulk")
    with running_server(keys_file=str(keys.path)) as server, stubs_of(server.address) as stubs:
        request = analysis_service_pb2.RecommendMoveRequest(view=view_message(choice()), limits={"simulations": 10})
        for priority, warned in (("UNSPECIFIED", []), ("BULK", []), ("ANALYSIS", [("priority", "CLAMPED")])):
            request.priority = getattr(analysis_service_pb2, f"PRIORITY_{priority}")
            answer = stubs.analysis.RecommendMove(request, timeout=TIMEOUT, metadata=tuple(bearer(alice).items()))
            assert answer.analysis.stop_reason == analysis_pb2.STOP_REASON_SIMULATIONS
            assert [(warning.field, warning.reason) for warning in answer.analysis.warnings] == warned
    registry = server.server.metrics.registry  # the last call is counted just after its client has its answer
    waited = {
        name: registry.get_sample_value("sniffai_queue_wait_seconds_count", {"priority": name})
        for name in ("interactive", "analysis", "bulk")
    }
    assert waited == {"interactive": None, "analysis": None, "bulk": 3}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[a b]\n", "file .*keys.toml: Expected"),
        ('["a b"]\nhash = "x"\n', "'a b': a name has"),
        ("alice = 1\n", "alice: a table is expected"),
        ("[alice]\n", "alice.hash: the line"),
        ('[alice]\nhash = "md5:00:00"\n', "alice.hash: the line"),
        ("[alice]\nhash = HASH\nrole = 1\n", "alice: unknown entry 'role'"),
        ("[alice]\nhash = HASH\njobs = 1\n", "alice.jobs: true or false is expected"),
        ('[alice]\nhash = HASH\npriority = "high"\n', "alice.priority: one of interactive, analysis, bulk"),
        ("[alice]\nhash = HASH\ncalls = -1\n", "alice.calls: a whole number"),
        ("[alice]\nhash = HASH\nrate = true\n", "alice.rate: a whole number"),
        ("[alice]\nhash = HASH\nweight = 0\n", "alice.weight: a whole number in 1..100"),
        ('[alice]\nhash = HASH\nexpires = "soon"\n', "alice.expires: a day"),
    ],
)
def test_wrong_files_of_keys(tmp_path: Path, text: str, word: str) -> None:
    made = re.search('".*"', entry_of("alice", make_key(), {}))
    assert made is not None
    file = tmp_path / "keys.toml"
    file.write_text(text.replace("HASH", made[0]), encoding="utf-8")
    with pytest.raises(KeysError, match=word):
        read_keys(file, Settings())
    with pytest.raises(KeysError), running_server(keys_file=str(file)):
        pass


def test_no_file_of_keys(tmp_path: Path) -> None:
    with pytest.raises(KeysError, match=r"none\.toml: No such file"):
        read_keys(tmp_path / "none.toml", Settings())


def test_the_key_command_stores_entries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "new.toml"
    made = {}
    for name in ("alice", "bob"):
        assert cli.main(["key", name, "--file", str(file), "--rate", "5"]) == 0
        out, err = capsys.readouterr()
        assert out == ""
        made[name] = err.split()[-1]
    assert file.stat().st_mode & 0o777 == 0o600
    loaded = Keys(file, Settings())
    assert {loaded.caller_of(key).name: loaded.caller_of(key).rate for key in made.values()} == {"alice": 5, "bob": 5}


def test_the_key_command_keeps_what_is_stored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "keys.toml"
    ask = ["key", "alice", "--file", str(file)]
    file.write_text("# no end of line", encoding="utf-8")
    assert cli.main(ask) == 0
    stored = file.read_bytes()
    assert stored.startswith(b"# no end of line\n\n[alice]\n")
    capsys.readouterr()
    assert cli.main(ask) == 1
    assert capsys.readouterr().err.startswith(f"sniffai-server: file {file}: alice already has an entry")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(keys_module.os, "fsync", full)
    assert cli.main(["key", "bob", "--file", str(file)]) == 1
    assert capsys.readouterr().err == f"sniffai-server: file {file}: No space left on device\n"
    assert file.read_bytes() == stored
    file.write_text("[alice]\nhash = 3\n", encoding="utf-8")
    assert cli.main(["key", "bob", "--file", str(file)]) == 1
    assert "alice.hash" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == "[alice]\nhash = 3\n"


def test_the_config_command_reads_the_files(
    authority: Authority, keys: KeyFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cert, key = authority.issue("server", "127.0.0.1")
    none = str(tmp_path / "none")
    keys.add("alice")
    good = ["config", "--tls-cert", cert, "--tls-key", key, "--keys-file", str(keys.path)]
    assert cli.main(good) == 0
    assert capsys.readouterr().err == ""
    for flag in ("--tls-cert", "--tls-client-ca", "--keys-file", "--health-ca"):
        assert cli.main([*good, flag, none]) == 1
        out, err = capsys.readouterr()
        assert f'"{none}"' in out
        assert err == f"sniffai-server: file {none}: No such file or directory\n"


def test_the_command_line_reaches_a_secured_server(
    authority: Authority,
    keys: KeyFile,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cert, key = authority.issue("server", "127.0.0.1")
    own_cert, own_key = authority.issue("alice", "a.example")
    secret, view = tmp_path / "secret", tmp_path / "view.txt"
    secret.write_text(keys.add("alice") + "\n", encoding="utf-8")
    table = sniffai.Round.deal(2, seed=3)
    view.write_text(table.view(table.seat).to_text(), encoding="utf-8")
    files = {"tls_cert": cert, "tls_key": key, "tls_client_ca": authority.file, "keys_file": str(keys.path)}
    with running_server(**files) as server:
        ask = ["info", "--server", server.address]
        tls = ["--tls-ca", authority.file, "--tls-cert", own_cert, "--tls-key", own_key]
        assert run([*ask, *tls, "--api-key-file", str(secret)]) == 0
        told = ["recommend", str(view), "--simulations", "10", *ask[1:], *tls, "--api-key-file", str(secret)]
        assert run(told) == 0
        assert "10 simulations" in capsys.readouterr().out
        for args, hint in (
            ([], "it speaks TLS: use --tls-ca, or --tls for"),
            (tls[:2], "it asks for a client certificate, and none is shown: use --tls-cert and --tls-key"),
            (tls, "give --api-key-file, or set SNIFFAI_API_KEY"),
        ):
            assert run([*ask, *args]) == 1
            assert hint in capsys.readouterr().err
        monkeypatch.setenv("SNIFFAI_API_KEY", secret.read_text(encoding="utf-8").strip())
        assert run([*ask, *tls]) == 0
        assert read_config({}).settings == Settings(
            matches_database="memory"
        )  # the variable of the clients is no setting


def test_the_key_command_refuses_wrong_names_and_quotas(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["key", "a.b"]) == 1
    assert "a name of 1 to 64 letters" in capsys.readouterr().err
    for wrong in ("-1", "x", "99999999"):
        with pytest.raises(SystemExit):
            cli.main(["key", "alice", "--calls", wrong])


def test_a_failure_while_keys_are_checked_leaks_nothing(
    server: LoopbackServer, keys: KeyFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice = keys.add("alice")

    def fail(self: Keys, key: str) -> None:
        raise ValueError("secret of /etc/passwd")

    with running_server(keys_file=str(keys.path)) as broken, stubs_of(broken.address) as stubs:
        monkeypatch.setattr(Keys, "caller_of", fail)
        error = failure(lambda: info(stubs.channel, **bearer(alice)))
    assert (error.code, error.reason) == ("INTERNAL", "INTERNAL")
    assert "secret" not in str(error)
