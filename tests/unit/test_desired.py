"""The desired state: a file of its own, checked as the configuration is."""

from pathlib import Path

import pytest

from kafka_census.cli import job
from kafka_census.config import load
from kafka_census.declarations.desired import Desired
from kafka_census.errors import ConfigError

CONF = """
lake: {root: lake}
clusters:
  local: {bootstrap_servers: [127.0.0.1:9092], desired_state: desired.yaml}
  other: {bootstrap_servers: [127.0.0.1:9092]}
"""


@pytest.fixture
def desired(conf: Path) -> Path:
    conf.write_text(CONF, encoding="utf-8")
    return conf.with_name("desired.yaml")


def test_values_are_reported_as_kafka_writes_them(desired: Path) -> None:
    desired.write_text(
        'brokers: {"*": {log.retention.hours: 72}, "1": {auto.create.topics.enable: false}}\n'
        'topics:\n  logs-*: {min.cleanable.dirty.ratio: 0.5, cleanup.policy: "compact,delete"}\n',
        encoding="utf-8",
    )
    config = load("census.yaml", {})
    assert config.desired("local") == (
        Desired("broker", "*", "log.retention.hours", "72"),
        Desired("broker", "1", "auto.create.topics.enable", "false"),
        Desired("topic", "logs-*", "min.cleanable.dirty.ratio", "0.5"),
        Desired("topic", "logs-*", "cleanup.policy", "compact,delete"),
    )
    assert config.desired("other") == ()
    desired.write_text("# brokers:\n", encoding="utf-8")
    assert load("census.yaml", {}).desired("local") == ()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (None, "clusters.local.desired_state: the file .*desired.yaml does not exist"),
        ("topcis: {}", r"desired.yaml:1: unknown key 'topcis' in the file; did you mean 'topics'\?"),
        ("topics: {t: {a: [1]}}", r"desired.yaml:1: topics.t.a: must be text, a number, true or false; a list is text"),
        ("topics: {t: {a: null}}", r"desired.yaml:1: topics.t.a: must be text, a number, true or false"),
        ("topics: {t: {}}", r"desired.yaml:1: topics.t"),
        ('topics: {"a*b": {k: 1}}', r"desired.yaml:1: topics: 'a\*b' is no topic: give a name, a prefix"),
        ('brokers: {"b1": {k: 1}}', r"desired.yaml:1: brokers: 'b1' is no broker: give an id in quotes"),
    ],
)
def test_what_is_wrong_is_one_line(desired: Path, text: str | None, line: str) -> None:
    if text is not None:
        desired.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=rf"^[^\n]*{line}[^\n]*$"):
        load("census.yaml", {}).desired("local")


@pytest.mark.parametrize("name", ["census", "transform"])
def test_a_job_that_computes_ends_in_2_before_anything_is_sent(
    desired: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    desired.write_text("topcis: {}", encoding="utf-8")
    assert job.main(name, ["--cluster", "local", "--config", "census.yaml"]) == 2
    lines = capsys.readouterr().err.splitlines()
    mistake = "error: desired.yaml:1: unknown key 'topcis' in the file; did you mean 'topics'?"
    assert [line for line in lines if line.startswith("error: ")] == [mistake]
