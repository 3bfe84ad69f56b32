"""Groups as answered by the RPCs that list, describe and read them, for the tests of lag.

Most functions return items by role; `joined` merges them.
"""

from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from kafka_census.declarations.table import Table
from spark.cases import Case
from spark.landed_items import BEFORE, Item, frame, item, published, rows_of, transform_of

Roles = dict[str, list[Item]]


def joined(*parts: Roles) -> Roles:
    roles: Roles = {}
    for part in parts:
        for role, items in part.items():
            roles.setdefault(role, []).extend(items)
    return roles


def case(columns: str, rows: dict[Any, Any], *parts: Roles, **more: Any) -> Case:
    """Values of columns by key, of a table computed from all items by role, and what is missing."""
    return Case(joined(*parts) | more, None).table(columns, rows)


@dataclass(frozen=True)
class LandedItems:
    """The landed items from which a suite counts, for a `table` computed from these roles."""

    spark: SparkSession
    table: Table
    roles: Roles

    def listed(self, rpc: str, scope: str) -> DataFrame:
        """The items of a walk, without fields that the frame of the lake does not have either."""
        return frame(self.spark, rpc, scope, self._of((rpc, scope))).drop("census_id", "cluster_id", "received_at")

    def staged(self, table: Table) -> DataFrame:
        """The rows of a table that `table` is made of."""
        return rows_of(self.spark, table, self._of(table))

    def _of(self, source: Table | tuple[str, str]) -> list[Item]:
        inputs = transform_of(self.table).inputs
        return [item for role, of in inputs.items() if of == source for item in self.roles.get(role, [])]


def group(name: str, group_type: str | None = "classic", state: str = "Stable") -> Roles:
    listed = item(received=1, group_id=name, protocol_type="consumer", group_state=state, group_type=group_type)
    return {"groups": [listed]}


def classic(name: str, member: str, **topics: list[int]) -> Roles:
    """A member of a classic group, with its assigned partitions by topic."""
    return {"classic": [_member(name, member, assignment=_partitions(topics))]}


def consumer(name: str, member: str, topics: dict[str, list[int]], target: dict[str, list[int]]) -> Roles:
    """A member of a consumer group (KIP-848) with its current and its target assignment."""
    return {"consumer": [_member(name, member, assignment=_partitions(topics), target_assignment=_partitions(target))]}


def share(name: str, member: str, **topics: list[int]) -> Roles:
    return {"share": [_member(name, member, assignment=_partitions(topics))]}


def streams(name: str, member: str, tasks: list[tuple[str, list[int]]], read: dict[str, list[str]] | None) -> Roles:
    """A member of a streams group: its active tasks and one standby task; topics by subtopology, None if unknown."""
    active = [{"subtopology": of, "partitions": partitions} for of, partitions in tasks]
    subtopologies = None if read is None else [{"subtopology": of, "topics": topics} for of, topics in read.items()]
    standby = [{"subtopology": tasks[0][0], "partitions": [7]}]
    columns = {"active_tasks": active, "standby_tasks": standby, "subtopologies": subtopologies}
    return {"streams": [_member(name, member, **columns)]}


def committed(name: str, topic: str, partition: int, offset: int | None, **columns: Any) -> Item:
    """A partition in OffsetFetch; it has no metadata unless given."""
    row = {"received": 3, "error_code": 0, "committed_offset": offset} | columns
    return item(group_id=name, topic=topic, partition=partition, **row)


def silent(name: str) -> Roles:
    return {"offsets": [item(received=3, group_id=name, error_code=0)]}


def share_offset(name: str, topic: str, partition: int, start: int | None, lag: int | None) -> Item:
    row = {"error_code": 0, "start_offset": start, "lag": lag}
    return item(received=3, group_id=name, topic=topic, partition=partition, **row)


def topic(name: str, partitions: int = 1, error_code: int = 0) -> Roles:
    """A topic in Metadata; with an error, as DescribeTopicPartitions refuses it."""
    listed = item(topic=name, topic_id=f"id-{name}", partition_count=partitions, error_code=0)
    refused = [item(topic=name, error_code=error_code)] if error_code else []
    return {"topics": [listed], "partitions": refused}


def ends(
    name: str,
    partition: int,
    start: int | None = None,
    end: int | None = None,
    stable: int | None = -1,
    *,
    leader: int | None = 1,
    epoch: int | None = None,
    error_code: int = 0,
    described: bool = True,
    received: int = 5,
) -> Roles:
    """A described partition and its ends; None means not reported.

    `error_code` is latest's, and replaces its offset; `stable` is the high watermark unless given.
    """
    key = {"topic": name, "partition": partition}
    stable = end if stable == -1 else stable
    roles: Roles = {"partitions": [], "latest": []}
    if described:
        roles["partitions"] = [item(**key, leader_id=-1 if leader is None else leader, error_code=0)]
    for scope, offset in (("earliest", start), ("last_stable", stable)):
        roles[scope] = [] if offset is None else [item(received=received, **key, offset=offset, error_code=0)]
    if error_code:
        roles["latest"] = [item(received=received, **key, error_code=error_code)]
    elif end is not None:
        roles["latest"] = [item(received=received, **key, offset=end, leader_epoch=epoch, error_code=0)]
    return roles


def before(name: str, topic: str, partition: int, **columns: Any) -> Item:
    row = {"census_id": BEFORE, "topic_id": f"id-{topic}", "topic_state": "exists"} | columns
    return published(-95, group_id=name, topic=topic, partition=partition) | row


def _member(name: str, member: str, **columns: Any) -> Item:
    reported = {"error_code": 0, "group_state": "Stable", "client_id": f"client-{member}"}
    return item(received=2, group_id=name, member_id=member, **reported | columns)


def _partitions(topics: dict[str, list[int]]) -> list[dict[str, Any]]:
    return [{"topic": topic, "partitions": partitions} for topic, partitions in topics.items()]
