"""Configs that differ: from defaults, between brokers, from the previous census, and from the desired state.

    not_default      a value set on a topic, or on a broker (statically or dynamically), by the source that Kafka
                     reports; a value set to the default counts, because it does not follow a change of the default
    between_brokers  a broker's value differs from that of most brokers; names in `BY_NATURE` differ by nature and are
                     left out, and so are brokers that do not know the name (of another release)
    since_before     a value that was set in the previous census has changed or is no longer set, or a value is set
                     now and was not. Only not_default rows are kept from census to census, so the earlier value of
                     a config that was not set is assumed to be the default
    not_desired      see `desired_state`
    not_read         a topic or broker whose configs were not answered: its drift is not known, and its earlier
                     rows are no change when it answers again

Kafka hides sensitive values: a row says that the value is set; whether it differs is unknown, and it is never shown. A
topic's default is the value of topics that do not set the name; where brokers differ in that value, it is null.
"""

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.desired import Desired
from kafka_census.declarations.transform import Transform
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.config_drift.columns import CONFIG_DRIFT
from kafka_census.tables.configs.columns import CONFIGS
from kafka_census.tables.shared.desired_state import not_desired
from kafka_census.tables.shared.reasons import first_that_holds, words

BY_NATURE = (
    "advertised.host.name",
    "advertised.listeners",
    "advertised.port",
    "broker.id",
    "broker.rack",
    "host.name",
    "listeners",
    "log.dir",
    "log.dirs",
    "metadata.log.dir",
    "node.id",
    "port",
    "process.roles",
)
"""Configs that differ by nature, because brokers are different brokers."""

RESOURCE = ["resource_type", "resource_name"]
_CONFIG = [*RESOURCE, "name"]


def config_drift(
    *,
    configs: DataFrame,
    missing: Sequence[MissingRead],  # noqa: ARG001 - the rows of `configs` say what was not read
    previous: DataFrame,
    desired: Sequence[Desired],
) -> DataFrame:
    """One row per kind of drift and config, and one per resource that was not read. Columns: those of `CONFIG_DRIFT`.

    configs are rows of that table; `previous` are the rows of this table of the last published census, maybe none;
    desired are the desired values.
    """
    unread = configs.where(F.col("reason").isNotNull()).withColumn("kind", F.lit("not_read"))
    answered = configs.where(F.col("reason").isNull()).drop("reason")
    is_set = _not_default(answered)
    kinds = [is_set, _between_brokers(answered), _since_before(answered, is_set, previous), unread]
    if desired:
        kinds.append(not_desired(answered, _resources(configs), unread, desired))
    return reduce(lambda some, more: some.unionByName(more, allowMissingColumns=True), kinds).select(
        *[F.col(field.name).cast(field.dataType) for field in CONFIG_DRIFT.computed]
    )


def _resources(configs: DataFrame) -> DataFrame:
    """Every topic and broker that has a row."""
    return configs.groupBy(*RESOURCE).agg(
        *[F.max(name).alias(name) for name in ("census_id", "cluster_id", "observed_at")]
    )


def _not_default(configs: DataFrame) -> DataFrame:
    """The values that are set on a topic or a broker, with their defaults."""
    of_topic = F.col("resource_type") == "topic"
    unset = configs.where(of_topic & (F.col("source") != "topic"))
    defaults = unset.groupBy(F.lit("topic").alias("resource_type"), "name").agg(
        F.when(F.min("value") == F.max("value"), F.max("value")).alias("shown")
    )
    is_set = F.when(of_topic, F.col("source") == "topic").otherwise(~F.col("source").isin("default", "unknown"))
    value, expected = F.col("value"), F.col("expected")
    reason = first_that_holds(
        (F.col("is_sensitive"), "set; sensitive, so Kafka does not tell to what"),
        (value == expected, "set to the default"),
        (expected.isNotNull(), "set to something else than the default"),
        (of_topic, "set; no other topic shows the one default"),
        otherwise="set; it has no default",
    )
    return (
        configs.where(is_set)
        .join(F.broadcast(defaults), ["resource_type", "name"], "left")
        .withColumn("expected", F.when(of_topic, F.col("shown")).otherwise(F.col("default_value")))
        .withColumns({"kind": F.lit("not_default"), "reason": reason})
        .drop("shown", "default_value")
    )


