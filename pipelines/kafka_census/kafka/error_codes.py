"""Error codes, their names, and which are worth asking again for: what both halves know of the wire.

Kafka's codes are int16 and at least -1, and their names those of `org.apache.kafka.common.protocol.Errors` of Kafka
4.4.0. Ours, for what no broker could say, are below -99, so that they cannot meet.
"""

from enum import IntEnum


class ErrorCode(IntEnum):
    """Every code that a page or an item may have: Kafka's, then ours."""

    NONE = 0
    UNKNOWN_SERVER_ERROR = -1
    OFFSET_OUT_OF_RANGE = 1
    CORRUPT_MESSAGE = 2
    UNKNOWN_TOPIC_OR_PARTITION = 3
    INVALID_FETCH_SIZE = 4
    LEADER_NOT_AVAILABLE = 5
    NOT_LEADER_OR_FOLLOWER = 6
    REQUEST_TIMED_OUT = 7
    BROKER_NOT_AVAILABLE = 8
    REPLICA_NOT_AVAILABLE = 9
    MESSAGE_TOO_LARGE = 10
    STALE_CONTROLLER_EPOCH = 11
    OFFSET_METADATA_TOO_LARGE = 12
    NETWORK_EXCEPTION = 13
    COORDINATOR_LOAD_IN_PROGRESS = 14
    COORDINATOR_NOT_AVAILABLE = 15
    NOT_COORDINATOR = 16
    INVALID_TOPIC_EXCEPTION = 17
    RECORD_LIST_TOO_LARGE = 18
    NOT_ENOUGH_REPLICAS = 19
    NOT_ENOUGH_REPLICAS_AFTER_APPEND = 20
    INVALID_REQUIRED_ACKS = 21
    ILLEGAL_GENERATION = 22
    INCONSISTENT_GROUP_PROTOCOL = 23
    INVALID_GROUP_ID = 24
    UNKNOWN_MEMBER_ID = 25
    INVALID_SESSION_TIMEOUT = 26
    REBALANCE_IN_PROGRESS = 27
    INVALID_COMMIT_OFFSET_SIZE = 28
    TOPIC_AUTHORIZATION_FAILED = 29
    GROUP_AUTHORIZATION_FAILED = 30
    CLUSTER_AUTHORIZATION_FAILED = 31
    INVALID_TIMESTAMP = 32
    UNSUPPORTED_SASL_MECHANISM = 33
    ILLEGAL_SASL_STATE = 34
    UNSUPPORTED_VERSION = 35
    TOPIC_ALREADY_EXISTS = 36
    INVALID_PARTITIONS = 37
    INVALID_REPLICATION_FACTOR = 38
    INVALID_REPLICA_ASSIGNMENT = 39
    INVALID_CONFIG = 40
    NOT_CONTROLLER = 41
    INVALID_REQUEST = 42
    UNSUPPORTED_FOR_MESSAGE_FORMAT = 43
    POLICY_VIOLATION = 44
    OUT_OF_ORDER_SEQUENCE_NUMBER = 45
    DUPLICATE_SEQUENCE_NUMBER = 46
    INVALID_PRODUCER_EPOCH = 47
    INVALID_TXN_STATE = 48
    INVALID_PRODUCER_ID_MAPPING = 49
    INVALID_TRANSACTION_TIMEOUT = 50
    CONCURRENT_TRANSACTIONS = 51
    TRANSACTION_COORDINATOR_FENCED = 52
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED = 53
    SECURITY_DISABLED = 54
    OPERATION_NOT_ATTEMPTED = 55
    KAFKA_STORAGE_ERROR = 56
    LOG_DIR_NOT_FOUND = 57
    SASL_AUTHENTICATION_FAILED = 58
    UNKNOWN_PRODUCER_ID = 59
    REASSIGNMENT_IN_PROGRESS = 60
    DELEGATION_TOKEN_AUTH_DISABLED = 61
    DELEGATION_TOKEN_NOT_FOUND = 62
    DELEGATION_TOKEN_OWNER_MISMATCH = 63
    DELEGATION_TOKEN_REQUEST_NOT_ALLOWED = 64
    DELEGATION_TOKEN_AUTHORIZATION_FAILED = 65
    DELEGATION_TOKEN_EXPIRED = 66
    INVALID_PRINCIPAL_TYPE = 67
    NON_EMPTY_GROUP = 68
    GROUP_ID_NOT_FOUND = 69
    FETCH_SESSION_ID_NOT_FOUND = 70
    INVALID_FETCH_SESSION_EPOCH = 71
    LISTENER_NOT_FOUND = 72
    TOPIC_DELETION_DISABLED = 73
    FENCED_LEADER_EPOCH = 74
    UNKNOWN_LEADER_EPOCH = 75
    UNSUPPORTED_COMPRESSION_TYPE = 76
    STALE_BROKER_EPOCH = 77
    OFFSET_NOT_AVAILABLE = 78
    MEMBER_ID_REQUIRED = 79
    PREFERRED_LEADER_NOT_AVAILABLE = 80
    GROUP_MAX_SIZE_REACHED = 81
    FENCED_INSTANCE_ID = 82
    ELIGIBLE_LEADERS_NOT_AVAILABLE = 83
    ELECTION_NOT_NEEDED = 84
    NO_REASSIGNMENT_IN_PROGRESS = 85
    GROUP_SUBSCRIBED_TO_TOPIC = 86
    INVALID_RECORD = 87
    UNSTABLE_OFFSET_COMMIT = 88
    THROTTLING_QUOTA_EXCEEDED = 89
    PRODUCER_FENCED = 90
    RESOURCE_NOT_FOUND = 91
    DUPLICATE_RESOURCE = 92
    UNACCEPTABLE_CREDENTIAL = 93
    INCONSISTENT_VOTER_SET = 94
    INVALID_UPDATE_VERSION = 95
    FEATURE_UPDATE_FAILED = 96
    PRINCIPAL_DESERIALIZATION_FAILURE = 97
    SNAPSHOT_NOT_FOUND = 98
    POSITION_OUT_OF_RANGE = 99
    UNKNOWN_TOPIC_ID = 100
    DUPLICATE_BROKER_REGISTRATION = 101
    BROKER_ID_NOT_REGISTERED = 102
    INCONSISTENT_TOPIC_ID = 103
    INCONSISTENT_CLUSTER_ID = 104
    TRANSACTIONAL_ID_NOT_FOUND = 105
    FETCH_SESSION_TOPIC_ID_ERROR = 106
    INELIGIBLE_REPLICA = 107
    NEW_LEADER_ELECTED = 108
    OFFSET_MOVED_TO_TIERED_STORAGE = 109
    FENCED_MEMBER_EPOCH = 110
    UNRELEASED_INSTANCE_ID = 111
    UNSUPPORTED_ASSIGNOR = 112
    STALE_MEMBER_EPOCH = 113
    MISMATCHED_ENDPOINT_TYPE = 114
    UNSUPPORTED_ENDPOINT_TYPE = 115
    UNKNOWN_CONTROLLER_ID = 116
    UNKNOWN_SUBSCRIPTION_ID = 117
    TELEMETRY_TOO_LARGE = 118
    INVALID_REGISTRATION = 119
    TRANSACTION_ABORTABLE = 120
    INVALID_RECORD_STATE = 121
    SHARE_SESSION_NOT_FOUND = 122
    INVALID_SHARE_SESSION_EPOCH = 123
    FENCED_STATE_EPOCH = 124
    INVALID_VOTER_KEY = 125
    DUPLICATE_VOTER = 126
    VOTER_NOT_FOUND = 127
    INVALID_REGULAR_EXPRESSION = 128
    REBOOTSTRAP_REQUIRED = 129
    STREAMS_INVALID_TOPOLOGY = 130
    STREAMS_INVALID_TOPOLOGY_EPOCH = 131
    STREAMS_TOPOLOGY_FENCED = 132
    SHARE_SESSION_LIMIT_REACHED = 133
    GROUP_DELETION_FAILED = 134
    STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED = 135
    CONTROLLER_ID_NOT_REGISTERED = 136

    BROKER_NOT_ALIVE = -100
    CONNECTION_FAILED = -101
    DEADLINE_EXCEEDED = -102
    CURSOR_REPEATED = -103
    FRAME_TOO_LARGE = -104
    MALFORMED_RESPONSE = -105
    NOT_ASKED = -106
    INCONSISTENT_PAGES = -107
    WRONG_CLUSTER = -108
    ANSWER_LOST = -109
    ENDLESS_WALK = -110
    WRONG_BROKER = -111
    HOST_NOT_ALLOWED = -112


