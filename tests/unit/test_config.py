"""conf/census.yaml: what is right becomes values, what is wrong becomes one line with its location."""

import copy
import dataclasses
import pickle
import traceback
from datetime import timedelta
from pathlib import Path

import pytest

from kafka_census.config import load, model
from kafka_census.declarations.thresholds import Thresholds
from kafka_census.defaults import CENSUS
from kafka_census.errors import ConfigError
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.tables.all_tables import TABLES
from unit.configuring import MINIMAL, changed, loaded, refusal, with_cluster

pytestmark = pytest.mark.usefixtures("conf")

CANARY = "canary-hunter2"
ENV = {"env": "P"}
USER = {"username": "u", "password": ENV}
NEITHER = "is neither a path nor a URI; write hdfs:/census, or ./hdfs:census for a folder, not 'hdfs:census'"
NEVER = "a secret is never written here; give {env: NAME}, {file: PATH}, {file: PATH, property: KEY} or"
COLLECT = f"{MINIMAL}collect:\n"
AWS = {"mechanism": "AWS_MSK_IAM", "aws": {"region": "r"}}

PLAIN = """
lake: {root: lake}
clusters:
  eu-prod.1:
    bootstrap_servers: [127.0.0.1:9092]
    security_protocol: SASL_PLAINTEXT
    sasl:
      mechanism: SCRAM-SHA-512
      username: census
      password: {env: CENSUS_PASSWORD}
"""


def test_the_shipped_file_is_the_defaults() -> None:
    """Every value that `kafka-census init` writes is the default, so that the file documents them."""
    config = load(CENSUS, {})
    assert config.collect == CollectSettings()
    assert config.cluster("local") == ClusterSettings("local", ("127.0.0.1:9092",))
    assert config.resume_within == timedelta(hours=1)
    assert (config.gate, config.expectations) == (Thresholds(), Path("conf/expectations"))
    assert config.retention == model.RetentionSection()
    assert (config.alerts.are_on, config.webhook()) == (False, None)
    assert (config.completeness.unreachable_brokers, config.completeness.visibility) == ("refuse", "require")
    assert config.tables == tuple(table.name for table in TABLES)
    assert config.lake.root
    assert config.lake.root.endswith("/kafka-census-lake")


def test_the_shipped_file_has_every_key() -> None:
    """Set or commented out; there are no alerts by default."""
    text = CENSUS.read_text(encoding="utf-8")
    sections = (model.File, model.CollectSection, model.GateSection, model.RetentionSection, model.ClusterSection)
    of_others = "root catalog cafile certfile keyfile check_hostname mechanism username"
    keys = [*(name for section in sections for name in section.model_fields), *of_others.split()]
    assert [key for key in keys if f"{key}:" not in text] == []
    alerts = (*model.AlertsSection.model_fields, *model.WebhookSection.model_fields)
    assert [key for key in alerts if f"# {key}:" not in text and f"#   {key}:" not in text] == []


def test_sections_have_the_fields_of_their_settings() -> None:
    """A setting that is added on the wire side cannot be forgotten in the file; what one run accepts is no key."""
    collect, gate = ({field.name for field in dataclasses.fields(one)} for one in (CollectSettings, Thresholds))
    assert set(model.CollectSection.model_fields) == collect
    assert set(model.GateSection.model_fields) - {"expectations"} == gate - {"accept_row_counts"}


