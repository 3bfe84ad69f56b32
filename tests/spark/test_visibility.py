"""Whether a listing may have hidden something, from every kind of probe."""

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from kafka_census.census.staging import visibility
from kafka_census.declarations import visibility_rules
from kafka_census.declarations.visibility_rules import PARTIAL, PROVEN, UNKNOWN
from kafka_census.lake.rows import local_frame
from kafka_census.lake.union import union
from kafka_census.tables.shared.shown_transactional_ids import all_are_shown, shown_transactional_ids

DESCRIBE, ALL, CREATE = 1 << 8, 1 << 2, 1 << 5
OFFLINE = "of an offline log dir"


def frame(spark: SparkSession, ddl: str, rows: list[tuple[object, ...]]) -> DataFrame:
    return local_frame(spark, rows, StructType.fromDDL(ddl))


@pytest.mark.parametrize(
    ("operations", "state", "why"),
    [
        (DESCRIBE | CREATE, PROVEN, "may describe the cluster"),
        (ALL, PROVEN, "may describe the cluster"),
        (CREATE, UNKNOWN, "the principal may not describe the cluster: groups may be hidden; grant it DESCRIBE"),
        (None, UNKNOWN, "the broker did not report our rights: groups may be hidden"),
    ],
)
def test_groups_are_proven_by_our_rights(operations: int | None, state: str, why: str) -> None:
    """DESCRIBE or ALL on the cluster shows every group; no answer proves nothing."""
    verdict, message = visibility_rules.groups(operations)
    assert (verdict, why in message) == (state, True)


@pytest.mark.parametrize(("operations", "state"), [([None, DESCRIBE | CREATE], PROVEN), ([], UNKNOWN)])
def test_our_rights_are_those_that_any_row_has(spark: SparkSession, operations: list[int | None], state: str) -> None:
    brokers = frame(spark, "node_id INT, cluster_authorized_operations INT", list(enumerate(operations)))
    seen = visibility.groups(brokers, 7)
    assert (seen.state, seen.listed, seen.hidden) == (state, 7, 0)


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
        # A broken disk is no sign of an ACL; the gap of the proof is in the message.
        (["a", OFFLINE], {}, {1: 2}, PROVEN, "only in offline log dirs (/b of broker 1) no broker can tell"),
    ],
)
def test_topics_are_proven_by_log_dirs(
    spark: SparkSession, held: list[str | None], by_name: dict[str, int], shown: dict[int, int], state: str, why: str
) -> None:
    """A topic in log dirs that Metadata does not list by name either is hidden; without dirs nothing is proven."""
    names = frame(spark, "topic STRING", [("a",), ("b",)])
    dirs = [(1, "/b", 56, None) if topic == OFFLINE else (1, "/a", 0, topic) for topic in held]
    log_dirs = frame(spark, "asked_node_id INT, log_dir STRING, error_code INT, topic STRING", dirs)
    unlisted = frame(spark, "topic STRING, error_code INT", list(by_name.items()))
    seen = visibility.topics(names, log_dirs, unlisted, 2, shown)
    assert (seen.state, seen.listed) == (state, 2)
    assert why in seen.message


