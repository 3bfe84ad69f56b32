"""The messages of KIP-1062's 13 RPCs: those of Kafka 4.4.0, and one more version with the draft's fields.

KIP-1062 is a draft that no broker ships, and other changes have since taken most of its "next
versions". So its fields are on the first version that is free after 4.4.0, which is sent only to a
node whose connection advertised the feature `admin.pagination` (`docs/kip-1062.md`): a
request gets ResponsePaginationLimit and Cursor, a response NextCursor. KIP-637's
`min_insync_replicas`, another draft, is on one more version of Metadata, behind
`admin.min.insync.replicas`.

kafka-python decodes with one class per API, registered for the whole process and held weakly.
The classes here replace those. They are supersets: every older version is unchanged, byte for
byte. So they are defined at module level, only here, and after kafka-python's own classes.
"""

from collections.abc import Callable
from typing import Any

from kafka.protocol import admin, consumer, metadata
from kafka.protocol.api_message import ApiMessage

from kafka_messages import message

PAGINATION = "admin.pagination"
MIN_INSYNC_REPLICAS = "admin.min.insync.replicas"
"""The supported features in ApiVersions with which a node advertises, at level 1 or above, the drafts' fields."""

DEFAULT_LIMIT = 2000
MIN_ISR_VERSION = 15
"""Metadata's version with KIP-637's field: one above the version with a cursor."""

Fields = tuple[tuple[str, str], ...]
Json = dict[str, Any]

_GROUP, _TOPIC, _PARTITION = ("GroupId", "string"), ("TopicName", "string"), ("PartitionIndex", "int32")
_PARTITIONS: Fields = (_TOPIC, _PARTITION)
_TRANSACTIONS: Fields = (("TransactionalId", "string"), ("ProducerId", "int64"))
_MEMBERS: Fields = (_GROUP, ("MemberId", "string"))
_RESOURCES: Fields = (("ResourceName", "string"), ("ResourceType", "int8"))


def paged(request: Any, limit: int, cursor: tuple[str | int, ...] | None) -> Json:
    """The draft's fields of a request, for a version that has them; `cursor` is in the order of its fields."""
    position = None if cursor is None else request.Cursor(**dict(zip(request.Cursor.fields, cursor, strict=True)))
    return {"response_pagination_limit": limit, "cursor": position}


def next_cursor(response: Any) -> tuple[str | int, ...] | None:
    """The values of NextCursor of a response, in the order of its fields; None at the end."""
    position = response.next_cursor
    return None if position is None else tuple(getattr(position, name) for name in type(position).fields)


def _cursor(name: str, version: int, cursor: Fields) -> Json:
    since = f"{version}+"
    fields = [{"name": field, "type": kind, "versions": since} for field, kind in cursor]
    nullable = {"versions": since, "nullableVersions": since, "default": "null"}
    return {"name": name, "type": "Cursor", **nullable, "fields": fields}


def _with_limit(version: int, cursor: Fields) -> Callable[[Json], None]:
    def add(json: Json) -> None:
        limit = {"name": "ResponsePaginationLimit", "type": "int32", "versions": f"{version}+"}
        json["fields"] += [{**limit, "default": str(DEFAULT_LIMIT)}, _cursor("Cursor", version, cursor)]

    return add


def _with_next(version: int, cursor: Fields) -> Callable[[Json], None]:
    def add(json: Json) -> None:
        json["fields"].append(_cursor("NextCursor", version, cursor))

    return add


def _topic_names(version: int) -> Callable[[Json], None]:
    """OffsetFetch v10 has topic ids only; the version with the cursor carries the name beside the id."""

    def add(json: Json) -> None:
        groups = next(field for field in json["fields"] if field["name"] == "Groups")
        topics = next(field for field in groups["fields"] if field["name"] == "Topics")
        topics["fields"].insert(0, {"name": "TopicName", "type": "string", "versions": f"{version}+"})

    return add


def _min_insync_replicas(json: Json) -> None:
    topics = next(field for field in json["fields"] if field["name"] == "Topics")
    field = {"name": "MinInsyncReplicas", "type": "int16", "versions": f"{MIN_ISR_VERSION}+", "default": "-1"}
    topics["fields"].append(field)


