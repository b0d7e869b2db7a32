# Two commands do everything from a bare Debian 12: `make demo` and `make test`.
.PHONY: help setup build demo test bench soak gpu-bundle install format check tidy
.DEFAULT_GOAL := help

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
SOAK_SECONDS ?= 600
SOAK_SEQUENCES ?= 200000
SOAK_DOCUMENTS ?= 100000

help: ## print this list
	@echo "Cambium. make TARGET, where TARGET is one of:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | column -t -s '|' 2>/dev/null || \
	  sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1: \2/p' Makefile

setup: ## install the Debian packages of packages.txt, or print the apt line
	@tools/setup.sh build test

build: ## build the release program: build/release/cambium
	@tools/setup.sh build
	@cmake --preset release
	@cmake --build --preset release -j $(JOBS) --target cambium

demo: build ## build, then search a faster network: a table, a report and native code in out/demo
	@examples/demo.sh build/release/cambium

test: ## build and run the whole test suite, sanitizers and fuzzers included
	@tools/setup.sh build test
	@JOBS=$(JOBS) tools/test.sh

bench: ## build and run the benchmarks
	@tools/setup.sh build test bench
	@cmake --preset release
	@cmake --build --preset release -j $(JOBS) --target benchmarks
	@for program in build/release/bench/*_bench; do echo "== $$program"; "$$program" || exit 1; done
	@for program in build/release/cambium-bench-*; do [ ! -x "$$program" ] || \
	  { echo "== $$program --quick"; "$$program" --quick || exit 1; }; done

soak: ## fuzz for SOAK_SECONDS (600) a target; test SOAK_SEQUENCES (200000) schedules, SOAK_DOCUMENTS (100000) nests, gpu-bundle
	@tools/setup.sh build test
	@cmake --preset fuzz
	@cmake --build --preset fuzz -j $(JOBS)
	@cmake --preset dev
	@cmake --build --preset dev -j $(JOBS) --target soak_tests
	@tools/soak.sh build/fuzz $(SOAK_SECONDS) build/dev $(SOAK_SEQUENCES) $(SOAK_DOCUMENTS)
	@tests/bundle/run.sh . build/bundle c++ cambium

gpu-bundle: ## collect the small dependencies for a machine without them into gpu-bundle/
	@tools/setup.sh build test
	@tools/gpu_bundle.sh gpu-bundle

install: build ## install program, libraries, headers and CMake package into PREFIX (/usr/local)
	@cmake --build --preset release -j $(JOBS)
	@cmake --install build/release --prefix $(PREFIX)

format: ## format all sources
	@tools/sources.sh | xargs clang-format -i

check: ## the quick checks: format, layers, includes, reasons, generated documents
	@tools/check_format.sh
	@python3 tools/check_layers.py
	@python3 tools/check_includes.py
	@python3 tools/check_reasons.py
	@python3 tools/generate_docs.py --check

tidy: ## clang-tidy over the files that differ from main
	@tools/tidy.sh
