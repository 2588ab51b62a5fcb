"""Addresses of servers: the one place where hosts, ports and Unix sockets are read.

The client, the command line and the server read them here, so that a wrong one is told alike everywhere.
"""

import ipaddress
import os
import re
import socket
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote

from sniffai.checks import shown

EXAMPLE: Final = "127.0.0.1:50051"
UNIX: Final = "unix:"
ABSTRACT: Final = "unix-abstract:"
RESOLVERS: Final = ("dns", "ipv4", "ipv6")
"""gRPC's names for ways to look an address up; what follows is read as any other address."""
OTHERS: Final = ("vsock", "xds")
"""gRPC targets that are passed on unchanged."""
MOST_PORT: Final = 65_535
MOST_PATH: Final = 107
"""Bytes in the path of a Unix socket."""
MOST_HOST: Final = 253

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_LABEL: Final = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?")
_ZONE: Final = re.compile(r"[A-Za-z0-9_.-]{1,32}")


class AddressError(ValueError):
    """An invalid address; ``str()`` says what is wrong and what is expected."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is."""

    text: str
    """As a person writes it: ``127.0.0.1:50051``, ``[::1]:50051``, ``unix:/run/sniffai.sock``."""
    target: str
    """As gRPC takes it."""
    host: str = ""
    """The name or IP address, without brackets; empty for a Unix socket, or where gRPC looks for the servers itself."""
    port: int = 0
    path: str = ""
    """Of a Unix socket; an abstract one begins with a NUL."""
    endpoints: tuple[str, ...] = ()
    """``HOST:PORT`` of each server, where the text names IP addresses of several."""

    @property
    def is_local(self) -> bool:
        """Whether it is certainly this machine, so that no proxy is in between."""
        return bool(self.path) or (bool(self.host) and is_this_machine(self.host))


def read_address(text: str) -> Address:
    """The address of a server to call.

    ``HOST:PORT``, with the brackets of an IPv6 address, ``unix:PATH``, ``unix-abstract:NAME``, or another target of
    gRPC, such as ``dns:///HOST:PORT``.

    :raises AddressError: it is not one.
    """
    if not isinstance(text, str):
        raise AddressError(f"an address is text such as {EXAMPLE}, not {shown(text)}")
    text = _plain(text, "an address", EXAMPLE)
    if (unix := read_unix(text)) is not None:
        return unix
    scheme = _SCHEME.fullmatch(text)
    name = scheme[1].lower() if scheme else ""
    if scheme and name in OTHERS:
        return Address(text, text)
    if scheme and name in RESOLVERS:
        return _resolved(text, name, scheme[2])
    host, port = _endpoint(text)
    joined = join_address(host, port)
    return Address(joined, f"dns:///{quote(joined, safe='[]:')}", host, port)


def read_unix(text: str) -> Address | None:
    """The Unix socket that an address names; ``None`` if it names none.

    :raises AddressError: its path is empty or too long.
    """
    if text.startswith(ABSTRACT):
        name = text.removeprefix(ABSTRACT)
        _check_path(name, "\0" + name)
        return Address(text, ABSTRACT + quote(name), path="\0" + name)
    if not text.startswith(UNIX):
        return None
    path = text.removeprefix(UNIX)
    if path.startswith("//"):
        if not path.startswith("///"):
            raise AddressError(f"an absolute path follows unix://, such as unix:///run/sniffai.sock, not {shown(text)}")
        path = path.removeprefix("//")
    _check_path(path, path)
    return Address(UNIX + path, UNIX + quote(path), path=path)


def read_host(text: str) -> str:
    """A host by itself: a name, or an IP address without its brackets.

    :raises AddressError: it is not one, or has a port or more.
    """
    text = _plain(text, "a host", "127.0.0.1")
    if text == "*":
        raise AddressError("a host is expected, not '*': all addresses are 0.0.0.0, or :: with those of IPv6")
    if "://" in text:
        _check_scheme(text)
    if text.startswith("[") and text.endswith("]"):
        return _ipv6(text[1:-1], text)
    if text.count(":") == 1 or text.startswith("["):
        raise AddressError(f"a host without a port is expected, not {shown(text)}: the port is given by itself")
    return _ipv6(text, text) if ":" in text else _host(text)


def read_port(text: str, least: int = 1) -> int:
    """A port.

    :param least: 0 if the system may choose.
    :raises AddressError: it is not a whole number from ``least`` to 65,535.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and least <= int(text) <= MOST_PORT):
        raise AddressError(f"a port is a whole number in {least}..{MOST_PORT:,}, not {shown(text)}")
    return int(text)


def join_address(host: str, port: int) -> str:
    """``host:port``, an IPv6 host in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host; a name other than ``localhost`` may be anywhere."""
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return host.lower().removesuffix(".") == "localhost"
    return (getattr(ip, "ipv4_mapped", None) or ip).is_loopback


def is_this_machine(host: str) -> bool:
    """Whether a host is this machine: a loopback or wildcard address, ``localhost``, or the machine's own name."""
    name = host.lower().removesuffix(".")
    if is_loopback(host) or name.endswith(".localhost") or name == socket.gethostname().lower():
        return True
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return False
    return (getattr(ip, "ipv4_mapped", None) or ip).is_unspecified