def _up_to(version: int, add: tuple[Callable[[Json], None], ...], original: Any = None) -> Any:
    """A patch that extends the valid versions to this one and applies `add`, after kafka-python's own patch."""

    def patch(_cls: Any, json: Json) -> Json:
        own = getattr(original, "json_patch", None)
        json = own(json) if own else json
        json["validVersions"] = f"{json['validVersions'].split('-')[0]}-{version}"
        for one in add:
            one(json)
        return json

    return patch


def _paged(
    original: tuple[Any, Any],
    version: int,
    cursor: Fields,
    *,
    highest: int | None = None,
    both: tuple[Callable[[Json], None], ...] = (),
    response: tuple[Callable[[Json], None], ...] = (),
) -> tuple[Any, Any]:
    """The request and the response of one API with a cursor from `version` on."""
    added = ((_with_limit(version, cursor), *both), (_with_next(version, cursor), *both, *response))
    made: list[Any] = []
    for known, add in zip(original, added, strict=True):
        body = {"__module__": __name__, "json_patch": classmethod(_up_to(highest or version, add, known))}
        made.append(type(known)(known.__name__, (ApiMessage,), body))
    return made[0], made[1]


OffsetFetchRequest, OffsetFetchResponse = _paged(
    (consumer.OffsetFetchRequest, consumer.OffsetFetchResponse), 11, (_GROUP, *_PARTITIONS), both=(_topic_names(11),)
)
DescribeLogDirsRequest, DescribeLogDirsResponse = _paged(
    (admin.DescribeLogDirsRequest, admin.DescribeLogDirsResponse), 6, (*_PARTITIONS, ("LogDir", "string"))
)
ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse = _paged(
    (admin.ListPartitionReassignmentsRequest, admin.ListPartitionReassignmentsResponse), 1, _PARTITIONS
)
ListOffsetsRequest, ListOffsetsResponse = _paged(
    (consumer.ListOffsetsRequest, consumer.ListOffsetsResponse), 12, _PARTITIONS
)
MetadataRequest, MetadataResponse = _paged(
    (metadata.MetadataRequest, metadata.MetadataResponse),
    14,
    _PARTITIONS,
    highest=MIN_ISR_VERSION,
    response=(_min_insync_replicas,),
)
DescribeProducersRequest, DescribeProducersResponse = _paged(
    (admin.DescribeProducersRequest, admin.DescribeProducersResponse), 1, (*_PARTITIONS, ("ProducerId", "int64"))
)
ListTransactionsRequest, ListTransactionsResponse = _paged(
    (admin.ListTransactionsRequest, admin.ListTransactionsResponse), 3, _TRANSACTIONS
)
DescribeTransactionsRequest, DescribeTransactionsResponse = _paged(
    (admin.DescribeTransactionsRequest, admin.DescribeTransactionsResponse), 1, _TRANSACTIONS
)
ListGroupsRequest, ListGroupsResponse = _paged((admin.ListGroupsRequest, admin.ListGroupsResponse), 6, (_GROUP,))
DescribeGroupsRequest, DescribeGroupsResponse = _paged(
    (admin.DescribeGroupsRequest, admin.DescribeGroupsResponse), 7, _MEMBERS
)
DescribeAclsRequest, DescribeAclsResponse = _paged(
    (admin.DescribeAclsRequest, admin.DescribeAclsResponse), 4, (*_RESOURCES, ("PatternType", "int8"))
)
DescribeConfigsRequest, DescribeConfigsResponse = _paged(
    (admin.DescribeConfigsRequest, admin.DescribeConfigsResponse), 5, _RESOURCES
)
ConsumerGroupDescribeRequest = message("ConsumerGroupDescribeRequest", _up_to(2, (_with_limit(2, _MEMBERS),)))
ConsumerGroupDescribeResponse = message("ConsumerGroupDescribeResponse", _up_to(2, (_with_next(2, _MEMBERS),)))
