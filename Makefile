# One door: `make help` lists the verbs. Each does the set-up that it needs, and does it again only
# when what it was made from has changed; the stamps are in .venv, so removing that starts afresh.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SAY := @printf '%s\n'

# Nothing that is installed or built here may depend on what the shell has activated.
unexport PYTHONPATH PYTHONHOME
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_QUIET := 1

TOOLS := $(VENV)/.tools
BUILT := $(VENV)/.built
BENCH_TOOLS := $(VENV)/.bench-tools
FUZZER := $(VENV)/.fuzzer
RUST_SOURCES := $(shell find crates spec -name '*.rs' -o -name '*.toml') \
	Cargo.toml Cargo.lock src/dwell/_core.pyi
FUZZ_TARGETS := $(patsubst fuzz/fuzz_targets/%.rs,%,$(wildcard fuzz/fuzz_targets/*.rs))
MINUTES ?= 60
RUST_TESTED := --workspace --exclude dwell-python

.PHONY: help setup run test check bench docs demo conformance fuzz clean
.PHONY: test-rust test-python check-python check-rust

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(BUILT) ## make .venv with the tools, and build dwell into it

run: $(BUILT) ## start the server on ./data and loopback; ARGS="--port 7000" adds flags
	@exec $(BIN)/dwell server $(ARGS)

test: test-rust test-python ## run the tests of the crates and of the package

test-rust:
	$(SAY) "test: crates"
	@cargo test --locked --quiet $(RUST_TESTED)

test-python: $(BUILT)
	$(SAY) "test: package"
	@$(BIN)/pytest -q $(ARGS)

check: check-python check-rust ## formatting, lints, types, stubs, and the rules of tests/tidy

check-python: $(BUILT)
	$(SAY) "check: ruff"
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	$(SAY) "check: tidy"
	@$(BIN)/pytest -q tests/tidy
	$(SAY) "check: mypy"
	@$(BIN)/mypy
	$(SAY) "check: the stub of dwell._core"
	@$(BIN)/stubtest dwell._core

check-rust: $(TOOLS)
	$(SAY) "check: rustfmt"
	@cargo fmt --all --check
	$(SAY) "check: clippy"
	@cargo clippy --locked --quiet --workspace --all-targets -- -D warnings

bench: $(BUILT) $(BENCH_TOOLS) ## measure beside Redis, diskcache and lmdb, and print each ratio
	@$(BIN)/python -m bench $(ARGS)

docs: $(BUILT) ## make the generated pages again
	@for page in docs/generate_*.py; do $(BIN)/python "$$page"; done

demo: $(BUILT) ## a tour of two minutes on a scratch server
	@$(BIN)/dwell tour

conformance: $(BUILT) ## run Redis's own test suite against the server
	@$(BIN)/python tests/conformance/run.py --server "$(CURDIR)/$(BIN)/dwell server" $(ARGS)

fuzz: $(FUZZER) ## fuzz the codecs for an hour; MINUTES=1 for less
	@cd fuzz && for each in $(FUZZ_TARGETS); do \
		echo "fuzz: $$each"; \
		mkdir -p "target/corpus/$$each"; \
		RUSTC_BOOTSTRAP=1 PATH="$(CURDIR)/$(BIN):$$PATH" cargo fuzz run "$$each" \
			"target/corpus/$$each" "corpus/$$each" -- -verbosity=0 -print_final_stats=1 \
			-max_total_time=$$((60 * $(MINUTES) / $(words $(FUZZ_TARGETS)))); \
	done

clean: ## remove what was built here, the data not
	@rm -rf $(VENV) target fuzz/target .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find src -name '*.so' -delete

$(TOOLS): pyproject.toml
	$(SAY) "setup: tools into $(VENV)"
	@command -v cargo >/dev/null || { echo "setup: cargo is missing, install rustup first"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "setup: $(PYTHON) is too old, set PYTHON to 3.11 or newer"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install "pip==25.3"
	@$(BIN)/python -m pip install --group dev
	@touch $@

$(BENCH_TOOLS): pyproject.toml $(TOOLS)
	$(SAY) "setup: benchmark peers into $(VENV)"
	@$(BIN)/python -m pip install --group bench
	@touch $@

$(FUZZER): $(TOOLS)
	$(SAY) "setup: cargo-fuzz into $(VENV)"
	@cargo install --quiet --locked --root $(VENV) cargo-fuzz@0.13.1
	@touch $@

$(BUILT): $(TOOLS) $(RUST_SOURCES)
	$(SAY) "setup: building dwell, which takes minutes the first time"
	@rm -f src/dwell/_core*.so # written over in place, it would crash who is running it
	@VIRTUAL_ENV="$(CURDIR)/$(VENV)" $(BIN)/maturin develop --release --locked
	@touch $@
	$(SAY) "setup: done, $(BIN)/dwell is there"
