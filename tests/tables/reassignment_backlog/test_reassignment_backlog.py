"""Bytes left to copy come from sizes, and an unknown value is null with its reason."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG as TABLE
from spark.cases import Case, each_case
from spark.landed_items import BEFORE, CLUSTER, Item, at, compute, item, missing_read, rows_by

LARGER = "the copy is not smaller than its source, and not in the ISR"
LEADER_RATE, FOLLOWER_RATE = "leader.replication.throttled.rate", "follower.replication.throttled.rate"
DYNAMIC_BROKER, DYNAMIC_DEFAULT, STATIC, DEFAULT = 2, 3, 4, 5
NO_LIMIT = 2**63 - 1


def move(replicas: list[int], adding: list[int], removing: list[int], topic: str = "t") -> Item:
    """A listed reassignment: `replicas` are the current ones, including adding and removing ones."""
    return item(topic=topic, partition=0, replicas=replicas, adding_replicas=adding, removing_replicas=removing)


def part(leader: int | None, isr: list[int], replicas: list[int], topic: str = "t") -> Item:
    described = {"topic": topic, "topic_id": f"id-of-{topic}", "partition": 0, "error_code": 0}
    return item(1, 1, **described, leader_id=leader, isr=isr, replicas=replicas)


def held(broker: int, size: int, log_dir: str = "/d1", topic: str = "t", **columns: Any) -> Item:
    """A replica in a broker's log dir; OffsetLag of a current one is always 0, however far it is behind."""
    row = {"log_dir": log_dir, "error_code": 0, "topic": topic, "partition": 0, "size": size, "offset_lag": 0}
    return item(broker, 2, **row | {"is_future": False} | columns)


def future(broker: int, size: int, log_dir: str = "/d2") -> Item:
    return held(broker, size, log_dir, is_future=True)


def empty(broker: int, log_dir: str = "/d1", error_code: int = 0) -> Item:
    """A log dir without partitions, or one that is offline."""
    return item(broker, 2, log_dir=log_dir, error_code=error_code)


def before(left: int | None, done: int | None, kind: str = "move", **columns: Any) -> Item:
    """A row of the previous census, 98 seconds before noon: 100 seconds before the current answers about log dirs."""
    key = {"topic": "t", "partition": 0, "kind": kind, "replica_id": 4}
    known = {"census_id": BEFORE, "cluster_id": CLUSTER, "observed_at": at(-98), "bytes_left": left, "bytes_done": done}
    return {**key, **known, **columns}


def broker(node: int, source: int = DYNAMIC_BROKER, release: str | None = "4.3", **rates: int) -> list[Item]:
    """The config of a broker of that release, reported by itself: min.insync.replicas, and rates where they are set."""
    names = {
        "leader": LEADER_RATE,
        "follower": FOLLOWER_RATE,
        "log_dir": "replica.alter.log.dirs.io.max.bytes.per.second",
    }
    values = {"min.insync.replicas": 1} | {names[kind]: rate for kind, rate in rates.items()}
    of = {"resource_type": "broker", "resource_name": str(node), "error_code": 0, "source": source}
    of["release_at_least"] = release
    return [item(node, 1, **of, name=name, value=str(value)) for name, value in values.items()]


def listed(leaders: str, followers: str, topic: str = "t") -> list[Item]:
    """A topic's lists of throttled replicas; a topic without them has empty ones."""
    of = {"resource_type": "topic", "resource_name": topic, "error_code": 0, "source": 1}
    lists = {"leader": leaders, "follower": followers}
    return [
        item(1, 1, **of, name=f"{kind}.replication.throttled.replicas", value=value) for kind, value in lists.items()
    ]


SYNCED = part(1, [1, 2, 4], [1, 2, 4])
LEADERLESS = part(-1, [2], [1, 2, 4])
MOVE: dict[str, Any] = {"reassignments": [move([1, 2, 4], [4], [1])], "partitions": [part(1, [1, 2], [1, 2, 4])]}
"""Partition t-0 goes from 1, 2 to 2, 4; broker 1 leads."""
SIZES = [held(1, 1000), held(4, 300)]
DIRS: dict[str, Any] = {"log_dirs": [held(4, 1000), future(4, 400)], "reassignments": []}
ADDED, REMOVED, DIR_MOVE = ("move", 4), ("remove", 1), ("log_dir_move", 4)
CASES: dict[str, Case] = {}


