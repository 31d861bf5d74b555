# Stele.  A thin front for Meson: each target first sees to what it needs, then hands over.
#
#   make CC=clang ...            another compiler, in build directories of its own
#   make MESON_ARGS=... ...      options for the first configuration, e.g. -Dpostgres=disabled
#   make run ARGS=...            options of `stele serve`, e.g. '--port 0 --sample'
#   make test TEST_ARGS=...      options of tools/run_tests.py, e.g. '--suite unit -v'

PREFIX ?= /usr/local
MESON_ARGS ?=
TEST_ARGS ?=
BENCH_ARGS ?=
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
.PHONY: all setup run test bench embeddings install docs clean help

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
	@python3 tools/run_tests.py --build-dir $(BUILD) --build-dir $(BUILD)-asan $(TEST_ARGS)

bench: $(BUILD)-bench/build.ninja  ## measure
	ninja -C $(BUILD)-bench all
	tools/setup bench
	@python3 bench/run.py --build-dir $(BUILD)-bench $(BENCH_ARGS)

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
	@sed -n 's/^\([a-z]*\):.*  ## \(.*\)/\1	\2/p' Makefile | expand -t 12

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

# The same flags as the product has: what is measured is what gets installed.
$(BUILD)-bench/build.ninja: | $(ready)
	$(configure) -Dtests=false -Dbench=true $(BUILD)-bench
