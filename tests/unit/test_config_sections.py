"""The section `alerts` and the desired state: a mistake is one line before anything is sent, and no URL is in it."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from kafka_census.cli import job
from kafka_census.config import load
from kafka_census.config.effective import effective
from kafka_census.declarations.desired import Desired
from kafka_census.declarations.given import Given
from kafka_census.declarations.owners import Owner
from kafka_census.declarations.risk_policy import AcceptedRisk, RiskPolicy
from kafka_census.errors import ConfigError
from unit.configuring import changed

CANARY = "canary-hunter2"
URL = f"https://hooks.example.org/services/{CANARY}"
SECRET = {"url": {"env": "HOOK"}}


def written(conf: Path, alerts: object) -> str:
    conf.write_text(changed(alerts=alerts), encoding="utf-8")
    return conf.name


@pytest.mark.parametrize(
    ("alerts", "line"),
    [
        ({"webhok": SECRET}, "census.yaml:8: unknown key 'webhok' in alerts; did you mean 'webhook'?"),
        ({"webhook": {**SECRET, "timeout": 5}}, "alerts.webhook.timeout: must be a duration such as 90s"),
        (
            {"webhook": {"url": URL}},
            "a secret is never written here; give {env: NAME}, {file: PATH}, {file: PATH, property: ",
        ),
        ({"webhook": SECRET}, "census.yaml:10: alerts.webhook.url: the environment variable HOOK is not set"),
        ({"prometheus_folder": "away"}, "census.yaml:8: alerts.prometheus_folder: no such folder: away"),
    ],
)
def test_a_mistake_is_one_line_and_2_before_spark_starts(
    conf: Path, capsys: pytest.CaptureFixture[str], alerts: object, line: str
) -> None:
    assert job.main("census", ["--config", written(conf, alerts), "--cluster", "local"]) == 2
    said = capsys.readouterr().err
    assert line in said
    assert said.count("\n") == 1
    assert CANARY not in said


def test_a_secret_that_is_no_url_is_not_quoted(conf: Path) -> None:
    config = load(written(conf, {"webhook": SECRET}), {"HOOK": f"https://u:{CANARY}@h/"})
    line = r"^census.yaml:9: alerts.webhook.url: must be a URL such as https://host/path$"
    with pytest.raises(ConfigError, match=line):
        config.webhook()


def test_the_environment_says_all_of_it(conf: Path, tmp_path: Path) -> None:
    environ = {
        "KAFKA_CENSUS__ALERTS__PROMETHEUS_FOLDER": str(tmp_path),
        "KAFKA_CENSUS__ALERTS__WEBHOOK__URL": URL,
        "KAFKA_CENSUS__ALERTS__WEBHOOK__TIMEOUT": "3s",
    }
    name = written(conf, None)
    webhook = load(name, environ).webhook()
    assert (webhook.url.reveal(), webhook.timeout) == (URL, timedelta(seconds=3))
    shown = {each.key: each.value for each in effective(Given(name), environ)}
    assert shown["alerts.prometheus_folder"] == str(tmp_path)
    assert shown["alerts.webhook.url"] == "*** {env: KAFKA_CENSUS__ALERTS__WEBHOOK__URL}"
    assert CANARY not in repr(shown) + repr(webhook)


def test_a_url_that_others_can_read_is_reported(conf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hook = conf.with_name("hook")
    hook.write_text(URL, encoding="utf-8")
    hook.chmod(0o600)
    config = load(written(conf, {"webhook": {"url": {"file": "hook"}}}), {})
    assert config.exposed("local") == ()
    monkeypatch.setattr("kafka_census.config.is_exposed", lambda file: file == Path("hook"))
    assert config.exposed("local") == ("hook",)


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


def test_a_job_that_computes_ends_in_2_before_anything_is_sent(
    desired: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desired.write_text("topcis: {}", encoding="utf-8")
    mistake = "error: desired.yaml:1: unknown key 'topcis' in the file; did you mean 'topics'?"
    for name in ("census", "transform"):
        assert job.main(name, ["--cluster", "local", "--config", "census.yaml"]) == 2
        lines = capsys.readouterr().err.splitlines()
        assert [line for line in lines if line.startswith("error: ")] == [mistake]


OWNERS = """\
owners:
- {owner: pay, cost_centre: "4711", topics: [pay-*, cards], principals: ["User:pay"]}
- {owner: ship, contact: "#ship", groups: ["*"]}
"""


def test_owners_are_told_in_the_configuration_or_in_a_file(conf: Path) -> None:
    text = changed()
    pay = Owner("pay", None, "4711", (("topics", "pay-*"), ("topics", "cards"), ("principals", "User:pay")))
    ship = Owner("ship", "#ship", None, (("groups", "*"),))
    conf.write_text(text + OWNERS, encoding="utf-8")
    assert load(conf, {}).operator_values("local").owners == (pay, ship)
    yaml, table = conf.with_name("owners.yaml"), conf.with_name("owners.csv")
    yaml.write_text(OWNERS, encoding="utf-8")
    conf.write_text(f"{text}owners_file: {yaml}\n", encoding="utf-8")
    assert load(conf, {}).operator_values("local").owners == (pay, ship)
    table.write_text('owner,kind,pattern,contact\npay,topics,pay-*,\nship,groups,*,"#ship, please"\n', encoding="utf-8")
    conf.write_text(f"{text}owners_file: {table}\n", encoding="utf-8")
    assert load(conf, {}).operator_values("local").owners == (
        Owner("pay", patterns=(("topics", "pay-*"),)),
        Owner("ship", "#ship, please", None, (("groups", "*"),)),
    )


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("owners.csv", "owner,pattern\n", ":1: the header must be owner,kind,pattern,contact,cost_centre"),
        ("owners.csv", "owner,kind,pattern\npay,topic,pay-*\n", ":2: kind must be one of topics, groups"),
        ("owners.csv", "owner,kind,pattern\npay,topics,a*b\n", ":2: a * stands only at the end of a pattern"),
        ("owners.csv", "owner,kind,pattern\npay,topics\n", ":2: needs 3 values"),
        ("owners.yaml", "owners:\n- {owner: pay, topcs: [a]}\n", ":2: unknown key 'topcs'"),
        ("owners.yaml", "owners:\n- {owner: pay, topics: [a*b]}\n", "'a*b' in topics: a * stands only at the end"),
    ],
)
def test_a_mistake_in_a_file_of_owners_is_one_line(conf: Path, name: str, text: str, error: str) -> None:
    path = conf.with_name(name)
    path.write_text(text, encoding="utf-8")
    conf.write_text(f"{changed()}owners_file: {path}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        load(conf, {}).operator_values("local")
    [line] = str(raised.value).splitlines()
    assert line.startswith(str(path))
    assert error in line


def test_accepted_risks_are_told_with_their_last_day(conf: Path) -> None:
    text = changed()
    accepted = "  accept: [{word: one_replica, topic: scratch-*, until: 2027-01-31, why: tests}]\n"
    conf.write_text(f"{text}risks:\n  disk_used: 0.9\n{accepted}", encoding="utf-8")
    policy = load(conf, {}).operator_values("local").policy
    assert policy == RiskPolicy(
        disk_used=0.9, accept=(AcceptedRisk("one_replica", date(2027, 1, 31), "tests", "scratch-*"),)
    )
    conf.write_text(f"{text}risks:\n{accepted.replace('one_replica', 'one_replika')}", encoding="utf-8")
    with pytest.raises(ConfigError, match="is not a risk; known: one_replica"):
        load(conf, {})
