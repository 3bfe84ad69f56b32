"""What is wrong, by its root causes, the worst first; and the first ten lines that say so, with what to type next."""

import re
import shlex
from dataclasses import replace
from functools import partial

import pytest

from kafka_census.census.gate.causes import Cause, causes, gathered, recalled
from kafka_census.census.gate.policy import GatePolicy
from kafka_census.census.gate.verdict import Verdict as Judged
from kafka_census.declarations.given import Given
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.lake.lake import Lake
from kafka_census.pages.missing_read import MissingRead, of_items, read_back, unexplained
from kafka_census.reading.report.headline import LINES, refusal_headline, report_headline, table_lines
from kafka_census.reading.report.presentation import Presentation
from kafka_census.reading.report.problems import REFUSED, ProblemCount, ReportedProblem, counts, problems, unknown_of
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE
from kafka_census.tables.problems import REMEDY, UNKNOWN, WORDS
from kafka_census.terminal.columns import WIDTH, cells_of
from unit.test_report import REFUSAL, REPORT, SECTION, VERDICT

SILENT = [
    (read_back(rpc, 3, "BROKER_NOT_ALIVE", "broker 3 is not alive"), table)
    for rpc, table in (("ListGroups", "group_lag"), ("DescribeLogDirs", "log_dir_usage"), ("ListGroups", "brokers"))
]
LEADERLESS = ProblemCount(4, (), ("orders-0", "orders-1", "orders-2", "orders-3"))
NO_LEADER = read_back("ListGroups", None, "LEADER_NOT_AVAILABLE", "partition 5 of __consumer_offsets has no leader")


def test_a_broker_that_is_down_is_one_problem_with_all_that_it_blinds() -> None:
    seen = {"unreachable": ProblemCount(1, (), ("3",)), "lag_unknown": ProblemCount(203, (), ("a", "b"))}
    (problem,) = problems(seen, gathered(SILENT))
    said, doctor = "203 groups have unknown lag", "kafka-census doctor"
    unseen = ReportedProblem("lag_unknown", 203, f"{said}: a, b, ...", ("a", "b"), command=doctor, sentence=said)
    blinds = ("brokers", "group_lag", "log_dir_usage")
    text = "broker 3 did not answer (BROKER_NOT_ALIVE)"
    assert problem == replace(problem, kind="unreachable", count=1, names=("3",), text=text, blinds=blinds)
    assert problem.unseen == (unseen,)
    assert counts([problem], 3) == dict.fromkeys(WORDS, 0) | {"unreachable": 1, "lag_unknown": 203, "incomplete": 3}


def test_what_the_loss_of_a_broker_explains_is_told_with_it_and_counted_once() -> None:
    """Of two losses, the first that explains a row; what none explains is a problem of its own."""
    lost = [(read_back("ListGroups", 3, "CONNECTION_FAILED", "refused"), "brokers")]
    seen = {"unreachable": ProblemCount(2, (), ("3", "5")), "offline": LEADERLESS}
    seen |= {"under_replicated": ProblemCount(9, (6,), ("a-0",)), "stalled": ProblemCount(1, (), ("m-0",))}
    none, none_at = ProblemCount(0, (), ()), ProblemCount(0, (0,), ())
    parts = {"offline": [ProblemCount(3, (), ("orders-0",)), none, ProblemCount(1, (), ("orders-3",))]}
    parts |= {"under_replicated": [ProblemCount(9, (6,), ("a-0",)), none_at, none_at]}
    parts |= {"stalled": [none, ProblemCount(1, (), ("m-0",)), none]}
    found = problems(seen, gathered(lost), parts)
    assert [(each.text.partition(":")[0], [(one.kind, one.count) for one in each.caused]) for each in found] == [
        ("broker 3 did not answer (CONNECTION_FAILED", [("offline", 3), ("under_replicated", 9)]),
        ("1 partition is offline", []),
        ("1 broker is down", [("stalled", 1)]),
    ]
    told = {"offline": 4, "unreachable": 2, "under_replicated": 9, "stalled": 1, "incomplete": 1}
    assert counts(found, 1) == dict.fromkeys(WORDS, 0) | told
    # Then tables that lack answers of partitions without a leader lack them because of the broker, too.
    parts = {"offline": [LEADERLESS, none, none]}
    (root, *_) = problems({"offline": LEADERLESS}, gathered([*lost, (NO_LEADER, "group_lag")]), parts)
    assert root.blinds == ("brokers", "group_lag")


