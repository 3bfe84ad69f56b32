"""Compute the tables of a census from its landed pages, and stage them: write them where they are judged and read.

Staged rows are a partition of the published table that no reader sees, since `publications` does not name the census.
Staging again replaces them, so an interrupted step is simply repeated; only a new census appends them. Nothing is
written for a census that is already published. Nothing here sends a request to Kafka.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.census.staging.inputs import Inputs
from kafka_census.census.staging.owner import owner_of
from kafka_census.census.staging.visibility import hidden_from, visibility
from kafka_census.declarations.census import Census
from kafka_census.declarations.operator_values import NO_VALUES, OperatorValues
from kafka_census.declarations.table import CLUSTER, OWNER, Table
from kafka_census.declarations.transform import Earlier
from kafka_census.errors import ConfigError
from kafka_census.lake import store, whole
from kafka_census.lake.before import Before, published_before
from kafka_census.lake.lake import Lake
from kafka_census.lake.publications import standing
from kafka_census.lake.rows import local_frame
from kafka_census.pages.landed_census import LandedCensus
from kafka_census.pages.missing_read import MissingRead, read_back
from kafka_census.spark.side_by_side import side_by_side
from kafka_census.tables.transforms import TRANSFORMS
from kafka_census.terminal.progress import Progress, timed

OneTask = Callable[[SparkSession], AbstractContextManager[object]]
"""Fits a session to queries of one task each, until the end of a block (`spark.query_settings.one_task`)."""


def stage(
    spark: SparkSession,
    lake: Lake,
    census: Census,
    tables: tuple[Table, ...],
    landed: LandedCensus,
    progress: Progress,
    values: OperatorValues = NO_VALUES,
    at_once: int = 1,
    one_task: OneTask = nullcontext,
    *,
    goes_on: bool = True,
) -> None:
    """Compute each table and write its rows of this census; `at_once` independent tables at the same time.

    one_task  fits the session to tables of one task each, for a census of few items
    values    what the operator configured
    goes_on   whether rows of this census may have been staged before, which are replaced

    Raises CorruptLake when pages are missing, and ConfigError when readers already see the census.
    """
    if goes_on and standing(spark, lake, census).published:
        raise ConfigError(f"census {census.census_id} of {census.cluster} is published, so its rows stay as they are")
    before = previous(spark, lake, census, landed)
    whole.require_rows(spark, lake, _read_of(before, tables))

    few = landed.is_one_task
    with ExitStack() as until_staged:
        if few:
            until_staged.enter_context(one_task(spark))
        inputs = Inputs(landed, until_staged if few else None)

        def write(table: Table) -> None:
            with timed(progress, "staged", table=table.name):
                frame = inputs.keep(table, compute(spark, lake, table, census, landed, before, values, inputs))
                store.write_census(frame, lake, table, census.census_id, goes_on=goes_on)

        work = {table.name: partial(write, table) for table in tables}
        made_of = {
            table.name: [one.name for one in (*table.made_of, *table.if_there) if one in tables] for table in tables
        }
        side_by_side(spark, work, made_of, at_once)


def _read_of(before: Mapping[str, Before], tables: Sequence[Table]) -> whole.Promised:
    """What the previous census published of the tables whose rows these tables are computed from."""
    computed = [transform for transform in TRANSFORMS if transform.table in tables]
    read = [transform.table for transform in computed if transform.previous]
    compared = [transform.table for transform in computed if transform.compares]
    read += [one for table in compared for one in (*table.made_of, *table.if_there)]
    return {one: {of.census_id: of.rows} for one in dict.fromkeys(read) if (of := before.get(one.name))}


def previous(spark: SparkSession, lake: Lake, census: Census, landed: LandedCensus) -> Mapping[str, Before]:
    """What `published_before` finds, looked up once for all steps of a job. Raises CorruptLake."""
    found: Mapping[str, Before] = landed.once("previous", lambda: published_before(spark, lake, census))
    return found


def compute(
    spark: SparkSession,
    lake: Lake,
    table: Table,
    census: Census,
    landed: LandedCensus,
    before: Mapping[str, Before],
    values: OperatorValues = NO_VALUES,
    inputs: Inputs | None = None,
) -> DataFrame:
    """A table's rows, with declared columns, from landed pages, staged tables and the previous census (`before`)."""
    transform = next(transform for transform in TRANSFORMS if transform.table.name == table.name)
    read = inputs or Inputs(landed)
    roles: dict[str, Any] = {
        role: read.staged(source) if isinstance(source, Table) else read.items(*source)
        for role, source in transform.inputs.items()
        if source not in table.if_there or source.name in census.tables
    }
    roles["missing"] = tuple(row for row in landed.missing_reads if not row.is_of_items)
    if transform.previous:
        roles["previous"] = _previous(spark, lake, table, census, before.get(table.name))
    roles |= {name: getattr(values, name) for name in transform.wants}
    if transform.compares:
        last = max((of.census_id for of in before.values()), default="")
        compared = [
            one
            for one in (*table.made_of, *table.if_there)
            if one.name in before and (one.name in roles or before[one.name].census_id == last)
        ]
        roles["ids"] = census.census_id, census.cluster_id
        roles["earlier"] = {
            one.name: Earlier(
                of.census_id,
                read.one_part(_previous(spark, lake, one, census, of)),
                [read_back(*missing) for missing in of.lacking],
            )
            for one in compared
            for of in (before[one.name],)
        }
        roles["lacking"] = {one.name: _lacking(one, landed) for one in compared if one.name in roles}
    rows = transform.function(**roles)
    ours = {CLUSTER.name: F.lit(census.cluster)}
    if table.owned_by:
        ours[OWNER.name] = owner_of(table, values.owners)
    return rows.withColumns(ours).selectExpr(*table.columns)


def _lacking(table: Table, landed: LandedCensus) -> Sequence[MissingRead]:
    """The answers that a table is computed without, as written to `publications`."""
    required = {(read.rpc, read.scope) for read in table.reads if read.required}
    missed = [one for one in landed.missing_reads if one.walk in required]
    return [*missed, *hidden_from(table, visibility(landed))]


def _previous(spark: SparkSession, lake: Lake, table: Table, census: Census, before: Before | None) -> DataFrame:
    """The table's rows of the previously published census; no rows for the first census."""
    if before is None:
        return local_frame(spark, [], table.schema)
    rows = store.read(spark, lake, table)
    return rows.where((F.col("census_id") == before.census_id) & (F.col("cluster_id") == census.cluster_id))
