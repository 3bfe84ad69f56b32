"""`kafka-census config show`: every value, where it comes from, and no secret."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from kafka_census.config import model
from kafka_census.config.effective import effective
from kafka_census.config.section import SecretSource, Section
from kafka_census.config.values import _duration, duration_text
from kafka_census.declarations.given import Given
from unit.configuring import ran

CANARY = "canary-hunter2"
CONF = """\
lake: {root: 's3a://bucket/lake'}
collect:
  page_limit: 7
resume_within: 90m
clusters:
  a:
    bootstrap_servers: [h:1, h:2]
    security_protocol: SASL_SSL
    sasl:
      mechanism: PLAIN
      username: u
      password: {env: CENSUS_PASSWORD}
  b: {bootstrap_servers: [h:3]}
"""


@pytest.fixture(autouse=True)
def written(conf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CENSUS_PASSWORD", CANARY)
    conf.write_text(CONF, encoding="utf-8")


def shown(*argv: str) -> int:
    return ran("config", "show", "--config", "census.yaml", *argv)


def test_each_value_says_where_it_comes_from(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KAFKA_CENSUS__COLLECT__TASKS", "3")
    assert shown("--json") == 0
    values = {each.pop("key"): each for each in json.loads(capsys.readouterr().out)}
    variable = "KAFKA_CENSUS__COLLECT__TASKS"
    expected: dict[str, tuple[Any, str, str | None, str]] = {
        "collect.page_limit": (7, "file", "census.yaml:3", "7"),
        "collect.tasks": (3, "environment", variable, "3"),
        "collect.max_tries": (2, "default", None, "2"),
        "resume_within": ("1h30m", "file", "census.yaml:4", "1h30m"),
        "clusters.a.bootstrap_servers": (["h:1", "h:2"], "file", "census.yaml:7", "[h:1, h:2]"),
        "clusters.b.cluster_id": (None, "default", None, "null"),
    }
    assert {key: tuple(values[key].values()) for key in expected} == {key: one[:3] for key, one in expected.items()}
    assert shown() == 0
    lines = {" ".join(line.split()) for line in capsys.readouterr().out.splitlines()}
    assert {f"{key} {text} {location or origin}" for key, (_, origin, location, text) in expected.items()} <= lines


@pytest.mark.parametrize("argv", [(), ("--json",)])
def test_secrets_are_masked(
    conf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], argv: tuple[str, ...]
) -> None:
    assert shown(*argv) == 0
    out = capsys.readouterr().out
    assert "*** {env: CENSUS_PASSWORD}" in out
    monkeypatch.setenv("KAFKA_CENSUS__CLUSTERS__A__SASL__PASSWORD", CANARY)
    assert shown(*argv) == 0
    out += capsys.readouterr().out
    assert "*** {env: KAFKA_CENSUS__CLUSTERS__A__SASL__PASSWORD}" in out
    monkeypatch.delenv("KAFKA_CENSUS__CLUSTERS__A__SASL__PASSWORD")
    endpoint = "{url: 'https://h/', client_id: c, client_secret: {env: CENSUS_PASSWORD}}"
    sasl = f"sasl: {{mechanism: OAUTHBEARER, oauth: {{token_endpoint: {endpoint}}}}}"
    conf.write_text(CONF[: CONF.index("sasl:")] + sasl, encoding="utf-8")
    assert shown(*argv) == 0
    of_token = capsys.readouterr().out
    assert ("*** {env: CENSUS_PASSWORD}" in of_token, "https://h/" in of_token) == (True, True)
    assert CANARY not in out + of_token


def test_of_several_clusters_one_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown("--cluster", "b") == 0
    keys = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert "clusters.b.bootstrap_servers" in keys
    assert [key for key in keys if key.startswith("clusters.a")] == []
    assert shown("--cluster", "c") == 2
    assert capsys.readouterr().err == "error: census.yaml: no cluster 'c' in clusters; known: a, b\n"


def test_every_mistake_is_a_line_with_its_location(
    conf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KAFKA_CENSUS__COLLECT__TASKS", "x")
    conf.write_text(CONF.replace("page_limit: 7", "page_limt: 7").replace("90m", "90"), encoding="utf-8")
    assert shown() == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    where = ["KAFKA_CENSUS__COLLECT__TASKS", "census.yaml:3", "census.yaml:4"]
    assert [line.split(": ")[:2] for line in captured.err.splitlines()] == [["error", one] for one in where]


def test_no_key_is_left_out_but_an_alternative_that_the_environment_replaced(conf: Path) -> None:
    keys = {each.key for each in effective(Given(str(conf)), {})}
    replaced = effective(Given(str(conf)), {"KAFKA_CENSUS__LAKE__CATALOG": "main.census"})
    of_lake = [(each.key, each.value, each.origin) for each in replaced if "lake" in each.key]
    assert of_lake == [("lake.catalog", "main.census", "environment")]

    def leaves(section: type[BaseModel], path: str) -> Iterator[str]:
        for name, field in section.model_fields.items():
            inner: Any = field.annotation
            if isinstance(inner, type) and issubclass(inner, Section):
                yield from leaves(inner, f"{path}{name}.") if inner is not SecretSource else [path + name]
            elif name != "clusters":
                yield path + name

    expected = {*leaves(model.File, ""), *leaves(model.ClusterSection, "clusters.b.")} - {"lake.catalog"}
    assert expected <= keys
    assert keys - expected == {*(key for key in keys if key.startswith("clusters.a."))}
    assert {"clusters.a.sasl.username", "clusters.a.sasl.password"} <= keys


def test_a_duration_is_shown_as_the_file_writes_it() -> None:
    shown = {"90s": "1m30s"} | {text: text for text in ("1h30m", "2d12h", "400d", "5ms", "1m1ms", "0s")}
    assert {text: duration_text(_duration(text)) for text in shown} == shown
