"""Everything an operator can set, with its default."""

from dataclasses import dataclass, field, replace
from typing import Final

from sniffai.params import Limits
from sniffai_server.cores import usable_cores

MEBIBYTE: Final = 1 << 20
CAPS: Final = Limits(simulations=100_000_000, seconds=60.0, memory_bytes=256 * MEBIBYTE)


@dataclass(frozen=True)
class Settings:
    """One server's settings."""

    host: str = "127.0.0.1"
    """The address to listen on; only this machine can reach the default."""
    port: int = 50051
    """The TCP port to listen on, 0..65535; 0 lets the system choose."""
    slots: int = field(default_factory=usable_cores)
    """How many searches run at the same time, at least 1."""
    default_seconds: float = 1.0
    """The time of a search whose request sets neither time nor simulations."""
    caps: Limits = CAPS
    """The most that one request can ask for."""
    max_request_bytes: int = MEBIBYTE
    """The largest request accepted; a round's record takes less than 10 kB."""
    grace_seconds: float = 5.0
    """How long calls in flight have to end after SIGTERM."""

    @property
    def default_limits(self) -> Limits:
        """The limits of a search whose request sets none."""
        return replace(self.caps, seconds=min(self.default_seconds, self.caps.seconds or self.default_seconds))

    @property
    def address(self) -> str:
        """``host:port``, an IPv6 host in brackets."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
