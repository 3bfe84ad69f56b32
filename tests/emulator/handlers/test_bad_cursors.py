"""A cursor that names no position is an invalid request (42): an empty page would look like the end."""

import pytest

from emulator.asking import ask
from emulator.handlers.grouping import at, grouped
from kafka_census.kafka.paging.cursor import Cursor
from kafka_census.kafka.paging.rpc import Ask
from kafka_census.kafka.rpc import rpc as rpc_named


@pytest.mark.parametrize(
    ("rpc", "scope", "keys", "cursor"),
    [
        ("Metadata", "names", (), ("open", -1)),
        ("DescribeLogDirs", "log_dirs", (), ("open", -1, "")),
        ("ListPartitionReassignments", "cluster", ("open/0",), ("open", -1)),
        ("ListOffsets", "latest", ("open/0", "open/9"), ("open", -1)),
        ("DescribeProducers", "partitions", ("open/0", "missing/3"), ("open", -1, 7)),
        ("OffsetFetch", "groups", ("wide",), ("wide", "open", -1)),
        ("DescribeConfigs", "topics", ("open", "gone"), ("open", 3)),
        *(("DescribeAcls", "acls", (), ("foo", *bad)) for bad in ((99, 3), (0, 3), (1, 3), (2, 1), (2, 99))),
    ],
)
def test_a_cursor_that_names_no_position_is_refused(
    rpc: str, scope: str, keys: tuple[str, ...], cursor: Cursor
) -> None:
    server = grouped({"id": "wide", "topics": ["open", "hidden"]})
    declared, asked = rpc_named(rpc, scope), Ask(keys, cursor, 5)
    api, names = declared.apis[0], [field.name for field in declared.item]
    response = ask(server, api.build(api.max_version, asked), api.max_version, at(server, "wide"))
    refused = api.error(response)[0]
    codes = {row[names.index("error_code")] for row in api.rows(response, asked) if not refused}
    assert codes | {refused} - {0} == {42}
    assert api.next_cursor(response) is None
