"""A gRPC server that only sends back what it gets: what a call costs on this machine before anything is done for it."""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import grpc

METHOD: Final = "/benchmarks.Echo/Send"
ADDRESS: Final = "127.0.0.1"


async def serve() -> None:
    """Listen on a free port, print it, and answer until killed."""

    async def send(request: bytes, _: Any) -> bytes:
        return request

    server = grpc.aio.server()
    service, name = METHOD.strip("/").split("/")
    handler: Any = grpc.unary_unary_rpc_method_handler(send)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {name: handler}),))
    print(server.add_insecure_port(f"{ADDRESS}:0"), flush=True)
    await server.start()
    await server.wait_for_termination()


@contextmanager
def echoing() -> Iterator[Callable[[bytes], bytes]]:
    """A call of such a server in a process of its own, while the block runs."""
    command = [sys.executable, "-m", "benchmarks.server.echo"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline())
            with grpc.insecure_channel(f"{ADDRESS}:{port}") as channel:
                call: Any = channel.unary_unary(METHOD)
                yield call
        finally:
            process.kill()


if __name__ == "__main__":
    asyncio.run(serve())
