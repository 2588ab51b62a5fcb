"""The report: one self-contained HTML page, with a replayer of the match, without the network."""

from collections.abc import Iterator
from typing import Final

from sniffai.checks import read_kind
from sniffai.draw import position_svg
from sniffai.draw.svg import escaped
from sniffai.errors import RecordError
from sniffai.explain import render
from sniffai.explain.description import joined_sentences, move_name
from sniffai.explain.languages import Words, read_language, words
from sniffai.explain.level_words import level_name
from sniffai.explain.numbers import fixed, uncertain
from sniffai.review.charts import (
    account_chart,
    anchor,
    chance_chart,
    legend,
    loss_chart,
    mark_key,
    strength_chart,
    swipe_cue,
)
from sniffai.review.heat import heat_map
from sniffai.review.judge import Judged
from sniffai.review.markup import document, section, small, table
from sniffai.review.replay import replay_data
from sniffai.review.script import json_for_page, script, style
from sniffai.review.story import Subject
from sniffai.review.strength import LEAST_DECISIONS
from sniffai.review.summary import DecisionTally, PlayerSummary, Review
from sniffai.review.terms import (
    isolated,
    line_note,
    line_text,
    numbering_note,
    percent,
    phase_name,
    placement_name,
    points_start_note,
    seat_name,
    source_name,
    team_name,
    unknown_notes,
    verdict_count,
    verdict_name,
)
from sniffai.review.verdict import SIGNIFICANT, THRESHOLDS, Verdict
from sniffai.rules import TARGET
from sniffai.tiles import Tile
from sniffai.version import VERSION

BEST: Final = "★"
PLAYED: Final = "●"
"""Marks of moves, in pictures and beside their names; letters would be taken for those of ends."""


def html_report(review: Review, language_code: str = "en") -> str:
    """The report of a review.

    :param language_code: see :func:`sniffai.explain.read_language`.
    :raises LimitsError: the language is unknown.
    :raises RecordError: ``review`` is not a :class:`Review`.
    """
    read_kind(review, Review, "review", "NOT_A_REVIEW", RecordError)
    say = words(read_language(language_code))
    body = "\n".join(_sections(review, say))
    return document(_title(review.subject, say), body, say, _replay_data(review, say), script(say.language_code))


def _title(subject: Subject, say: Words) -> str:
    named = isolated(dict(subject.tags).get("Event") or "")
    title = say.say("Review of a match") if len(subject.stories) > 1 else say.say("Review of a round")
    return f"{title}: {named}" if named else title


def _sections(review: Review, say: Words) -> Iterator[str]:
    yield _head(review, say)
    yield section(say.say("Players"), _players(review, say))
    yield section(
        say.say("Chance to win the match"),
        small(say.say("Each line is a seat's chance as it saw it itself, with its own tiles: so they need not add up."))
        + f'<p class="keys">{legend(say, review)}{_mark_keys(say, mistakes=True)}</p>'
        + chance_chart(review, say),
    )
    yield section(
        say.say("Loss of each decision"),
        small(say.say("By how much each placement lowered the chance to win the match, against the best one."))
        + f'<p class="keys">{_mark_keys(say, mistakes=False)}</p>'
        + loss_chart(review, say),
    )
    yield section(say.say("Luck and skill"), _accounts(review, say))
    yield _replay(say)
    yield section(say.say("Mistakes"), _mistakes(review, say))
    yield section(say.say("All placements"), _all_placements(review, say))
    yield section(say.say("How to read this"), _guide(say))


# Replayer


def _replay(say: Words) -> str:
    """Where the replayer stands. Without scripts there is nothing to see."""
    title = say.say("Replay")
    note = say.say(
        "Step through the match with the buttons, the slider or the arrow keys. Before each placement stands how the"
        " moves were judged; choose another one to see the table after it."
    )
    return (
        f'<section class="saved" id="replay" hidden>\n<h2>{escaped(title)}</h2>\n{small(note)}'
        '<div class="shown"></div>\n</section>'
    )


