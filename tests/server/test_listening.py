"""Where a server listens: on all addresses of its host or on none, on Unix sockets, and why not."""

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from sniffai.addresses import read_address
from sniffai.client import Client
from sniffai_server import cli
from sniffai_server.access.tls import SecurityError
from sniffai_server.listening import ListenError, find_place
from sniffai_server.probe import why_not_serving
from sniffai_server.settings import SettingError, Settings
from tests.server.support import LoopbackServer, running_server

RESOLVE = socket.getaddrinfo


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> None:
    """``localhost`` stands for ::1 and 127.0.0.1, as on most machines."""

    def resolve(host: Any, *args: Any, **options: Any) -> Any:
        hosts = ["::1", "127.0.0.1"] if host == "localhost" else [host]
        return [found for one in hosts for found in RESOLVE(one, *args, **options)]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)


def socket_of(folder: Path) -> str:
    return f"unix:{folder / 's.sock'}"


@pytest.mark.usefixtures("both")
def test_a_server_listens_on_all_addresses_of_a_name() -> None:
    with running_server(host="localhost", metrics_host="localhost", metrics_port=0) as server:
        port = server.address.rpartition(":")[2]
        for host in ("127.0.0.1", "[::1]"):
            with Client(f"{host}:{port}") as client:
                assert client.info().engine_version
        assert server.server.metrics_port is not None
        for ip in ("127.0.0.1", "::1"):
            socket.create_connection((ip, server.server.metrics_port.port), 5).close()


@pytest.mark.usefixtures("both")
@pytest.mark.parametrize("taken", ["127.0.0.1", "::1"])
def test_a_server_does_not_start_if_one_address_of_a_name_is_taken(taken: str) -> None:
    family = socket.AF_INET6 if ":" in taken else socket.AF_INET
    with socket.create_server((taken, 0), family=family) as other:
        port = other.getsockname()[1]
        shown = f"[{taken}]" if ":" in taken else taken
        told = f"cannot listen on {shown}:{port} (localhost): address already in use"
        with pytest.raises(ListenError) as error, running_server(host="localhost", port=port):
            pass
        assert str(error.value) == told
        with (
            pytest.raises(ListenError, match="cannot serve metrics on"),
            running_server(metrics_host="localhost", metrics_port=port),
        ):
            pass


def test_addresses_that_the_machine_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are left out where others are left, as a localhost of IPv6 in a container without it."""

    def resolve(host: Any, *args: Any, **options: Any) -> Any:
        hosts = ["192.0.2.1", "127.0.0.1"] if host == "localhost" else [host]
        return [found for one in hosts for found in RESOLVE(one, *args, **options)]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    assert find_place("localhost", 0).ips == ["127.0.0.1"]
    with pytest.raises(ListenError, match=r"cannot listen on 192\.0\.2\.1:0: cannot assign requested address"):
        find_place("192.0.2.1", 0)
    monkeypatch.setattr(socket, "getaddrinfo", RESOLVE)
    with pytest.raises(ListenError, match=r"cannot listen on nosuch\.invalid:5: "):
        find_place("nosuch.invalid", 5)


def test_a_localhost_that_is_not_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(host: Any, *args: Any, **options: Any) -> Any:
        return RESOLVE("0.0.0.0" if host == "localhost" else host, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(SecurityError, match="so it requires TLS files or --insecure"), running_server(host="localhost"):
        pass


def test_a_unix_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    address = socket_of(tmp_path)
    with running_server(host=address):
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
        with Client(address) as client:
            assert client.info().engine_version
        assert cli.main(["health", "--host", address]) == 0
        assert cli.main(["health", "--address", address]) == 0
        with pytest.raises(ListenError, match=f"cannot listen on {address}: address already in use"):
            LoopbackServer(Settings(host=address))
    assert not (tmp_path / "s.sock").exists()
    assert cli.main(["health", "--host", address]) == 1
    assert capsys.readouterr().err == f"sniffai-server: {address}: there is no such socket\n"


def test_a_unix_socket_that_was_left_behind(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "s.sock"))
    assert why_not_serving(read_address(socket_of(tmp_path)), 5) == "nothing listens there"
    with running_server(host=socket_of(tmp_path)):
        assert why_not_serving(read_address(socket_of(tmp_path)), 5) == ""


@pytest.mark.parametrize(
    ("path", "words"), [("file", "the path exists and is not a socket"), ("none/s.sock", "no such file or directory")]
)
def test_impossible_unix_sockets_are_refused(tmp_path: Path, path: str, words: str) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(ListenError) as told, running_server(host=f"unix:{tmp_path / path}"):
        pass
    assert str(told.value) == f"cannot listen on unix:{tmp_path / path}: {words}"
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("", "a host is expected"),
        ('"127.0.0.1"', "without quotes"),
        ("127.0.0.1:50051", "the port is given by itself"),
        ("[::1]:50051", "the port is given by itself"),
        ("http://localhost", "has no 'http://'"),
        ("*", "all addresses are 0.0.0.0"),
        ("a b", "no spaces"),
        ("unix:", "the path of the Unix socket is missing"),
    ],
)
def test_invalid_hosts_are_refused(host: str, words: str) -> None:
    with pytest.raises(SettingError) as told:
        Settings(host=host)
    assert words in str(told.value)
    assert "TLS" not in str(told.value)
    with pytest.raises(SettingError, match=r"expected|written|host"):
        Settings(metrics_host=host)


def test_an_ipv6_host_may_have_its_brackets() -> None:
    for host in ("::1", "[::1]"):
        settings = Settings(host=host, port=7)
        assert (settings.address, settings.is_local) == ("[::1]:7", True)
