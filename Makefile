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
# Hundreds of tests start the program, and every process of the run imports the tests: compile each module once, even
# where the environment asks Python to keep no compiled files.
export PYTHONDONTWRITEBYTECODE :=
# On all cores. A file's tests stay in one process because they share what is slow to set up; tests/conftest.py says
# which files begin.
PYTEST := $(BIN)/pytest -q -n auto --dist loadfile --no-loadscope-reorder
# A browser on a busy machine sometimes misses what it waits for. If only browser tests failed, they run once more,
# alone, and fail the run if they fail again; the first failure stays in the output.
FAILED := $(BIN)/pytest -q --last-failed --last-failed-no-failures none
NO_TESTS := 5
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

.PHONY: run test fast slow lint audit lock wheel system clean

run: $(VENV)/installed
	@exec $(BIN)/focus-companion play --camera "$(CAMERA)" $(if $(DATA),--data "$(DATA)") $(ARGS)

test: system
	@$(MAKE) --no-print-directory --jobs=2 lint audit
	$(PYTEST) || { $(FAILED) -m "not browser" --collect-only >/dev/null; \
	  test $$? -eq $(NO_TESTS) && $(FAILED) -m browser; }

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
