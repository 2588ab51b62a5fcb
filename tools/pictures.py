"""The pictures of positions in the documents, drawn by ``sniffai draw``: part of `make examples`."""

from pathlib import Path
from typing import Final

from click.testing import CliRunner

from sniffai.cli.group import group

FOLDER: Final = Path(__file__).resolve().parent.parent / "docs" / "pictures"
ROUND: Final = (
    "round players=2 leader=0 scores=0,0 hands=1|3,1|5,1|6,2|5,2|6,3|3,6|6/0|0,0|5,1|1,1|2,1|4,5|5,5|6"
    " talon=3|4,0|1,4|5,2|2,4|6,2|4,2|3,3|6,3|5,0|2,0|4,0|3,4|4,0|6 :"
)
"""The round of docs/tutorial.md."""
MOVES: Final = (
    *("6|6", "5|6@6|6:LINE_A", "2|6@6|6:LINE_B", "1|2@2|6:LOW", "1|3@1|2:LOW", "5|5@5|6:LOW", "1|6@6|6:SIDE_A"),
    *("0|5@5|5:LINE_B", "3|3@1|3:HIGH", "0|0@0|5:LOW", "1|5@1|6:LOW", "3|4@3|3:LINE_B", "2|5@1|5:HIGH"),
)


def after(moves: int) -> str:
    """The tutorial's round after so many placements."""
    return " ".join([ROUND, *MOVES[:moves]])


PICTURES: Final = {
    "tutorial-start.svg": (after(0), "--seat", "0"),
    "tutorial-lead.svg": (after(1),),
    "tutorial-line.svg": (after(2),),
    "tutorial-sides.svg": (after(3), "--names"),
    "tutorial-twenty.svg": (after(5),),
    "tutorial-choice.svg": (after(6), "--seat", "0", "--move", "1|6@6|6:SIDE_A"),
    "tutorial-end.svg": (after(13),),
}
"""What ``sniffai draw`` is given for each picture."""


def drawn(name: str) -> str:
    """A picture as it is drawn now."""
    return CliRunner().invoke(group, ["draw", *PICTURES[name]], catch_exceptions=False).stdout


def draw_all() -> None:
    """Write every picture."""
    for name in PICTURES:
        (FOLDER / name).write_text(drawn(name), encoding="utf-8")


def differ() -> bool:
    """Whether a picture is not as it would be drawn now."""
    return any(drawn(name) != (FOLDER / name).read_text(encoding="utf-8") for name in PICTURES)
