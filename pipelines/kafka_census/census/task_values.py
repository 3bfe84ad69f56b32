"""What a census leaves to the tasks that come after it in a job of Databricks: task values.

`census_id`, `verdict` (published, passed, refused, failed), `row_counts` of each table, and `error`, the name of what
ended the task; of several clusters in one task each name is followed by `_` and the cluster. They are set before the
task ends, also where it fails, and where a census never began. Not to be able to is a warning, and changes nothing
about how the census ends.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from kafka_census.census.work import Outcome
from kafka_census.errors import Refused, TroubleFound
from kafka_census.errors.causes import explained
from kafka_census.errors.one_line import one_line
from kafka_census.spark.started_by import dbutils, on_databricks
from kafka_census.terminal.progress import Progress

Hide = Callable[[str], str]
"""Hides the secrets of a text."""


@contextmanager
def task_values(outcomes: Mapping[str, Outcome], progress: Progress, hide: Hide) -> Iterator[None]:
    """Set them when the block has ended, if this is Databricks; its error goes on its way.

    outcomes  by what follows the names of their values
    """
    error: BaseException | None = None
    try:
        yield
    except BaseException as raised:  # an interrupt ends a census, too
        error = raised
        raise
    finally:
        if on_databricks():
            for suffix, outcome in outcomes.items():
                _set(_values(outcome, error, hide), suffix, progress, hide)


def _values(outcome: Outcome, error: BaseException | None, hide: Hide) -> Mapping[str, object]:
    """What is set for an outcome, once the block ended so; nothing where no census began, and nothing failed."""
    census, judgement = outcome.census, outcome.judgement
    if census is None and error is None:
        return {}
    known: dict[str, object] = {"error": "" if error is None else type(explained(error, hide) or error).__name__}
    if census is not None:
        known["census_id"] = census.census_id
    if judgement is not None:
        known["row_counts"] = {judged.table_name: judged.row_count for judged in judgement.tables}
    if isinstance(error, Refused):
        known["verdict"] = "refused"
    elif error is not None and not isinstance(error, TroubleFound):
        known["verdict"] = "failed"
    elif outcome.published:
        known["verdict"] = "published"
    elif judgement is not None:
        known["verdict"] = "passed"
    return known


def _set(values: Mapping[str, object], suffix: str, progress: Progress, hide: Hide) -> None:
    try:
        for name, value in values.items():
            dbutils().jobs.taskValues.set(key=f"{name}{suffix}", value=value)
    except Exception as error:  # noqa: BLE001 - reported; how the census ended stays as it is
        progress.warning("task_values_not_set", error=one_line(error, hide))
