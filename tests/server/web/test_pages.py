"""The files of the page: content types, headers, and nothing from outside of their folder."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from sniffai.packaged import read_packaged
from sniffai_server.web import pages, server
from tests.server.support import running_server
from tests.server.web.client import call

FILES = {
    "index.html": ("<!doctype html><title>sniffai</title>", "text/html; charset=utf-8"),
    "table/play.js": ("let tiles = 28;", "text/javascript; charset=utf-8"),
    "look.css": ("body { color: black }", "text/css; charset=utf-8"),
    "tile.svg": ("<svg/>", "image/svg+xml"),
    "letters.woff2": ("wOF2", "font/woff2"),
    "app.webmanifest": ("{}", "application/manifest+json"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    whole = tmp_path_factory.mktemp("web")
    inner = whole / "static"
    for name, (text, _) in FILES.items():
        (inner / name).parent.mkdir(parents=True, exist_ok=True)
        (inner / name).write_text(text, encoding="utf-8")
    (whole / "secret.txt").write_text("secret", encoding="utf-8")
    (inner / "link.txt").symlink_to(whole / "secret.txt")
    return inner


@pytest.fixture(scope="module")
def port(folder: Path) -> Iterator[int]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "Pages", partial(pages.Pages, folder))
        with running_server(web=True, web_port=0) as running:
            assert running.server.web is not None
            yield running.server.web.port


@pytest.mark.parametrize("name", FILES)
def test_each_file_has_its_type_and_the_headers(port: int, name: str) -> None:
    answer = call(port, name, method="GET")
    assert (answer.status, answer.body.decode(), answer.headers["content-type"]) == (200, *FILES[name])
    assert {**pages.HEADERS, "x-content-type-options": "nosniff"}.items() <= answer.headers.items()


def test_the_policy_allows_nothing_inside_the_page_and_nothing_foreign() -> None:
    rules = dict(rule.split(" ", 1) for rule in pages.POLICY.split("; "))
    assert (rules["default-src"], rules["script-src"], rules["frame-ancestors"]) == ("'none'", "'self'", "'none'")
    assert "unsafe" not in pages.POLICY and "http" not in pages.POLICY


def test_the_folder_itself_is_its_first_page(port: int) -> None:
    assert call(port, "", method="GET").body == call(port, "index.html", method="GET").body
    head = call(port, "", method="HEAD")
    assert (head.status, head.body, int(head.headers["content-length"])) == (200, b"", len(FILES["index.html"][0]))


def test_a_file_that_the_browser_has_is_not_sent_again(port: int) -> None:
    tag = call(port, "look.css", method="GET").headers["etag"]
    again = call(port, "look.css", method="GET", headers={"if-none-match": tag})
    assert (again.status, again.body) == (304, b"")
    assert again.headers["content-security-policy"] == pages.POLICY


@pytest.mark.parametrize(
    "path",
    [
        "nothing.html",
        "table",
        "../secret.txt",
        "%2e%2e/secret.txt",
        "..%2fsecret.txt",
        "table/../../secret.txt",
        "..\\secret.txt",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "link.txt",
        "look.css%00.html",
        "a" * 5000,
    ],
)
def test_nothing_else_is_served(port: int, path: str) -> None:
    answer = call(port, path, method="GET")
    assert (answer.status, answer.body) == (404, b"Not Found\n")
    assert pages.HEADERS.items() <= answer.headers.items()


def test_calls_go_on_beside_the_page(port: int) -> None:
    assert call(port, "grpc.health.v1.Health/Check", {}).json == {"status": "SERVING"}
    assert call(port, "index.html", {}).json["code"] == "unimplemented"


def test_without_the_setting_there_is_no_page() -> None:
    with running_server(web_port=0) as running:
        assert running.server.web is not None
        answer = call(running.server.web.port, "", method="GET")
    assert (answer.status, answer.json["code"]) == (404, "unimplemented")


def test_what_the_report_is_made_of_is_served_as_well(port: int) -> None:
    for name, kind in (("replay.js", "text/javascript"), ("parts.css", "text/css"), ("words/ja.js", "text/javascript")):
        answer = call(port, name, method="GET")
        assert (answer.status, answer.headers["content-type"]) == (200, f"{kind}; charset=utf-8")
        assert answer.body == read_packaged(f"data/web/{name}")
        assert {**pages.HEADERS, "etag": answer.headers["etag"]}.items() <= answer.headers.items()


def test_the_colours_of_the_report_are_served_as_well(port: int) -> None:
    answer = call(port, "palette.css", method="GET")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert answer.body == read_packaged("data/palette.css")
    assert pages.HEADERS.items() <= answer.headers.items()
