"""Bulk work in jobs of pure data, which any executor runs: processes here, servers, or a Ray cluster.

A :class:`JobSpec` says what is to be done, a :class:`JobResult` what came of it. An :class:`Executor` runs many, and
gives the same results whatever fails on the way: see ``docs/bulk.md``.
"""

from typing import TYPE_CHECKING, Final

from sniffai.lazy import lazy_names

if TYPE_CHECKING:
    from sniffai.jobs.engine import engine_version
    from sniffai.jobs.errors import LostJobError
    from sniffai.jobs.executor import Executor, executor_named, in_order
    from sniffai.jobs.local import LocalExecutor
    from sniffai.jobs.result import JobResult
    from sniffai.jobs.results import Results
    from sniffai.jobs.results_files import open_results
    from sniffai.jobs.resumed import ResumedExecutor
    from sniffai.jobs.run import run_job
    from sniffai.jobs.spec import JobSpec

_MODULES: Final = {
    "engine": ("engine_version",),
    "errors": ("LostJobError",),
    "executor": ("Executor", "executor_named", "in_order"),
    "local": ("LocalExecutor",),
    "result": ("JobResult",),
    "results": ("Results",),
    "results_files": ("open_results",),
    "resumed": ("ResumedExecutor",),
    "run": ("run_job",),
    "spec": ("JobSpec",),
}
"""The public names by the module that defines them."""

__all__ = [
    "Executor",
    "JobResult",
    "JobSpec",
    "LocalExecutor",
    "LostJobError",
    "Results",
    "ResumedExecutor",
    "engine_version",
    "executor_named",
    "in_order",
    "open_results",
    "run_job",
]

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