def test_what_fails_alike_is_one_problem_and_a_broker_that_answers_though_fenced_is_another() -> None:
    """A lost rack is a line, and so is a right that is lacking, whoever refuses."""
    lost = [(read_back("ListGroups", node, "CONNECTION_FAILED", "refused"), "brokers") for node in (3, 4)]
    found = problems({"unreachable": ProblemCount(2, (), ("4", "5"))}, gathered(lost))
    assert [(each.text, each.names) for each in found] == [
        ("2 brokers did not answer (CONNECTION_FAILED): 3, 4", ("3", "4")),
        ("1 broker is down: 5", ("5",)),
    ]
    assert counts(found, 1)["unreachable"] == 3
    lacking = [
        (read_back("DescribeConfigs", 1, "CLUSTER_AUTHORIZATION_FAILED", "not allowed"), "brokers"),
        (read_back("ListGroups", None, "NOT_VISIBLE", "groups may be hidden"), "group_lag"),
        (read_back("Metadata", None, "NOT_VISIBLE", "topics may be hidden"), "topic_readiness"),
    ]
    (problem,) = problems({}, gathered(lacking))
    assert (problem.kind, problem.blinds) == ("incomplete", ("brokers", "group_lag", "topic_readiness"))
    assert problem.text.endswith(", and 2 more of this kind")


def test_partitions_without_a_leader_have_what_lives_in_them() -> None:
    listed = [(NO_LEADER, table) for table in ("group_lag", "group_coordinator_placement")]
    stuck = ProblemCount(1, (1234, 0), ("__consumer_offsets-5",))
    problem, internal = problems({"offline": LEADERLESS, "unable_to_commit": stuck}, gathered(listed))
    assert problem.text == "4 partitions are offline: orders-0, orders-1, orders-2, ..."
    said = "1 partition of an internal topic takes no commits: __consumer_offsets-5; 1,234 groups cannot commit"
    assert internal.text == said
    assert problem.blinds == ("group_coordinator_placement", "group_lag")
    (alone,) = problems({}, gathered(listed))
    assert alone.text.startswith("ListGroups: partition 5 of __consumer_offsets has no leader")


def test_the_worst_comes_first_and_what_refused_a_census_before_all() -> None:
    seen = {"stalled": ProblemCount(1, (), ("a-0",)), "offline": LEADERLESS}
    broken = gathered([(MissingRead("Metadata", 1, "BROKEN_CHAIN", "page 2", kind="broken_chain"), "brokers")])
    kinds = [each.kind for each in problems(seen, [*gathered(SILENT), *broken])]
    assert kinds == ["offline", "unreachable", "incomplete", "stalled"]
    rule = Cause("3 of 3 rows: no gap", (), ("quotas",), rule="no_gap", root="rule")
    refused = [each.kind for each in problems(seen, [*gathered(SILENT), rule], refused=True)]
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
    silent, _ = problems(open_rows, gathered(SILENT))
    assert silent.unseen == (alone,)
    assert counts([silent], 0)["not_known"] == 2


def lines(*missing: MissingRead, policy: GatePolicy | None = None) -> list[str]:
    """The causes, which are the same from what the lake keeps of a refusal."""
    judged, rules = (BROKERS, LOG_DIR_USAGE), policy or GatePolicy()
    found = [cause.line for cause in causes(judged, missing, (), rules)]
    kept = [
        (read_back(row.rpc, row.broker_id, row.error, row.reason), table.name)
        for table in judged
        for read in table.reads
        for row in missing
        if read.required and row.walk == (read.rpc, read.scope)
    ]
    assert [cause.line for cause in recalled(kept, (), rules)] == found
    return found


