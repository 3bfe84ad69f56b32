"""Whether a listing may have hidden something, from every kind of witness."""

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from kafka_census.quality import visibility
from kafka_census.quality.visibility import PARTIAL, PROVEN, UNKNOWN
from kafka_census.tables.rows import local_frame

DESCRIBE, ALL, CREATE = 1 << 8, 1 << 2, 1 << 5


def frame(spark: SparkSession, ddl: str, rows: list[tuple[object, ...]]) -> DataFrame:
    """A local frame."""
    return local_frame(spark, rows, StructType.fromDDL(ddl))


@pytest.mark.parametrize(
    ("operations", "state", "why"),
    [
        ([DESCRIBE | CREATE], PROVEN, "may describe the cluster"),
        ([ALL], PROVEN, "may describe the cluster"),
        ([None, DESCRIBE], PROVEN, "may describe the cluster"),
        ([CREATE], UNKNOWN, "the principal may not describe the cluster: groups may be hidden; grant it DESCRIBE"),
        ([None], UNKNOWN, "the broker did not tell our rights: groups may be hidden"),
        ([], UNKNOWN, "the broker did not tell our rights: groups may be hidden"),
    ],
)
def test_groups_are_proven_by_our_rights(
    spark: SparkSession, operations: list[int | None], state: str, why: str
) -> None:
    """DESCRIBE or ALL on the cluster shows every group; no answer proves nothing."""
    brokers = frame(spark, "node_id INT, cluster_authorized_operations INT", list(enumerate(operations)))
    seen = visibility.groups(brokers, 7)
    assert (seen.state, seen.listed, seen.hidden) == (state, 7, 0)
    assert why in seen.message


@pytest.mark.parametrize(
    ("held", "shown", "state", "why"),
    [
        (["a", "b", "__cluster_metadata", None], {1: 3}, PROVEN, "log dirs of 1 brokers hold no topic"),
        (["a"], {}, UNKNOWN, "no broker's log dirs could be read"),
        (["a"], {1: 2, 2: 0}, UNKNOWN, "log dirs of broker 2 were not shown"),
        (["a", "s1", "s2"], {1: 3, 2: 0}, PARTIAL, "log dirs hold 2 topics that Metadata did not list, such as s1, s2"),
    ],
)
def test_topics_are_proven_by_log_dirs(
    spark: SparkSession, held: list[str | None], shown: dict[int, int], state: str, why: str
) -> None:
    """What a broker holds and Metadata did not list is hidden; a broker that shows nothing proves nothing."""
    names = frame(spark, "topic STRING", [("a",), ("b",)])
    log_dirs = frame(spark, "topic STRING", [(topic,) for topic in held])
    seen = visibility.topics(names, log_dirs, 2, shown)
    assert (seen.state, seen.listed) == (state, 2)
    assert why in seen.message


DENIAL = ("transactional_id", "billing", "User:mallory", "describe", "deny", 0)
GRANT = ("transactional_id", "*", "User:census", "describe", "allow", 0)
ELSEWHERE = [
    ("topic", "orders", "User:mallory", "describe", "deny", 0),
    ("transactional_id", "b", "User:m", "write", "deny", 0),
]
NO_AUTHORIZER = (None, None, None, None, None, 54)


@pytest.mark.parametrize(
    ("codes", "acls", "acls_read", "state", "why"),
    [
        ([105], [GRANT, *ELSEWHERE], True, PROVEN, "may describe any, and no ACL denies one"),
        ([16], [], True, PROVEN, "may describe any"),
        ([105], [NO_AUTHORIZER], True, PROVEN, "no authorizer"),
        ([], [NO_AUTHORIZER], True, PROVEN, "no authorizer"),
        ([53], [GRANT], True, UNKNOWN, "may not describe every one: transactional ids may be hidden; grant"),
        ([105], [GRANT, DENIAL], True, UNKNOWN, "an ACL denies some, such as User:mallory of billing"),
        ([105], [], False, UNKNOWN, "could not be read"),
        ([], [], True, UNKNOWN, "no broker told"),
    ],
)
def test_transactional_ids_are_proven_by_an_id_that_nobody_has(
    spark: SparkSession,
    codes: list[int],
    acls: list[tuple[object, ...]],
    acls_read: bool,
    state: str,
    why: str,
) -> None:
    """Who may describe that one may describe all but those that an ACL denies by name."""
    probe = frame(spark, "error_code INT", [(code,) for code in codes])
    columns = ("resource_type", "resource_name", "principal", "operation", "permission")
    entries = frame(spark, ", ".join(f"{name} STRING" for name in columns) + ", error_code INT", acls)
    seen = visibility.transactional_ids(probe, entries, 7, acls_read=acls_read)
    assert (seen.state, seen.listed, seen.hidden) == (state, 7, 0)
    assert why in seen.message
