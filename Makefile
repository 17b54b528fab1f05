# SPDX-License-Identifier: Apache-2.0
# A thin face of the Meson build: what a newcomer types. `make help` lists it.
PREFIX ?= /usr/local
DESTDIR ?=
WITHOUT ?=
FUZZ_SECONDS ?= 60
ONLY ?= *
SHARED ?= ../shared

.PHONY: all demo test short equality bench fuzz install uninstall clean starpu-api format help

all:
	@dev/install-packages build
	@dev/build release

demo: all
	@examples/demo

test:
	@dev/install-packages build test
	@dev/run-tests

short:
	@dev/install-packages build test
	@dev/run-tests --tier short

equality: all
	@BRIEF=1 SHARED='$(SHARED)' tests/compat/equality.sh; views=$$?; \
	BRIEF=1 SHARED='$(SHARED)' tests/compat/equality_tools.sh && exit $$views

bench:
	@dev/install-packages
	@dev/run-benchmarks '$(ONLY)'

fuzz:
	@dev/install-packages build test
	@FUZZ_SECONDS=$(FUZZ_SECONDS) dev/run-fuzzers '$(ONLY)'

install: all
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' WITHOUT='$(WITHOUT)' dev/install

uninstall:
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' dev/install --uninstall

clean:
	rm -rf build build-debug build-asan build-tsan build-fuzz build-bench

starpu-api:
	@dev/check-starpu-api --update

format:
	@dev/check-format --fix

help:
	@echo 'make                  build the weft command and the libraries in build/'
	@echo 'make demo             a guided first look, in the terminal'
	@echo 'make test             build everything in every way, run all tests and checkers (make short: the quick ones)'
	@echo 'make equality         compare what paramedir computes with Paraver (SHARED=../shared)'
	@echo 'make bench            measure, ours beside our peers (ONLY=GLOB picks benchmarks)'
	@echo 'make fuzz             fuzz every reader (FUZZ_SECONDS=60 each)'
	@echo 'make install          install (PREFIX=/usr/local, DESTDIR=, WITHOUT="starpu old names": what to leave out)'
	@echo 'make uninstall        take away what was installed there (PREFIX, DESTDIR)'
	@echo 'make starpu-api       write docs/starpu-api.md anew'
	@echo 'make format           reformat the C sources'
	@echo 'make clean            remove the build folders'
