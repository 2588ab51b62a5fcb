"""The health probe, for containers and scripts."""

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc


def is_serving(address: str, timeout: float) -> bool:
    """Whether the server at ``host:port`` answers within ``timeout`` seconds that it serves."""
    with grpc.insecure_channel(address) as channel:
        try:
            check = health_pb2_grpc.HealthStub(channel).Check  # type: ignore[attr-defined]
            answer = check(health_pb2.HealthCheckRequest(), timeout=timeout)
        except grpc.RpcError:
            return False
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)
