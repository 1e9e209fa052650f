# What people and CI run. `make help` lists it. Needs Rust, and Python 3.10 or newer.

PYTHON := python3
VENV := .venv
TFIO_PYTHON := $(PYTHON)
BIN := $(VENV)/bin

# Random cases, mutated files and killed writers of a full test run; `cargo test` and pytest alone try fewer.
ARROWFEED_CASES ?= 2000
ARROWFEED_MUTANTS ?= 200000
ARROWFEED_WRITE_KILLS ?= 200
ARROWFEED_STORE_EPOCHS ?= 2000
ARROWFEED_STORE_KILLS ?= 20
export ARROWFEED_CASES ARROWFEED_MUTANTS ARROWFEED_WRITE_KILLS ARROWFEED_STORE_EPOCHS ARROWFEED_STORE_KILLS

# Rows that each engine reads.
ENGINE_ROWS := 10_000_000

# Seconds of each fuzz target; part of the rows, and rounds, of the benchmarks.
SECONDS := 60
SCALE := 1
ROUNDS := 5

JAVA_OUT := $(CURDIR)/target/java-reference
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
# Builds the Python package in release and installs it. Conda's variable would make maturin refuse.
PACKAGE = env -u CONDA_PREFIX VIRTUAL_ENV="$(CURDIR)/$(1)" $(1)/bin/maturin develop --release --manifest-path python/Cargo.toml

# Runs Python with the package of this folder, whose extension module was built before.
BUILT = PYTHONPATH="$(CURDIR)/python"

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

.PHONY: help
help:
	@sed -n 's/^\([a-z-]*\):.*## /\1 - /p' $(MAKEFILE_LIST) | awk -F' - ' '{ printf "  %-12s %s\n", $$1, $$2 }'

# ---- what people run

.PHONY: demo
demo: $(VENV)/.demo ## write Avro files in four codecs, read them through pyarrow, make tensors, train
	$(call PACKAGE,$(VENV))
	$(BIN)/python examples/python/demo.py

.PHONY: test
test: lint docs test-rust test-python ## lints, documentation, Rust and Python tests

.PHONY: test-rust
test-rust: ## Rust tests, doc tests and examples
	cargo test --workspace
	@[ -z "$$ARROWFEED_REMOVE_BUILDS" ] || rm -rf target/debug

# On the release build: it is what users get, and `make demo` has built it already.
.PHONY: test-python
test-python: $(VENV)/.test ## Python tests
	$(call PACKAGE,$(VENV))
	$(BIN)/python -m pytest benches/tests tests/java/test_plain_json.py
	$(BIN)/python -m pytest -rs -m "not alone" -n auto --dist worksteal tests/python
	$(BIN)/python -m pytest -rs -m alone tests/python

# The extension module is the one that was built for $(VENV): it is the same for every Python, and linking it takes minutes.
.PHONY: test-frameworks
test-frameworks: $(VENV)/.test .venv-frameworks/.made ## tensors in TensorFlow (newest and 2.16) and JAX, TFX, Beam; downloads 2 GB
	$(call PACKAGE,$(VENV))
	$(BUILT) .venv-frameworks/bin/python -m pytest tests/frameworks
	@$(MAKE) test-tensorflow-oldest

# The oldest TensorFlow that the ops run on, in the environment of tensorflow-io. The extension module is the one that was built.
OF_TENSORFLOW = $(wildcard tests/frameworks/test_tf_*.py) $(patsubst %,tests/frameworks/test_%.py,to_tf tensorflow tfio tfio_parse)

OLDEST_IS_USABLE = $(TFIO_PYTHON) -c 'import sys; sys.exit(sys.version_info >= (3, 13))'

.PHONY: test-tensorflow-oldest
test-tensorflow-oldest:
	@if $(OLDEST_IS_USABLE); then $(MAKE) test-tensorflow-oldest-here; \
	else echo "SKIPPED make test-tensorflow-oldest: expected TFIO_PYTHON to be Python 3.12 or older"; fi

.PHONY: test-tensorflow-oldest-here
test-tensorflow-oldest-here: .venv-tfio/.made
	$(BUILT) .venv-tfio/bin/python -c "import tensorflow as tf; print('tensorflow', tf.__version__)"
	$(BUILT) .venv-tfio/bin/python -m pytest $(OF_TENSORFLOW)

# That they are there is seen first: their tests would be skipped.
.PHONY: test-torch
test-torch: $(VENV)/.test .venv-torch/.made ## tensors in PyTorch, torchdata and Ray; downloads 3 GB
	$(call PACKAGE,$(VENV))
	$(BUILT) .venv-torch/bin/python -c "import ray.data, torch, torchdata; print('torch', torch.__version__, 'torchdata', torchdata.__version__, 'ray', ray.__version__)"
	$(BUILT) .venv-torch/bin/python -m pytest -rs -k torch $(wildcard tests/frameworks/test_*torch*.py) tests/frameworks/test_examples.py

