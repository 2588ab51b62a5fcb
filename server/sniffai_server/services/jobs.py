"""JobService: jobs of bulk work."""

# ruff: noqa: N802 (methods are named as in the .proto files)

from typing import Any

from sniffai.v1 import job_service_pb2 as pb
from sniffai.v1 import job_service_pb2_grpc
from sniffai_server.jobs.jobs import Jobs
from sniffai_server.services.notices import names_unknown_fields


class JobService(job_service_pb2_grpc.JobServiceServicer):
    """The servicer of JobService."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    @names_unknown_fields
    async def RunJob(self, request: pb.RunJobRequest, context: Any) -> pb.RunJobResponse:
        """The result of a job."""
        result = await self._jobs.run(request.spec, context)
        return pb.RunJobResponse(result=result.decode())
