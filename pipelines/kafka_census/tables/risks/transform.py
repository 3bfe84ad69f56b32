"""Risks: conditions over the rows of other tables of the census, by the operator's thresholds.

Each risk is a condition and, where a value that decides may be missing, when it is not known. A risk of a topic counts
its partitions: one is enough to be open, and it is unknown where none shows it and some are not known. A table that the
census lacks leaves its risks unknown: one row of the cluster each.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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
from kafka_census.tables.shared.reasons import not_read, words

_IDS = ["census_id", "cluster_id"]
_SEVERAL = "size(replicas) > 1"
_MIN_ISR_UNKNOWN = f"{_SEVERAL} AND min_isr_effective IS NULL"


@dataclass(frozen=True)
class _OfTopic:
    """A risk of a topic's partitions: SQL over rows of `partitions`, when it is not known, and why."""

    word: str
    holds: str
    unknown: str = "false"
    why: str = ""


def _of_topics(policy: RiskPolicy) -> tuple[_OfTopic, ...]:
    min_isr_why = "the minimum ISR of some partitions is not known"
    return (
        _OfTopic("one_replica", "size(replicas) = 1"),
        _OfTopic(
            "no_replica_to_spare",
            f"{_SEVERAL} AND min_isr_effective >= size(replicas)",
            _MIN_ISR_UNKNOWN,
            min_isr_why,
        ),
        _OfTopic("min_isr_one", f"{_SEVERAL} AND min_isr_effective = 1", _MIN_ISR_UNKNOWN, min_isr_why),
        _OfTopic(
            "one_rack",
            f"{_SEVERAL} AND replicas_sharing_rack = size(replicas) - 1",
            # A cluster without racks has no such risk; one that has them for some brokers may have.
            f"{_SEVERAL} AND replicas_sharing_rack IS NULL AND size(racks) > 0",
            "the racks of some replicas are not known",
        ),
        _OfTopic(
            "one_coordinator",
            "topic IN ('__consumer_offsets', '__transaction_state', '__share_group_state') AND size(isr) = 1",
        ),
        _OfTopic("few_internal_replicas", f"is_internal AND size(replicas) < {policy.internal_replicas}"),
    )


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
        _risks_of_topics(partitions, _of_topics(policy)),
        _leaders_away(brokers, policy.leaders_away),
        _crowded(brokers, policy.partitions_per_broker),
        _mixed(brokers),
    ]
    found += [_unclean(configs)] if configs is not None else [_not_computed(brokers, "unclean_election", CONFIGS)]
    found += [_voters(quorum)] if quorum is not None else [_not_computed(brokers, "no_voter_to_spare", QUORUM)]
    if log_dirs is None:
        found += [_not_computed(brokers, word, LOG_DIR_USAGE) for word in ("disk_filling", "moves_do_not_fit")]
    else:
        found.append(_filling(log_dirs, policy.disk_used))
        absent = REASSIGNMENT_BACKLOG_BY_BROKER
        found.append(
            _not_computed(brokers, "moves_do_not_fit", absent) if backlog is None else _too_small(log_dirs, backlog)
        )
    if acls is None:
        found += [_not_computed(brokers, word, ACL_INVENTORY) for word in ("dangerous_grants", "no_authorizer")]
    else:
        found += _grants(acls, brokers, missing)
    rows = reduce(lambda some, more: some.unionByName(more, allowMissingColumns=True), found)
    return _accepted(rows, policy.accept).select(*RISKS.computed.names)


def _risks_of_topics(partitions: DataFrame, risks: Iterable[_OfTopic]) -> DataFrame:
    several = tuple(risks)
    counts = [
        count
        for one in several
        for count in (
            F.count_if(F.expr(one.holds)).alias(f"{one.word}_holds"),
            F.count_if(F.expr(one.unknown)).alias(f"{one.word}_unknown"),
        )
    ]
    topics = (
        partitions.where("partition >= 0")
        .groupBy(*_IDS, F.col("topic").alias("name"))
        .agg(F.max("observed_at").alias("observed_at"), F.count("*").alias("of"), *counts)
    )
    each = F.array(
        *[
            F.struct(
                F.lit(one.word).alias("risk"),
                F.col(f"{one.word}_holds").alias("holds"),
                F.col(f"{one.word}_unknown").alias("unknown"),
                F.lit(one.why).alias("why"),
            )
            for one in several
        ]
    )
    rows = topics.select(*_IDS, "name", "observed_at", "of", F.inline(each)).where("holds > 0 OR unknown > 0")
    return _rows(
        rows,
        "topic",
        risk=F.col("risk"),
        name=F.col("name"),
        holds=F.col("holds") > 0,
        affected=F.col("holds"),
        detail=words(F.col("holds"), " of ", F.col("of"), " partitions"),
        why=F.col("why"),
    )


