"""JSON that says two things, or what no text can hold, ends in an error of ours that names the place."""

from collections.abc import Callable

import pytest

import sniffai
from sniffai import wire
from sniffai.records.strict_json import loads
from sniffai.review import read_subject
from sniffai.v1.analysis_service_pb2 import AnalyzeMatchRequest

HALF = "\\ud800"
"""Stands where the texts below have ``~``."""
TEXTS = [
    *('{"~": 1}', '{"view": {"~": 1}}', '{"view":{"record":{"events":[{"~":1}]}}}'),
    *('{"priority":"~"}', '{"client_tag":"~"}', '{"match":{"tags":{"~":"a"}}}'),
    *('{"hands":[["~"]],"players":2,"talon":[],"leader":0,"scores":[0,0]}', '{"steps":[{"~":1}]}'),
    *('{"hand":[],"events":[{"~":1}],"players":2,"seat":0,"leader":0,"scores":[0,0]}', '{"\ud800":1}'),
    *('{"view":{},"view":{}}', '{"seed":1,"seed":2}', '{"hand":[1],"hand":[2],"events":[]}'),
    *(
        "NaN",
        "Infinity",
        '{"seed":NaN}',
        '{"view":{"scores":[-Infinity]}}',
        '{"seed":1e400}',
        '{"seed":' + "9" * 5000 + "}",
    ),
    *("[" * 100_000, '{"a":' * 100_000, "", "{", "[1]", "null", '{"players":2}', "\ufeff[1]"),
]
DOORS: list[Callable[[str], object]] = [
    wire.request_from_json,
    wire.position_from_json,
    lambda text: wire.from_json(text, AnalyzeMatchRequest),
    read_subject,
]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text[:40]))
def test_wrong_json_raises_only_errors_of_the_library(text: str) -> None:
    for door in DOORS:
        try:
            door(text.replace("~", HALF))
        except (sniffai.SniffError, wire.WireError) as error:
            str(error).encode()


@pytest.mark.parametrize(
    ("text", "reason", "field"),
    [
        ('{"view": {"~": 1}}', "BAD_TEXT", r"view.'\ud800'"),
        ('{"a": [{"b": "~"}]}', "BAD_TEXT", "a[0].b"),
        ('{"view": {"seat": 1, "seat": 2}}', "KEY_TWICE", "seat"),
        ('{"seed": NaN}', "NOT_JSON", ""),
    ],
)
def test_the_place_is_named(text: str, reason: str, field: str) -> None:
    text = text.replace("~", HALF)
    with pytest.raises(sniffai.NotationError) as error:
        loads(text)
    assert (error.value.reason, error.value.field) == (reason, field)
    with pytest.raises(wire.WireError) as told:
        wire.request_from_json(text)
    assert (told.value.violations[0].reason, told.value.violations[0].field) == (reason, field)


def test_a_byte_order_mark_is_passed_over() -> None:
    assert loads('\ufeff{"seed": 1}') == {"seed": 1}
