"""What the engine prints and draws in the documents, made again: `make examples`. With --check nothing is written.

It runs every command of a ``console`` block, every Python session and every request of docs/service.md, and puts what
they print in the place of what the page shows. A block that names a file, as in ``js examples/node/client.js``, shows
that file. tools/pictures.py draws the pictures. Times and speeds stay as they are: they are those of a quiet machine.
JSON keeps what it leaves out (``"..."``) and its number of decimals.
"""

import contextlib
import difflib
import doctest
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, Final
from unittest import mock

import grpc
from google.protobuf import json_format, message_factory

from sniffai import wire
from sniffai.cli.group import run
from sniffai.v1 import analysis_service_pb2, engine_service_pb2, rules_service_pb2
from tools import pictures

ROOT: Final = Path(__file__).resolve().parent.parent
PAGES: Final = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "examples" / "README.md")
OWN_FOLDER: Final = ("tutorial.md", "run-a-server.md", "store-a-match.md", "play.md")
"""Pages whose commands write files: they run in an empty folder, all others at the root."""
SHOWN_ADDRESS: Final = "127.0.0.1:50051"
"""The server of the pages."""
SECONDS: Final = 300

BLOCK: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE: Final = re.compile(r"^(```\w+ (examples/\S+)\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
CALL: Final = re.compile(r"(```json request (\w+)/(\w+)\n(.*?)```\s+```json response\n)(.*?)(?=```)", re.DOTALL)
TIME: Final = re.compile(
    r"(?<=two threads make )[\d.]+ times \([^)]*\)"
    r"|(?<=match equity leaves )[\d.]+ \([^)]*\)"
    r"| *\d[\d.,]*(?= (?:ms|s|M)(?![\w%])| thousand simulations/s)"
)
"""What a clock decides: durations, speeds and their ratios, with the blanks that align them."""
SCALAR: Final = re.compile(r'"(?:[^"\\]|\\.)*"(?!\s*:)|"(?:[^"\\]|\\.)*"\s*:|-?\d[\d.eE+-]*|true|false|null')
"""A value of JSON, or a name with its colon."""
REST: Final = "..."
SMALLER: Final = {"sniffai bench": " --scale 0.001", "sniffai arena": " --workers 1"}
"""What is put behind a command so that it does less: its numbers are times, or the same with any number of workers."""

SERVICES: Final = {
    service.name: service
    for module in (analysis_service_pb2, rules_service_pb2, engine_service_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
}


class ShapeError(Exception):
    """A page shows something else than a value of another size, so that a person has to edit it."""


# Pages


def rewritten(page: str, address: str, folder: Path = ROOT) -> str:
    """A page with what the engine prints now.

    :param address: of a server.
    :param folder: where its commands run.
    """
    names: dict[str, Any] = {}

    def block(match: "re.Match[str]") -> str:
        language, text = match[1], match[2]
        if language == "console":
            return f"```console\n{console(text, lambda command: printed(command, address, folder))}```"
        if language == "python" and ">>> " in text:
            return f"```python\n{session(text, names, address)}```"
        return match[0]

    def file(match: "re.Match[str]") -> str:
        return match[1] + (ROOT / match[2]).read_text(encoding="utf-8")

    def call(match: "re.Match[str]") -> str:
        return match[1] + with_values(match[5], answer(match[2], match[3], match[4], address))

    with contextlib.chdir(folder):
        return FILE.sub(file, CALL.sub(call, BLOCK.sub(block, page)))


@contextlib.contextmanager
def folder_of(page: Path) -> Iterator[Path]:
    """Where the commands of a page run."""
    if page.name in OWN_FOLDER:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)
    else:
        yield ROOT


# Commands


def console(text: str, run: Callable[[str], str]) -> str:
    """A console block with what its commands print now."""
    cases = re.split(r"^(?=\$ )", text, flags=re.MULTILINE)
    made = []
    for case in cases:
        line, _, shown = case.partition("\n")
        made.append(f"{line}\n{with_times(shown, run(line.removeprefix('$ ')))}" if line else case)
    return "".join(made)


def completed(
    command: str, address: str, seconds: float = SECONDS, folder: Path = ROOT
) -> "subprocess.CompletedProcess[str]":
    """Run a command line with the project's commands on the path, as after ``. .venv/bin/activate``."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command.replace(SHOWN_ADDRESS, address)],
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def words_of(command: str) -> list[str]:
    """The words of a command line, none where a shell has more to do than to part them."""
    signs = shlex.shlex(command, posix=True, punctuation_chars=True)
    signs.whitespace_split = True
    words = list(signs)
    return [] if set(words) & {"|", ">", "<", "&&", ";"} or "=" in words[0] else words


def done_here(words: list[str]) -> "subprocess.CompletedProcess[str]":
    """Run a command of ``sniffai`` in this process and folder: a process for each takes seconds."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), mock.patch.dict(os.environ, COLUMNS="80"):
        status = run(words)
    return subprocess.CompletedProcess(words, status, out.getvalue(), err.getvalue())


def printed(command: str, address: str, folder: Path = ROOT) -> str:
    """What a command line prints, but for empty lines around it."""
    smaller = next((more for start, more in SMALLER.items() if command.startswith(start)), "")
    whole = (command + smaller).replace(SHOWN_ADDRESS, address)
    words = words_of(whole)
    done = done_here(words[1:]) if words[:1] == ["sniffai"] else completed(whole, address, folder=folder)
    if done.returncode or done.stderr:
        raise ShapeError(f"{command}: exit status {done.returncode}: {done.stderr}")
    return done.stdout.replace(address, SHOWN_ADDRESS).strip("\n") + "\n"


def with_times(shown: str, real: str) -> str:
    """An output with the times that the page shows; the page's own text where nothing else differs."""
    shown_lines, real_lines = shown.splitlines(keepends=True), real.splitlines(keepends=True)
    if len(shown_lines) == len(real_lines) and all(map(_same, shown_lines, real_lines)):
        return shown
    times = iter(TIME.findall(shown))
    if len(TIME.findall(shown)) != len(TIME.findall(real)):
        return real
    return TIME.sub(lambda match: next(times), real)


def _same(shown: str, real: str) -> bool:
    """Whether two lines differ in times only, and in the width of a table that has some."""
    if shown == real:
        return True
    timed = TIME.search(real) is not None
    rule = set(real.strip()) == {"─"} and set(shown.strip()) == {"─"}
    heads = "median" in real and "median" in shown  # of a table of speeds
    return (timed or rule or heads) and _masked(shown) == _masked(real)


def _masked(line: str) -> str:
    return re.sub(r"─+", "─", re.sub(r"\s+", " ", TIME.sub(" #", line)))


# Python


def session(text: str, names: dict[str, Any], address: str) -> str:
    """A Python session with what it prints now.

    :param names: those of the page so far.
    """
    lines = text.splitlines(keepends=True)
    for example in reversed(_run(text, names, address)):
        begin = example.lineno + example.source.count("\n")
        lines[begin : begin + example.want.count("\n")] = example.options["got"].splitlines(keepends=True)
    return "".join(lines)


def _run(text: str, names: dict[str, Any], address: str) -> list[Any]:
    examples: list[Any] = doctest.DocTestParser().get_examples(text)
    for example in examples:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(example.source.replace(SHOWN_ADDRESS, address), "page", "single"), names)
        example.options["got"] = out.getvalue()
    return examples


