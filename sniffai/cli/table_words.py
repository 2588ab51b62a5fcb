"""What a player is told at the table, in the player's language: events, the count, settlements, who won."""

from collections.abc import Iterator, Mapping
from typing import Final

from sniffai.draw.geometry import arms_of
from sniffai.draw.tally import Tally
from sniffai.events import Draw, Event, Pass, Play
from sniffai.explain.description import counted_ends, move_name, tile_name
from sniffai.explain.languages import Words
from sniffai.explain.level_words import level_name
from sniffai.layout import Layout
from sniffai.play.levels import names_level
from sniffai.play.match import HUMAN, Situation
from sniffai.play.table import Table
from sniffai.rules import TARGET, team_of
from sniffai.view import View

LEVEL: Final = "level:"
"""How the name of a level's player begins."""


def player_name(name: str, say: Words) -> str:
    """A player as people name it: a level by its word, any other one as it is."""
    level = name.removeprefix(LEVEL)
    return level_name(level, say) if names_level(level) else name


def opening(table: Table, say: Words) -> Iterator[str]:
    """Who plays for what."""
    players = len(table.seats)
    yield say.say("{seats} seats to {target} points", seats=players, target=TARGET[players])
    for seat in range(players):
        who = say.say("you") if seat == table.seat else who_plays(table, seat, say)
        if players == 4 and seat != table.seat and team_of(4, seat) == team_of(4, table.seat):
            yield "  " + say.say("seat {seat}: {player}, your partner", seat=seat, player=who)
        else:
            yield "  " + say.say("seat {seat}: {player}", seat=seat, player=who)


def who_plays(table: Table, seat: int, say: Words) -> str:
    """Another seat's level, or the name of a person."""
    name = table.seats[seat]
    return player_name(name, say) if name != HUMAN else table.names[seat] or say.say("another person")


def round_line(now: Situation, say: Words) -> str:
    """The number of the round, and who leads it."""
    number, leader = now.round + 1, now.view.leader
    if leader == now.view.seat:
        return say.say("Round {round}: you lead.", round=number)
    return say.say("Round {round}: seat {seat} leads.", round=number, seat=leader)


def event_line(event: Event, seat: int, say: Words) -> str:
    """What a seat did.

    :param seat: the reader's own.
    """
    own = event.seat == seat
    if isinstance(event, Play):
        move = move_name(event.move, say)
        return (
            say.say("You: {move}.", move=move) if own else say.say("Seat {seat}: {move}.", seat=event.seat, move=move)
        )
    if isinstance(event, Pass):
        return say.say("You pass.") if own else say.say("Seat {seat} passes.", seat=event.seat)
    return _draw_line(event, own, say)


def _draw_line(event: Draw, own: bool, say: Words) -> str:
    if own:
        return say.say("You draw {tiles}.", tiles=" ".join(map(tile_name, event.tiles or ())))
    return say.count(
        "Seat {seat} draws {count} tile.",
        "Seat {seat} draws {count} tiles.",
        event.count,
        seat=event.seat,
        count=event.count,
    )


def count_line(layout: Layout, say: Words) -> str:
    """The count after a placement as a sum, end by end, and what it scores."""
    ends = " + ".join(f"{tile_name(tile)} {value}" for tile, value in counted_ends(layout)) or "0"
    if layout.points:
        return say.count(
            "Count: {sum} = {count}, scores {points} point.",
            "Count: {sum} = {count}, scores {points} points.",
            layout.points,
            sum=ends,
            count=layout.count,
            points=layout.points,
        )
    return say.say("Count: {sum} = {count}, scores nothing.", sum=ends, count=layout.count)


