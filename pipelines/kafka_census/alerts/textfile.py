"""The file of one cluster for node_exporter's textfile collector, replaced atomically.

Figures that a census does not know are taken over from the existing file.
"""

from collections.abc import Mapping
from pathlib import Path

from prometheus_client import CollectorRegistry, Gauge, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from kafka_census.alerts.metrics import METRICS
from kafka_census.files import operator_file, whole_file


def path_of(folder: str, cluster: str) -> Path:
    """The file of a cluster."""
    return Path(folder) / f"kafka_census_{cluster}.prom"


def read(path: Path) -> Mapping[str, float]:
    """The figures of a file by the name of their metric; empty where there is no file.

    Raises OSError, and ValueError for a file that is not in Prometheus' format.
    """
    try:
        text = operator_file.regular(path).decode("utf-8")
    except FileNotFoundError:
        return {}
    families = text_string_to_metric_families(text)
    return {sample.name: float(sample.value) for family in families for sample in family.samples}


def write(path: Path, cluster: str, figures: Mapping[str, float]) -> None:
    """Replace the file by these figures. Raises OSError, and keeps the old file then."""
    registry = CollectorRegistry()
    for metric in METRICS:
        if metric.name in figures:
            gauge = Gauge(metric.name, metric.help, ("cluster",), registry=registry)
            gauge.labels(cluster).set(figures[metric.name])
    whole_file.replace(path, generate_latest(registry))
