"""The methods of all services, collected as a gRPC server would register them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from google.protobuf import descriptor_pool
from google.protobuf.descriptor_pb2 import MethodOptions
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from sniffai_server.calls.handlers import Handler, MaybeHandler, refusing

LEVELS: Final = {
    "IDEMPOTENCY_UNKNOWN": IdempotencyLevel.UNKNOWN,
    "NO_SIDE_EFFECTS": IdempotencyLevel.NO_SIDE_EFFECTS,
    "IDEMPOTENT": IdempotencyLevel.IDEMPOTENT,
}


@dataclass(frozen=True, slots=True)
class Method:
    """One method and what serves it."""

    name: str
    """Such as ``"sniffai.v1.RulesService/ApplyMove"``."""
    handler: MaybeHandler
    """What serves it; ``None`` for a method that does not exist."""
    request: type[Message]
    info: MethodInfo[Any, Any]
    """The method as the Connect library knows it."""

    @property
    def streams(self) -> bool:
        """Whether its answer is a stream."""
        return self.info.stream_type is StreamType.SERVER_STREAM

    @property
    def reads_only(self) -> bool:
        """Whether it may be called by GET."""
        return self.info.idempotency_level is IdempotencyLevel.NO_SIDE_EFFECTS

    def refusing(self, error: Exception, info: MethodInfo[Any, Any]) -> "Method":
        """The same method, which reads nothing and fails with an error."""
        assert self.handler is not None
        return Method(self.name, refusing(self.handler, error), self.request, info)


class Methods(dict[str, Method]):
    """Methods by the path of their URL.

    It is filled by the functions ``add_..._to_server`` of the generated code, as if it were a gRPC server. So the
    servicers are those of the gRPC port, and a service that is added there is served here, too.
    """

    def add_registered_method_handlers(self, service: str, handlers: Mapping[str, Handler]) -> None:
        """Add the methods of a service. Those whose requests are streams are left out: no browser can send them."""
        described = descriptor_pool.Default().FindServiceByName(service)
        for name, handler in handlers.items():
            if handler.request_streaming:
                continue
            method = described.methods_by_name[name]
            level = MethodOptions.IdempotencyLevel.Name(method.GetOptions().idempotency_level)
            info: MethodInfo[Any, Any] = MethodInfo(
                name=name,
                service_name=service,
                input=bytes,
                output=Message,
                idempotency_level=LEVELS[level],
                stream_type=StreamType.SERVER_STREAM if handler.response_streaming else StreamType.UNARY,
            )
            self[f"/{service}/{name}"] = Method(f"{service}/{name}", handler, GetMessageClass(method.input_type), info)

    def add_generic_rpc_handlers(self, handlers: Iterable[Any]) -> None:
        """Add nothing: generated code passes the same methods in this form as well."""