def arm_lines(layout: Layout, marks: Mapping[str, str], say: Words) -> Iterator[str]:
    """The table in words: the tile in the middle and the rows of tiles that leave it.

    :param marks: of the attachment points, by name.
    """
    middle, arms = arms_of(layout)
    if middle is None:
        return
    if middle == layout.sniff:
        yield say.say("Table, from the sniff {tile} outward (type b for a drawing):", tile=tile_name(middle))
    else:
        yield say.say("Table, from {tile} outward (type b for a drawing):", tile=tile_name(middle))
    for arm in arms:
        way = (say.say("right"), say.say("down"), say.say("left"), say.say("up"))[arm.heading]
        tiles = " ".join(f"[{near}|{far}]" for near, far in arm.tiles)
        yield f"  {way}: {' '.join(filter(None, (tiles, marks.get(arm.end or ''))))}"


def state_lines(view: View, say: Words) -> Iterator[str]:
    """The scores, the other hands and the talon, and the own hand."""
    scores = "; ".join(f"{team_word(view, team, say)}: {points}" for team, points in enumerate(view.scores_now))
    hands = "  ".join(
        say.count("seat {seat}: {count} tile", "seat {seat}: {count} tiles", size, seat=seat, count=size)
        for seat, size in enumerate(view.hand_sizes)
        if seat != view.seat
    )
    yield say.say("Score: {scores}", scores=scores)
    yield f"{hands}  {say.say('talon {count}', count=view.talon_size)}"


def team_word(view: View, team: int, say: Words) -> str:
    """A team, as the reader calls it."""
    if team == view.team:
        return say.say("you") if view.players < 4 else say.say("you and seat {seat}", seat=(view.seat + 2) % 4)
    if view.players < 4:
        return say.say("seat {seat}", seat=team)
    return say.say("seats {first} and {second}", first=team, second=team + 2)


def ending_lines(now: Situation, say: Words) -> Iterator[str]:
    """How the round ended, what the hands cost, and who leads next."""
    view = now.view
    if now.expired:
        yield say.say("The match has ended: nothing happened for too long.")
        return
    if now.resigned is not None:
        yield from _resignation_lines(now, say)
        return
    if now.winner is not None:
        points = now.scores[now.winner]
        if now.winner == view.team:
            yield say.say("You win the match with {points} points.", points=points)
        elif view.players < 4:
            yield say.say("Seat {seat} wins the match with {points} points.", seat=now.winner, points=points)
        else:
            yield say.say(
                "Seats {first} and {second} win the match with {points} points.",
                first=now.winner,
                second=now.winner + 2,
                points=points,
            )
        return
    if view.went_out == view.seat:
        yield say.say("You go out.")
    elif view.went_out is not None:
        yield say.say("Seat {seat} goes out.", seat=view.went_out)
    else:
        yield say.say("Nobody can play: the round is blocked.")
    yield say.say("Settlement: {costs}.", costs="; ".join(_costs(now, say)))
    if now.next_leader == view.seat:
        yield say.say("You lead the next round.")
    else:
        yield say.say("Seat {seat} leads the next round.", seat=now.next_leader)


def _resignation_lines(now: Situation, say: Words) -> Iterator[str]:
    if now.resigned == now.view.seat:
        yield say.say("You have resigned.")
    else:
        yield say.say("Seat {seat} has resigned.", seat=now.resigned)
    if now.winner is not None:
        if now.winner == now.view.team:
            yield say.say("You win the match.")
        else:
            yield say.say("You lose the match.")


def _costs(now: Situation, say: Words) -> Iterator[str]:
    for seat, cost in enumerate(now.settlement):
        if seat == now.view.seat:
            yield say.say("your hand costs {points}", points=cost)
        else:
            yield say.say("the hand of seat {seat} costs {points}", seat=seat, points=cost)


def tally_lines(now: Situation, say: Words) -> Iterator[str]:
    """The scores of all teams in strokes and blocks."""
    for team, points in enumerate(now.scores):
        yield f"{team_word(now.view, team, say)}: {points}"
        yield from (f"  {line}" for line in Tally.of(points).to_text().split("\n")) if points else ()
