# Everything runs in .venv, made here on first use; nothing is asked. `make help` lists the targets.
# Needs: Python >= 3.11 with venv and headers, a C compiler, GNU make.

PYTHON ?= python3# any Python >= 3.11
HOST ?= 127.0.0.1# where `make serve` listens
PORT ?= 50051
PYTEST_ARGS ?=# for example: make test PYTEST_ARGS='-k rollout -x'
IMAGE ?= sniffai# the name that `make image` gives

BIN := .venv/bin
STAMPS := .venv/stamps
PROTO_BIN := .venv-proto/bin
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install -qq
INSTALL := SNIFFAI_BUILD=skip $(PIP) --no-build-isolation --editable
CORE := $(wildcard ext/sniffai_ext/*.pyx ext/sniffai_ext/*.pxd) setup.py
NODE_CLIENT := examples/node
NODE_LOCK := $(wildcard $(NODE_CLIENT)/package-lock.json)

MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help build serve test lint proto proto-check bench demo image clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: $(STAMPS)/core ## make .venv and build the compiled core; only what changed is built again
	@:

serve: $(STAMPS)/core ## start the gRPC server on HOST:PORT (127.0.0.1:50051)
	@echo "==> serving gRPC on $(HOST):$(PORT); stop with Ctrl-C"
	@exec $(BIN)/sniffai-server serve --host $(HOST) --port $(PORT)

test: $(STAMPS)/core $(STAMPS)/test $(if $(NODE_LOCK),$(STAMPS)/node) ## run all tests
	@echo "==> running the tests"
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

lint: $(STAMPS)/core $(STAMPS)/test $(STAMPS)/lint ## ruff, cython-lint, mypy, import-linter, buf, hadolint
	@echo "==> ruff"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@echo "==> cython-lint"
	@PATH="$(CURDIR)/$(BIN):$$PATH" cython-lint ext
	@echo "==> mypy"
	@$(BIN)/mypy
	@echo "==> import-linter"
	@$(BIN)/lint-imports
	@echo "==> buf"
	@$(BIN)/buf lint
	@echo "==> hadolint"
	@$(BIN)/hadolint Dockerfile

proto: .venv-proto/stamp ## make sniffai/v1 again from proto/sniffai/v1
	@echo "==> generating sniffai/v1"
	@$(PROTO_BIN)/python tools/proto.py

proto-check: .venv-proto/stamp ## expect sniffai/v1 to be what `make proto` would write
	@echo "==> comparing sniffai/v1 with proto/sniffai/v1"
	@$(PROTO_BIN)/python tools/proto.py --check

bench: $(STAMPS)/core ## print the speed of rollouts and search, and the signature
	@$(BIN)/sniffai bench

demo: $(STAMPS)/core ## start a server, ask it about the example positions, print its answers, stop it
	@$(BIN)/python tools/demo.py

image: ## build the Docker image IMAGE (sniffai)
	@echo "==> building the image $(IMAGE)"
	@docker build --tag $(IMAGE) .

clean: ## remove everything that these targets made, except sniffai/v1
	@echo "==> removing .venv, .venv-proto, build and caches"
	@rm -rf .venv .venv-proto .venv-peers build dist *.egg-info ext/sniffai_ext/*.so $(NODE_CLIENT)/node_modules
	@rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@echo "==> making .venv with $(PYTHON)"
	@$(PYTHON) tools/check_python.py
	@$(PYTHON) -m venv .venv

$(STAMPS)/run: pyproject.toml | $(BIN)/python
	@echo "==> installing sniffai and what it needs"
	@$(PIP) 'setuptools>=80' 'Cython>=3.1'
	@$(INSTALL) '.[server,cli]'
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/core: $(STAMPS)/run $(CORE)
	@echo "==> building the compiled core (about a minute the first time)"
	@$(BIN)/python setup.py --quiet build_ext --inplace
	@touch $@

$(STAMPS)/test: $(STAMPS)/run
	@echo "==> installing the test tools"
	@$(INSTALL) '.[test]'
	@touch $@

$(STAMPS)/node: $(NODE_LOCK) | $(STAMPS)/test
	@echo "==> installing the packages of $(NODE_CLIENT)"
	@PATH="$(CURDIR)/$(BIN):$$PATH" npm --prefix $(NODE_CLIENT) ci --silent --no-audit --no-fund
	@touch $@

$(STAMPS)/lint: $(STAMPS)/run
	@echo "==> installing the linters"
	@$(INSTALL) '.[lint]'
	@touch $@

.venv-proto/stamp: tools/proto-requirements.txt
	@echo "==> making .venv-proto"
	@$(PYTHON) tools/check_python.py
	@$(PYTHON) -m venv .venv-proto
	@PIP_DISABLE_PIP_VERSION_CHECK=1 $(PROTO_BIN)/python -m pip install -qq --requirement tools/proto-requirements.txt
	@touch $@
