"""The names of the levels as people read them."""

from sniffai.explain.languages import Words


def level_name(name: str, say: Words) -> str:
    """A level of play."""
    names = {
        "newcomer": say.say("newcomer"),
        "beginner": say.say("beginner"),
        "casual": say.say("casual"),
        "steady": say.say("steady"),
        "attentive": say.say("attentive"),
        "skilled": say.say("skilled"),
        "club": say.say("club"),
        "expert": say.say("expert"),
        "full": say.say("full strength"),
    }
    return names.get(name, name)
