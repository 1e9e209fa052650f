# Targets for people and CI. `make help` lists them. Needs Rust, and Python 3.10 or newer.

PYTHON := python3
VENV := .venv
TFIO_PYTHON := $(PYTHON)
BIN := $(VENV)/bin

# `make test-long` runs ten times as many random cases and mutated files as `make test`, and more killed writers and
# readers, epochs of the stores and rows of the engines.
LONG = ARROWFEED_CASES=2000 ARROWFEED_MUTANTS=200000 ARROWFEED_WRITE_KILLS=200 ARROWFEED_STORE_EPOCHS=2000 \
	ARROWFEED_STORE_KILLS=20 ARROWFEED_EXITS=500 ARROWFEED_INTERRUPTS=5 ARROWFEED_MEMORY_LIMITS=16 \
	ARROWFEED_FORK_SECONDS=10 ARROWFEED_EPOCHS=1000 ARROWFEED_KILLS=100 ENGINE_ROWS=10_000_000

# Rows that each engine reads.
ENGINE_ROWS ?= 1_000_000

# Seconds of each fuzz target; part of the rows, and rounds, of the benchmarks.
SECONDS := 60
SCALE := 1
ROUNDS := 5

JAVA_OUT := $(CURDIR)/target/java-reference
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
# Builds the Python package with the profile `dev` of .cargo/config.toml, and installs it. Conda's variable would make maturin
# refuse. A run of several targets sets BUILT_PACKAGE after the first of them.
INSTALL = env -u CONDA_PREFIX -u PYO3_CONFIG_FILE VIRTUAL_ENV="$(CURDIR)/$(1)" $(1)/bin/maturin develop --manifest-path python/Cargo.toml
# With the features of the Rust tests, so that they use the crates of this build.
PACKAGE = $(if $(BUILT_PACKAGE),@echo "expecting the package in $(1)",$(INSTALL) --features rust-examples)

# The same, as in a wheel.
RELEASE_PACKAGE = $(INSTALL) --release

# maturin describes the interpreter in a file. Without it, cargo would compile PyO3 again after each of maturin's builds.
export PYO3_CONFIG_FILE ?= $(firstword $(wildcard $(CURDIR)/target/maturin/pyo3-config-*.txt))
ifeq ($(PYO3_CONFIG_FILE),)
unexport PYO3_CONFIG_FILE
endif

# Runs Python with the package of this folder, whose extension module was built before.
BUILT = PYTHONPATH="$(CURDIR)/python"

# Images of containers often set it. Then each of the hundreds of interpreters that the tests start would compile all the modules
# that it imports, which takes 5 s for TensorFlow.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

.PHONY: help
help:
	@sed -n 's/^\([a-z-]*\):.*## /\1 - /p' $(MAKEFILE_LIST) | awk -F' - ' '{ printf "  %-12s %s\n", $$1, $$2 }'

# ---- targets for people

.PHONY: demo
demo: $(VENV)/.demo ## write Avro files in four codecs, read them through pyarrow, make tensors, train
	@echo "make demo: compiles the package for .venv (five to seven minutes on two cores the first time), and runs examples/python/demo.py"
	$(call PACKAGE,$(VENV))
	$(BIN)/python examples/python/demo.py

.PHONY: test
test: lint docs test-rust test-python ## lints, documentation, Rust, C and Python tests
	$(MAKE) test-c C_LIBRARY=target/debug/deps

.PHONY: night
night: ## all that only the workflow of the night runs: tools/stages.py has the list; takes hours
	$(PYTHON) tools/stages.py --night

.PHONY: test-long
test-long: ## the tests of make test, of frameworks, stores, engines and DataFusion, with many random cases and rows; takes two hours
	$(MAKE) $(LONG) test-rust test-python test-frameworks test-torch test-stores test-engines test-datafusion

.PHONY: mutants
mutants: ## the random tests of make test-rust find each defect of tests/mutants
	$(PYTHON) tools/mutants.py

