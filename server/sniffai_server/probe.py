"""The health probe, for containers and scripts."""

from typing import Any, Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from sniffai.addresses import Address
from sniffai.client.diagnosis import Kind, Trust, why_unreachable
from sniffai.client.proxies import DIRECT, proxy_of
from sniffai_server.access.tls import channel_credentials

ADVICE: Final = {
    Kind.TLS_SPOKEN: "set tls_cert or health_ca",
    Kind.TLS_NOT_SPOKEN: "leave out tls_cert and health_ca",
    Kind.NOT_TRUSTED: "set health_ca to the file with its CA",
    Kind.WRONG_NAME: "set health_name to a name in it",
    Kind.CLIENT_CERTIFICATE: "set health_cert and health_key",
}
"""What to do, by cause."""


def why_not_serving(
    address: Address, timeout: float, trust: Trust | None = None, *, through_proxy: bool = False
) -> str:
    """Why a server does not report SERVING within ``timeout`` seconds; empty if it does.

    :param trust: for a TLS connection; ``None`` for plaintext.
    :param through_proxy: whether to use the proxy of the environment; never used for this machine.
    :raises SecurityError: a file of ``trust`` cannot be used.
    """
    proxy = proxy_of(address) if through_proxy else None
    with _channel(address, trust, direct=proxy is None) as channel:
        try:
            check = health_pb2_grpc.HealthStub(channel).Check  # type: ignore[attr-defined]
            answer = check(health_pb2.HealthCheckRequest(), timeout=timeout)
        except grpc.RpcError as error:
            if proxy is not None:
                return f"{_why(error, timeout)}, through {proxy}"
            return _why(error, timeout, _cause(error, address, trust))
    if answer.status == health_pb2.HealthCheckResponse.SERVING:
        return ""
    return f"it answers {health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)}"


def _why(error: Any, timeout: float, cause: str = "") -> str:
    """Why a call failed: the cause if it is known, otherwise gRPC's message."""
    if cause:
        return cause
    if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
        return f"no answer within {timeout:g} s"
    return f"{error.code().name}: {error.details() or ''}"


def _cause(error: Any, address: Address, trust: Trust | None) -> str:
    """The cause of a failed call and what to do; empty if the cause cannot be found."""
    if error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
        return ""
    cause = why_unreachable(address, trust)
    if cause is None:
        return ""
    return f"{cause.text}: {ADVICE[cause.kind]}" if cause.kind in ADVICE else cause.text


def _channel(address: Address, trust: Trust | None, *, direct: bool) -> grpc.Channel:
    options: list[tuple[str, Any]] = [DIRECT] if direct else []
    if trust is None:
        return grpc.insecure_channel(address.target, options)
    if trust.server_name:
        options.append(("grpc.ssl_target_name_override", trust.server_name))
    return grpc.secure_channel(address.target, channel_credentials(trust), options)
