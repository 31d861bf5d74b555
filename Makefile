# Stele.  A thin front for Meson: each target first sees to what it needs, then hands over.
#
#   make CC=clang ...            another compiler, in build directories of its own
#   make MESON_ARGS=... ...      options for the first configuration, e.g. -Dpostgres=disabled
#   make run ARGS=...            options of `stele serve`, e.g. '--port 0 --sample'
#   make fuzz FUZZ_SECONDS=...   of each target, 60 by default; FUZZ=NAME for one of them
#   make test TEST_ARGS=...      options of tools/run_tests.py, e.g. '--suite unit -v'
#   make coverage COVERAGE_ARGS=...   options of tools/coverage.py, e.g. '--missing src/engine/turn.c'
#   make soak SOAK_ARGS=...      options of tools/soak.py, e.g. '--share 0.01 --filter kill'

PREFIX ?= /usr/local
MESON_ARGS ?=
TEST_ARGS ?=
SOAK_ARGS ?=
BENCH_ARGS ?=
COVERAGE_ARGS ?=
FUZZ ?= all
FUZZ_SECONDS ?= 60
ARGS ?=
began := $(shell date +%s)

# `cc` and `gcc` use build/, any other compiler build-<its name>/.
compiler := $(filter-out ccache,$(CC))
name     := $(notdir $(firstword $(compiler)))
suffix   := $(if $(filter-out cc gcc,$(name)),-$(name))
BUILD    := build$(suffix)
ready    := .deps/build$(suffix).stamp
tested   := .deps/test.stamp

# Meson remembers the compiler; ccache in front of it makes SQLite (48 s) a matter of one time.
configure = CC="ccache $(compiler)" meson setup --prefix="$(PREFIX)" $(MESON_ARGS)

.NOTPARALLEL:   # Ninja is what runs in parallel
.PHONY: all setup run test coverage mutation reliability bench bench-check embeddings soak tsan fuzz install docs clean help

all: $(BUILD)/build.ninja  ## build build/stele, build/libstele.so and build/libstele.a (the default)
	ninja -C $(BUILD) product

setup:  ## install what building and testing need, whether or not that was done before
	tools/setup build $(name)
	tools/setup test
	@touch $(ready) $(tested)

run: all  ## build, then serve: the dashboard, with the sessions of your coding agents; ARGS=... for `stele serve`
	@echo "built in $$(($$(date +%s) - $(began))) s"
	@$(BUILD)/stele serve $(ARGS)

test: $(BUILD)/build.ninja $(BUILD)-asan/build.ninja $(tested)  ## run every test, plain and with sanitizers
	@python3 tools/run_tests.py --build-dir $(BUILD) --build-dir $(BUILD)-asan --report build/reports/tests.json $(TEST_ARGS)

coverage: build-coverage/build.ninja $(tested)  ## measure how much of the engine and the stores the tests reach (with gcc)
	@python3 tools/coverage.py --fresh --report build/reports/coverage.json $(COVERAGE_ARGS)

mutation: $(ready) $(tested)  ## put bugs into a copy of the sources, one at a time: some test must notice each
	@python3 tests/mutation/run.py --report build/reports/mutation.json $(ARGS)

reliability: $(BUILD)/build.ninja $(BUILD)-asan/build.ninja  ## write the tables of docs/reliability.md from what `make test coverage mutation` found
	@python3 tools/reliability.py --build-dir $(BUILD) --build-dir $(BUILD)-asan

soak: $(BUILD)/build.ninja $(tested) tsan  ## run the long forms of kills, power losses, faults, crowds and random workloads, for hours; threads watched
	@python3 tools/soak.py --build-dir $(BUILD) $(SOAK_ARGS)

tsan: $(BUILD)-tsan/build.ninja $(tested)  ## run what has several threads under ThreadSanitizer
	@python3 tools/run_tests.py --build-dir $(BUILD)-tsan --suite concurrency --suite threads $(TEST_ARGS)

fuzz: | $(ready)  ## look for inputs that break what reads them, with clang; FUZZ=... for one target, FUZZ_SECONDS=...
	tools/setup build clang
	@python3 tests/fuzz/run.py $(FUZZ) $(FUZZ_SECONDS) --report build/reports/fuzz.json

bench: $(BUILD)-bench/build.ninja  ## measure; BENCH_ARGS=... e.g. '--only append', '--large', '--keep --write'
	ninja -C $(BUILD)-bench all
	tools/setup bench
	@python3 bench/run.py --build-dir $(BUILD)-bench $(BENCH_ARGS)

bench-check: BENCH_ARGS += --check
bench-check: bench  ## measure, and fail where a ratio is worse than when it was kept last (by 15 %; instruction counts: 3 %)

embeddings: all  ## make a model of English word vectors, for search by meaning (fetches 120 MB); ARGS=... e.g. '--home DIR'
	tools/embeddings/make $(BUILD)/stele $(ARGS)

install: $(BUILD)/build.ninja  ## install under PREFIX (/usr/local), below DESTDIR when that is set
	meson configure $(BUILD) -Dprefix="$(PREFIX)"
	ninja -C $(BUILD) product
	DESTDIR="$(DESTDIR)" meson install -C $(BUILD) --no-rebuild

docs: $(BUILD)/build.ninja  ## write build/docs/methods.md, the reference of all methods
	ninja -C $(BUILD) docs/methods.md

clean:  ## remove every build directory (what setup fetched stays)
	rm -rf build build-*

help:  ## list these targets
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/\1	\2/p' Makefile | expand -t 12

# Set-up is done once, and again when what it installs has changed.
$(ready): tools/setup package.json package-lock.json
	tools/setup build $(name)
	@touch $@

$(tested): tools/setup
	tools/setup test
	@touch $@

# Configured once; from then on Ninja notices by itself when a meson.build changes.
$(BUILD)/build.ninja: | $(ready)
	$(configure) $(BUILD)

# The shared library leaves the sanitizer's symbols to the program: undefined ones must be allowed.
$(BUILD)-asan/build.ninja: | $(ready)
	$(configure) -Db_sanitize=address,undefined -Db_lundef=false $(BUILD)-asan

# Without optimisation, so that every branch is one of the source.
build-coverage/build.ninja: | $(ready)
	CC="ccache gcc" meson setup --prefix="$(PREFIX)" $(MESON_ARGS) -Dcoverage=true -Doptimization=0 build-coverage
$(BUILD)-tsan/build.ninja: | $(ready)
	$(configure) -Db_sanitize=thread -Db_lundef=false $(BUILD)-tsan

# The same flags as the product has: what is measured is what gets installed.
$(BUILD)-bench/build.ninja: | $(ready)
	$(configure) -Dtests=false -Dbench=true $(BUILD)-bench
