"""The report as printed from a lake: true totals, the worst first, no line wider than 80 columns.

Spark and DuckDB give the same values, so what is printed of them is asked once.
"""

import io
import shlex
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from harness.hostile import CLUSTER_ID, HOSTILE, assert_harmless
from kafka_census.census.gate.causes import Cause
from kafka_census.declarations.census import Census
from kafka_census.lake.lake import Lake
from kafka_census.reading.report.answer import Asked, answer, censuses
from kafka_census.reading.report.in_duckdb import InDuckDB
from kafka_census.reading.report.in_spark import InSpark
from kafka_census.reading.report.newest import Choice
from kafka_census.reading.report.problems import problems
from kafka_census.reading.report.render import (
    refusal_lines,
    report_lines,
    short_refusal_lines,
    short_report_lines,
)
from kafka_census.reading.report.summary import Refusal, Report
from kafka_census.tables.problems import REMEDY
from spark.report_lake import LOST, NOON, Rows, census, group, move, partition, publish, refuse, verdict

BAD_DAY: Mapping[str, Rows] = {
    "under_min_isr_partitions": [
        partition("fine", 0, "OK"),
        partition("at", 0, "AT"),
        *(partition("orders", number, "UNDER") for number in range(20)),
        partition("__consumer_offsets", 5, "OFFLINE", leader_id=None, isr=[], groups_unable_to_commit=1234),
    ],
    "group_coordinator_placement": [
        *(group(f"g-{number:03}") for number in range(200)),
        group("", "no_coordinator", expected_coordinator=None, listed_by=[], found_coordinator=None),
        group("a" * 200 + "😀", "listed_twice", listed_by=[1, 2]),
        group("evil\x1b[31m\n\rgroup", "formula_differs"),
    ],
    "reassignment_backlog": [
        move("slow", 15_500_000, bytes_per_second=1000.0, eta_seconds=15_500),
        move("stuck", 5, stalled=True),
        move("lost", None, bytes_left_reason="broker 3 did not answer DescribeLogDirs"),
    ],
}


BAD, CALM, REFUSED = census(1, "bad"), census(2, "calm"), census(4, "refused")
HARMFUL = replace(census(7, "harmful"), cluster_id=CLUSTER_ID)
OLD, NEW, KEPT = census(5, "twice"), census(6, "twice"), census(3, "refused")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    made = Lake(root=str(tmp_path_factory.mktemp("report") / "lake"))
    censuses: Mapping[Census, Mapping[str, Rows]] = {
        BAD: BAD_DAY,
        CALM: {"under_min_isr_partitions": [partition("fine", 0, "OK")]},
        KEPT: {},
        OLD: {"under_min_isr_partitions": [partition("topic-old", 0, "UNDER")]},
        NEW: {"under_min_isr_partitions": [partition("topic-new", 0, "UNDER")]},
        HARMFUL: {
            "under_min_isr_partitions": [partition(each, 0, "UNDER") for each in HOSTILE],
            "group_coordinator_placement": [group(each, "formula_differs") for each in HOSTILE],
            "reassignment_backlog": [move(each, None, bytes_left_reason=each) for each in HOSTILE],
        },
    }
    verdicts: Mapping[Census, Rows] = {
        BAD: [verdict("warn"), verdict("pass", "a"), verdict("pass", "b")],
        REFUSED: [
            verdict("warn", "w"),
            verdict("refuse"),
            verdict("refuse", "no_gap", kind="expectation"),
            verdict("pass", "p"),
        ],
        HARMFUL: [verdict("refuse", failing_keys=list(HOSTILE), message=CLUSTER_ID)],
    }
    lost = {BAD: [LOST], HARMFUL: [("DescribeLogDirs", 3, CLUSTER_ID, CLUSTER_ID)]}
    publish(made, censuses, lost, verdicts)
    refuse(made, REFUSED, BAD_DAY, [LOST])
    return made


