"""The same request has the same bytes: from every process, with any number of slots, streamed or not."""

import asyncio
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
import pytest

import sniffai
from sniffai import wire
from sniffai.search.candidates import distinct_moves
from sniffai.v1 import analysis_pb2, analysis_service_pb2
from tests.server.support import TIMEOUT, running_server

REQUESTS = 100
ANALYZE = "/sniffai.v1.AnalysisService/Analyze"


def requests() -> list[bytes]:
    """Decisions of all sizes of table, with all kinds of limits that no clock has a part in; some are open deals."""
    found = []
    seed = 0
    while len(found) < REQUESTS:
        seed += 1
        round_ = sniffai.Round.deal(2 + seed % 3, seed)
        while not round_.over and len(found) < REQUESTS:
            view = round_.view(round_.seat)
            moves = distinct_moves(view)
            if len(moves) > 1:
                fields = {"limits": {"simulations": 20 + 7 * (len(found) % 20)}, "seed": len(found)}
                if len(found) % 5 == 1:
                    fields["limits"] |= {"simulations": 400, "target_standard_error": 2.5}
                if len(found) % 7 == 2:
                    fields["exclude_moves"] = [wire.write_move(moves[0])]
                position = (
                    {"deal": wire.write_deal(round_)} if len(found) % 10 == 3 else {"view": wire.write_view(view)}
                )
                request = analysis_service_pb2.AnalyzeRequest(**position, **fields)
                found.append(request.SerializeToString(deterministic=True))
            round_.play(round_.legal_moves()[seed % len(round_.legal_moves())])
    return found


@contextmanager
def processes(*slots: int) -> Iterator[list[str]]:
    """Servers in processes of their own, all started at once; gives their addresses."""
    command = [sys.executable, "-m", "sniffai_server", "serve", "--port", "0", "--slots"]
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    servers = [subprocess.Popen([*command, str(number)], **quiet) for number in slots]
    try:
        yield [address_of(server) for server in servers]
    finally:
        for server in servers:
            server.send_signal(signal.SIGTERM)
        for server in servers:
            server.communicate(timeout=TIMEOUT)


def address_of(server: Any) -> str:
    line = server.stdout.readline()
    found = re.search(r"listening on (\S+)", line)
    assert found, line
    return found[1]


async def answers(address: str, asked: list[bytes]) -> list[bytes]:
    """The bytes of all answers; eight calls are in flight at any time, so that every slot has work."""
    room = asyncio.Semaphore(8)
    async with grpc.aio.insecure_channel(address) as channel:
        call = channel.unary_unary(ANALYZE)

        async def ask(data: bytes) -> bytes:
            async with room:
                return await call(data, timeout=TIMEOUT)

        return list(await asyncio.gather(*(ask(data) for data in asked)))


@pytest.fixture(scope="module")
def asked() -> list[bytes]:
    return requests()


@pytest.fixture(scope="module")
def told(asked: list[bytes]) -> list[list[bytes]]:
    """The answers of two processes with one slot, of which one is that of the tests, and of one with two."""
    with processes(1, 2) as addresses, running_server(slots=1) as here:
        return [asyncio.run(answers(address, asked)) for address in (*addresses, here.address)]


def test_the_same_bytes_from_every_process_and_number_of_slots(told: list[list[bytes]]) -> None:
    reference = told[0]
    assert len(set(reference)) > 0.9 * REQUESTS
    for other in told[1:]:
        assert [i for i in range(REQUESTS) if other[i] != reference[i]] == []


def test_all_of_them_say_that_no_clock_had_a_part(told: list[list[bytes]]) -> None:
    found = [analysis_service_pb2.AnalyzeResponse.FromString(data).analysis for data in told[0]]
    assert all(analysis.deterministic and not analysis.effort.HasField("time") for analysis in found)
    sources = {analysis.source for analysis in found}
    assert sources == {analysis_pb2.SOURCE_SEARCH, analysis_pb2.SOURCE_EXACT}
    stops = {analysis.stop_reason for analysis in found}
    assert {analysis_pb2.STOP_REASON_SIMULATIONS, analysis_pb2.STOP_REASON_PRECISE} <= stops


def test_the_library_finds_the_same(asked: list[bytes], told: list[list[bytes]]) -> None:
    for data, answer in list(zip(asked, told[0], strict=True))[::10]:
        question = wire.read_question(analysis_service_pb2.AnalyzeRequest.FromString(data))
        found = question.searcher().run(question.limits)
        here = wire.write_analysis(found, reasons=question.reasons(found), prospect=question.prospect(found))
        there = analysis_service_pb2.AnalyzeResponse.FromString(answer).analysis
        there.effective_limits.CopyFrom(here.effective_limits)
        assert here == there
