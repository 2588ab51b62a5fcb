"""Addresses of servers: what is one, what gRPC is told, and what is wrong with the others."""

import asyncio
import re
import socket
from collections.abc import Callable
from typing import Any

import pytest

from sniffai.addresses import AddressError, is_loopback, read_address, read_host, read_port
from sniffai.cli.group import run
from sniffai.client import AsyncClient, Client, ServiceError
from sniffai.client.proxies import proxy_of
from tests.server.support import running_server

FAR = "192.0.2.1:50051"
"""An address of documentation: nobody's."""
PROXY = "http://user:secret@127.0.0.1:9"


@pytest.mark.parametrize(
    ("text", "target", "host", "port"),
    [
        ("127.0.0.1:50051", "dns:///127.0.0.1:50051", "127.0.0.1", 50051),
        (" localhost:1\n", "dns:///localhost:1", "localhost", 1),
        ("[::1]:65535", "dns:///[::1]:65535", "::1", 65535),
        ("[fe80::1%eth0]:5", "dns:///[fe80::1%25eth0]:5", "fe80::1%eth0", 5),
        ("a_b-c.example.:80", "dns:///a_b-c.example.:80", "a_b-c.example.", 80),
        ("dns:///h.example:1", "dns:///h.example:1", "h.example", 1),
        ("dns://9.9.9.9/h.example:1", "dns://9.9.9.9/h.example:1", "h.example", 1),
        ("ipv4:127.0.0.1:5,192.0.2.1:6", "ipv4:127.0.0.1:5,192.0.2.1:6", "192.0.2.1", 5),
        ("ipv6:[::1]:5", "ipv6:[::1]:5", "::1", 5),
        ("xds:///service", "xds:///service", "", 0),
    ],
)
def test_hosts_and_ports(text: str, target: str, host: str, port: int) -> None:
    address = read_address(text)
    assert (address.target, address.host, address.port, address.path) == (target, host, port, "")


@pytest.mark.parametrize(
    ("text", "target", "path"),
    [
        ("unix:/run/s.sock", "unix:/run/s.sock", "/run/s.sock"),
        ("unix:///run/s.sock", "unix:/run/s.sock", "/run/s.sock"),
        ("unix:here.sock", "unix:here.sock", "here.sock"),
        ("unix:/a b%20", "unix:/a%20b%2520", "/a b%20"),
        ("unix-abstract:name", "unix-abstract:name", "\0name"),
    ],
)
def test_unix_sockets(text: str, target: str, path: str) -> None:
    address = read_address(text)
    assert (address.target, address.path, address.is_local) == (target, path, True)