.PHONY: test-toy-format
test-toy-format: $(VENV)/.test ## a format is added to a copy of the repository, and all languages read it; compiles DataFusion
	$(BIN)/python -m pytest -rs tests/toy_format

.PHONY: test-rust
test-rust: ## Rust tests, doc tests and examples
	cargo test $(WITHOUT_DATAFUSION)

.PHONY: package-dev
package-dev: $(VENV)/.test ## the Python package for the tests, in .venv
	$(call PACKAGE,$(VENV))

.PHONY: package-release
package-release: $(VENV)/.demo ## the Python package as in a wheel, in .venv; takes six minutes
	$(call RELEASE_PACKAGE,$(VENV))

# Uses the build of `make demo`.
.PHONY: test-python
test-python: $(VENV)/.test ## Python tests
	$(call PACKAGE,$(VENV))
	$(BIN)/python -m pytest benches/tests tests/java/test_plain_json.py
	$(BIN)/python -m pytest -rs -n auto --dist worksteal tests/python

# Other work on the machine changes the results.
.PHONY: test-alone
test-alone: $(VENV)/.test .venv-all/.made ## tests that compare times, one at a time: run nothing beside them
	cargo test $(WITHOUT_DATAFUSION) --test it --test memory -- --ignored --test-threads=1
	$(call PACKAGE,$(VENV))
	ARROWFEED_INTERRUPTS=5 $(BIN)/python -m pytest -rs -m night tests/python
	$(BUILT) .venv-all/bin/python -m pytest -rs -m night tests/frameworks/test_tf_interrupts.py tests/stores

# The C library and its header under their installed names.
C_FORMS = libarrowfeed_c.a libarrowfeed_c.$(if $(filter Darwin,$(shell uname)),dylib,so)

.PHONY: c-library
c-library: ## the C library, with a shared and a static form, and its header, in target/c
	cargo build --release --package arrowfeed-c
	rm -rf target/c && mkdir -p target/c/include target/c/lib
	cp crates/arrowfeed-c/include/arrowfeed.h target/c/include
	cp $(C_FORMS:%=target/release/%) target/c/lib
	strip -S $(C_FORMS:%=target/c/lib/%)

# The folder of the C library. `make test-rust` builds it in target/debug/deps.
C_LIBRARY = target/debug

.PHONY: test-c
test-c: ## the C interface in the programs of examples/c and examples/cpp; skipped without compilers of C and C++
	@if command -v cc >/dev/null && command -v c++ >/dev/null; then $(MAKE) test-c-here; \
	else echo "SKIPPED make test-c: expected cc and c++ on the PATH"; fi

.PHONY: test-c-here
test-c-here: $(VENV)/.test
	$(if $(filter target/debug,$(C_LIBRARY)),cargo build --package arrowfeed-c)
	ARROWFEED_C=$(C_LIBRARY) $(BIN)/python -m pytest -rs tests/c

# Cargo chooses the features of all packages of a command together. Naming the package reuses the crates that were compiled for it.
RUST_EXAMPLES = --features arrowfeed-python/rust-examples
WITH_PACKAGE = --package arrowfeed-python $(RUST_EXAMPLES)

# DataFusion takes minutes to compile, so the packages that need it are built apart.
WITHOUT_DATAFUSION = --workspace --exclude arrowfeed-datafusion --exclude bench-datafusion

# The benchmark is named for the same reason in each command: its features are those of the lints before.
.PHONY: test-datafusion
test-datafusion: ## lints, tests, doc tests and examples of arrowfeed-datafusion
	cargo clippy $(WITH_PACKAGE) --package arrowfeed-datafusion --package bench-datafusion --all-targets -- -D warnings
	cargo test $(WITH_PACKAGE) --package arrowfeed-datafusion
	RUSTDOCFLAGS="-D warnings" cargo doc $(WITH_PACKAGE) --package arrowfeed-datafusion --package bench-datafusion --no-deps

# Prints the versions. Fails if a package is missing; pytest would only skip its tests.
INSTALLED = @.venv-all/bin/python -c "import importlib.metadata as m, sys; [print(name, m.version(name)) for name in sys.argv[1:]]" $(1)

