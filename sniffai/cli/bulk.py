"""What commands with bulk work share: who does it, and where results are kept."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, cast

import click

from sniffai.cli.parts import BadInput
from sniffai.cli.remote import Access, access_options
from sniffai.errors import BusyError, RecordError
from sniffai.jobs.executor import Executor, executor_named
from sniffai.jobs.results_files import open_results
from sniffai.jobs.resumed import ResumedExecutor

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Bulk:
    """Who does the bulk work of a command, and where its results are kept."""

    executor: str
    """By name."""
    workers: int | None
    """Processes, or jobs at once; ``None``: the executor's default."""
    results: str | None
    """The file of results; ``None``: they are not kept."""
    access: Access
    """TLS and the API key of servers."""

    @property
    def elsewhere(self) -> bool:
        """Whether it says anything but the default."""
        return self.executor != "local" or self.results is not None

    @property
    def files(self) -> dict[str, str]:
        """The files that it reads or writes, by option: no result may go into one of them."""
        return self.access.files if self.results is None else {**self.access.files, "--results": self.results}

    @contextmanager
    def open(self, command: str, *, processes: int | None = 1) -> Iterator[Executor]:
        """What does the work. Meanwhile standard output is standard error: Ray tells there of nodes that died.

        :param command: its name, which the file of results is told.
        :param processes: the default of the executor local; ``None``: one per core.
        :raises SniffError: there is no such executor.
        :raises BadInput: the file of results, or a file of the options, cannot be used.
        """
        with ExitStack() as stack:
            stack.enter_context(redirect_stdout(sys.stderr))
            if is_grpc(self.executor):
                stack.enter_context(_servers_told(self.executor))
            work = stack.enter_context(self._executor(processes))
            if self.results is not None:
                try:
                    work = stack.enter_context(ResumedExecutor(work, open_results(self.results, command)))
                except OSError as error:
                    raise BadInput(f"{self.results}: {error.strerror or error}") from None
                except (RecordError, BusyError) as error:
                    raise BadInput(f"--results: {error.message}") from None
            yield work

    def _executor(self, processes: int | None) -> Executor:
        if not is_grpc(self.executor):
            default = processes if self.executor == "local" else None
            return executor_named(self.executor, workers=self.workers or default)
        tls, api_key = self.access.read()
        try:
            return executor_named(self.executor, workers=self.workers, tls=tls, api_key=api_key)
        except OSError as error:
            raise BadInput(f"{error.filename}: {error.strerror}") from None


@contextmanager
def _servers_told(executor: str) -> Iterator[None]:
    """Tell errors of servers in one line.

    :raises BadInput: a file of TLS cannot be read, or a server says that the input is wrong.
    :raises ClickException: a call failed.
    """
    from sniffai.client import ServiceError

    try:
        yield
    except ServiceError as error:
        kind = BadInput if error.code == "INVALID_ARGUMENT" else click.ClickException
        raise kind(f"{executor}: {error}") from None


def is_grpc(executor: str) -> bool:
    """Whether an executor calls servers."""
    return executor.startswith("grpc:")


def bulk_options(workers: str | None, *, access: bool = True) -> Callable[[F], F]:
    """The options of bulk work; the command gets them as ``bulk``, a :class:`Bulk`.

    :param workers: the default of ``--workers`` in words; ``None``: there is no such option, as one job follows from
        the other.
    :param access: whether the options of TLS and the API key are added; else the command has them from elsewhere, and
        passes them on as ``access``.
    """

    def add(function: F) -> F:
        @wraps(function)
        def command(
            *args: Any, executor: str, results: str | None, access: Access, workers: int | None = None, **options: Any
        ) -> Any:
            if not is_grpc(executor):
                access.refuse("--executor grpc:HOST:PORT")
            return function(*args, bulk=Bulk(executor, workers, results, access), **options)

        command = click.option(
            "--results",
            metavar="FILE",
            help="Save each job's result in this file (.jsonl or .parquet); jobs already in it are skipped.",
        )(command)
        if workers is not None:
            help_text = f"Worker processes, or jobs at once. [default: {workers}]"
            command = click.option("--workers", type=click.IntRange(1, 1024), help=help_text)(command)
        if access:
            command = access_options(command)
        command = click.option(
            "--executor",
            default="local",
            show_default=True,
            help="Who does the work: local (processes here), grpc:HOST:PORT,... (servers), ray or ray:ADDRESS (a "
            "cluster). The result is the same.",
        )(command)
        return cast(F, command)

    return add
