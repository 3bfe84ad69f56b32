"""The view of a principal with few rights: the Java AdminClient as the same principal sees the same.

`narrow` may describe groups whose names begin with c, configs of topics that begin with o, and the transactional
id `open`. It sees all topics, which everyone may read, and has no right on the cluster. The answers of the super user
show what is hidden from it: no hidden object may count as absent without a reason.
"""

from collections.abc import Iterable

from e2e.listing import landed, pages
from e2e.operator import Operator
from harness.trouble import PASSWORD
from kafka_census.kafka.protocol.secret import Secret
from kafka_census.kafka.protocol.settings import Sasl
from trouble.conftest import Row, Surveyed, by
from trouble.test_groups import wanted_placement
from trouble.test_partitions import differences
from trouble.test_transactions import (
    ids_of,
    leaders,
    producers,
    producers_of,
    wanted_ids,
    wanted_producers,
    written,
)

REFUSED = "CLUSTER_AUTHORIZATION_FAILED"
CONFIGS_REFUSED = "DescribeConfigs answered TOPIC_AUTHORIZATION_FAILED"
WHOLE_ANSWERS = {
    "acl": "DescribeAcls",
    "quota": "DescribeClientQuotas",
    "scram_user": "DescribeUserScramCredentials",
    "quorum": "DescribeQuorum",
    "reassignment": "ListPartitionReassignments",
}
"""RPCs that need a right on the cluster, for all or nothing, by the oracle's kind."""

LANDED = (
    ("DescribeLogDirs", "log_dirs"),
    ("ListPartitionReassignments", "cluster"),
    ("DescribeAcls", "acls"),
    ("DescribeQuorum", "quorum"),
)
"""The walks of its census that need such a right."""

OF_NO_TABLE_OF_ITS = (
    ("DescribeClientQuotas", "quotas"),
    ("DescribeUserScramCredentials", "scram_users"),
    ("ListConfigResources", "config_resources"),
)
"""The others."""


def ids(rows: Iterable[Row], name: str) -> set[str]:
    return {row[name] for row in rows}


def published(survey: Surveyed) -> dict[str, Row]:
    return by(survey.rows["publications"], "table_name")


def missing(survey: Surveyed, name: str) -> set[tuple[str, str]]:
    return {(one["rpc"], one["error"]) for one in published(survey)[name]["missing"]}


def readable(survey: Surveyed) -> dict[str, Row]:
    """The min.insync.replicas that Java could read, by topic."""
    rows = survey.said["config"]
    return {row["resource_name"]: row for row in rows if row["resource_type"] == "topic" and "error" not in row}


def test_much_is_hidden_from_it_and_kafka_says_so_of_some(
    whole: Surveyed, narrow: Surveyed, narrow_lake: Operator
) -> None:
    """Cluster-wide answers are refused, each with a page; groups and transactional ids are left out without error."""
    for kind in WHOLE_ANSWERS:
        assert narrow.said[kind] == [{"kind": kind, "error": "ClusterAuthorizationException"}]
        assert whole.said[kind]
    assert {row.get("error") for row in narrow.said["log_dir"]} == {"ClusterAuthorizationException"}
    for kind, name, shown in (("group", "group_id", "classic-0"), ("transaction", "transactional_id", "open")):
        assert shown in ids(narrow.said[kind], name) < ids(whole.said[kind], name)
        assert not [row for row in narrow.said[kind] if "error" in row]
    assert readable(narrow).keys() == {"orders"}
    assert leaders(narrow).keys() == leaders(whole).keys()
    sasl, census = Sasl("PLAIN", "narrow", Secret(PASSWORD)), landed(narrow_lake)
    got = {walk: census[walk] for walk in LANDED}
    got |= {walk: pages(narrow.servers, *walk, sasl=sasl) for walk in OF_NO_TABLE_OF_ITS}
    found = {walk: {(page.error_code, page.attempts, len(page.rows)) for page in one} for walk, one in got.items()}
    assert found == {walk: {(31, 1, 0)} for walk in got}


