"""Doing one job in this process."""

import json
import time

from sniffai.checks import read_kind
from sniffai.jobs.engine import check_engine
from sniffai.jobs.kinds import work_of
from sniffai.jobs.result import JobResult, Measured
from sniffai.jobs.spec import JobSpec


def run_job(spec: JobSpec) -> JobResult:
    """Do one job. Done again, here or elsewhere, it has the same value.

    It works until it is done: whoever may have to end it runs it in a process of its own and ends that.

    :raises LimitsError: it is for another engine (reason ``ENGINE_VERSION``), or a parameter is wrong or missing.
    :raises SniffError: as the kind of job says.
    """
    check_engine(read_kind(spec, JobSpec, "spec", "NOT_A_JOB").engine)
    started = time.perf_counter()
    made = work_of(spec.kind)(spec)
    value, measured = (made.value, made.measured) if isinstance(made, Measured) else (made, {})
    # As every other executor gives it: through JSON, which has no tuples, and refuses what it cannot keep exactly.
    plain = json.loads(json.dumps([value, dict(measured)], allow_nan=False))
    return JobResult(spec.address, plain[0], time.perf_counter() - started, plain[1])
