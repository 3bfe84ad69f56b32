"""Live answers as the frames that the SQL reads: pure, by the rules that tables are computed by (`shared_rules`)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

import duckdb
import pyarrow as pa

from kafka_census.declarations.shared_rules import caught_up, effective_min_isr, topics_own
from kafka_census.declarations.walks import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from kafka_census.impact.frames import FRAMES
from kafka_census.impact.live import Answers
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.tables.shared.java_hash import hash_codes

_TYPES = {
    "STRING": pa.string(),
    "INT": pa.int32(),
    "BIGINT": pa.int64(),
    "BOOLEAN": pa.bool_(),
    "TIMESTAMP": pa.timestamp("us", "UTC"),
}
_GONE = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID)
_MIN_ISR, _UNCLEAN = "min.insync.replicas", "unclean.leader.election.enable"
_LISTINGS = (
    (OFFSETS_TOPIC, "groups", "group_id", ("ListGroups", "groups")),
    (TRANSACTIONS_TOPIC, "transactional_ids", "transactional_id", ("ListTransactions", "transactions")),
)
_Partition = tuple[str, int]
_Row = dict[str, Any]


def frames_of(answers: Answers, now: datetime) -> Mapping[str, pa.Table]:
    """The frames by name, with the columns of `FRAMES`; `now` is when the answers came."""
    partitions = [one for one in answers.of["DescribeTopicPartitions", "topics"].items if one["partition"] is not None]
    dirs = _dirs(answers)
    held, elsewhere = _ids(answers, partitions)
    brokers = _brokers(answers, elsewhere)
    voters = _voters(answers)
    rows: dict[str, Iterable[_Row]] = {
        "partitions": _partitions(answers, partitions, brokers, dirs, held),
        "brokers": brokers.values(),
        "log_dirs": _log_dirs(answers),
        "voters": [{"node_id": node} for node in {one["node_id"] for one in voters}],
        "moves": _moves(answers, brokers, dirs),
        "cluster": [_cluster(answers, brokers, voters, now)],
    }
    return {name: table_of(name, found) for name, found in rows.items()}


def table_of(name: str, rows: Iterable[_Row]) -> pa.Table:
    """The frame of that name; columns that rows lack are null."""
    return _table(FRAMES[name], rows)


def _table(columns: Mapping[str, str], rows: Iterable[_Row]) -> pa.Table:
    fields = [pa.field(name, _type(kind)) for name, kind in columns.items()]
    return pa.Table.from_pylist([{name: row.get(name) for name in columns} for row in rows], pa.schema(fields))


def _type(kind: str) -> pa.DataType:
    return pa.list_(_type(kind[6:-1])) if kind.startswith("ARRAY<") else _TYPES[kind]


def _brokers(answers: Answers, elsewhere: Mapping[int, _Row]) -> dict[int, _Row]:
    """Every broker that is listed or has a replica, by id."""
    groups, transactions = (answers.of[walk].gap for _, _, _, walk in _LISTINGS)
    listed = answers.of["DescribeCluster", "cluster"].items
    named = {node for one in answers.of["DescribeTopicPartitions", "topics"].items for node in one["replicas"]}
    none = {"groups_elsewhere": 0, "transactional_ids_elsewhere": 0}
    down = {node: {"broker_id": node, "rack": "", "state": "not_alive", **none} for node in named}
    there = {
        one["node_id"]: {
            "broker_id": one["node_id"],
            "rack": one["rack"] or "",
            "state": "fenced" if one["is_fenced"] else "alive",
            "groups_gap": groups if one["node_id"] in answers.lost else None,
            "transactional_ids_gap": transactions if one["node_id"] in answers.lost else None,
            **elsewhere.get(one["node_id"], none),
        }
        for one in listed
    }
    return down | there


def _dirs(answers: Answers) -> dict[_Partition, list[_Row]]:
    """Where the brokers that would be lost have each partition, future replicas included."""
    found: dict[_Partition, list[_Row]] = {}
    for one in answers.of["DescribeLogDirs", "log_dirs"].items:
        if one["topic"] is not None and not one["log_dir"].startswith("remote://"):
            found.setdefault((one["topic"], one["partition"]), []).append(one)
    return found


def _ids(answers: Answers, partitions: Iterable[_Row]) -> tuple[dict[_Partition, _Row], dict[int, _Row]]:
    """The ids that a leader coordinates, by the partition that they hash to; by broker, those on none that it leads."""
    leaders = {(one["topic"], one["partition"]): one["leader_id"] for one in partitions}
    held: dict[_Partition, _Row] = {}
    elsewhere: dict[int, _Row] = {}
    for topic, ids, column, walk in _LISTINGS:
        size = sum(of == topic for of, _ in leaders)
        listed = sorted({(one[column], one["asked_node_id"]) for one in answers.of[walk].items})
        hashes = hash_codes(pa.array([name for name, _ in listed], pa.string())).to_pylist()
        places = Counter(((topic, _place(code, size)), node) for code, (_, node) in zip(hashes, listed, strict=True))
        for (partition, node), count in places.items():
            if leaders.get(partition) == node and not answers.cluster_id.startswith("redpanda."):
                held[partition] = {ids: count}
            else:
                counts = elsewhere.setdefault(node, {"groups_elsewhere": 0, "transactional_ids_elsewhere": 0})
                counts[f"{ids}_elsewhere"] += count
    return held, elsewhere


def _place(code: int, size: int) -> int:
    """As `tables.shared.java_hash.offsets_partition`."""
    return -1 if not size else 0 if code == -(2**31) else abs(code) % size


def _partitions(
    answers: Answers,
    partitions: Iterable[_Row],
    brokers: Mapping[int, _Row],
    dirs: Mapping[_Partition, list[_Row]],
    held: Mapping[_Partition, _Row],
) -> Iterator[_Row]:
    minima, unclean = _minima(answers), _configured(answers, _UNCLEAN)
    for one in partitions:
        key = one["topic"], one["partition"]
        racks = [brokers[node]["rack"] for node in one["replicas"]]
        known = [rack for rack in racks if rack]
        placed = list(zip(one["replicas"], racks, strict=True))
        shares = len(known) > len(set(known))
        current = [each for each in dirs.get(key, ()) if not each["is_future"]]
        hidden = one["partition_error_code"] == ErrorCode.LISTENER_NOT_FOUND
        yield {
            "topic": one["topic"],
            "partition": one["partition"],
            "known": not hidden,
            "leader_id": one["leader_id"] if one["leader_id"] >= 0 else None,
            "replicas": one["replicas"],
            "isr": one["isr"],
            "eligible": one["eligible_leader_replicas"],
            "min_isr": minima.get((one["topic"], one["leader_id"], len(one["replicas"]))),
            "unclean": unclean.get(one["topic"], {}).get("value") == "true",
            "racks": racks,
            "mates": [[node for node, rack in placed if rack == own] for own in racks] if shares else None,
            "dir_brokers": [each["asked_node_id"] for each in current],
            "dirs": [each["log_dir"] for each in current],
            "dir_bytes": [each["size"] for each in current],
            **held.get(key, {}),
        }


def _configured(answers: Answers, name: str, scope: str = "topics") -> dict[str, _Row]:
    """The item of a config, by topic or broker id as text."""
    items = answers.of["DescribeConfigs", scope].items
    return {one["resource_name"]: one for one in items if one["name"] == name}


def _minima(answers: Answers) -> dict[tuple[str, int, int], int | None]:
    """The effective minimum ISR by topic, leader and number of replicas."""
    topics, leaders = _configured(answers, _MIN_ISR), _configured(answers, _MIN_ISR, "brokers")
    wanted = {
        (one["topic"], one["leader_id"], len(one["replicas"]))
        for one in answers.of["DescribeTopicPartitions", "topics"].items
        if one["partition"] is not None and one["topic"] in topics
    }
    rows = []
    for topic, leader, replicas in wanted:
        of_leader = leaders.get(str(leader), {})
        row = {"topic": topic, "leader": leader, "replicas": replicas, "release": of_leader.get("release_at_least")}
        row |= {"topic_value": int(topics[topic]["value"]), "topic_source": topics[topic]["source"]}
        rows.append(row | {"leader_value": int(of_leader["value"]) if of_leader else None})
    columns = {"topic": "STRING", "leader": "INT", "replicas": "INT", "release": "STRING"}
    columns |= dict.fromkeys(("topic_value", "topic_source", "leader_value"), "INT")
    raw = f"CASE WHEN {topics_own('topic_source', 'leader_value')} THEN topic_value ELSE leader_value END"
    sql = f"""SELECT topic, leader, replicas, {effective_min_isr("raw", "replicas", "release")} AS effective
