"""Calls to a server: at a constant rate whatever becomes of them, or a fixed number at the same time."""

import asyncio
import itertools
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import grpc

Call = Callable[[int], Awaitable[str]]
"""Makes the call of a number; gives the name of its status."""

ANALYZE: Final = "/sniffai.v1.AnalysisService/Analyze"
CHECK: Final = "/grpc.health.v1.Health/Check"
TIMEOUT: Final = 20.0
"""Seconds that a call may take."""
ALLOWED_MISS: Final = 0.01
"""The share of its rate by which an open loop may fall behind."""


class RateError(Exception):
    """An open loop could not keep its own rate: its latencies mean nothing."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One call; the moments are seconds of ``time.perf_counter()``."""

    due: float
    """When it should have been sent: latency counts from here."""
    sent: float
    ended: float
    code: str

    @property
    def latency(self) -> float:
        """Seconds from the moment at which it was due."""
        return self.ended - self.due


def caller(channel: grpc.aio.Channel, method: str, requests: Sequence[bytes], seed: int = 0) -> Call:
    """Calls of a unary method; the number of a call and the seed say which request it has."""
    call: Any = channel.unary_unary(method)

    async def send(number: int) -> str:
        request = requests[random.Random(f"{seed} {number}").randrange(len(requests))]
        try:
            await call(request, timeout=TIMEOUT)
        except grpc.aio.AioRpcError as error:
            return error.code().name
        return "OK"

    return send


async def open_loop(call: Call, rate: float, seconds: float) -> list[Sent]:
    """:func:`scheduled` calls that kept their rate.

    :raises RateError: fewer were sent in the time than the rate asks for, by more than 1 %.
    """
    calls = await scheduled(call, rate, seconds)
    check_rate(calls, rate)
    return calls


async def scheduled(call: Call, rate: float, seconds: float) -> list[Sent]:
    """Send calls at a constant rate (a second) for some time; gives all of them once all have ended."""
    count = max(1, round(rate * seconds))
    calls: list[Sent] = []

    async def send(number: int, due: float) -> None:
        sent = time.perf_counter()
        code = await call(number)
        calls.append(Sent(due, sent, time.perf_counter(), code))

    start = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number in range(count):
            due = start + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            group.create_task(send(number, due))
    return calls


def check_rate(calls: Sequence[Sent], rate: float) -> None:
    """Expect calls to have been sent at their rate.

    :raises RateError: they were not.
    """
    first, last = min(sent.due for sent in calls), max(sent.sent for sent in calls)
    reached = len(calls) / (last - first + 1 / rate)
    if reached < (1 - ALLOWED_MISS) * rate:
        raise RateError(f"sent {reached:.1f} calls a second instead of {rate:.1f}: this machine cannot make that load")


async def closed_loop(call: Call, callers: int, *, seconds: float) -> list[Sent]:
    """So many callers, each with one call after the other, for some time; gives all calls once all have ended."""
    calls: list[Sent] = []
    numbers = itertools.count()
    end = time.perf_counter() + seconds

    async def repeat() -> None:
        while (sent := time.perf_counter()) < end:
            code = await call(next(numbers))
            calls.append(Sent(sent, sent, time.perf_counter(), code))

    await asyncio.gather(*(repeat() for _ in range(callers)))
    return calls


def goodput(calls: Sequence[Sent], begin: float, end: float) -> float:
    """Calls a second that ended well between two moments."""
    return sum(sent.code == "OK" and begin <= sent.ended < end for sent in calls) / (end - begin)
