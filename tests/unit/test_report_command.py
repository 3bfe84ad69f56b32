"""`kafka-census report`: as JSON for scripts, as HTML and as a message for chat, without Spark; and its mistakes."""

import io
import json
import resource
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from harness.page_lake import BAD_DAY, write_census
from harness.small_lake import census_id
from kafka_census.census.gate.causes import Cause
from kafka_census.census.work import Work
from kafka_census.cli.command import command
from kafka_census.errors import ConfigError, CorruptLake
from kafka_census.reading.report.as_json import refusal_fields, report_fields
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS
from kafka_census.terminal.log import Redactor
from unit.test_report import NOON, REFUSAL, REPORT


def report(*arguments: str) -> int:
    return command(["report", *arguments], Redactor())


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> str:
    root = tmp_path_factory.mktemp("small page") / "lake"
    for number in (1, 2, 3):
        write_census(root, number, BAD_DAY, [UNDER_MIN_ISR_PARTITIONS, BROKERS])
    return str(root)


def test_a_file_that_is_there_is_replaced_whole_with_the_rights_of_a_new_one(small: str, tmp_path: Path) -> None:
    file = tmp_path / "census.html"
    file.write_text("old", encoding="utf-8")
    old = file.open(encoding="utf-8")
    with old:
        assert report("--lake", small, "--html", str(file)) == 0
        assert old.read() == "old"
    assert file.read_text(encoding="utf-8").endswith("</html>\n")
    assert [each.name for each in tmp_path.iterdir()] == ["census.html"]
    (tmp_path / "new").touch()
    assert file.stat().st_mode == (tmp_path / "new").stat().st_mode