def _resolved(text: str, scheme: str, rest: str) -> Address:
    """A target of gRPC that says how it is looked up; the first of several endpoints stands for all."""
    if rest.startswith("//"):
        rest = rest[2:].partition("/")[2]
    endpoints = [_endpoint(unquote(part)) for part in (rest.split(",") if scheme != "dns" else [rest])]
    hosts = [host for host, _ in endpoints]
    kinds = {"ipv4": ipaddress.IPv4Address, "ipv6": ipaddress.IPv6Address}
    for host in hosts if scheme in kinds else ():
        if not _is_ip(host, kinds[scheme]):
            raise AddressError(
                f"an {scheme.replace('ip', 'IP')} address is expected after {scheme}:, not {shown(host)}"
            )
    stranger = next((host for host in hosts if not is_this_machine(host)), hosts[0])
    several = tuple(join_address(*endpoint) for endpoint in endpoints) if len(endpoints) > 1 else ()
    return Address(text, text, stranger, endpoints[0][1], endpoints=several)


def _endpoint(text: str) -> tuple[str, int]:
    """The host and port of ``HOST:PORT``.

    :raises AddressError: it is something else.
    """
    _check_scheme(text)
    if text.startswith("["):
        inner, closed, port = text[1:].partition("]")
        if not closed or (port and not port.startswith(":")):
            raise AddressError(f"an IPv6 address is written [::1]:50051, not {shown(text)}")
        host = _ipv6(inner, text)
    elif text.count(":") > 1:
        front, _, port = text.rpartition(":")
        bare, port = (text, "50051") if _is_ip(text, ipaddress.IPv6Address) else (front, port)
        ip = _is_ip(bare, ipaddress.IPv6Address)
        hint = f": an IPv6 address needs brackets, [{bare}]:{port}" if ip else ""
        raise AddressError(f"an address is HOST:PORT, such as {EXAMPLE}, not {shown(text)}{hint}")
    else:
        host, closed, port = text.partition(":")
        port = closed + port
        if not host:
            raise AddressError(f"the host is missing in {shown(text)}: an address is HOST:PORT, such as {EXAMPLE}")
        host = _host(host)
    if len(port) < 2:
        raise AddressError(f"the port is missing in {shown(text)}: an address is HOST:PORT, such as {EXAMPLE}")
    return host, read_port(port[1:])


def _plain(text: str, what: str, example: str) -> str:
    """The text without surrounding spaces, checked for characters that no address has.

    :raises AddressError: it is empty, quoted, or has a space or a sign that cannot be seen.
    """
    text = text.strip()
    if not text:
        raise AddressError(f"{what} is expected, such as {example}, not an empty text")
    if text[0] in "\"'`“”‘’«»" or text[-1] in "\"'`“”‘’«»":
        raise AddressError(f"{what} is written without quotes, such as {example}, not {shown(text)}")
    if not text.isprintable() or (" " in text and not text.startswith((UNIX, ABSTRACT))):
        raise AddressError(f"{what} has no spaces or control characters, unlike {shown(text)}")
    return text


def _check_scheme(text: str) -> None:
    """Refuse an address of the web.

    :raises AddressError: it begins with a scheme, or goes on behind the port.
    """
    scheme, separator, rest = text.partition("://")
    bare = (rest if separator else text).rstrip("/")
    if separator:
        raise AddressError(f"an address has no {shown(scheme + '://')}: {shown(bare)} is expected")
    if "/" in text or "@" in text or "?" in text or "#" in text:
        raise AddressError(f"an address is HOST:PORT and no more, such as {EXAMPLE}, not {shown(text)}")


def _host(host: str) -> str:
    """A name or an IPv4 address.

    :raises AddressError: it is neither.
    """
    if not host.isascii():
        raise AddressError(f"a host is written in ASCII, not {shown(host)}{_ascii_hint(host)}")
    labels = host.removesuffix(".").split(".")
    if not all(_LABEL.fullmatch(label) for label in labels) or len(host) > MOST_HOST:
        raise AddressError(f"a host is a name or an IP address, not {shown(host)}")
    if labels[-1].isdigit() and not _is_ip(host, ipaddress.IPv4Address):
        raise AddressError(f"an IPv4 address is four numbers in 0..255, such as 127.0.0.1, not {shown(host)}")
    return host


def _ascii_hint(host: str) -> str:
    try:
        return f": write {host.encode('idna').decode('ascii')}"
    except UnicodeError:
        return ""


def _ipv6(host: str, text: str) -> str:
    """An IPv6 address, with its zone if it has one.

    :raises AddressError: it is not one.
    """
    host = host.replace("%25", "%")
    if host.isascii() and _is_ip(host, ipaddress.IPv6Address):
        zone = host.partition("%")[2]
        if not zone or _ZONE.fullmatch(zone):
            return host
    raise AddressError(f"an IPv6 address is expected between the brackets, such as [::1], not {shown(text)}")


def _is_ip(text: str, kind: type) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True


def _check_path(path: str, whole: str) -> None:
    if not path:
        raise AddressError("the path of the Unix socket is missing: unix:/run/sniffai.sock is such an address")
    if len(os.fsencode(whole)) > MOST_PATH:
        raise AddressError(f"the path of a Unix socket has at most {MOST_PATH} bytes, not {shown(path)}")
