"""The files of the web table: its types hold, its languages have the same messages, it names every level."""

import json
import re
import subprocess
from pathlib import Path

import pytest

import sniffai
from sniffai.play.levels import LEVELS
from sniffai_server.web.pages import FOLDER
from tests.node import NODE

ROOT = Path(__file__).parents[3]
PARTS = Path(sniffai.__file__).parent / "data" / "web"
SCRIPTS = [*FOLDER.glob("*.js"), *PARTS.glob("*.js")]
LANGUAGES = ("en", "ja", "zh")
MESSAGE = re.compile(r"(?:^|[ ,])(\w+): \"((?:[^\"\\]|\\.)*)\"", re.MULTILINE)
SAID = re.compile(r"say\(\s*\"(\w+)\"")
VALUE = re.compile(r"\{(\w+)\}")


def messages(language: str) -> dict[str, str]:
    """The messages of a language by key; that for one and that for several count as the same."""
    return dict(MESSAGE.findall((PARTS / "words" / f"{language}.js").read_text(encoding="utf-8")))


def test_the_types_of_the_scripts_hold(tmp_path: Path) -> None:
    """Both folders are served as one."""
    compiler = ROOT / "clients" / "node" / "node_modules" / "typescript" / "bin" / "tsc"
    options = {
        **dict.fromkeys(("noEmit", "allowJs", "checkJs", "strict"), True),
        "noImplicitAny": False,
        "types": [],
        "target": "es2023",
        "module": "esnext",
        "moduleResolution": "bundler",
        "lib": ["es2023", "dom", "dom.iterable"],
        "rootDirs": [str(FOLDER), str(PARTS)],
    }
    project = tmp_path / "tsconfig.json"
    files = [str(FOLDER / "main.js"), str(PARTS / "saved.js")]
    project.write_text(json.dumps({"compilerOptions": options, "files": files}), encoding="utf-8")
    done = subprocess.run([NODE, compiler, "--project", project], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("", 0)


def test_no_file_stands_in_both_folders() -> None:
    assert not {file.name for file in FOLDER.iterdir()} & {file.name for file in PARTS.iterdir()}


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_languages_have_the_same_messages_with_the_same_values(language: str) -> None:
    english, other = messages("en"), messages(language)
    assert len(english) > 200
    assert {key for key in english if not key.endswith("_one")} == set(other)
    for key, text in other.items():
        assert set(VALUE.findall(text)) == set(VALUE.findall(english[key])), key


def test_every_message_that_is_said_exists() -> None:
    keys = {re.sub("_(one|other)$", "", key) for key in messages("en")}
    said = {key for file in SCRIPTS for key in SAID.findall(file.read_text(encoding="utf-8"))}
    assert len(said) > 150
    assert said <= keys


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_level_has_a_name_and_a_description(language: str) -> None:
    found = messages(language)
    for level in LEVELS:
        assert found.keys() >= {f"level_{level.name}", f"about_{level.name}"}


def test_nothing_in_the_page_is_inline_or_foreign() -> None:
    page = (FOLDER / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", page)
    for file in [*FOLDER.rglob("*.*"), *PARTS.rglob("*.*")]:
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|innerHTML|eval\(|setAttribute\(\"style\"", text), file.name
