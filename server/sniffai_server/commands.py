"""The commands of ``sniffai-server``.

``serve`` and ``info`` import themselves what no other needs: that is half of the time that all imports take, and a
health probe runs every few seconds.
"""

import argparse
import asyncio
import logging
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field
from pathlib import Path
from typing import Any, Final

from sniffai import wire
from sniffai.addresses import Address, AddressError, join_address, read_address
from sniffai.client.connection import MAX_TIMEOUT
from sniffai.client.diagnosis import Trust
from sniffai.version import VERSION
from sniffai_server.access.keys import MOST_WEIGHT, PRIORITIES, KeysError, add_entry, entry_of, make_key, read_keys
from sniffai_server.access.tls import SecurityError, certificates_of, channel_credentials
from sniffai_server.config import Config, ConfigError, flag_of, from_text, read_config, to_toml, toml_value
from sniffai_server.console import say
from sniffai_server.listening import ListenError
from sniffai_server.matches.errors import DatabaseError
from sniffai_server.observe.logs import open_log
from sniffai_server.observe.tracing import Tracing, TracingError
from sniffai_server.probe import why_not_serving
from sniffai_server.settings import Settings, default_of, kind_of, rule_of, settings_fields
from sniffai_server.web import WebError, web_of

log = logging.getLogger(__name__)

START_ERRORS: Final = (ConfigError, DatabaseError, KeysError, ListenError, SecurityError, TracingError, WebError)
"""Errors that stop a command; their text says what to do."""
WILDCARDS: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""The address at which the health of a server that listens everywhere is checked."""


def run(arguments: Sequence[str] | None) -> int:
    """Run a command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.command(options)
    except START_ERRORS as error:
        say(f"sniffai-server: {error}")
        return 1
    return status


def _serve(options: argparse.Namespace) -> int:
    """Serve. Once the settings are known, every error goes to the log."""
    from sniffai_server.process import hold_signals, serve

    settings = _config(options).settings
    hold_signals()
    with open_log(settings.log_format, settings.log_level):
        try:
            return asyncio.run(serve(settings))
        except START_ERRORS as error:
            log.critical("%s", error)
        except Exception:
            log.critical("the server failed", exc_info=True)
        return 1


def _print_config(options: argparse.Namespace) -> int:
    config = _config(options)
    print(to_toml(config), flush=True)
    _check(config.settings)
    return 0


def _check(settings: Settings) -> None:
    """Test every file that the settings name, as ``serve`` and ``health`` do, including a TLS handshake.

    :raises SecurityError: a TLS file cannot be used, or other machines could reach the port in plaintext.
    :raises KeysError: the keys file cannot be used.
    :raises TracingError: OpenTelemetry is missing.
    :raises WebError: what HTTP needs is missing.
    """
    web_of(settings, certificates_of(settings), ())
    channel_credentials(Trust(settings.health_ca, settings.health_cert, settings.health_key))
    if settings.keys_file:
        read_keys(Path(settings.keys_file), settings)
    if settings.otlp_endpoint:
        Tracing.to(settings.otlp_endpoint).close()


def _info(options: argparse.Namespace) -> int:
    from sniffai_server.services.engine import engine_info

    print(wire.to_json(engine_info(_config(options).settings)))
    return 0


def _health(options: argparse.Namespace) -> int:
    settings = _config(options).settings
    address = options.address or _own_address(settings)
    trust = None
    if settings.tls_cert or settings.health_ca:
        ca = settings.health_ca or settings.tls_cert
        trust = Trust(ca, settings.health_cert or None, settings.health_key or None, settings.health_name or None)
    why_not = why_not_serving(address, options.timeout, trust, through_proxy=options.address is not None)
    print("NOT SERVING" if why_not else "SERVING", flush=True)
    if why_not:
        say(f"sniffai-server: {address.text}: {why_not}")
    return 1 if why_not else 0


def _own_address(settings: Settings) -> Address:
    """The address of a server with these settings, as seen from its own machine.

    :raises ConfigError: its port is 0.
    """
    if settings.socket is not None:
        return settings.socket
    if not settings.port:
        raise ConfigError("port 0 stands for any free port: give the address of the server with --address")
    host = settings.host_name
    return read_address(join_address(WILDCARDS.get(host, host), settings.port))