# The extension module is the one that was built for $(VENV): it is the same for every Python, and linking it takes minutes.
.PHONY: test-frameworks
test-frameworks: $(VENV)/.test .venv-all/.made ## tensors in TensorFlow and JAX, TFX, Beam; downloads 2.5 GB
	$(call PACKAGE,$(VENV))
	$(call INSTALLED,tensorflow jax grain tfx-bsl tensorflow-transform apache-beam)
	$(BUILT) .venv-all/bin/python -m pytest -k "not torch" tests/frameworks

# The oldest TensorFlow that the ops run on, in the environment of tensorflow-io. Uses the extension module of $(VENV).
OF_TENSORFLOW = $(wildcard tests/frameworks/test_tf_*.py) $(patsubst %,tests/frameworks/test_%.py,to_tf tensorflow tfio tfio_parse)

OLDEST_IS_USABLE = $(TFIO_PYTHON) -c 'import sys; sys.exit(sys.version_info >= (3, 13))'

.PHONY: test-tensorflow-oldest
test-tensorflow-oldest: ## the ops on TensorFlow 2.16
	@if $(OLDEST_IS_USABLE); then $(MAKE) test-tensorflow-oldest-here; \
	else echo "SKIPPED make test-tensorflow-oldest: expected TFIO_PYTHON to be Python 3.12 or older"; fi

.PHONY: test-tensorflow-oldest-here
test-tensorflow-oldest-here: $(VENV)/.test .venv-tfio/.made
	$(call PACKAGE,$(VENV))
	$(BUILT) .venv-tfio/bin/python -c "import tensorflow as tf; print('tensorflow', tf.__version__)"
	$(BUILT) .venv-tfio/bin/python -m pytest $(OF_TENSORFLOW)

# Files for PyTorch, and those that have some of its cases.
OF_TORCH = $(filter-out %torchrec.py,$(wildcard tests/frameworks/test_*torch*.py)) \
	$(patsubst %,tests/frameworks/test_%.py,cookbook docstring_examples examples keras moved_checkpoints)

.PHONY: test-torch
test-torch: $(VENV)/.test .venv-all/.made .venv-torchrec/.made ## tensors in PyTorch, torchdata, TorchRec and Ray
	$(call PACKAGE,$(VENV))
	$(call INSTALLED,torch torchdata ray)
	$(BUILT) .venv-all/bin/python -m pytest -rs -k torch $(OF_TORCH)
	$(BUILT) .venv-torchrec/bin/python -m pytest -rs tests/frameworks/test_torchrec.py

# Servers on 127.0.0.1. The tests of a server whose programs are missing are skipped.
.PHONY: test-stores
test-stores: $(VENV)/.test .venv-all/.made target/azurite/.made target/hdfs/.made ## S3, GCS, Azure, HTTP and HDFS on servers of this machine
	$(call PACKAGE,$(VENV))
	$(BUILT) .venv-all/bin/python -m pytest -rs tests/stores

# Clusters of this machine: Ray, Spark, Dask, and Flink with Beam. The tests of an engine whose programs are missing are skipped.
.PHONY: test-engines
test-engines: $(VENV)/.test .venv-all/.made .venv-flink/.made target/flink/.made ## Beam and Flink, Ray, Spark, Dask, Daft, DuckDB, DataFusion, polars and MPI on 10 million rows
	$(call PACKAGE,$(VENV))
	ARROWFEED_ENGINE_ROWS=$(ENGINE_ROWS) $(BUILT) .venv-all/bin/python -m pytest -rs --show-capture=no tests/engines

.PHONY: test-kills
test-kills: $(VENV)/.test .venv-all/.made .venv-flink/.made target/flink/.made ## killed processes of Ray, Spark and Flink; `make test-engines` kills workers of Dask and Daft
	$(call PACKAGE,$(VENV))
	ARROWFEED_ENGINE_ROWS=$(ENGINE_ROWS) $(BUILT) .venv-all/bin/python -m pytest -rs --show-capture=no -m night tests/engines

