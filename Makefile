# Thin: logic lives in tools/ and packaging/, where it can be tested.
.DEFAULT_GOAL := help
SHELL := /bin/bash
VENV := .venv
PY := $(VENV)/bin/python
# Those of `make demo`: nothing to install but compilers.
CORE_ADAPTERS := null reference udp tcp uds cyclonedds
# All that make a library: cargo projects that say so, and CMake projects.
ADAPTERS := $(sort $(notdir $(patsubst %/,%,$(dir \
  $(shell grep -l 'crate-type = ."cdylib"' adapters/*/Cargo.toml) $(wildcard adapters/*/CMakeLists.txt)))))

# What the report page draws its charts with.
CHARTS := python/busmark/present/scripts

BUILD_PACKAGES := build-essential cmake python3-venv
# What `busmark type build` needs; its tests are skipped without it.
TYPE_PACKAGE := cyclonedds==11.0.1
TEST_PACKAGES := busybox chromium cyclonedds-tools ethtool fio fonts-dejavu-core gnuplot-nox iperf3 iproute2 \
  libnng-dev linuxptp munge nftables openssh-server poppler-utils python3-yaml slurm-client slurmctld slurmd sockperf stress-ng tshark
BENCH_PACKAGES := cyclonedds-tools iperf3 sockperf

.PHONY: help demo test fuzz sanitize audit wheel build adapters bench generate lock format clean
help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 12

demo: ## measure this machine's middleware and write a report (ten to fifteen minutes, half of them compiling)
	@[ -x $(VENV)/bin/busmark ] && [ -x target/release/busmark-worker ] || \
	  echo "Compiling first, five to ten minutes; then measuring, about four."
	@$(MAKE) --no-print-directory build
	$(VENV)/bin/busmark quickstart

test: adapters ## the whole suite
	@packaging/system.sh $(TEST_PACKAGES)
	@$(PY) -m pip install -q --no-deps $(TYPE_PACKAGE) || echo "tests of user's types are left out"
	$(PY) tools/run_tests.py

INPUTS := 10000
KINDS :=
fuzz: build ## INPUTS damaged inputs of each of KINDS (all: KINDS="tables or idl"), of captures and of messages: none may end in a traceback
	BUSMARK_FUZZ_INPUTS=$(INPUTS) $(PY) -m pytest -n 2 python/tests/mutations -k "$(KINDS)"
	BUSMARK_FUZZ_INPUTS=$(INPUTS) cargo test --release --locked -p busmark-packets -p busmark-worker -p busmark-bus --test fuzz -- --ignored --nocapture

NAMES :=
sanitize: adapters ## the conformance suite of adapters NAMES (all) under valgrind: hours; what it found is printed
	@packaging/system.sh valgrind
	RUSTFLAGS="--cfg rustix_use_libc" cargo build --release --locked --target-dir target/valgrind -p busmark-conformance
	$(PY) tools/sanitize.py $(NAMES)

audit: $(VENV)/.ready ## licences and known vulnerabilities of all dependencies
	$(PY) tools/audit.py

wheel: adapters ## dist/busmark-*.whl, built twice and compared, then used in a fresh environment
	$(PY) tools/wheel.py

build: $(VENV)/.ready $(CHARTS)/charts.js $(addprefix adapter-,$(CORE_ADAPTERS)) ## worker, first adapters and .venv/bin/busmark
	cargo build --release --locked -p busmark-worker -p busmark-bus -p busmark-forwarder -p busmark-packets
	@# By itself: its features of what they share would have all of Arrow compiled once more.
	cargo build --release --locked -p busmark-conformance

$(CHARTS)/charts.js: packaging/scripts/.npmrc $(wildcard packaging/scripts/*)
	packaging/scripts/bundle.sh $(CHARTS)

adapters: build $(addprefix adapter-,$(ADAPTERS)) ## every adapter whose middleware can be installed

adapter-%: | $(VENV)/.ready
	@packaging/adapter.sh $*

$(VENV)/.ready: packaging/requirements.lock pyproject.toml
	@packaging/system.sh $(BUILD_PACKAGES)
	@command -v cargo >/dev/null || { echo "Please install Rust 1.90 or newer (rustup.rs)" >&2; exit 1; }
	python3 -m venv $(VENV)
	$(PY) -m pip install -q --require-hashes -r packaging/requirements.lock
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(PY) -m pip install -q --no-deps --no-build-isolation -e .
	@touch $@

bench: adapters ## Busmark side by side with bare loops and peers (alone on the machine, half an hour)
	@packaging/system.sh $(BENCH_PACKAGES)
	bench/bare/build.sh
	$(PY) bench/run.py

generate: adapters ## schemas and reference pages
	$(PY) tools/generate.py

lock: ## newest versions of the Python packages
	$(PY) -m pip install -q uv
	$(VENV)/bin/uv pip compile -q --generate-hashes --universal --python-version 3.11 --no-annotate \
	  --no-emit-index-url --no-emit-find-links --no-header -o packaging/requirements.lock \
	  packaging/requirements.in

format: ## code as the formatters want it
	cargo fmt --all
	for a in adapters/*/ bench/bare/*/; do [ ! -f $$a/Cargo.toml ] || (cd $$a && cargo fmt); done
	$(VENV)/bin/ruff format python tools bench packaging
	$(VENV)/bin/ruff check --fix python tools bench packaging

clean: ## everything that was built
	rm -rf target $(VENV) python/busmark/_native $(CHARTS)
