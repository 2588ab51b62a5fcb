"""The npm package: its types, its files, and what it gets from a real server."""

import json
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import sniffai
from tests.node import NODE
from tests.server.access.test_security import Authority, KeyFile
from tests.server.support import running_server

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "clients" / "node"
TOOLS = Path(sys.executable).parent
COMPILER = PACKAGE / "node_modules" / "typescript" / "bin" / "tsc"
IMPORT = f"import {{ connect, problem }} from '{(PACKAGE / 'index.js').as_uri()}';"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running_server() as server:
        yield server.address


def run(*command: str, folder: Path = PACKAGE, script: str | None = None) -> "subprocess.CompletedProcess[str]":
    path = os.pathsep.join([str(TOOLS), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "npm_config_offline": "true"}
    return subprocess.run(
        command, cwd=folder, env=environment, input=script, capture_output=True, text=True, timeout=120, check=False
    )


def printed(script: str, folder: Path = PACKAGE) -> str:
    """What a module prints."""
    done = run(NODE, "--input-type=module", folder=folder, script=script)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


ASKED = {
    'analysis.recommendMove({ seed: 1n, level: "club" })': None,
    "analysis.recommendMove({ sed: 1n })": "'sed' does not exist",
    "analysis.recommendMove({ seed: 1 })": "'number' is not assignable to type 'bigint'",
    "analysis.recommendMove({ level: 3 })": "'number' is not assignable to type 'string'",
    "analysis.recommendMove({ deal: {} })": "'deal' does not exist",
    'jobs.runJob({ spec: "{}" })': None,
    "jobs.runJob({ spec: 1 })": "'number' is not assignable to type 'string'",
}
"""Calls, and what the compiler says of them."""


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the compiler says of a file for each request, and at the end of all other files.

    All are compiled at once, with what the package's own project holds: most of the time goes into the types.
    """
    folder, files = tmp_path_factory.mktemp("asks"), [f"asks{number}.mts" for number in range(len(ASKED))]
    for file, call in zip(files, ASKED, strict=True):
        lines = (
            f"import {{ connect }} from '{PACKAGE / 'index.js'}';",
            f"await connect('127.0.0.1:1').{call};",
        )
        (folder / file).write_text("\n".join(lines))
    options = {"typeRoots": [str(PACKAGE / "node_modules" / "@types")]}
    project = {"extends": str(PACKAGE / "tsconfig.json"), "compilerOptions": options, "files": files}
    (folder / "tsconfig.json").write_text(json.dumps(project))
    done = run(NODE, str(COMPILER), "--pretty", "false", folder=folder)
    assert done.returncode
    rest, *pieces = re.split(r"^(\S+)\(", done.stdout, flags=re.MULTILINE)
    told = list(zip(pieces[::2], pieces[1::2], strict=True))
    rest += "".join(f"{name}({text}" for name, text in told if name not in files)
    return [*("".join(text for name, text in told if name == file) for file in files), rest]


def test_the_types_hold_for_the_examples(complaints: list[str]) -> None:
    assert complaints[-1] == ""


@pytest.mark.parametrize("number", range(len(ASKED)), ids=list(ASKED))
def test_the_types_refuse_what_the_contract_does_not_have(complaints: list[str], number: int) -> None:
    """A hidden hand in a request for a move is an error before anything runs."""
    complaint = list(ASKED.values())[number]
    assert bool(complaints[number]) == (complaint is not None), complaints[number]
    assert complaint is None or complaint in complaints[number]


def test_it_has_all_of_the_contract() -> None:
    """Every message, enum and service of every file, and of each service all methods, with types.

    By HTTP, all but what servers do by gRPC only.
    """
    files = sorted((ROOT / "proto" / "sniffai" / "v1").glob("*.proto"))
    modules = [f"./sniffai/v1/{file.stem}_pb.js" for file in files]
    script = f"""
    const load = (name) => import("{PACKAGE.as_uri()}/" + name);
    const told = {{}};
    for (const [name, address] of [["index.js", "127.0.0.1:1"], ["browser.js", "http://127.0.0.1:1"]]) {{
      const all = await load(name), client = all.connect(address), missing = [];
      const methods = new Set(Object.values(client).flatMap((one) => Object.keys(one)));
      for (const module of {json.dumps(modules)}) {{
        for (const [key, value] of Object.entries(await load(module))) {{
          if (all[key] !== value) missing.push(key);
          if (value.kind !== "service") continue;
          missing.push(...value.methods.map((one) => one.localName).filter((one) => !methods.has(one)));
        }}
      }}
      told[name] = missing;
      client.close?.();
    }}
    console.log(JSON.stringify(told));"""
    assert json.loads(printed(script)) == {"index.js": [], "browser.js": ["runJob"]}
    types = "".join((PACKAGE / name).read_text(encoding="utf-8") for name in ("common.d.ts", "index.d.ts"))
    assert re.findall(r'^export \* from "(\./sniffai/.*)";$', types, re.MULTILINE) == modules
    services = {name for file in files for name in re.findall(r"^service (\w+)", file.read_text(), re.MULTILINE)}
    assert set(re.findall(r"Client<typeof (\w+)>", types)) == services


def test_it_answers_as_the_client_without_it(address: str) -> None:
    by_package = run(NODE, "examples/hint.ts", address)
    assert (by_package.returncode, by_package.stderr) == (0, "")
    assert by_package.stdout == run(NODE, str(ROOT / "examples" / "node" / "recommend.js"), address).stdout


def test_what_went_wrong_has_a_code_a_reason_and_fields(address: str) -> None:
    script = f"""{IMPORT}
    const sniffai = connect("{address}");
    const view = {{ players: 2, hand: ["9|9"], position: {{ case: "record", value: {{}} }} }};
    const told = async (call) => {{ try {{ await call; return null; }} catch (error) {{ return problem(error); }} }};
    console.log(JSON.stringify([
      await told(sniffai.rules.listLegalMoves({{ view }})),
      await told(sniffai.analysis.recommendMove({{}}, {{ timeoutMs: 5000 }})),
      await told(sniffai.jobs.runJob({{ spec: "{{}}" }})),
      await told(connect("127.0.0.1:1").engine.getEngineInfo({{}})),
    ]));
    sniffai.close();"""
    tile, missing, job, nobody = json.loads(printed(script))
    assert (tile["code"], tile["reason"]) == ("InvalidArgument", "UNKNOWN_TILE")
    assert [(each["field"], each["reason"]) for each in tile["violations"]] == [("view.hand[0]", "UNKNOWN_TILE")]
    assert missing["violations"][0]["field"] == "view"
    assert (job["code"], job["reason"]) == ("PermissionDenied", "JOBS_OFF")
    assert (nobody["code"], nobody["reason"], nobody["violations"]) == ("Unavailable", "", [])


def test_tls_and_keys_open_a_server_that_needs_both(tmp_path: Path) -> None:
    authority, keys = Authority(tmp_path), KeyFile(tmp_path)
    cert, key = authority.issue("server", "127.0.0.1")
    own_cert, own_key = authority.issue("client", common_name="alice")
    settings = {"tls_cert": cert, "tls_key": key, "tls_client_ca": authority.file, "keys_file": str(keys.path)}
    api_key = keys.add("alice")
    with running_server(**settings) as server:
        script = f"""{IMPORT}
        import {{ readFileSync }} from "node:fs";
        const read = (name) => readFileSync(name);
        const own = {{ cert: read("{own_cert}"), key: read("{own_key}") }};
        const tls = {{ ca: read("{authority.file}"), ...own }};
        for (const options of [{{ tls, apiKey: "{api_key}" }}, {{ tls }}, {{ tls: own, apiKey: "{api_key}" }}, {{}}]) {{
          const sniffai = connect("{server.address}", options);
          try {{
            console.log((await sniffai.engine.getEngineInfo({{}})).engineVersion);
          }} catch (error) {{
            console.log(problem(error).code);
          }}
          sniffai.close();
        }}"""
        told = printed(script).split()
    assert told[:2] == [sniffai.__version__, "Unauthenticated"]
    # A server that is not trusted, and one that is spoken to without TLS. The codes are those of the transport.
    assert len(told) == 4 and sniffai.__version__ not in told[2:]


def test_streams_come_piece_by_piece(address: str) -> None:
    script = f"""{IMPORT}
    const sniffai = connect("{address}");
    const {{ deal, state }} = await sniffai.rules.dealRound({{ players: 3, seed: 5n }});
    const finals = [];
    const request = {{
      position: {{ case: "view", value: state.views[state.seatToMove] }},
      limits: {{ time: {{ seconds: 0n, nanos: 400_000_000 }} }},
      reportInterval: {{ seconds: 0n, nanos: 50_000_000 }},
    }};
    for await (const {{ analysis }} of sniffai.analysis.streamAnalyze(request)) finals.push(analysis.final);
    console.log(JSON.stringify([finals, deal.leader]));
    sniffai.close();"""
    finals, leader = json.loads(printed(script))
    assert len(finals) > 1
    assert finals == [False] * (len(finals) - 1) + [True]
    assert leader == sniffai.Round.deal(3, 5).seat


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running_server(web_port=0) as server:
        assert server.server.web is not None
        yield server.server.web.url


def test_the_client_for_browsers_answers_as_the_one_for_node(url: str) -> None:
    done = run(NODE, "examples/watch.ts", url)
    assert (done.returncode, done.stderr) == (0, "")
    *before, last = done.stdout.splitlines()
    assert re.fullmatch(r"final: \d\|\d wins with \d+\.\d %", last)
    assert all(line.startswith("so far: ") for line in before)


@pytest.mark.parametrize("json_too", ["false", "true"])
def test_the_client_for_browsers_says_what_went_wrong(url: str, json_too: str) -> None:
    script = f"""import {{ connect, problem }} from "{(PACKAGE / "browser.js").as_uri()}";
    const sniffai = connect("{url}", {{ json: {json_too} }});
    const told = async (call) => {{ try {{ await call; return null; }} catch (error) {{ return problem(error); }} }};
    const streamed = async () => {{ for await (const _ of sniffai.analysis.streamAnalyze({{}})); }};
    console.log(JSON.stringify([
      await told(sniffai.rules.dealRound({{ players: 7 }})),
      await told(streamed()),
      await told(sniffai.matches.getView({{ seatToken: "none" }})),
      (await sniffai.engine.getEngineInfo({{}})).engineVersion,
    ]));"""
    deal, stream, match, version = json.loads(printed(script))
    assert (deal["code"], deal["reason"]) == ("InvalidArgument", "PLAYERS_OUT_OF_RANGE")
    assert deal["violations"][0]["field"] == "players"
    assert (stream["code"], stream["reason"]) == ("InvalidArgument", "REQUIRED")
    assert match["reason"]
    assert version == sniffai.__version__


def test_the_client_for_browsers_imports_nothing_of_node() -> None:
    files = [PACKAGE / name for name in ("browser.js", "common.js", "services.js")]
    packages = re.findall(r'from "([^.][^"]*)"', "".join(file.read_text() for file in files))
    assert set(packages) == {"@bufbuild/protobuf", "@connectrpc/connect", "@connectrpc/connect-web"}


def test_the_package_is_whole(address: str, tmp_path: Path) -> None:
    """Packed without a network, unpacked elsewhere, imported by its name; its version is that of the engine."""
    done = run("npm", "pack", "--json", "--pack-destination", str(tmp_path))
    assert done.returncode == 0, done.stderr
    (archive,) = tmp_path.glob("*.tgz")
    with tarfile.open(archive) as files:
        names = {name.removeprefix("package/") for name in files.getnames()}
        files.extractall(tmp_path, filter="data")
    assert names >= {
        "package.json",
        "README.md",
        "LICENSE",
        "index.js",
        "browser.js",
        "browser.d.ts",
        "common.js",
        "services.js",
    }
    assert names >= {"index.d.ts", "common.d.ts", "examples/match.js", "examples/watch.ts"}
    contract = {path.stem for path in (ROOT / "proto" / "sniffai" / "v1").glob("*.proto")}
    assert names >= {f"sniffai/v1/{name}_pb.{kind}" for name in contract for kind in ("js", "d.ts")}
    assert not [name for name in names if "node_modules" in name]
    assert (tmp_path / "package" / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    modules = tmp_path / "node_modules"
    modules.mkdir()
    (tmp_path / "package").rename(modules / "sniffai")
    for scope in ("@bufbuild", "@connectrpc"):
        (modules / scope).symlink_to(PACKAGE / "node_modules" / scope)
    script = f"""import {{ connect }} from "sniffai";
    import {{ RulesService }} from "sniffai/sniffai/v1/rules_service_pb";
    const sniffai = connect("{address}");
    console.log((await sniffai.engine.getEngineInfo({{}})).engineVersion, RulesService.typeName);
    sniffai.close();"""
    assert printed(script, tmp_path) == f"{sniffai.__version__} sniffai.v1.RulesService\n"
    assert json.loads((PACKAGE / "package.json").read_text())["version"] == sniffai.__version__