# Uses the extension module of $(VENV). The root is removed after the tests; KEEP_TFX_ROOT=1 leaves it for the next run.
TFX_ROOT = $(PYTHON) tools/tfx_root.py
IN_TFX_ROOT = $(TFX_ROOT) run $(if $(KEEP_TFX_ROOT),,--remove) --

.PHONY: test-tfx
test-tfx: ## TFX, TFDV and TFMA, in a root of Debian 13 that it makes and removes: needs root and debootstrap; downloads 1 GB
	@if $(TFX_ROOT) check; then $(MAKE) test-tfx-here; fi

.PHONY: test-tfx-here
test-tfx-here: $(VENV)/.test .venv-uv/.made
	$(call PACKAGE,$(VENV))
	$(TFX_ROOT) make
	$(IN_TFX_ROOT) python -m pytest -rs -p no:cacheprovider tests/tfx

# Other commands build with all features, so that code which needs a disabled feature passes them.
.PHONY: features
features: $(VENV)/.lint ## the crates with few Cargo features: lints of each format and codec alone, and tests of missing codecs
	$(BIN)/python tools/features.py

.PHONY: deny
deny: ## licences, versions, advisories of the dependencies on all platforms; skipped without cargo-deny
	@if cargo deny --version >/dev/null 2>&1; then cargo deny --locked --workspace check; \
	else echo "SKIPPED make deny: expected cargo-deny: cargo install --locked cargo-deny"; fi

.PHONY: minimal-versions
minimal-versions: $(VENV)/.lint ## compiles the published crates with the oldest versions of their dependencies
	$(BIN)/python tools/minimal_versions.py

# Workspaces of their own, so that `make test-rust` does not compile these frameworks. They train for a moment only: optimised code
# would take longer to compile than it saves.
.PHONY: test-rust-frameworks
test-rust-frameworks: ## examples that train with candle and burn, and that of serde_arrow; the first build takes minutes
	CARGO_PROFILE_DEV_OPT_LEVEL=0 cargo test --locked --manifest-path examples/candle/Cargo.toml --target-dir target/frameworks
	CARGO_PROFILE_DEV_OPT_LEVEL=0 cargo test --locked --manifest-path examples/burn/Cargo.toml --target-dir target/frameworks
	CARGO_PROFILE_DEV_OPT_LEVEL=0 cargo test --locked --manifest-path examples/serde/Cargo.toml --target-dir target/frameworks

.PHONY: test-java
test-java: ## files and schema resolution of Java's Avro; skipped without Java and Maven
	@if command -v java >/dev/null && command -v mvn >/dev/null; then $(MAKE) test-java-here; \
	else echo "SKIPPED make test-java: expected java and mvn on the PATH"; fi

.PHONY: test-java-here
test-java-here: $(VENV)/.test
	$(call PACKAGE,$(VENV))
	rm -rf "$(JAVA_OUT)" && mkdir -p "$(JAVA_OUT)"
	mvn -q -B -f tests/java/pom.xml compile exec:java "-Dexec.args='$(JAVA_OUT)'"
	$(BIN)/python tests/java/write_files.py "$(JAVA_OUT)"
	mvn -q -B -f tests/java/pom.xml exec:java -Dexec.mainClass=org.arrowfeed.reference.Read "-Dexec.args='$(JAVA_OUT)/written'"
	ARROWFEED_JAVA_OUT="$(JAVA_OUT)" $(BIN)/python -m pytest -rs tests/java

