# make app: everything that the app needs, then the app; MODELS=DIR adds your own models.  make test: everything that the tests need, then the tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8501
# Several files at once: one more than there are cores, since browsers wait, but no more than a small machine bears.
WORKERS := $(shell cores=$$(nproc 2>/dev/null || echo 2); echo $$((cores < 3 ? cores + 1 : 4)))
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# make tables DEV=dev.tsv TEST=test.tsv [NEWS=links.tsv] [CORPUS=many.tsv] [RUN=runs/mine] [CHECKPOINT=en-zh]: all that
# follows from new weights. What these weights have made already stays; ONLY="scores results" makes some parts.
CHECKPOINT ?= en-zh
TABLES := $(if $(DEV),--dev $(DEV)) $(if $(TEST),--test $(TEST)) $(if $(NEWS),--news $(NEWS)) $(if $(CORPUS),--corpus $(CORPUS)) $(if $(RUN),--run $(RUN))
TABLES += $(if $(ONLY),--only $(ONLY))

.PHONY: app test fuzz lint check web tables clean

app: $(VENV)/.app
	$(BIN)/streamlit run app.py --server.port $(PORT) $(if $(MODELS),-- --models $(MODELS))

test: $(VENV)/.dev
	@$(BIN)/python -m bench.browser
	$(PYTEST)

# Far more random inputs than the tests try; EXAMPLES of each kind.
EXAMPLES ?= 10000
fuzz: $(VENV)/.dev
	FUZZ_EXAMPLES=$(EXAMPLES) $(BIN)/python -m pytest tests/fuzz

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

check: lint web
	$(PYTEST)

# What node checks of our scripts, and their bundles made anew. Nothing else needs node.
web:
	@if command -v npm >/dev/null; then cd viz/web && npm ci --silent && npm run --silent check && \
	  npm run --silent test && npm run --silent build; \
	  else echo "npm is not there: the scripts in viz/web are not checked"; fi

tables: $(VENV)/.app
	$(BIN)/python -m model tables --checkpoint $(CHECKPOINT) $(TABLES)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache viz/web/node_modules

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Headlight needs Python 3.11 or newer: try make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.app: requirements.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements.txt requirements-live.txt requirements-dev.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet -r requirements-dev.txt
	@touch $@ $(VENV)/.app
