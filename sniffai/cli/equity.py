"""``sniffai equity``: the chance to win a match, its tables built, checked and shown."""

from collections.abc import Iterable
from io import BytesIO
from typing import Any

import click
from rich.table import Table

from sniffai.cli.bulk import Bulk, bulk_options
from sniffai.cli.output import Output
from sniffai.cli.parts import BadInput, json_option
from sniffai.cli.progress import progress_bar
from sniffai.cli.tables import show, text_table
from sniffai.cli.terminal import tell, tell_json
from sniffai.equity import Equity, lead_value, load, read_equity, save_equity
from sniffai.errors import SniffError
from sniffai.lab.equity.build import LOWEST, ROUNDS, EquityPlan, build
from sniffai.lab.equity.check import CheckResult, check
from sniffai.rules import TARGET, TEAMS

_seats = click.option(
    "--seats",
    "--players",
    "players",
    type=click.IntRange(2, 4),
    default=2,
    show_default=True,
    help="Seats at the table.",
)
_file = click.option("--table", "file", metavar="FILE", help="Use this table instead of the one shipped.")


class Scores(click.ParamType[Any]):
    """Points by team with commas between."""

    name = "scores"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read them."""
        try:
            return value if isinstance(value, tuple) else tuple(int(part) for part in value.split(","))
        except ValueError:
            self.fail(f"{value!r} is not a list of points such as 120,95", param, ctx)


@click.group("equity")
def command() -> None:
    """The chance to win the match, from the scores between two rounds and who leads next."""


@command.command("build")
@_seats
@click.option("--rounds", type=click.IntRange(min=20), help="Rounds. [default: 2000000; 300000 for 3 seats]")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of the self-play.")
@click.option("--player", default="policy", show_default=True, help="Who plays, such as search:simulations=200.")
@click.option(
    "--lowest", type=int, help="Lowest score with an entry of its own. [default: -150, -100, -200 for 2, 3, 4 seats]"
)
@bulk_options(workers="1")
@click.option("--out", metavar="FILE", required=True, help="The file to write, such as equity-2.npz.")
@json_option
def build_command(
    players: int,
    rounds: int | None,
    seed: int,
    player: str,
    lowest: int | None,
    bulk: Bulk,
    out: str,
    as_json: bool,
) -> int:
    """Make a table from rounds of self-play, backwards over the scores."""
    output = Output(out, "--out", ".npz", others=bulk.files)
    bottom = LOWEST[players] if lowest is None else lowest
    plan = EquityPlan(players, rounds or ROUNDS[players], seed, player, bottom)
    with bulk.open("equity build") as work, progress_bar(work=work) as bar:
        task = bar.add_task("", total=plan.rounds)

        def report(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        made = build(plan, executor=work, progress=report)
    file = BytesIO()
    save_equity(made, file)
    status = output.write(file.getvalue())
    if as_json:
        tell_json(dict(made.made))
    else:
        tell("\n".join([out, *_made_lines(made)]))
    return status


@command.command("check")
@_seats
@_file
@click.option(
    "--standings",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Starting scores to play from, each with a leader.",
)
@click.option(
    "--matches",
    type=click.IntRange(min=100),
    default=2000,
    show_default=True,
    help="Matches to play from each starting score.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=2,
    show_default=True,
    help="Seed of the starting scores and the matches.",
)
@click.option("--player", help="Who plays. [default: the table's own player]")
@bulk_options(workers="1")
@json_option
def check_command(
    players: int,
    file: str | None,
    standings: int,
    bulk: Bulk,
    as_json: bool,
    **options: Any,
) -> int:
    """Play whole matches from random scores and compare the share won with the table.

    Exit status 1 if they differ by more than chance explains.
    """
    equity = _read(players, file)
    with bulk.open("equity check") as work, progress_bar(work=work) as bar:
        task = bar.add_task("standings", total=standings)

        def report(done: int) -> None:
            bar.update(task, completed=done)

        result = check(equity, standings=standings, executor=work, progress=report, **options)
    if as_json:
        tell_json(result.to_dict())
    else:
        show(_check_table(result))
        tell("\n".join(_check_lines(result)))
    return 0 if result.passed else 1


@command.command("show")
@_seats
@_file
@click.option("--scores", type=Scores(), help="Only these scores: points by team, such as 120,95.")
@click.option("--leader", type=click.IntRange(min=0), help="The seat that leads next. [default: random]")
@click.option("--step", type=click.IntRange(min=5), default=25, show_default=True, help="Points between two rows.")
@click.option("--third", type=int, default=0, show_default=True, help="With 3 seats, the points of the last seat.")
@click.option("--plot", metavar="FILE", help="Write a heat map to this PNG or SVG file.")
@json_option
def show_command(
    players: int,
    file: str | None,
    scores: tuple[int, ...] | None,
    leader: int | None,
    step: int,
    third: int,
    plot: str | None,
    as_json: bool,
) -> int:
    """Print every team's chance at some scores, or the whole table, and draw it."""
    equity = _read(players, file)
    if leader is not None and scores is None:
        raise click.UsageError("--leader needs --scores: without scores, the leading team's chances are printed")
    status = 0 if plot is None else _draw(equity, plot, file)
    if scores is not None:
        _show_scores(equity, scores, leader, as_json)
    elif as_json:
        tell_json(dict(equity.made))
    else:
        show(_table(equity, step, third))
        tell("\n".join(_made_lines(equity)))
    return status