def test_every_table_is_published_as_incomplete_and_says_why(narrow: Surveyed) -> None:
    """Where listings may leave objects out, `missing` has NOT_VISIBLE, and the visibility is not proven.

    Without a row, a publication names the RPC and the error: that is not a cluster without ACLs. Of items that were
    refused it says how many of how many.
    """
    publications = published(narrow)
    assert publications.keys() == narrow.rows.keys() - {"publications"}
    assert {row["is_complete"] for row in publications.values()} == {False}
    assert (narrow.rows["acl_inventory"], publications["acl_inventory"]["visibility"]) == ([], "unknown")
    assert ("DescribeAcls", REFUSED) in missing(narrow, "acl_inventory")
    silent = {
        "ListGroups": ("group_coordinator_placement",),
        "ListTransactions": ("transaction_coordinator_placement", "hanging_transactions"),
        "Metadata": ("under_min_isr_partitions", "producer_state", "configs", "config_drift", "brokers"),
    }
    for rpc, names in silent.items():
        for name in names:
            assert (rpc, "NOT_VISIBLE") in missing(narrow, name), name
            denied = {error for _, error in missing(narrow, name)} & {"TOPIC_AUTHORIZATION_FAILED"}
            assert publications[name]["visibility"] == ("partial" if denied else "unknown"), name
    topics = {row["topic"] for row in narrow.said["partition"]}
    hidden = sorted(topics - readable(narrow).keys())
    lacking = publications["under_min_isr_partitions"]["missing"]
    (reason,) = [one["reason"] for one in lacking if one["error"] == "TOPIC_AUTHORIZATION_FAILED"]
    assert reason == f"{len(hidden)} of {len(topics)} were answered TOPIC_AUTHORIZATION_FAILED, such as {hidden[0]}"


def test_a_table_of_what_it_sees_has_that_and_nothing_hidden(narrow: Surveyed) -> None:
    """The other tables of groups, members, lag and producers are of the same listings."""
    groups, ids = dict(wanted_placement(narrow.said, narrow.servers)), wanted_ids(narrow, narrow.servers)
    assert groups
    assert ids
    assert differences(narrow.of("group_coordinator_placement"), groups) == []
    assert differences(ids_of(narrow), ids) == []
    # Who may read a topic may describe its producers, including those of hidden transactional ids.
    assert differences(producers_of(narrow), wanted_producers(narrow)) == []


def test_a_partition_is_judged_only_where_its_configs_may_be_read(whole: Surveyed, narrow: Surveyed) -> None:
    rows, configs = narrow.of("under_min_isr_partitions"), readable(narrow)
    said = by(narrow.said["partition"], "topic", "partition")
    moving = by(whole.said["reassignment"], "topic", "partition")
    assert rows.keys() == said.keys()
    for key, row in rows.items():
        one = said[key]
        assert (row["leader_id"], row["replicas"]) == (one["leader"], one["replicas"])
        assert (sorted(row["isr"]), row["is_internal"]) == (sorted(one["isr"]), one["is_internal"])
        config = configs.get(key[0])
        if config is None:
            assert (row["status"], row["reason"]) == ("UNKNOWN", f"{CONFIGS_REFUSED} for this topic")
            assert (row["min_isr_raw"], row["min_isr_effective"], row["ready_for_acks_all"]) == (None, None, None)
        else:
            least = min(int(config["value"]), len(one["replicas"]))
            assert (row["min_isr_raw"], row["min_isr_effective"]) == (int(config["value"]), least)
            assert row["ready_for_acks_all"] is (len(one["isr"]) >= least)
            assert (row["status"], row["reason"]) == ("OK", None)
        # A replica that is not in sync may be one that is being added.
        assert row["missing_replicas"] == (0 if len(one["isr"]) == len(one["replicas"]) else None)
        assert (row["adding_replicas"], row["removing_replicas"], row["target_replication_factor"]) == ([], [], None)
        stuck = (row["groups_unable_to_commit"], row["transactional_ids_unable_to_commit"])
        assert stuck == (None, None)
        for topic, name in (("__consumer_offsets", "groups"), ("__transaction_state", "transactional_ids")):
            reason = row[f"{name}_unable_to_commit_reason"]
            assert reason == (f"{CONFIGS_REFUSED} for this topic" if key[0] == topic else None)
    assert {key for key in moving if rows[key]["missing_replicas"] is None} == moving.keys()
    assert ("ListPartitionReassignments", REFUSED) in missing(narrow, "under_min_isr_partitions")


