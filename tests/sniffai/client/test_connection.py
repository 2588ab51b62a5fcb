"""How the clients reach a server: retries, pushback, waiting, keys, certificates, deadlines. The server is a script."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme

import sniffai
from sniffai.client import AsyncClient, Client, ServiceError, Tls
from sniffai.client.connection import Connection
from sniffai.v1 import engine_service_pb2, engine_service_pb2_grpc
from tests.server.support import choice, running_server, view_message

UNAVAILABLE = grpc.StatusCode.UNAVAILABLE


class Script(engine_service_pb2_grpc.EngineServiceServicer):
    """Fails as often as it is told, then answers; keeps when it was called and what the calls carried."""

    def __init__(self, failures: int = 0, code: grpc.StatusCode = UNAVAILABLE, pushback: str | None = None) -> None:
        self._left = failures
        self._code = code
        self._pushback = pushback
        self.times: list[float] = []
        self.metadata: list[dict[str, Any]] = []

    def GetEngineInfo(self, request: Any, context: Any) -> engine_service_pb2.GetEngineInfoResponse:  # noqa: N802
        self.times.append(time.monotonic())
        self.metadata.append(dict(context.invocation_metadata()))
        if self._left:
            self._left -= 1
            if self._pushback is not None:
                context.set_trailing_metadata((("grpc-retry-pushback-ms", self._pushback),))
            context.abort(self._code, "not now")
        return engine_service_pb2.GetEngineInfoResponse(engine_version="9.9.9")


@contextmanager
def serving(script: Script, credentials: grpc.ServerCredentials | None = None, port: int = 0) -> Iterator[int]:
    server = grpc.server(ThreadPoolExecutor(2), options=[("grpc.so_reuseport", 0)])
    engine_service_pb2_grpc.add_EngineServiceServicer_to_server(script, server)
    address = f"127.0.0.1:{port}"
    port = server.add_secure_port(address, credentials) if credentials else server.add_insecure_port(address)
    server.start()
    try:
        yield port
    finally:
        server.stop(None).wait()


def ask(port: int, **options: Any) -> str:
    with Client(f"127.0.0.1:{port}", **options) as client:
        return client.info().engine_version


def ask_async(port: int, **options: Any) -> str:
    async def main() -> str:
        async with AsyncClient(f"127.0.0.1:{port}", **options) as client:
            return (await client.info()).engine_version

    return asyncio.run(main())


BOTH = pytest.mark.parametrize("ask", [ask, ask_async], ids=["blocking", "asyncio"])
Ask = Callable[..., str]


@BOTH
@pytest.mark.parametrize("code", [UNAVAILABLE, grpc.StatusCode.CANCELLED])
def test_a_call_is_tried_up_to_four_times(ask: Ask, code: grpc.StatusCode) -> None:
    script = Script(failures=3, code=code)
    with serving(script) as port:
        assert ask(port) == "9.9.9"
    assert len(script.times) == 4
    assert script.metadata[3]["grpc-previous-rpc-attempts"] == "3"


@BOTH
def test_the_last_error_is_raised_after_all_tries(ask: Ask) -> None:
    script = Script(failures=9)
    with serving(script) as port, pytest.raises(ServiceError) as raised:
        ask(port)
    assert (raised.value.code, raised.value.message, raised.value.retry_after) == ("UNAVAILABLE", "not now", None)
    assert len(script.times) == 4


@BOTH
@pytest.mark.parametrize("code", [grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.INVALID_ARGUMENT])
def test_errors_that_a_second_try_cannot_mend_are_raised_at_once(ask: Ask, code: grpc.StatusCode) -> None:
    script = Script(failures=1, code=code)
    with serving(script) as port, pytest.raises(ServiceError) as raised:
        ask(port)
    assert (raised.value.code, len(script.times)) == (code.name, 1)


@BOTH
def test_the_servers_pushback_is_honoured(ask: Ask) -> None:
    script = Script(failures=1, pushback="700")
    with serving(script) as port:
        assert ask(port) == "9.9.9"
    assert script.times[1] - script.times[0] >= 0.7
    refusing = Script(failures=1, pushback="-1")
    with serving(refusing) as port, pytest.raises(ServiceError):
        ask(port)
    assert len(refusing.times) == 1


def test_retries_stop_while_most_calls_fail() -> None:
    """After ten failures only first tries are left, until successes have paid for them."""
    script = Script(failures=1000, pushback="1")
    with serving(script) as port, Client(f"127.0.0.1:{port}") as client:
        for _ in range(12):
            with pytest.raises(ServiceError):
                client.info()
    assert len(script.times) < 12 * 2.5


@BOTH
def test_the_deadline_covers_all_tries(ask: Ask) -> None:
    script = Script(failures=1, pushback="5000")
    started = time.monotonic()
    with serving(script) as port, pytest.raises(ServiceError) as raised:
        ask(port, timeout=0.4)
    assert raised.value.code in ("UNAVAILABLE", "DEADLINE_EXCEEDED")
    assert time.monotonic() - started < 3


@BOTH
def test_a_batch_waits_for_the_server(ask: Ask) -> None:
    """Nobody listens at first."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    script = Script()
    answers: list[str] = []
    patient = threading.Thread(target=lambda: answers.append(ask(port, timeout=20, wait_for_ready=True)))
    patient.start()
    time.sleep(0.3)
    with serving(script, port=port):
        patient.join(20)
    assert answers == ["9.9.9"]


