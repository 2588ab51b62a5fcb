"""The health probe, for containers and scripts."""

from typing import Any, Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

SIGNS: Final = {
    "Connection refused": "nothing listens there",
    "Hostname Verification Check failed": "its certificate has another name: set health_name to one that it has",
    "CERTIFICATE_VERIFY_FAILED": "its certificate is not trusted: set health_ca to its authorities",
    "WRONG_VERSION_NUMBER": "it does not speak TLS, which is expected since tls_cert or health_ca is set",
}
"""What gRPC's words for a failed connection mean, as far as they are known."""


def why_not_serving(
    address: str, timeout: float, credentials: grpc.ChannelCredentials | None = None, server_name: str = ""
) -> str:
    """Why the server at ``host:port`` does not answer within ``timeout`` seconds that it serves; empty if it does.

    :param credentials: of a TLS connection; ``None`` for plaintext.
    :param server_name: the name expected in the server's certificate; empty for the host of the address.
    """
    with _channel(address, credentials, server_name) as channel:
        try:
            check = health_pb2_grpc.HealthStub(channel).Check  # type: ignore[attr-defined]
            answer = check(health_pb2.HealthCheckRequest(), timeout=timeout)
        except grpc.RpcError as error:
            return _why(error, timeout, credentials is not None)
    if answer.status == health_pb2.HealthCheckResponse.SERVING:
        return ""
    return f"it answers {health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)}"


def _why(error: Any, timeout: float, secure: bool) -> str:
    """What a failed call says, in words that tell what to do where the cause is known."""
    code, details = error.code(), error.details() or ""
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return f"no answer within {timeout:g} s"
    for sign, meaning in SIGNS.items():
        if sign in details:
            return meaning
    if code is grpc.StatusCode.UNAVAILABLE and ("Socket closed" in details or "reset" in details):
        if secure:
            return "it closes the connection: if it asks for a certificate, set health_cert and health_key"
        return "it closes the connection: if it speaks TLS, set tls_cert or health_ca"
    return f"{code.name}: {details}"


def _channel(address: str, credentials: grpc.ChannelCredentials | None, server_name: str) -> grpc.Channel:
    if credentials is None:
        return grpc.insecure_channel(address)
    options = [("grpc.ssl_target_name_override", server_name)] if server_name else []
    return grpc.secure_channel(address, credentials, options)
