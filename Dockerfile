FROM python:3.13-slim-bookworm AS build
# The Debian release is the pin; the compiler does not reach the final image.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY server/build.lock server/build.lock
RUN python -m pip install --no-cache-dir --require-hashes --only-binary :all: --requirement server/build.lock
COPY pyproject.toml setup.py MANIFEST.in README.md LICENSE ./
COPY ext ext
COPY sniffai sniffai
COPY server server
RUN python -m pip wheel --no-cache-dir --no-build-isolation --no-deps --wheel-dir /wheels .

FROM python:3.13-slim-bookworm
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
RUN --mount=type=bind,source=server/requirements.lock,target=/requirements.lock \
    python -m pip install --no-cache-dir --require-hashes --only-binary :all: --requirement /requirements.lock
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    python -m pip install --no-cache-dir --no-index --no-deps /wheels/*.whl
RUN mkdir /var/lib/sniffai && chown 10001:10001 /var/lib/sniffai
VOLUME /var/lib/sniffai
USER 10001:10001
WORKDIR /tmp
# All settings are variables: docs/operators.md. Nothing is served on this address without TLS or SNIFFAI_INSECURE.
ENV SNIFFAI_HOST=0.0.0.0 SNIFFAI_WEB_HOST=0.0.0.0 STATE_DIRECTORY=/var/lib/sniffai
EXPOSE 50051 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 CMD ["sniffai-server", "health"]
ENTRYPOINT ["sniffai-server"]
CMD ["serve"]