def _replay_data(review: Review, say: Words) -> str:
    data = json_for_page(replay_data(review, say))
    return (
        f'<script type="application/json" id="replay-data">{data}</script>\n'
        f'<script type="text/css" id="replay-style">{style()}</script>\n'
    )


# Head and players


def _head(review: Review, say: Words) -> str:
    subject = review.subject
    last = subject.stories[-1]
    rounds = len(subject.stories)
    lines = [
        say.say("{seats} seats to {target} points", seats=subject.players, target=TARGET[subject.players]),
        say.count("{count} round", "{count} rounds", rounds, count=rounds),
    ]
    if not subject.whole:
        lines.append(say.say("as seat {seat} saw it", seat=last.seats[0]))
    lines += [isolated(text) for name, text in subject.tags if name == "Date"]
    simulations, each = f"{review.simulations:,}", review.limits.simulations
    cost = say.say("sniffai {version}, {simulations} simulations in all", version=VERSION, simulations=simulations)
    if each:
        survey = f"{each:,}"
        cost += " · " + say.say("{simulations} a decision", simulations=survey)
    return f'<p class="lead">{escaped(" · ".join(lines))}</p>\n<p class="note">{escaped(cost)}</p>'


def _players(review: Review, say: Words) -> str:
    """A card for each player; partners stand side by side."""
    players = sorted(review.players, key=lambda player: (player.team, player.seat))
    pairs = " pairs" if review.subject.players == 4 else ""
    return f'<div class="cards{pairs}">' + "".join(_player(review, player, say) for player in players) + "</div>"


def _player(review: Review, player: PlayerSummary, say: Words) -> str:
    tally, rate = player.total, player.total.error_rate
    counts = " · ".join(
        f'<span class="count">{mark_key(verdict, verdict_name(verdict, say))}'
        f"{escaped(verdict_count(verdict, tally.verdicts[verdict], say))}</span>"
        for verdict in (Verdict.BLUNDER, Verdict.ERROR, Verdict.DOUBTFUL)
    )
    facts = [
        (
            say.say("decisions"),
            say.say(
                "{count} ({exact} exact), and {forced} forced",
                count=tally.decision_count,
                forced=player.forced_count,
                exact=player.exact_count,
            ),
        ),
        (say.say("errors per decision"), "–" if rate is None else percent(rate)),
        (
            say.say("loss in all"),
            _loss(tally.win_probability_loss, tally.win_probability_loss_error, tally.points_loss, say),
        ),
        (
            say.say("luck"),
            f"{percent(player.luck.chances[player.team], True)} · {_points(player.luck.margins[player.team], say)}",
        ),
    ]
    rows = "".join(f"<dt>{escaped(name)}</dt><dd>{escaped(value)}</dd>" for name, value in facts)
    name = escaped(seat_name(review.subject, player.seat, say))
    return (
        f'<article class="card"><h3><span class="swatch seat{player.seat}"></span>'
        f"{name}{_seat_note(review, player.seat, say)}</h3>\n<p>{counts}</p><dl>{rows}</dl>"
        f"{_strength(player, say)}{_phases(player, say)}</article>"
    )


def _seat_note(review: Review, seat: int, say: Words) -> str:
    """Which seat a player has, since reasons and pictures speak of seats; nothing where the name says it."""
    number = say.say("Seat {seat}", seat=seat)
    shown = number in seat_name(review.subject, seat, say)
    return "" if shown else f' <span class="note">{escaped(number)}</span>'


def _loss(loss: float, error: float, points: float, say: Words) -> str:
    return f"{percent(loss)} ± {uncertain(100 * error)} · {_points(points, say, signed=False)}"


def _points(points: float, say: Words, signed: bool = True) -> str:
    return say.say("{points} points", points=fixed(points, signed=signed))


