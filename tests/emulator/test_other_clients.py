"""Clients that are not ours, unmodified, read of an old Kafka what our own reads; of a new one: tests/conformance."""

import json
import subprocess
import sys

from confluent_kafka.admin import AdminClient

from e2e.listing import pages
from emulator.asking import serving
from harness.oracle import ask
from kafka_emulator.__main__ import server_of
from kafka_emulator.scenario_file import read

KAFKA_PYTHON = """
import json, sys
from kafka import KafkaAdminClient

client = KafkaAdminClient(bootstrap_servers=sys.argv[1].split(","))
print(json.dumps({
    "groups": [one["group_id"] for one in client.list_groups()],
    "topics": [one["name"] for one in client.describe_topics(client.list_topics())],
    "members": [m["member_id"] for one in client.describe_groups(sys.argv[2:]).values() for m in one["members"]],
}))
"""


def test_java_librdkafka_kafka_python_and_our_client_list_the_same() -> None:
    """Each by its own negotiation: 2.8 refuses Java's first ApiVersions, and Java asks again.

    kafka-python is asked by another process, since this one has changed its messages.
    """
    scenario = read("calm", {"groups.count": 40, "as_version": "2.8", "kip_1062": False})
    with serving(server_of(scenario)) as server:
        servers = server.bootstrap_servers
        java = ask(servers, "group", "partition", "classic_member")
        classic = {row["group_id"]: row["member_id"] for row in java if row.get("member_id")}
        client = AdminClient({"bootstrap.servers": servers, "log_level": 0})
        groups = client.list_consumer_groups(request_timeout=20).result(30)
        topics = client.list_topics(timeout=20).topics
        command = [sys.executable, "-c", KAFKA_PYTHON, servers, *classic]
        python = json.loads(subprocess.run(command, capture_output=True, timeout=60, check=True).stdout)
        ours = {name: _names(servers, name, scope) for name, scope in (("ListGroups", "groups"), ("Metadata", "names"))}
    assert [row for row in java if "error" in row] == []
    assert ours == {
        "ListGroups": {row["group_id"] for row in java if row["kind"] == "group"},
        "Metadata": {row["topic"] for row in java if row["kind"] == "partition"},
    }
    assert len(ours["ListGroups"]) == 44
    assert groups.errors == []
    assert {group.group_id for group in groups.valid} == ours["ListGroups"]
    assert set(topics) == ours["Metadata"]
    members = {row["member_id"] for row in java if row.get("member_id")}
    assert members
    listed = {"groups": ours["ListGroups"], "topics": ours["Metadata"], "members": members}
    assert {name: set(ids) for name, ids in python.items()} == listed


def _names(servers: str, rpc: str, scope: str) -> set[str]:
    got = pages(servers, rpc, scope)
    assert [page.error_message for page in got if page.error_code] == []
    return {row[0] for page in got for row in page.rows}
