"""A dashboard for Databricks (Lakeview) over the views of a lake in Unity Catalog: how fresh it is, and what is wrong.

`make docs` writes resources/kafka-census.lvdash.json, which the bundle deploys with the lake's catalog and schema. The
SQL is what Spark and DuckDB both run, and a test holds its columns to the views.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kafka_census.declarations.problem import SEVERITIES
from kafka_census.tables.problems import PROBLEMS

CLUSTER = "cluster"
"""The column of each dataset by which a reader chooses."""

_WIDTH = 6
_CENSUSES = 30
_PARTITIONS = "under_min_isr_partitions"


@dataclass(frozen=True)
class Widget:
    """A table, bar, line or counter; `columns` are shown: of a bar or line x, y and colour, of a counter the sum."""

    kind: str
    title: str
    columns: Sequence[str]
    width: int = _WIDTH
    height: int = 5


@dataclass(frozen=True)
class Dataset:
    """A query, and the widgets that show its rows."""

    name: str
    sql: str
    widgets: Sequence[Widget]


def _wrong() -> str:
    """One row per cluster and kind of problem; a number in the column of its severity."""
    counts = [
        f"SELECT cluster, {SEVERITIES.index(each.severity)} AS place, '{each.severity}' AS severity, "
        f"'{_quoted(each.meaning)}' AS problem, '{view}' AS see, "
        f"count_if({each.where}) AS found, count_if({each.unknown}) AS not_known FROM {view} GROUP BY cluster"
        for each in PROBLEMS
        for view in [f"current_{each.table}"]
    ]
    of_severities = ", ".join(f"CASE WHEN severity = '{each}' THEN found ELSE 0 END AS {each}" for each in SEVERITIES)
    union = "\n  UNION ALL ".join(counts)
    return (
        f"SELECT cluster, severity, problem, found, not_known, see, {of_severities} FROM (\n  {union})\nORDER BY place"
    )


def _quoted(text: str) -> str:
    return text.replace("'", "''")


_FRESHNESS = ("cluster", "published_at", "age_seconds", "census_id", "newer_state", "newer_reason", "newer_see")
_FOUND = ("cluster", "severity", "problem", "found", "not_known", "see")
_REFUSING = ("cluster", "topic", "partition", "status", "leader_id", "isr", "replicas", "min_isr_effective", "reason")
_BEHIND = ("cluster", "group_id", "group_state", "members", "lag_total", "partitions_missed", "slowest_topic", "reason")
_BROKERS = ("cluster", "broker_id", "state", "rack", "leaders", "replicas", "out_of_sync_replicas", "offline_replicas")
_DISKS = ("cluster", "broker_id", "log_dir", "state", "total_bytes", "usable_bytes", "replica_bytes", "reason")
_CHANGES = ("cluster", "change", "subject", "key", "column_name", "before", "after", "reason")

DATASETS: tuple[Dataset, ...] = (
    Dataset(
        "freshness",
        f"SELECT {', '.join(_FRESHNESS)} FROM freshness ORDER BY cluster",
        [Widget("table", "How old this is, and what became of a newer census", _FRESHNESS, height=3)],
    ),
    Dataset(
        "problems",
        _wrong(),
        [
            *(Widget("counter", f"Problems: {each}", [each], _WIDTH // len(SEVERITIES), 2) for each in SEVERITIES),
            Widget("table", "Kinds of problems; not_known leaves one open", _FOUND, height=8),
        ],
    ),
    Dataset(
        "statuses",
        f"SELECT cluster, status, count(*) AS partitions FROM current_{_PARTITIONS} GROUP BY cluster, status",
        [Widget("bar", "Partitions by status", ["status", "partitions", "cluster"], _WIDTH // 2)],
    ),
    Dataset(
        "refusing_over_time",
        f"""SELECT p.cluster, p.published_at, count_if(r.ready_for_acks_all IS NOT TRUE) AS partitions
FROM history_{_PARTITIONS} AS r JOIN (
  SELECT *, row_number() OVER (PARTITION BY cluster_id ORDER BY census_id DESC) AS back
  FROM publications WHERE table_name = '{_PARTITIONS}') AS p ON p.census_id = r.census_id
