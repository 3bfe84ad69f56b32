"""A refusal names each cause once, with everything that it keeps from readers."""

from kafka_census.census.gate.causes import causes
from kafka_census.census.gate.policy import GatePolicy
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.pages.missing_read import MissingRead, unexplained
from kafka_census.tables.acl_inventory.columns import ACL_INVENTORY
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE

TABLES = (BROKERS, LOG_DIR_USAGE, ACL_INVENTORY)


def lines(*missing: MissingRead, policy: GatePolicy | None = None) -> list[str]:
    return [cause.line for cause in causes(TABLES, missing, (), policy or GatePolicy())]


def unheard(rpc: str, scope: str, node: int) -> MissingRead:
    code = ErrorCode.CONNECTION_FAILED
    return MissingRead(rpc, node, code.name, "connection refused", scope, error_code=code)


def test_each_broker_that_is_down_is_a_cause() -> None:
    missing = [unheard("DescribeLogDirs", "log_dirs", node) for node in (2, 3)]
    down = "did not answer (CONNECTION_FAILED: connection refused); not read: DescribeLogDirs; lacking in log_dir_usage"
    assert [line.split("; publish")[0] for line in lines(*missing)] == [f"broker {node} {down}" for node in (2, 3)]
    assert lines(*missing, policy=GatePolicy(unreachable_brokers="publish_incomplete")) == []


def test_what_is_missing_of_one_walk_in_the_same_way_is_counted() -> None:
    walk = ("DescribeTopicPartitions", "topics")
    missing = [unexplained(walk, node, "missing_chain", f"broker {node} owes an answer") for node in (1, 2, 3)]
    first = "DescribeTopicPartitions of broker 1: broker 1 owes an answer (MISSING_CHAIN)"
    rest = "; not read: DescribeTopicPartitions; lacking in brokers, log_dir_usage; run the census again"
    assert lines(*missing) == [f"{first} and 2 more{rest}"]
    assert lines(missing[0]) == [f"{first}{rest}"]