# Servers on 127.0.0.1. The tests of a server whose programs are missing are skipped.
.PHONY: test-stores
test-stores: $(VENV)/.test .venv-stores/.made .venv-stores/node/.made target/hdfs/.made ## S3, GCS, Azure, HTTP and HDFS on servers of this machine; takes 1.2 GB
	$(call PACKAGE,$(VENV))
	$(BUILT) .venv-stores/bin/python -m pytest -rs tests/stores

# Clusters of this machine: Ray, Spark, Dask, and Flink with Beam. The tests of an engine whose programs are missing are skipped.
.PHONY: test-engines
test-engines: $(VENV)/.test environments-of-engines ## Beam and Flink, Ray, Spark, Dask, Daft, DuckDB, DataFusion, polars and MPI on 10 million rows; takes 3 GB
	$(call PACKAGE,$(VENV))
	ARROWFEED_ENGINE_ROWS=$(ENGINE_ROWS) $(BUILT) .venv-engines/bin/python -m pytest -rs --show-capture=no tests/engines

# Other commands build with all features, so that code which needs a disabled feature passes them.
.PHONY: features
features: $(VENV)/.lint ## the crates with few Cargo features: lints of each format and codec alone, and tests of missing codecs
	$(BIN)/python tools/features.py

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
lint: $(VENV)/.lint ## format, lints, types, docstrings, the order of dependencies, the packages of features, the files with unsafe and with locks, the tables of Rust documentation
	$(BIN)/python tools/dependency_order.py
	$(BIN)/python tools/features.py --packages
	$(BIN)/python tools/unsafe_files.py
	$(BIN)/python tools/blocking_locks.py
	$(BIN)/python tools/rustdoc_tables.py
	$(BIN)/python tools/native_docs.py --check
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	$(MAKE) lint-outside
	$(BIN)/ruff check tools examples benches tests/java
	$(BIN)/ruff check python tests/python tests/frameworks tests/stores tests/engines
	$(BIN)/ruff format --check
	$(BIN)/pyright --project python --pythonpath $(BIN)/python

