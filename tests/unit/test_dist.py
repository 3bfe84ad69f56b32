"""What is packed for a Spark cluster; that it runs there is shown by tests/e2e/test_spark_cluster.py."""

from pathlib import Path

import pytest

from kafka_census.errors import ConfigError
from tools import dist


def test_packed_is_what_the_census_needs_and_neither_spark_nor_what_tests_need() -> None:
    names = [
        its.metadata["Name"].lower().replace("_", "-") for its in dist.needed(["great-expectations[spark]", "rich"])
    ]
    assert {"great-expectations", "rich", "pandas", "numpy"} <= {*names}
    assert {"pyspark", "py4j", "delta-spark", "pytest"} & {*names} == set()
    assert len(names) == len({*names})


def test_packed_is_also_what_a_named_extra_needs() -> None:
    assert not any("botocore" in text or "gssapi" in text for text in dist.required(()))
    both = dist.required(("aws", "kerberos"))
    assert [text.partition(">")[0] for text in both[-2:]] == ["botocore", "gssapi"]
    names = {its.metadata["Name"] for its in dist.needed(dist.required(("aws",)))}
    assert {"botocore", "jmespath", "kafka-python"} <= names


def test_an_unknown_extra_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dist.main([str(tmp_path / "cluster"), "kerberos", "awss"]) == 2
    line = "kafka-census: dist: there is no extra awss; for clusters there are aws and kerberos\n"
    assert capsys.readouterr().err == line
    assert not (tmp_path / "cluster").exists()


def test_a_package_that_is_not_installed_is_one_line() -> None:
    line = "dist: the package not-there is not installed; run: make install, or for an extra: "
    with pytest.raises(ConfigError, match=f"^{line}.*python.* -m pip install 'not-there>=1'$"):
        dist.needed(["not-there>=1"])
