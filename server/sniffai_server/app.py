"""One server: its services wired together, from start to drain."""

import asyncio
import signal
from dataclasses import replace
from typing import Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import aio as health
from grpc_reflection.v1alpha import reflection

from sniffai.v1 import (
    analysis_service_pb2,
    analysis_service_pb2_grpc,
    engine_service_pb2,
    engine_service_pb2_grpc,
    rules_service_pb2,
    rules_service_pb2_grpc,
)
from sniffai.version import VERSION
from sniffai_server.analysis_service import AnalysisService
from sniffai_server.engine_service import EngineService
from sniffai_server.guard import Guard
from sniffai_server.rules_service import RulesService
from sniffai_server.searches import Searches
from sniffai_server.settings import Settings

SERVICES: Final = (
    analysis_service_pb2.DESCRIPTOR.services_by_name["AnalysisService"].full_name,
    rules_service_pb2.DESCRIPTOR.services_by_name["RulesService"].full_name,
    engine_service_pb2.DESCRIPTOR.services_by_name["EngineService"].full_name,
)
HEALTH: Final = "grpc.health.v1.Health"


class ListenError(Exception):
    """The address cannot be listened on: it is taken, or not this machine's."""


class Server:
    """A gRPC server, made inside a running event loop. :meth:`start` it, then :meth:`drain` it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.searches = Searches(settings.slots)
        self._health = health.HealthServicer()
        self._grpc = grpc.aio.server(
            interceptors=[Guard()],
            options=[
                ("grpc.so_reuseport", 0),  # a second server on the port must fail, not take half of the calls
                ("grpc.max_receive_message_length", settings.max_request_bytes),
            ],
        )
        self._add_services()

    async def start(self) -> int:
        """Listen; returns the port.

        :raises ListenError: the address is taken, or not this machine's.
        """
        try:
            port = self._grpc.add_insecure_port(self.settings.address)
        except RuntimeError as error:
            raise ListenError(f"cannot listen on {self.settings.address}") from error
        await self._grpc.start()
        for name in SERVICES:
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        return port

    async def drain(self) -> None:
        """Say NOT_SERVING, take no new calls, let those in flight answer with what they have, and stop."""
        await self._health.enter_graceful_shutdown()
        stopped = asyncio.ensure_future(self._grpc.stop(self.settings.grace_seconds))
        self.searches.finish_early()
        await stopped
        self.searches.close()

    def _add_services(self) -> None:
        analysis = AnalysisService(self.settings, self.searches)
        analysis_service_pb2_grpc.add_AnalysisServiceServicer_to_server(analysis, self._grpc)
        rules_service_pb2_grpc.add_RulesServiceServicer_to_server(RulesService(), self._grpc)
        engine_service_pb2_grpc.add_EngineServiceServicer_to_server(EngineService(self.settings), self._grpc)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._grpc)
        reflection.enable_server_reflection((*SERVICES, HEALTH, reflection.SERVICE_NAME), self._grpc)


async def serve(settings: Settings) -> None:
    """Run a server until SIGTERM or SIGINT, then drain it.

    :raises ListenError: its address cannot be listened on.
    """
    server = Server(settings)
    port = await server.start()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    print(f"sniffai-server {VERSION} listening on {replace(settings, port=port).address}", flush=True)
    await stop.wait()
    await server.drain()