def _leaders_away(brokers: DataFrame, most: float) -> DataFrame:
    away = F.col("preferred_imbalance")
    return _rows(
        brokers.where((away > most) | ((F.col("state") == "alive") & F.col("preferred_leaders").isNull())),
        "broker",
        risk=F.lit("leaders_away"),
        name=F.col("broker_id"),
        holds=away > most,
        affected=F.col("preferred_elsewhere"),
        detail=words(
            *("others lead ", F.col("preferred_elsewhere"), " of ", F.col("preferred_leaders"), " of its partitions")
        ),
        why=F.col("counts_reason"),
    )


def _crowded(brokers: DataFrame, most: int) -> DataFrame:
    replicas = F.col("replicas")
    return _rows(
        brokers.where((replicas > most) | ((F.col("state") == "alive") & replicas.isNull())),
        "broker",
        risk=F.lit("crowded_broker"),
        name=F.col("broker_id"),
        holds=replicas > most,
        affected=replicas,
        detail=words(replicas, f" replicas, where {most:,} are meant to be the most"),
        why=F.col("counts_reason"),
    )


def _mixed(brokers: DataFrame) -> DataFrame:
    """The cluster, where alive brokers differ in their release or in the features that they support."""
    features = F.transform("features", lambda one: F.struct(one["feature"], one["max_version"]))
    known = F.col("release_at_least").isNotNull()
    alive = (
        brokers.where("state = 'alive'")
        .groupBy(*_IDS)
        .agg(
            F.max("observed_at").alias("observed_at"),
            F.array_sort(F.collect_set("release_at_least")).alias("releases"),
            F.count_distinct(F.when(known, F.to_json(F.array_sort(features)))).alias("levels"),
            F.count_if(~known).alias("silent"),
        )
    )
    differ = (F.size("releases") > 1) | (F.col("levels") > 1)
    detail = F.when(F.size("releases") > 1, words("releases of at least ", F.array_join("releases", ", "))).otherwise(
        "brokers support different levels of features"
    )
    return _rows(
        alive.where(differ | (F.col("silent") > 0)),
        "cluster",
        risk=F.lit("mixed_releases"),
        holds=differ,
        affected=F.size("releases"),
        detail=detail,
        why=words(F.col("silent"), " brokers did not tell their release"),
    )


def _unclean(configs: DataFrame) -> DataFrame:
    is_set = "name = 'unclean.leader.election.enable' AND value = 'true'"
    return _rows(
        configs.where(f"resource_type = 'topic' AND (reason IS NOT NULL OR {is_set})"),
        "topic",
        risk=F.lit("unclean_election"),
        name=F.col("resource_name"),
        holds=F.col("reason").isNull(),
        detail=words("by its source: ", F.col("source")),
        why=F.col("reason"),
    )


def _voters(quorum: DataFrame) -> DataFrame:
    """The cluster, where the loss of one more voter leaves no majority."""
    voters = quorum.groupBy(*_IDS).agg(
        F.max("observed_at").alias("observed_at"),
        F.count_if(F.col("role") == "voter").alias("voters"),
        F.count_if((F.col("role") == "voter") & F.col("caught_up")).alias("well"),
        F.count_if((F.col("role") == "voter") & F.col("caught_up").isNull()).alias("unheard"),
        F.max(F.when(F.col("role") == "unknown", F.col("reason"))).alias("unread"),
    )
    majority = F.floor(F.col("voters") / 2) + 1
    spare, at_best = F.col("well") - majority, F.col("well") + F.col("unheard") - majority
    none, unknown = (F.col("voters") > 0) & (at_best < 1), F.col("unread").isNotNull() | ((spare < 1) & (at_best >= 1))
    detail = words(F.col("well"), " of ", F.col("voters"), " voters are caught up, ", majority, " are a majority")
    why = F.coalesce("unread", words(F.col("unheard"), " voters are not known to be caught up"))
    return _rows(
        voters.where(none | unknown),
        "cluster",
        risk=F.lit("no_voter_to_spare"),
        holds=none,
        affected=F.col("well"),
        detail=detail,
        why=why,
    )


