"""``sniffai review --server``: what a server finds is printed as if it had been found here."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import sniffai
from sniffai import MatchRecord, Round, SeatRecord, wire
from sniffai.cli.group import run
from sniffai.records.matchfile import format_match
from sniffai.v1 import analysis_service_pb2 as pb
from sniffai.wire.reviewed import read_reviewed_pieces
from tests.server.support import running_server
from tests.sniffai.records.test_seat_record import played_match

LIMITS = ["--simulations", "40", "--seed", "5"]


def match_of(players: int, most: int | None) -> MatchRecord:
    """Two rounds, of the second at most so many placements: a whole one is reviewed as well as one that has begun."""
    first, second = played_match(players, 11, 2).replay()[:2]
    begun = Round.from_deal(second.start)
    for move in second.moves[:most]:
        begun.play(move)
    return MatchRecord.of([first, begun])


RECORDS = {2: match_of(2, None), 3: match_of(3, 5), 4: match_of(4, 5)}
TAGS = (("Event", "Club"), ("Seat0", "Ann"))


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running_server() as server:
        yield server.address


@cache
def texts(players: int) -> dict[str, str]:
    record = MatchRecord(players, RECORDS[players].rounds, TAGS)
    whole = record.replay()
    seen = SeatRecord.seen_by(record, 1)
    return {
        "match": format_match(record),
        "seat's record": seen.to_text(),
        "view": whole[0].view(0).to_text(),
        "round": whole[1].to_text(),
    }


@pytest.mark.parametrize("form", ["match", "seat's record", "view", "round"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_it_prints_what_a_review_here_prints(
    address: str, players: int, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "record"
    file.write_text(texts(players)[form], encoding="utf-8")
    told = []
    for options in ([], ["--server", address]):
        page = tmp_path / "review.html"
        assert run(["review", str(file), *LIMITS, "--json", "--html", str(page), *options]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        found = json.loads(out)
        assert found["limits"].pop("seconds") in (None, 60)  # the server's own limit
        told.append((found, page.read_text(encoding="utf-8")))
        page.unlink()
    assert told[0] == told[1]


def test_it_prints_the_same_tables(address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With what the others' choices suggest of hidden tiles, too."""
    file = tmp_path / "record"
    file.write_text(texts(2)["round"], encoding="utf-8")
    told = []
    for options in ([], ["--server", address]):
        assert run(["review", str(file), *LIMITS, "--all", "--belief", *options]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]
    assert "Effective sample size" in told[0]


def test_limits_that_the_server_caps_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "record"
    file.write_text(texts(2)["view"], encoding="utf-8")
    with running_server(max_simulations=30) as server:
        assert run(["review", str(file), *LIMITS, "--json", "--server", server.address]) == 0
    out, err = capsys.readouterr()
    assert '"simulations": 30' in out
    assert err.startswith("sniffai: warning: limits.simulations: ")


def test_a_server_of_an_earlier_version_is_named(address: str) -> None:
    """Its pieces lack what a review is made of."""
    view = RECORDS[2].replay()[0].view(0)
    subject = sniffai.review.Subject.of_view(view)
    with sniffai.client.Client(address) as client:
        pieces = list(client.analyze_match(view, sniffai.Limits(simulations=40)))
    read_reviewed_pieces(subject, pieces)
    for broken in (pieces[:-1], pieces[1:], [*(_older(piece) for piece in pieces)]):
        with pytest.raises(wire.WireError, match="is it of another version"):
            read_reviewed_pieces(subject, broken)


def _older(piece: pb.AnalyzeMatchResponse) -> pb.AnalyzeMatchResponse:
    older = pb.AnalyzeMatchResponse()
    older.CopyFrom(piece)
    older.decision.ClearField("changes") if piece.HasField("decision") else older.draw.ClearField("expected")
    return piece if piece.HasField("summary") else older


def test_a_server_that_cannot_be_reached_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with running_server() as server:
        address = server.address
    file = tmp_path / "record"
    file.write_text(texts(2)["view"], encoding="utf-8")
    assert run(["review", str(file), "--server", address]) == 1
    assert capsys.readouterr().err.startswith(f"sniffai: {address}: ")