def case(name: str, *log_dirs: Item, key: tuple[str, int] = ADDED, **inputs: Any) -> Case:
    """One more case: its inputs beside those of MOVE, which are replaced if given."""
    CASES[name] = Case(MOVE | {"log_dirs": log_dirs or SIZES} | inputs, key)
    return CASES[name].also(REMOVED) if key == ADDED else CASES[name]


def throttled(*rates: int | None, source: str | None = None, target: str | None = None) -> dict[str, Any]:
    """The rates of the copy, of its source and of its target, and why they are not known."""
    names = ("throttle", "source_throttle", "target_throttle")
    reasons = {"source_throttle_reason": source, "target_throttle_reason": target}
    return {f"{name}_bytes_per_second": rate for name, rate in zip(names, rates, strict=True)} | reasons


case("a copy larger than its source has nothing left, and no end", held(1, 1000), held(4, 1200)).gives(
    bytes_left=0, bytes_done=1000, copied_bytes=1200, in_isr=False, eta_seconds=None, eta_reason=LARGER
)
case("a copy that has not begun has everything left", held(1, 1000), empty(4)).gives(bytes_left=1000, copied_bytes=0)
case("a replica that was found is known beside an offline dir", *SIZES, empty(4, "/d2", 56)).gives(
    bytes_left=700, bytes_left_reason=None
)
REMOTE = [held(node, 9000, "remote://bucket") for node in (1, 4)]
case("Redpanda's remote part of a partition is in no log dir", *SIZES, *REMOTE).gives(
    bytes_total=1000, bytes_left=700, log_dir="/d1"
)
UNANSWERED = missing_read("DescribeLogDirs", "log_dirs", 1, "CONNECTION_FAILED")
case("bytes left are not known: the source did not answer", held(4, 300), missing=[UNANSWERED]).gives(
    bytes_left=None, bytes_done=None, bytes_left_reason=UNANSWERED.line
)
for why, *log_dirs in (
    ("broker 4 did not answer DescribeLogDirs", held(1, 1000)),
    ("broker 4: log dir /d2 is not readable (KAFKA_STORAGE_ERROR)", held(1, 1000), empty(4), empty(4, "/d2", 56)),
    ("broker 1 lists no current replica", held(4, 300), empty(1)),
):
    case(f"bytes left are not known: {why}", *log_dirs).gives(bytes_left=None, bytes_done=None, bytes_left_reason=why)
NOT_DESCRIBED = [missing_read("DescribeTopicPartitions", "topics", None, "REQUEST_TIMED_OUT")]
for why, in_isr, partitions, missing in (
    ("the partition has no leader to copy from", False, [LEADERLESS], []),
    ("DescribeTopicPartitions did not describe the partition", None, [], []),
    ("DescribeTopicPartitions was not read (REQUEST_TIMED_OUT)", None, [], NOT_DESCRIBED),
):
    case(f"bytes left are not known: {why}", partitions=partitions, missing=missing).gives(
        bytes_left=None, bytes_left_reason=why, in_isr=in_isr, original_replicas=[1, 2], target_replicas=[2, 4]
    )
SHRINKS = {"reassignments": [move([1, 2, 3], [], [3])], "partitions": [part(1, [1, 2, 3], [1, 2, 3])]}
case("a reassignment that only shrinks is a row", empty(1), key=("remove", 3), **SHRINKS).gives(
    bytes_left=0, bytes_total=0, eta_seconds=None, stalled=None, target_replicas=[1, 2]
)
case("an error answer, which echoes the request, is no move", key=DIR_MOVE, reassignments=[move([], [], [])])
case("a future replica is never counted as the replica", *SIZES, future(1, 5000), future(4, 250)).gives(
    bytes_total=1000, bytes_left=700
).also(DIR_MOVE, bytes_total=300, bytes_left=50).also(("log_dir_move", 1), bytes_left=0)
case("the current dir is offline", future(4, 400), empty(4, "/d1", 56), key=DIR_MOVE, reassignments=[]).gives(
    bytes_left=None, log_dir=None, bytes_left_reason="broker 4: log dir /d1 is not readable (KAFKA_STORAGE_ERROR)"
)
# Bytes that the target gained, or fewer if more is left than before; an ETA only if bytes left fall this way.
for why, left, done, rate, eta, stalled in (
    ("300 bytes in 100 s, 700 to go", 1000, 0, 3.0, 234, False),
    ("the leader grows faster than the copy: it moves, but without an end", 500, 100, -2.0, None, False),
    ("the leader lost 500 bytes by retention: nothing was copied", 1200, 300, 0.0, None, True),
    ("100 bytes were copied, 200 went by retention", 1000, 200, 1.0, 700, False),
    ("the copy lost 100 bytes by retention, and has more left", 600, 400, -1.0, None, True),
    ("it lost 100, and has less left: how much was copied is not known", 900, 400, None, None, None),
    ("the bytes were not known", None, None, None, None, None),
):
    case(f"progress: {why}", previous=[before(left, done)]).gives(
        bytes_per_second=rate, eta_seconds=eta, stalled=stalled, previous_census_id=BEFORE
    )
