"""What commands with bulk work share: who does it, where results are kept, and the progress bar."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

import click

from sniffai.cli.parts import BadInput
from sniffai.errors import BusyError, RecordError
from sniffai.jobs.executor import Executor, executor_named
from sniffai.jobs.results import open_results
from sniffai.jobs.resumed import ResumedExecutor

F = TypeVar("F", bound=Callable[..., Any])


def bulk_options(workers: str) -> Callable[[F], F]:
    """The options of bulk work, for :func:`bulk`.

    :param workers: the default of ``--workers`` in words.
    """
    options = (
        click.option(
            "--executor",
            default="local",
            show_default=True,
            help="Who does the work: local (processes here), grpc:HOST:PORT,... (servers), ray or ray:ADDRESS (a "
            "cluster). The result is the same.",
        ),
        click.option(
            "--workers", type=click.IntRange(1, 1024), help=f"Worker processes, or jobs at once. [default: {workers}]"
        ),
        click.option(
            "--results",
            metavar="FILE",
            help="Keep the result of each job in this file, .jsonl or .parquet, and do again none that is there.",
        ),
    )

    def add(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return add


@contextmanager
def bulk(
    command: str, executor: str, workers: int | None, results: str | None, *, processes: int | None = 1
) -> Iterator[Executor]:
    """What does the work of a command.

    :param command: its name, which the file of results is told.
    :param executor: by name.
    :param workers: processes, or jobs at once; the executor's default without it.
    :param processes: the default of the executor local: ``None``: one per core.
    :param results: the file of results.
    :raises SniffError: there is no such executor.
    :raises BadInput: the file of results cannot be used.
    """
    with ExitStack() as stack:
        default = processes if executor == "local" else None
        work = stack.enter_context(executor_named(executor, workers=workers or default))
        if results is not None:
            try:
                work = stack.enter_context(ResumedExecutor(work, open_results(results, command)))
            except OSError as error:
                raise BadInput(f"{results}: {error.strerror or error}") from None
            except (RecordError, BusyError) as error:
                raise BadInput(f"--results: {error.message}") from None
        yield work
