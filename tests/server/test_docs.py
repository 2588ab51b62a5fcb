"""docs/service.md: every example is sent to a server; every RPC, field, value and reason of an error is on the page."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf import json_format, message_factory

from sniffai import wire
from sniffai.v1 import analysis_service_pb2, engine_service_pb2, rules_service_pb2
from tests.server.calls import test_bad_requests
from tests.server.support import TIMEOUT, failure
from tools import examples

PAGE = (Path(__file__).parent.parent.parent / "docs" / "service.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"```json request (\w+)/(\w+)\n(.*?)```\s+```json (\w+)\n(.*?)```", re.DOTALL)
SERVICES = {
    service.name: service
    for module in (analysis_service_pb2, rules_service_pb2, engine_service_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
}


@pytest.mark.parametrize("example", EXAMPLE.findall(PAGE), ids=lambda example: f"{example[1]} {example[3]}")
def test_example(stubs: SimpleNamespace, example: tuple[str, ...]) -> None:
    service, method, request, kind, answer = example
    descriptor = SERVICES[service].methods_by_name[method]
    message = message_factory.GetMessageClass(descriptor.input_type)()
    json_format.ParseDict(json.loads(request), message)
    stub = getattr(getattr(stubs, service.removesuffix("Service").lower()), method)
    if kind == "error":
        assert error_of(failure(lambda: stub(message, timeout=TIMEOUT))) == json.loads(answer)
        return
    got = stub(message, timeout=TIMEOUT)
    if descriptor.server_streaming:
        real: Any = [json.loads(wire.to_json(one)) for one in examples.in_order(got)]
    else:
        real = json.loads(wire.to_json(got))
    assert examples.with_values(answer, real) == answer


def test_examples_take_new_values_but_no_new_shape() -> None:
    shown = '{"a": 1, "b": [0.50, "..."], "c": ["...", {"d": "x", "...": "..."}], "e": null}'
    real: dict[str, Any] = {"a": 1, "b": [0.504, 7], "c": [1, 2, {"d": "x", "f": 3}], "e": None}
    assert examples.with_values(shown, real) == shown
    for name, value, told in (
        ("a", 2, '"a": 2'),
        ("a", "1", '"a": "1"'),
        ("b", [0.506, 7], '"b": [0.51, "..."]'),
        ("c", [{"d": "ö", "f": 3}], '{"d": "ö", "...": "..."}'),
        ("e", 0, '"e": 0'),
    ):
        assert told in examples.with_values(shown, real | {name: value})
    for name, value in (("b", []), ("c", [{"d": "x"}]), ("a", [1]), ("g", 1)):
        with pytest.raises(examples.ShapeError):
            examples.with_values(shown, real | {name: value})


def error_of(told: SimpleNamespace) -> dict[str, Any]:
    faults = zip(told.violations, told.descriptions, strict=True)
    return {
        "code": told.code,
        "message": told.message,
        "error_info": {"domain": told.domain, "reason": told.reason, "metadata": told.metadata},
        "bad_request": [{"field": f, "reason": r, "description": text} for (f, r), text in faults],
    }


def test_every_rpc_is_on_the_page() -> None:
    shown = {(service, method) for service, method, *_ in EXAMPLE.findall(PAGE)}
    assert shown == {(service.name, method.name) for service in SERVICES.values() for method in service.methods}
    assert all(f"### {method}" in PAGE for _, method in shown)


ROOT = Path(__file__).parent.parent.parent
REFERENCE = PAGE.partition("## Reference")[2]
FILES = [
    importlib.import_module(f"sniffai.v1.{path.stem}").DESCRIPTOR
    for path in sorted((ROOT / "sniffai" / "v1").glob("*_pb2.py"))
]


def test_every_field_of_every_message_is_in_the_reference() -> None:
    messages = [message for file in FILES for message in file.message_types_by_name.values()]
    assert len(messages) > 30
    for message in messages:
        part = section(message.name)
        assert re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE) == [field.name for field in message.fields]


def test_every_value_of_every_enum_is_in_the_reference() -> None:
    enums = [enum for file in FILES for enum in file.enum_types_by_name.values()]
    assert len(enums) >= 4
    for enum in enums:
        shown = re.findall(r"^\| `([A-Z0-9_]+)` \| .", section(enum.name), re.MULTILINE)
        assert shown == [value.name for value in enum.values]


def section(name: str) -> str:
    """What the reference says about a message or an enum."""
    found = re.search(rf"^#### {name}\n(.*?)(?=^###|\Z)", REFERENCE, re.MULTILINE | re.DOTALL)
    assert found, name
    return found[1]


def test_the_reference_is_what_the_contract_says() -> None:
    command = [sys.executable, str(ROOT / "tools" / "reference.py"), "--check"]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stderr == ""


LISTED = set(
    re.findall(r"^\| `([A-Z0-9_]+)` \| [a-z]", PAGE.partition("| reason |")[2].partition("\n## ")[0], re.MULTILINE)
)
"""The reasons of errors that the page explains."""

NEVER_SENT = {
    "what messages, which have types, cannot say": r"NOT_.*|WRONG_TYPE|UNKNOWN_FIELD|WRONG_NUMBER_OF_VOIDS",
    "the library's door is narrower than the core's": r"SCORE_OUT_OF_RANGE",
    "of functions that no RPC calls": r"COUNT_OUT_OF_RANGE|DEPTH_OUT_OF_RANGE",
}
"""Reasons that the sources below name, and no server sends; NOT_ ones are on the page where it does."""


def test_every_reason_that_the_server_can_send_is_on_the_page() -> None:
    """All that the wire and the server name, and all that the core and the library name and a request can provoke."""
    sent = set()
    for source in [*ROOT.glob("sniffai/wire/*.py"), *ROOT.glob("server/**/*.py")]:
        sent |= reasons_in(source.read_text(encoding="utf-8"))
    for name in ("round", "view", "layout", "belief"):
        sent |= reasons_in((ROOT / "ext" / "sniffai_ext" / f"{name}.pyx").read_text(encoding="utf-8"))
    for name in ("deal", "events", "history", "moves", "ports", "round", "search/candidates", "tiles", "view"):
        sent |= reasons_in((ROOT / "sniffai" / f"{name}.py").read_text(encoding="utf-8"))
    assert {"TILE_DOES_NOT_FIT", "QUEUE_FULL", "UNDECODABLE", "REQUIRED", "KEY_MISSING"} <= sent
    never = re.compile("|".join(NEVER_SENT.values()))
    assert sorted(reason for reason in sent - LISTED if not never.fullmatch(reason)) == []


def reasons_in(text: str) -> set[str]:
    """The reasons that a source names."""
    named = re.findall(r"reason=\"([A-Z0-9_]+)\"", text)
    refused = re.findall(r"(?:Quota|KeyRefused)Error\([^\"()]*\"([A-Z0-9_]+)\"", text)
    violations = re.findall(r"Violation\([^()]*?(?:\([^()]*\))?[^()]*?, \"([A-Z0-9_]+)\"", text)
    return {*named, *refused, *violations}


def test_every_reason_that_tests_provoke_is_on_the_page() -> None:
    rows = [
        *test_bad_requests.BROKEN_RECORDS,
        *test_bad_requests.OWN_DRAWS,
        *test_bad_requests.BROKEN_SNAPSHOTS,
        *test_bad_requests.BAD_DEALS,
        *test_bad_requests.BAD_SEARCHES,
    ]
    assert {reason for *_, reason in rows} <= LISTED


def test_every_reason_on_the_page_is_one_of_the_librarys() -> None:
    sources = [*ROOT.glob("sniffai/**/*.py"), *ROOT.glob("ext/**/*.pyx"), *ROOT.glob("server/**/*.py")]
    text = "\n".join(source.read_text(encoding="utf-8") for source in sources)
    assert len(LISTED) > 30
    assert [reason for reason in sorted(LISTED) if f'"{reason}"' not in text] == []