def _strength(player: PlayerSummary, say: Words) -> str:
    strength = player.strength
    if strength is None:
        return small(say.say("Estimated strength: it takes {count} decisions.", count=LEAST_DECISIONS))
    said = say.say(
        "Estimated strength: {level}, {scale} on the scale of levels ({low} to {high})",
        level=level_name(strength.level, say),
        scale=fixed(strength.scale),
        low=fixed(strength.low),
        high=fixed(strength.high),
    )
    return f"<p>{escaped(said)}</p>{strength_chart(strength, player.seat, say)}"


def _phases(player: PlayerSummary, say: Words) -> str:
    heads = (say.say("phase"), say.say("decisions"), say.say("errors"), say.say("loss"))
    rows = [
        (phase_name(phase, say), str(tally.decision_count), str(tally.mistakes), _short_loss(tally))
        for phase, tally in player.phases.items()
    ]
    return table(heads, rows, "phases")


def _short_loss(tally: DecisionTally) -> str:
    return f"{percent(tally.win_probability_loss)} ± {uncertain(100 * tally.win_probability_loss_error)}"


def _mark_keys(say: Words, mistakes: bool) -> str:
    shown = [Verdict.ERROR, Verdict.BLUNDER] if mistakes else [Verdict.DOUBTFUL, Verdict.ERROR, Verdict.BLUNDER]
    return "".join(
        f"<span>{mark_key(verdict, verdict_name(verdict, say))} {escaped(verdict_name(verdict, say))}</span>"
        for verdict in shown
    )


# Accounts


def _accounts(review: Review, say: Words) -> str:
    note = say.say(
        "Start, the placements of every seat and luck add up to the result, exactly: each bar is a difference of two"
        " values. What a seat loses by its placements the others win."
    )
    unknown = unknown_notes(review.subject, review.account.final, say)
    parts = [small(joined_sentences([note, points_start_note(say), *unknown]))]
    for points, title in ((False, say.say("Chance to win the match")), (True, say.say("Points, margin of all rounds"))):
        charts = "".join(
            f"<figure><figcaption>{escaped(team_name(review.subject, team, say))}</figcaption>"
            f"{account_chart(review, team, say, points)}</figure>"
            for team in range(review.subject.teams)
        )
        parts.append(f'<h3>{escaped(title)}</h3><div class="accounts">{charts}</div>')
    return "\n".join(parts)


# Placements


def _mistakes(review: Review, say: Words) -> str:
    mistakes = review.mistakes
    if not mistakes:
        return small(say.say("There is none."))
    note = say.say(
        "★ marks the best move, ● the one that was played. Doubtful ones are folded: open them to see the table."
    )
    listed = "\n".join(_mistake(review, judgement, say) for judgement in mistakes)
    return f'{small(note)}<div class="mistakes">{listed}</div>'


def _mistake(review: Review, judgement: Judged, say: Words) -> str:
    placement, best = judgement.placement, judgement.best
    assert best is not None
    name = verdict_name(judgement.verdict, say)
    where = placement_name(placement, say)
    seat = seat_name(review.subject, placement.seat, say)
    head = (
        f"{mark_key(judgement.verdict, name)} {escaped(where)} · {escaped(seat)} · "
        f"<strong>{escaped(name)}</strong> {escaped(percent(-judgement.win_probability_loss, True))}"
    )
    facts = [
        (
            say.say("loss"),
            _loss(judgement.win_probability_loss, judgement.win_probability_loss_error, judgement.points_loss, say),
        ),
        (say.say("best move"), f"{BEST} {move_name(best.move, say)}"),
        (say.say("played"), f"{PLAYED} {move_name(placement.played, say)}"),
        (say.say("chance to win"), _chances(judgement)),
        (say.say("best line"), line_text(judgement.line, say)),
        (say.say("values"), source_name(judgement.source, say)),
    ]
    rows = "".join(f"<dt>{escaped(key)}</dt><dd>{escaped(value)}</dd>" for key, value in facts)
    why = "".join(f"<li>{escaped(render(reason, say.language_code))}</li>" for reason in judgement.reasons)
    better = say.say("What the best move does better")
    because = f"<h4>{escaped(better)}</h4><ul>{why}</ul>" if why else ""
    contrast = judgement.contrast
    if contrast is not None:
        because += f'<p class="contrast">{escaped(render(contrast, say.language_code))}</p>'
    names = review.subject.names
    drawn = position_svg(
        placement.view,
        language_code=say.language_code,
        moves={BEST: best.move, PLAYED: placement.played},
        players=[seat_name(review.subject, other, say) for other in range(len(names))] if any(names) else (),
    )
    opened = " open" if judgement.verdict.mistake else ""
    belief = heat_map(review.subject, judgement, _truth(review, judgement), say)
    return (
        f'<details class="mistake" id="{anchor(judgement)}"{opened}><summary>{head}</summary>\n<div class="parts">'
        f'<div class="drawn">{drawn}</div>\n<div class="said"><dl>{rows}</dl>{because}</div>\n'
        f'<div class="belief">{belief}</div></div></details>'
    )


