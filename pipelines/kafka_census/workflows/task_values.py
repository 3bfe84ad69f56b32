"""What a census leaves to the tasks that come after it in a job of Databricks: task values.

`census_id`, `verdict` (published, passed, refused, failed) and `row_counts` of each table; of several clusters in one
task each name is followed by `_` and the cluster. They are set before the task ends, also where it fails. Not to
be able to is a warning, and changes nothing about how the census ends.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from kafka_census.errors import Refused, TroubleFound
from kafka_census.one_line import one_line
from kafka_census.started_by import dbutils, on_databricks
from kafka_census.workflows.work import CensusWork, Work


@contextmanager
def task_values(work: Work, *, alone: bool) -> Iterator[None]:
    """Set them when the block has ended, if it works on a census and this is Databricks; its error goes on its way.

    alone  whether the task surveys one cluster
    """
    if not isinstance(work, CensusWork) or not on_databricks():
        yield
        return
    error: Exception | None = None
    try:
        yield
    except Exception as raised:
        error = raised
        raise
    finally:
        _set(work, values(work, error), "" if alone else f"_{work.cluster}")


def values(work: CensusWork, error: Exception | None) -> Mapping[str, object]:
    """What is set for a census that ended so; nothing of one that has no id."""
    census, judgement = work.outcome.census, work.outcome.judgement
    if census is None:
        return {}
    verdict = None
    if isinstance(error, Refused):
        verdict = "refused"
    elif error is not None and not isinstance(error, TroubleFound):
        verdict = "failed"
    elif work.outcome.published:
        verdict = "published"
    elif judgement is not None:
        verdict = "passed"
    known: dict[str, object] = {"census_id": census.census_id}
    if verdict is not None:
        known["verdict"] = verdict
    if judgement is not None:
        known["row_counts"] = {judged.table_name: judged.row_count for judged in judgement.tables}
    return known


def _set(work: CensusWork, values: Mapping[str, object], suffix: str) -> None:
    try:
        for name, value in values.items():
            dbutils().jobs.taskValues.set(key=f"{name}{suffix}", value=value)
    except Exception as error:  # noqa: BLE001 - reported; how the census ended stays as it is
        work.progress.warning("task_values_not_set", error=one_line(error, work.redactor.hide))
