"""Several clusters in one job: one after the other in one Spark session, each with its own lock, census and verdict.

The failure of one cluster is reported in one line, and the job continues with the others. The exit code is the worst.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from kafka_census.lake.memory import forget
from kafka_census.terminal.log import bind_only

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_WORST_FIRST = (1, 2, 3, 4, 0)
"""Exit codes, the worst first: not surveyed, nothing sent, refused, done with problems found, done."""


def run_fleet(
    clusters: Sequence[str],
    reach: Callable[[str], None],
    started: "Callable[[], SparkSession]",
    run: "Callable[[SparkSession, str], None]",
    failed: Callable[[str, Exception], int],
) -> int:
    """Run a job for each cluster; returns the worst exit code.

    reach    raises when a cluster does not answer; called for all clusters before Spark starts, to leave such out
    started  starts Spark, once, unless no cluster answers
    run      runs the job for one cluster
    failed   reports the failure of a cluster; returns its exit code
    """
    codes: dict[str, int] = {}

    def attempt(action: Callable[[str], None], cluster: str) -> None:
        bind_only(cluster=cluster)
        try:
            action(cluster)
        except Exception as error:  # noqa: BLE001 - reported, and the job continues with the other clusters
            codes[cluster] = failed(cluster, error)

    for cluster in clusters:
        attempt(reach, cluster)
    answering = [cluster for cluster in clusters if cluster not in codes]
    if answering:
        bind_only()
        survey = partial(run, started())
        for cluster in answering:
            attempt(survey, cluster)
            forget()
    bind_only()
    return next(code for code in _WORST_FIRST if code in (*codes.values(), 0))