WRONG = [
    ("", "an address is expected, such as 127.0.0.1:50051"),
    ("\n", "an address is expected"),
    ("localhost", "the port is missing"),
    ("localhost:", "the port is missing"),
    ("[::1]", "the port is missing"),
    (":50051", "the host is missing"),
    ("::1", "an IPv6 address needs brackets, [::1]:50051"),
    ("h:99999", "a port is a whole number in 1..65,535, not '99999'"),
    ("h:0", "a port is a whole number"),
    ("h:-1", "a port is a whole number"),
    ("h:+1", "a port is a whole number"),
    ("h:\uff15\uff10", "a port is a whole number"),
    ("h:5 0", "no spaces or control characters"),
    ("h\x1b[2J:1", "no spaces or control characters"),
    ("h\u202e:1", "no spaces or control characters"),
    ('"127.0.0.1:1"', "without quotes"),
    ("'127.0.0.1:1'", "without quotes"),
    ("http://127.0.0.1:1", "an address has no 'http://': '127.0.0.1:1' is expected"),
    ("grpcs://h:1/", "an address has no 'grpcs://': 'h:1' is expected"),
    ("h:1/", "HOST:PORT and no more"),
    ("user@h:1", "HOST:PORT and no more"),
    ("127.0.0.1:1:2", "an address is HOST:PORT"),
    ("256.0.0.1:1", "an IPv4 address is four numbers"),
    ("1.2.3:1", "an IPv4 address is four numbers"),
    ("[127.0.0.1]:1", "an IPv6 address is expected"),
    ("[::1]x:1", "an IPv6 address is written"),
    ("h..x:1", "a host is a name or an IP address"),
    ("x" * 300 + ":1", "a host is a name or an IP address"),
    ("b\u00fccher.example:1", "write xn--bcher-kva.example"),
    ("\uff11\uff12\uff17.0.0.1:1", "write 127.0.0.1"),
    ("unix:", "the path of the Unix socket is missing"),
    ("unix://x", "an absolute path follows unix://"),
    ("unix:/" + "x" * 200, "at most 107 bytes"),
    ("ipv4:h.example:1", "an IPv4 address"),
]


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_invalid_addresses_are_refused(text: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every door tells it alike, and none speaks of TLS."""
    with pytest.raises(AddressError) as told:
        read_address(text)
    assert words in str(told.value)
    with pytest.raises(ValueError, match=re.escape(words)):
        Client(text)
    assert run(["info", "--server", text]) == 2
    err = capsys.readouterr().err
    assert err.startswith("sniffai: --server: ")
    assert "TLS" not in err


@pytest.mark.parametrize("address", [None, 50051, b"127.0.0.1:1", ("127.0.0.1", 1)])
def test_an_address_is_a_text(address: Any) -> None:
    with pytest.raises(AddressError, match="an address is text such as"):
        read_address(address)
    with pytest.raises(ValueError, match="text"):
        Client(address)


@pytest.mark.parametrize(
    ("text", "host"), [("::1", "::1"), ("[::1]", "::1"), (" localhost ", "localhost"), ("10.0.0.1", "10.0.0.1")]
)
def test_hosts_by_themselves(text: str, host: str) -> None:
    assert read_host(text) == host


@pytest.mark.parametrize("text", ["", "h:1", "[::1]:1", "*", '"h"', "http://h", "h h", "[h]", "::1%"])
def test_invalid_host_names_are_refused(text: str) -> None:
    with pytest.raises(AddressError):
        read_host(text)


def test_ports() -> None:
    assert [read_port(text, 0) for text in ("0", "65535")] == [0, 65535]
    for text in ("65536", "", " 1", "1e3", "9" * 5000):
        with pytest.raises(AddressError):
            read_port(text, 0)


def test_loopback() -> None:
    for host in ("127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "localhost", "LOCALHOST", "localhost."):
        assert is_loopback(host), host
    for host in ("0.0.0.0", "::", "10.0.0.1", "localhost.example", "127.0.0.1.example"):
        assert not is_loopback(host), host


# Proxies


@pytest.mark.parametrize(
    ("environment", "proxy"),
    [
        ({}, None),
        ({"http_proxy": PROXY}, "127.0.0.1:9 (variable http_proxy"),
        ({"https_proxy": PROXY, "http_proxy": "http://other:1"}, "127.0.0.1:9 (variable https_proxy"),
        ({"grpc_proxy": "http://[::1]:3", "https_proxy": PROXY}, "::1:3 (variable grpc_proxy"),
        ({"grpc_proxy": "", "http_proxy": PROXY}, None),
        ({"HTTP_PROXY": PROXY, "HTTPS_PROXY": PROXY}, None),
        ({"http_proxy": "socks5://127.0.0.1:9"}, None),
        ({"http_proxy": PROXY, "no_proxy": "example.org, 192.0.2.0/24"}, None),
        ({"http_proxy": PROXY, "no_proxy": "example.org"}, "127.0.0.1:9"),
        ({"http_proxy": PROXY, "no_grpc_proxy": "x", "no_proxy": "192.0.2.0/24"}, "127.0.0.1:9"),
    ],
)
def test_the_proxy_on_the_way(environment: dict[str, str], proxy: str | None) -> None:
    found = proxy_of(read_address(FAR), environment)
    assert (found is None) if proxy is None else (proxy in str(found))
    assert "secret" not in str(found)


def ask(address: str) -> str:
    with Client(address, timeout=5.0) as client:
        return client.info().engine_version


def ask_async(address: str) -> str:
    async def main() -> str:
        async with AsyncClient(address, timeout=5.0) as client:
            return (await client.info()).engine_version

    return asyncio.run(main())


@pytest.mark.parametrize("ask", [ask, ask_async])
@pytest.mark.parametrize("variable", ["http_proxy", "https_proxy", "grpc_proxy"])
def test_this_machine_is_reached_through_no_proxy(
    ask: Callable[[str], str], variable: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with running_server() as server:
        monkeypatch.setenv(variable, PROXY)
        port = server.address.rpartition(":")[2]
        for address in (server.address, f"localhost:{port}", f"dns:///127.0.0.1:{port}", f"ipv4:127.0.0.1:{port}"):
            assert ask(address)
        assert run(["info", "--server", server.address]) == 0
    with pytest.raises(ServiceError) as told:
        ask(FAR)
    assert f"through the proxy 127.0.0.1:9 (variable {variable};" in str(told.value)
    assert "secret" not in str(told.value)
    assert run(["info", "--server", FAR]) == 1
    assert capsys.readouterr().err.count("the proxy 127.0.0.1:9") == 1


def test_the_name_of_this_machine_is_local() -> None:
    assert read_address(f"{socket.gethostname()}:1").is_local


def test_a_key_with_an_end_of_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a file or a secret of a container platform has it."""
    with running_server() as server:
        with Client(server.address, api_key=" sniffai_x\r\n") as client:
            assert client.info().engine_version
        monkeypatch.setenv("SNIFFAI_API_KEY", "sniffai_x\n")
        assert run(["info", "--server", server.address]) == 0
    for key in ("", "\n", "k\u00e9y", "a\nb"):
        with pytest.raises(ValueError, match=r"an API key (is|has)"):
            Client(FAR, api_key=key)
