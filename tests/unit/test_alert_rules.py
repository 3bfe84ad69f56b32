"""The alerts for Prometheus: promtool takes them, each fires when it should and at no other time, and is explained."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.promtool import promtool
from kafka_census.alerts import textfile
from kafka_census.alerts.metrics import METRICS, metric_of
from kafka_census.alerts.states import STATES
from kafka_census.defaults import RULES
from kafka_census.tables.problems import WORDS

ROOT = Path(__file__).parents[2]
DAYS = 3
HOURLY = f"x{24 * DAYS}"
[GROUP] = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
ALERTS: list[dict[str, Any]] = GROUP["rules"]
NAMES = [alert["alert"] for alert in ALERTS]
BAD = {
    "KafkaCensusOverdue": ("kafka_census_last_success_timestamp_seconds", 0, "3d 0h 0m 0s"),
    "KafkaCensusFailed": ("kafka_census_last_run_exit_code", 1, "1"),
    **{
        alert["alert"]: (alert["expr"].removesuffix(" > 0"), 7, "7")
        for alert in ALERTS
        if re.fullmatch(r"\w+ > 0", alert["expr"])
    },
}
"""By alert: a figure and its value on a bad day, and how the alert shows it."""
FINE = {metric.name: "0+0" for metric in METRICS}
FINE |= {"kafka_census_last_success_timestamp_seconds": "0+3600", "kafka_census_max_age_seconds": "7200+0"}


def test_promtool_takes_every_metric_and_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = textfile.path_of(str(tmp_path), "eu-prod.1")
    assert path.name == "kafka_census_eu-prod.1.prom"
    known = {metric.name: 2.0**number + 1 for number, metric in enumerate(METRICS)}
    textfile.write(path, "eu-prod.1", known)
    assert textfile.read(path) == known
    text = path.read_text(encoding="utf-8")
    assert f'{METRICS[0].name}{{cluster="eu-prod.1"}} 2.0' in text
    done = promtool("check", "metrics", reported=text)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_each_fires_when_it_should_and_at_no_other_time(tmp_path: Path) -> None:
    assert set(BAD) == set(NAMES) - {"KafkaCensusAbsent"}
    reported = [series(name, "fine", values) for name, values in FINE.items()]
    reported += [series(metric, f"bad {name}", f"{value}+0") for name, (metric, value, _) in BAD.items()]
    reported.append(series("kafka_census_max_age_seconds", "bad KafkaCensusOverdue", "7200+0"))
    tests = [
        {"interval": "1h", "input_series": reported, "alert_rule_test": [fires(name, reported=True) for name in NAMES]},
        {"interval": "1h", "input_series": [], "alert_rule_test": [fires(name, reported=False) for name in NAMES]},
    ]
    path = tmp_path / "test.yaml"
    written = {"rule_files": [str(RULES)], "evaluation_interval": "1h", "tests": tests}
    path.write_text(yaml.safe_dump(written), encoding="utf-8")
    done = promtool("test", "rules", str(path))
    assert done.returncode == 0, done.stdout + done.stderr


def series(metric: str, cluster: str, values: str) -> dict[str, str]:
    return {"series": f'{metric}{{cluster="{cluster}"}}', "values": values + HOURLY}


def fires(name: str, *, reported: bool) -> dict[str, Any]:
    [alert] = [one for one in ALERTS if one["alert"] == name]
    found = []
    if reported == (name in BAD):
        cluster, value = (f"bad {name}", BAD[name][2]) if reported else ("", "")
        labels = alert["labels"] | ({"cluster": cluster} if reported else {})
        texts = {
            key: re.sub(r"{{ \$value.*? }}", value, text).replace("{{ $labels.cluster }}", cluster)
            for key, text in alert["annotations"].items()
        }
        found.append({"exp_labels": labels, "exp_annotations": texts})
    return {"eval_time": f"{24 * DAYS}h", "alertname": name, "exp_alerts": found}


@pytest.mark.parametrize("alert", ALERTS, ids=NAMES)
def test_it_asks_only_for_what_a_census_tells_and_says_what_to_do(alert: dict[str, Any]) -> None:
    asked = set(re.findall(r"kafka_census_\w+", alert["expr"]))
    assert asked
    assert asked <= {metric.name for metric in METRICS}
    page, _, anchor = alert["annotations"]["runbook_url"].partition("#")
    heading = alert["alert"] if page == "docs/alerts.md" else anchor
    assert heading.lower() == anchor
    assert re.search(rf"^##+ {heading}\n\n\S.{{40}}", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
    assert set(alert["annotations"]) == {"summary", "description", "runbook_url"}
    assert alert["labels"]["severity"] in ("critical", "warning", "info")


def test_the_page_has_every_metric_and_every_state_that_is_no_problem() -> None:
    rows = re.findall(r"^\| `(.*?)` \| (.*?) \|", (ROOT / "docs/alerts.md").read_text(encoding="utf-8"), re.MULTILINE)
    problems = {metric_of(word) for word in WORDS}
    figures = [(metric.name, metric.help) for metric in METRICS if metric.name not in problems]
    states = [(state.name, f"`{state.metric}` is {'not 0' if state.count(2) else '1'}") for state in STATES]
    assert rows == [*figures, *states[:3]]