# Only the ISR ends a move.
for why, then, now, stalled in (
    ("a compacted leader: nothing was copied", {"copied_bytes": 1200}, 1200, True),
    ("something was copied", {"copied_bytes": 1100}, 1200, False),
    ("the copy was compacted, too: not known", {"copied_bytes": 1300}, 1200, None),
    ("a row of a release that has no size of the copy", {}, 1200, True),
    ("it was smaller", {"bytes_left": 600, "bytes_done": 1400, "copied_bytes": 1400}, 1500, False),
):
    inputs = {"log_dirs": [held(1, 1000), held(4, now)], "previous": [before(0, 1000) | then]}
    case(f"a copy that is not smaller than its source has not ended; {why}", **inputs).gives(
        bytes_left=0, eta_seconds=None, eta_reason=LARGER, stalled=stalled
    )
    case(f"in the ISR it has; {why}", partitions=[SYNCED], **inputs).gives(
        bytes_left=0, eta_seconds=0, eta_reason=None, stalled=False
    )
SAME = before(0, 400, kind="log_dir_move", future_log_dir="/d2", copied_bytes=400)
case(
    "a future replica has not ended, whatever the ISR has", held(4, 400), future(4, 400), key=DIR_MOVE, previous=[SAME]
).gives(
    bytes_left=0,
    eta_seconds=None,
    eta_reason="the copy is not smaller than its source, and not the current replica yet",
    stalled=True,
).also(ADDED).also(REMOVED)
OTHERS = [before(1700, 0, replica_id=5), before(1700, 0, partition=1), before(0, 0, kind="remove", replica_id=1)]
case("at first sight, of this replica and kind, there is no rate", previous=OTHERS).gives(
    bytes_per_second=None, eta_seconds=None, stalled=None, previous_census_id=None
).also(REMOVED, bytes_per_second=None, stalled=None, previous_census_id=BEFORE)
case("at first sight a copy as large as its source has no end", held(1, 1000), held(4, 1000)).gives(
    bytes_left=0, eta_seconds=None, eta_reason=LARGER, stalled=None
)
for directory, rate, eta in (("/d3", None, None), ("/d2", 3.0, 200)):
    earlier = [before(900, 100, kind="log_dir_move", future_log_dir=directory)]
    case(f"a move to {directory} before; another dir is another copy", **DIRS, key=DIR_MOVE, previous=earlier).gives(
        bytes_per_second=rate, eta_seconds=eta, previous_census_id=rate and BEFORE
    )
for why, topic_id, rate in (
    ("a topic that was made again is another copy", "id-of-another-t", None),
    ("a topic of the same id is the same", "id-of-t", 3.0),
    ("without topic ids the name decides", None, 3.0),
):
    case(why, previous=[before(1000, 0, topic_id=topic_id)]).gives(
        bytes_per_second=rate, previous_census_id=rate and BEFORE
    )
# Brokers do not read rates from server.properties; a cluster-wide rate counts; Kafka's default is no throttle.
EVERY = {"topic_configs": listed("*", "*")}
for source, rate, expected in (
    (DYNAMIC_BROKER, 9, 9),
    (DYNAMIC_DEFAULT, 9, 9),
    (DYNAMIC_BROKER, 0, 0),
    (STATIC, 9, None),
    (DEFAULT, NO_LIMIT, None),
    (DYNAMIC_BROKER, NO_LIMIT, None),
):
    configs = [*broker(1, source, leader=rate), *broker(4)]
    case(f"only dynamic rates are in force: {rate} of source {source}", **EVERY, broker_configs=configs).gives(
        **throttled(expected, expected, None)
    )
