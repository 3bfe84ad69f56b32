# kafka-census: `make demo` and `make test` need Python 3.11 and Java 17, and fetch the rest once.
# `make` alone lists what there is.

PYTHON  ?= $(firstword $(shell command -v python3.11) python3)
VENV    := .venv
PY      := $(VENV)/bin/python
STAMP   := $(VENV)/.installed
KERBEROS := $(VENV)/.kerberos
CONF    := build/spark-conf
CONFIG  ?= conf/census.yaml
CLUSTER ?=
BROKERS ?= 3
VERSION ?= 4.4.0
SCENARIO ?= calm
ARGS    ?=
EXTRAS  ?=
TESTS   ?=
PYTEST  ?= -n 2
# What needs no Spark, no broker and no jar; the longest file, of the laws of paging, first: it stays in one process.
CHECKED := tests/property tests/golden tests/unit tests/test_layout.py tests/test_platforms.py \
	--ignore tests/golden/test_kafkas_classes.py --ignore tests/unit/test_class_archive.py

export PYTHONPATH := tests
export PYTHONUNBUFFERED := 1
# pip compiles nothing: what is imported is compiled once, also where the environment says not to keep it. A driver
# takes 4 CPU seconds for its imports then, most of them for Great Expectations, instead of 8 each time.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help python toolchain check install lock wheel dist audit jars jars-lock class-list demo census report emulator kafka test test-all packages platforms lint format docs site bench clean

help: ## this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

##@ Use
demo: jars ## three brokers on a bad day, a census of them, and what it found (under 3 minutes)
	@$(PY) -m harness.demo

census: install ## one census: make census [CLUSTER=name] [CONFIG=conf/census.yaml] [ARGS=--resume]
	@$(VENV)/bin/kafka-census run --config $(CONFIG) $(if $(CLUSTER),--cluster $(CLUSTER)) $(ARGS)

report: install ## what is wrong, of the last published census: make report [CLUSTER=name] [CONFIG=conf/census.yaml] [ARGS=--full]
	@$(VENV)/bin/kafka-census report --config $(CONFIG) $(if $(CLUSTER),--cluster $(CLUSTER)) $(ARGS)

emulator: install ## an emulated cluster until interrupted: make emulator SCENARIO=calm (names in emulator/kafka_emulator/scenarios)
	@exec $(PY) -m kafka_emulator --scenario $(SCENARIO)

kafka: install ## real brokers until interrupted: make kafka BROKERS=3 VERSION=4.4.0 (or 3.9.1, 2.8.2)
	@exec $(PY) -m harness.kafka --brokers $(BROKERS) --version $(VERSION)

##@ Build
install: $(STAMP) ## the virtual environment .venv, from requirements.lock

jars: install ## Delta's jars and an archive of Spark's classes into the cache, Spark's configuration into build/spark-conf
	@$(PY) -m kafka_census.jars --spark-conf $(CONF)

python:
	@command -v $(PYTHON) >/dev/null && $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		|| { echo "kafka-census needs Python 3.11 or newer; name it with: make PYTHON=/path/to/python3.11" >&2; exit 2; }

