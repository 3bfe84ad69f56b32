"""Configs that differ from the cluster's desired state.

An entry is for a name, a prefix or all; for one resource and config the most specific entry counts. Values are compared
as text, as Kafka writes them. A value that cannot be compared (sensitive, not read, or of a name that the broker does
not know) is a row, too; its desired value is not shown, because it may be a secret.
"""

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.desired import DESIRED, Desired
from kafka_census.lake.rows import local_frame
from kafka_census.tables.shared.reasons import first_that_holds, words

_RESOURCE = ["resource_type", "resource_name"]
_EXACT = 2**31 - 1


def not_desired(configs: DataFrame, resources: DataFrame, unread: DataFrame, desired: Sequence[Desired]) -> DataFrame:
    """Rows of kind not_desired, with columns of `CONFIG_DRIFT`.

    configs    answered values, one row per resource and name
    resources  every known resource
    unread     resources whose configs are not known, with the reason
    """
    entries = local_frame(
        configs.sparkSession, [(one.resource_type, one.resources, one.name, one.value) for one in desired], DESIRED
    ).withColumnRenamed("value", "expected")
    exact = F.col("resources") == F.col("resource_name")
    prefix = F.regexp_replace("resources", r"\*$", "")
    fits = exact | (F.endswith("resources", F.lit("*")) & F.startswith("resource_name", prefix))
    heads = resources.select("census_id", "cluster_id", "observed_at", *_RESOURCE)
    fitting = heads.join(
        F.broadcast(entries.withColumnRenamed("resource_type", "entry_type")),
        (F.col("resource_type") == F.col("entry_type")) & fits,
    )
    particular = F.when(exact, F.lit(_EXACT)).otherwise(F.length("resources"))
    wanted = fitting.groupBy(*_RESOURCE, "name").agg(
        *[F.max(name).alias(name) for name in ("census_id", "cluster_id", "observed_at")],
        F.max_by("expected", particular).alias("expected"),
    )
    return _compared(wanted, configs, unread).unionByName(_unmatched(entries, heads, fitting), allowMissingColumns=True)


def _compared(wanted: DataFrame, configs: DataFrame, unread: DataFrame) -> DataFrame:
    """Desired values that are not in force, or that cannot be compared."""
    answered = configs.select(*_RESOURCE, "name", "value", "source", "is_sensitive", F.col("observed_at").alias("at"))
    why = unread.select(*_RESOURCE, F.col("reason").alias("unread"))
    known = F.col("source").isNotNull()
    reason = first_that_holds(
        (F.col("unread").isNotNull(), F.col("unread")),
        (~known, F.lit("Kafka knows no config of this name here")),
        (F.col("is_sensitive"), F.lit("sensitive: Kafka does not tell the value, so it cannot be compared")),
        otherwise="not the desired value",
    )
    compared = known & ~F.col("is_sensitive")
    return (
        wanted.join(answered, [*_RESOURCE, "name"], "left")
        .join(why, _RESOURCE, "left")
        .where(~F.coalesce(compared, F.lit(False)) | ~F.col("value").eqNullSafe(F.col("expected")))
        .withColumns(
            {
                "kind": F.lit("not_desired"),
                "expected": F.when(compared, F.col("expected")),
                "observed_at": F.greatest("observed_at", "at"),
                "reason": reason,
            }
        )
        .drop("at", "unread")
    )


def _unmatched(entries: DataFrame, heads: DataFrame, fitting: DataFrame) -> DataFrame:
    """Entries that match no resource; an entry for all resources is left out."""
    head = heads.agg(*[F.max(name).alias(name) for name in ("census_id", "cluster_id", "observed_at")])
    met = fitting.select(F.col("entry_type").alias("resource_type"), "resources").distinct()
    lost = entries.where(F.col("resources") != "*").join(met, ["resource_type", "resources"], "left_anti")
    return lost.crossJoin(F.broadcast(head)).select(
        "census_id",
        "cluster_id",
        "observed_at",
        F.lit("not_desired").alias("kind"),
        "resource_type",
        F.col("resources").alias("resource_name"),
        "name",
        words("there is no such ", F.col("resource_type")).alias("reason"),
    )
