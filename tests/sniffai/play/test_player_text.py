"""What is said of a player's parameters that cannot be taken: the parameter, the value and what is expected."""

import pytest

from sniffai import Limits, SearchParams
from sniffai.cli.group import run
from sniffai.errors import LimitsError
from sniffai.play.humanlike import ForgetfulPlayer
from sniffai.play.levels import named_player
from sniffai.play.players import SearchPlayer


@pytest.mark.parametrize(
    ("text", "reason", "field", "message"),
    [
        ("search:exact=2", "NOT_A_FLAG", "exact", "0 or 1 is expected, not '2'"),
        ("search:objective=yes", "UNKNOWN_OBJECTIVE", "objective", "match or round is expected, not 'yes'"),
        ("forgetful:exact=on", "NOT_A_FLAG", "exact", "0 or 1 is expected, not 'on'"),
        ("search:simulations=1.5", "NOT_A_NUMBER", "simulations", "a whole number is expected, not '1.5'"),
        ("search:memory_bytes=1e9", "NOT_A_NUMBER", "memory_bytes", "a whole number is expected, not '1e9'"),
        ("search:seconds=", "NOT_A_NUMBER", "seconds", "a number is expected, not ''"),
        ("search:floor=a", "NOT_A_NUMBER", "floor", "a number is expected, not 'a'"),
        ("careless:misses=x", "NOT_A_NUMBER", "misses", "a number is expected, not 'x'"),
        ("forgetful:misjudges=x", "NOT_A_NUMBER", "misjudges", "a number is expected, not 'x'"),
        ("search:epsilon=2", "OUT_OF_RANGE", "epsilon", "0..1 is expected, not 2.0"),
        ("careless:misses=nan", "OUT_OF_RANGE", "misses", "0..1 is expected, not nan"),
        ("search:seconds=1,seconds=2", "PARAMETER_TWICE", "seconds", "it is given twice"),
        ("search:simulations", "PARAMETER_SYNTAX", "player", "name=value is expected, not 'simulations'"),
        ("forgetful:misjudges=4,", "PARAMETER_SYNTAX", "player", "name=value is expected, not ''"),
        ("careless:miss=1", "UNKNOWN_PARAMETER", "player", "careless has no parameter 'miss'; it has misses"),
        ("random:a=1", "UNKNOWN_PARAMETER", "player", "random has no parameter 'a'"),
        ("search:foo=1", "UNKNOWN_PARAMETER", "player", "search has no parameter 'foo'; it has simulations, "),
        ("level:x", "UNKNOWN_LEVEL", "level", "'x' is not one of newcomer, "),
        ("foo", "UNKNOWN_PLAYER", "player", "'foo' is not one of random, "),
    ],
)
def test_a_wrong_parameter_is_named_with_its_value_and_what_is_expected(
    text: str, reason: str, field: str, message: str
) -> None:
    with pytest.raises(LimitsError) as raised:
        named_player(text)
    assert (raised.value.reason, raised.value.field) == (reason, field)
    assert raised.value.message.startswith(message)


def test_every_parameter_can_be_given() -> None:
    told = named_player("search:simulations=7,exact=0,objective=match,net_leaf=0,floor=0.5")
    params = SearchParams(exact=False, net_leaf=False, floor=0.5)
    assert told == SearchPlayer(Limits(simulations=7), params)
    mixed = named_player("forgetful:simulations=7,misjudges=3,floor=0.5,exact=0,net_leaf=0")
    assert mixed == ForgetfulPlayer(told, 3.0)
    assert named_player("search:exact=0", Limits(simulations=9)) == SearchPlayer(
        Limits(simulations=9), SearchParams(exact=False)
    )


def test_the_command_line_says_it_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["arena", "search:exact=2", "greedy", "--deals", "1"]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "sniffai: exact: 0 or 1 is expected, not '2'\n")
