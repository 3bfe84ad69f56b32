"""A dashboard for Grafana over the metrics of censuses: panels of censuses themselves, and of problems by severity.

`make docs` writes pipelines/kafka_census/defaults/grafana-dashboard.json, and a test holds the file to the metrics.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kafka_census.alerts.metrics import COUNTS, METRICS, metric_of
from kafka_census.declarations.problem import SEVERITIES
from kafka_census.tables.problems import SEVERITY

_WIDTH = 24
_SOURCE = {"type": "prometheus", "uid": "${datasource}"}
_OF_PROBLEMS = {metric_of(word): severity for word, severity in SEVERITY.items()}
_TIMES = ("kafka_census_last_run_timestamp_seconds", "kafka_census_last_success_timestamp_seconds")


def dashboard() -> str:
    """The file, as JSON that Grafana imports; it asks for the data source, and has a variable `cluster`."""
    counted = [metric.name for metric in COUNTS]
    of_censuses = [metric.name for metric in METRICS if metric.name not in {*counted, *_TIMES}]
    sizes = [name for name in counted if name not in _OF_PROBLEMS]
    groups = [
        ("Seconds since the last run, and since the last publication", [f"time() - {name}" for name in _TIMES], "s"),
        ("Censuses", of_censuses, "short"),
        *(
            (f"Problems: {severity}", [name for name in counted if _OF_PROBLEMS.get(name) == severity], "short")
            for severity in SEVERITIES
        ),
        ("The cluster", sizes, "short"),
    ]
    found = {
        "title": "kafka-census",
        "uid": "kafka-census",
        "tags": ["kafka"],
        "schemaVersion": 39,
        "time": {"from": "now-7d", "to": "now"},
        "templating": {"list": [_DATA_SOURCE, _CLUSTER]},
        "panels": [_panel(number, *group) for number, group in enumerate(groups)],
    }
    return json.dumps(found, indent=2) + "\n"


_DATA_SOURCE = {"name": "datasource", "type": "datasource", "query": "prometheus"}
_CLUSTER = {
    "name": "cluster",
    "type": "query",
    "datasource": _SOURCE,
    "query": f"label_values({_TIMES[0]}, cluster)",
    "refresh": 2,
    "multi": True,
    "includeAll": True,
}


def _panel(number: int, title: str, expressions: Sequence[str], unit: str) -> dict[str, Any]:
    targets = [
        {
            "refId": f"M{index}",
            "expr": f'{expression}{{cluster=~"$cluster"}}',
            "legendFormat": f"{{{{cluster}}}} {expression.rpartition(' ')[2].removeprefix('kafka_census_')}",
        }
        for index, expression in enumerate(expressions)
    ]
    return {
        "id": number + 1,
        "type": "timeseries",
        "title": title,
        "datasource": _SOURCE,
        "gridPos": {"x": number % 2 * _WIDTH // 2, "y": number // 2 * 9, "w": _WIDTH // 2, "h": 9},
        # A figure stays the same between two censuses.
        "fieldConfig": {"defaults": {"unit": unit, "custom": {"lineInterpolation": "stepAfter"}}, "overrides": []},
        "options": {"legend": {"displayMode": "table", "placement": "right", "calcs": ["lastNotNull"]}},
        "targets": targets,
    }


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(dashboard(), encoding="utf-8")