WHERE p.back <= {_CENSUSES}
GROUP BY p.cluster, p.published_at""",
        [
            Widget(
                *("line", f"Partitions not known to take acks=all, of {_CENSUSES} censuses"),
                ["published_at", "partitions", "cluster"],
                _WIDTH // 2,
            )
        ],
    ),
    Dataset(
        "refusing",
        f"SELECT {', '.join(_REFUSING)} FROM current_{_PARTITIONS} WHERE ready_for_acks_all IS NOT TRUE "
        "ORDER BY cluster, topic, partition",
        [Widget("table", "Partitions that take no acks=all write, or may take none", _REFUSING, height=8)],
    ),
    Dataset(
        "behind",
        "SELECT cluster, group_id, group_state, members, lag_total, partitions_missed, slowest_topic, "
        "coalesce(lag_reason, offsets_reason) AS reason FROM current_group_lag ORDER BY lag_total DESC",
        [Widget("table", "Groups, those that are furthest behind first", _BEHIND, height=8)],
    ),
    Dataset(
        "brokers",
        f"SELECT {', '.join(_BROKERS)} FROM current_brokers ORDER BY cluster, broker_id",
        [Widget("table", "Brokers", _BROKERS)],
    ),
    Dataset(
        "disks",
        f"SELECT {', '.join(_DISKS)} FROM current_log_dir_usage ORDER BY cluster, broker_id, log_dir",
        [Widget("table", "Log dirs", _DISKS)],
    ),
    Dataset(
        "changes",
        f"SELECT {', '.join(_CHANGES)} FROM current_changes ORDER BY cluster, subject, key",
        [Widget("table", "What changed since the census before", _CHANGES, height=8)],
    ),
)


def dashboard() -> str:
    """The file, as JSON that Databricks imports."""
    shown = [(dataset, widget) for dataset in DATASETS for widget in dataset.widgets]
    chooser = {"widget": _chooser(), "position": {"x": 0, "y": 0, "width": _WIDTH, "height": 1}}
    layout, x, y = [chooser], 0, 1
    for number, (dataset, widget) in enumerate(shown):
        position = {"x": x, "y": y, "width": widget.width, "height": widget.height}
        layout.append({"widget": _widget(f"{dataset.name}_{number}", dataset, widget), "position": position})
        x = (x + widget.width) % _WIDTH
        y += 0 if x else widget.height
    datasets = [
        {
            "name": each.name,
            "displayName": each.name.replace("_", " "),
            "queryLines": each.sql.splitlines(keepends=True),
        }
        for each in DATASETS
    ]
    page = {"name": "census", "displayName": "kafka-census", "pageType": "PAGE_TYPE_CANVAS", "layout": layout}
    return json.dumps({"datasets": datasets, "pages": [page]}, indent=2) + "\n"


def _widget(name: str, dataset: Dataset, widget: Widget) -> dict[str, Any]:
    if widget.kind == "counter":
        [of] = widget.columns
        fields = [{"name": f"sum({of})", "expression": f"SUM(`{of}`)"}]
        encodings: dict[str, Any] = {"value": {"fieldName": f"sum({of})", "displayName": widget.title}}
    elif widget.kind == "table":
        fields = [_field(each) for each in widget.columns]
        encodings = {"columns": [{"fieldName": each, "displayName": each} for each in widget.columns]}
    else:
        across, up, colour = widget.columns
        fields = [_field(each) for each in widget.columns]
        scale = "temporal" if widget.kind == "line" else "categorical"
        encodings = {
            "x": {"fieldName": across, "displayName": across, "scale": {"type": scale}},
            "y": {"fieldName": up, "displayName": up, "scale": {"type": "quantitative"}},
            "color": {"fieldName": colour, "displayName": colour, "scale": {"type": "categorical"}},
        }
    query = {"datasetName": dataset.name, "fields": fields, "disaggregated": widget.kind != "counter"}
    spec = {
        "version": 3 if widget.kind in ("bar", "line") else 2,
        "widgetType": widget.kind,
        "encodings": encodings,
        "frame": {"showTitle": True, "title": widget.title},
    }
    return {"name": name, "queries": [{"name": "main_query", "query": query}], "spec": spec}


def _chooser() -> dict[str, Any]:
    """A filter of all datasets by cluster."""
    queries = {
        f"cluster_of_{each.name}": {"datasetName": each.name, "fields": [_field(CLUSTER)], "disaggregated": False}
        for each in DATASETS
    }
    fields = [{"fieldName": CLUSTER, "displayName": CLUSTER, "queryName": name} for name in queries]
    return {
        "name": "clusters",
        "queries": [{"name": name, "query": query} for name, query in queries.items()],
        "spec": {
            "version": 2,
            "widgetType": "filter-multi-select",
            "encodings": {"fields": fields},
            "frame": {"showTitle": True, "title": "Cluster"},
        },
    }


def _field(name: str) -> dict[str, str]:
    return {"name": name, "expression": f"`{name}`"}


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(dashboard(), encoding="utf-8")