LATER, WHOLE = NOON + timedelta(hours=3), Choice(limit=15, max_age=timedelta(hours=1))
Printed = tuple[str, Mapping[str, Report]]


@pytest.fixture(scope="module")
def printed(lake: Lake) -> Printed:
    """The whole report of what is published of all clusters as printed, and the report of each cluster."""
    out, choice = io.StringIO(), replace(WHOLE, shows="published")
    reports = answer(InDuckDB(str(lake.root)), Asked(choice), out, LATER)
    return out.getvalue(), {report.cluster: report for report in reports if isinstance(report, Report)}


@pytest.fixture(scope="module")
def refusal(lake: Lake) -> Refusal:
    (found,) = (one for one in censuses(InDuckDB(str(lake.root)), WHOLE, LATER) if isinstance(one, Refusal))
    return found


def test_spark_and_duckdb_give_the_same_values_of_every_cluster(spark: SparkSession, lake: Lake) -> None:
    """Of the newest computed census, published or refused, with its rows and its age."""
    by_spark, by_duckdb = (
        censuses(source, WHOLE, LATER) for source in (InSpark(spark, lake), InDuckDB(str(lake.root)))
    )
    assert list(by_spark) == list(by_duckdb)
    assert [one.cluster for one in by_spark if isinstance(one, Refusal)] == ["refused"]
    assert len(by_spark) == 5


TREE = [
    "- broker 3 did not answer (BROKER_NOT_ALIVE)",
    "  ├─ 1 partition is offline: __consumer_offsets-5",
    "  ├─ 20 partitions refuse acks=all writes: orders-0, orders-1, orders-2, ...",
    "  ├─ 1 partition of an internal topic takes no commits: __consumer_offsets-5;",
    "  │  1,234 groups cannot commit",
    "  ├─ 1 partition is under-replicated: at-0; 1 is at its minimum",
    "  ├─ 1 table lacks its answers: reassignment_backlog",
    "  └─ 2 replicas on the move are not known to be well: lost-0, slow-0",
    f"  To do: {REMEDY['unreachable'].text}",
    "    kafka-census doctor --bootstrap-server HOST:PORT --cluster bad",
]
"""A broker that is down, with what its loss explains: none of its replicas is in sync."""


def in_order(text: str, *words: str) -> bool:
    at = [text.index(word) for word in words]
    return at == sorted(at)


def test_a_bad_day_is_reported_whole(spark: SparkSession, lake: Lake, printed: Printed) -> None:
    lines = report_lines(printed[1]["bad"])
    text = "\n".join(lines)
    assert lines[2:12] == TREE
    assert lines[12] == '- 3 groups have no coordinator, or the sources name different ones: "",'
    assert "- 1 replica on the move is stalled: stuck-0" in lines
    for said in (
        "23 partitions: 1 OFFLINE, 20 UNDER, 1 AT, 1 OK",
        "21 partitions cannot take an acks=all write now",
        "1,234 groups cannot commit offsets",
        "203 groups: 1 no_coordinator, 1 listed_twice, 1 formula_differs, 200 agree",
        '""',
        r"evil\x1b[31m\n\rgroup",
        "INCOMPLETE: see (1) above",
        "at least 15.5 MB left to copy",
        "[1] broker 3 did not answer DescribeLogDirs",
        "verdicts: 2 rules passed, 1 rule did not pass",
        "(1) broker 3 did not answer (BROKER_NOT_ALIVE: broker 3 has no endpoint)",
        f"lake: {lake.root}",
    ):
        assert said in text
    assert in_order(text, "__consumer_offsets ", "orders ", "... and 7 more")
    assert in_order(text, "stuck ", "lost ", "slow ")
    assert "g-000" not in text
    (statement,) = shlex.split(lines[-1].partition(" -e ")[2])
    assert {row.status: row.partitions for row in spark.sql(statement).collect()}["UNDER"] == 20


