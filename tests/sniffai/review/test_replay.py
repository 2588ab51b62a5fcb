"""What the replayer in a saved report is given, and the script that shows it."""

import json
import re
import shutil
import subprocess
from functools import cache
from typing import Any

import pytest

import sniffai
from sniffai import Limits
from sniffai.draw.geometry import plan_growing_layout
from sniffai.explain import render_all
from sniffai.explain.languages import LANGUAGES, words
from sniffai.layout import Layout
from sniffai.play.arena import play_rounds
from sniffai.play.arena_result import ArenaSpec
from sniffai.play.levels import named_player
from sniffai.records.seat_record import SeatRecord
from sniffai.review import Judged, Review, Subject, html_report, review
from sniffai.review.replay import replay_data
from sniffai.review.script import json_for_page, script, source_hash
from sniffai.review.verdict import Verdict

FEW = Limits(simulations=40)


@cache
def rounds(players: int) -> tuple[sniffai.Round, ...]:
    spec = ArenaSpec("random", "random", players, 1, True, 5)
    found = play_rounds(spec, [named_player("level:casual")] * players, 0)
    return tuple(round_ for round_, _ in zip(found, range(2), strict=False))


@cache
def reviewed(players: int) -> Review:
    return review(Subject.of_rounds(rounds(players)), FEW, seed=1)


def data(found: Review) -> dict[str, Any]:
    """As the page has it: through JSON."""
    told: dict[str, Any] = json.loads(json.dumps(replay_data(found, words("en"))))
    return told


def unpacked(packed: Any, placed: int, before: list[Any]) -> list[Any]:
    """The tiles of a plan; as sniffai/data/web/saved.js does it."""
    tiles: list[Any] = packed[2]
    return tiles if len(tiles) == placed else [*before, *tiles]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_event_has_its_table(players: int) -> None:
    told = data(reviewed(players))
    for number, one in enumerate(told["rounds"]):
        round_ = rounds(players)[number]
        assert one["leader"] == round_.start.leader
        assert one["hands"] == [[str(tile) for tile in hand] for hand in round_.start.hands]
        assert len(one["events"]) == len(round_.history)
        assert (one["after"], one["settlement"]) == (list(round_.scores), list(round_.settlement))
        played = [event["play"] for event in one["events"] if "play" in event]
        assert len(one["plans"]) == len(played)
        tiles: list[Any] = []
        decided = {decision["event"]: decision for decision in one["decisions"]}
        count = 0
        for i, event in enumerate(one["events"]):
            if "play" not in event:
                continue
            moves = [play["tile"] + (f"@{play['at']}" if play["at"] else "") for play in played[:count]]
            for other in decided[i].get("moves", []):
                move = other["move"]["tile"] + (f"@{other['move']['at']}" if other["move"]["at"] else "")
                check_plan(unpacked(other["plan"], count + 1, tiles), other["plan"], [*moves, move])
            tiles = unpacked(one["plans"][count], count + 1, tiles)
            moves.append(event["play"]["tile"] + (f"@{event['play']['at']}" if event["play"]["at"] else ""))
            check_plan(tiles, one["plans"][count], moves)
            count += 1


def check_plan(tiles: list[Any], packed: list[Any], moves: list[str]) -> None:
    layout = Layout.of(moves)
    plan = plan_growing_layout(layout)
    assert tiles == [[str(one.tile), one.low.x, one.low.y, one.high.x, one.high.y] for one in plan.tiles]
    assert [end[0] for end in packed[1]] == [end.name for end in plan.ends]
    assert packed[3] == ("" if layout.sniff is None else str(layout.sniff))
    assert sum(packed[4]) == layout.count


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_decision_has_its_moves_values_and_beliefs(players: int) -> None:
    found = reviewed(players)
    told = data(found)
    for number, round_ in enumerate(found.rounds):
        pairs = zip(round_.judged, told["rounds"][number]["decisions"], strict=True)
        for judged, one in pairs:
            assert (one["event"], one["seat"]) == (judged.placement.event, judged.placement.seat)
            assert one["verdict"] == f"VERDICT_{judged.verdict.name}"
            if not judged.searched:
                assert "moves" not in one
                continue
            check_values(judged, one)


def check_values(judged: Judged, one: dict[str, Any]) -> None:
    team = judged.placement.team
    assert judged.moves and judged.belief is not None
    values = [entry["values"][0] for entry in one["moves"]]
    assert {value["team"] for value in values} == {team}
    chances = [entry.win_probability for entry in judged.moves]
    assert [value["winProbability"] for value in values] == pytest.approx(chances, abs=1e-5)
    assert one["belief"] == [[round(1000 * chance) for chance in row] for row in judged.belief.table.tolist()]
    assert (one["inferred"] is None) == (judged.inferred_belief is None)
    if judged.refined:
        lost = [one[name]["values"][0]["winProbability"] for name in ("best", "playedEvaluation")]
        assert lost[0] - lost[1] == pytest.approx(one["winProbabilityLoss"], abs=3e-5)
    if judged.verdict is not Verdict.NONE:
        assert [reason["text"] for reason in one["reasons"]] == render_all(judged.reasons)


def test_the_hands_of_others_are_not_in_the_page_of_a_seat() -> None:
    """Two rounds that a seat sees alike give the same page, whatever the others hold."""
    record = SeatRecord.of([round_.view(0) for round_ in rounds(2)])
    found = review(Subject.of_seat_record(record), FEW, seed=1)
    told = data(found)
    assert told["own"] == 0
    assert all(one["hands"][1] is None and "settlement" not in one for one in told["rounds"])
    assert {decision["seat"] for one in told["rounds"] for decision in one["decisions"]} == {0}
    drawn = [
        event["draw"]["tiles"] for one in told["rounds"] for event in one["events"] if "draw" in event and event["seat"]
    ]
    assert not any(drawn)


def test_the_policy_names_the_script_and_nothing_else() -> None:
    page = html_report(reviewed(2), "ja")
    (code,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert code == script("ja")
    assert f'script-src {source_hash(code)}"' in page
    assert "unsafe-eval" not in page


def test_a_name_ends_no_script() -> None:
    name = "</script><script>alert(1)</script><!--"
    subject = Subject.of_rounds(rounds(2)[:1], (("Seat0", name),))
    page = html_report(review(subject, Limits(simulations=10)))
    assert page.count("<script") == 3
    assert "alert(1)</script" not in page
    stored = re.search(r'id="replay-data">(.*?)</script>', page, re.DOTALL)
    assert stored is not None
    assert json.loads(stored[1])["seats"][0]["name"] == name
    assert json_for_page("\u2028<") == '"\\u2028\\u003c"'


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_script_has_the_words_of_its_language_alone_and_is_right(language: str) -> None:
    code = script(language)
    sentences = {
        "en": "Only what the player to move knew",
        "ja": "手番のプレイヤーに",
        "zh-Hans": "只显示出牌者当时知道的",
    }
    assert {code_ for code_, text in sentences.items() if text in code} == {language}
    assert not re.search(r"^(import|export) |</script|fetch\(|https?://(?!www\.w3\.org/2000/svg)", code, re.MULTILINE)
    node = shutil.which("node")
    assert node is not None, "the tests of the page need it"
    done = subprocess.run([node, "--check", "-"], input=code, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
