# The front door. Each target sets the machine up first (scripts/setup.sh installs only what is missing) and
# builds only what has changed; the real build is CMake's, see CMakeLists.txt and CMakePresets.json.

PREFIX ?= /usr/local

.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: run build install wheel test check-gpu bench bench-cpu bench-gpu bench-parts docs lint format clean help

run: ## set up, build, then search a Graph500 graph of scale 20 from 64 roots, validated; results in results/
	@sh scripts/setup.sh
	@sh scripts/build.sh release brushfire_program >&2
	@mkdir -p results
	@build/bin/brushfire graph500 20 --json results/latest.json --html results/latest.html
	@echo "results: results/latest.json results/latest.html" >&2

build: ## set up and build the program and the library into build/
	@sh scripts/setup.sh
	@sh scripts/build.sh release brushfire_program brushfire

install: ## set up, build, then install under PREFIX (default: /usr/local): program, library, headers, Python module
	@sh scripts/setup.sh --install
	@sh scripts/build.sh release installed_files
	@cmake --install build --prefix "$(abspath $(PREFIX))"

wheel: ## set up, build, then pack the Python module and its library into build/brushfire-*.whl
	@sh scripts/setup.sh --install
	@sh scripts/build.sh release wheel

test: ## set up, then every test, also under the sanitizers and the fuzzers where clang is there
	@sh scripts/setup.sh --test
	@sh scripts/test.sh

check-gpu: ## set up, build, then the tests of the GPU engine, also under compute-sanitizer; needs a GPU
	@sh scripts/setup.sh --check-gpu
	@sh scripts/build.sh --tests release brushfire_program brushfire_tests
	@sh scripts/check_gpu.sh

bench: ## set up, build, then all presets side by side on the standard graphs, some minutes; results in results/
	@sh scripts/setup.sh
	@sh scripts/build.sh release brushfire_program >&2
	@mkdir -p results
	@build/bin/brushfire bench --json results/bench.json --html results/bench.html
	@echo "results: results/bench.json results/bench.html" >&2

bench-cpu: ## set up, build, then the CPU engine graph by graph; PEER='command {graph} {root}' runs another beside it
	@sh scripts/setup.sh --bench-figures
	@sh scripts/build.sh release brushfire_program >&2
	@sh scripts/bench_cpu.sh $(GRAPHS)

bench-gpu: ## set up, build, then measure the GPU engine against its targets; NAMES="kron24 path1e6" runs only those
	@sh scripts/setup.sh --bench-figures
	@sh scripts/build.sh release brushfire_program >&2
	@sh scripts/bench_gpu.sh $(NAMES)

bench-parts: ## set up, build, then one GPU as 1, 2, 4 and 8 devices: speed, and kernels and copies added up
	@sh scripts/setup.sh --bench-figures
	@sh scripts/build.sh release brushfire_program >&2
	@sh scripts/bench_parts.sh

docs: ## set up, build, then the documentation site, offline: build/docs/index.html
	@sh scripts/setup.sh --docs
	@sh scripts/build.sh release brushfire_program >&2
	@sh scripts/docs.sh build/bin/brushfire build/docs

lint: ## check the formatting and run clang-tidy
	@sh scripts/setup.sh --lint
	@sh scripts/lint.sh

format: ## rewrite the sources as .clang-format has them
	@sh scripts/lint.sh --rewrite

clean: ## remove what was built; results/ stays
	rm -rf build build-*

help: ## list the targets
	@sed -n 's/^\([a-z-]*\): ## /\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r target text; do \
	  printf 'make %-9s %s\n' "$$target" "$$text"; done