OURS = {code.value: code.name for code in ErrorCode if code < ErrorCode.UNKNOWN_SERVER_ERROR}
"""Names of our own codes."""

MEANINGS = {
    ErrorCode.BROKER_NOT_ALIVE: "the broker holds replicas, or the previous census knew it, and is not listed now: it"
    " is down or fenced, and was not asked",
    ErrorCode.CONNECTION_FAILED: "no connection: the name, TCP, TLS or SASL failed, or the connection broke",
    ErrorCode.DEADLINE_EXCEEDED: "no answer within collect.request_timeout_ms, or no time was left of"
    " collect.chain_deadline_ms",
    ErrorCode.CURSOR_REPEATED: "the broker named a next page that it had named before",
    ErrorCode.FRAME_TOO_LARGE: "the answer exceeds collect.receive_message_max_bytes, and cannot be asked for in parts",
    ErrorCode.MALFORMED_RESPONSE: "the answer cannot be decoded",
    ErrorCode.NOT_ASKED: "nobody was asked: asking would have created something, or whom to ask is not known",
    ErrorCode.INCONSISTENT_PAGES: "the pages contradict each other or the request: items twice, out of order, left out",
    ErrorCode.WRONG_CLUSTER: "another cluster answers at the broker's address",
    ErrorCode.ANSWER_LOST: "a request that changes Kafka was sent and its answer lost: it may have been carried out",
    ErrorCode.WRONG_BROKER: "another broker answers at the broker's address, or one that cannot be told from another",
    ErrorCode.HOST_NOT_ALLOWED: "the broker's address is not among clusters.NAME.allowed_hosts: nothing was sent",
    ErrorCode.ENDLESS_WALK: "the broker went on to name next pages beyond collect.max_waves or collect.max_empty_pages",
}
"""What each of ours means."""