toolchain: python
	@java="$${JAVA_HOME:+$$JAVA_HOME/bin/}java"; \
		version=$$("$$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1); \
		test "$${version:-0}" -ge 17 \
		|| { echo "kafka-census needs Java 17 or newer on the PATH or in JAVA_HOME; found: $${version:-none}" >&2; exit 2; }

$(VENV)/.locked: requirements.lock | toolchain
	@echo "make: installing into $(VENV) from requirements.lock (once, some minutes)" >&2
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements.lock
	@touch $@

$(STAMP): $(VENV)/.locked setup.cfg pyproject.toml emulator/setup.cfg emulator/pyproject.toml
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . -e emulator
	@touch $@

# Only the tests of Kerberos need gssapi, and fail without it. Without optimization, compiling takes a third of the time.
$(KERBEROS): requirements-kerberos.lock $(VENV)/.locked
	@if ! command -v gcc >/dev/null || ! command -v krb5-config >/dev/null || ! PATH="$$PATH:/usr/sbin" command -v krb5kdc >/dev/null; then \
		echo "make: tests of Kerberos will fail: apt-get install gcc libkrb5-dev krb5-kdc krb5-admin-server krb5-user" >&2; \
	elif echo "make: compiling gssapi, for tests of Kerberos (once)" >&2; CFLAGS="-O0 -g0" $(PY) -m pip install --quiet \
		--disable-pip-version-check --no-compile --require-hashes -r requirements-kerberos.lock; then touch $@; \
	else echo "make: tests of Kerberos will fail: gssapi could not be compiled" >&2; fi

wheel: build/wheel/.installed ## dist/: the wheel, which is all that a machine needs to survey a cluster, and the sdist
	@rm -rf build/lib; build/wheel/bin/python -c "from setuptools import build_meta; build_meta.build_sdist('dist')" >/dev/null 2>&1
	@build/wheel/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w dist .

# Only what builds a wheel: neither the packages of the tests nor Java.
build/wheel/.installed: pyproject.toml | python
	@$(PYTHON) -m venv --clear build/wheel
	@build/wheel/bin/pip install --quiet --disable-pip-version-check $$(sed -n 's/^requires = //p' pyproject.toml | tr -d '[],"')
	@touch $@

dist: jars ## dist/cluster, for a Spark cluster (docs/spark-cluster.md): make dist [EXTRAS="aws kerberos"]
	@$(PY) -m tools.dist dist/cluster $(EXTRAS)

audit: toolchain ## known vulnerabilities of what requirements.lock pins: asks PyPI's advisories
	@test -x build/audit/bin/pip-audit || { $(PYTHON) -m venv build/audit && build/audit/bin/pip install --quiet pip-audit; }
	@build/audit/bin/pip-audit --require-hashes --disable-pip -r requirements.lock -r requirements-kerberos.lock

lock: toolchain ## requirements.lock, and the one of tests of Kerberos, again from setup.cfg's ranges; UPGRADE=--upgrade moves the pins
	@test -x build/lock/bin/pip-compile || { $(PYTHON) -m venv build/lock && build/lock/bin/pip install --quiet pip-tools; }
	@CUSTOM_COMPILE_COMMAND="make lock" build/lock/bin/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras \
		--no-emit-index-url --no-emit-find-links --no-emit-options --extra spark --extra test $(UPGRADE) \
		-P pyspark==4.2.0 -P delta-spark==4.4.0 -o requirements.lock pyproject.toml
	@sed -n '/^kerberos =/{n;s/ //g;p}' setup.cfg | CUSTOM_COMPILE_COMMAND="make lock" build/lock/bin/pip-compile --quiet --generate-hashes \
		--allow-unsafe --strip-extras --no-emit-index-url --no-emit-find-links --no-emit-options $(UPGRADE) \
		-o requirements-kerberos.lock -

jars-lock: install ## pipelines/kafka_census/jars/jars.sha256 again: every jar fetched anew; review it as requirements.lock
	@$(PY) -m kafka_census.jars --lock

class-list: jars ## pipelines/kafka_census/jars/classes.txt.gz again, after a new release of Spark or Delta: what a census loads
	@$(PY) -m benchmarks.class_list

##@ Check
# Jars of brokers are fetched while the first tests run: who needs some waits for them.
test: jars ## every behaviour, on real brokers, with Python and Java alone, in two processes; TESTS=path for some
	@$(PY) -m kafka_census.jars kafka-4.4.0 kafka-tools-4.4.0 kafka-3.9.1 >/dev/null & \
		$(PY) -m pytest $(PYTEST) $(or $(TESTS),-m "not platform")

test-all: packages test lint platforms ## that, lint, and every platform and release, which need some packages of the system

# Said first, before an hour of tests.
packages: toolchain
	@$(PYTHON) tests/platforms.py >&2

platforms: jars $(KERBEROS) ## what test-all runs after test: Spark clusters, Connect, metastore, object store, releases, Kerberos, Chromium, pages
	@$(PY) -m kafka_census.jars kafka-3.9.1 kafka-2.8.2 kafka-3.6.2 kafka-3.7.2 kafka-4.0.2 kafka-4.1.2 kafka-4.2.1 kafka-4.3.1 \
		s3a-3.5.0 s3proxy-3.0.0 >/dev/null & \
		$(PY) -m pytest $(PYTEST) -m platform

check: install ## for everyday work: lint, and every test that needs no Spark, no broker and no jar (a minute and a half)
	@mkdir -p build; $(MAKE) --no-print-directory lint >build/lint.log 2>&1 & lint=$$!; \
		$(PY) -m pytest -q --durations 0 --durations-min 5 $(PYTEST) -m "not platform" $(CHECKED); tests=$$?; \
		wait $$lint || { cat build/lint.log >&2; exit 1; }; exit $$tests

lint: install ## ruff (rules and format), mypy --strict, import contracts
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check --quiet .
	@$(VENV)/bin/mypy
	@$(VENV)/bin/lint-imports --no-cache

format: install ## let ruff fix what it can
	@$(VENV)/bin/ruff check --fix --quiet . ; $(VENV)/bin/ruff format .

docs: install ## docs/tables.md, data-dictionary, expectations, problems, command-reference and codes, Prometheus' rules and dashboards, from what the code declares
	@$(PY) -m tools.dictionary docs/data-dictionary
	@$(PY) -m tools.tables docs/tables.md
	@$(PY) -m tools.expectations docs/expectations
	@$(PY) -m tools.command docs/command-reference
	@$(PY) -m tools.codes docs/codes
	@$(PY) -m tools.problems docs/problems
	@$(PY) -m tools.alert_rules pipelines/kafka_census/defaults/prometheus-rules.yaml
	@$(PY) -m tools.grafana pipelines/kafka_census/defaults/grafana-dashboard.json
	@$(PY) -m tools.lakeview resources/kafka-census.lvdash.json

site: install ## build/site/index.html: docs/ as a site, built offline
	@$(VENV)/bin/sphinx-build -q -W --keep-going -b html docs build/site

bench: jars ## how fast, on real brokers, against the Java AdminClient; prints a table
	@$(PY) -m benchmarks

clean: ## delete build/ and what tools left; the virtual environment and the jar cache stay
	@rm -rf build spark-warehouse metastore_db derby.log .hypothesis .ruff_cache .mypy_cache .import_linter_cache
