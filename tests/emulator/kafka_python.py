"""`python -m emulator.kafka_python SERVERS`: what kafka-python's own admin client lists and describes, as JSON.

A process of its own, where nothing of ours has changed kafka-python's messages.
"""

import json
import sys
from typing import Any

from kafka import KafkaAdminClient


def listed(client: KafkaAdminClient) -> dict[str, list[Any]]:
    """Rows by what they are of; of members those of classic groups, which kafka-python describes."""
    groups = client.list_groups()
    classic = [one["group_id"] for one in groups if one["group_type"] == "classic"]
    committing = [one["group_id"] for one in groups if one["group_type"] != "share"]
    offsets = {group: found for one in committing for group, found in client.list_group_offsets(one).items()}
    described = client.describe_groups(classic)
    return {
        "groups": [one["group_id"] for one in groups],
        "members": [
            (group, one["group_state"], member["member_id"], member["client_id"])
            for group, one in described.items()
            for member in one["members"]
        ],
        "offsets": [
            (group, where.topic, where.partition, committed.offset)
            for group, found in offsets.items()
            for where, committed in found.items()
        ],
        "partitions": [
            (one["name"], partition["partition_index"])
            for one in client.describe_topics(client.list_topics())
            for partition in one["partitions"]
        ],
        "transactions": [
            (one.transactional_id, one.producer_id, one.state.value)
            for found in client.list_transactions().values()
            for one in found
        ],
    }


if __name__ == "__main__":
    print(json.dumps(listed(KafkaAdminClient(bootstrap_servers=sys.argv[1].split(",")))))
