"""Reasons on the wire and in ``sniffai recommend``: the library's, in the language asked for."""

from pathlib import Path

import pytest

import sniffai
from sniffai import wire
from sniffai.cli.group import run
from sniffai.explain import Reason, ReasonKind, describe, reasons, render
from sniffai.moves import Move
from sniffai.v1 import analysis_service_pb2 as pb
from sniffai.v1 import reason_pb2
from sniffai.wire.reasons import read_reasons

VIEW = sniffai.Round.deal(2, seed=3).view(sniffai.Round.deal(2, seed=3).seat)
LIMITS = sniffai.Limits(simulations=500)


def request(**more: object) -> pb.RecommendMoveRequest:
    return pb.RecommendMoveRequest(view=wire.write_view(VIEW), **more)  # type: ignore[arg-type]


def test_every_kind_has_its_number() -> None:
    names = set(reason_pb2.ReasonKind.keys()) - {"REASON_KIND_UNSPECIFIED"}
    assert names == {f"REASON_KIND_{kind.name}" for kind in ReasonKind}


def test_every_number_reaches_the_wire() -> None:
    whole = Reason(
        ReasonKind.SHEDS_PIPS,
        weight=1.5,
        only=True,
        against=Move("1|5", "4|5:LOW"),
        seat=0,
        suit=0,
        tile=sniffai.Tile(0, 0),
        points=0,
        score=-5,
        count=0,
        left=0,
        pips=0,
        probability=0.0,
        value=0.0,
        error=0.0,
        before=0.0,
        hands=(0.0, 5.0),
        other=0.0,
        worst=0.0,
    )
    (message,) = wire.write_reasons([whole], "ja")
    set_fields = {field.name for field, _ in message.ListFields()}
    assert set_fields == {field.name for field in reason_pb2.Reason.DESCRIPTOR.fields}
    assert (message.text, message.tile, message.against.at) == (render(whole, "ja"), "0|0", "4|5:LOW")
    assert read_reasons([message]) == (whole,)
    (bare,) = wire.write_reasons([Reason(ReasonKind.FORCED)])
    assert {field.name for field, _ in bare.ListFields()} == {"kind", "text"}


@pytest.mark.parametrize(("code", "language_code"), [("", "en"), ("ja-JP", "ja"), ("zh_CN", "zh-Hans")])
def test_a_request_names_its_language(code: str, language_code: str) -> None:
    asked = wire.read_question(request(language_code=code))
    assert (asked.language_code, asked.warnings) == (language_code, ())
    found = sniffai.analyze(VIEW, LIMITS)
    told = wire.write_analysis(found, reasons=asked.reasons(found))
    assert [reason.text for reason in told.moves[0].reasons] == [
        render(reason, language_code) for reason in reasons(VIEW, found)
    ]
    assert all(not move.reasons for move in told.moves[1:])


def test_an_unknown_language_is_answered_in_english_with_a_warning() -> None:
    asked = wire.read_question(request(language_code="tlh"))
    assert asked.language_code == "en"
    assert [(note.field, note.reason) for note in asked.warnings] == [("language_code", "UNKNOWN_LANGUAGE")]


def test_an_open_deal_has_no_reasons() -> None:
    """A reason speaks of what one seat knows; whoever studies an open deal knows more."""
    deal = wire.write_deal(sniffai.Round.deal(2, seed=3))
    asked = wire.read_question(pb.AnalyzeRequest(deal=deal))
    assert asked.reasons(sniffai.analyze(VIEW, LIMITS)) == []


@pytest.fixture(name="view_file")
def _view_file(tmp_path: Path) -> str:
    file = tmp_path / "view.txt"
    file.write_text(VIEW.to_text(), encoding="utf-8")
    return str(file)


def test_recommend_says_why(capsys: pytest.CaptureFixture[str], view_file: str) -> None:
    found = sniffai.analyze(VIEW, LIMITS)
    assert run(["recommend", view_file, "--simulations", "500"]) == 0
    english = capsys.readouterr().out
    assert run(["recommend", view_file, "--simulations", "500", "--lang", "zh"]) == 0
    chinese = capsys.readouterr().out
    assert reasons(VIEW, found)
    for reason in reasons(VIEW, found):
        assert f"- {render(reason)}\n" in english
        assert f"- {render(reason, 'zh-Hans')}\n" in chinese
    assert "手牌" in chinese
    assert run(["recommend", view_file, "--lang", "tlh"]) == 2
    assert "languages en, ja, zh-Hans" in capsys.readouterr().err


def test_replay_describes_the_tables(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    round_ = sniffai.Round.deal(2, seed=3)
    while not round_.over:
        round_.play(round_.legal_moves()[0])
    file = tmp_path / "match.txt"
    sniffai.dump_match(sniffai.MatchRecord.of([round_]), file)
    assert run(["replay", str(file), "--describe", "--lang", "ja"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [f"1: {describe(round_.layout, 'ja')}"]
    assert run(["replay", str(file), "--describe"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [f"1: {describe(round_.layout)}"]
