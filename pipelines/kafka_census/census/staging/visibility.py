"""Whether the listings showed everything, or an ACL hid some of it.

    proven   a probe shows that nothing was hidden
    partial  a probe shows that something was hidden: it names things that the listing lacks
    unknown  no probe was answered

Groups: a principal that may describe the cluster sees every group (ListGroups requires CLUSTER DESCRIBE, or else GROUP
DESCRIBE group by group). DescribeCluster names the operations that the principal is allowed. Without DESCRIBE among
them the state is unknown.

Topics: DescribeLogDirs names every topic that a broker holds, regardless of the principal's rights on topics. A topic
that Metadata did not list is then requested by name: TOPIC_AUTHORIZATION_FAILED means hidden, any other answer means
created (or deleted) since. Proven when every broker that could be reached was read and holds no hidden topic. A broker
that could not be reached affects completeness, not visibility. An offline log dir shows no topics: the proof does not
cover a hidden topic that is only there, and its message names the dir. An answer without any log dir is how brokers
before 3.0 refuse DescribeLogDirs.

Transactional ids: each id is listed only to principals that may DESCRIBE it. A principal that may describe a
nonexistent id may describe all ids except where ACLs say otherwise: the proof is
`tables.shared.shown_transactional_ids`.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from kafka_census.declarations import visibility_rules
from kafka_census.declarations.table import Table
from kafka_census.declarations.visibility_probes import VISIBILITY_PROBES
from kafka_census.declarations.visibility_rules import NOT_VISIBLE, PARTIAL, PROVEN, UNKNOWN, IdAnswers
from kafka_census.declarations.walks import RAFT_LOG
from kafka_census.kafka.error_codes import UNREACHABLE
from kafka_census.pages.header import Header, WalkName, latest
from kafka_census.pages.landed_census import LandedCensus
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.shared.shown_transactional_ids import shown_transactional_ids

_NOT_ALLOWED = 29  # TOPIC_AUTHORIZATION_FAILED


@dataclass(frozen=True)
class Visibility:
    """The visibility of a listing: `what` (groups, topics or transactional ids), and at most three hidden names."""

    what: str
    state: str
    listed: int
    hidden: int
    examples: tuple[str, ...]
    message: str


def visibility_rule(what: str) -> str:
    """The name of the rule that a listing hides nothing."""
    return f"{what} are visible"


def visibility(landed: LandedCensus) -> Mapping[WalkName, Visibility]:
    """The result of each listing's probe, by listing. Computed once per `LandedCensus`, however many steps use it."""
    found: Mapping[WalkName, Visibility] = landed.once("visibility", lambda: _visibility(landed))
    return found


def hidden_from(table: Table, shown: Mapping[WalkName, Visibility]) -> list[MissingRead]:
    """The listings that a table reads and that may be incomplete."""
    return [
        MissingRead(read.rpc, None, NOT_VISIBLE, seen.message, read.scope, "not_visible")
        for read in table.reads
        if (seen := shown.get((read.rpc, read.scope))) is not None and seen.state != PROVEN
    ]


def groups(brokers: DataFrame, listed: int) -> Visibility:
    """The visibility of groups, from the items of DescribeCluster, and the number of groups that ListGroups listed."""
    allowed = F.col("cluster_authorized_operations").bitwiseAND(F.lit(visibility_rules.OPERATIONS_THAT_SHOW_ALL))
    operations = brokers.agg(F.max(allowed).alias("operations")).collect()[0]["operations"]
    state, message = visibility_rules.groups(operations)
    return Visibility("groups", state, listed, 0, (), message)