def test_shares_of_single_tables_are_added_to_the_defaults_and_single_rpcs_have_limits() -> None:
    """Tables that come and go stay so when another table is named, in the file or in the environment."""
    config = loaded(changed(gate={"keep_rows_of": {"quotas": 0.25, "config_drift": 1}}))
    assert config.gate.keep_rows_of == {**Thresholds().keep_rows_of, "quotas": 0.25, "config_drift": 1}
    config = loaded(changed(), KAFKA_CENSUS__GATE__KEEP_ROWS_OF="quotas=0.5, brokers=1")
    assert config.gate.keep_rows_of == {**Thresholds().keep_rows_of, "quotas": 0.5, "brokers": 1}
    given = changed(collect={"page_limit": 100, "page_limits": {"ListGroups": 500, "DescribeAcls": 7}})
    own = {"KAFKA_CENSUS__COLLECT__PAGE_LIMITS": "ListGroups=500, DescribeAcls = 7"}
    for collect in (loaded(given).collect, loaded(changed(collect={"page_limit": 100}), **own).collect):
        assert [collect.page_limit_of(rpc) for rpc in ("ListGroups", "DescribeAcls", "Metadata")] == [500, 7, 100]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a\n", "census.yaml:1: must be sections"),
        ("lake: [\n", "not valid YAML"),
        (changed(lake={}), "give exactly one of root (a path or URI) and catalog (name.schema)"),
        (changed(lake={"catalog": "nodot"}), "lake.catalog"),
        (changed(lake={"root": "a/${b}"}), "lake.root: must not hold '${', which Spark's SQL replaces"),
        # It would become a folder below the current one, in silence.
        (changed(lake={"root": "hdfs:census"}), f"2: lake.root: {NEITHER}"),
        (PLAIN.replace("{env: CENSUS_PASSWORD}", CANARY), f"10: clusters.eu-prod.1.sasl.password: {NEVER}"),
        (changed(clusters=None), "clusters must be a section"),
        (changed(clusters={"a b": {"bootstrap_servers": ["h:1"]}}), "cluster name 'a b' must be"),
        (MINIMAL.replace("local: {", "a_b: {bootstrap_servers: [h:1]}, a-b: {"), "'a_b' and 'a-b' are the same"),
        (changed(tables=["groups"]), "has no table 'groups'; known: under_min_isr_partitions"),
        (changed(tables=["reassignment_backlog", "reassignment_backlog"]), "names a table twice"),
        (changed(resume_within="1 week"), "must be a duration such as 90s, 30m, 1h or 1h30m, not '1 week'"),
        (changed(retention={"daily": "1d"}), "retention: every must not exceed daily"),
        (changed(retention={"landed": "30m"}), "retention: landed must not be less than resume_within"),
        (changed(retention={"hourly": "1d"}), "unknown key 'hourly' in retention; known: landed, every, daily, grace"),
        (changed(colect={}), "unknown key 'colect' in the file; did you mean 'collect'?"),
        (changed(gate={"keep_rows": 2}), "gate.keep_rows must be less than or equal to 1, not 2"),
        (changed(gate={"keep_rows": "half"}), "gate.keep_rows: must be a number, not 'half'"),
        (changed(gate={"keep_rows_of": {"nope": 1}}), "has no table 'nope'"),
        (changed(gate={"keep_rows_of": "brokers"}), "must be shares such as consumer_lag=0.8, quotas=0"),
        (changed(gate={"expectations": "elsewhere"}), "gate.expectations: no such folder: elsewhere"),
        (changed(collect={"page_limits": {"ListGroup": 5}}), "has no RPC 'ListGroup'; known: DescribeCluster, "),
        (changed(collect={"page_limits": "lots"}), "must be limits such as ListGroups=500, DescribeAcls=100"),
        (COLLECT + "  page_limit: true", "census.yaml:4: collect.page_limit: must be an integer, not True"),
        (COLLECT + "  page_limit: 0", "census.yaml:4: collect.page_limit must be greater than or equal to 1, not 0"),
        (COLLECT + "  page_limit:", "census.yaml:4: collect.page_limit must be a valid integer"),
        (COLLECT + "  collect_on: moon", "yaml:4: collect.collect_on must be 'executors' or 'driver', not 'moon'"),
        (COLLECT + "  retry_backoff_ms: 9000", ":3: collect: retry_backoff_ms must not exceed retry_backoff_max_ms"),
        (with_cluster(security_protocol="SASL_SSL"), "security_protocol SASL_SSL needs a sasl section"),
        (with_cluster(sasl=USER | {"mechanism": "PLAIN"}), "uses no sasl section; use SASL_SSL or SASL_PLAINTEXT"),
        (with_cluster(security_protocol="SASL_PLAINTEXT", sasl=AWS), "AWS_MSK_IAM needs security_protocol SASL_SSL"),
        (with_cluster(ssl={"cafile": "x"}), "security_protocol PLAINTEXT uses no ssl section; use SSL or SASL_SSL"),
        (with_cluster(security_protocol="SSL", ssl={"keyfile": "k"}), "keyfile needs certfile"),
        (with_cluster(security_protocol="SSL", ssl={"password": ENV}), "password (of the private key) needs certfile"),
        (
            with_cluster(security_protocol="SSL", ssl={"cafile_password": ENV}),
            "cafile_password (of a PKCS#12 or JKS store)",
        ),
        (with_cluster(bootstrap_servers=["localhost:99999"]), "server 1 must be host:port"),
    ],
)
def test_a_mistake_in_the_file_is_one_line(text: str, expected: str) -> None:
    assert expected in refusal(text)


