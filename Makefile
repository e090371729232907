# Everything starts here. Wanted from the system: Python 3.11 or newer, and make.
#   make demo        serve with real demo data       make up          serve without it
#   make test        every test, on both pairs of servers
#   make check       style, types, layers, deployment, translations, documents
#   make test-full   the same tests with many more generated cases
#   make format      put style and compiled translations right
#   make bench       measure                         make lock        pin what is installed

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$name" && break; done)
VENV := .venv
RUN := $(VENV)/bin/python
ARGS ?=

.PHONY: help
help:
	@sed -n '2,8s/^# *//p' Makefile

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python" >&2; exit 1; }
	"$(PYTHON)" -m venv $(VENV)

# A stamp per set of requirements, so that nothing is installed twice.
$(VENV)/.runtime: requirements.txt pyproject.toml | $(VENV)/bin/python
	$(RUN) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.development: requirements-dev.txt $(VENV)/.runtime
	$(RUN) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@

.PHONY: demo up
demo up: $(VENV)/.runtime
	@exec $(VENV)/bin/provexplorer $@ $(ARGS)

.PHONY: servers
servers: $(VENV)/.development  ## the real servers of the tests, where this machine allows
	$(RUN) -m tests.servers.install

.PHONY: test test-full
test: servers
	$(RUN) -m tests.servers.suite $(ARGS)

test-full: servers
	HYPOTHESIS_PROFILE=thorough $(RUN) -m tests.servers.suite --everything-twice $(ARGS)

.PHONY: check
check: $(VENV)/.development
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports
	$(RUN) -m tests.project.deployment
	$(RUN) -m tests.project.translations
	$(RUN) -m pytest -q tests/project tests/api/test_openapi.py

.PHONY: format
format: $(VENV)/.development
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .
	$(RUN) -m tests.project.translations --compile

.PHONY: bench
bench: servers
	$(RUN) -m bench $(ARGS)

.PHONY: lock
lock: $(VENV)/bin/python
	@$(VENV)/bin/uv --version >/dev/null 2>&1 || $(RUN) -m pip install --quiet uv
	for set in requirements-site requirements requirements-dev; do \
		$(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
			--no-header --no-emit-index-url --no-emit-find-links -o $$set.txt $$set.in; done
