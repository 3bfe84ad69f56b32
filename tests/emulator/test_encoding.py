"""The encoder of responses, of many messages at once; of each of Kafka's frames: tests/golden."""

import struct

import pytest
from kafka.protocol.consumer import ConsumerProtocolAssignment

from kafka_emulator.encoding import encoded


def test_many_messages_at_once_are_each_by_itself() -> None:
    rows = [([("a", (0, 1)), ("b", ())], None), ([], None), ([("ключ", (7,))], b"data")]
    for row, data in zip(rows, encoded(ConsumerProtocolAssignment, 1, rows), strict=True):
        message = ConsumerProtocolAssignment(version=1, assigned_partitions=row[0], user_data=row[1])
        assert data == bytes(message.encode(header=False))
    with pytest.raises((struct.error, TypeError)):
        encoded(ConsumerProtocolAssignment, 1, [([("a",)], None)])
