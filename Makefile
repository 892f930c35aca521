# Focus Companion on a bare machine (Python 3.11 or newer with pip and venv, make):
#
#   make run     sets everything up, plays on the simulated board and prints the page's address
#   make test    sets everything up, system packages too where it may, then checks and tests everything
#   make fast    the quick tests alone;  make lint  the checks alone;  make clean  forgets what was set up
#
#   make run CAMERA=0 DATA=games ARGS="--players 3 --port 8080"   plays on a camera

PYTHON ?= python3
VENV   ?= .venv
CAMERA ?= demo
# Empty: where the installed program keeps its games too, so that it finds those that were played here.
DATA   ?=
ARGS   ?=

BIN := $(VENV)/bin
# On all cores; a file's tests stay together, for they share what is slow to set up. tests/conftest.py says which
# files come first.
PYTEST := $(BIN)/pytest -q -n auto --dist loadfile --no-loadscope-reorder
# A real browser on a busy machine now and then misses what it waits for. Such a test runs once more, alone, and fails
# the run if it fails again; the first failure stays in the output.
ALONE := $(BIN)/pytest -q --last-failed --last-failed-no-failures none
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

.PHONY: run test fast slow lint audit lock wheel system clean

run: $(VENV)/installed
	@exec $(BIN)/focus-companion play --camera "$(CAMERA)" $(if $(DATA),--data "$(DATA)") $(ARGS)

test: system lint audit
	$(PYTEST) -m "not slow"
	$(PYTEST) -m "slow and not browser"
	$(PYTEST) -m "slow and browser" || $(ALONE) -m "slow and browser"

fast: $(VENV)/installed-dev
	$(PYTEST) -m "not slow"

slow: $(VENV)/installed-dev
	$(PYTEST) -m slow

lint: $(VENV)/installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

# Known holes in what is installed, where the lists of them can be reached.
audit: $(VENV)/installed-dev
	$(BIN)/python .ci/audit $(BIN)/pip-audit

# Writes requirements.lock anew from pyproject.toml, every package with its hashes. Needs uv (pip install uv).
lock:
	uv pip compile pyproject.toml --all-extras --universal --generate-hashes --python-version 3.11 \
	  --no-emit-package atheris --no-annotate --upgrade --quiet \
	  --custom-compile-command 'make lock' --output-file requirements.lock

wheel: $(VENV)/installed-dev
	$(BIN)/python -m pip --disable-pip-version-check wheel --no-deps --wheel-dir dist .

system:
	@bash .ci/system-packages

$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'Focus Companion needs Python 3.11 or newer as $(PYTHON); give another: make PYTHON=/path/to/python' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || \
	  { echo 'Python has no venv and pip here; on Debian: sudo apt install python3-venv' >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/installed: pyproject.toml $(VENV)/made
	@echo 'Installing Focus Companion into $(VENV); this takes a minute the first time.'
	$(PIP) --editable .
	@touch $@

$(VENV)/installed-dev: pyproject.toml requirements.lock $(VENV)/made
	@echo 'Installing Focus Companion and its test tools into $(VENV); this takes a minute the first time.'
	$(PIP) --require-hashes --requirement requirements.lock
	$(PIP) --editable '.[dev]'
	@touch $(VENV)/installed $@

clean:
	rm -rf $(VENV) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	$(MAKE) -C firmware clean