FROM (SELECT *, {raw} AS raw FROM wanted) AS wanted"""
    return {(one["topic"], one["leader"], one["replicas"]): one["effective"] for one in _sql(sql, columns, rows)}


def _sql(sql: str, columns: Mapping[str, str], wanted: Iterable[_Row]) -> list[_Row]:
    """The rows of a statement over the table `wanted`."""
    with duckdb.connect(":memory:", config={"python_enable_replacements": False}) as connection:
        connection.register("wanted", _table(columns, wanted))
        found: list[_Row] = connection.execute(sql).to_arrow_table().to_pylist()
        return found


def _log_dirs(answers: Answers) -> Iterator[_Row]:
    """The log dirs of the brokers that would be lost; a broker that did not tell has one without a name."""
    walk = answers.of["DescribeLogDirs", "log_dirs"]
    errors = dict(walk.errors)
    roles = _configured(answers, "process.roles", "brokers")
    named = [_configured(answers, name, "brokers") for name in ("metadata.log.dir", "log.dirs", "log.dir")]
    for node in sorted(answers.lost):
        if node in errors:
            reason = f"DescribeLogDirs was not read from broker {node} ({errors[node]})"
            yield {"broker_id": node, "log_dir": "", "state": "not_read", "reason": reason}
            continue
        told = {one["log_dir"]: one["error_code"] for one in walk.items if one["asked_node_id"] == node}
        dirs = {name: code for name, code in told.items() if not name.startswith("remote://")}
        configs = [value for of in named if (value := (of.get(str(node), {}).get("value") or "").strip())]
        metadata_dir = configs[0].split(",")[0].strip() if configs and str(node) in roles else None
        for name, code in dirs.items():
            state = "offline" if code else "online"
            row = {"broker_id": node, "log_dir": name, "state": state, "metadata_dir": metadata_dir}
            yield row | {"configured": True if configs else None}


def _voters(answers: Answers) -> list[_Row]:
    """`node_id` and `caught_up` of each voter."""
    items = [one for one in answers.of["DescribeQuorum", "quorum"].items if one["replica_id"] is not None]
    leader = next((one for one in items if one["replica_id"] == one["leader_id"]), {})
    ends = leader.get("last_caught_up_ms")
    rows = [
        {
            "node_id": one["replica_id"],
            "lag_ms": None if None in (ends, one["last_caught_up_ms"]) else max(0, ends - one["last_caught_up_ms"]),
            **{name: one[name] if one[name] >= 0 else None for name in ("log_end_offset", "high_watermark")},
        }
        for one in items
        if one["is_voter"]
    ]
    columns = {"node_id": "INT"} | dict.fromkeys(("lag_ms", "log_end_offset", "high_watermark"), "BIGINT")
    sql = f"SELECT node_id, {caught_up('lag_ms', 'log_end_offset', 'high_watermark')} AS caught_up FROM wanted"
    return _sql(sql, columns, rows)


def _moves(answers: Answers, brokers: Mapping[int, _Row], dirs: Mapping[_Partition, list[_Row]]) -> Iterator[_Row]:
    """Replicas that reassignments add, and those that move between dirs of the brokers that would be lost."""
    for one in answers.of["ListPartitionReassignments", "cluster"].items:
        key = one["topic"], one["partition"]
        for node in one["adding_replicas"]:
            here = next((each["log_dir"] for each in dirs.get(key, ()) if each["asked_node_id"] == node), None)
            row = {"topic": key[0], "partition": key[1], "broker_id": node, "log_dir": here}
            yield row | {"rack": brokers[node]["rack"] if node in brokers else ""}
    for (topic, partition), held in dirs.items():
        for future in held:
            if future["is_future"]:
                node = future["asked_node_id"]
                here = [each["log_dir"] for each in held if each["asked_node_id"] == node and not each["is_future"]]
                row = {"topic": topic, "partition": partition, "broker_id": node, "future_log_dir": future["log_dir"]}
                yield row | {"log_dir": next(iter(here), None), "rack": brokers[node]["rack"]}


def _cluster(answers: Answers, brokers: Mapping[int, _Row], voters: Iterable[_Row], now: datetime) -> _Row:
    described = answers.of["DescribeTopicPartitions", "topics"]
    refused = sorted({one["topic"] for one in described.items if one["error_code"] and one["error_code"] not in _GONE})
    gaps = [answers.of["DescribeCluster", "cluster"].gap, described.gap]
    gaps += [f"{len(refused)} topics were not described, such as {refused[0]}" if refused else None]
    quorum = answers.of["DescribeQuorum", "quorum"]
    zookeeper = any(
        (one["value"] or "").strip() for one in _configured(answers, "zookeeper.connect", "brokers").values()
    )
    return {
        "alive": [node for node, one in brokers.items() if one["state"] == "alive"],
        "voters": [one["node_id"] for one in voters],
        "caught_up": [one["node_id"] for one in voters if one["caught_up"]],
        "unheard": [one["node_id"] for one in voters if one["caught_up"] is None],
        "partitions_gap": "; ".join(gap for gap in gaps if gap) or None,
        "moves_gap": answers.of["ListPartitionReassignments", "cluster"].gap,
        "quorum_gap": quorum.gap,
        "has_quorum": not (zookeeper and quorum.errors),
        "observed_at": now,
    }