def _chances(judgement: Judged) -> str:
    """The chances after the best move and after the one that was played, by the searches that measured the loss."""
    assert judgement.best is not None and judgement.played is not None
    named = ((BEST, judgement.best.win_probability), (PLAYED, judgement.played.win_probability))
    return " · ".join(f"{sign} {percent(chance)}" for sign, chance in named if chance is not None)


def _truth(review: Review, judgement: Judged) -> list[frozenset[Tile]] | None:
    """By seat the tiles that it held, where they are known."""
    if not review.subject.whole:
        return None
    story = review.subject.stories[judgement.placement.round]
    return [frozenset(story.view(seat, judgement.placement.event).hand) for seat in range(review.subject.players)]


def _all_placements(review: Review, say: Words) -> str:
    heads = (
        say.say("round"),
        say.say("event"),
        say.say("player"),
        say.say("played"),
        say.say("points"),
        say.say("best move"),
        say.say("loss"),
        say.say("values"),
        say.say("class"),
    )
    rows = [_placement_row(review.subject, judgement, say) for judgement in review.judged]
    summary = say.count("{count} placement", "{count} placements", len(rows), count=len(rows))
    return (
        f"<details><summary>{escaped(summary)}</summary>{swipe_cue(say)}"
        f'<div class="wide" tabindex="0">{table(heads, rows, "all")}</div></details>'
    )


def _placement_row(subject: Subject, judgement: Judged, say: Words) -> tuple[str, ...]:
    placement = judgement.placement
    plain = (
        str(placement.round + 1),
        str(placement.event + 1),
        seat_name(subject, placement.seat, say),
        move_name(placement.played, say),
        str(placement.points),
    )
    if judgement.best is None:
        return (*plain, "", "", source_name(judgement.source, say), "")
    loss = f"{percent(judgement.win_probability_loss)} ± {uncertain(100 * judgement.win_probability_loss_error)}"
    best = "=" if judgement.was_best else move_name(judgement.best.move, say)
    return (*plain, best, loss, source_name(judgement.source, say), verdict_name(judgement.verdict, say))


def _guide(say: Words) -> str:
    limits, errors = {name: percent(least) for name, least in THRESHOLDS.items()}, f"{SIGNIFICANT:g}"
    sentences = [
        say.say(
            "A placement is judged from what its seat knew, never from the tiles that it could not see. Its loss is how"
            " much less chance to win the match it leaves than the best move; ± is the standard error."
        ),
        say.say(
            "It is called doubtful from {doubtful}, an error from {error} and a blunder from {blunder} on, and only"
            " where the loss is more than {errors} standard errors, so that it is hardly chance.",
            errors=errors,
            **limits,
        ),
        say.say(
            "Luck is what nobody could help: who leads when that is left to chance, the tiles of the deal, what the"
            " next seat turns out to hold, draws against what was to be expected of them, and the tiles left at the"
            " end. In the long run it is nobody's friend."
        ),
        say.say(
            "The strength compares the points lost in a decision with what each level of play loses. Few decisions say"
            " little: look at the interval."
        ),
        numbering_note(say),
        line_note(say),
    ]
    return f"<p>{escaped(joined_sentences(sentences))}</p>"
