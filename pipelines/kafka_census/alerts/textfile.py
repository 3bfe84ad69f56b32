"""The file of one cluster for node_exporter's textfile collector: replaced as a whole, so that nobody reads half of it.

It is its own memory: what a census does not know is taken over from the file that is there.
"""

from collections.abc import Mapping
from pathlib import Path

from prometheus_client import CollectorRegistry, Gauge, write_to_textfile
from prometheus_client.parser import text_string_to_metric_families

from kafka_census.alerts.metrics import METRICS


def path_of(folder: str, cluster: str) -> Path:
    """The file of a cluster."""
    return Path(folder) / f"kafka_census_{cluster}.prom"


def read(path: Path) -> Mapping[str, float]:
    """The figures of a file by the name of their metric; none where it is not there.

    Raises OSError, and ValueError where it is not in Prometheus' format.
    """
    if not path.exists():
        return {}
    families = text_string_to_metric_families(path.read_text(encoding="utf-8"))
    return {sample.name: float(sample.value) for family in families for sample in family.samples}


def write(path: Path, cluster: str, figures: Mapping[str, float]) -> None:
    """Put these figures in the place of the file. Raises OSError; the old file stays then."""
    registry = CollectorRegistry()
    for metric in METRICS:
        if metric.name in figures:
            gauge = Gauge(metric.name, metric.help, ("cluster",), registry=registry)
            gauge.labels(cluster).set(figures[metric.name])
    write_to_textfile(str(path), registry)
