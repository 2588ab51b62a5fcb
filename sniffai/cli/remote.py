"""The server that a command asks: its address, TLS and API keys, and advice for failed calls."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeVar, cast

import click

from sniffai.addresses import AddressError, read_address
from sniffai.cli.parts import BadInput, read_text

if TYPE_CHECKING:
    from sniffai.client import Client, ServiceError, Tls

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

Priority = Literal["interactive", "analysis", "bulk"]
"""The class in which a search waits for its turn on a server."""

PRIORITIES: dict[str, Priority] = {"interactive": "interactive", "analysis": "analysis", "bulk": "bulk"}

API_KEY_VARIABLE: Final = "SNIFFAI_API_KEY"
"""The variable with the API key, if no file is given. The key is never on the command line, which others can see."""

_SERVER: Final = click.option("--server", metavar="ADDRESS", help="Ask a server at HOST:PORT or unix:PATH.")

_ACCESS: Final = (
    click.option("--tls", is_flag=True, help="Use TLS and trust the system's certificate authorities."),
    click.option("--tls-ca", metavar="FILE", help="Use TLS and trust the certificate authorities in this PEM file."),
    click.option("--tls-cert", metavar="FILE", help="Use TLS with this client certificate (PEM); needs --tls-key."),
    click.option("--tls-key", metavar="FILE", help="Private key of --tls-cert (PEM)."),
    click.option(
        "--api-key-file", metavar="FILE", help=f"File with the API key. [default: the variable {API_KEY_VARIABLE}]"
    ),
)


@dataclass(frozen=True)
class Remote:
    """A server, with its TLS settings and API key."""

    address: str
    tls: "Tls | None" = None
    """``None`` for plaintext."""
    api_key: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    """Where these are from, by option."""

    def ask(self, call: "Callable[[Client], T]", timeout: float | None = None) -> T:
        """What the server answers.

        :param timeout: seconds; the client's default if not given.
        :raises BadInput: a file or the key cannot be used, or the server says that the input is wrong.
        :raises ClickException: the call failed.
        """
        from sniffai.client import ServiceError

        try:
            with self.connect(timeout) as client:
                return call(client)
        except ServiceError as error:
            raise self.failure(error) from None

    def connect(self, timeout: float | None = None) -> "Client":
        """A client of the server; it connects at its first call.

        :param timeout: seconds of each call; the client's default if not given.
        :raises BadInput: a file or the key cannot be used.
        """
        from sniffai.client import DEFAULT_TIMEOUT, Client

        try:
            return Client(self.address, timeout or DEFAULT_TIMEOUT, tls=self.tls, api_key=self.api_key)
        except OSError as error:
            raise BadInput(f"{error.filename}: {error.strerror}") from None
        except ValueError as error:
            raise BadInput(f"{self.address}: {error}") from None

    def failure(self, error: "ServiceError") -> click.ClickException:
        """What to raise for a call that failed."""
        kind = BadInput if error.code == "INVALID_ARGUMENT" else click.ClickException
        return kind(f"{self.address}: {error}{self._hint(error)}")

    def _hint(self, error: "ServiceError") -> str:
        """What may help. If there is a reason, the server itself answered; proxies are already named in the error."""
        from sniffai.client.connection import UNREACHED
        from sniffai.client.diagnosis import Trust, why_unreachable
        from sniffai.client.proxies import proxy_of

        if error.reason == "KEY_MISSING":
            return f"; give --api-key-file, or set {API_KEY_VARIABLE}"
        address = read_address(self.address)
        if error.code not in UNREACHED or error.reason or proxy_of(address):
            return ""
        trust = None if self.tls is None else Trust(self.tls.root, self.tls.certificate, self.tls.key)
        cause = why_unreachable(address, trust)
        if cause is None or (cause.kind.name == "UNREACHABLE" and "refused" in error.message):
            return ""
        return f"; {cause.text}{ADVICE.get(cause.kind.name, '')}"


ADVICE: Final = {
    "TLS_SPOKEN": ": use --tls-ca, or --tls for a certificate of a public CA",
    "TLS_NOT_SPOKEN": ": leave out the --tls options",
    "NOT_TRUSTED": ": set --tls-ca to the file with its CA",
    "WRONG_NAME": ": use a host name that is in its certificate",
    "CLIENT_CERTIFICATE": ": use --tls-cert and --tls-key",
}
"""What to do, by the cause of the failure."""


@dataclass(frozen=True)
class Access:
    """How a server is reached, as the options say it: files of TLS, and that of the API key."""

    tls: Mapping[str, Any]
    """By the name of the option, only those given."""
    api_key_file: str | None

    @classmethod
    def taken_from(cls, options: dict[str, Any]) -> Self:
        """What a command's options say; they are removed."""
        names = ("tls", "tls_ca", "tls_cert", "tls_key")
        return cls({name: given for name in names if (given := options.pop(name))}, options.pop("api_key_file"))

    @property
    def files(self) -> dict[str, str]:
        """The files by option."""
        named = {f"--{name.replace('_', '-')}": file for name, file in self.tls.items() if isinstance(file, str)}
        return named if self.api_key_file is None else {**named, "--api-key-file": self.api_key_file}

    def refuse(self, needed: str) -> None:
        """Expect that nothing is said.

        :param needed: the option without which the others have no meaning.
        :raises UsageError: something is.
        """
        for name in (*self.tls, *(["api_key_file"] if self.api_key_file else [])):
            raise click.UsageError(f"--{name.replace('_', '-')} needs {needed}")

    def read(self) -> "tuple[Tls | None, str | None]":
        """TLS, ``None`` for plaintext, and the API key, if there is one.

        :raises BadInput: the key is none, or a certificate has no key.
        """
        if ("tls_cert" in self.tls) != ("tls_key" in self.tls):
            raise BadInput("--tls-cert and --tls-key must be given together")
        return _tls(self.tls) if self.tls else None, _api_key(self.api_key_file)


