"""KIP-1062's RPCs of groups and transactions for `harness.paging_broker`, and `PAGED`, all 13 of them."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from harness.paging_broker import Item, Paged, Place, utf16
from harness.paging_rpcs import (
    DESCRIBE_ACLS,
    DESCRIBE_CONFIGS,
    DESCRIBE_LOG_DIRS,
    DESCRIBE_PRODUCERS,
    LIST_OFFSETS,
    LIST_PARTITION_REASSIGNMENTS,
    METADATA,
    by,
    number,
)
from kafka_messages.kip_1062 import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    ListGroupsRequest,
    ListGroupsResponse,
    ListTransactionsRequest,
    ListTransactionsResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
)

TRANSACTIONAL_ID_NOT_FOUND = 105
NO_PRODUCER = -1


def _full(items: Sequence[Item]) -> list[Item]:
    return [item for item in items if not (item.bare or item.code)]


def _committed(items: Sequence[Item]) -> Any:
    group = OffsetFetchResponse.OffsetFetchResponseGroup
    topic = group.OffsetFetchResponseTopics
    part = topic.OffsetFetchResponsePartitions

    def offset(item: Item) -> Any:
        at = number(item.place)
        return part(
            partition_index=item.place[2], committed_offset=at, committed_leader_epoch=3, metadata=str(at), error_code=0
        )

    def topics(those: Sequence[Item]) -> list[Any]:
        return [
            topic(
                name=name,
                topic_name=name,
                topic_id=UUID(int=number((name,))),
                partitions=[offset(one) for one in held],
            )
            for name, held in by(_full(those), 1)
        ]

    groups = [group(group_id=name, error_code=those[0].code, topics=topics(those)) for name, those in by(items, 0)]
    return OffsetFetchResponse(throttle_time_ms=0, groups=groups)


def _classic(items: Sequence[Item]) -> Any:
    group = DescribeGroupsResponse.DescribedGroup

    def member(item: Item) -> Any:
        client = f"client-{number(item.place)}"
        described = {"client_id": client, "client_host": "/h", "member_metadata": b"", "member_assignment": b""}
        return group.DescribedGroupMember(member_id=item.place[1], group_instance_id=None, **described)

    groups = [
        group(
            error_code=those[0].code,
            error_message=None,
            group_id=name,
            group_state="Stable",
            protocol_type="consumer",
            protocol_data="range",
            members=[member(one) for one in _full(those)],
        )
        for name, those in by(items, 0)
    ]
    return DescribeGroupsResponse(throttle_time_ms=0, groups=groups)


def _consumer(items: Sequence[Item]) -> Any:
    group = ConsumerGroupDescribeResponse.DescribedGroup
    none = group.Member.Assignment(topic_partitions=[])

    def member(item: Item) -> Any:
        return group.Member(
            member_id=item.place[1],
            instance_id=None,
            rack_id=None,
            member_epoch=number(item.place),
            client_id="client",
            client_host="/h",
            subscribed_topic_names=[],
            subscribed_topic_regex=None,
            assignment=none,
            target_assignment=none,
            member_type=1,
        )

    groups = [
        group(
            error_code=those[0].code,
            error_message=None,
            group_id=name,
            group_state="Stable",
            group_epoch=number((name,)),
            assignment_epoch=1,
            assignor_name="uniform",
            members=[member(one) for one in _full(those)],
        )
        for name, those in by(items, 0)
    ]
    return ConsumerGroupDescribeResponse(throttle_time_ms=0, groups=groups)


def _groups(items: Sequence[Item]) -> Any:
    group = ListGroupsResponse.ListedGroup
    groups = [
        group(group_id=one.place[0], protocol_type=str(number(one.place)), group_state="Stable", group_type="classic")
        for one in items
    ]
    return ListGroupsResponse(throttle_time_ms=0, error_code=0, groups=groups)


def _transactions(items: Sequence[Item]) -> Any:
    state = ListTransactionsResponse.TransactionState
    states = [
        state(transactional_id=one.place[0], producer_id=one.place[1], transaction_state="Ongoing") for one in items
    ]
    return ListTransactionsResponse(
        throttle_time_ms=0, error_code=0, unknown_state_filters=[], transaction_states=states
    )


def _described_transactions(items: Sequence[Item]) -> Any:
    state = DescribeTransactionsResponse.TransactionState
    states = [
        state(
            error_code=one.code,
            transactional_id=one.place[0],
            transaction_state="Ongoing",
            transaction_timeout_ms=number(one.place),
            transaction_start_time_ms=1,
            producer_id=one.place[1],
            producer_epoch=0,
            topics=[state.TopicData(topic=name, partitions=list(indexes)) for name, indexes in one.of],
        )
        for one in items
    ]
    return DescribeTransactionsResponse(throttle_time_ms=0, transaction_states=states)


def _producer_first(place: Place) -> Any:
    """The order of transactions: the latest producer id first, then by transactional id."""
    transactional_id, producer_id = place
    return -producer_id, utf16((transactional_id,))


OFFSET_FETCH = Paged(
    OffsetFetchRequest,
    11,
    _committed,
    named=lambda request: [group.group_id for group in request.groups],
    absent=lambda name: Item((name, "", 0), bare=True),
    start=("", 0),
)
LIST_TRANSACTIONS = Paged(ListTransactionsRequest, 3, _transactions, order=_producer_first)
DESCRIBE_TRANSACTIONS = Paged(
    DescribeTransactionsRequest,
    1,
    _described_transactions,
    order=_producer_first,
    named=lambda request: request.transactional_ids,
    absent=lambda name: Item((name, NO_PRODUCER), code=TRANSACTIONAL_ID_NOT_FOUND),
)
LIST_GROUPS = Paged(ListGroupsRequest, 6, _groups)
DESCRIBE_GROUPS = Paged(
    DescribeGroupsRequest,
    7,
    _classic,
    named=lambda request: request.groups,
    absent=lambda name: Item((name, ""), bare=True),
    start=("",),
)
CONSUMER_GROUP_DESCRIBE = Paged(
    ConsumerGroupDescribeRequest,
    2,
    _consumer,
    named=lambda request: request.group_ids,
    absent=lambda name: Item((name, ""), bare=True),
    start=("",),
)

PAGED = (
    OFFSET_FETCH,
    DESCRIBE_LOG_DIRS,
    LIST_PARTITION_REASSIGNMENTS,
    LIST_OFFSETS,
    METADATA,
    DESCRIBE_PRODUCERS,
    LIST_TRANSACTIONS,
    DESCRIBE_TRANSACTIONS,
    LIST_GROUPS,
    DESCRIBE_GROUPS,
    CONSUMER_GROUP_DESCRIBE,
    DESCRIBE_ACLS,
    DESCRIBE_CONFIGS,
)
