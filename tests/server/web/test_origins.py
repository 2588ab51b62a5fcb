"""Which web pages may call a server, as browsers would ask for them."""

from collections.abc import Iterator

import pytest

from tests.server.support import running_server
from tests.server.web.client import Answer, call

METHOD = "sniffai.v1.RulesService/DealRound"
READS_ONLY = "sniffai.v1.EngineService/GetEngineInfo?message={}&encoding=json"
PLAY, EVIL = "https://play.example.com", "https://evil.example.com"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a server that pages of PLAY may call."""
    with running_server(web_port=0, web_origins=PLAY) as running:
        assert running.server.web is not None
        yield running.server.web.port


def asked(port: int, **headers: str) -> Answer:
    return call(port, METHOD, {"players": 2}, headers={name.replace("_", "-"): text for name, text in headers.items()})


def test_a_page_asks_first_and_may_then_call_and_read(port: int) -> None:
    preflight = call(
        port,
        METHOD,
        method="OPTIONS",
        headers={
            "origin": PLAY,
            "access-control-request-method": "POST",
            "access-control-request-headers": "authorization,connect-protocol-version,connect-timeout-ms,content-type",
        },
    )
    assert (preflight.status, preflight.headers["access-control-allow-origin"]) == (200, PLAY)
    assert "POST" in preflight.headers["access-control-allow-methods"]
    answer = asked(port, origin=PLAY)
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (200, PLAY)
    assert "Trailer-X-Request-Id" in answer.headers["access-control-expose-headers"]
    assert "Origin" in answer.headers["vary"]


def test_a_page_may_read_why_it_failed(port: int) -> None:
    answer = call(port, METHOD, {"players": 7}, headers={"origin": PLAY})
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (400, PLAY)


@pytest.mark.parametrize("origin", [EVIL, "null", f"{PLAY}.evil.example.com", "http://play.example.com"])
def test_other_pages_are_refused(port: int, origin: str) -> None:
    preflight = call(
        port, METHOD, method="OPTIONS", headers={"origin": origin, "access-control-request-method": "POST"}
    )
    answer = asked(port, origin=origin)
    assert (preflight.status, answer.status, answer.json["code"]) == (400, 403, "permission_denied")
    assert answer.json["details"][0]["debug"]["reason"] == "ORIGIN_REFUSED"
    assert "access-control-allow-origin" not in {**preflight.headers, **answer.headers}


def test_a_page_cannot_make_the_browser_ask_in_its_name(port: int) -> None:
    """Such as by an image whose address is a GET: it comes without an origin."""
    assert call(port, READS_ONLY, method="GET", headers={"sec-fetch-site": "cross-site"}).status == 403
    assert call(port, READS_ONLY, method="GET", headers={"sec-fetch-site": "none"}).status == 200
    assert call(port, READS_ONLY, method="GET", headers={"sec-fetch-site": "same-origin"}).status == 200


def test_the_servers_own_page_may_call(port: int) -> None:
    assert asked(port, origin=f"http://127.0.0.1:{port}").status == 200
    assert asked(port, origin=f"http://127.0.0.1:{port + 1}").status == 403


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8080", 200),
        ("table.localhost", 200),
        ("[::1]:8080", 200),
        ("192.168.0.7", 200),
        ("play.example.com", 200),
        ("evil.example.com:8080", 403),
        ("127.0.0.1.evil.example.com", 403),
    ],
)
def test_a_server_of_this_machine_answers_to_its_names_only(port: int, host: str, status: int) -> None:
    """A page of evil.example.com whose name leads here all of a sudden would count as the server's own."""
    answer = asked(port, host=host, origin=f"http://{host}")
    assert answer.status == status
    assert status == 200 or answer.json["details"][0]["debug"]["reason"] == "HOST_REFUSED"


def test_without_the_setting_no_other_page_may_call() -> None:
    with running_server(web_port=0) as running:
        assert running.server.web is not None
        port = running.server.web.port
        assert asked(port, origin=PLAY).status == 403
        preflight = call(port, METHOD, method="OPTIONS", headers={"origin": PLAY})
        assert (preflight.status, preflight.headers.get("access-control-allow-origin")) == (403, None)


def test_all_pages_may_call() -> None:
    with running_server(web_port=0, web_origins="*") as running:
        assert running.server.web is not None
        answer = asked(running.server.web.port, origin=EVIL, host="anything.example.com")
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (200, "*")
