import socket
from types import SimpleNamespace

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

import sniffai
from sniffai.addresses import read_address
from sniffai.play.levels import LEVELS
from sniffai.v1 import engine_service_pb2
from sniffai_server.app import SERVICES
from sniffai_server.probe import why_not_serving
from tests.server.support import TIMEOUT, LoopbackServer, failure, running_server


@pytest.mark.parametrize("service", ["", *SERVICES])
def test_health_of_the_server_and_of_each_service(stubs: SimpleNamespace, service: str) -> None:
    health = health_pb2_grpc.HealthStub(stubs.channel)
    answer = health.Check(health_pb2.HealthCheckRequest(service=service), timeout=TIMEOUT)
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


def test_health_of_an_unknown_service(stubs: SimpleNamespace) -> None:
    health = health_pb2_grpc.HealthStub(stubs.channel)
    request = health_pb2.HealthCheckRequest(service="sniffai.v1.Oracle")
    assert failure(lambda: health.Check(request, timeout=TIMEOUT)).code == "NOT_FOUND"


def test_health_can_be_watched(stubs: SimpleNamespace) -> None:
    watch = health_pb2_grpc.HealthStub(stubs.channel).Watch(health_pb2.HealthCheckRequest(), timeout=TIMEOUT)
    assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
    watch.cancel()


def test_probe(server: LoopbackServer) -> None:
    assert why_not_serving(read_address(server.address), timeout=5) == ""


def test_probe_of_a_server_that_goes_down() -> None:
    with running_server() as server:
        server.call(server.server._health.enter_graceful_shutdown())
        assert why_not_serving(read_address(server.address), timeout=5) == "it answers NOT_SERVING"


def test_probe_without_a_server() -> None:
    assert why_not_serving(read_address("127.0.0.1:1"), timeout=5) == "nothing listens there"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        assert why_not_serving(read_address(address), timeout=0.3) == "no answer within 0.3 s"


def test_reflection_lists_services_and_gives_their_files(stubs: SimpleNamespace) -> None:
    reflect = reflection_pb2_grpc.ServerReflectionStub(stubs.channel).ServerReflectionInfo
    requests = [
        reflection_pb2.ServerReflectionRequest(list_services=""),
        reflection_pb2.ServerReflectionRequest(file_containing_symbol="sniffai.v1.RulesService"),
    ]
    listed, file = reflect(iter(requests), timeout=TIMEOUT)
    assert {service.name for service in listed.list_services_response.service} >= {*SERVICES, "grpc.health.v1.Health"}
    descriptor = FileDescriptorProto.FromString(file.file_descriptor_response.file_descriptor_proto[0])
    assert descriptor.name == "sniffai/v1/rules_service.proto"


def test_reflection_by_its_newer_name(stubs: SimpleNamespace) -> None:
    reflect = stubs.channel.stream_stream(
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
    requests = [reflection_pb2.ServerReflectionRequest(list_services="")]
    (listed,) = reflect(iter(requests), timeout=TIMEOUT)
    names = {service.name for service in listed.list_services_response.service}
    assert names == {*SERVICES, "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"}
    for name in names:
        request = reflection_pb2.ServerReflectionRequest(file_containing_symbol=name)
        (file,) = reflect(iter([request]), timeout=TIMEOUT)
        assert file.file_descriptor_response.file_descriptor_proto


def test_engine_info(stubs: SimpleNamespace) -> None:
    info = stubs.engine.GetEngineInfo(engine_service_pb2.GetEngineInfoRequest(), timeout=TIMEOUT)
    assert info.engine_version == sniffai.__version__
    assert [(t.players, t.team_count, t.hand_size, t.talon_size, t.target) for t in info.tables] == [
        (2, 2, 7, 14, 250),
        (3, 3, 6, 10, 200),
        (4, 2, 5, 8, 200),
    ]
    assert info.default_limits.time.seconds == 1
    assert info.max_limits.time.seconds == 60
    assert (info.search_slot_count, info.max_request_bytes) == (2, 1 << 20)
    assert [level.name for level in info.levels] == [level.name for level in LEVELS]
    assert [(score.players, score.won_count, score.match_count) for score in info.levels[1].scores] == [
        (score.players, score.won, score.matches) for score in LEVELS[1].scores
    ]
