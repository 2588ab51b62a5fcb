"""Every exception of ours survives a pickle, a copy and the way back from another process, with all its fields."""

import copy
import importlib
import multiprocessing
import pickle
import pkgutil
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NoReturn

import pytest

import sniffai
import sniffai_ext
import sniffai_server
from sniffai.client import ServiceError
from sniffai.client.errors import ServiceError as ClientError
from sniffai.errors import LimitsError, PortableError, SniffError
from sniffai.wire import WireError
from tests.sniffai.failures import VIOLATION, fail_at_door, fail_in_client, fail_on_wire

ARGUMENTS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "ServiceError": (("INVALID_ARGUMENT", "no", "BAD_VIEW", (VIOLATION,), 1.5), {}),
    "WireError": ((VIOLATION, VIOLATION), {}),
    "QueueFullError": ((3.0, True), {}),
    "QuotaError": (("anna", "TOO_MANY", "4 calls", 2.0), {}),
    "KeyRefusedError": (("KEY_UNKNOWN", "no such key"), {}),
    "SettingError": (("port", "no port"), {}),
    "HeldError": (("TOO_MUCH", "8 MB"), {"own": True}),
    "SlowRequestError": ((2.0,), {}),
    "StalledReaderError": ((2.0,), {}),
    "MessageCountError": ((), {"none": True}),
    "TooLargeError": ((1000,), {}),
    "TooManyError": ((7,), {"own": True}),
    "HttpRefusedError": (("WRONG_HTTP_METHOD", "no such method", 405), {}),
    "JobsRefusedError": (("JOBS_OFF", "no jobs"), {}),
    "JobRejectedError": (("LimitsError", "no such kind", "UNKNOWN_KIND", "kind"), {}),
    "JobTooLargeError": (("JOB_TOO_LONG", "600 s"), {}),
    "JobDiedError": ((), {}),
    "MatchRefusedError": (("MATCH_OVER", "the match is over"), {}),
    **{name: ((), {}) for name in ("ExpiredError", "UnfinishedError", "ClosingError", "UnknownMethodError")},
    **{
        name: ((), {})
        for name in (
            "UnknownMatchError",
            "UnknownEncodingError",
            "InvitationError",
            "StoreUnavailableError",
            "ConflictError",
        )
    },
}
"""What the constructors take that take more than a sentence."""


def modules() -> Iterator[Any]:
    for package in (sniffai, sniffai_ext, sniffai_server):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.endswith(("__main__", "migrations.env", "jobs.ray")):  # programs, and an extra
                yield importlib.import_module(found.name)


KINDS = sorted(
    {
        value
        for module in modules()
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, BaseException) and value.__module__ == module.__name__
    },
    key=lambda kind: f"{kind.__module__}.{kind.__name__}",
)


def example(kind: type[BaseException]) -> BaseException:
    if issubclass(kind, SniffError):
        return kind("a sentence", reason="SOME_REASON", field="hands[1]").at("deal")
    arguments, named = ARGUMENTS.get(kind.__name__, (("a sentence",), {}))
    return kind(*arguments, **named)


def same(one: BaseException, other: BaseException) -> None:
    assert type(one) is type(other)
    assert (str(one), one.args, vars(one)) == (str(other), other.args, vars(other))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_copied_error_has_all_its_fields(kind: type[BaseException]) -> None:
    error = example(kind)
    error.add_note("seen in a test")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        same(error, pickle.loads(pickle.dumps(error, protocol)))
    same(error, copy.copy(error))
    same(error, copy.deepcopy(error))


def test_all_kinds_are_walked() -> None:
    assert {SniffError, ServiceError, WireError, ClientError} <= set(KINDS)
    assert len(KINDS) > 20


@pytest.fixture(scope="module")
def executor() -> Iterator[ProcessPoolExecutor]:
    """A pool whose process starts from nothing."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        yield executor


@pytest.mark.parametrize("work", [fail_in_client, fail_on_wire, fail_at_door])
def test_a_pool_of_processes_passes_errors_on(executor: ProcessPoolExecutor, work: Callable[[], NoReturn]) -> None:
    with pytest.raises(PortableError) as here:
        work()
    there = executor.submit(work).exception(timeout=60)
    assert there is not None
    assert (type(there), str(there)) == (type(here.value), str(here.value))
    assert {k: v for k, v in vars(there).items() if k != "__notes__"} == vars(here.value)


def test_other_errors_are_not_rebuilt() -> None:
    rebuild, (_, arguments, fields) = LimitsError("a", reason="B", field="c").__reduce__()
    with pytest.raises(TypeError):
        rebuild(dict, arguments, fields)
