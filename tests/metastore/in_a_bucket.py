"""A lake on a path in an object store: surveyed, and read with and without Spark.

Spark finds the store's credentials in the environment. Run by test_metastore.py, in a process of its own. The tests
take one lake from one state to the next, in their order.
in_a_catalog.py, whose tables are in the same object store, resumes a census, maintains, and deletes groups.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import kafka_census
from e2e.operator import Operator
from emulator.commanding import running
from harness.s3 import ACCESS_KEY, BUCKET, SECRET_KEY, S3Server
from kafka_census.cli.command import command
from kafka_census.errors import CorruptLake
from kafka_census.reading.without_spark import PublishedLake
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_census.terminal.log import Redactor

ROOT = f"s3a://{BUCKET}/lake"
OF_SESSION = "org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider"


@pytest.fixture(scope="module")
def operator(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    with running("--scenario", "calm") as (_, servers):
        folder = tmp_path_factory.mktemp("bucket")
        yield Operator(spark, folder, ",".join(servers), tables=(QUOTAS,), address=ROOT)


def published(s3: S3Server) -> list[str]:
    publications = PublishedLake(ROOT, s3.of_deltalake).publications.to_table(columns=["census_id"])
    return sorted(set(publications["census_id"].to_pylist()))


@pytest.mark.parametrize(
    ("bucket", "settings", "code", "says"),
    [
        ("nowhere", {}, 2, "the bucket or container that lake.root names does not exist"),
        ("unknown", {"aws.credentials.provider": OF_SESSION}, 2, "Spark has no credentials for the object store"),
        ("refused", {"access.key": ACCESS_KEY, "secret.key": "wrong"}, 1, "the lake cannot be written, or not read"),
        (
            "silent",
            {"endpoint": "http://127.0.0.1:9", "attempts.maximum": "1", "retry.limit": "1"},
            1,
            "the object store that lake.root names does not answer",
        ),
    ],
)
def test_a_store_that_is_not_there_is_one_line(
    operator: Operator, bucket: str, settings: dict[str, str], code: int, says: str
) -> None:
    hadoop = operator.spark.sparkContext._jsc.hadoopConfiguration()
    for name, value in settings.items():
        hadoop.set(f"fs.s3a.bucket.{bucket}.{name}", value)
    ran = replace(operator, address=f"s3a://{bucket}/lake").run("census")
    assert ran.code == code, ran.err
    assert says in ran.error
    assert f"s3a://{bucket}/lake" in ran.error
    assert ran.events("fetching") == []


def test_a_census_is_read_with_and_without_spark(operator: Operator, s3: S3Server) -> None:
    """The log says once that nobody else keeps a second run away."""
    with pytest.raises(CorruptLake, match="nothing is published"):
        kafka_census.register(operator.spark, ROOT)
    ran = operator.done("census")
    assert len(ran.events("no_run_lock")) == 1
    assert SECRET_KEY not in ran.err
    [census_id] = published(s3)
    (quotas,) = kafka_census.current(ROOT, QUOTAS.name, storage_options=s3.of_deltalake)
    kafka_census.register(operator.spark, ROOT)
    by_spark = operator.spark.table("current_quotas").toArrow()
    read = quotas.to_table().select(by_spark.column_names).to_pylist()
    assert {row["census_id"] for row in read} == {census_id}
    assert sorted(read, key=repr) == sorted(by_spark.to_pylist(), key=repr)


def test_commands_without_spark_read_it(
    operator: Operator,
    s3: S3Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in s3.of_deltalake.items():
        monkeypatch.setenv(name, value)
    of, query = ["--config", str(operator.config)], "SELECT DISTINCT census_id FROM history_quotas"
    [census_id] = published(s3)
    assert command(["sql", *of, "-e", query, "--format", "csv"], Redactor()) == 0
    assert capsys.readouterr().out == f"census_id\n{census_id}\n"
    page = tmp_path / "report.html"
    assert command(["report", *of, "--cluster", "test", "--html", str(page)], Redactor()) == 0
    assert census_id in page.read_text()
