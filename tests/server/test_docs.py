"""docs/service.md: every example on the page is sent to a server, every RPC and every reason is on it."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf import json_format, message_factory

from sniffai import wire
from sniffai.v1 import analysis_service_pb2, engine_service_pb2, rules_service_pb2
from tests.server import test_bad_requests
from tests.server.support import TIMEOUT, failure

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
    shown = json.loads(answer)
    if kind == "error":
        assert error_of(failure(lambda: stub(message, timeout=TIMEOUT))) == shown
    else:
        real = json.loads(wire.to_json(stub(message, timeout=TIMEOUT)))
        assert agree(shown, real, exact=kind == "response"), json.dumps(real, indent=2)


def error_of(told: SimpleNamespace) -> dict[str, Any]:
    faults = zip(told.violations, told.descriptions, strict=True)
    return {
        "code": told.code,
        "message": told.message,
        "error_info": {"domain": told.domain, "reason": told.reason, "metadata": told.metadata},
        "bad_request": [{"field": f, "reason": r, "description": text} for (f, r), text in faults],
    }


def agree(shown: Any, real: Any, exact: bool) -> bool:
    """Whether the page shows the answer: exactly, or (numbers that a search found) with the same names and types."""
    if type(shown) is not type(real):
        return False
    if isinstance(shown, dict):
        return shown.keys() == real.keys() and all(agree(shown[key], real[key], exact) for key in shown)
    if isinstance(shown, list):
        more = shown[-1:] == ["..."]
        shown = shown[:-1] if more else shown
        return (len(shown) < len(real) if more else len(shown) == len(real)) and all(
            agree(one, other, exact) for one, other in zip(shown, real, strict=False)
        )
    return not exact or shown == real


def test_every_rpc_is_on_the_page() -> None:
    shown = {(service, method) for service, method, *_ in EXAMPLE.findall(PAGE)}
    assert shown == {(service.name, method.name) for service in SERVICES.values() for method in service.methods}
    assert all(f"### {method}" in PAGE for _, method in shown)


def test_every_reason_that_tests_provoke_is_on_the_page() -> None:
    rows = [
        *test_bad_requests.BROKEN_RECORDS,
        *test_bad_requests.OWN_DRAWS,
        *test_bad_requests.BROKEN_SNAPSHOTS,
        *test_bad_requests.BAD_DEALS,
    ]
    listed = set(re.findall(r"^\| `([A-Z_]+)` \|", PAGE.partition("## Errors")[2], re.MULTILINE))
    assert {reason for *_, reason in rows} <= listed


def test_every_reason_on_the_page_is_one_of_the_librarys() -> None:
    root = Path(__file__).parent.parent.parent
    sources = [*root.glob("sniffai/**/*.py"), *root.glob("ext/**/*.pyx"), *root.glob("server/**/*.py")]
    text = "\n".join(source.read_text(encoding="utf-8") for source in sources)
    reasons = re.findall(r"^\| `([A-Z_]+)` \| [a-z]", PAGE.partition("| reason |")[2], re.MULTILINE)
    assert len(reasons) > 30
    assert [reason for reason in reasons if f'"{reason}"' not in text] == []