def test_a_healthy_transaction_of_a_hidden_id_is_not_said_to_hang_for_sure(whole: Surveyed, narrow: Surveyed) -> None:
    """Kafka's find-hanging says so: it treats a hidden id as a missing one. An abort by its result loses records."""
    held = {key for name, partitions in written(narrow).items() for key in partitions if name}
    visible = {row["producer_id"] for row in narrow.said["transaction"]}
    wanted = {}
    for (topic, partition), reported in producers(narrow).items():
        for one in reported:
            if one["current_txn_start_offset"] is not None:
                is_held = one["producer_id"] in visible and (topic, partition) in held
                verdict = ("held", None, None) if is_held else ("hanging", "no_transactional_id", "low")
                wanted[topic, partition, one["producer_id"]] = verdict
    ours = narrow.of("hanging_transactions")
    assert {key: (row["verdict"], row["evidence"], row["confidence"]) for key, row in ours.items()} == wanted
    hidden = "its id may be hidden: brokers do not list ids that the principal may not DESCRIBE"
    assert all(row["doubt"] == hidden for row in ours.values() if row["verdict"] == "hanging")
    # It sees no configs of brokers: the limit is Kafka's default, and the row says so.
    assert {row["max_timeout_source"] for row in ours.values()} == {"default"}

    truth = whole.of("hanging_transactions")
    healthy = {key for key, row in ours.items() if row["verdict"] == "hanging" and truth[key]["verdict"] == "held"}
    assert healthy


def test_which_broker_is_the_controller_is_not_known(narrow: Surveyed) -> None:
    """DescribeCluster needs no right; the controller that it names to Java is any broker, and is not used."""
    rows = narrow.of("brokers")
    assert rows.keys() == {row["node_id"] for row in narrow.said["node"]}
    for row in rows.values():
        assert (row["state"], row["is_controller"]) == ("alive", None)
        assert row["controller_reason"].startswith("DescribeQuorum was not read")
        assert REFUSED in row["controller_reason"]


def test_configs_that_were_refused_are_rows_and_those_of_orders_are_read(narrow: Surveyed) -> None:
    """One row per topic and broker of which nothing is known: the absence of other rows does not mean no drift."""
    rows = narrow.rows["config_drift"]
    refused = {(row["resource_type"], row["resource_name"]) for row in narrow.said["config"] if "error" in row}
    unread = by((row for row in rows if row["kind"] == "not_read"), "resource_type", "resource_name")
    assert unread.keys() == refused
    for (what, _), row in unread.items():
        scope = "TOPIC" if what == "topic" else "CLUSTER"
        assert row["reason"] == f"DescribeConfigs answered {scope}_AUTHORIZATION_FAILED"
    told = [row for row in narrow.rows["configs"] if row["reason"] is None]
    assert {(row["resource_name"], row["name"]): row["value"] for row in told} == {
        (row["resource_name"], row["name"]): row["value"] for row in narrow.said["config_entry"] if "error" not in row
    }
    assert {row["reason"] for row in narrow.rows["configs"]} == {None, *(row["reason"] for row in unread.values())}
    columns = ("kind", "resource_name", "name", "value", "source")
    assert [tuple(row[name] for name in columns) for row in rows if row["kind"] != "not_read"] == [
        ("not_default", row["resource_name"], row["name"], row["value"], "topic")
        for row in narrow.said["config_entry"]
        if row.get("source") == "DYNAMIC_TOPIC_CONFIG"
    ]
    assert len(rows) > len(unread) > 0