def test_a_client_finds_a_restarted_server_again() -> None:
    with serving(Script()) as port:
        assert ask(port) == "9.9.9"
    with Client(f"127.0.0.1:{port}", wait_for_ready=True, timeout=20) as client:
        for _ in range(2):
            with serving(Script(), port=port):
                assert client.info().engine_version == "9.9.9"


@BOTH
def test_the_key_goes_with_every_call(ask: Ask) -> None:
    script = Script(failures=1)
    with serving(script) as port:
        ask(port, api_key="sniffai_abc")
        assert [one["authorization"] for one in script.metadata] == ["Bearer sniffai_abc"] * 2
        ask(port)
    assert "authorization" not in script.metadata[2]


@BOTH
def test_tls_and_client_certificates(ask: Ask, tmp_path: Path) -> None:
    ca = trustme.CA()
    server, client = ca.issue_cert("localhost", "127.0.0.1"), ca.issue_cert("a-client")
    root, cert, key = (tmp_path / name for name in ("ca.pem", "client.pem", "client.key"))
    ca.cert_pem.write_to_path(str(root))
    cert.write_bytes(client.cert_chain_pems[0].bytes())
    key.write_bytes(client.private_key_pem.bytes())
    pair = [(server.private_key_pem.bytes(), server.cert_chain_pems[0].bytes())]
    plain = grpc.ssl_server_credentials(pair)
    with serving(Script(), plain) as port:
        assert ask(port, tls=Tls(root=root)) == "9.9.9"
        assert ask(port, tls=Tls(root=str(root), server_name="localhost")) == "9.9.9"
        with pytest.raises(ServiceError):
            ask(port, tls=Tls(root=root, server_name="example.com"), timeout=0.5)
    mutual = grpc.ssl_server_credentials(pair, ca.cert_pem.bytes(), require_client_auth=True)
    with serving(Script(), mutual) as port:
        assert ask(port, tls=Tls(root=root, certificate=cert, key=key)) == "9.9.9"
        with pytest.raises(ServiceError):
            ask(port, tls=Tls(root=root), timeout=0.5)


@pytest.mark.parametrize("timeout", [0, -1, float("inf"), float("nan"), 1e6, True, "5", None])
def test_a_deadline_is_required(timeout: Any) -> None:
    with pytest.raises(ValueError, match="timeout"):
        Client("127.0.0.1:1", timeout=timeout)
    if timeout is not None:
        with Client("127.0.0.1:1") as client, pytest.raises(ValueError, match="timeout"):
            client.info(timeout=timeout)


def test_wrong_options_are_refused(tmp_path: Path) -> None:
    for key in ("", "two\nlines", "schl\u00fcssel"):
        with pytest.raises(ValueError, match="key"):
            Client("127.0.0.1:1", api_key=key)
    with pytest.raises(ValueError, match="together"):
        Client("127.0.0.1:1", tls=Tls(certificate=tmp_path / "a.pem"))
    with pytest.raises(FileNotFoundError):
        Client("127.0.0.1:1", tls=Tls(root=tmp_path / "none.pem"))


def test_the_service_config_names_every_service() -> None:
    config = json.loads(dict(Connection("h:1", 1.0, None, None, False).options)["grpc.service_config"])
    assert [name["service"] for name in config["methodConfig"][0]["name"]] == [
        "sniffai.v1.AnalysisService",
        "sniffai.v1.RulesService",
        "sniffai.v1.EngineService",
        "sniffai.v1.MatchService",
    ]
    assert config["loadBalancingConfig"] == [{"round_robin": {}}]


def test_calls_take_turns_over_all_addresses() -> None:
    first, second = Script(), Script()
    with serving(first) as one, serving(second) as other, Client(f"ipv4:127.0.0.1:{one},127.0.0.1:{other}") as client:
        deadline = time.monotonic() + 10
        while not (first.times and second.times) and time.monotonic() < deadline:
            client.info()
        before = len(first.times), len(second.times)
        for _ in range(10):
            client.info()
    assert (len(first.times) - before[0], len(second.times) - before[1]) == (5, 5)


def test_an_error_with_broken_details_is_still_reported() -> None:
    class Broken(engine_service_pb2_grpc.EngineServiceServicer):
        def GetEngineInfo(self, request: Any, context: Any) -> Any:  # noqa: N802
            context.set_trailing_metadata((("grpc-status-details-bin", b"\xff\xff"),))
            context.abort(grpc.StatusCode.INTERNAL, "broken")

    with serving(Broken()) as port, pytest.raises(ServiceError) as raised:  # type: ignore[arg-type]
        ask(port)
    assert (raised.value.code, raised.value.message, raised.value.reason) == ("INTERNAL", "broken", "")


async def test_many_calls_at_the_same_time() -> None:
    with running_server() as server:
        async with AsyncClient(server.address) as client:
            view, limits = view_message(choice()), sniffai.Limits(simulations=500)
            answers = await asyncio.gather(*(client.recommend(view, limits, seed=seed) for seed in range(20)))
            infos = await asyncio.gather(*(client.info() for _ in range(20)))
    assert [answer.analysis.seed for answer in answers] == list(range(20))
    assert len({info.engine_version for info in infos}) == 1