def _between_brokers(configs: DataFrame) -> DataFrame:
    """The values that a broker has and most others do not; the values of all brokers where there is no majority."""
    comparable = configs.where(
        (F.col("resource_type") == "broker") & ~F.col("is_sensitive") & ~F.col("name").isin(*BY_NATURE)
    )
    by_value = comparable.groupBy("name", "value").agg(F.count("*").alias("brokers"))
    most_first = F.sort_array(F.collect_list(F.struct("brokers", "value")), asc=False)
    by_name = by_value.groupBy("name").agg(most_first.alias("values"), F.sum("brokers").alias("all"))
    first, second = F.get("values", F.lit(0)), F.get("values", F.lit(1))
    has_majority = first["brokers"] > second["brokers"]
    values = F.transform(F.slice("values", 1, 3), lambda one: words(one["brokers"], " have ", _shown(one["value"])))
    more = F.when(F.size("values") > 3, F.lit(", and so on")).otherwise(F.lit(""))  # noqa: PLR2004 - the number of values that are listed
    split = by_name.where(F.size("values") > 1).select(
        "name",
        F.when(has_majority, first["value"]).alias("expected"),
        has_majority.alias("has_majority"),
        words("of ", F.col("all"), " brokers ", F.array_join(values, ", "), more).alias("reason"),
    )
    differs = ~F.col("has_majority") | ~F.col("value").eqNullSafe(F.col("expected"))
    return (
        comparable.join(F.broadcast(split), "name")
        .where(differs)
        .withColumn("kind", F.lit("between_brokers"))
        .drop("has_majority", "default_value")
    )


def _shown(value: Column) -> Column:
    """A value in a sentence: an empty one is not none."""
    return F.when(value == "", '""').otherwise(F.coalesce(value, F.lit("none")))


def _since_before(configs: DataFrame, is_set: DataFrame, previous: DataFrame) -> DataFrame:
    """Values that were changed, unset, or newly set since the previous census; no rows without a previous census."""
    kind = F.col("kind")
    before = previous.where(kind == "not_default").select(*_CONFIG, F.col("value").alias("expected"))
    now = is_set.select(*_CONFIG, F.lit(True).alias("still_set"))
    changed = (
        configs.join(before, _CONFIG)
        .join(now, _CONFIG, "left")
        .where(F.col("still_set").isNull() | ~F.col("value").eqNullSafe(F.col("expected")))
        .withColumn("reason", F.when(F.col("still_set"), "set to another value").otherwise("not set any more"))
        .drop("still_set", "default_value")
    )
    unread = previous.where(kind == "not_read").select(*RESOURCE)
    known = previous.where(kind == "not_default").select(*RESOURCE, F.lit(True).alias("was_known")).distinct()
    added = (
        is_set.drop("kind", "reason")
        .join(before.select(*_CONFIG), _CONFIG, "left_anti")
        .join(unread, RESOURCE, "left_anti")
        .join(known, RESOURCE, "left")
        .withColumn(
            "reason",
            F.when(F.col("was_known"), "was not set").otherwise(
                words("was not set, or the ", F.col("resource_type"), " is new")
            ),
        )
        .drop("was_known")
    )
    census = previous.agg(F.max("census_id").alias("previous_census_id")).where("previous_census_id IS NOT NULL")
    return changed.unionByName(added).withColumn("kind", F.lit("since_before")).crossJoin(F.broadcast(census))


CONFIG_DRIFT_TRANSFORM = Transform(
    CONFIG_DRIFT,
    config_drift,
    {"configs": CONFIGS},
    previous=True,
    wants=("desired",),
)
