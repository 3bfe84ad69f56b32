"""Whether a listing may have hidden something, from every kind of probe."""

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from kafka_census import visibility_rules
from kafka_census.lake.rows import local_frame
from kafka_census.staging import visibility
from kafka_census.staging.visibility import Visibility
from kafka_census.visibility_rules import PARTIAL, PROVEN, UNKNOWN

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
        ([None], UNKNOWN, "the broker did not report our rights: groups may be hidden"),
        ([], UNKNOWN, "the broker did not report our rights: groups may be hidden"),
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
    ("held", "by_name", "shown", "state", "why"),
    [
        (["a", "b", "__cluster_metadata", None], {}, {1: 3}, PROVEN, "log dirs of 1 brokers hold no topic that "),
        (["a"], {}, {}, UNKNOWN, "no broker's log dirs could be read"),
        (["a"], {}, {1: 2, 2: 0}, UNKNOWN, "log dirs of broker 2 were not shown"),
        (
            ["a", "s1", "s2", "new"],
            {"s1": 29, "s2": 29, "new": 0},
            {1: 3, 2: 0},
            PARTIAL,
            "log dirs hold 2 topics that Metadata did not list, such as s1, s2, nor show by name: hidden by an ACL",
        ),
        (
            ["a", "s1"],
            {},
            {1: 3},
            PARTIAL,
            "did not list, such as s1, and that could not be asked for by name: created",
        ),
        (
            ["a", "new", "gone"],
            {"new": 0, "gone": 3},
            {1: 3},
            PROVEN,
            "that Metadata did not list, but 2 created since",
        ),
    ],
)
def test_topics_are_proven_by_log_dirs(
    spark: SparkSession, held: list[str | None], by_name: dict[str, int], shown: dict[int, int], state: str, why: str
) -> None:
    """A topic in log dirs that Metadata does not list by name either is hidden; without dirs nothing is proven."""
    seen = topics(spark, [(1, "/a", 0, topic) for topic in held], by_name, shown)
    assert (seen.state, seen.listed) == (state, 2)
    assert why in seen.message


def test_topics_stay_proven_with_an_offline_log_dir_that_is_named(spark: SparkSession) -> None:
    """A broken disk is no sign of an ACL; the gap of the proof is in the message."""
    seen = topics(spark, [(1, "/a", 0, "a"), (1, "/b", 56, None), (2, "/b", 56, None)], {}, {1: 2, 2: 1})
    assert seen.state == PROVEN
    assert seen.message.endswith("only in offline log dirs (/b of broker 1, /b of broker 2) no broker can tell")


def topics(
    spark: SparkSession, held: list[tuple[object, ...]], by_name: dict[str, int], shown: dict[int, int]
) -> Visibility:
    """The visibility for two listed topics, the topics of log dirs, and error codes by name."""
    names = frame(spark, "topic STRING", [("a",), ("b",)])
    log_dirs = frame(spark, "asked_node_id INT, log_dir STRING, error_code INT, topic STRING", held)
    unlisted = frame(spark, "topic STRING, error_code INT", list(by_name.items()))
    return visibility.topics(names, log_dirs, unlisted, 2, shown)


DENIAL = ("transactional_id", "billing", "literal", "User:mallory", "describe", "deny", 0)
DENIED_PREFIX = ("transactional_id", "*", "prefixed", "User:mallory", "all", "deny", 0)
GRANT = ("transactional_id", "*", "literal", "User:census", "describe", "allow", 0)
ELSEWHERE = [
    ("topic", "orders", "literal", "User:mallory", "describe", "deny", 0),
    ("transactional_id", "b", "literal", "User:m", "write", "deny", 0),
]
NO_AUTHORIZER = (None, None, None, None, None, None, 54)


