"""The data source `kafka_admin` reads the configurations that the operator allows, and no other file."""

from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from emulator.asking import cluster, serving
from harness.standin import StandIn
from kafka_census.data_source import CONFIGS, KafkaAdminDataSource, allowed, kafka_admin
from kafka_census.errors import ConfigError

SECRET = "canary-5f1e"


def written(path: Path, servers: str = "127.0.0.1:9092", **sasl: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    how = "security_protocol: SASL_PLAINTEXT, allow_clear_password: true"
    more = f"{how}, sasl: {sasl}".replace("'", "") if sasl else ""
    text = f"lake: {{root: lake}}\nclusters: {{c: {{bootstrap_servers: '{servers}', {more}}}}}\n"
    path.write_text(text, encoding="utf-8")
    return path


def brokers(spark: SparkSession, config: Path) -> list[int]:
    options = {"config": str(config), "cluster": "c", "rpc": "DescribeCluster"}
    return [row.item_count for row in spark.read.format("kafka_admin").options(**options).load().collect()]


def read_by(source: type[KafkaAdminDataSource], config: Path) -> str:
    """The cluster of the file, read by a source as Spark makes one for each read."""
    made = source({"config": str(config), "cluster": "c", "rpc": "DescribeCluster"})
    return made.reader(made.schema()).options.cluster


def test_another_file_is_not_read_and_nothing_is_sent(spark: SparkSession, tmp_path: Path) -> None:
    secret, link = tmp_path / "secret", tmp_path / "link.yaml"
    secret.write_text(SECRET, encoding="utf-8")
    with serving(cluster(brokers={"count": 2}, groups={"count": 6})) as server:
        mine = written(tmp_path / "census.yaml", server.bootstrap_servers)
        source = kafka_admin(spark, str(mine))
        spark.dataSource.register(source)
        assert brokers(spark, mine) == [2]
    with StandIn({}) as thief:
        at = f"127.0.0.1:{thief.endpoint.port}"
        sasl = {"mechanism": "PLAIN", "username": "u", "password": f"{{file: {secret}}}"}
        theirs = written(tmp_path / "theirs" / "census.yaml", at, **sasl)
        link.symlink_to(theirs)
        spark.conf.set(CONFIGS, str(theirs))
        try:
            with pytest.raises(PySparkException) as caught:
                brokers(spark, theirs)
        finally:
            spark.conf.unset(CONFIGS)
        line = next(line for line in str(caught.value).splitlines() if "errors.ConfigError: " in line)
        assert f"the configuration {str(theirs)!r} is not one that the operator of this session allows" in line
        assert SECRET not in str(caught.value)
        for path in (theirs, link, tmp_path / "nowhere.yaml"):
            with pytest.raises(ConfigError, match=f"the configuration '{path}' is not one .*{CONFIGS}"):
                read_by(source, path)
        assert thief.connections == 0


def test_the_setting_names_the_files(spark: SparkSession, tmp_path: Path) -> None:
    job, *named = (written(tmp_path / name) for name in ("job.yaml", "one.yaml", "two.yaml"))
    (tmp_path / "link.yaml").symlink_to("one.yaml")
    spark.conf.set(CONFIGS, f"{named[0]}, {tmp_path}/x/../two.yaml")
    try:
        source = kafka_admin(spark, str(job))
    finally:
        spark.conf.unset(CONFIGS)
    assert {read_by(source, path) for path in (*named, tmp_path / "link.yaml")} == {"c"}
    with pytest.raises(ConfigError, match="is not one that the operator of this session allows"):
        read_by(source, job)


def test_the_class_by_itself_allows_the_default_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "conf" / "census.yaml")
    written(tmp_path / "other.yaml")
    monkeypatch.chdir(tmp_path)
    assert read_by(KafkaAdminDataSource, Path("conf/census.yaml")) == "c"
    other = KafkaAdminDataSource({"config": "other.yaml", "cluster": "c", "rpc": "DescribeCluster"})
    for read in (other.schema, lambda: other.reader(StructType([]))):
        with pytest.raises(ConfigError, match=CONFIGS):
            read()

    # A path is read by its real name, so that a link cannot be redirected after it was checked.
    (tmp_path / "link").symlink_to("other.yaml")
    configs = [str(tmp_path / "other.yaml")]
    assert allowed(str(tmp_path / "link"), configs) == configs[0]
    for wrong in ("a\0b", "", str(tmp_path), "\ud800"):
        with pytest.raises(ConfigError, match=CONFIGS):
            allowed(wrong, configs)