def test_a_message_for_chat_is_all_of_stdout_also_of_an_earlier_census(
    small: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "census.html"
    assert report("--lake", small, "--md", "--html", str(file)) == 0
    last = f"**shop**: census of 2026-11-21 15:00 UTC (`{census_id(3)}`), "
    assert (capsys.readouterr().out.startswith(last), file.is_file()) == (True, True)
    for moment in (census_id(1), "2026-11-21 13:30"):
        assert report("--lake", small, "--as-of", moment, "--md") == 0
        assert census_id(1) in capsys.readouterr().out


def test_a_cluster_is_never_reported_by_a_census_of_another_with_its_id(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Though `current_<table>` shows one of the two; of a renamed cluster the last census is reported."""
    root, tables = tmp_path / "lake", [UNDER_MIN_ISR_PARTITIONS, BROKERS]
    prod = write_census(root, 2, BAD_DAY, tables, cluster="prod")
    dev = write_census(root, 3, {}, tables, cluster="dev")
    for name, its, is_bad in (("prod", prod, True), ("dev", dev, False)):
        assert report("--lake", str(root), "--cluster", name, "--md") == 0
        said = capsys.readouterr().out
        assert (its in said, "OFFLINE" in said.upper()) == (True, is_bad)
    conf = tmp_path / "census.yaml"
    clusters = "{prod: {bootstrap_servers: [b:9092], former_names: [dev]}}"
    conf.write_text(f"lake: {{root: {root}}}\nclusters: {clusters}\n", encoding="utf-8")
    assert report("--config", str(conf), "--cluster", "prod", "--md") == 0
    said = capsys.readouterr().out
    assert (said.startswith("**prod**"), dev in said) == (True, True)


def test_a_disk_that_is_full_leaves_what_was_there(small: str, tmp_path: Path) -> None:
    file = tmp_path / "census.html"
    file.write_text("old", encoding="utf-8")
    before, largest = signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, largest[1]))
    try:
        with pytest.raises(ConfigError, match=f"{file} cannot be written: File too large; name another FILE"):
            report("--lake", small, "--html", str(file))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, largest)
        signal.signal(signal.SIGXFSZ, before)
    assert file.read_text(encoding="utf-8") == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["census.html"]


def test_mistakes_have_exit_codes_and_say_what_to_do(small: str, tmp_path: Path) -> None:
    reported = []
    nothing, file = str(tmp_path / "no lake"), str(tmp_path / "census.html")
    for words in (
        ("--as-of", census_id(1)),
        ("--lake", small, "--html", file, "--fail-on", "offline"),
        ("--lake", small, "--md", "--limit", "5"),
        ("--lake", small, "--cluster", "other", "--html", file),
        ("--lake", small, "--html", str(tmp_path / "no folder" / "x.html")),
        ("--lake", small, "--html", str(tmp_path)),
        ("--lake", nothing, "--html", file),
    ):
        with pytest.raises((ConfigError, CorruptLake)) as mistake:
            report(*words)
        said = str(mistake.value).replace(str(tmp_path), "HERE").replace(small, "LAKE")
        reported.append((mistake.value.exit_code, said))
    assert list(tmp_path.iterdir()) == []
    assert reported == [
        (2, "--as-of is for a report without Spark: give --html FILE or --md with it"),
        (2, "--fail-on is for a report on the terminal: leave it out, or --html and --md"),
        (2, "--limit is for a report on the terminal: leave it out, or --html and --md"),
        (2, "no census of a cluster other is published in LAKE; it has shop"),
        (2, "HERE/no folder/x.html cannot be written: No such file or directory; name another FILE"),
        (2, "HERE cannot be written: Is a directory; name another FILE"),
        (1, "HERE/no lake/audit/publications is no Delta table: nothing was published there yet, or it is no lake"),
    ]


CAUSE = Cause("broker 3 did not answer", ("ListGroups",), ("brokers",), root="broker", broker_id=3)


def printed(*, as_json: bool) -> list[str]:
    out = io.StringIO()
    work = Work(None, None, "one", None, None, out, runs=None, as_json=as_json)  # type: ignore[arg-type] # it asks them nothing
    work.print_text(["a line for people"])
    work.print_json(name="a\nb\x1b[31m", at=NOON)
    return out.getvalue().splitlines()


def test_a_result_is_for_people_or_for_scripts() -> None:
    assert printed(as_json=False) == ["a line for people"]
    (line,) = printed(as_json=True)
    assert line.isprintable()
    assert json.loads(line) == {"name": "a\nb\x1b[31m", "at": "2026-11-21 12:00:00+00:00"}


def test_a_report_as_json_says_what_its_headline_says() -> None:
    fields = json.loads(json.dumps(report_fields(REPORT), default=str))
    assert (fields["state"], fields["cluster_id"], fields["rules_passed"]) == ("published", "kraft-id", 31)
    assert fields["counts"]["unreachable"] == 1
    assert fields["problems"][0]["blinds"] == ["reassignment_backlog"]
    assert fields["verdicts"][0]["failed_rows"] == 1200
    assert {cause["error"] for cause in fields["causes"]} >= {"BROKER_NOT_ALIVE"}
    table = {"table": "reassignment_backlog", "rows": 2, "is_complete": False, "visibility": "proven"}
    assert fields["tables"] == [table | {"missing": ["DescribeLogDirs of broker 3"], "failed": []}]


def test_a_refusal_as_json_says_why_and_what_readers_still_see() -> None:
    refused = refusal_fields(replace(REFUSAL, causes=(CAUSE,), still_published="before"))
    assert (refused["state"], refused["still_published"]) == ("refused", "before")
    assert refusal_fields(REFUSAL)["state"] == "gated"
    assert json.loads(json.dumps(refused))["causes"][0]["broker_id"] == 3


@pytest.mark.parametrize(
    ("option", "said"),
    [
        # Rows are asked for in SQL.
        ("--full", "kafka-census sql --format json"),
        ("--limit 3", "kafka-census sql --format json"),
        ("--md", "--json is for a report on the terminal"),
    ],
)
@pytest.mark.usefixtures("conf")
def test_a_report_as_json_is_its_headline_and_on_the_terminal(option: str, said: str) -> None:
    assert command(["init"], Redactor()) == 0
    with pytest.raises(ConfigError, match=said):
        command(["report", "--json", *option.split()], Redactor())
