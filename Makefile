# make lab       build the environment and open JupyterLab (ARGS="--no-browser --port 9999",
#                or ARGS="--fresh 05" for a clean copy of notebook 05)
# make test      every test that needs nothing but the environment, notebooks included
# make test-all  the same, and the tests that need more: other Pythons, the network, a browser
# make record    ask the model again for what the notebooks show (NB=05 for one of them)
# make live      run the notebooks with the live model, list the outputs that differ (NB=05 for one)
# make lint      ruff and mypy
# make wheelhouse  collect all wheels in dist/wheelhouse, for a room without a network
# make pins      write requirements.txt from pyproject.toml (UPGRADE=--upgrade for the newest)
# make clean     remove the environment and caches; your notebooks in my_lab stay

# The first Python that can build the environment, otherwise any Python: bootstrap.py reports its fault.
PYTHON ?= $(shell \
	suits='import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'; \
	for p in python3.13 python3.12 python3.11 python3 python; do \
		if $$p -c "$$suits" >/dev/null 2>&1; then echo $$p; exit; fi; done; echo python3)
VENV_PYTHON = $(firstword $(wildcard .venv/Scripts/python.exe) .venv/bin/python)
NBVAL = --nbval --nbval-current-env --nbval-cell-timeout=120 \
	--nbval-sanitize-with tests/nbval_sanitize.cfg

.PHONY: lab test test-all record live lint wheelhouse pins clean env

lab: env
	@$(VENV_PYTHON) -m react_lab start $(ARGS)

test: env
	@$(VENV_PYTHON) -m pytest $(NBVAL) $(wildcard notebooks) tests $(ARGS)

test-all: env
	@$(VENV_PYTHON) -m pytest -m "more or not more" $(NBVAL) $(wildcard notebooks) tests $(ARGS)

record: env
	@$(VENV_PYTHON) -m react_lab.models.recording $(NB)
	@$(VENV_PYTHON) docs/claims.py

live: env
	@$(VENV_PYTHON) tests/live.py $(NB)

lint: env
	@$(VENV_PYTHON) -m ruff check .
	@$(VENV_PYTHON) -m ruff format --check .
	@$(VENV_PYTHON) -m mypy

# setuptools builds the lab itself, also on a machine without a network.
wheelhouse: env
	@$(VENV_PYTHON) -m pip wheel --no-deps --wheel-dir dist/wheelhouse -r requirements.txt
	@$(VENV_PYTHON) -m pip wheel --no-deps --wheel-dir dist/wheelhouse "setuptools>=77"

pins: env
	@$(VENV_PYTHON) -m pip install --quiet uv
	@$(VENV_PYTHON) -m uv pip compile --quiet --generate-hashes $(UPGRADE) pyproject.toml --group model --group test \
		--universal --no-annotate --custom-compile-command "make pins" -o requirements.txt

clean:
	rm -rf .venv .venv.lock .venv-browser .venv-dask .venv-frameworks .venv-jupyterhub \
		.venv-nbgrader .venv-notebook7 .mypy_cache .pytest_cache .ruff_cache build dist react_lab.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

env:
	@python="$(PYTHON)"; command -v $$python >/dev/null || \
		{ echo "No Python was found. Install Python 3.11, 3.12 or 3.13."; exit 1; }; \
	$$python bootstrap.py