def _read(players: int, file: str | None) -> Equity:
    if file is None:
        return load(players)
    try:
        return read_equity(file)
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}") from None
    except SniffError as error:
        raise BadInput(f"{file}: {error}") from None


def _draw(equity: Equity, path: str, table: str | None) -> int:
    output = Output(path, "--plot", ".png", ".svg", others={} if table is None else {"--table": table})
    from sniffai.lab.equity.plot import picture

    return output.write(picture(equity, output.ending))


def _show_scores(equity: Equity, scores: tuple[int, ...], leader: int | None, as_json: bool) -> None:
    chances, errors = equity.chance(scores, leader), equity.error(scores, leader)
    notes = [*_notes(equity, scores)]
    if as_json:
        answer = {"scores": scores, "leader": leader, "chances": chances, "errors": errors, "notes": notes}
        tell_json(answer)
        return
    made = text_table("team", "points>", "wins the match>", "±>")
    for team, values in enumerate(zip(scores, chances, errors, strict=True)):
        points, chance, error = values
        made.add_row(str(team), str(points), f"{100 * chance:.2f} %", f"{100 * error:.2f} %")
    show(made)
    for note in notes:
        tell(note)


def _notes(equity: Equity, scores: tuple[int, ...]) -> Iterable[str]:
    """Notes on scores beyond the table: below its lowest, or at the target."""
    target = TARGET[equity.players]
    for team, points in enumerate(scores):
        if points >= target:
            yield f"team {team} has reached {target}: the match is decided"
        elif points < equity.lowest and max(scores) < target:
            yield f"team {team} is below the table's lowest score: {points} counts as {equity.lowest}"


def _table(equity: Equity, step: int, third: int) -> Table:
    """The leading team's chance: a row an own score, a column a score of the other, or of the next seat."""
    below = range(-step, equity.lowest - 1, -step)
    shown = [*reversed(below), *range(0, TARGET[equity.players], step)]
    made = text_table("own \\ other" if equity.players != 3 else "own \\ next", *(f"{points}>" for points in shown))
    for own in shown:
        scores = [[own, other, third][: TEAMS[equity.players]] for other in shown]
        made.add_row(str(own), *(f"{100 * equity.chance(row, 0)[0]:.1f}" for row in scores))
    who = "leading team" if equity.players == 4 else "leader"
    made.title = f"chance of the {who} in %, {equity.players} seats to {TARGET[equity.players]}"
    if equity.players == 3:
        made.title += f", last seat at {third}"
    return made


def _made_lines(equity: Equity) -> Iterable[str]:
    made = equity.made
    yield f"  made by    {made['command']}"
    yield f"  player     {made['player']}, signature {made['signature']}, version {made['version']}"
    yield f"  rounds     {made['rounds']:,}, seed {made['seed']}"
    yield f"  error      ± {100 * made['largest_error']:.2f} % at most, {100 * made['mean_error']:.2f} % on average"
    yield f"  scores     {equity.lowest} to {equity.highest}; lower ones count as {equity.lowest}"
    yield f"  the lead   is worth {lead_value(equity):.1f} points at the start of a match"


def _check_table(result: CheckResult) -> Table:
    made = text_table("scores", "leader>", "table>", "±>", "played>", "differs>", "within>", "")
    for row in result.comparisons:
        team = row.standing.leader % len(row.won)
        chance, share = row.chances[team], row.shares[team]
        numbers = (chance, row.errors[team], share, share - chance, row.margins[team])
        texts = [f"{100 * number:.2f}" for number in numbers]
        scores = ",".join(map(str, row.standing.scores))
        made.add_row(scores, str(row.standing.leader), *texts, "" if row.agrees else "no")
    made.title = "chance of the leading team in %"
    return made


def _check_lines(result: CheckResult) -> Iterable[str]:
    yield f"  within     {result.agreeing} of {len(result.comparisons)} standings, by 95 % intervals"
    yield f"  scatter    chi square {result.statistic:.1f} on {result.degrees}, p {result.p_value:.3f}"
    bias = f"{100 * result.bias:+.2f} ± {100 * result.bias_margin:.2f} %"
    yield f"  bias       leaders won {bias} more than the table says"
    yield f"  {'passed' if result.passed else 'FAILED'}"
