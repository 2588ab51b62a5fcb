"""The addresses that a server listens on: all that its host stands for, or none, and why not."""

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
"""How many ports are tried for one that is free on all addresses, where the system may choose."""
NOT_HERE: Final = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
"""Why an address that a name stands for may be left out: this machine does not have it."""

log = logging.getLogger(__name__)


class ListenError(Exception):
    """An address cannot be listened on; ``str()`` names it and says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """A host's addresses and the port on them, all free a moment ago."""

    ips: Sequence[str]
    port: int

    @property
    def addresses(self) -> list[str]:
        """Each as ``ip:port``."""
        return [join_address(ip, self.port) for ip in self.ips]

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach them."""
        return all(is_loopback(ip.partition("%")[0]) for ip in self.ips)


def find_place(host: str, port: int, what: str = "listen") -> Place:
    """The addresses that a host stands for, and a port that is free on each.

    Those that this machine does not have, as it may have no IPv6, are left out where others are left.

    :param port: 0 for any that is free.
    :param what: what cannot be done there, for the error.
    :raises ListenError: there is none, or the port is taken or reserved on one of them.
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
    """Make sure that a Unix socket can be made; one that nobody listens on any more is removed.

    :raises ListenError: there is another server, or something else, or no right to make one.
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
        raise ListenError(f"cannot listen on {address.text}: {told(error)}") from None


def told(error: OSError) -> str:
    """Why an address cannot be listened on, in words that begin small."""
    text = error.strerror or str(error) or "no reason is known"
    return text[0].lower() + text[1:]


def _remove_stale(path: str) -> None:
    if not stat.S_ISSOCK(os.lstat(path).st_mode):
        raise FileExistsError(errno.EEXIST, "there is a file that is no socket")
    with socket.socket(socket.AF_UNIX) as trial:
        trial.settimeout(1.0)
        try:
            trial.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
            return
        except TimeoutError:
            pass  # somebody listens, and is busy
    raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))


def _fault(what: str, host: str, port: int, reason: str, ip: str = "") -> ListenError:
    """The error of a host, or of one of its addresses."""
    address = join_address(ip or host, port)
    return ListenError(f"cannot {what} on {address}{'' if ip in ('', host) else f' ({host})'}: {reason}")


def _ips(host: str, port: int, fault: Callable[[str], ListenError]) -> list[str]:
    """The IP addresses of a host.

    :raises ListenError: the name is not known.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise fault(reason) from None
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def _free(host: str, ips: list[str], port: int, fault: Callable[..., ListenError]) -> Place:
    """The addresses, if they are free.

    :raises ListenError: one of them is not.
    """
    with contextlib.ExitStack() as trials:
        here = []
        missing: ListenError | None = None
        for ip in ips:
            try:
                port = trials.enter_context(_trial(ip, port)).getsockname()[1]
            except OSError as error:
                missing = fault(told(error), ip)
                if error.errno not in NOT_HERE:
                    raise missing from None
            else:
                here.append(ip)
        if missing is not None and not here:
            raise missing
        for ip in ips:
            if ip not in here:
                log.warning("%s is no address of this machine: %s stands for %s", ip, host, ", ".join(here))
        return Place(here, port)


def _trial(ip: str, port: int) -> socket.socket:
    """A socket that listens as gRPC's will."""
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