.PHONY: lint
lint: $(VENV)/.lint ## format, lints, types, docstrings, the order of dependencies, the packages of features and their number, licences, dependencies that are compiled twice, the tables of Rust documentation, the messages of the crates, the tests of tools and workflows
	$(BIN)/python tools/dependency_order.py
	$(BIN)/python tools/features.py --packages
	$(BIN)/python tools/shared_builds.py $(UNDOCUMENTED)
	$(BIN)/python tools/crate_count.py --check
	$(BIN)/python tools/dependency_rules.py
	$(BIN)/python tools/rustdoc_tables.py
	$(BIN)/python tools/rust_messages.py
	$(BIN)/python tools/native_docs.py --check
	$(BIN)/python -m pytest -q tests/repository
	$(BIN)/ruff check tools examples benches tests/java tests/c
	$(BIN)/ruff check python tests/repository tests/python tests/frameworks tests/stores tests/engines tests/tfx tests/toy_format
	$(BIN)/ruff format --check
	$(BIN)/pyright --project python --pythonpath $(BIN)/python
	cargo fmt --all --check
	cargo clippy $(WITHOUT_DATAFUSION) --all-targets --features arrowfeed-fuzz/programs -- -D warnings

# Users depend on `arrowfeed`, and see types of the crates of the formats, of `arrowfeed-source` and of `arrowfeed-tensor`. The
# package of Python has no documentation either. It is not excluded: without its features of dependencies, cargo would check them,
# and all crates above them, once more than for clippy.
UNDOCUMENTED = $(addprefix --exclude arrowfeed-,c examples ffi select tensorflow)

.PHONY: docs
docs: $(VENV)/.docs ## Rust documentation, with an example for each type, and the site, without warnings; links of the Markdown files
	RUSTDOCFLAGS="-D warnings" cargo doc $(WITHOUT_DATAFUSION) $(RUST_EXAMPLES) --no-deps $(UNDOCUMENTED)
	$(BIN)/python tools/rustdoc_examples.py
	$(BIN)/python tools/markdown_links.py
	$(MAKE) site

# Never with --quiet, which hides the warnings from --strict too. The variable silences an advertisement.
.PHONY: site
site: $(VENV)/.docs ## the documentation as pages: open target/site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

.PHONY: bench
bench: .venv-bench/.made .venv-all/.made .venv-tfio/.made ## the tables of benches/README.md; SCALE=0.02 ROUNDS=1 to try it out
	$(call RELEASE_PACKAGE,.venv-bench)
	$(call RELEASE_PACKAGE,.venv-all)
	.venv-bench/bin/python benches/generate.py --out data/bench --scale $(SCALE)
	cargo build --release --package bench-peers
	cargo build --release --package bench-ours
	.venv-bench/bin/python benches/run.py --data data/bench --scale $(SCALE) --rounds $(ROUNDS)

INSTRUCTIONS_DEV = cargo build $(WITH_PACKAGE) --package bench-instructions --bin bench-instructions

.PHONY: bench-instructions
bench-instructions: $(VENV)/.test ## instructions of fixed work in a release build against the committed figures; skipped without valgrind
	cargo build --release --package bench-instructions
	$(BIN)/python benches/instructions.py --data data/instructions

.PHONY: bench-instructions-dev
bench-instructions-dev: $(VENV)/.test ## the same in the build of the tests, which finds larger changes in a fifth of the time
	$(INSTRUCTIONS_DEV)
	$(BIN)/python benches/instructions.py --data data/instructions --profile dev

.PHONY: bench-instructions-update
bench-instructions-update: $(VENV)/.test ## commit the figures of this run, of both builds
	cargo build --release --package bench-instructions
	$(INSTRUCTIONS_DEV)
	$(BIN)/python benches/instructions.py --data data/instructions --update
	$(BIN)/python benches/instructions.py --data data/instructions --profile dev --update

.PHONY: fuzz-build
fuzz-build: ## all fuzz targets, which `make fuzz` also builds
	fuzz/run.sh

# `make test-rust` checks that each target has a corpus.
.PHONY: fuzz
fuzz: ## each fuzz target for SECONDS=60
	@for corpus in fuzz/corpus/*; do fuzz/run.sh "$${corpus##*/}" $(SECONDS) || exit 1; done

