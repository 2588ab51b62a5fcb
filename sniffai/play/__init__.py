"""Play: players by name, levels, and contests between them."""

from typing import TYPE_CHECKING, Final

from sniffai.lazy import lazy_names

if TYPE_CHECKING:
    from sniffai.play.arena import play_arena
    from sniffai.play.arena_result import ArenaResult, ArenaSpec
    from sniffai.play.levels import LEVELS, Level, find_level, level_player, named_player, opponent_named
    from sniffai.play.match import Match
    from sniffai.play.players import Player
    from sniffai.play.sequential import SequentialTest

_MODULES: Final = {
    "arena": ("play_arena",),
    "arena_result": (
        "ArenaResult",
        "ArenaSpec",
    ),
    "levels": (
        "LEVELS",
        "Level",
        "find_level",
        "level_player",
        "named_player",
        "opponent_named",
    ),
    "match": ("Match",),
    "players": ("Player",),
    "sequential": ("SequentialTest",),
}
"""The public names by the module that defines them."""

__all__ = [
    "LEVELS",
    "ArenaResult",
    "ArenaSpec",
    "Level",
    "Match",
    "Player",
    "SequentialTest",
    "find_level",
    "level_player",
    "named_player",
    "opponent_named",
    "play_arena",
]

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