# KAFKA-10190; before, BrokerConfigHandler read only the broker's own rates. Each end follows its own release.
NO_RELEASE = f"{LEADER_RATE} is set for all brokers, which counts from 3.9 on, and the API ranges of broker 1 prove no "
for release, rate, reason in (
    ("3.9", 9, None),
    ("3.8", None, None),
    (None, None, f"{NO_RELEASE}release"),
):
    configs = [*broker(1, DYNAMIC_DEFAULT, release, leader=9), *broker(4, DYNAMIC_DEFAULT, follower=7)]
    case(f"a rate for all brokers is in force from 3.9 on: {release}", **EVERY, broker_configs=configs).gives(
        **throttled(None if reason else 7, rate, 7, source=reason)
    )
OWN = [*broker(1, release=None, leader=9), *broker(4)]
case("its own is in force at every release", **EVERY, broker_configs=OWN).gives(**throttled(9, 9, None))
RATES = broker(4, leader=1, follower=2, log_dir=30)
case("a move between log dirs is held back by its broker alone", **DIRS, key=DIR_MOVE, broker_configs=RATES).gives(
    **throttled(30, None, 30)
)
STOPPED = [missing_read("DescribeConfigs", "brokers", 4, "BROKER_NOT_ALIVE")]
UNREAD = [missing_read("DescribeConfigs", "topics", None, "DEADLINE_EXCEEDED")]
DENIED = item(4, 1, resource_type="broker", resource_name="4", error_code=31)
TOPIC_DENIED = [item(1, 1, resource_type="topic", resource_name="t", error_code=29)]
LED, BOTH = broker(1, leader=100), [*broker(1, leader=100), *broker(4)]
for reason, configs, missing in (
    ("DescribeConfigs was not read from broker 4 (BROKER_NOT_ALIVE)", LED, STOPPED),
    ("DescribeConfigs answered CLUSTER_AUTHORIZATION_FAILED for broker 4", [*LED, DENIED], []),
):
    case(f"throttle is not known: {reason}", **EVERY, broker_configs=configs, missing=missing).gives(
        **throttled(None, 100, None, target=reason)
    )
for reason, configs, missing in (
    ("DescribeConfigs was not read (DEADLINE_EXCEEDED)", [], UNREAD),
    ("DescribeConfigs answered TOPIC_AUTHORIZATION_FAILED for this topic", TOPIC_DENIED, []),
):
    case(f"throttle is not known: {reason}", topic_configs=configs, broker_configs=BOTH, missing=missing).gives(
        **throttled(None, None, None, source=reason)
    )
case("what is not listed is known", topic_configs=listed("*", ""), broker_configs=LED, missing=STOPPED).gives(
    **throttled(100, 100, None)
)
NO_LEADER = "the partition has no leader to copy from"
FOLLOWER = broker(4, follower=5)
case(
    "without a leader no source has a rate", held(4, 300), partitions=[LEADERLESS], broker_configs=FOLLOWER, **EVERY
).gives(bytes_left_reason=NO_LEADER, **throttled(None, None, 5, source=NO_LEADER))


test_every_case = each_case(TABLE, CASES, lambda row: (row.kind, row.replica_id))


LISTS = {
    ("*", "*"): (50, 100, 50),
    ("3:7, 0:1", "3:7,0:4,5:4"): (50, 100, 50),
    ("0:1", ""): (100, 100, None),
    ("", "0:4"): (50, None, 50),
    ("1:1,0:4", "0:1,10:4"): (None, None, None),  # other partitions, and brokers of the other end
}


def test_rates_hold_back_what_the_topic_lists(spark: SparkSession) -> None:
    """The leader's rate at the source, the follower's at the target, and the lower of the two for the copy."""
    topics = {f"{leaders} {followers}": (leaders, followers) for leaders, followers in LISTS}
    computed = compute(
        spark,
        TABLE,
        reassignments=[move([1, 2, 4], [4], [1], topic) for topic in topics],
        partitions=[part(1, [1, 2], [1, 2, 4], topic) for topic in topics],
        log_dirs=[held(node, size, topic=topic) for topic in topics for node, size in ((1, 1000), (4, 300))],
        topic_configs=[one for topic, lists in topics.items() for one in listed(*lists, topic)],
        broker_configs=[*broker(1, leader=100, follower=7), *broker(4, leader=3, follower=50)],
    )
    expected = Case({}, None)
    for topic, lists in topics.items():
        expected.also((topic, "move"), **throttled(*LISTS[lists])).also(
            (topic, "remove"), **throttled(None, None, None)
        )
    expected.check(rows_by(computed, "topic", "kind"))
