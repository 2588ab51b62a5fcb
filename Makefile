# Everything runs in .venv, made here on first use; nothing is asked. `make help` lists the targets.
# Needs: Python >= 3.11 with venv and headers, a C compiler, GNU make.

PYTHON ?= python3# any Python >= 3.11
HOST ?= 127.0.0.1# where `make serve` listens
PORT ?= 50051
WEB_PORT ?= 8080# where `make play` serves its page
PYTEST_ARGS ?=# for example: make test PYTEST_ARGS='-k rollout -x', or '-n 0' for one test at a time
LOAD_ARGS ?=# see benchmarks/server/README.md
SOAK_ARGS ?=
IMAGE ?= sniffai# the name that `make image` gives

BIN := .venv/bin
STAMPS := .venv/stamps
PROTO_BIN := .venv-proto/bin
LOCK_BIN := .venv-lock/bin
DEPLOY_BIN := .venv-deploy/bin
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install -qq
# The tests start some hundred Python processes, which start sooner if bytecode is kept beside the sources.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n auto --dist worksteal
INSTALL := SNIFFAI_BUILD=skip $(PIP) --no-build-isolation --editable
CORE := $(wildcard ext/sniffai_ext/*.pyx ext/sniffai_ext/*.pxd) setup.py
# What a command of the package needs: its packages, and the compiled core.
READY := $(STAMPS)/run $(STAMPS)/core
# Folders with JavaScript: the npm package, and the example without it.
NODE_FOLDERS := clients/node examples/node
NODE_LOCKS := $(wildcard $(NODE_FOLDERS:=/package-lock.json))
TEST_TOOLS := $(STAMPS)/test $(if $(NODE_LOCKS),$(STAMPS)/node)

MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help build serve play test check e2e servers lint proto proto-check breaking deploy-check release-check bench fuzz sanitize load soak demo image image-release image-here sbom lock audit catalogues examples docs clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: $(READY) ## make .venv and build the compiled core; only what changed is built again
	@:

serve: $(READY) ## start the gRPC server on HOST:PORT (127.0.0.1:50051)
	@echo "==> serving gRPC on $(HOST):$(PORT); stop with Ctrl-C"
	@exec $(BIN)/sniffai-server serve --host $(HOST) --port $(PORT) --log-format text

play: $(READY) ## play and study in a browser: serve the page on 127.0.0.1:WEB_PORT (8080), and open it
	@$(BIN)/python tools/open_page.py http://127.0.0.1:$(WEB_PORT)/ & \
	exec $(BIN)/sniffai-server serve --port 0 --web --web-port $(WEB_PORT) --log-format text --log-level warning

test: tested-with ## run all tests but those of `make e2e`, as many at a time as there are cores
	@echo "==> running the tests"
	@$(PYTEST) $(PYTEST_ARGS)

check: tested-with ## run the quick tests, for daily work: all but those marked slow; at most a minute on two cores
	@echo "==> running the quick tests"
	@$(PYTEST) -m 'not slow' $(PYTEST_ARGS)

# Tests of one file share a browser, a server or a database.
e2e: tested-with $(STAMPS)/e2e ## run the tests with a real browser, terminal, database and Ray, and those of `make servers`; as root, install what is missing
	@$(BIN)/python tools/system_parts.py
	@echo "==> running the end-to-end tests"
	@$(PYTEST) --dist loadfile tests/e2e $(PYTEST_ARGS)

servers: tested-with ## run the tests with servers that are loaded or killed, which need nothing installed
	@echo "==> running the tests with servers"
	@$(PYTEST) --dist loadfile tests/e2e/servers $(PYTEST_ARGS)

# The compiler and the installer touch different files, so a fresh clone builds and installs at the same time.
tested-with: $(STAMPS)/tools
	@$(MAKE) $(STAMPS)/core & core=$$!; $(MAKE) $(TEST_TOOLS); tools=$$?; wait $$core && exit $$tools

# So that nothing is installed into .venv while .ci/run uses it for several of these checks at the same time.
check-tools: tested-with $(STAMPS)/lint $(STAMPS)/docs
	@:

lint: tested-with $(STAMPS)/lint ## ruff, cython-lint, mypy, import-linter, buf, hadolint
	@echo "==> ruff"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@echo "==> cython-lint"
	@PATH="$(CURDIR)/$(BIN):$$PATH" cython-lint ext tools
	@echo "==> mypy"
	@$(BIN)/mypy
	@echo "==> import-linter"
	@$(BIN)/lint-imports
	@echo "==> buf"
	@$(BIN)/buf lint
	@echo "==> hadolint"
	@$(BIN)/hadolint Dockerfile

proto: .venv-proto/stamp $(STAMPS)/node ## make sniffai/v1, the npm package's code and the reference in docs/service.md again from proto/sniffai/v1
	@echo "==> generating sniffai/v1 and clients/node"
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(PROTO_BIN)/python tools/proto.py
	@$(PROTO_BIN)/python tools/reference.py

proto-check: breaking .venv-proto/stamp $(STAMPS)/node ## expect what `make proto` writes to be as it would write it
	@echo "==> comparing sniffai/v1 and clients/node with proto/sniffai/v1"
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(PROTO_BIN)/python tools/proto.py --check
	@$(PROTO_BIN)/python tools/reference.py --check

breaking: $(STAMPS)/run $(STAMPS)/lint ## expect no change of proto/ that breaks earlier clients
	@echo "==> comparing proto with earlier versions"
	@$(BIN)/python tools/breaking.py

deploy-check: .venv-deploy/stamp ## read deploy/ with the programs that will, as far as they are installed
	@echo "==> checking deploy"
	@$(DEPLOY_BIN)/python tools/deploy_check.py

release-check: $(READY) $(STAMPS)/test ## expect that this commit can be released; builds wheels and tests them without a compiler
	@echo "==> checking the release"
	@$(BIN)/python -m tools.release_check

catalogues: $(STAMPS)/test ## bring the translated messages (sniffai/locale) up to date with the source
	@echo "==> bringing sniffai/locale up to date"
	@$(BIN)/python tools/catalogues.py

examples: $(READY) $(STAMPS)/test $(if $(NODE_LOCKS),$(STAMPS)/node) ## put what the engine prints now into README.md, docs and examples
	@echo "==> running the examples of the documents"
	@$(BIN)/python -m tools.examples

docs: $(READY) $(STAMPS)/docs ## build the documentation site in build/site; a broken link is an error
	@echo "==> building the documentation site"
	@$(BIN)/python -m sphinx --fresh-env --fail-on-warning --keep-going --quiet --jobs auto \
		--conf-dir docs --doctree-dir build/site-cache . build/site
	@echo "open build/site/index.html"

bench: $(READY) ## print the speed of rollouts and search, and the signature beside the recorded one
	@$(BIN)/sniffai bench
	@echo "benchmarks/signature.txt: $$(cat benchmarks/signature.txt)"

fuzz: $(READY) $(STAMPS)/test ## send a server 20,000 requests by chance, each time others
	@echo "==> fuzzing the server"
	@HYPOTHESIS_PROFILE=explore FUZZ_CASES=20000 $(BIN)/python -m pytest -o timeout=3600 tests/server/test_fuzz.py $(PYTEST_ARGS)

sanitize: $(READY) $(STAMPS)/test ## run the core's tests and some play under address and undefined-behaviour sanitizers
	@$(BIN)/python tools/sanitize.py

load: $(READY) ## measure a server under load on this machine, which should do nothing else: some 2 minutes
	@$(BIN)/python -m benchmarks.server.load $(LOAD_ARGS)

soak: $(READY) ## keep a server busy for 10 minutes, and expect its memory, threads and descriptors to stay
	@$(BIN)/python -m benchmarks.server.soak $(SOAK_ARGS)

demo: $(READY) ## start a server, ask it about the example positions, print its answers, stop it
	@$(BIN)/python tools/demo.py

image: ## build the Docker image IMAGE (sniffai)
	@echo "==> building the image $(IMAGE)"
	@docker build --tag $(IMAGE) .

image-release: ## build the image with its list of parts (SPDX) and its provenance (SLSA) in dist/image.tar; needs Docker's buildx
	@echo "==> building dist/image.tar"
	@mkdir -p dist
	@docker buildx build --sbom=true --provenance=mode=max --tag $(IMAGE) --output type=oci,dest=dist/image.tar .

image-here: ## build the image in build/image where no Docker engine is: as root, with Debian's debootstrap and umoci
	@echo "==> building build/image"
	@$(PYTHON) tools/image.py

sbom: .venv-lock/stamp ## list the packages that the image installs, by hash, as CycloneDX in dist/sbom.json
	@echo "==> writing dist/sbom.json"
	@mkdir -p dist
	@$(LOCK_BIN)/python -W ignore -m cyclonedx_py requirements --validate --output-reproducible \
		--pyproject pyproject.toml --output-format JSON --output-file dist/sbom.json server/requirements.lock

lock: .venv-lock/stamp ## pin what the image installs again, at the newest versions allowed
	@echo "==> writing server/requirements.lock and server/build.lock"
	@$(LOCK_BIN)/python tools/lock.py

audit: .venv-lock/stamp ## look for known faults in what the image installs; asks a database on the network
	@echo "==> auditing server/requirements.lock and server/build.lock"
	@$(LOCK_BIN)/pip-audit --strict --disable-pip --require-hashes \
		--requirement server/requirements.lock --requirement server/build.lock

clean: ## remove everything that these targets made, except sniffai/v1
	@echo "==> removing .venv, .venv-proto, build and caches"
	@rm -rf .venv .venv-proto .venv-lock .venv-deploy .venv-peers build dist *.egg-info ext/sniffai_ext/*.so $(NODE_FOLDERS:=/node_modules) tests/e2e/web/node_modules
	@rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@echo "==> making .venv with $(PYTHON)"
	@$(PYTHON) tools/check_python.py
	@$(PYTHON) -m venv .venv

$(STAMPS)/tools: pyproject.toml setup.py | $(BIN)/python
	@echo "==> installing the build tools"
	@$(PIP) 'setuptools>=80' 'Cython>=3.2'
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/run: $(STAMPS)/tools
	@echo "==> installing sniffai and what it needs"
	@$(INSTALL) '.[server,web,cli]'
	@touch $@

$(STAMPS)/core: $(STAMPS)/tools $(CORE)
	@echo "==> building the compiled core (about a minute the first time)"
	@$(BIN)/python setup.py --quiet build_ext --inplace
	@touch $@

# The extra `test` has all that `run` installs.
$(STAMPS)/test: $(STAMPS)/tools
	@echo "==> installing sniffai and the test tools"
	@$(INSTALL) '.[test]'
	@touch $(STAMPS)/run $@

$(STAMPS)/node: $(NODE_LOCKS) | $(STAMPS)/test
	@echo "==> installing the packages of $(NODE_FOLDERS)"
	@for folder in $(NODE_FOLDERS); do \
		PATH="$(CURDIR)/$(BIN):$$PATH" npm --prefix $$folder ci --silent --no-audit --no-fund || exit; done
	@touch $@

$(STAMPS)/e2e: $(STAMPS)/test tests/e2e/web/package-lock.json
	@echo "==> installing the tools of the end-to-end tests"
	@$(INSTALL) '.[e2e]'
	@PATH="$(CURDIR)/$(BIN):$$PATH" npm --prefix tests/e2e/web ci --silent --no-audit --no-fund
	@touch $@

$(STAMPS)/lint: $(STAMPS)/run
	@echo "==> installing the linters"
	@$(INSTALL) '.[lint]'
	@touch $@

$(STAMPS)/docs: $(STAMPS)/run
	@echo "==> installing the documentation builder"
	@$(INSTALL) '.[docs]'
	@touch $@

# Tools that need versions of their own: .venv-proto, .venv-lock, .venv-deploy.
.venv-%/stamp: tools/%-requirements.txt
	@echo "==> making .venv-$*"
	@$(PYTHON) tools/check_python.py
	@$(PYTHON) -m venv .venv-$*
	@PIP_DISABLE_PIP_VERSION_CHECK=1 .venv-$*/bin/python -m pip install -qq --requirement $<
	@touch $@