# Packages that are outside of the library's workspace. They use its crates, so a change there can break them.
OUTSIDE = fuzz $(patsubst %/Cargo.toml,%,$(wildcard benches/*/Cargo.toml))

.PHONY: lint-outside
lint-outside: ## format and lints of the fuzz targets and of the benchmarks in Rust, and the tests of the protocol of the benchmarks
	@for package in $(OUTSIDE); do echo "fmt and clippy of $$package"; \
		cargo fmt --check --manifest-path $$package/Cargo.toml && \
		cargo clippy --quiet --manifest-path $$package/Cargo.toml --target-dir target --all-targets -- -D warnings || exit 1; done
	cargo test --quiet --manifest-path benches/protocol/Cargo.toml --target-dir target --lib

# Users depend on `arrowfeed`, and see types of the crates of the formats, of `arrowfeed-source` and of `arrowfeed-tensor`.
UNDOCUMENTED = $(addprefix --exclude arrowfeed-,examples ffi python select tensorflow)

.PHONY: docs
docs: $(VENV)/.docs ## Rust documentation and the site, without warnings; links of the Markdown files
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps $(UNDOCUMENTED)
	$(BIN)/python tools/markdown_links.py
	$(MAKE) site

# Never with --quiet, which hides the warnings from --strict too. The variable silences an advertisement.
.PHONY: site
site: $(VENV)/.docs ## the documentation as pages: open target/site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

.PHONY: bench
bench: .venv-bench/.made .venv-frameworks/.made .venv-tfio/.made ## the tables of benches/README.md; SCALE=0.02 ROUNDS=1 to try it out
	$(call PACKAGE,.venv-bench)
	$(call PACKAGE,.venv-frameworks)
	.venv-bench/bin/python benches/generate.py --out data/bench --scale $(SCALE)
	cargo build --release --manifest-path benches/peers/Cargo.toml --target-dir benches/peers/target
	cargo build --release --manifest-path benches/ours/Cargo.toml --target-dir benches/ours/target
	.venv-bench/bin/python benches/run.py --data data/bench --scale $(SCALE) --rounds $(ROUNDS)

.PHONY: bench-instructions
bench-instructions: $(VENV)/.test ## instructions of fixed work against the committed figures; skipped without valgrind
	cargo build --release --manifest-path benches/instructions/Cargo.toml --target-dir benches/instructions/target
	$(BIN)/python benches/instructions.py --data data/instructions

.PHONY: bench-instructions-update
bench-instructions-update: $(VENV)/.test ## commit the figures of this run
	cargo build --release --manifest-path benches/instructions/Cargo.toml --target-dir benches/instructions/target
	$(BIN)/python benches/instructions.py --data data/instructions --update

.PHONY: fuzz-build
fuzz-build: ## all fuzz targets, which `make fuzz` also builds
	fuzz/run.sh

.PHONY: fuzz
fuzz: ## each fuzz target for SECONDS=60
	@for target in read_file read_structured skip_vs_decode schema_json arrow_c_data example_message sequence_example_message tfrecord_file csv_file json_lines_file; do \
		fuzz/run.sh $$target $(SECONDS) || exit 1; done

# libdeflate defines the same constants in several of its files, which the sanitizer would take for a fault. A test asks for
# more memory than there is.
.PHONY: asan
asan: ## Rust tests under the address sanitizer, with fewer random cases
	RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address ASAN_OPTIONS=detect_odr_violation=0:allocator_may_return_null=1 \
		ARROWFEED_CASES=200 ARROWFEED_MUTANTS=20000 ARROWFEED_SANITIZED=1 \
		cargo test --package arrowfeed-avro --package arrowfeed-ffi --package arrowfeed-tensorflow --package arrowfeed-tfrecord --lib --tests --target $(HOST) --target-dir target/asan

# The extension module has the sanitizer's checks; its runtime is that of the C compiler. Memory and threads of the process are
# others than those that a test of leaks expects.
ASAN_PACKAGE = target/asan/package
ASAN_RUNTIME = $$(cc -print-file-name=libasan.so) $$(cc -print-file-name=libstdc++.so.6)

.PHONY: asan-ops
asan-ops: .venv-frameworks/.made ## the ops of TensorFlow under the address sanitizer
	PYO3_PYTHON=$(CURDIR)/.venv-frameworks/bin/python RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address \
		cargo build --package arrowfeed-python --target $(HOST) --target-dir target/asan
	rm -rf $(ASAN_PACKAGE) && mkdir -p $(ASAN_PACKAGE)
	cp -r python/arrowfeed $(ASAN_PACKAGE) && rm -f $(ASAN_PACKAGE)/arrowfeed/*.so
	cp target/asan/$(HOST)/debug/lib_arrowfeed.so $(ASAN_PACKAGE)/arrowfeed/_arrowfeed.abi3.so
	LD_PRELOAD="$(ASAN_RUNTIME)" ASAN_OPTIONS=detect_leaks=0:detect_odr_violation=0:allocator_may_return_null=1 \
		PYTHONPATH=$(ASAN_PACKAGE) .venv-frameworks/bin/python -W ignore -m pytest -k "not leave_no_threads" \
		tests/frameworks/test_tf_op.py tests/frameworks/test_tf_parse_op.py

# The standard library is built anew: without its atomics and locks the sanitizer would report what they order.
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

# It is unpacked outside of this folder, with the time of now (-m), so that cargo compiles the crates of arrowfeed again, but not
# those of others.
.PHONY: sdist
sdist: $(VENV)/.release ## a source distribution in target/sdist, and a wheel that is built from it and imported
	rm -rf target/sdist
	$(BIN)/maturin sdist --manifest-path python/Cargo.toml --out target/sdist
	unpacked=$$(mktemp -d) && trap 'rm -rf "$$unpacked"' EXIT && tar -xzmf target/sdist/*.tar.gz -C "$$unpacked" && \
		CARGO_TARGET_DIR="$(CURDIR)/target" $(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir target/sdist/wheel "$$unpacked"/*
	$(BIN)/python tools/test_wheel.py --import-only target/sdist/wheel/*.whl

# Cargo unpacks each package and builds it with the packages that it depends on.
.PHONY: package
package: ## the crates as they are published, in target/package, each built from its package
	CARGO_PROFILE_DEV_DEBUG=0 cargo package --workspace --exclude arrowfeed-python --exclude arrowfeed-examples --allow-dirty

.PHONY: clean
clean: ## everything that was built, installed or written
	rm -rf target $(VENV) .venv-bench .venv-frameworks .venv-torch .venv-tfio .venv-stores .venv-engines .venv-flink data fuzz/target benches/ours/target benches/peers/target benches/instructions/target tests/java/target
	rm -rf .pytest_cache .ruff_cache

# ---- virtual environments: a file in them says what they hold

.PHONY: environments
environments: .venv-frameworks/.made .venv-stores/.made .venv-stores/node/.made target/hdfs/.made ## the virtual environments of TensorFlow, JAX, TFX, Beam and the stores; downloads 2 GB
	@if $(OLDEST_IS_USABLE); then $(MAKE) .venv-tfio/.made; fi

.PHONY: environments-of-engines
environments-of-engines: .venv-engines/.made .venv-flink/.made target/flink/.made

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.version_info < (3, 10) and sys.exit("expected Python 3.10 or newer, found " + sys.version)'
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.%: requirements/%.txt requirements/build.txt $(VENV)/.made
	$(BIN)/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

.venv-frameworks/.made: requirements/frameworks.txt requirements/build.txt
	@$(PYTHON) -c 'import sys; sys.version_info < (3, 10) and sys.exit("expected Python 3.10 or newer, found " + sys.version)'
	rm -rf .venv-frameworks
	$(PYTHON) -m venv .venv-frameworks
	.venv-frameworks/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# A wheel for Linux brings CUDA, which makes up most of 6 GB: pip would keep another 3 of them.
.venv-torch/.made: requirements/torch.txt requirements/build.txt
	@$(PYTHON) -c 'import sys; sys.version_info < (3, 11) and sys.exit("expected Python 3.11 or newer, found " + sys.version)'
	rm -rf .venv-torch
	$(PYTHON) -m venv .venv-torch
	.venv-torch/bin/pip install --quiet --disable-pip-version-check --no-cache-dir -r $<
	@touch $@

.venv-stores/.made: requirements/stores.txt requirements/build.txt
	@$(PYTHON) -c 'import sys; sys.version_info < (3, 10) and sys.exit("expected Python 3.10 or newer, found " + sys.version)'
	rm -rf .venv-stores
	$(PYTHON) -m venv .venv-stores
	.venv-stores/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# A lock file would name the addresses of downloads.
.venv-stores/node/.made: tests/stores/package.json .venv-stores/.made
	@if command -v node >/dev/null && command -v npm >/dev/null; then \
		rm -rf $(@D) && mkdir -p $(@D) && cp $< $(@D) && cd $(@D) && \
		npm install --silent --no-package-lock --no-audit --no-fund --ignore-scripts && touch .made; \
	else echo "SKIPPED Azure of make test-stores: expected node and npm on the PATH"; fi

target/hdfs/.made: tests/stores/hdfs/pom.xml $(wildcard tests/stores/hdfs/src/main/java/org/arrowfeed/hdfs/*.java)
	@if command -v java >/dev/null && command -v mvn >/dev/null; then \
		rm -rf $(@D) && mvn -q -B -f $< compile dependency:copy-dependencies && touch $@; \
	else echo "SKIPPED HDFS of make test-stores: expected java and mvn on the PATH"; fi

.venv-engines/.made: requirements/engines.txt requirements/build.txt
	@$(PYTHON) -c 'import sys; sys.version_info < (3, 10) and sys.exit("expected Python 3.10 or newer, found " + sys.version)'
	rm -rf .venv-engines
	$(PYTHON) -m venv .venv-engines
	.venv-engines/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# Only the Java libraries: the packages that PyFlink needs would take 1 GB.
.venv-flink/.made: requirements/flink.txt
	rm -rf .venv-flink
	$(PYTHON) -m venv .venv-flink
	.venv-flink/bin/pip install --quiet --disable-pip-version-check --no-deps -r $<
	@touch $@

target/flink/.made: tests/engines/flink/pom.xml
	@if command -v java >/dev/null && command -v mvn >/dev/null; then \
		rm -rf $(@D) && mvn -q -B -f $< dependency:copy-dependencies && touch $@; \
	else echo "SKIPPED Flink of make test-engines: expected java and mvn on the PATH"; fi

# tensorflow-io has no newer release than for TensorFlow 2.16: TFIO_PYTHON is a Python of 3.9 to 3.12.
.venv-tfio/.made: requirements/tfio.txt
	rm -rf .venv-tfio
	$(TFIO_PYTHON) -m venv .venv-tfio
	.venv-tfio/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

.PHONY: tfio-results
tfio-results: .venv-tfio/.made ## what tensorflow-io makes of the cases of tests/frameworks/tfio_cases.py; takes 15 minutes
	mkdir -p data/tfio
	.venv-tfio/bin/python tests/frameworks/tfio_parity.py data/tfio > data/tfio/results.jsonl
	mv data/tfio/results.jsonl tests/frameworks/data/tfio.jsonl

.venv-bench/.made: requirements/bench.txt requirements/build.txt benches/requirements.txt
	@$(PYTHON) -c 'import sys; sys.version_info < (3, 11) and sys.exit("expected Python 3.11 or newer, found " + sys.version)'
	rm -rf .venv-bench
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@