def test_what_refused_a_census_beside_missing_answers_is_known_from_its_verdicts() -> None:
    """A rule, a listing that may hide something until the policy accepts it, and lost data that no table requires."""
    refusing = partial(Judged, "brokers", severity="critical", outcome="refuse", checked_rows=1, failed_rows=1)
    verdicts = [
        refusing("DescribeQuorum/quorum is complete", "completeness", failing_keys=(), message="page 2 was lost"),
        refusing("groups are visible", "visibility", failing_keys=(), message="groups may be hidden"),
        refusing("no_gap", "expectation", failing_keys=(), message="1 of 3 rows"),
    ]
    hidden = (read_back("ListGroups", None, "NOT_VISIBLE", "groups may be hidden"), "brokers")
    assert [(each.what, each.root) for each in recalled([hidden], verdicts, GatePolicy())] == [
        ("page 2 was lost", "other"),
        ("groups may be hidden", "right"),
        ("1 of 3 rows", "rule"),
    ]
    accepting = GatePolicy(visibility="accept_unknown")
    assert [each.root for each in recalled([hidden], verdicts, accepting)] == ["other", "rule"]


def test_each_broker_that_is_down_is_a_cause_of_a_refusal_and_what_fails_alike_otherwise_is_counted() -> None:
    """A broker that answered a page did answer; what the policy covers, it covers when it is read back, too."""
    covering = GatePolicy(unreachable_brokers="publish_incomplete")
    code, of = ErrorCode.UNKNOWN_SERVER_ERROR, of_items(3, 1200, "UNKNOWN_SERVER_ERROR", "orders")
    row = MissingRead("DescribeLogDirs", 2, code.name, of, "log_dirs", "item_errors", code)
    [line] = lines(row)
    assert line.startswith(f"DescribeLogDirs of broker 2: {of};")
    assert lines(row, policy=covering) == []
    code = ErrorCode.CONNECTION_FAILED
    lost = [MissingRead("DescribeLogDirs", node, code.name, "refused", "log_dirs", error_code=code) for node in (2, 3)]
    down = "did not answer (CONNECTION_FAILED: refused); not read: DescribeLogDirs; lacking in log_dir_usage"
    assert [line.split("; publish")[0] for line in lines(*lost)] == [f"broker {node} {down}" for node in (2, 3)]
    assert lines(*lost, policy=covering) == []
    walk = ("DescribeTopicPartitions", "topics")
    missing = [unexplained(walk, node, "missing_chain", f"broker {node} owes an answer") for node in (1, 2, 3)]
    first = "DescribeTopicPartitions of broker 1: broker 1 owes an answer (MISSING_CHAIN)"
    rest = "; not read: DescribeTopicPartitions; lacking in brokers, log_dir_usage; run the census again"
    assert lines(*missing) == [f"{first} and 2 more{rest}"]
    assert lines(missing[0]) == [f"{first}{rest}"]


TABLES = tuple(f"table_{number:02}" for number in range(15))
OFFLINE = ReportedProblem("offline", 1, "1 partition is offline: __consumer_offsets-5; 1,234 groups cannot commit")
LAG = ReportedProblem("lag_unknown", 203, "203 groups have unknown lag: a, b, c, ...")
DEAD = ReportedProblem("unreachable", 1, "broker 3 did not answer (BROKER_NOT_ALIVE)", ("3",), TABLES, (LAG,))
DEAD = replace(DEAD, command="kafka-census doctor")
CAUSE = Cause("broker 3 did not answer", ("ListGroups",), ("brokers",), root="broker")
FULL = "All of it: kafka-census report --cluster local --full"
TITLE = f"Census {REPORT.census_id} of cluster local"