# Calls


def answer(service: str, method: str, request: str, address: str) -> Any:
    """What a server answers to the JSON of a request, as JSON values; a list where it streams."""
    descriptor = SERVICES[service].methods_by_name[method]
    kinds = [message_factory.GetMessageClass(kind) for kind in (descriptor.input_type, descriptor.output_type)]
    message = json_format.ParseDict(json.loads(request), kinds[0]())
    with grpc.insecure_channel(address) as channel:
        kind = channel.unary_stream if descriptor.server_streaming else channel.unary_unary
        stub: Any = kind(
            f"/sniffai.v1.{service}/{method}",
            request_serializer=kinds[0].SerializeToString,
            response_deserializer=kinds[1].FromString,
        )
        reply = stub(message, timeout=SECONDS)
        if descriptor.server_streaming:
            return [json.loads(wire.to_json(piece)) for piece in in_order(reply)]
        return json.loads(wire.to_json(reply))


def in_order(pieces: Any) -> list[Any]:
    """The messages of a stream; the pieces of a review, which come in any order, in the order of play."""
    messages = list(pieces)
    if messages and messages[0].DESCRIPTOR.name == "AnalyzeMatchResponse":
        kinds = ("decision", "draw")
        messages.sort(
            key=lambda message: next(
                (getattr(message, kind).index for kind in kinds if message.HasField(kind)), 1_000_000
            )
        )
    return messages


