"""Server reflection, which lets tools list services and messages: version 1, and v1alpha for older tools."""

from collections.abc import Iterable
from typing import Final

import grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2

METHOD: Final = "ServerReflectionInfo"
VERSION_1: Final = "grpc.reflection.v1.ServerReflection"
"""Its messages have the same bytes as those of v1alpha. Only v1alpha is listed, since grpcio has no descriptors of
v1."""


def add_reflection(services: Iterable[str], server: grpc.aio.Server) -> None:
    """Add reflection of the given services, and of itself, to a server."""
    servicer = reflection.aio.ReflectionServicer((*services, reflection.SERVICE_NAME))
    handler = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    for name in (VERSION_1, reflection.SERVICE_NAME):
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, {METHOD: handler}),))