# libdeflate defines the same constants in several of its files, which the sanitizer would report. One test requests
# more memory than exists.
.PHONY: asan
asan: ## Rust tests under the address sanitizer
	RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address ASAN_OPTIONS=detect_odr_violation=0:allocator_may_return_null=1 \
		ARROWFEED_SANITIZED=1 \
		cargo test --package arrowfeed-avro --package arrowfeed-c --package arrowfeed-ffi --package arrowfeed-tensorflow --package arrowfeed-tfrecord --lib --tests --target $(HOST) --target-dir target/asan
	RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address \
		cargo test --package arrowfeed-tensor --features dlpack --lib --target $(HOST) --target-dir target/asan dlpack

# The programs have the runtime of the C compiler, which also finds leaks.
.PHONY: asan-c
asan-c: $(VENV)/.test ## the C and C++ programs under the address sanitizer
	RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address \
		cargo build --package arrowfeed-c --target $(HOST) --target-dir target/asan
	ARROWFEED_C=target/asan/$(HOST)/debug ARROWFEED_C_FLAGS=-fsanitize=address ASAN_OPTIONS=detect_odr_violation=0 \
		$(BIN)/python -m pytest -rs tests/c

# The extension module contains the checks of the sanitizer, whose runtime comes from the C compiler. The leak tests are
# deselected, because the sanitizer changes the memory use and the threads of the process.
ASAN_PACKAGE = target/asan/package
ASAN_RUNTIME = $$(cc -print-file-name=libasan.so) $$(cc -print-file-name=libstdc++.so.6)

