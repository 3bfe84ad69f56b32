"""Pages that are generated, or show what is printed: what they say is what the code says."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from harness.documented import ROOT, block_with
from kafka_census.alerts.metrics import METRICS
from kafka_census.cli import doctor
from kafka_census.config import load
from kafka_census.defaults import CENSUS, DASHBOARD, RULES
from kafka_census.kafka.error_codes import MEANINGS, OURS
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.kafka.protocol.settings import ClusterSettings, Sasl
from kafka_census.kafka.rpc import rpc
from kafka_census.kafka.rpc.describe_transactions import NOBODY
from kafka_census.lake.cluster_key import Last
from kafka_census.upkeep.doctor import checks, facts, text
from kafka_census.upkeep.doctor.certificate import Certificate
from kafka_census.upkeep.doctor.finding import Part
from kafka_census.upkeep.doctor.probes import PROBES
from kafka_census.upkeep.doctor.rights import NEEDS, READ_TOPICS, RIGHTS, principal
from tools import alert_rules, codes, command, grafana, lakeview, problems

DOCS = ROOT / "docs"


@pytest.mark.parametrize(
    ("folder", "made"),
    [
        ("codes", codes.reference),
        ("command-reference", command.reference),
        ("problems", problems.reference),
    ],
)
def test_a_generated_page_is_what_the_code_says(folder: str, made: Callable[[], Mapping[str, str]]) -> None:
    assert {file.name: file.read_text(encoding="utf-8") for file in (DOCS / folder).iterdir()} == made()


def test_the_rules_of_prometheus_and_the_dashboards_are_what_tables_declare_and_each_code_has_a_meaning() -> None:
    assert {code.name for code in MEANINGS} == set(OURS.values())
    assert RULES.read_text(encoding="utf-8") == alert_rules.rules()
    assert DASHBOARD.read_text(encoding="utf-8") == grafana.dashboard()
    assert (ROOT / "resources" / "kafka-census.lvdash.json").read_text(encoding="utf-8") == lakeview.dashboard()
    panels = json.loads(grafana.dashboard())["panels"]
    shown = [re.findall(r"kafka_census_\w+", target["expr"]) for panel in panels for target in panel["targets"]]
    assert sorted(shown) == sorted([metric.name] for metric in METRICS)


PAGE = DOCS / "doctor.md"
NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
BEGINS, ENDS = NOW - timedelta(days=90), NOW + timedelta(days=275)
CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qk"


def example() -> facts.Cluster:
    """One broker of three does not listen where it says, and the principal may not read topics."""
    names = tuple(f"kafka-{number}.example.org" for number in (1, 2, 3))
    how = {"security_protocol": "SASL_SSL", "sasl": Sasl("SCRAM-SHA-512", "census", Secret("not shown"))}
    settings = ClusterSettings("prod", tuple(f"{name}:9093" for name in names[:2]), cluster_id=CLUSTER_ID, **how)
    taken = doctor._taken(load(CENSUS))
    paging = {one.name: next(api.paging for api in rpc(*one.name).apis if not api.features) for one in taken}
    endpoints = [Endpoint(number, name, 9093) for number, name in enumerate(names, 1)]
    view = facts.View(CLUSTER_ID, tuple(map(facts.Broker, endpoints)), operations=(1 << 8) | (1 << 10))
    certificate = Certificate("CN=kafka", "CN=example authority", ("*.example.org",), BEGINS, ENDS)
    answered = facts.Node(endpoints[0], certificate=certificate, release="4.4", paging=paging, view=view)
    remedy = "start the broker, open the way to it, or correct the address that the broker gives to clients (its "
    refused = facts.Failure(
        facts.Stage.TCP, "connection refused: nothing listens there", f"{remedy}advertised.listeners)"
    )
    return facts.Cluster(
        configured=facts.Configured(settings, (settings.name,), taken, "refuse", "require"),
        servers=tuple(replace(answered, endpoint=Endpoint(-1, name, 9093)) for name in names[:2]),
        brokers=(answered, replace(answered, endpoint=endpoints[1]), facts.Node(endpoints[2], refused)),
        asked=endpoints[0],
        answers={probe.walk: said(probe.walk) for probe in PROBES},
        history=facts.History(CLUSTER_ID, (Last(CLUSTER_ID, settings.name, "20261121T080000000Z-5c1e0b"),)),
        now=NOW,
        holders=frozenset({1, 2, 3}),
    )


def said(walk: tuple[str, str]) -> facts.Answer:
    """What the first broker answers within ten milliseconds, which has no topic, group or id of that name."""
    now_ms = int(NOW.timestamp() * 1000) - 5
    quorum = ("__cluster_metadata", 0, 0, 2, 7, 9, 2, None, True, 9, now_ms, now_ms)
    rows = {"DescribeQuorum": (quorum,), "DescribeTransactions": ((NOBODY, 105, *[None] * 7),)}.get(walk[0], ())
    code = {"DescribeProducers": 29, "DescribeGroups": 69, "DescribeTransactions": 105}.get(walk[0], 0)
    return facts.Answer(code, "", rows, NOW - timedelta(milliseconds=10), NOW)


def test_the_example_is_what_is_printed_of_such_a_cluster() -> None:
    there = ("17.0.15, /usr/bin/java", "delta-4.4.0-spark-4.2 in /home/census/.cache/kafka-census", "/data/lake")
    disk = {"is_local": True, "is_there": True, "free_bytes": 212_400_000_000}
    machine, shown = facts.Machine(None, *map(facts.Found, there), **disk), example()
    title = f"cluster prod: SASL_SSL, {principal(shown.configured.settings)}"
    here = Part(None, "this machine", checks.judged(checks.MACHINE, machine))
    parts = [here, Part("prod", title, checks.judged(checks.CLUSTER, shown))]
    assert block_with(PAGE, "cluster prod").text.splitlines() == list(text.lines(parts, 0.8))
    assert READ_TOPICS in RIGHTS


def test_each_right_has_what_it_is_asked_for_and_every_check_a_row() -> None:
    rows = PAGE.read_text(encoding="utf-8").splitlines()
    for right in RIGHTS:
        rpcs = dict.fromkeys(name for (name, _), needed in NEEDS.items() if right in needed)
        assert f"| {right} | {', '.join(rpcs)} |" in rows
    names = [check.name for check in checks.MACHINE] + [check.name for check in checks.CLUSTER]
    first = [row.split(" | ")[0].removeprefix("| ") for row in rows if row.startswith("| ") and row.count(" | ") == 2]
    assert first == ["check", *names]
