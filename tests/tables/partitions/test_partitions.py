"""Bytes, log dirs, racks, offsets and rates of partitions; a value that is not known is null, and has a reason."""

from datetime import datetime
from typing import Any

from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.partitions.columns import PARTITIONS as TABLE
from spark.cases import Case, each_case
from spark.landed_items import BEFORE, CLUSTER, Item, at, item, missing_read, naive, published

RACKS = {1: "a", 2: "b", 3: "a"}
NO_RATE = {"records_per_second": None, "previous_census_id": None}


def part(number: int, leader: int | None, replicas: list[int], **columns: Any) -> Item:
    """A row of under_min_isr_partitions; without a leader, the partition is known to be offline."""
    state = {"status": "OK", "available": leader is not None, "leader_id": leader, "replicas": replicas}
    return published(1, topic="t", partition=number, **{"topic_id": "id-t"} | state | columns)


def nodes(racks: dict[int, Any]) -> list[Item]:
    return [{"broker_id": node, "rack": rack} for node, rack in racks.items()]


def held(broker: int, partition: int, size: int, log_dir: str = "/a", **more: Any) -> Item:
    columns = {"log_dir": log_dir, "error_code": 0, "is_future": False} | more
    return item(broker, 2, topic="t", partition=partition, size=size, **columns)


def end(offset: int | None, partition: int = 0, received: int = 4, error_code: int = 0) -> Item:
    return item(2, received, topic="t", partition=partition, error_code=error_code, offset=offset)


def before(**columns: Any) -> Item:
    """The first partition an hour before its end offset was read now."""
    row = {"census_id": BEFORE, "cluster_id": CLUSTER, "topic": "t", "partition": 0, "topic_id": "id-t"}
    return row | {"end_offset": 100, "end_offset_at": at(4 - 3600)} | columns


def in_dir(broker: int, size: int, log_dir: str = "/a") -> dict[str, Any]:
    return {"broker_id": broker, "log_dir": log_dir, "bytes": size}


def world() -> dict[str, Any]:
    """Two partitions on three brokers in two racks: the second one is led by its second replica."""
    return {
        "described": [part(0, 1, [1, 2]), part(1, 3, [2, 3, 1])],
        "brokers": nodes(RACKS),
        "log_dirs": [
            *(held(2, 0, 90, "/b"), held(1, 0, 100), held(2, 1, 50), held(3, 1, 45), held(1, 1, 40)),
            # A copy that moves between dirs, object storage, and a broker that is no replica any more.
            *(held(2, 0, 7, is_future=True), held(2, 0, 9000, "remote://bucket"), held(3, 0, 1)),
        ],
        "earliest": [end(3), end(0, 1)],
        "latest": [end(7300), end(0, 1, received=5)],
        "newest_records": [],
        "previous": [before(), before(partition=1, end_offset=0)],
    }


CASES: dict[str, Case] = {}
ALONE: dict[str, Any] = {"alone": True}


def case(name: str, *missing: MissingRead, **roles: Any) -> Case:
    """A case of both partitions, or of those that are described otherwise; it gives columns of the first one."""
    inputs = world() | {"missing": missing} | roles
    first, *others = [row["partition"] for row in inputs["described"]]
    CASES[name] = Case(inputs, first, {other: {} for other in others})
    return CASES[name]


# All else that is known of a partition is held against real brokers in tests/trouble.
KNOWN = "is_preferred_leader leader_bytes replica_bytes racks replicas_sharing_rack start_offset end_offset"
case("what is known").table(
    KNOWN,
    {0: (True, 100, 190, ["a", "b"], 0, 3, 7300), 1: (False, 45, 135, ["b", "a", "a"], 1, 0, 0)},
).table(
    "log_dirs records_per_second previous_census_id end_offset_at observed_at",
    {
        0: ([in_dir(1, 100), in_dir(2, 90, "/b")], 2.0, BEFORE, *[naive(4)] * 2),
        1: ([in_dir(1, 40), in_dir(2, 50), in_dir(3, 45)], 0.0, BEFORE, *[naive(5)] * 2),
    },
)
RATES: dict[str, dict[str, Any]] = {
    "the previous census has no such partition: it is new, or was not seen": {"previous": [before(partition=7)]},
    "the topic was made anew since the previous census": {"previous": [before(topic_id="id-of-another")]},
    "the previous census does not know its end offset": {"previous": [before(end_offset=None, end_offset_at=None)]},
    "its end offset fell since the previous census: the log was truncated, or made anew": {
        "previous": [before(end_offset=7301)]
    },
    "by its clock, the previous census was not earlier": {"previous": [before(end_offset_at=at(4))]},
    "ListOffsets (latest) answered NOT_LEADER_OR_FOLLOWER": {"latest": [end(None, error_code=6)]},
}
for reason, roles in RATES.items():
    case(f"no rate: {reason}", **roles).gives(**NO_RATE, records_per_second_reason=reason)
# Brokers without topic ids: the offsets decide.
case("a rate without topic ids", described=[part(0, 1, [1, 2], topic_id=None), part(1, 3, [2, 3, 1])]).gives(
    records_per_second=2.0, records_per_second_reason=None
)


# The history of end offsets: points by seconds before now, and what becomes of them.
def points(*ends: tuple[int, int]) -> list[dict[str, Any]]:
    return [{"at": at(4 - ago), "end_offset": offset} for ago, offset in ends]