def test_what_is_no_file_is_reported(conf: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load(conf.parent, {})
    with pytest.raises(ConfigError, match="cannot be read: embedded null byte"):
        load("a\0b", {})


def test_every_key_can_be_set_from_the_environment() -> None:
    config = loaded(
        PLAIN,
        CENSUS_PASSWORD=CANARY,
        KAFKA_CENSUS__LAKE__ROOT="s3a://bucket/census",
        KAFKA_CENSUS__TABLES="reassignment_backlog, under_min_isr_partitions",
        KAFKA_CENSUS__RESUME_WITHIN="1h30m",
        KAFKA_CENSUS__COLLECT__PAGE_LIMIT="100",
        KAFKA_CENSUS__COLLECT__TASKS="",
        KAFKA_CENSUS__COLLECT__COLLECT_ON="driver",
        KAFKA_CENSUS__COMPLETENESS__UNREACHABLE_BROKERS="publish_incomplete",
        KAFKA_CENSUS__RETENTION__EVERY="2d12h",
        KAFKA_CENSUS__CLUSTERS__EU_PROD_1__BOOTSTRAP_SERVERS="127.0.0.1:1,[::1]:2",
        KAFKA_CENSUS__CLUSTERS__EU_PROD_1__CLUSTER_ID="123",
        KAFKA_CENSUS__CLUSTERS__EU_PROD_1__SASL__USERNAME="other",
        KAFKA_CENSUS__CLUSTERS__EU_PROD_1__SECURITY_PROTOCOL="SASL_SSL",
        KAFKA_CENSUS__CLUSTERS__EU_PROD_1__SSL__CHECK_HOSTNAME="false",
    )
    cluster = config.cluster("eu-prod.1")
    assert (config.lake.root, config.resume_within) == ("s3a://bucket/census", timedelta(minutes=90))
    assert config.tables == ("under_min_isr_partitions", "reassignment_backlog")
    assert config.retention == model.RetentionSection(every="2d12h")
    assert (config.collect.page_limit, config.collect.tasks, config.collect.collect_on) == (100, None, "driver")
    assert config.completeness.unreachable_brokers == "publish_incomplete"
    assert (cluster.bootstrap_servers, cluster.cluster_id) == (("127.0.0.1:1", "[::1]:2"), "123")
    assert (cluster.sasl.username, cluster.ssl.check_hostname) == ("other", False)


def test_an_override_replaces_its_alternative(conf: Path) -> None:
    (conf.parent / "secret").write_text(f"{CANARY}\n", encoding="utf-8")
    at = "KAFKA_CENSUS__CLUSTERS__EU_PROD_1__SASL__PASSWORD"
    for own in ({f"{at}__FILE": "secret"}, {at: CANARY}):
        config = loaded(PLAIN, KAFKA_CENSUS__LAKE__CATALOG="main.census", **own)
        assert (config.lake.root, config.lake.catalog) == (None, "main.census")
        assert config.cluster("eu-prod.1").sasl.password == Secret(CANARY)


@pytest.mark.parametrize(
    ("variable", "expected"),
    [
        ("COLLECT__PAGE_LIMT", "unknown key 'PAGE_LIMT' in collect; did you mean 'KAFKA_CENSUS__COLLECT__PAGE_LIMIT'?"),
        ("collect__page_limit", "unknown key 'collect' in the configuration"),
        ("COLLECT", "'collect' is a section; set one of its keys: PAGE_LIMIT"),
        ("CLUSTERS", "'clusters' is a section"),
        ("CLUSTERS__EU_PROD_1__SASL", "'clusters.eu-prod.1.sasl' is a section"),
        ("CLUSTERS__EU_PROD__CLIENT_ID", "no such cluster in census.yaml; did you mean 'EU_PROD_1'?"),
        ("COLLECT__PAGE_LIMIT__X", "'collect.page_limit' is a value"),
        ("COLLECT__", "unknown key ''"),
    ],
)
def test_a_variable_that_leads_nowhere_is_refused_by_name(variable: str, expected: str) -> None:
    """A typo in an override is never ignored."""
    message = refusal(PLAIN, **{f"KAFKA_CENSUS__{variable}": "5"})
    assert message.startswith(f"KAFKA_CENSUS__{variable}: ")
    assert expected in message


@pytest.mark.parametrize(
    "given",
    [
        *(
            "{0}",
            "{{envv: {0}}}",
            "{{value: {0}}}",
            "[{0}]",
            "*{0}",
            "!{0}",
            "{{env: A, file: {0}}}",
            "'{0}' x",
            "'{0}",
        ),
        *(f"{{{{env: P}}}}\n      {key}" for key in ("username: [{0}]", "usernam: {0}", "username: {{a: {0}}}")),
    ],
)
def test_a_literal_secret_is_refused_and_never_shown(conf: Path, given: str) -> None:
    """Also one under the wrong key."""
    text = PLAIN.replace("      username: census\n", "" if "username" in given else "      username: census\n")
    conf.write_text(text.replace("{env: CENSUS_PASSWORD}", given.format(CANARY)), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(conf, {})
    assert CANARY not in "".join(traceback.format_exception(caught.value))
    assert f"{conf}:" in str(caught.value)


def test_no_secret_in_what_a_configuration_shows_of_itself() -> None:
    config = loaded(PLAIN, CENSUS_PASSWORD=CANARY)
    settings = config.cluster("eu-prod.1")
    for value in (config, settings, settings.sasl, config.section("eu-prod.1")):
        assert CANARY not in f"{value} {value!r}"
    assert pickle.loads(pickle.dumps(settings)) == settings  # noqa: S301 - as Spark sends them to executors
    assert copy.deepcopy(settings) == settings


def test_all_that_clusters_refer_to_and_is_not_there_is_reported_at_once(conf: Path) -> None:
    tls = {"cafile": "ca.pem", "certfile": "me.pem", "keyfile": "me.key", "password": {"env": "KEY_PASSWORD"}}
    secured = {"bootstrap_servers": ["h:1"], "security_protocol": "SSL", "ssl": tls}
    variable = "KAFKA_CENSUS__CLUSTERS__B__SSL__CAFILE"
    trusting = {"bootstrap_servers": ["h:1"], "security_protocol": "SSL", "ssl": {"cafile": "ca.pem"}}
    config = loaded(changed(clusters={"a": secured, "b": trusting}), **{variable: "other.pem"})
    with pytest.raises(ConfigError) as caught:
        config.settings(["a", "b"])
    assert list(caught.value.args) == [
        f"census.yaml:9: clusters.a.ssl.cafile: the file {conf.parent}/ca.pem does not exist",
        f"census.yaml:10: clusters.a.ssl.certfile: the file {conf.parent}/me.pem does not exist",
        f"census.yaml:11: clusters.a.ssl.keyfile: the file {conf.parent}/me.key does not exist",
        "census.yaml:13: clusters.a.ssl.password: the environment variable KEY_PASSWORD is not set",
        f"{variable}: clusters.b.ssl.cafile: the file {conf.parent}/other.pem does not exist",
    ]


def test_relative_paths_start_at_the_current_directory(conf: Path) -> None:
    """A symbolic link that leads nowhere is a file that is not there."""
    assert loaded(changed(lake={"root": "build/lake"})).lake.root == f"{conf.parent}/build/lake"
    assert loaded(changed(lake={"root": "./hdfs:census"})).lake.root == f"{conf.parent}/hdfs:census"
    for uri in ("/a/lake", "s3a://a/b", "dbfs:/census", "hdfs:/census", "file:/census", "abfss://a@b.c/d"):
        assert loaded(changed(lake={"root": uri})).lake.root == uri
    (conf.parent / "loop").symlink_to("loop")
    assert loaded(changed(lake={"root": "loop"})).lake.root == f"{conf.parent}/loop"
    with pytest.raises(ConfigError, match=r"password: the file .*/loop does not exist"):
        loaded(PLAIN.replace("{env: CENSUS_PASSWORD}", "{file: loop}")).cluster("eu-prod.1")
