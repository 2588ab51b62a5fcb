"""The addresses that a server listens on: all addresses of its host, or an error that says why not."""

import contextlib
import errno
import logging
import os
import socket
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from sniffai.addresses import Address, is_loopback, join_address

TRIES: Final = 20
"""How many ports are tried to find one that is free on all addresses, if the port is 0."""
NOT_HERE: Final = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
"""Errors that mean that this machine does not have the address, so that it may be skipped."""

log = logging.getLogger(__name__)


class ListenError(Exception):
    """The server cannot listen on an address; ``str()`` names it and says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """The addresses of a host and a port that was free on all of them when it was checked."""

    ips: Sequence[str]
    port: int

    @property
    def addresses(self) -> list[str]:
        """The addresses as ``ip:port``."""
        return [join_address(ip, self.port) for ip in self.ips]

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach them."""
        return all(is_loopback(ip.partition("%")[0]) for ip in self.ips)


def find_place(host: str, port: int, what: str = "listen") -> Place:
    """The addresses of a host, and a port that is free on each.

    Addresses that this machine does not have, such as IPv6 ones on a machine without IPv6, are skipped if others
    remain.

    :param port: 0 for any free port.
    :param what: the verb for the error message.
    :raises ListenError: there is no such address, or the port is taken or reserved on one of them.
    """
    fault = partial(_fault, what, host, port)
    ips = _ips(host, port, fault)
    for _ in range(TRIES):
        try:
            return _free(host, ips, port, fault)
        except ListenError:
            if port or len(ips) == 1:
                raise
    raise fault(f"no port is free on all of {', '.join(ips)}")


def free_unix(address: Address) -> None:
    """Make sure that a Unix socket can be created. A socket that nobody listens on any more is removed.

    :raises ListenError: a server listens on it, the path is another kind of file, or permission is missing.
    """
    path = address.path
    try:
        if not path.startswith("\0") and os.path.lexists(path):
            _remove_stale(path)
        with socket.socket(socket.AF_UNIX) as trial:
            trial.bind(path)
        if not path.startswith("\0"):
            os.unlink(path)
    except OSError as error:
        raise ListenError(f"cannot listen on {address.text}: {reason_of(error)}") from None


def reason_of(error: OSError) -> str:
    """The text of a system error, with a lower-case first letter."""
    text = error.strerror or str(error) or "unknown error"
    return text[0].lower() + text[1:]


def _remove_stale(path: str) -> None:
    if not stat.S_ISSOCK(os.lstat(path).st_mode):
        raise FileExistsError(errno.EEXIST, "the path exists and is not a socket")
    with socket.socket(socket.AF_UNIX) as trial:
        trial.settimeout(1.0)
        try:
            trial.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
            return
        except TimeoutError:
            pass  # a server listens and is busy
    raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))


def _fault(what: str, host: str, port: int, reason: str, ip: str = "") -> ListenError:
    """The error for a host or one of its addresses."""
    address = join_address(ip or host, port)
    return ListenError(f"cannot {what} on {address}{'' if ip in ('', host) else f' ({host})'}: {reason}")


def _ips(host: str, port: int, fault: Callable[[str], ListenError]) -> list[str]:
    """The IP addresses of a host.

    :raises ListenError: the name is not known.
    """
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise fault(reason) from None
    return list(dict.fromkeys(str(address[0]) for *_, address in addresses))


def _free(host: str, ips: list[str], port: int, fault: Callable[..., ListenError]) -> Place:
    """The addresses, if they are free.

    :raises ListenError: one of them is not.
    """
    with contextlib.ExitStack() as trials:
        here = []
        missing: ListenError | None = None
        for ip in ips:
            try:
                port = trials.enter_context(opened(ip, port)).getsockname()[1]
            except OSError as error:
                missing = fault(reason_of(error), ip)
                if error.errno not in NOT_HERE:
                    raise missing from None
            else:
                here.append(ip)
        if missing is not None and not here:
            raise missing
        for ip in ips:
            if ip not in here:
                log.warning(
                    "%s is not an address of this machine and is skipped: %s stands for %s", ip, host, ", ".join(here)
                )
        return Place(here, port)


def opened(ip: str, port: int) -> socket.socket:
    """A socket that listens in the same way as gRPC's.

    :raises OSError: it cannot.
    """
    family = socket.AF_INET6 if ":" in ip else socket.AF_INET
    trial = socket.socket(family)
    try:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            trial.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0 if ip == "::" else 1)
        trial.bind(socket.getaddrinfo(ip, port, type=socket.SOCK_STREAM)[0][4])
        trial.listen(1)
    except OSError:
        trial.close()
        raise
    return trial
