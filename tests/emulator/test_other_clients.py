"""Clients that are not ours, unmodified, read what our own reads; conformance compares them with real brokers."""

import json
import os
import subprocess
import sys

import pytest
from confluent_kafka.admin import AdminClient

from e2e.listing import KEYED, LISTINGS, pages, said
from emulator.commanding import ROOT, running
from harness.oracle import ask


def test_kafka_python_lists_and_describes_what_the_java_client_reads() -> None:
    """As it is: this process has changed its messages, so another one asks."""
    with running("--scenario", "calm", "--groups", "40", "--partitions", "60") as (_, found):
        servers = ",".join(found)
        command = [sys.executable, "-m", "emulator.kafka_python", servers]
        environment = os.environ | {"PYTHONPATH": str(ROOT / "tests")}
        asked = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=environment)
        java = said(servers, (*LISTINGS, *KEYED))
    theirs = {name: sorted(map(tuple, rows)) for name, rows in json.loads(asked.stdout).items() if name != "groups"}
    members = [(group, state, *member) for group, state, _, _, *member in java["DescribeGroups"] if member[0]]
    assert sorted(json.loads(asked.stdout)["groups"]) == sorted(str(row[0]) for row in java["FindCoordinator/groups"])
    assert theirs == {
        "members": sorted(row[:4] for row in members),
        "offsets": sorted(row[:4] for row in java["OffsetFetch"]),
        "partitions": sorted(row[:2] for row in java["ListOffsets/latest"]),
        "transactions": sorted(java["ListTransactions"]),
    }
    assert all(theirs.values())


@pytest.mark.parametrize(
    ("as_version", "draft"), [("2.8", "--no-kip-1062"), ("3.9", "--no-kip-1062"), ("4.3", "--kip-1062")]
)
def test_java_librdkafka_and_our_client_list_the_same_of_every_kafka(as_version: str, draft: str) -> None:
    """Each by its own negotiation: 2.8 refuses Java's first ApiVersions, and Java asks again."""
    with running("--scenario", "calm", "--groups", "40", "--as-version", as_version, draft) as (_, found):
        servers = ",".join(found)
        java = ask(servers, "group", "partition")
        client = AdminClient({"bootstrap.servers": servers, "log_level": 0})
        groups = client.list_consumer_groups(request_timeout=20).result(30)
        topics = client.list_topics(timeout=20).topics
        ours = {name: _names(servers, name, scope) for name, scope in (("ListGroups", "groups"), ("Metadata", "names"))}
    assert [row for row in java if "error" in row] == []
    assert ours == {
        "ListGroups": {row["group_id"] for row in java if row["kind"] == "group"},
        "Metadata": {row["topic"] for row in java if row["kind"] == "partition"},
    }
    assert len(ours["ListGroups"]) == 44
    assert groups.errors == []
    # It knows no share and streams groups, which old Kafkas have not.
    others = ours["ListGroups"] - {group.group_id for group in groups.valid}
    assert bool(others) == (as_version == "4.3")
    assert set(topics) == ours["Metadata"]


def _names(servers: str, rpc: str, scope: str) -> set[str]:
    got = pages(servers, rpc, scope)
    assert [page.error_message for page in got if page.error_code] == []
    return {row[0] for page in got for row in page.rows}
