"""Results as JSON, for scripts: one object per line, on stdout, in place of what people read."""

import io
import json
from dataclasses import replace

import pytest

from kafka_census.census.gate.causes import Cause
from kafka_census.census.work import Work
from kafka_census.cli.command import command
from kafka_census.errors import ConfigError
from kafka_census.reading.report.as_json import refusal_fields, report_fields
from kafka_census.terminal.log import Redactor
from unit.test_report import NOON, REFUSAL, REPORT

CAUSE = Cause("broker 3 did not answer", ("ListGroups",), ("brokers",), root="broker", broker_id=3)


def printed(*, as_json: bool) -> list[str]:
    out = io.StringIO()
    work = Work(None, None, "one", None, None, out, runs=None, as_json=as_json)  # type: ignore[arg-type] # it asks them nothing
    work.print_text(["a line for people"])
    work.print_json(name="a\nb\x1b[31m", at=NOON)
    return out.getvalue().splitlines()


def test_a_result_is_for_people_or_for_scripts() -> None:
    assert printed(as_json=False) == ["a line for people"]
    (line,) = printed(as_json=True)
    assert line.isprintable()
    assert json.loads(line) == {"name": "a\nb\x1b[31m", "at": "2026-11-21 12:00:00+00:00"}


def test_a_report_as_json_says_what_its_headline_says() -> None:
    fields = json.loads(json.dumps(report_fields(REPORT), default=str))
    assert (fields["state"], fields["cluster_id"], fields["rules_passed"]) == ("published", "kraft-id", 31)
    assert fields["counts"]["unreachable"] == 1
    assert fields["problems"][0]["blinds"] == ["reassignment_backlog"]
    assert fields["verdicts"][0]["failed_rows"] == 1200
    assert {cause["error"] for cause in fields["causes"]} >= {"BROKER_NOT_ALIVE"}
    table = {"table": "reassignment_backlog", "rows": 2, "is_complete": False, "visibility": "proven"}
    assert fields["tables"] == [table | {"missing": ["DescribeLogDirs of broker 3"], "failed": []}]


def test_a_refusal_as_json_says_why_and_what_readers_still_see() -> None:
    refused = refusal_fields(replace(REFUSAL, causes=(CAUSE,), still_published="before"))
    assert (refused["state"], refused["still_published"]) == ("refused", "before")
    assert refusal_fields(REFUSAL)["state"] == "gated"
    assert json.loads(json.dumps(refused))["causes"][0]["broker_id"] == 3


@pytest.mark.parametrize(
    ("option", "said"),
    [
        # Rows are asked for in SQL.
        ("--full", "kafka-census sql --format json"),
        ("--limit 3", "kafka-census sql --format json"),
        ("--md", "--json is for a report on the terminal"),
    ],
)
@pytest.mark.usefixtures("conf")
def test_a_report_as_json_is_its_headline_and_on_the_terminal(option: str, said: str) -> None:
    assert command(["init"], Redactor()) == 0
    with pytest.raises(ConfigError, match=said):
        command(["report", "--json", *option.split()], Redactor())