KAFKAS = {code.value: code.name for code in ErrorCode if code not in (*OURS, ErrorCode.NONE)}
"""Names of Kafka's codes; 0 is none."""

NAMES = OURS | KAFKAS

KAFKA_RETRIABLE = frozenset(
    {
        ErrorCode.CORRUPT_MESSAGE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.LEADER_NOT_AVAILABLE,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.REPLICA_NOT_AVAILABLE,
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.NOT_CONTROLLER,
        ErrorCode.CONCURRENT_TRANSACTIONS,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
        ErrorCode.INVALID_FETCH_SESSION_EPOCH,
        ErrorCode.LISTENER_NOT_FOUND,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
        ErrorCode.OFFSET_NOT_AVAILABLE,
        ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE,
        ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE,
        ErrorCode.ELECTION_NOT_NEEDED,
        ErrorCode.UNSTABLE_OFFSET_COMMIT,
        ErrorCode.THROTTLING_QUOTA_EXCEEDED,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.INCONSISTENT_TOPIC_ID,
        ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
        ErrorCode.SHARE_SESSION_NOT_FOUND,
        ErrorCode.INVALID_SHARE_SESSION_EPOCH,
        ErrorCode.SHARE_SESSION_LIMIT_REACHED,
    }
)
"""What `RetriableException` covers among Kafka's."""

RETRIABLE = KAFKA_RETRIABLE | {ErrorCode.CONNECTION_FAILED, ErrorCode.DEADLINE_EXCEEDED, ErrorCode.MALFORMED_RESPONSE}
"""The same question may get an answer later. Some are permanent in practice (a topic that was deleted is unknown)."""

UNREACHABLE = (
    ErrorCode.BROKER_NOT_ALIVE,
    ErrorCode.CONNECTION_FAILED,
    ErrorCode.DEADLINE_EXCEEDED,
    ErrorCode.WRONG_CLUSTER,
    ErrorCode.WRONG_BROKER,
    ErrorCode.HOST_NOT_ALLOWED,
)
"""The broker was not heard; or another one, or another cluster, answers at its address, and was not asked."""

SHRINKABLE = frozenset({ErrorCode.DEADLINE_EXCEEDED, ErrorCode.FRAME_TOO_LARGE})
"""Where asking for less may help."""

NOT_DELETED = frozenset(
    {
        ErrorCode.INVALID_GROUP_ID,
        ErrorCode.GROUP_AUTHORIZATION_FAILED,
        ErrorCode.NON_EMPTY_GROUP,
        ErrorCode.GROUP_DELETION_FAILED,
    }
)
"""What DeleteGroups answers for a group after a check and before any write.

Up to 3.x by KafkaApis.handleDeleteGroupsRequest and GroupCoordinator.handleDeleteGroups, since 4.0 by
GroupCoordinatorService.deleteGroups and GroupMetadataManager.validateDeleteGroup. Of other codes, 15 and 16 also stand
for a write that timed out or whose leader moved after the append, and -1 for any exception. GROUP_DELETION_FAILED is
of a streams group whose topology description the broker's plugin could not delete: GroupCoordinatorService.deleteGroups
of 4.4.0 leaves such a group out of the write (filterStreamsTopologyErrors), so that it stays, with its offsets. Below
v3 it is -1.
"""

NOT_COMMITTED = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.OFFSET_METADATA_TOO_LARGE,
        ErrorCode.ILLEGAL_GENERATION,
        ErrorCode.INVALID_GROUP_ID,
        ErrorCode.UNKNOWN_MEMBER_ID,
        ErrorCode.REBALANCE_IN_PROGRESS,
        ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        ErrorCode.GROUP_AUTHORIZATION_FAILED,
        ErrorCode.GROUP_ID_NOT_FOUND,
        ErrorCode.FENCED_MEMBER_EPOCH,
        ErrorCode.STALE_MEMBER_EPOCH,
    }
)
"""What OffsetCommit answers for a partition after a check and before any write, by the same classes."""


def error_name(code: int) -> str | None:
    """Name of an error code; None for 0."""
    return None if code == ErrorCode.NONE else NAMES.get(code, f"ERROR_{code}")


UNREGISTER = "if it was decommissioned: kafka-cluster.sh unregister --bootstrap-server HOST:PORT --id"
"""The remedy for a broker that is registered but gone for good (KIP-631), without its id, which follows."""