def _key(options: argparse.Namespace) -> int:
    key = make_key()
    given = {name: getattr(options, name) for name in ("priority", "calls", "rate", "weight", "jobs")}
    entry = entry_of(options.name, key, {name: value for name, value in given.items() if value is not None})
    if options.file:
        add_entry(Path(options.file), options.name, entry, Settings())
    else:
        print(entry, flush=True)
    return 0 if say(f"the key of {options.name}, which is not shown again: {key}") else 1


def _config(options: argparse.Namespace) -> Config:
    """The settings of a command."""
    names = {spec.name for spec in settings_fields()}
    flags = {name: value for name, value in vars(options).items() if name in names and value is not None}
    return read_config(flags, file=options.config or "")


class _Parser(argparse.ArgumentParser):
    """A parser that reports a failed write of its help or version, and whose errors never block."""

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stdout:
            file.write(message)
        else:
            for line in message.splitlines():
                say(line)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="sniffai-server", description="The gRPC service of sniffai.")
    parser.add_argument("--version", action="version", version=f"sniffai-server {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command, text in (
        ("serve", _serve, "serve until SIGTERM or Ctrl-C"),
        ("config", _print_config, "print all settings and the source of each, as TOML"),
        ("info", _info, "print the capabilities of a server with these settings, as JSON"),
        ("health", _health, "check a server: exit with 0 if it is serving, 1 if not"),
    ):
        subparser = commands.add_parser(name, help=text)
        subparser.set_defaults(command=command)
        _add_settings(subparser)
        if name == "health":
            subparser.add_argument(
                "--address",
                type=_address,
                metavar="HOST:PORT",
                help="address of the server, or unix:PATH (default: host and port)",
            )
            subparser.add_argument("--timeout", type=_timeout, default=2.0, help="seconds (default: %(default)s)")
    _add_key(commands.add_parser("key", help="create an API key: store or print its entry, and print the key once"))
    return parser


def _add_key(key: argparse.ArgumentParser) -> None:
    key.set_defaults(command=_key)
    key.add_argument("name", help="the client's name: 1 to 64 letters, digits, _ and -")
    key.add_argument("--file", metavar="FILE", help="file to append the entry to (default: print it)")
    key.add_argument("--priority", choices=list(PRIORITIES), help="the highest priority that the client may request")
    key.add_argument("--calls", type=_quota, help="maximum number of open calls; 0 for no limit")
    key.add_argument("--rate", type=_quota, help="maximum number of calls per minute; 0 for no limit")
    key.add_argument("--weight", type=_weight, help="share of the slots beside other clients (default: 1)")
    key.add_argument(
        "--jobs", action="store_true", default=None, help="the client may run jobs, if the server runs any"
    )


def _add_settings(command: argparse.ArgumentParser) -> None:
    """Add a flag for each setting."""
    command.add_argument(
        "--config", metavar="FILE", help="TOML file with settings (default: the variable SNIFFAI_CONFIG)"
    )
    for spec in settings_fields():
        if kind_of(spec) is bool:
            how: Mapping[str, Any] = {"action": argparse.BooleanOptionalAction, "default": None}
        else:
            how = {"type": _reader(spec), "metavar": spec.name.rpartition("_")[2].upper()}
        command.add_argument(flag_of(spec.name), dest=spec.name, help=_help(spec), **how)


def _help(spec: "Field[Any]") -> str:
    """The help text of a setting's flag, with its default."""
    rule, default = rule_of(spec), default_of(spec)
    words = rule.shown_default or ("" if default in ("", False) else toml_value(default).strip('"'))
    return (rule.text + (f" (default: {words})" if words else "")).replace("%", "%%")


def _reader(spec: "Field[Any]") -> Callable[[str], Any]:
    def read(text: str) -> Any:
        try:
            return from_text(spec, text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def _address(text: str) -> Address:
    try:
        return read_address(text)
    except AddressError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _timeout(text: str) -> float:
    if re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,9})?", text) and 0 < float(text) <= MAX_TIMEOUT:
        return float(text)
    raise argparse.ArgumentTypeError(f"a number above 0 and at most {MAX_TIMEOUT:,.0f} is expected")


def _quota(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 8 and int(text) <= 1_000_000):
        raise argparse.ArgumentTypeError("a whole number in 0..1,000,000 is expected")
    return int(text)


def _weight(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 8 and 1 <= int(text) <= MOST_WEIGHT):
        raise argparse.ArgumentTypeError(f"a whole number in 1..{MOST_WEIGHT} is expected")
    return int(text)
