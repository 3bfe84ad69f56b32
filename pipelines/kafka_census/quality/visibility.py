"""Did the listings show us everything, or did an ACL hide some of it?

    proven   a witness shows that nothing was hidden
    partial  a witness shows that something was: it names things that the listing lacks
    unknown  no witness could be heard

Groups: a principal that may describe the cluster is shown every group (ListGroups asks
for CLUSTER DESCRIBE, else for GROUP DESCRIBE group by group). DescribeCluster names the
operations that we are allowed. Without that one, nobody can tell: unknown.

Topics: DescribeLogDirs names every topic that a broker holds, whatever our rights on
topics are. Proven when every broker that could be reached was read and holds no topic
that Metadata did not list. A broker that could not be reached spoils completeness, not
visibility. A topic created after Metadata was read looks hidden; a second census tells.
An answer without any log dir is how brokers before 3.0 refuse DescribeLogDirs.

Transactional ids: each is listed to who may DESCRIBE it. Who may describe an id that nobody has
(`rpc/describe_transactions.py`) may describe all but those that an ACL denies by name. Proven when that
was allowed and DescribeAcls told of no such denial, or when the cluster has no authorizer.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from kafka_census.transforms.shown_transactional_ids import shown_transactional_ids

PROVEN, PARTIAL, UNKNOWN = "proven", "partial", "unknown"
_OPERATIONS_THAT_SHOW_ALL = (1 << 8) | (1 << 2)  # AclOperation DESCRIBE, ALL
_RAFT_LOG = "__cluster_metadata"  # a log of KRaft's, not a topic


@dataclass(frozen=True)
class Visibility:
    """What is known of a listing: `what` (groups, topics or transactional ids), and at most three hidden names."""

    what: str
    state: str
    listed: int
    hidden: int
    examples: tuple[str, ...]
    message: str


def are_visible(what: str) -> str:
    """The name of the rule that a listing hides nothing."""
    return f"{what} are visible"


def groups(brokers: DataFrame, listed: int) -> Visibility:
    """From the items of DescribeCluster, and how many groups ListGroups listed."""
    allowed = F.col("cluster_authorized_operations").bitwiseAND(F.lit(_OPERATIONS_THAT_SHOW_ALL))
    operations = brokers.agg(F.max(allowed).alias("operations")).collect()[0]["operations"]
    if operations:
        return Visibility("groups", PROVEN, listed, 0, (), "the principal may describe the cluster, so all are listed")
    why = "the broker did not tell our rights" if operations is None else "the principal may not describe the cluster"
    message = f"{why}: groups may be hidden; grant it DESCRIBE on the cluster"
    return Visibility("groups", UNKNOWN, listed, 0, (), message)


def topics(names: DataFrame, log_dirs: DataFrame, listed: int, shown: Mapping[int, int]) -> Visibility:
    """From the items of Metadata and of DescribeLogDirs.

    listed  how many topics Metadata listed
    shown   by broker that was reached: how many rows its log dirs had
    """
    both = names.select("topic", F.expr("true").alias("is_listed")).unionByName(
        log_dirs.where(F.col("topic") != _RAFT_LOG).select("topic", F.expr("false").alias("is_listed"))
    )
    unlisted = both.groupBy("topic").agg(F.max("is_listed").alias("is_listed")).where("NOT is_listed")
    row = unlisted.agg(
        F.count("*").alias("hidden"), F.slice(F.array_sort(F.collect_list("topic")), 1, 3).alias("examples")
    ).collect()[0]
    mute = sorted(node for node, rows in shown.items() if rows == 0)
    state, message = _topics_verdict(row["hidden"], row["examples"], len(shown), mute)
    return Visibility("topics", state, listed, row["hidden"], tuple(row["examples"]), message)


def transactional_ids(probe: DataFrame, acls: DataFrame, listed: int, *, acls_read: bool) -> Visibility:
    """From the items of DescribeTransactions' probe and of DescribeAcls.

    listed     how many transactional ids ListTransactions listed
    acls_read  DescribeAcls was answered: without items there are no ACLs
    """
    row = shown_transactional_ids(probe, acls).collect()[0]
    state, message = _transactional_ids_verdict(row, acls_read=acls_read)
    return Visibility("transactional ids", state, listed, 0, (), message)


def _transactional_ids_verdict(row: Row, *, acls_read: bool) -> tuple[str, str]:
    grant = "transactional ids may be hidden; grant the principal DESCRIBE on"
    if row["no_authorizer"]:
        return PROVEN, "the cluster has no authorizer, so all are listed"
    if not row["probed"]:
        return UNKNOWN, f"no broker told whether the principal may describe every one: {grant} all of them"
    if row["refused"]:
        return UNKNOWN, f"the principal may not describe every one: {grant} all of them"
    if not acls_read:
        return UNKNOWN, f"the ACLs, which may deny some of them, could not be read: {grant} the cluster"
    if row["denial"]:
        return UNKNOWN, f"an ACL denies some, such as {row['denial']}: if that is this principal, they are hidden"
    return PROVEN, "the principal may describe any, and no ACL denies one"


def _topics_verdict(hidden: int, examples: list[str], reached: int, mute: list[int]) -> tuple[str, str]:
    if hidden:
        named = ", ".join(examples)
        return PARTIAL, (
            f"log dirs hold {hidden} topics that Metadata did not list, such as {named}: created since, "
            "or hidden by an ACL; grant the principal DESCRIBE on all topics"
        )
    if not reached:
        return UNKNOWN, "no broker's log dirs could be read: topics may be hidden"
    if mute:
        named = ", ".join(str(node) for node in mute[:3])
        return UNKNOWN, (
            f"log dirs of broker {named} were not shown: topics may be hidden; "
            "grant the principal DESCRIBE on the cluster"
        )
    return PROVEN, f"log dirs of {reached} brokers hold no topic that Metadata did not list"
