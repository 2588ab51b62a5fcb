FROM python:3.13-slim-bookworm AS build
# The Debian release is the pin; the compiler does not reach the final image.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY pyproject.toml setup.py MANIFEST.in README.md LICENSE ./
COPY ext ext
COPY sniffai sniffai
COPY server server
RUN python -m pip wheel --no-cache-dir --wheel-dir /wheels '.[server,cli]'

FROM python:3.13-slim-bookworm
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    python -m pip install --no-cache-dir --no-index /wheels/*.whl
USER 10001:10001
WORKDIR /tmp
EXPOSE 50051
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 CMD ["sniffai-server", "health"]
ENTRYPOINT ["sniffai-server"]
CMD ["serve", "--host", "0.0.0.0", "--port", "50051"]