.PHONY: asan-ops
asan-ops: .venv-all/.made ## the ops of TensorFlow under the address sanitizer
	PYO3_PYTHON=$(CURDIR)/.venv-all/bin/python RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address \
		cargo build --package arrowfeed-python --target $(HOST) --target-dir target/asan
	rm -rf $(ASAN_PACKAGE) && mkdir -p $(ASAN_PACKAGE)
	cp -r python/arrowfeed $(ASAN_PACKAGE) && rm -f $(ASAN_PACKAGE)/arrowfeed/*.so
	cp target/asan/$(HOST)/debug/lib_arrowfeed.so $(ASAN_PACKAGE)/arrowfeed/_arrowfeed.abi3.so
	LD_PRELOAD="$(ASAN_RUNTIME)" ASAN_OPTIONS=detect_leaks=0:detect_odr_violation=0:allocator_may_return_null=1 \
		PYTHONPATH=$(ASAN_PACKAGE) .venv-all/bin/python -W ignore -m pytest -k "not leave_no_threads" \
		tests/frameworks/test_tf_op.py tests/frameworks/test_tf_parse_op.py

# The standard library is rebuilt, so that the sanitizer sees the order that its atomics and locks impose.
.PHONY: tsan
tsan: ## Rust tests under the thread sanitizer, with few random cases; needs rust-src: rustup component add rust-src
	@if [ -d "$$(rustc --print sysroot)/lib/rustlib/src/rust/library" ]; then $(MAKE) tsan-here; \
	else echo "SKIPPED make tsan: expected the sources of the standard library: rustup component add rust-src"; fi

.PHONY: tsan-here
tsan-here:
	RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=thread TSAN_OPTIONS=allocator_may_return_null=1 \
		ARROWFEED_CASES=20 ARROWFEED_MUTANTS=500 ARROWFEED_SANITIZED=1 \
		cargo test -Zbuild-std --package arrowfeed-avro --package arrowfeed-tensor --package arrowfeed --lib --tests \
		--target $(HOST) --target-dir target/tsan

# ---- releases: docs/releasing.md has the steps

# On Linux, zig compiles C and links for the glibc of manylinux_2_28, and maturin checks the symbols of the module.
MANYLINUX = $(if $(filter Linux,$(shell uname)),--compatibility manylinux_2_28 --zig --auditwheel check)

.PHONY: wheel
wheel: $(VENV)/.release ## a wheel in target/wheels, checked, and tested in an environment without Rust
	rm -rf target/wheels
	env -u CONDA_PREFIX PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/maturin build --release --manifest-path python/Cargo.toml $(MANYLINUX) --out target/wheels
	$(BIN)/python tools/check_wheel.py target/wheels/*.whl
	$(BIN)/python tools/test_wheel.py target/wheels/*.whl

# The archive is unpacked outside this folder with new timestamps (-m), so that cargo recompiles the crates of arrowfeed, and no
# others.
.PHONY: sdist
sdist: $(VENV)/.release ## a source distribution in target/sdist, and a wheel that is built from it and imported
	rm -rf target/sdist
	$(BIN)/maturin sdist --manifest-path python/Cargo.toml --out target/sdist
	unpacked=$$(mktemp -d) && trap 'rm -rf "$$unpacked"' EXIT && tar -xzmf target/sdist/*.tar.gz -C "$$unpacked" && \
		CARGO_TARGET_DIR="$(CURDIR)/target" $(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir target/sdist/wheel "$$unpacked"/*
	$(BIN)/python tools/test_wheel.py --import-only target/sdist/wheel/*.whl

# Cargo unpacks each package and builds it with the packages that it depends on.
UNPUBLISHED = arrowfeed-c arrowfeed-python arrowfeed-examples arrowfeed-fuzz $(addprefix bench-,datafusion instructions micro ours peers protocol store-server streams)

.PHONY: semver
semver: ## the Rust API against the last tag; skipped without a tag or cargo-semver-checks
	@tag=$$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null); \
	if ! cargo semver-checks --version >/dev/null 2>&1; then \
		echo "SKIPPED make semver: expected cargo-semver-checks: cargo install --locked cargo-semver-checks"; \
	elif [ -z "$$tag" ]; then echo "SKIPPED make semver: expected a tag v* of a release, found none"; \
	else cargo semver-checks --workspace $(addprefix --exclude ,$(UNPUBLISHED)) --baseline-rev "$$tag"; fi

.PHONY: package
package: ## the crates as they are published, in target/package, each built from its package
	cargo package --workspace $(addprefix --exclude ,$(UNPUBLISHED)) --allow-dirty

.PHONY: clean
clean: ## everything that was built, installed or written
	rm -rf target $(VENV) .venv-uv $(ENVIRONMENTS:%=.venv-%) data fuzz/target tests/java/target
	rm -rf .pytest_cache .ruff_cache

# ---- virtual environments, with the versions in requirements/locks. Files in them record the installed sets of packages

# `all` serves the tests of frameworks, PyTorch, stores and engines. `tfio` is apart: tensorflow-io has no newer release than for
# TensorFlow 2.16. Only the Java libraries and scripts of `flink` are used, so the requirements of PyFlink, 1 GB, are not
# installed. `bench` has the newest version of each reader, and `all` does not. TorchRec needs an older PyTorch than `all` has.
ENVIRONMENTS = all tfio flink bench torchrec

# With the variable empty, `make locks` keeps the versions that still fit.
UPGRADE := --upgrade

UV = UV_PYTHON_DOWNLOADS=never .venv-uv/bin/uv
LOCK = $(UV) pip compile --quiet --universal $(UPGRADE) --annotation-style line --no-emit-index-url --no-emit-find-links --custom-compile-command "make locks"

# Fails if a Python is older than 3.$(2).
NEWER = @$(1) -c 'import sys; sys.version_info < (3, $(2)) and sys.exit("expected Python 3.$(2) or newer, found " + sys.version)'

.PHONY: environments
environments: .venv-all/.made .venv-flink/.made .venv-torchrec/.made target/azurite/.made target/hdfs/.made target/flink/.made ## the virtual environments of .ci/run, and what their servers need; downloads 3 GB

# Each lock is for the Python of its option and for newer ones, on every system. That of TFX is for its root only.
.PHONY: locks
locks: .venv-uv/.made ## requirements/locks with the newest versions that fit
	$(LOCK) --python-version 3.10 requirements/dev.in --output-file requirements/locks/dev.txt
	$(LOCK) --python-version 3.11 requirements/all.in --output-file requirements/locks/all.txt --excludes requirements/without-cuda.txt
	$(LOCK) --python-version 3.9 requirements/tfio.in --output-file requirements/locks/tfio.txt
	$(LOCK) --python-version 3.11 requirements/bench.in --output-file requirements/locks/bench.txt
	$(LOCK) requirements/flink.in --output-file requirements/locks/flink.txt --no-deps
	$(LOCK) --python-version 3.11 requirements/torchrec.in --output-file requirements/locks/torchrec.txt --excludes requirements/without-cuda.txt
	$(subst --universal,--python-platform x86_64-manylinux_2_40,$(LOCK)) --python-version 3.13 requirements/tfx.in --output-file requirements/locks/tfx.txt

# uv finds versions and installs ten times as fast as pip, and environments share the files of packages.
.venv-uv/.made: requirements/uv.in
	$(call NEWER,$(PYTHON),10)
	rm -rf .venv-uv
	$(PYTHON) -m venv .venv-uv
	.venv-uv/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# Makes the empty environment $(1) with the Python $(2), which must be 3.$(3) or newer. Without $(3), any version will do.
define EMPTY_ENVIRONMENT
$(if $(3),$(call NEWER,$(2),$(3)))
rm -rf $(1)
$(UV) venv --quiet --python $(2) $(1)
endef

$(VENV)/.made: | .venv-uv/.made
	$(call EMPTY_ENVIRONMENT,$(VENV),$(PYTHON),10)
	@touch $@

$(VENV)/.%: requirements/%.in requirements/build.in requirements/locks/dev.txt $(VENV)/.made
	$(UV) pip install --quiet --python $(VENV) -r $< -c requirements/locks/dev.txt
	@touch $@

# The Python of each environment, and the last command of its installation. On a GPU, PyTorch gets the libraries of CUDA.
.venv-%/.made: OF_ENVIRONMENT = $(PYTHON)
.venv-tfio/.made: OF_ENVIRONMENT = $(TFIO_PYTHON)
.venv-all/.made .venv-torchrec/.made: FINISH = .venv-$*/bin/python tools/torch_without_cuda.py || $(UV) pip install --quiet --python .venv-$* -c requirements/locks/$*.txt torch

