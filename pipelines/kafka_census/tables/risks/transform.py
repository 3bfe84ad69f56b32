"""Risks: conditions over the rows of other tables of the census, by the operator's thresholds.

Each risk is a condition and, where a value that decides may be missing, when it is not known. A table that the census
lacks leaves its risks unknown: one row of the cluster each.
"""

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.risk_policy import AcceptedRisk, RiskPolicy
from kafka_census.declarations.table import Table
from kafka_census.declarations.transform import Transform
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.acl_inventory.columns import ACL_INVENTORY
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.configs.columns import CONFIGS
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE
from kafka_census.tables.partitions.columns import PARTITIONS
from kafka_census.tables.quorum.columns import QUORUM
from kafka_census.tables.reassignment_backlog_by_broker.columns import REASSIGNMENT_BACKLOG_BY_BROKER
from kafka_census.tables.risks.columns import RISKS
from kafka_census.tables.risks.of_brokers import crowded, filling, leaders_away, too_small
from kafka_census.tables.risks.of_cluster import grants, mixed, voters_to_spare
from kafka_census.tables.risks.of_topics import risks_of_topics, unclean
from kafka_census.tables.risks.risk_rows import of_cluster, risk_rows


def risks(
    *,
    partitions: DataFrame,
    brokers: DataFrame,
    policy: RiskPolicy,
    missing: Sequence[MissingRead],
    configs: DataFrame | None = None,
    quorum: DataFrame | None = None,
    log_dirs: DataFrame | None = None,
    acls: DataFrame | None = None,
    backlog: DataFrame | None = None,
) -> DataFrame:
    """One row per risk and what bears it. Columns: those of `RISKS`.

    Inputs are rows of this census of partitions, brokers, configs, quorum, log_dir_usage, acl_inventory and
    reassignment_backlog_by_broker, of which the census may lack the last five; missing are the missing reads.
    """
    found = [
        risks_of_topics(partitions, policy),
        leaders_away(brokers, policy.leaders_away),
        crowded(brokers, policy.partitions_per_broker),
        mixed(brokers),
    ]
    found += [unclean(configs)] if configs is not None else [_not_computed(brokers, "unclean_election", CONFIGS)]
    found += [voters_to_spare(quorum)] if quorum is not None else [_not_computed(brokers, "no_voter_to_spare", QUORUM)]
    if log_dirs is None:
        found += [_not_computed(brokers, word, LOG_DIR_USAGE) for word in ("disk_filling", "moves_do_not_fit")]
    else:
        found.append(filling(log_dirs, policy.disk_used))
        absent = REASSIGNMENT_BACKLOG_BY_BROKER
        found.append(
            _not_computed(brokers, "moves_do_not_fit", absent) if backlog is None else too_small(log_dirs, backlog)
        )
    if acls is None:
        found += [_not_computed(brokers, word, ACL_INVENTORY) for word in ("dangerous_grants", "no_authorizer")]
    else:
        found += grants(acls, brokers, missing)
    rows = reduce(lambda some, more: some.unionByName(more, allowMissingColumns=True), found)
    return _accepted(rows, policy.accept).select(*RISKS.computed.names)


def _not_computed(brokers: DataFrame, word: str, table: Table) -> DataFrame:
    why = F.lit(f"the census has no table {table.name}")
    return risk_rows(of_cluster(brokers), "cluster", risk=F.lit(word), why=why)


def _accepted(rows: DataFrame, accepted: Sequence[AcceptedRisk]) -> DataFrame:
    """Adds accepted_until and accepted_why, and the state of open risks that somebody accepts on that day."""
    day = F.to_date("observed_at")
    chosen = F.lit(None).cast("struct<until: date, why: string>")
    for one in reversed(accepted):
        of_topic = F.lit(True) if one.topic is None else (F.col("subject") == "topic") & _like("name", one.topic)
        of_name = F.lit(True) if one.name is None else _like("name", one.name)
        holds = (
            (F.col("risk") == one.word) & of_topic & of_name & (day <= F.lit(one.until)) & (F.col("state") == "open")
        )
        chosen = F.when(holds, F.struct(F.lit(one.until).alias("until"), F.lit(one.why).alias("why"))).otherwise(chosen)
    return (
        rows.withColumn("chosen", chosen)
        .withColumns({"accepted_until": F.col("chosen.until"), "accepted_why": F.col("chosen.why")})
        .withColumn("state", F.when(F.col("accepted_until").isNotNull(), "accepted").otherwise(F.col("state")))
    )


def _like(name: str, pattern: str) -> Column:
    """Whether a name matches a pattern in which only * is special."""
    for special in ("\\", "%", "_"):
        pattern = pattern.replace(special, f"\\{special}")
    return F.col(name).like(pattern.replace("*", "%"))


RISKS_TRANSFORM = Transform(
    RISKS,
    risks,
    {
        "partitions": PARTITIONS,
        "brokers": BROKERS,
        "configs": CONFIGS,
        "quorum": QUORUM,
        "log_dirs": LOG_DIR_USAGE,
        "acls": ACL_INVENTORY,
        "backlog": REASSIGNMENT_BACKLOG_BY_BROKER,
    },
    wants=("policy",),
)
