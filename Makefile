# make app: run it.  make test: every test.  make check: style, types, every test.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: app test check browser clean

app: .venv/app.stamp
	$(BIN)/python -m streamlit run app.py

test: .venv/dev.stamp browser
	$(BIN)/python -m pytest

check: .venv/dev.stamp browser
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest

# Every install is remembered by a stamp, so that a second call is instant.
.venv/python.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Headlight needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

.venv/app.stamp: requirements.txt .venv/python.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

.venv/dev.stamp: requirements-dev.txt .venv/app.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

# A Chromium and Chinese glyphs for the browser tests: found, or installed where we may, or named.
browser: .venv/dev.stamp
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	       && apt-get update -qq && apt-get install -y -qq chromium fonts-noto-cjk >/dev/null; } \
	  || $(BIN)/python -m playwright install chromium >/dev/null 2>&1 \
	  || echo "The browser tests need a Chromium: apt-get install chromium fonts-noto-cjk (without one they are skipped)."

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache
