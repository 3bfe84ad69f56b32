"""No address with credentials is taken, so that none is shown."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from kafka_census.cli.command import command
from kafka_census.ending import ended
from kafka_census.errors import ConfigError
from kafka_census.lake.lake import Lake, holds_credentials
from kafka_census.without_spark import PublishedLake

CANARY = "canary-9e1d"
ADDRESSES = (
    f"s3a://AKID:{CANARY}@bucket/lake",
    f"s3a://AKID:ca@{CANARY}@bucket/lake",
    f"s3a://AKID:12/{CANARY}@bucket/lake",
    f"S3A://AKID:{CANARY}/@bucket/lake",
    f"abfss://box:{CANARY}@account/lake",
    f"hdfs://user:{CANARY}@namenode:8020/lake",
    f"https://:{CANARY}@host/lake",
    f"abfss://AKID@account/lake?sv=2022-11-02&sp=rl&sig={CANARY}",
    f"https://account/AKID/lake?token={CANARY}",
    f"s3://AKID/lake?aws_secret_access_key={CANARY}&x=1",
)
"""Each holds a secret, some with `@` and `/` in it, some in a query (a shared access signature)."""

HARMLESS = (
    *("s3a://bucket/a:b", "s3://bucket/a@b", "abfss://box@account/lake", "hdfs://nn:8020/lake", "hdfs://nn:8020/u@x/y"),
    *("hdfs://[::1]:8020/a@b", "dbfs:/census", "file:/a:b@c", "/a:b@c", "./s3a:b@c"),
    *("s3://bucket/what?", "s3://bucket/a?day=1&sigma=2", "/what?token=x", "s3://bucket/token=x/sig=y"),
)


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("name", ["doctor", "run --cluster a", "config show", "report", "sql", "diff", "maintain"])
def test_no_command_shows_it(
    name: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "census.yaml"
    text = "lake: {{root: '{}'}}\nclusters: {{a: {{bootstrap_servers: ['127.0.0.1:1']}}}}\n"
    path.write_text(text.format(address), encoding="utf-8")
    line = "lake.root: must not hold credentials"
    assert line in refused(capsys, *name.split(), "--config", str(path))
    path.write_text(text.format("lake"), encoding="utf-8")
    monkeypatch.setenv("KAFKA_CENSUS__LAKE__ROOT", address)
    assert line in refused(capsys, *name.split(), "--config", str(path))
    if name in ("sql", "diff"):
        assert "the address of the lake must not hold credentials" in refused(capsys, name, "--lake", address)


def refused(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert ended(lambda redactor: command(argv, redactor), argv) == 2
    (line,) = "".join(capsys.readouterr()).strip().splitlines()
    assert not re.search(f"{CANARY}|AKID", line)
    return line


@pytest.mark.parametrize("reader", [lambda address: Lake(root=address), PublishedLake], ids=["Spark", "without"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_no_reader_takes_it(address: str, reader: Callable[[str], object]) -> None:
    with pytest.raises(ConfigError) as caught:
        reader(address)
    assert CANARY not in str(caught.value)


def test_other_addresses_are_taken() -> None:
    """A container, a port, and a path with such letters are no credentials."""
    assert [address for address in HARMLESS if holds_credentials(address)] == []


@pytest.mark.parametrize(
    "keys",
    [
        f"lake: {{root: lake}}\ngate: {{expectations: '{ADDRESSES[0]}'}}",
        f"lake: {{root: lake}}\nalerts: {{prometheus_folder: '{ADDRESSES[0]}'}}",
        f"lake: {{root: 's3a:AKID:{CANARY}@b'}}",
        f"lake: {{root: lake}}\nresume_within: 'k:{CANARY}@b'",
    ],
)
def test_no_other_key_takes_or_shows_it(keys: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "census.yaml"
    path.write_text(f"clusters: {{a: {{bootstrap_servers: ['127.0.0.1:1']}}}}\n{keys}\n", encoding="utf-8")
    refused(capsys, "doctor", "--config", str(path))


@pytest.mark.parametrize("setting", [f"fs.s3a.secret.key={CANARY}", f"spark.hadoop.x ={CANARY}", f"{CANARY}"])
def test_a_setting_of_spark_in_another_form_is_refused_without_its_value(
    setting: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It may be the secret key of an object store."""
    assert "must be spark.NAME=VALUE" in refused(capsys, "run", "--cluster", "a", "--spark-conf", setting)