def with_values(shown: str, real: Any) -> str:
    """The JSON of a page with the values of an answer.

    :raises ShapeError: the answer has other names, or lists of other lengths.
    """
    values = iter([*_values(json.loads(shown, parse_float=Decimal), real, "")])
    return SCALAR.sub(lambda match: match[0] if match[0].endswith(":") else next(values), shown)


def _values(shown: Any, real: Any, path: str) -> Iterator[str]:
    """The new text of each value, in their order on the page."""
    if isinstance(shown, dict) and isinstance(real, dict):
        named = shown.keys() - {REST}
        if not (named == real.keys() if len(named) == len(shown) else named < real.keys()):
            raise ShapeError(f"{path} has other names than {sorted(named)}: {sorted(real)}")
        for name in shown:
            yield from [json.dumps(REST)] if name == REST else _values(shown[name], real[name], f"{path}.{name}")
    elif isinstance(shown, list) and isinstance(real, list):
        yield from _items(shown, real, path)
    elif isinstance(shown, (dict, list)) or isinstance(real, (dict, list)):
        raise ShapeError(f"{path} is of another kind")
    elif isinstance(shown, Decimal):
        exponent = shown.as_tuple().exponent
        yield f"{real:.{-int(exponent)}f}"
    else:
        yield json.dumps(real, ensure_ascii=False)


def _items(shown: list[Any], real: list[Any], path: str) -> Iterator[str]:
    kept = [item for item in shown if item != REST]
    if len(kept) > len(real) or (len(kept) == len(shown) and len(shown) != len(real)):
        raise ShapeError(f"{path} has another length: {len(real)}")
    first = len(real) - len(kept) if shown[:1] == [REST] else 0
    numbers = iter(range(first, len(real)))
    for item in shown:
        if item == REST:
            yield json.dumps(REST)
        else:
            number = next(numbers)
            yield from _values(item, real[number], f"{path}[{number}]")


# The tool


@contextlib.contextmanager
def server() -> Iterator[str]:
    """A server for the block, which gets its address."""
    command = [sys.executable, "-m", "sniffai_server", "serve", "--port", "0", "--slots", "2", "--log-level", "warning"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            match = re.search(r"127\.0\.0\.1:\d+", process.stdout.readline())
            if match is None:
                raise ShapeError("the server does not say where it listens")
            yield match[0]
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(SECONDS)


def main() -> int:
    """Return 0 where no page differs, or all were written."""
    check = "--check" in sys.argv[1:]
    if not check:
        pictures.draw_all()
    differ = pictures.differ()
    with server() as address:
        for page in PAGES:
            name, old = str(page.relative_to(ROOT)), page.read_text(encoding="utf-8")
            with folder_of(page) as folder:
                new = rewritten(old, address, folder)
            lines = difflib.unified_diff(old.splitlines(), new.splitlines(), name, name, lineterm="", n=0)
            print("".join(f"{line}\n" for line in lines), end="", flush=True)
            differ = differ or new != old
            if not check:
                page.write_text(new, encoding="utf-8")
    return int(check and differ)


if __name__ == "__main__":
    sys.exit(main())