def access_options(function: F) -> F:
    """The options of TLS and the API key; the command gets them as ``access``, an :class:`Access`."""

    @wraps(function)
    def command(*args: Any, **options: Any) -> Any:
        return function(*args, access=Access.taken_from(options), **options)

    for option in reversed(_ACCESS):
        command = option(command)
    return cast(F, command)


def remote_options(function: F) -> F:
    """The options that name a server; the command gets them as ``remote``, a :class:`Remote` or ``None``.

    A command with an option ``--executor`` gets ``access`` as well.
    """

    @wraps(function)
    def command(*args: Any, server: str | None, access: Access, **options: Any) -> Any:
        if "executor" in options:
            nothing = Access({}, None)
            options["access"] = access if server is None else nothing
        elif server is None:
            access.refuse("--server")
        return function(*args, remote=None if server is None else _remote(server, access), **options)

    return _SERVER(access_options(cast(F, command)))


def _remote(address: str, access: Access) -> Remote:
    """The server that the options name.

    :raises BadInput: the address or the key is none, or a certificate has no key.
    """
    try:
        read_address(address)
    except AddressError as error:
        raise BadInput(f"--server: {error}") from None
    return Remote(address, *access.read(), access.files)


def _tls(given: Mapping[str, Any]) -> "Tls":
    from sniffai.client import Tls

    return Tls(given.get("tls_ca"), given.get("tls_cert"), given.get("tls_key"))


def _api_key(file: str | None) -> str | None:
    """The key in a file or, if none is given, in the variable, without surrounding white space."""
    from sniffai.client.connection import check_key

    key = os.environ.get(API_KEY_VARIABLE, "").strip() if file is None else read_text(file)
    if file is None and not key:
        return None
    try:
        return check_key(key)
    except ValueError as error:
        raise BadInput(f"{file or f'variable {API_KEY_VARIABLE}'}: {error}") from None
