"""What is packed for a Spark cluster; that it runs there is shown by tests/e2e/test_spark_cluster.py."""

import pytest

from kafka_census.errors import ConfigError
from tools import dist


def test_packed_is_what_the_census_needs_and_neither_spark_nor_what_tests_need() -> None:
    """Each once, with what it needs in turn."""
    names = [
        its.metadata["Name"].lower().replace("_", "-") for its in dist.needed(["great-expectations[spark]", "rich"])
    ]
    assert {"great-expectations", "rich", "pandas", "numpy"} <= {*names}
    assert {"pyspark", "py4j", "delta-spark", "pytest"} & {*names} == set()
    assert len(names) == len({*names})


def test_a_package_that_is_not_installed_is_one_line() -> None:
    """With the command that installs it."""
    with pytest.raises(ConfigError, match=r"^dist: the package not-there is not installed; run: make install$"):
        dist.needed(["not-there>=1"])
