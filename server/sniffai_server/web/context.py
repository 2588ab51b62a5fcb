"""A call by HTTP with the face of a gRPC call, so that the interceptors and services of the gRPC port serve it."""

import asyncio
import ipaddress
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import grpc

Metadata = tuple[tuple[str, str | bytes], ...]


class HttpContext:
    """The part of ``grpc.aio.ServicerContext`` that interceptors and services use.

    :param metadata: the headers of the request.
    :param client: address and port of the client.
    :param certificate: the client's certificate as ``ssl`` gives it, empty without one.
    :param seconds: time until the deadline; ``None`` for a call without one.
    :param read: reads the request.
    :param write: sends one message of a stream.
    """

    def __init__(
        self,
        metadata: Metadata,
        client: tuple[str, int],
        certificate: Mapping[str, Any],
        seconds: float | None,
        read: Callable[[], Any],
        write: Callable[[Any], Any],
    ) -> None:
        self._metadata = metadata
        self._client = client
        self._certificate = certificate
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._read = read
        self._write = write
        self._trailers: Metadata = ()
        self._code: grpc.StatusCode | None = None
        self.details = ""
        """The message of the status with which the call was aborted."""
        self.end_callbacks: list[Callable[[Any], None]] = []
        """To be called at the end of the call."""

    def invocation_metadata(self) -> Metadata:
        """The headers of the request."""
        return self._metadata

    def peer(self) -> str:
        """The client's address as gRPC writes it, such as ``"ipv4:127.0.0.1:50312"``."""
        host, port = self._client
        try:
            version = ipaddress.ip_address(host.partition("%")[0]).version
        except ValueError:
            return "unknown:"
        return f"ipv6:[{host}]:{port}" if version == 6 else f"ipv4:{host}:{port}"

    def auth_context(self) -> Mapping[str, Sequence[bytes]]:
        """The common names in the client's certificate."""
        subject = self._certificate.get("subject", ())
        names = [value.encode() for part in subject for kind, value in part if kind == "commonName"]
        return {"x509_common_name": names} if names else {}

    def time_remaining(self) -> float | None:
        """Seconds until the deadline; ``None`` without one."""
        return None if self._deadline is None else self._deadline - time.monotonic()

    def trailing_metadata(self) -> Metadata:
        """The trailing metadata so far."""
        return self._trailers

    def set_trailing_metadata(self, trailers: Metadata) -> None:
        """Set the trailing metadata."""
        self._trailers = tuple(trailers)

    def code(self) -> grpc.StatusCode | None:
        """The status with which the call was aborted; ``None`` if it was not."""
        return self._code

    def set_code(self, code: grpc.StatusCode) -> None:
        """Do nothing: generated code calls this for a method without an implementation, and then raises an error."""

    def set_details(self, details: str) -> None:
        """Do nothing, as :meth:`set_code`."""

    def at_end(self, callback: Callable[[Any], None]) -> None:
        """Call something at the end of the call."""
        self.end_callbacks.append(callback)

    async def send_initial_metadata(self, metadata: Any) -> None:
        """Do nothing: headers are sent with the first message."""

    async def read(self) -> Any:
        """The one message of the request as bytes, then ``grpc.aio.EOF``."""
        return await self._read()

    async def write(self, message: Any) -> None:
        """Send one message of a stream, and wait until it is sent."""
        await self._write(message)

    async def abort(self, code: grpc.StatusCode, details: str = "", trailing_metadata: Metadata = ()) -> None:
        """End the call with a status.

        :raises grpc.aio.AbortError: always.
        """
        self._code, self.details, self._trailers = code, details, tuple(trailing_metadata)
        raise grpc.aio.AbortError("aborted")


async def first_of(*awaited: "asyncio.Future[Any]") -> None:
    """Wait until one of these is done."""
    await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