@pytest.mark.parametrize("number", [1, 7, 8])
def test_a_headline_fits_a_screen(number: int) -> None:
    (first, *_) = report_headline(replace(REPORT, cluster="c" * 200, problems=(OFFLINE,) * number))
    assert re.search(r"c…: \d problems?$", first)
    assert cells_of(first) == WIDTH
    lines = report_headline(replace(REPORT, problems=(DEAD,) * number))
    assert len(lines) <= LINES
    assert [line for line in lines if cells_of(line) > WIDTH and "kafka-census" not in line] == []
    named = sum("broker 3" in line for line in lines)
    assert f"- and {number - named} more" in lines or named == number


WARNED = replace(VERDICT, rule="dir_is_online", kind="expectation", outcome="warn", examples=())


def test_a_rule_of_the_gate_that_warns_is_no_all_clear() -> None:
    sql = f"FROM verdicts WHERE census_id = '{REPORT.census_id}' AND outcome = 'warn'"
    report = replace(REPORT, problems=(), verdicts=(WARNED, replace(WARNED, rule="other")))
    assert report_headline(report) == [
        f"{TITLE}: 2 warnings",
        f'Next: kafka-census sql -e "SELECT table_name, rule, failed_rows, message {sql}"',
        FULL,
    ]
    assert report_headline(replace(REPORT, problems=(), verdicts=())) == [f"{TITLE}: nothing is wrong", FULL]
    silent = replace(WARNED, kind="completeness", examples=("broker=3, error=BROKER_NOT_ALIVE",))
    both = report_headline(replace(report, verdicts=(WARNED, silent), problems=(OFFLINE,)))
    assert both[0].endswith(": 1 problem, 1 warning")
    catalog = Lake(catalog="main.kafka")
    assert report_headline(replace(report, lake=catalog)) == report_headline(report)


def test_what_is_not_known_is_no_all_clear_and_a_risk_is_no_problem_yet() -> None:
    unknown = ReportedProblem("not_known", 2, "2 log dirs are not known to be well: 1:/a, 2:/a", table="log_dir_usage")
    first, line, _, command, _ = report_headline(replace(REPORT, problems=(unknown,), verdicts=()))
    assert (first, line) == (f"{TITLE}: not all is known", f"- {unknown.text}")
    assert command.endswith(f'FROM current_log_dir_usage WHERE {UNKNOWN["log_dir_usage"].where}"')
    skewed = ReportedProblem("skewed", 3, "3 coordinators are part of a spread that chance does not explain")
    for found, said in (
        ((OFFLINE, unknown), "1 problem"),
        ((skewed,), "1 risk"),
        ((OFFLINE, skewed), "1 problem, 1 risk"),
    ):
        assert report_headline(replace(REPORT, problems=found, verdicts=()))[0] == f"{TITLE}: {said}"


def test_commands_name_the_configuration_that_the_job_was_given() -> None:
    """A broker that is silent is a matter for the doctor; names are quoted for a shell."""
    mine = replace(REPORT, cluster="my cluster", problems=(DEAD,))
    lines = report_headline(mine, Presentation(Given("conf/demo.yaml"), {"my cluster": ("a:9092", "b:9092")}))
    of = "--config conf/demo.yaml --cluster 'my cluster'"
    assert lines[-2:] == [f"    kafka-census doctor {of}", f"All of it: kafka-census report {of} --full"]
    of_lake = report_headline(replace(REPORT, problems=(OFFLINE, DEAD)), Presentation(Given(lake="my lake")))
    assert of_lake[-2].startswith("Next: kafka-census sql --lake 'my lake' -e ")
    assert of_lake[-1] == "All of it: kafka-census report --lake 'my lake' --cluster local --full"
    asked = "--lake 'my lake' --bootstrap-server HOST:PORT --cluster local"
    assert f"    kafka-census doctor {asked}" in of_lake
    harm = ReportedProblem("broker_loss", 1, "1 is", command="kafka-census impact --broker 1 --live")
    of_harm = report_headline(replace(REPORT, problems=(harm,)), Presentation(Given(lake="my lake")))
    assert f"kafka-census impact --broker 1 --live {asked}" in "\n".join(of_harm)
    elsewhere = report_headline(mine, Presentation(Given("conf/demo.yaml"), {"other": ("a:9092",)}))
    assert elsewhere[-2] == "    kafka-census doctor --bootstrap-server HOST:PORT --cluster 'my cluster'"


