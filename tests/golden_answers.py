"""Answers of the service as recorded in ``tests/data/answers``, to the byte: a guard against unintended changes.

A file holds the call, the request in JSON, and for each answer its JSON, for people to read, and the SHA-256 of its
bytes. ``python -m tests.golden_answers`` asks again and writes the files; the difference is then what changed on the
wire. A match, whose calls follow from each other, is in ``tests/golden_match.py``.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import json_format, message_factory

from sniffai.v1 import analysis_service_pb2, engine_service_pb2, match_service_pb2, rules_service_pb2
from tests.server.support import TIMEOUT, running_server

FOLDER = Path(__file__).parent / "data" / "answers"
FILES = sorted(FOLDER.glob("*.json"))
SERVICES = {
    service.name: service
    for module in (analysis_service_pb2, engine_service_pb2, match_service_pb2, rules_service_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
}


def read(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text(encoding="utf-8"))


def answered(channel: grpc.Channel, case: dict[str, Any]) -> dict[str, Any]:
    """A recorded case with the answers that the server gives now.

    :param case: ``call`` ("Service/Method") and ``request`` (JSON).
    """
    service, method = case["call"].split("/")
    types = SERVICES[service].methods_by_name[method]
    request = json_format.ParseDict(case["request"], message_factory.GetMessageClass(types.input_type)())
    path = f"/{SERVICES[service].full_name}/{method}"
    if types.server_streaming:
        chunks = list(channel.unary_stream(path)(request.SerializeToString(), timeout=TIMEOUT))
    else:
        chunks = [channel.unary_unary(path)(request.SerializeToString(), timeout=TIMEOUT)]
    message = message_factory.GetMessageClass(types.output_type)
    return {
        "call": case["call"],
        "request": case["request"],
        "answers": [
            {
                "sha256": hashlib.sha256(chunk).hexdigest(),
                "message": json_format.MessageToDict(message.FromString(chunk), preserving_proto_field_name=True),
            }
            for chunk in chunks
        ],
    }


def main() -> None:
    from tests.golden_match import record  # which needs this module

    record()
    with running_server(slots=1) as server, grpc.insecure_channel(server.address) as channel:
        for file in FILES:
            case = answered(channel, read(file))
            file.write_text(json.dumps(case, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
