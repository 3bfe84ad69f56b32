"""Which tests only `make test-all` runs: those of another platform, release or size, or of a program of the system.

`make test` shows every behaviour once, with Python, Java and the package registries alone. This module is the only
place that says which tests are not in it: `tests/conftest.py` marks them `platform`, and the Makefile selects by that
mark. It imports nothing but the standard library, so that `make test-all` and CI can ask it before anything is
installed: `python tests/platforms.py` prints what is missing on this machine and exits with 1.
"""

import os
import shutil
import sys
from collections.abc import Mapping

MARK = "platform"

PLATFORM_TESTS: Mapping[str, str] = {
    "tests/browser/": "Chromium",
    "tests/e2e/test_acls.py": "a cluster of every kind of ACL",
    "tests/e2e/test_demo.py": "make demo, its printed commands, and the questions on its lake",
    "tests/e2e/test_deletion_failover.py": "two clusters behind one address",
    "tests/e2e/test_failure_impact.py": "five brokers that are stopped in turn",
    "tests/e2e/test_kerberos.py": "MIT's KDC and gssapi",
    "tests/e2e/test_lag_in_time.py": "three censuses while records are written",
    "tests/e2e/test_losses.py": "a cluster that loses a disk, a broker and its controller",
    "tests/e2e/test_min_isr_of_releases.py": "Kafka 2.8.2, 3.6.2 and 3.7.2",
    "tests/e2e/test_old_brokers.py": "Kafka 2.8.2, 3.9.1, and 4.0 to 4.3",
    "tests/e2e/test_security.py": "every way to sign in, on real brokers",
    "tests/e2e/test_spark_cluster.py": "a Spark standalone cluster",
    "tests/emulator/test_printed_commands.py": "commands that messages print, typed as they are printed",
    "tests/emulator/test_spark_releases.py": "Spark 4.0.1 and 4.1.1",
    "tests/emulator/test_truth_at_size.py": "a large world",
    "tests/emulator/test_what_people_ask.py": "a large world",
    "tests/golden/test_releases.py": "message files of nine releases of Kafka",
    "tests/metastore/": "a Hive metastore and an object store",
    "tests/spark/test_documented_blocks.py": "every block of the documentation",
    "tests/spark/test_notebooks.py": "a notebook without Databricks",
    "tests/spark/test_serverless.py": "Spark Connect, and the notebooks on it",
    "tests/unit/test_alert_rules.py": "Prometheus' promtool",
    "tests/unit/test_examples.py": "systemd",
    "tests/unit/test_site.py": "the documentation as a site",
}
"""Files or folders of tests, and what they are about."""

PACKAGES: Mapping[str, tuple[str, str]] = {
    "chromium-headless-shell": ("chromium-headless-shell chromium google-chrome", "tests/browser/"),
    "gcc": ("gcc", "tests/e2e/test_kerberos.py"),
    "libkrb5-dev": ("krb5-config", "tests/e2e/test_kerberos.py"),
    "krb5-kdc": ("krb5kdc", "tests/e2e/test_kerberos.py"),
    "krb5-admin-server": ("kadmin.local", "tests/e2e/test_kerberos.py"),
    "krb5-user": ("kinit", "tests/e2e/test_kerberos.py"),
    "systemd": ("systemd-analyze", "tests/unit/test_examples.py"),
}
"""Debian's packages: the programs of which one is enough, and who needs it."""

WITH_CHROMIUM = "fonts-dejavu-core"
"""What a page is drawn with."""


def of_a_platform(nodeid: str) -> bool:
    """Whether only `make test-all` runs this test."""
    return nodeid.startswith(tuple(PLATFORM_TESTS))


def missing() -> list[str]:
    """The packages whose programs this machine lacks."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin"
    programs = {package: names.split() for package, (names, _) in PACKAGES.items()}
    return [package for package, names in programs.items() if not any(shutil.which(name, path=path) for name in names)]


def main() -> int:
    """Print what is missing, how to install that, and which tests are not run without it."""
    lacking = missing()
    if not lacking:
        return 0
    fonts = [WITH_CHROMIUM] if "chromium-headless-shell" in lacking else []
    left_out = dict.fromkeys(PACKAGES[package][1] for package in lacking)
    print(f"make test-all: system packages are missing, so these tests cannot run: {', '.join(left_out)}")
    print(f"apt-get install --no-install-recommends {' '.join(lacking + fonts)}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
