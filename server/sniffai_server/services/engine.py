"""EngineService: version and capabilities of the server."""

# ruff: noqa: N802 (methods are named as in the .proto files)

from typing import Any

from sniffai import rules, wire
from sniffai.play.levels import LEVELS, Level
from sniffai.play.ratings import rating_spread
from sniffai.v1 import engine_service_pb2 as pb
from sniffai.v1 import engine_service_pb2_grpc
from sniffai.version import VERSION
from sniffai_server.services.notices import names_unknown_fields
from sniffai_server.settings import Settings


class EngineService(engine_service_pb2_grpc.EngineServiceServicer):
    """The servicer of EngineService."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @names_unknown_fields
    async def GetEngineInfo(self, request: pb.GetEngineInfoRequest, context: Any) -> pb.GetEngineInfoResponse:
        """Version, table sizes, limits and levels."""
        return engine_info(self._settings)


def engine_info(settings: Settings) -> pb.GetEngineInfoResponse:
    """The version and capabilities of a server with these settings."""
    return pb.GetEngineInfoResponse(
        engine_version=VERSION,
        tables=map(_table, rules.PLAYERS),
        default_limits=wire.write_limits(settings.default_limits),
        max_limits=wire.write_limits(settings.caps),
        search_slot_count=settings.slots,
        max_request_bytes=settings.max_request_bytes,
        levels=map(_level, LEVELS),
    )


def _level(level: Level) -> pb.Level:
    scores = [pb.LevelScore(players=s.players, won_count=s.won, match_count=s.matches) for s in level.scores]
    message = pb.Level(
        name=level.name,
        description=level.description,
        scores=scores,
        max_simulations=level.max_simulations,
        rating=round(level.rating),
    )
    if level.move_time is not None:
        message.mean_time.FromNanoseconds(round(level.move_time.mean * 1e9))
    return message


def _table(players: int) -> pb.TableSize:
    return pb.TableSize(
        players=players,
        team_count=rules.TEAMS[players],
        hand_size=rules.HAND_SIZE[players],
        talon_size=rules.TALON_SIZE[players],
        target=rules.TARGET[players],
        rating_spread=rating_spread(players),
    )