def _filling(log_dirs: DataFrame, most: float) -> DataFrame:
    used = 1 - F.col("usable_bytes") / F.col("total_bytes")
    unread = (F.col("state") == "not_read") | ((F.col("state") == "online") & used.isNull())
    return _rows(
        log_dirs.where((used > most) | unread),
        "log_dir",
        risk=F.lit("disk_filling"),
        name=words(F.col("broker_id"), ":", F.col("log_dir")),
        holds=used > most,
        affected=F.col("usable_bytes"),
        detail=words(F.round(used * 100).cast("int"), " % of its volume are used"),
        why=F.coalesce("reason", F.lit("brokers before 3.3 do not tell the size of a volume")),
    )


def _too_small(log_dirs: DataFrame, backlog: DataFrame) -> DataFrame:
    """Brokers whose dirs have less space together than running moves still bring; dirs may share a volume."""
    free = log_dirs.groupBy("broker_id").agg(
        F.sum("usable_bytes").alias("free"), F.bool_or(F.col("usable_bytes").isNull()).alias("in_part")
    )
    moves = backlog.where("replicas_in > 0").join(free, "broker_id", "left")
    short = F.col("bytes_left_in") > F.col("free")
    sure = short & ~F.col("in_part")
    unknown = F.col("free").isNull() | F.col("in_part") | ((F.col("unknown_in") > 0) & ~F.coalesce(short, F.lit(False)))
    return _rows(
        moves.where(sure | unknown),
        "broker",
        risk=F.lit("moves_do_not_fit"),
        name=F.col("broker_id"),
        holds=sure,
        affected=F.col("bytes_left_in"),
        detail=words(F.col("bytes_left_in"), " bytes are still to come, and ", F.col("free"), " are free"),
        why=F.lit("what moves still bring, or what is free, is not known"),
    )


def _grants(acls: DataFrame, brokers: DataFrame, missing: Sequence[MissingRead]) -> list[DataFrame]:
    """Principals with dangerous grants, and the cluster without an authorizer; unknown where ACLs were not read."""
    unread = not_read(missing, "DescribeAcls", "acls")
    nobody_checks = F.array_contains("dangers", "no_authorizer")
    granted = (
        acls.where(F.col("is_dangerous") & ~nobody_checks)
        .groupBy(*_IDS, "principal")
        .agg(
            F.max("observed_at").alias("observed_at"),
            F.count("*").alias("entries"),
            F.array_join(F.array_sort(F.array_distinct(F.flatten(F.collect_list("dangers")))), ", ").alias("kinds"),
        )
    )
    unknown = _of_cluster(brokers).where(unread.isNotNull())
    return [
        _rows(
            granted,
            "principal",
            risk=F.lit("dangerous_grants"),
            name=F.col("principal"),
            holds=F.lit(True),
            affected=F.col("entries"),
            detail=words(F.col("entries"), " entries: ", F.col("kinds")),
        ),
        _rows(
            acls.where(nobody_checks),
            "cluster",
            risk=F.lit("no_authorizer"),
            holds=F.lit(True),
            detail=F.lit("everyone may do everything"),
        ),
        *(_rows(unknown, "cluster", risk=F.lit(word), why=unread) for word in ("dangerous_grants", "no_authorizer")),
    ]


def _not_computed(brokers: DataFrame, word: str, table: Table) -> DataFrame:
    why = F.lit(f"the census has no table {table.name}")
    return _rows(_of_cluster(brokers), "cluster", risk=F.lit(word), why=why)


def _of_cluster(brokers: DataFrame) -> DataFrame:
    return brokers.groupBy(*_IDS).agg(F.max("observed_at").alias("observed_at"))


def _rows(
    rows: DataFrame,
    subject: str,
    *,
    risk: Column,
    name: Column | None = None,
    holds: Column | None = None,
    affected: Column | None = None,
    detail: Column | None = None,
    why: Column | None = None,
) -> DataFrame:
    """Rows of risks: open where `holds` is true, else unknown. What is not given is null, and the name empty."""
    null = F.lit(None)
    is_open = F.lit(False) if holds is None else F.coalesce(holds, F.lit(False))
    return rows.select(
        *_IDS,
        "observed_at",
        risk.alias("risk"),
        F.lit(subject).alias("subject"),
        (F.lit("") if name is None else name).cast("string").alias("name"),
        F.when(is_open, null if affected is None else affected).cast("bigint").alias("affected"),
        F.when(is_open, null if detail is None else detail).cast("string").alias("detail"),
        F.when(is_open, "open").otherwise("unknown").alias("state"),
        F.when(~is_open, null if why is None else why).cast("string").alias("reason"),
    )


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
