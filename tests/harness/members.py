"""Live members: one consumer per group until killed. `python -m harness.members SERVERS TOPIC SETTINGS GROUP...`

SETTINGS is JSON: more settings of librdkafka. Prints `ready` when every consumer has its partitions.
"""

import json
import sys

from confluent_kafka import Consumer


def main(servers: str, topic: str, settings: str, *groups: str) -> None:
    consumers = [
        Consumer(
            {
                "bootstrap.servers": servers,
                "group.id": group,
                "auto.offset.reset": "earliest",
                "topic.metadata.refresh.interval.ms": 5000,
                "log_level": 0,
                **json.loads(settings),
            }
        )
        for group in groups
    ]
    for consumer in consumers:
        consumer.subscribe([topic])
    ready = False
    while True:
        for consumer in consumers:
            consumer.poll(0.05)
        if not ready and all(consumer.assignment() for consumer in consumers):
            ready = True
            print("ready", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
