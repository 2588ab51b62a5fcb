"""The command ``sniffai-server``."""

import argparse
import asyncio
import logging
import sys
from collections.abc import Sequence

from sniffai import wire
from sniffai.version import VERSION
from sniffai_server.app import ListenError, serve
from sniffai_server.engine_service import engine_info
from sniffai_server.probe import is_serving
from sniffai_server.settings import Settings


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    status: int = options.command(options)
    return status


def _serve(options: argparse.Namespace) -> int:
    settings = _settings(options)
    try:
        asyncio.run(serve(settings))
    except ListenError as error:
        print(f"sniffai-server: {error}", file=sys.stderr)
        return 1
    return 0


def _health(options: argparse.Namespace) -> int:
    serving = is_serving(options.address, options.timeout)
    print("SERVING" if serving else "NOT SERVING")
    return 0 if serving else 1


def _info(options: argparse.Namespace) -> int:
    print(wire.to_json(engine_info(_settings(options))))
    return 0


def _settings(options: argparse.Namespace) -> Settings:
    """The settings that the command line gives, the defaults for the others."""
    given = {name: getattr(options, name) for name in ("host", "port", "slots")}
    return Settings(**{name: value for name, value in given.items() if value is not None})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sniffai-server", description="The gRPC service of sniffai.")
    parser.add_argument("--version", action="version", version=f"sniffai-server {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    serve = commands.add_parser("serve", help="serve until SIGTERM or Ctrl-C")
    serve.set_defaults(command=_serve)
    info = commands.add_parser("info", help="print what a server with these settings can do, as JSON")
    info.set_defaults(command=_info)
    for command in (serve, info):
        command.add_argument("--host", help=f"address to listen on (default: {Settings.host})")
        command.add_argument("--port", type=_port, help=f"port, 0 for any (default: {Settings.port})")
        command.add_argument("--slots", type=_positive, help="searches at the same time (default: usable cores)")

    health = commands.add_parser("health", help="exit 0 if a server serves, 1 if not")
    health.set_defaults(command=_health)
    where = health.add_mutually_exclusive_group()
    where.add_argument("--address", default=f"{Settings.host}:{Settings.port}", help="default: %(default)s")
    where.add_argument(
        "--port", dest="address", type=_loopback, metavar="PORT", help=f"the same as {Settings.host}:PORT"
    )
    health.add_argument("--timeout", type=float, default=2.0, help="seconds (default: %(default)s)")
    return parser


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) <= 65535):
        raise argparse.ArgumentTypeError("a port is a whole number, 0 to 65535")
    return int(text)


def _loopback(text: str) -> str:
    return f"{Settings.host}:{_port(text)}"


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 5 and int(text) >= 1):
        raise argparse.ArgumentTypeError("a whole number is expected, 1 to 9999")
    return int(text)