def topics(
    names: DataFrame, log_dirs: DataFrame, unlisted: DataFrame, listed: int, shown: Mapping[int, int]
) -> Visibility:
    """The visibility of topics, from the items of Metadata, DescribeLogDirs, and Metadata for names only log dirs had.

    listed  the number of topics that Metadata listed
    shown   the number of rows of its log dirs, by broker that was reached
    """
    no_code = F.lit(None).cast("int").alias("code")
    every = (
        names.select("topic", F.lit(True).alias("is_listed"), no_code)
        .unionByName(
            log_dirs.where(F.col("topic") != RAFT_LOG).select("topic", F.lit(False).alias("is_listed"), no_code)
        )
        .unionByName(unlisted.select("topic", F.lit(False).alias("is_listed"), F.col("error_code").alias("code")))
    )
    reported = every.groupBy("topic").agg(F.max("is_listed").alias("is_listed"), F.max("code").alias("code"))
    is_hidden = F.coalesce(F.col("code") == _NOT_ALLOWED, F.lit(True))
    counted = reported.where("NOT is_listed").agg(
        F.count_if(is_hidden).alias("hidden"),
        F.count_if(~is_hidden).alias("created"),
        F.count_if(F.col("code").isNull()).alias("not_reported"),
        F.slice(F.sort_array(F.collect_list(F.when(is_hidden, F.col("topic")))), 1, 3).alias("examples"),
    )
    dir_of_broker = F.concat(F.col("log_dir"), F.lit(" of broker "), F.col("asked_node_id").cast("string"))
    offline = log_dirs.where(F.col("error_code") != 0).agg(
        F.slice(F.sort_array(F.collect_set(dir_of_broker)), 1, 3).alias("offline")
    )
    row = counted.crossJoin(offline).collect()[0]
    mute = sorted(node for node, rows in shown.items() if rows == 0)
    state, message = _topics_verdict(row, len(shown), mute)
    return Visibility("topics", state, listed, row["hidden"], tuple(row["examples"]), message)


def transactional_ids(
    probe: DataFrame, acls: DataFrame, configs: DataFrame, listed: int, *, acls_read: bool
) -> Visibility:
    """The visibility of transactional ids, from the items of the probe, of DescribeAcls, and of brokers' configs.

    listed     the number of transactional ids that ListTransactions listed
    acls_read  DescribeAcls was answered: without items there are no ACLs
    """
    answers = IdAnswers(**shown_transactional_ids(probe, acls, configs).collect()[0].asDict())
    state, message = visibility_rules.transactional_ids(answers, acls_read=acls_read)
    return Visibility("transactional ids", state, listed, 0, (), message)


def _topics_verdict(row: Row, reached: int, mute: list[int]) -> tuple[str, str]:
    if row["hidden"]:
        named = ", ".join(row["examples"])
        reported = "and that could not be asked for by name: created since, or hidden by an ACL"
        why = reported if row["not_reported"] else "nor show by name: hidden by an ACL"
        return PARTIAL, (
            f"log dirs hold {row['hidden']} topics that Metadata did not list, such as {named}, {why}; "
            "grant the principal DESCRIBE on all topics"
        )
    if not reached:
        return UNKNOWN, "no broker's log dirs could be read: topics may be hidden"
    if mute:
        named = ", ".join(str(node) for node in mute[:3])
        return UNKNOWN, (
            f"log dirs of broker {named} were not shown: topics may be hidden; "
            "grant the principal DESCRIBE on the cluster"
        )
    created = f", but {row['created']} created since" if row["created"] else ""
    offline = f"; what is only in offline log dirs ({', '.join(row['offline'])}) no broker can tell"
    shown = f"log dirs of {reached} brokers hold no topic that Metadata did not list{created}"
    return PROVEN, f"{shown}{offline if row['offline'] else ''}"


def _visibility(landed: LandedCensus) -> Mapping[WalkName, Visibility]:
    headers = landed.headers
    taken = {(walk.rpc, walk.scope) for walk in landed.walks}
    shown: dict[WalkName, Visibility] = {}
    for probe in VISIBILITY_PROBES:
        if probe.listing not in taken:
            continue
        answers = [landed.listed(*walk) for walk in probe.by]
        listed = sum(page.item_count for page in _latest_of(headers, probe.listing))
        if probe.what == "groups":
            seen = groups(answers[0], listed)
        elif probe.what == "topics":
            rows = _rows_by_broker(headers, probe.by[0])
            log_dirs, unlisted = answers
            seen = topics(landed.listed(*probe.listing), log_dirs, unlisted, listed, rows)
        else:
            acls_read = not any(row.walk == probe.by[1] for row in landed.missing_reads)
            described, acls, configs = answers
            seen = transactional_ids(described, acls, configs, listed, acls_read=acls_read)
        shown[probe.listing] = seen
    return shown


def _latest_of(headers: list[Header], walk: WalkName) -> list[Header]:
    return [page for chain in latest(headers).values() for page in chain if page.walk == walk]


def _rows_by_broker(headers: list[Header], walk: WalkName) -> dict[int, int]:
    """The number of items from each broker that was reached, including brokers that refused."""
    rows: Counter[int] = Counter()
    for page in _latest_of(headers, walk):
        if page.node_id is not None and page.error_code not in UNREACHABLE:
            rows[page.node_id] += page.item_count
    return dict(rows)