NOW = (0, 7300)
HOURLY = [(ago * 3600, 7000 - ago) for ago in range(24, 0, -1)]
HISTORIES: dict[str, tuple[dict[str, Any], list[tuple[int, int]]]] = {
    "goes on": (before(end_offset_history=points((7200, 50), (3600, 100))), [(7200, 50), (3600, 100), NOW]),
    "begins": (before(), [NOW]),
    "begins anew with a topic": (before(topic_id="another", end_offset_history=points((3600, 100))), [NOW]),
    "begins anew where the end fell": (before(end_offset_history=points((3600, 7301))), [NOW]),
    "leaves out what retention deleted": (
        before(end_offset_history=points((10800, 1), (7200, 2), (3600, 3))),
        [(3600, 3), NOW],
    ),
    "keeps the first and the last time of an end": (
        before(end_offset_history=points((10800, 7300), (7200, 7300), (3600, 7300))),
        [(10800, 7300), NOW],
    ),
    # The second point's neighbours are closest beside their age: 2 hours of 24.
    "gets thinner with age": (before(end_offset_history=points(*HOURLY)), [HOURLY[0], *HOURLY[2:], NOW]),
}
for name, (then, now) in HISTORIES.items():
    case(f"the history {name}", previous=[then]).gives(
        end_offset_history=[
            {"at": one["at"].replace(tzinfo=None), "end_offset": one["end_offset"]} for one in points(*now)
        ]
    )
case(
    "the history stays where the end is not read",
    previous=[before(end_offset_history=points((3600, 100)))],
    latest=[end(None, error_code=6)],
).gives(end_offset_history=[{"at": naive(4 - 3600), "end_offset": 100}])
NEWEST = [{**end(7299), "timestamp": 1_700_000_000_000}, {**end(-1, 1), "timestamp": -1}]
case("the newest record", newest_records=NEWEST).gives(
    newest_record_offset=7299,
    newest_record_at=datetime(2023, 11, 14, 22, 13, 20),  # noqa: DTZ001 - as Spark collects timestamps
).also(1, newest_record_offset=None, newest_record_at=None)
UNSIZED = {"leader_bytes": None, "replica_bytes": None}
SILENT = "broker 1 did not answer DescribeLogDirs"
case("a broker did not answer", log_dirs=[one for one in world()["log_dirs"] if one["asked_node_id"] != 1]).gives(
    **UNSIZED, leader_bytes_reason=SILENT, replica_bytes_reason=SILENT, log_dirs=[in_dir(2, 90, "/b")]
).also(1, leader_bytes=45, leader_bytes_reason=None, replica_bytes=None, replica_bytes_reason=SILENT)
OFFLINE = [*world()["log_dirs"], item(1, 2, log_dir="/b", error_code=56)]
case("an offline log dir may hold a replica and leads none", log_dirs=OFFLINE).gives(
    leader_bytes=100, replica_bytes=None, replica_bytes_reason="log dir /b of broker 1 is offline"
)
NOT_MADE = [one for one in world()["log_dirs"] if (one["asked_node_id"], one["partition"]) not in ((2, 0), (3, 1))]
case("a replica that is not made yet has no bytes, and a leader must have some", log_dirs=NOT_MADE).gives(
    leader_bytes=100, replica_bytes=100
).also(
    1,
    leader_bytes=None,
    leader_bytes_reason="it is in no log dir of its leader: it moved, or was made, during the census",
    replica_bytes=90,
)
UNLED = "the partition has no leader"
case("nobody leads it", described=[part(0, None, [1, 2]), part(1, 3, [2, 3, 1])], earliest=[], latest=[]).gives(
    **NO_RATE,
    is_preferred_leader=False,
    leader_bytes=None,
    leader_bytes_reason=UNLED,
    replica_bytes=190,
    start_offset_reason=UNLED,
    end_offset_reason=UNLED,
    records_per_second_reason=UNLED,
).also(1, start_offset_reason="ListOffsets (earliest) did not tell of this partition")
HIDDEN = {"available": None, "reason": "the leader has no listener", "status": "UNKNOWN"}
case("the leader is hidden", described=[part(0, None, [1, 2], **HIDDEN)], earliest=[], latest=[]).gives(
    is_preferred_leader=None,
    leader_bytes=None,
    leader_bytes_reason=HIDDEN["reason"],
    replica_bytes=190,
    end_offset_reason=HIDDEN["reason"],
)
GONE = {"available": None, "reason": "it is gone", "status": "UNKNOWN"}
WHY = ("leader_bytes", "replica_bytes", "racks", "start_offset", "end_offset", "records_per_second")
case("a topic that was not described", described=[part(-1, None, [], **GONE)]).gives(
    **NO_RATE,
    **UNSIZED,
    is_preferred_leader=None,
    replicas_sharing_rack=None,
    log_dirs=[],
    racks=[],
    **{f"{name}_reason": "it is gone" for name in WHY},
)
case("one broker has no rack", brokers=nodes(RACKS | {2: None})).gives(
    racks=["a"], replicas_sharing_rack=None, racks_reason="broker 2 has no rack, or is not listed"
)
# What holds for all topics: each of these is a plan of its own.
LOST = missing_read("ListOffsets", "earliest", None, "DEADLINE_EXCEEDED")
case(
    "a first census without racks or starts",
    LOST,
    brokers=nodes(dict.fromkeys(RACKS)),
    earliest=[],
    previous=[],
    **ALONE,
).gives(
    **NO_RATE,
    records_per_second_reason="no previous census to compare with",
    racks=[],
    racks_reason="no broker has a rack",
    start_offset=None,
    start_offset_reason="ListOffsets was not read (DEADLINE_EXCEEDED)",
    end_offset=7300,
)


test_every_case = each_case(TABLE, CASES, lambda row: row.partition)
