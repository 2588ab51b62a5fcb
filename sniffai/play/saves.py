"""A match saved in mid-play, and resumed: a match record file whose tags say who plays and by which seed.

So a saved match can be replayed and reviewed as every other record (docs/notation.md). It holds all hands.
"""

from collections.abc import Mapping
from typing import Final

from sniffai.checks import shown
from sniffai.errors import RecordError, SniffError
from sniffai.play.match import MAX_MATCH_SEED, Lots, Match, MatchSetup
from sniffai.records.matchfile import format_match, parse_match
from sniffai.records.record import MatchRecord
from sniffai.round import Round

SEED: Final = "Seed"
PRACTICE: Final = "Practice"
SIMULATIONS: Final = "Simulations"

_FLAGS: Final = {"yes": True, "no": False}


def save_match(match: Match) -> str:
    """The text of a match: all that :func:`resume_match` needs."""
    setup = match.setup
    tags = [(f"Seat{seat}", name) for seat, name in enumerate(setup.seats)]
    tags += [(SEED, str(setup.seed)), (PRACTICE, "yes" if setup.practice else "no")]
    tags += [(SIMULATIONS, str(setup.simulations))]
    return format_match(match.record(tags))


def resume_match(text: str) -> Match:
    """The match that a text holds; it goes on exactly as it would have.

    :raises NotationError: the text cannot be read; ``field`` is such as ``"line 12"``.
    :raises RecordError: it is not the text of a saved match, or it breaks a rule, or its deals are not those of its
        seed; ``field`` is such as ``"line 37: round 3, event 6"`` or the name of a tag.
    """
    record = parse_match(text)
    setup = _setup(record, dict(record.tags))
    try:
        rounds = record.replay()
        _check_deals(Lots((setup.seed,)), rounds)
        return Match(setup, rounds)
    except RecordError as error:
        raise RecordError(error.message, reason=error.reason, field=record.place(error.field)) from None
    except SniffError as error:
        raise RecordError(error.message, reason=error.reason, field=error.field) from None


def _setup(record: MatchRecord, tags: Mapping[str, str]) -> MatchSetup:
    if not record.rounds:
        raise RecordError("a saved match has at least one round", reason="NO_ROUNDS", field="rounds")
    seats = tuple(_tag(tags, f"Seat{seat}") for seat in range(record.players))
    try:
        return MatchSetup(
            seats=seats,
            seed=_number(tags, SEED),
            scores=record.rounds[0].start.scores,
            practice=_flag(tags, PRACTICE),
            simulations=_number(tags, SIMULATIONS),
        )
    except RecordError:
        raise
    except SniffError as error:
        raise RecordError(error.message, reason=error.reason, field=error.field) from None


def _tag(tags: Mapping[str, str], name: str) -> str:
    if name not in tags:
        raise RecordError(
            f"this is not a saved match: the tag {name} is missing", reason="NOT_A_SAVED_MATCH", field=name
        )
    return tags[name]


def _number(tags: Mapping[str, str], name: str) -> int:
    text = _tag(tags, name)
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(MAX_MATCH_SEED))):
        raise RecordError(f"a whole number is expected, not {shown(text)}", reason="NOT_A_SAVED_MATCH", field=name)
    return int(text)


def _flag(tags: Mapping[str, str], name: str) -> bool:
    if _tag(tags, name) not in _FLAGS:
        raise RecordError(f"yes or no is expected, not {shown(tags[name])}", reason="NOT_A_SAVED_MATCH", field=name)
    return _FLAGS[tags[name]]


def _check_deals(lots: Lots, rounds: tuple[Round, ...]) -> None:
    """Every round was dealt as the seed says."""
    first = lots.first(rounds[0].players, None, rounds[0].start.scores)
    expected = [first, *(lots.following(before, index) for index, before in enumerate(rounds[:-1]))]
    for index, (by_seed, round_) in enumerate(zip(expected, rounds, strict=True)):
        if by_seed.start != round_.start:
            raise RecordError(
                "the deal or the leader differs from what the seed gives", reason="WRONG_DEAL", field=f"rounds[{index}]"
            )