@pytest.mark.parametrize(
    ("codes", "acls", "acls_read", "state", "why"),
    [
        ([105], [GRANT, *ELSEWHERE], True, PROVEN, "may describe any, and no ACL denies one"),
        ([16], [], True, PROVEN, "may describe any"),
        ([105], [NO_AUTHORIZER], True, PROVEN, "no authorizer"),
        ([], [NO_AUTHORIZER], True, PROVEN, "no authorizer"),
        ([53], [GRANT], True, UNKNOWN, "may not describe every one: transactional ids may be hidden; grant"),
        ([105], [GRANT, DENIAL], True, UNKNOWN, "an ACL denies some, such as User:mallory of billing"),
        ([105], [GRANT, DENIED_PREFIX], True, UNKNOWN, "such as User:mallory of ids that begin with *: if that is"),
        ([105], [], False, UNKNOWN, "could not be read"),
        ([], [], True, UNKNOWN, "no broker reported"),
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
    """A principal that may describe a nonexistent id may describe all ids except those that an ACL denies by name."""
    probe = frame(spark, "error_code INT", [(code,) for code in codes])
    entries = frame(spark, ", ".join(f"{name} STRING" for name in ACL) + ", error_code INT", acls)
    configs = frame(spark, "name STRING, value STRING", [("min.insync.replicas", "1")])
    seen = visibility.transactional_ids(probe, entries, configs, 7, acls_read=acls_read)
    assert (seen.state, seen.listed, seen.hidden) == (state, 7, 0)
    assert why in seen.message
    assert before_a_census(codes, acls, everyone=False, acls_read=acls_read) == (seen.state, seen.message)


ACL = ("resource_type", "resource_name", "pattern_type", "principal", "operation", "permission")


def before_a_census(
    codes: list[int], acls: list[tuple[object, ...]], *, everyone: bool, acls_read: bool = True
) -> visibility_rules.Verdict:
    """The verdict of `doctor`, which has the same answers in memory."""
    items = [dict(zip((*ACL, "error_code"), one, strict=True)) for one in acls]
    return visibility_rules.transactional_ids(
        visibility_rules.id_answers(codes, items, everyone=everyone), acls_read=acls_read
    )


EVERYONE = "allow.everyone.if.no.acl.found"
OF_ONE = ("transactional_id", "billing", "literal", "User:billing", "write", "allow", 0)
OF_A_PREFIX = ("transactional_id", "*", "prefixed", "User:bob", "describe", "allow", 0)
OF_NO_NAME = ("transactional_id", "", "prefixed", "User:bob", "describe", "allow", 0)


@pytest.mark.parametrize(
    ("acls", "configs", "state"),
    [
        ([OF_ONE], [("min.insync.replicas", "1"), (EVERYONE, None)], UNKNOWN),
        ([OF_ONE], [(None, None)], UNKNOWN),
        ([OF_ONE], [("min.insync.replicas", "1")], PROVEN),
        ([OF_ONE], [("min.insync.replicas", "1"), (EVERYONE, "false")], PROVEN),
        ([OF_ONE, GRANT], [(EVERYONE, None)], PROVEN),
        ([OF_ONE, OF_A_PREFIX], [(EVERYONE, None)], UNKNOWN),
        ([OF_A_PREFIX], [(EVERYONE, None)], UNKNOWN),
        ([OF_A_PREFIX, GRANT], [(EVERYONE, None)], PROVEN),
        ([OF_NO_NAME], [(EVERYONE, None)], UNKNOWN),
        ([ELSEWHERE[0]], [(EVERYONE, None)], PROVEN),
    ],
)
def test_an_id_with_an_acl_may_be_hidden_where_everyone_may_what_has_none(
    spark: SparkSession, acls: list[tuple[object, ...]], configs: list[tuple[object, ...]], state: str
) -> None:
    """The probe's id has no ACL. Brokers hide the key's value; with an ACL about all ids the key does not matter.

    Only a literal `*` is about all ids: as a prefix it is about ids that begin with a star (StandardAuthorizerData).
    """
    entries = frame(spark, ", ".join(f"{name} STRING" for name in ACL) + ", error_code INT", acls)
    settings = frame(spark, "name STRING, value STRING", configs)
    seen = visibility.transactional_ids(frame(spark, "error_code INT", [(105,)]), entries, settings, 7, acls_read=True)
    assert seen.state == state
    assert (EVERYONE in seen.message) == (state == UNKNOWN)
    everyone = any(name is None or (name == EVERYONE and value != "false") for name, value in configs)
    assert before_a_census([105], acls, everyone=everyone) == (seen.state, seen.message)
