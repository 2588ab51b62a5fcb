"""The health probe, for containers and scripts."""

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc


def is_serving(
    address: str, timeout: float, credentials: grpc.ChannelCredentials | None = None, server_name: str = ""
) -> bool:
    """Whether the server at ``host:port`` answers within ``timeout`` seconds that it serves.

    :param credentials: of a TLS connection; ``None`` for plaintext.
    :param server_name: the name expected in the server's certificate; empty for the host of the address.
    """
    with _channel(address, credentials, server_name) as channel:
        try:
            check = health_pb2_grpc.HealthStub(channel).Check  # type: ignore[attr-defined]
            answer = check(health_pb2.HealthCheckRequest(), timeout=timeout)
        except grpc.RpcError:
            return False
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


def _channel(address: str, credentials: grpc.ChannelCredentials | None, server_name: str) -> grpc.Channel:
    if credentials is None:
        return grpc.insecure_channel(address)
    options = [("grpc.ssl_target_name_override", server_name)] if server_name else []
    return grpc.secure_channel(address, credentials, options)