def test_a_remedy_names_the_brokers_that_are_known_and_asks_what_it_can() -> None:
    late, skew = REMEDY["transaction_late"], REMEDY["skewed"]
    stuck = ReportedProblem("transaction_late", 1, "1 is late", command=late.filled({"transactional_id": "x y"}))
    skewed = ReportedProblem("skewed", 1, "1 is skewed", command=skew.filled({"broker_id": 7}))
    told, given = replace(REPORT, problems=(stuck, skewed)), Given(bootstrap_server="a:9092", command_config="c d")
    known = report_headline(told, Presentation(given, {"local": ("a:9092", "b:9092")}))
    of = "--bootstrap-server a:9092,b:9092 --command-config 'c d' describe --transactional-id 'x y'"
    assert f"    kafka-transactions.sh {of}" in known
    (sql,) = [line for line in known if line.startswith("    kafka-census sql ")]
    assert shlex.split(sql)[-1].endswith("WHERE found_coordinator = 7")
    hidden = refusal_headline(replace(REFUSAL, problems=(skewed,), still_published="before"))
    assert not any("kafka-census sql" in line and "found_coordinator = 7" in line for line in hidden)


def test_a_refused_census_says_so_first_and_one_that_nothing_refuses_is_published_by_a_command() -> None:
    rule = ReportedProblem(REFUSED, 1, "quotas: 3 of 3 rows: no gap", blinds=("quotas",))
    dead = replace(DEAD, blinds=("brokers",), unseen=(), advice="publish anyway")
    refusal = replace(REFUSAL, causes=(CAUSE,), problems=(dead, rule, OFFLINE), still_published="before")
    assert refusal_headline(refusal) == [
        f"NOT PUBLISHED: census {REPORT.census_id} of cluster local: refused",
        "- broker 3 did not answer (BROKER_NOT_ALIVE)",
        "  └─ 1 table lacks its answers: brokers",
        f"  To do: {REMEDY['unreachable'].text}",
        "    kafka-census doctor --bootstrap-server HOST:PORT --cluster local",
        "  To publish: publish anyway",
        "- quotas: 3 of 3 rows: no gap",
        "- 1 partition is offline: __consumer_offsets-5; 1,234 groups cannot commit",
        f"  To do: {REMEDY['offline'].text}",
        "Readers still see census before.",
        "All of it: kafka-census report --cluster local --unpublished --full",
    ]
    (asked,) = [line for line in refusal_headline(replace(refusal, problems=(OFFLINE,))) if line.startswith("Next")]
    assert f"FROM candidate_under_min_isr_partitions WHERE census_id = '{REPORT.census_id}' AND" in asked
    lines = refusal_headline(replace(REFUSAL, problems=(OFFLINE,) * 40))
    assert lines[0] == f"NOT PUBLISHED: census {REPORT.census_id} of cluster local: not refused"
    assert f"It can be published: kafka-census publish --cluster local --census-id {REPORT.census_id}" in lines
    assert len(lines) == LINES
    # A lake in which nothing was published has no view to ask.
    assert not any(line.startswith("Next") for line in lines)


def test_a_table_is_a_line() -> None:
    failed = replace(SECTION, table="quotas", is_complete=True, totals=(), failed=("no_gap",), row_count=12345)
    lines = table_lines((SECTION, failed), "NOT PUBLISHED ")
    assert max(map(cells_of, lines)) <= WIDTH
    assert [" ".join(line.split()) for line in lines] == [
        "NOT PUBLISHED table rows complete what it says",
        "reassignment_backlog 2 NO 2 move; at least 5.0 MB left to copy",
        "quotas 12,345 yes REFUSED by no_gap; nothing moves",
    ]