$(ENVIRONMENTS:%=.venv-%/.made): .venv-%/.made: requirements/locks/%.txt | .venv-uv/.made
	$(call EMPTY_ENVIRONMENT,.venv-$*,$(OF_ENVIRONMENT),$(if $(filter all bench torchrec,$*),11))
	$(UV) pip sync --quiet --python .venv-$* $<
	$(FINISH)
	@touch $@

# There is no lock file, because it would contain the addresses of downloads.
target/azurite/.made: tests/stores/package.json
	@if command -v node >/dev/null && command -v npm >/dev/null; then \
		rm -rf $(@D) && mkdir -p $(@D) && cp $< $(@D) && cd $(@D) && \
		npm install --silent --no-package-lock --no-audit --no-fund --ignore-scripts && touch .made; \
	else echo "SKIPPED Azure of make test-stores: expected node and npm on the PATH"; fi

# Runs the goals $(1) of Maven on the project $<, for the tests $(2).
MAVEN = @if command -v java >/dev/null && command -v mvn >/dev/null; then \
		rm -rf $(@D) && mvn -q -B -f $< $(1) && touch $@; \
	else echo "SKIPPED $(2): expected java and mvn on the PATH"; fi

target/hdfs/.made: tests/stores/hdfs/pom.xml $(wildcard tests/stores/hdfs/src/main/java/org/arrowfeed/hdfs/*.java)
	$(call MAVEN,compile dependency:copy-dependencies,HDFS of make test-stores)

target/flink/.made: tests/engines/flink/pom.xml
	$(call MAVEN,dependency:copy-dependencies,Flink of make test-engines)

.PHONY: tfio-results
tfio-results: .venv-tfio/.made ## runs tensorflow-io on the cases of tests/frameworks/tfio_cases.py; takes 15 minutes
	mkdir -p data/tfio
	.venv-tfio/bin/python tests/frameworks/tfio_parity.py data/tfio > data/tfio/results.jsonl
	mv data/tfio/results.jsonl tests/frameworks/data/tfio.jsonl
