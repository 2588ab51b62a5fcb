"""What a seat sees and has to do now, in lines of text."""

from sniffai.explain.languages import Words
from sniffai.view import View


def situation(view: View, say: Words) -> str:
    """Two lines: the seat and its hand; the table as everyone sees it."""
    ends = " ".join(point.name for point in view.attachment_points())
    own = (
        say.say("seat {seat} of {seats}", seat=view.seat, seats=view.players),
        say.say("hand {hand}", hand=" ".join(map(str, view.hand))),
        say.say("scores {scores}", scores=" ".join(map(str, view.scores_now))),
    )
    shared = (
        say.say("open {ends}", ends=ends) if ends else say.say("open none yet"),
        say.say("count {count}", count=view.count),
        say.say("hands of {sizes}", sizes=" ".join(map(str, view.hand_sizes))),
        say.say("talon {count}", count=view.talon_size),
    )
    return f"{'  '.join(own)}\n{'  '.join(shared)}"


def duty(view: View, say: Words) -> str:
    """What is to be done now, and by whom."""
    moves = view.legal_moves()
    if moves:
        return say.say("moves {moves}", moves=" ".join(map(str, moves)))
    if view.must == "wait":
        return say.say("seat {seat} is to move", seat=view.to_move)
    return say.say("nothing to place: {action}", action=action_name(view.must, say))


def action_name(name: str, say: Words) -> str:
    """What the seat does if it cannot place a tile."""
    names = {
        "draw": say.say("draw"),
        "pass": say.say("pass"),
        "wait": say.say("wait"),
        "over": say.say("the round is over"),
    }
    return names.get(name, name)