def test_a_cluster_that_means_harm_is_reported_as_it_is(printed: Printed, refusal: Refusal) -> None:
    cause = Cause(f"broker 3 did not answer ({CLUSTER_ID})", ("DescribeLogDirs",), ("quotas",), CLUSTER_ID)
    told = {"cluster": HARMFUL.cluster, "causes": (cause,), "problems": problems({}, (cause,), refused=True)}
    refused = short_refusal_lines(replace(refusal, **told, sections=()))
    lines = (of(printed[1][HARMFUL.cluster]) for of in (report_lines, short_report_lines))
    for text in map("\n".join, (*lines, refused)):
        assert_harmless(text)
        assert [
            line
            for line in text.splitlines()
            if len(line) > 80 and "-e " not in line and "lake: " not in line and not line.startswith("    kafka-")
        ] == []


def test_the_last_census_of_each_cluster_is_reported(printed: Printed) -> None:
    text, reports = printed
    assert in_order(text, *(f"of cluster {name}" for name in ("bad", "calm", "refused", "twice")), "topic-new")
    assert "topic-old" not in text
    calm = "\n".join(report_lines(reports["calm"]))
    assert calm in text
    assert f"Census {CALM.census_id} of cluster calm: nothing is wrong" in calm
    assert "INCOMPLETE" not in calm
    # What is published is not called well where a newer census was refused.
    first, age, newer, see, *_ = short_report_lines(printed[1]["refused"])
    assert first == f"Census {KEPT.census_id} of cluster refused: nothing was wrong then"
    assert age == "Published 2h 59m ago, more than schedule.max_age (1h)."
    assert newer.startswith(f"A newer census, {REFUSED.census_id}, was refused ")
    assert see == "See it: kafka-census report --cluster refused --unpublished"
    assert "newer" not in "".join(short_report_lines(printed[1]["calm"]))


def test_an_empty_lake_is_reported(tmp_path: Path) -> None:
    out = io.StringIO()
    answer(InDuckDB(str(tmp_path)), Asked(), out, LATER)
    assert out.getvalue() == "nothing is published in this lake yet\n"


def test_a_refusal_says_what_was_found_and_what_refused_it(refusal: Refusal) -> None:
    text = "\n".join(refusal_lines(refusal))
    first = f"NOT PUBLISHED: census {REFUSED.census_id} of cluster refused: refused"
    assert text.startswith(f"{first}\nRefused 2h 59m ago.\n")
    for said in (
        "NOT PUBLISHED under_min_isr_partitions: ",
        "23 partitions: 1 OFFLINE, 20 UNDER, 1 AT, 1 OK",
        "NOT PUBLISHED reassignment_backlog: ",
        "REFUSED, so do not rely on these rows: no_gap",
        "REFUSE reassignment_backlog: no_gap",
        "1 of 3 failed",
        "1 warning besides",
        f"Readers still see census {KEPT.census_id}, published ",
        "schedule.max_age (1h).",
    ):
        assert said in text
    assert text.count("broker 3 did not answer (BROKER_NOT_ALIVE") == 2
    assert text.count("e.g.") == 3
    assert "complete_DescribeLogDirs" not in text


def test_the_short_report_is_the_headline_and_a_line_per_table(printed: Printed, refusal: Refusal) -> None:
    lines = short_report_lines(printed[1]["bad"])
    assert len(lines) == lines.index("") + 5
    assert [line.split()[:3] for line in lines[-3:]] == [
        ["under_min_isr_partitions", "23", "yes"],
        ["group_coordinator_placement", "203", "yes"],
        ["reassignment_backlog", "3", "NO"],
    ]
    lines = short_refusal_lines(refusal)
    assert lines[2:11] == TREE[:-1]
    assert lines[lines.index("") + 1].startswith("NOT PUBLISHED table ")
    assert len(lines) == lines.index("") + 5
