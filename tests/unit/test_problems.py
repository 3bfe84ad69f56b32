"""What is wrong, gathered by its root causes: one problem each, the worst first; a refusal names each once."""

from dataclasses import replace

from kafka_census.declarations.kinds import WORDS

from kafka_census.census.gate.causes import Cause, causes, gathered
from kafka_census.census.gate.policy import GatePolicy
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.pages.missing_read import MissingRead, read_back, unexplained
from kafka_census.reading.report.found import ProblemCount, unknown_of
from kafka_census.reading.report.problems import REFUSED, counts, problems
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE

DEAD = [
    (read_back(rpc, 3, "BROKER_NOT_ALIVE", "broker 3 is not alive"), table)
    for rpc, table in (("ListGroups", "group_lag"), ("DescribeLogDirs", "log_dir_usage"), ("ListGroups", "brokers"))
]
OFFLINE = ProblemCount(4, (), ("orders-0", "orders-1", "orders-2", "orders-3"))
STUCK = ProblemCount(1, (1234, 0), ("__consumer_offsets-5",))
NO_LEADER = read_back("ListGroups", None, "LEADER_NOT_AVAILABLE", "partition 5 of __consumer_offsets has no leader")


def test_a_broker_that_is_down_is_one_problem_with_all_that_it_blinds() -> None:
    seen = {"unreachable": ProblemCount(1, (), ("3",)), "lag_unknown": ProblemCount(203, (), ("a", "b"))}
    (problem,) = problems(seen, gathered(DEAD))
    unseen = ReportedProblem("lag_unknown", 203, "203 groups have unknown lag: a, b, ...", ("a", "b"))
    blinds = ("brokers", "group_lag", "log_dir_usage")
    text = "broker 3 did not answer (BROKER_NOT_ALIVE)"
    assert problem == replace(problem, kind="unreachable", count=1, names=("3",), text=text, blinds=blinds)
    assert problem.unseen == (unseen,)
    assert counts([problem], 3) == dict.fromkeys(WORDS, 0) | {"unreachable": 1, "lag_unknown": 203, "incomplete": 3}


def test_brokers_that_fail_alike_are_one_problem_and_one_that_answers_though_fenced_is_another() -> None:
    """A lost rack is a line; a broker that is down and was heard is not hidden behind it."""
    lost = [(read_back("ListGroups", node, "CONNECTION_FAILED", "refused"), "brokers") for node in (3, 4)]
    found = problems({"unreachable": ProblemCount(2, (), ("4", "5"))}, gathered(lost))
    assert [(each.text, each.names) for each in found] == [
        ("2 brokers did not answer (CONNECTION_FAILED): 3, 4", ("3", "4")),
        ("1 broker is down: 5", ("5",)),
    ]
    assert counts(found, 1)["unreachable"] == 3


def test_partitions_without_a_leader_have_what_lives_in_them() -> None:
    listed = [(NO_LEADER, table) for table in ("group_lag", "group_coordinator_placement")]
    problem, stuck = problems({"offline": OFFLINE, "unable_to_commit": STUCK}, gathered(listed))
    assert problem.text == "4 partitions are offline: orders-0, orders-1, orders-2, ..."
    one = "1 partition of an internal topic takes no commits: __consumer_offsets-5; 1,234 groups cannot commit"
    assert stuck.text == one
    assert problem.blinds == ("group_coordinator_placement", "group_lag")
    (alone,) = problems({}, gathered(listed))
    assert alone.text.startswith("ListGroups: partition 5 of __consumer_offsets has no leader")


def test_a_right_that_is_lacking_is_one_problem_whoever_refuses() -> None:
    lacking = [
        (read_back("DescribeConfigs", 1, "CLUSTER_AUTHORIZATION_FAILED", "not allowed"), "brokers"),
        (read_back("ListGroups", None, "NOT_VISIBLE", "groups may be hidden"), "group_lag"),
        (read_back("Metadata", None, "NOT_VISIBLE", "topics may be hidden"), "topic_readiness"),
    ]
    (problem,) = problems({}, gathered(lacking))
    assert (problem.kind, problem.blinds) == ("incomplete", ("brokers", "group_lag", "topic_readiness"))
    assert problem.text.endswith(", and 2 more of this kind")


def test_the_worst_comes_first_and_what_refused_a_census_before_all() -> None:
    seen = {"stalled": ProblemCount(1, (), ("a-0",)), "offline": OFFLINE}
    broken = gathered([(MissingRead("Metadata", 1, "BROKEN_CHAIN", "page 2", kind="broken_chain"), "brokers")])
    kinds = [each.kind for each in problems(seen, [*gathered(DEAD), *broken])]
    assert kinds == ["offline", "unreachable", "incomplete", "stalled"]
    rule = Cause("3 of 3 rows: no gap", (), ("quotas",), rule="no_gap", root="rule")
    refused = [each.kind for each in problems(seen, [*gathered(DEAD), rule], refused=True)]
    assert refused == ["unreachable", REFUSED, "offline", "stalled"]


def test_what_is_not_known_of_a_table_is_reported_with_the_broker_that_is_silent() -> None:
    open_rows = {
        unknown_of("log_dir_usage"): ProblemCount(2, (), ("3:/a", "3:/b")),
        "stalled": ProblemCount(1, (), ("a-0",)),
    }
    stalled, alone = problems(open_rows, ())
    assert (stalled.kind, alone.kind, alone.table) == ("stalled", "not_known", "log_dir_usage")
    assert alone.text == "2 log dirs are not known to be well: 3:/a, 3:/b"
    assert counts((stalled, alone), 0) == dict.fromkeys(WORDS, 0) | {"stalled": 1, "not_known": 2}
    silent, _ = problems(open_rows, gathered(DEAD))
    assert silent.unseen == (alone,)
    assert counts([silent], 0)["not_known"] == 2


def test_nothing_wrong_is_no_problem() -> None:
    assert problems({}, ()) == ()
    assert set(counts((), 0)) == set(WORDS)
    assert not any(counts((), 0).values())


def lines(*missing: MissingRead, policy: GatePolicy | None = None) -> list[str]:
    return [cause.line for cause in causes((BROKERS, LOG_DIR_USAGE), missing, (), policy or GatePolicy())]


def test_each_broker_that_is_down_is_a_cause_of_a_refusal() -> None:
    code = ErrorCode.CONNECTION_FAILED
    of = [MissingRead("DescribeLogDirs", node, code.name, "refused", "log_dirs", error_code=code) for node in (2, 3)]
    down = "did not answer (CONNECTION_FAILED: refused); not read: DescribeLogDirs; lacking in log_dir_usage"
    assert [line.split("; publish")[0] for line in lines(*of)] == [f"broker {node} {down}" for node in (2, 3)]
    assert lines(*of, policy=GatePolicy(unreachable_brokers="publish_incomplete")) == []


def test_what_is_missing_of_one_walk_in_the_same_way_is_counted() -> None:
    walk = ("DescribeTopicPartitions", "topics")
    missing = [unexplained(walk, node, "missing_chain", f"broker {node} owes an answer") for node in (1, 2, 3)]
    first = "DescribeTopicPartitions of broker 1: broker 1 owes an answer (MISSING_CHAIN)"
    rest = "; not read: DescribeTopicPartitions; lacking in brokers, log_dir_usage; run the census again"
    assert lines(*missing) == [f"{first} and 2 more{rest}"]
    assert lines(missing[0]) == [f"{first}{rest}"]
