"""consumer_lag and group_lag, compared with the Java AdminClient, and with Kafka's tools where these mislead.

The cluster has offsets of every kind: within the log, before its start and after its end; of a deleted topic
and of a re-created one; none where members wait; and start offsets of share groups. No client commits or
writes, so that the Java client sees the same offsets and ends as the census.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.oracle import command_line
from harness.trouble import FORGOTTEN, LOST, ORPHANS
from trouble.conftest import Row, Surveyed
from trouble.test_groups import coordinators, members
from trouble.test_partitions import differences

CONSUMER_GROUPS = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
NO_COMMIT = "no offset is committed: it starts by auto.offset.reset"
NO_START = "its start offset is not known: it was never read, or Kafka could not read its state"
NO_TOPIC = "Metadata does not list the topic: it is deleted, or was created since"
BEYOND = "committed at leader epoch 5, the partition is at 0"
RESETS = {
    "before_start": "the records at the committed offset are deleted: the consumer will reset",
    "after_end": "the committed offset is after the end of the log: the consumer will reset",
}
ONE_LAG = "Kafka tells one lag of a share group, not one for each isolation level"

Key = tuple[str, str, int]
"""Group, topic and partition."""


def key(row: Mapping[str, Any]) -> Key:
    return row["group_id"], row["topic"], row["partition"]


def readers(said: Mapping[str, list[Row]]) -> dict[Key, list[Row]]:
    """The members of each partition. A task of the streams group is that partition of the only topic that it reads."""
    found: dict[Key, list[Row]] = {}
    for member in (one for rows in members(said).values() for one in rows if "member_id" in one):
        parts = member.get("assignment") or [
            (topic, numbers) for _, numbers in member["active_tasks"] for topic in member["source_topics"]
        ]
        for partition in {(topic, number) for topic, numbers in parts for number in numbers}:
            found.setdefault((member["group_id"], *partition), []).append(member)
    return found


@dataclass(frozen=True)
class Log:
    """The start and the ends of a partition: log start, high watermark, last stable offset."""

    start: int
    end: int
    stable: int

    def range_of(self, offset: int) -> str:
        """The position of an offset relative to the log."""
        return "before_start" if offset < self.start else "after_end" if offset > self.end else "in_range"

    def lag_of(self, offset: int, end: int) -> int | None:
        """The records ahead of a consumer at the offset; none outside the log, and never negative."""
        return max(0, end - offset) if self.range_of(offset) == "in_range" else None


def logs(said: Mapping[str, list[Row]]) -> dict[tuple[str, int], Log]:
    kinds = ("earliest", "latest", "last_stable")
    ends = [{(row["topic"], row["partition"]): row["offset"] for row in said[kind]} for kind in kinds]
    return {partition: Log(*(end[partition] for end in ends)) for partition in ends[0]}


def wanted_lag(said: Mapping[str, list[Row]]) -> Iterator[tuple[Key, dict[str, Any]]]:
    """A key and its columns of consumer_lag, in a first census: committed partitions, and those of members."""
    types = {row["group_id"]: row for row in said["group"]}
    states = {name: rows[0]["group_state"] for name, rows in members(said).items()}
    topic_ids = {row["topic"]: row["topic_id"] for row in said["partition"]}
    epochs = {(row["topic"], row["partition"]): row["leader_epoch"] or 0 for row in said["latest"]}
    committed = {key(row): row for row in said["group_offset"] if "topic" in row}
    started = {key(row): row for row in said["share_offset"] if "topic" in row}
    having, ends = readers(said), logs(said)
    for one in committed.keys() | started.keys() | having.keys():
        group, topic, partition = one
        exists = topic in topic_ids
        have = having.get(one, [])
        reported: Row = committed.get(one) or started.get(one) or {}
        beyond = exists and (reported.get("leader_epoch") or -1) > epochs[topic, partition]
        yield (
            one,
            {
                "group_type": types[group]["group_type"].lower(),
                "group_state": states[group],
                "topic_id": topic_ids.get(topic),
                "topic_state": "recreated" if beyond else "exists" if exists else "gone",
                "topic_reason": BEYOND if beyond else None if exists else NO_TOPIC,
                "assigned": bool(have),
                "assigned_reason": None,
                "member_ids": sorted(member["member_id"] for member in have),
                "client_ids": sorted({member["client_id"] for member in have}),
                "committed_leader_epoch": reported.get("leader_epoch"),
                "metadata": reported.get("metadata"),
                **_measured(reported, ends.get((topic, partition)), share=one in started),
                "consumption_rate": None,
                "production_rate": None,
                "previous_census_id": None,
            },
        )


def _measured(reported: Row, log: Log | None, *, share: bool) -> dict[str, Any]:
    """The position of an offset and its lag; for a share group as Kafka counts it, without delivered records."""
    offset = reported.get("start_offset" if share else "committed_offset")
    unknown = NO_START if share else NO_COMMIT
    if log is None:
        partition, lag, stable, why = "unknown", None, None, NO_TOPIC
    elif offset is None:
        partition, lag, stable, why = "unknown" if share else "no_commit", None, None, unknown
    else:
        partition, lag, stable, why = (
            log.range_of(offset),
            log.lag_of(offset, log.end),
            log.lag_of(offset, log.stable),
            RESETS.get(log.range_of(offset)),
        )
        if share:
            lag, stable, why = reported["lag"], None, None
    return {
        "committed_offset": offset,
        "log_start_offset": log and log.start,
        "high_watermark": log and log.end,
        "last_stable_offset": log and log.stable,
        "range": partition,
        "lag": lag,
        "lag_reason": why,
        "lag_unread": False,
        "lag_read_committed": stable,
        "lag_read_committed_reason": why or (ONE_LAG if share else None),
        "raw_lag": None if log is None or offset is None else log.end - offset,
        "seconds_to_drain": 0 if lag == 0 else None,
        "drain_reason": "lag_unknown" if lag is None else "no_history" if lag else None,
    }


def test_the_lag_of_every_partition_is_by_the_java_clients_offsets(whole: Surveyed) -> None:
    wanted = dict(wanted_lag(whole.said))
    assert differences(whole.of("consumer_lag"), wanted) == []
    ranges = {row["range"] for row in wanted.values()}
    assert ranges == {"in_range", "before_start", "after_end", "no_commit", "unknown"}
    assert {row["group_type"] for row in wanted.values()} == {"classic", "consumer", "share", "streams"}
    assert {row["topic_state"] for row in wanted.values()} == {"exists", "recreated", "gone"}
    # Open transactions hold read_committed consumers back.
    assert any(row["lag_read_committed"] not in (None, row["lag"]) for row in wanted.values())


def test_a_group_is_as_far_behind_as_the_java_clients_offsets_add_up_to(whole: Surveyed) -> None:
    """An unknown lag is in no sum; a group without a known one has none."""
    parts: dict[str, list[dict[str, Any]]] = {row["group_id"]: [] for row in whole.said["group"]}
    for (group, _, _), row in wanted_lag(whole.said):
        parts[group].append(row)
    known = {
        name: [row["lag"] for row in rows if row["lag"] is not None and row["topic_state"] != "recreated"]
        for name, rows in parts.items()
    }
    columns = ("partitions", "partitions_known", "lag_total", "lag_max")
    assert {name: tuple(row[one] for one in columns) for name, row in whole.of("group_lag").items()} == {
        name: (len(parts[name]), len(lags), sum(lags) if lags else None, max(lags, default=None))
        for name, lags in known.items()
    }


def test_offsets_of_a_topic_that_is_gone_or_was_created_again(whole: Surveyed) -> None:
    """The Java client lists them without a hint about the topic. They belong to groups whose broker was down.

    Those of an earlier topic are after the end of the new one: Kafka returns them under the new topic's name. They were
    committed by name, not by topic id, and but for one without a leader epoch: no answer of Kafka distinguishes a
    re-created topic from a truncated one in a first census. So the state is `exists`; the range shows that the offset
    cannot be this log's.
    """
    found = coordinators(whole.said, "group")
    away = {name for name in (*FORGOTTEN, *ORPHANS) if found[name] == LOST}
    assert 0 < len(away & {*ORPHANS}) < len(ORPHANS)
    assert 0 < len(away & {*FORGOTTEN}) < len(FORGOTTEN)
    columns = ("topic_state", "committed_offset", "committed_leader_epoch", "range", "lag", "raw_lag")
    of_topic: dict[str, dict[str, tuple[Any, ...]]] = {"gone": {}, "again": {}}
    for row in whole.rows["consumer_lag"]:
        if row["topic"] in of_topic:
            of_topic[row["topic"]][row["group_id"]] = tuple(row[name] for name in columns)
    assert of_topic["gone"] == dict.fromkeys(away, ("gone", 4, None, "unknown", None, None))
    earlier = dict.fromkeys(away & {*FORGOTTEN}, ("exists", 4, None, "after_end", None, -4))
    assert of_topic["again"] == earlier | {"late": ("recreated", 4, 5, "after_end", None, -4)}
    # For the other groups Kafka deleted the offsets with the topics: such a group is listed, without lag.
    lagging = whole.of("group_lag")
    unread = {*FORGOTTEN, *ORPHANS} - away
    assert {(lagging[name]["partitions"], lagging[name]["lag_total"]) for name in unread} == {(0, None)}


def described(whole: Surveyed) -> dict[Key, dict[str, str]]:
    """What kafka-consumer-groups prints, by group and partition.

    Of groups with names that any locale can print, and without an offset of a deleted topic: an empty group id, or such
    an offset, ends the tool without a line.
    """
    gone = {row["group_id"] for row in whole.said["group_offset"] if row.get("topic") == "gone"}
    groups = {row["group_id"] for row in whole.said["group"] if row["group_type"] in ("Classic", "Consumer")}
    asked = (f"--group={name}" for name in sorted(groups - gone) if name and name.isascii())
    printed = command_line(whole.servers, CONSUMER_GROUPS, "--describe", "--offsets", *asked)
    rows: dict[Key, dict[str, str]] = {}
    header: list[str] = []
    for words in (line.split() for line in printed.splitlines()):
        if words[:1] == ["GROUP"]:
            header = words
        elif words:
            row = dict(zip(header, words, strict=True))
            rows[row["GROUP"], row["TOPIC"], int(row["PARTITION"])] = row
    return rows


def test_kafka_consumer_groups_counts_records_that_are_deleted_or_were_never_there(whole: Surveyed) -> None:
    """Its LAG is always end - offset: our raw_lag. For `before` 13 of 18 are deleted; for `after` it is -79."""
    rows, printed = whole.of("consumer_lag"), described(whole)
    groups = {group for group, _, _ in printed}
    assert printed.keys() == {one for one in rows if one[0] in groups}
    assert {"left", "before", "after", "classic-0", "classic-1", "new-0"} <= groups
    columns = {"CURRENT-OFFSET": "committed_offset", "LOG-END-OFFSET": "high_watermark", "LAG": "raw_lag"}
    for one, row in printed.items():
        ours = rows[one]
        assert {name: row[name] for name in columns} == {
            name: "-" if ours[column] is None else str(ours[column]) for name, column in columns.items()
        }
        assert [row["CONSUMER-ID"]] == (ours["member_ids"] or ["-"])
        assert ours["range"] in ("before_start", "after_end") or ours["lag"] == ours["raw_lag"]
    behind = {
        name: (printed[name, "trimmed", 0]["LAG"], rows[name, "trimmed", 0]["lag"]) for name in ("before", "after")
    }
    assert behind == {"before": ("18", None), "after": ("-79", None)}