ACL = ("resource_type", "resource_name", "pattern_type", "principal", "operation", "permission")
IDS = "transactional_id"
DENIAL = (IDS, "billing", "literal", "User:mallory", "describe", "deny", 0)
DENIED_PREFIX = (IDS, "*", "prefixed", "User:mallory", "all", "deny", 0)
GRANT = (IDS, "*", "literal", "User:census", "describe", "allow", 0)
ELSEWHERE = [
    ("topic", "orders", "literal", "User:mallory", "describe", "deny", 0),
    (IDS, "b", "literal", "User:m", "write", "deny", 0),
]
OF_TOPICS = ELSEWHERE[:1]
OF_ONE = (IDS, "billing", "literal", "User:billing", "write", "allow", 0)
OF_A_PREFIX = (IDS, "*", "prefixed", "User:bob", "describe", "allow", 0)
OF_NO_NAME = (IDS, "", "prefixed", "User:bob", "describe", "allow", 0)
NO_AUTHORIZER = (None, None, None, None, None, None, 54)
EVERYONE = "allow.everyone.if.no.acl.found"
HIDDEN = [("min.insync.replicas", "1"), (EVERYONE, None)]
"""The authorizer's setting as brokers report it: without its value."""
OTHERS, OFF, NOT_READ = [("min.insync.replicas", "1")], [(EVERYONE, "false")], [(None, None)]
ANY, MAY_HIDE = "may describe any, and no ACL denies one", f"brokers may have {EVERYONE}, whose value they hide"
# A principal that may describe a nonexistent id may describe all ids except those that an ACL denies by name. That id
# has no ACL: where everyone may what has none, it proves nothing of ids with one, unless an ACL is about all ids. Only
# a literal `*` is about all ids: as a prefix it is about ids that begin with a star (StandardAuthorizerData).
ANSWERS: list[tuple[list[int], list[Any], list[Any], str, str]] = [
    ([105], [GRANT, *ELSEWHERE], OTHERS, PROVEN, ANY),
    ([16], [], OTHERS, PROVEN, ANY),
    ([105], [NO_AUTHORIZER], OTHERS, PROVEN, "no authorizer"),
    ([], [NO_AUTHORIZER], OTHERS, PROVEN, "no authorizer"),
    ([53], [GRANT], OTHERS, UNKNOWN, "may not describe every one: transactional ids may be hidden; grant"),
    ([105], [GRANT, DENIAL], OTHERS, UNKNOWN, "an ACL denies some, such as User:mallory of billing"),
    ([105], [GRANT, DENIED_PREFIX], OTHERS, UNKNOWN, "such as User:mallory of ids that begin with *: if that is"),
    ([], [], OTHERS, UNKNOWN, "no broker reported"),
    ([105], [OF_ONE], HIDDEN, UNKNOWN, MAY_HIDE),
    ([105], [OF_ONE], NOT_READ, UNKNOWN, MAY_HIDE),
    ([105], [OF_ONE], OTHERS, PROVEN, ANY),
    ([105], [OF_ONE], [*OTHERS, *OFF], PROVEN, ANY),
    ([105], [OF_ONE, GRANT], HIDDEN, PROVEN, ANY),
    ([105], [OF_A_PREFIX], HIDDEN, UNKNOWN, MAY_HIDE),
    ([105], [OF_NO_NAME], HIDDEN, UNKNOWN, MAY_HIDE),
    ([105], OF_TOPICS, HIDDEN, PROVEN, ANY),
]


def in_memory(codes: list[int], acls: list[Any], configs: list[Any]) -> visibility_rules.IdAnswers:
    """The answers as `doctor` has them."""
    items = [dict(zip((*ACL, "error_code"), one, strict=True)) for one in acls]
    everyone = any(name is None or (name == EVERYONE and value != "false") for name, value in configs)
    return visibility_rules.id_answers(codes, items, everyone=everyone)


def test_transactional_ids_are_proven_by_an_id_that_nobody_has() -> None:
    for codes, acls, configs, state, why in ANSWERS:
        verdict, message = visibility_rules.transactional_ids(in_memory(codes, acls, configs), acls_read=True)
        assert (verdict, why in message) == (state, True), message


def test_the_gate_and_transforms_read_the_answers_as_doctor_does(spark: SparkSession) -> None:
    """Without the ACLs only a cluster without an authorizer proves that all ids were shown."""
    entry = ", ".join(f"{name} STRING" for name in ACL) + ", error_code INT"
    items = [
        (
            frame(spark, "error_code INT", [(code,) for code in codes]),
            frame(spark, entry, acls),
            frame(spark, "name STRING, value STRING", configs),
        )
        for codes, acls, configs, _, _ in ANSWERS
    ]
    proofs = {"shown": all_are_shown(F.lit(None)), "shown_without_acls": all_are_shown(F.lit("not read"))}
    read = [
        shown_transactional_ids(*three).withColumns(proofs | {"number": F.lit(number)})
        for number, three in enumerate(items)
    ]
    rows = [row.asDict() for row in union(read, one_task=True).orderBy("number").collect()]
    assert [row.pop("shown") for row in rows] == [state == PROVEN for *_, state, _ in ANSWERS]
    assert [row.pop("shown_without_acls") for row in rows] == [NO_AUTHORIZER in acls for _, acls, *_ in ANSWERS]
    assert {row.pop("number"): visibility_rules.IdAnswers(**row) for row in rows} == {
        number: in_memory(*answers[:3]) for number, answers in enumerate(ANSWERS)
    }
    seen = visibility.transactional_ids(*items[0], 7, acls_read=False)
    assert (seen.state, seen.listed, seen.hidden) == (UNKNOWN, 7, 0)
    assert "could not be read" in seen.message
