"""`kafka-census report`: on the terminal, as JSON, HTML and a message for chat, without Spark; and its mistakes."""

import io
import json
import resource
import signal
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock
from urllib.parse import quote

import pytest
import yaml

from harness.page_lake import BAD_DAY, CLUSTER_ID, write_census
from harness.small_lake import append, census_id
from kafka_census.census.gate.causes import Cause
from kafka_census.census.work import Work
from kafka_census.cli import job
from kafka_census.cli.arguments import chosen_clusters, parser
from kafka_census.cli.command import command
from kafka_census.config import load, load_given
from kafka_census.declarations.audit import CENSUS_RUNS
from kafka_census.declarations.given import Given
from kafka_census.declarations.jobs import JOBS
from kafka_census.errors import ConfigError, CorruptLake, Refused, TroubleFound
from kafka_census.reading.report.as_json import fields_of
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS
from kafka_census.tables.usage_by_owner.columns import USAGE_BY_OWNER
from kafka_census.terminal.log import Redactor
from unit.test_report import NOON, REFUSAL, REPORT

OWNED = {"p": "pay", "q": "pay", "r": None}
"""The owner of each topic."""

Shown = Callable[..., str]


def report(*arguments: str) -> int:
    return command(["report", *arguments], Redactor())


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]) -> Shown:
    """What a report that succeeds prints."""

    def shown(*arguments: str) -> str:
        capsys.readouterr()
        assert report(*arguments) == 0
        return capsys.readouterr().out

    return shown


def configured(folder: Path, root: str | Path, *clusters: str, **sections: object) -> str:
    """A configuration of these clusters, and of other sections."""
    known = {"lake": {"root": str(root)}, "clusters": {name: {"bootstrap_servers": ["b:9092"]} for name in clusters}}
    path = folder / "census.yaml"
    path.write_text(yaml.safe_dump(known | sections), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> str:
    root = tmp_path_factory.mktemp("small page") / "lake"
    for number in (1, 2, 3):
        write_census(root, number, BAD_DAY, [UNDER_MIN_ISR_PARTITIONS, BROKERS])
    return str(root)


def test_a_file_that_is_there_is_replaced_whole_or_not_at_all(small: str, tmp_path: Path) -> None:
    """Where the disk is full, say; a new one has the rights of any new file."""
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
    assert [each.name for each in tmp_path.iterdir()] == ["census.html"]
    with file.open(encoding="utf-8") as old:
        assert report("--lake", small, "--html", str(file)) == 0
        assert old.read() == "old"
    assert file.read_text(encoding="utf-8").endswith("</html>\n")
    assert [each.name for each in tmp_path.iterdir()] == ["census.html"]
    (tmp_path / "new").touch()
    assert file.stat().st_mode == (tmp_path / "new").stat().st_mode


def test_an_owner_sees_what_is_theirs(tmp_path: Path, shown: Shown) -> None:
    """What has no owner is whole; a name that nobody has is an error, and not a cluster without problems."""
    lake = str(tmp_path / "lake")
    parts = [{"topic": topic, "partition": 0, "status": "OFFLINE", "owner": owner} for topic, owner in OWNED.items()]
    rows = {"under_min_isr_partitions": parts, "brokers": BAD_DAY["brokers"]}
    rows["usage_by_owner"] = [{"owner": owner} for owner in ("pay", "idle", "")]
    write_census(Path(lake), 1, rows, [UNDER_MIN_ISR_PARTITIONS, BROKERS, USAGE_BY_OWNER])
    of: list[tuple[str, ...]] = [("--owner", "pay"), ("--owner", "idle"), ()]
    counts = [json.loads(shown("--lake", lake, "--json", *who).splitlines()[-1])["counts"] for who in of]
    assert [each["offline"] for each in counts] == [2, 0, 3]
    assert len({each["unreachable"] for each in counts}) == 1
    assert shown("--lake", lake, "--owner", "pay").startswith("Rows about things of pay; ")
    told = shown("--lake", lake, "--owner", "pay", "--md")
    assert "Rows about things of pay; " in told
    assert "2 partitions are offline: p-0, q-0" in told.replace("`", "").replace("\\", "")
    for arguments in ([], ["--md"]):
        with pytest.raises(ConfigError, match="knows no owner 'payments'; known: idle, pay"):
            report("--lake", lake, "--owner", "payments", *arguments)


def test_a_message_for_chat_is_all_of_stdout_also_of_an_earlier_census(
    small: str, tmp_path: Path, shown: Shown
) -> None:
    file = tmp_path / "census.html"
    last = f"**shop**: census of 2026-11-21 15:00 UTC (`{census_id(3)}`), "
    assert shown("--lake", small, "--md", "--html", str(file)).startswith(last)
    assert file.is_file()
    for moment in (census_id(1), "2026-11-21 13:30"):
        assert census_id(1) in shown("--lake", small, "--as-of", moment, "--md")


def test_a_cluster_is_never_reported_by_a_census_of_another_with_its_id(tmp_path: Path, shown: Shown) -> None:
    """Though `current_<table>` shows one of the two; of a renamed cluster the last census is reported."""
    root, tables = tmp_path / "lake", [UNDER_MIN_ISR_PARTITIONS, BROKERS]
    prod = write_census(root, 2, BAD_DAY, tables, cluster="prod")
    dev = write_census(root, 3, {}, tables, cluster="dev")
    for name, its, is_bad in (("prod", prod, True), ("dev", dev, False)):
        said = shown("--lake", str(root), "--cluster", name, "--md")
        assert (its in said, "OFFLINE" in said.upper()) == (True, is_bad)
    renamed = {"prod": {"bootstrap_servers": ["b:9092"], "former_names": ["dev"]}}
    said = shown("--config", configured(tmp_path, root, clusters=renamed), "--cluster", "prod", "--md")
    assert (said.startswith("**prod**"), dev in said) == (True, True)


def test_a_fleet_has_a_page_for_each_cluster_and_an_index_the_worst_first(tmp_path: Path, shown: Shown) -> None:
    """Also of a cluster whose name is no file name, and of one that has no census yet."""
    root, tables, odd = tmp_path / "lake", [UNDER_MIN_ISR_PARTITIONS, BROKERS], "../<i>odd"
    write_census(root, 1, {"brokers": [{"broker_id": 1, "state": "alive"}]}, outcome="pass", cluster="calm")
    write_census(root, 2, BAD_DAY, tables, cluster=odd)
    conf, folder = configured(tmp_path, root, "calm", "none"), tmp_path / "new" / "pages"
    said = shown("--config", conf, "--html", str(folder), "--all-clusters")
    assert said == f"{folder}/index.html is written: 3 clusters\n"
    file = "cluster-..%2F%3Ci%3Eodd.html"
    assert {each.name for each in folder.iterdir()} == {"index.html", "cluster-calm.html", file}
    index = (folder / "index.html").read_text(encoding="utf-8")
    rows = index.partition("<tbody>")[2].split("</tr>")[:3]
    assert [each.count(words) for each, words in zip(rows, (quote(file), ">none<", ">calm</a>"), strict=True)] == [
        1
    ] * 3
    assert ("1 of 2" in rows[0], "has no census in this lake" in rows[1], "1 of 1" in rows[2]) == (True, True, True)
    assert "<h1>../&lt;i&gt;odd</h1>" in (folder / file).read_text(encoding="utf-8")


def test_mistakes_have_exit_codes_and_say_what_to_do(small: str, tmp_path: Path) -> None:
    reported = []
    nothing, file = str(tmp_path / "no lake"), str(tmp_path / "census.html")
    for words in (
        ("--as-of", census_id(1)),
        ("--lake", small, "--cluster", "other"),
        ("--lake", small, "--fail-on", "hanging"),
        ("--lake", small, "--fail-on", "stale"),
        ("--lake", nothing),
        ("--lake", small, "--html", file, "--fail-on", "offline"),
        ("--lake", small, "--md", "--limit", "5"),
        ("--lake", small, "--cluster", "other", "--html", file),
        ("--lake", small, "--html", str(tmp_path / "no folder" / "x.html")),
        ("--lake", small, "--html", str(tmp_path)),
        ("--lake", nothing, "--html", file, "--all-clusters"),
        ("--lake", small, "--md", "--all-clusters"),
        ("--lake", small, "--all-clusters"),
        ("--lake", small, "--json", "--full"),
        ("--lake", small, "--json", "--md"),
    ):
        with pytest.raises((ConfigError, CorruptLake)) as mistake:
            report(*words)
        said = str(mistake.value).replace(str(tmp_path), "HERE").replace(small, "LAKE")
        reported.append((mistake.value.exit_code, said))
    assert list(tmp_path.iterdir()) == []
    assert reported == [
        (2, "--as-of is for a page: give --html FILE or --md with it"),
        (2, "cluster 'other' has no census in this lake; survey it first: kafka-census run --cluster other"),
        (2, "--fail-on hanging needs the table hanging_transactions, which is not surveyed: add it to `tables`"),
        (2, "--fail-on stale needs an age: set schedule.max_age, or schedule.every, in the configuration"),
        (1, "HERE/no lake/audit/publications is no Delta table: nothing was published there yet, or it is no lake"),
        (2, "--fail-on is for a report on the terminal: leave it out, or --html and --md"),
        (2, "--limit is for a report on the terminal: leave it out, or --html and --md"),
        (2, "cluster 'other' has no census in this lake; survey it first: kafka-census run --cluster other"),
        (2, "HERE/no folder/x.html cannot be written: No such file or directory; name another FILE"),
        (2, "HERE cannot be written: Is a directory; name another FILE"),
        (1, "HERE/no lake/audit/publications is no Delta table: nothing was published there yet, or it is no lake"),
        (2, "--all-clusters goes with --html FOLDER, without --md and --cluster"),
        (2, "--all-clusters is for a page: give --html FILE or --md with it"),
        (2, "--json has no rows of tables; ask for them: kafka-census sql --format json -e QUERY"),
        (2, "--json is for a report on the terminal: leave it out, or --html and --md"),
    ]


@pytest.fixture(scope="module")
def refusals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Clusters of which a census was refused before, after, and instead of a publication, and others not judged."""
    root = tmp_path_factory.mktemp("refusals") / "lake"
    for number, cluster, why in (
        (1, "better", "broker 2 is down"),
        (2, "better", ""),
        (3, "worse", ""),
        (4, "worse", "broker 2 is down"),
        (5, "never", "broker 2 is down"),
        (6, "cleared", "broker 2 is down"),
    ):
        ids = {"cluster": cluster, "refused": why, "outcome": "pass"}
        write_census(root, number, BAD_DAY, [UNDER_MIN_ISR_PARTITIONS], missing=["Metadata"] if why else (), **ids)
    events = [
        (6, "cleared", "cleared"),
        *((number, name, name) for number, name in ((7, "staged"), (8, "gated"), (9, "landed"), (10, "refused"))),
    ]
    of = {"cluster_id": CLUSTER_ID, "at": NOON + timedelta(days=1)}
    rows = [of | {"census_id": census_id(number), "cluster": name, "event": event} for number, name, event in events]
    append(root, CENSUS_RUNS, rows)
    return root


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("--cluster better", f"Census {census_id(2)} of cluster better: "),
        ("--cluster worse", f"NOT PUBLISHED: census {census_id(4)} of cluster worse: refused"),
        ("--cluster worse --published", f"Census {census_id(3)} of cluster worse: "),
        ("--cluster never", f"NOT PUBLISHED: census {census_id(5)} of cluster never: refused"),
        ("--cluster better --unpublished", f"NOT PUBLISHED: census {census_id(1)} of cluster better: refused"),
        (f"--cluster better --unpublished --census-id {census_id(1)}", f"NOT PUBLISHED: census {census_id(1)} of "),
        ("--cluster cleared --unpublished", "none of the last censuses of cluster 'cleared' was computed and not"),
        ("--cluster staged", "nothing is published in this lake yet"),
        ("", f"Census {census_id(2)} of cluster better: "),
    ],
)
def test_the_newest_computed_census_is_reported(refusals: Path, words: str, first: str, shown: Shown) -> None:
    """Marked where it was refused; never one whose rows maintenance may have deleted."""
    said = shown("--lake", str(refusals), *words.split())
    assert said.startswith(first)
    titles = [
        line.partition(" of cluster ")[2].partition(":")[0] for line in said.splitlines() if " of cluster " in line
    ]
    assert titles == (["better", "never", "worse"] if not words else titles)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("staged", "is computed and was not judged: kafka-census gate --cluster staged"),
        ("gated", "passed the gate and is not published: kafka-census publish --cluster gated"),
        ("refused", "was refused by a release that did not keep why: kafka-census gate --cluster refused"),
        (f"landed --census-id {census_id(9)}", "is not computed yet: it has nothing unpublished to report"),
        (f"better --census-id {census_id(2)}", "is published: it has nothing unpublished to report"),
        (f"cleared --census-id {census_id(6)}", "has no landed pages any more, as `retention` says: it has nothing un"),
        (f"better --census-id {census_id(3)}", f"cluster 'better' has no census {census_id(3)} in this lake"),
    ],
)
def test_a_census_without_a_refusal_says_in_a_line_why_and_what_to_do(refusals: Path, words: str, line: str) -> None:
    with pytest.raises(ConfigError, match=line):
        report("--lake", str(refusals), "--unpublished", "--cluster", *words.split())


def test_what_is_not_published_is_reported_of_the_only_cluster_of_a_lake_or_of_a_configuration(
    small: str, refusals: Path, tmp_path: Path, shown: Shown
) -> None:
    said = shown("--lake", small, "--unpublished")
    assert said == "none of the last censuses of this lake was computed and not published\n"
    with pytest.raises(ConfigError, match="the lake has several clusters, better, cleared, gated, landed, never"):
        report("--lake", str(refusals), "--unpublished")
    args = parser("report").parse_args(["--unpublished"])
    # The job, which Spark runs, takes the same.
    assert chosen_clusters(args, JOBS["report"], load_given(Given(lake=small), asks=False)) == ()
    conf = configured(tmp_path, refusals, "worse")
    assert chosen_clusters(args, JOBS["report"], load(conf)) == ("worse",)
    assert f"census {census_id(4)} of cluster worse" in shown("--config", conf, "--unpublished")
    with pytest.raises(ConfigError, match="has several clusters, a, worse: name one with --cluster"):
        report("--config", configured(tmp_path, refusals, "worse", "a"), "--unpublished")


def test_a_refusal_is_explained_by_the_policy_of_now(refusals: Path, tmp_path: Path, shown: Shown) -> None:
    """And --fail-on looks at what was found; stale, at what is published."""
    conf = configured(tmp_path, refusals, "worse", schedule={"max_age": "2h"})
    of = ("--config", conf, "--cluster", "worse")
    with pytest.raises(ConfigError, match="no cluster 'wrose'"):
        report("--config", conf, "--cluster", "wrose")
    refused = json.loads(shown(*of, "--json"))
    assert (refused["state"], refused["still_published"]) == ("refused", census_id(3))
    assert refused["causes"][0]["advice"].startswith("publish anyway with completeness.unreachable_brokers: publish_i")
    for word, line in (
        ("offline", rf"{census_id(4)} of worse, not published, shows what --fail-on names: 2 offline"),
        ("stale", r"the published census of worse is stale: published .*max_age \(2h\)$"),
    ):
        with pytest.raises(TroubleFound, match=line):
            report(*of, "--fail-on", word)
    configured(tmp_path, refusals, "worse", completeness={"unreachable_brokers": "publish_incomplete"})
    said = shown(*of)
    assert said.startswith(f"NOT PUBLISHED: census {census_id(4)} of cluster worse: not refused\n")
    assert f"kafka-census publish --config {conf} --cluster worse --census-id {census_id(4)}" in said


def test_only_a_catalog_or_a_setting_of_spark_starts_spark(
    small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shown: Shown
) -> None:
    monkeypatch.setattr(job, "job_session", Mock(side_effect=Refused("Spark was started")))
    of = ("--config", configured(tmp_path, small, "shop"), "--cluster", "shop")
    assert shown(*of, "--full").startswith(f"Census {census_id(3)} of cluster shop: ")
    with pytest.raises(Refused):
        report(*of, "--spark-conf", "spark.driver.memory=2g")
    configured(tmp_path, small, "shop", lake={"catalog": "a.b"})
    with pytest.raises(Refused):
        report(*of)


def test_a_result_is_for_people_or_for_scripts() -> None:
    printed = []
    for as_json in (False, True):
        out = io.StringIO()
        work = Work(None, None, "one", None, None, out, runs=None, as_json=as_json)  # type: ignore[arg-type] # it asks them nothing
        work.print_text(["a line for people"])
        work.print_json(name="a\nb\x1b[31m", at=NOON)
        printed += out.getvalue().splitlines()
    people, line = printed
    assert people == "a line for people"
    assert line.isprintable()
    assert json.loads(line) == {"name": "a\nb\x1b[31m", "at": "2026-11-21 12:00:00+00:00"}


def test_a_report_as_json_says_what_its_headline_says_and_a_refusal_why_and_what_readers_still_see() -> None:
    fields = json.loads(json.dumps(fields_of(REPORT), default=str))
    assert (fields["state"], fields["cluster_id"], fields["rules_passed"]) == ("published", "kraft-id", 31)
    assert fields["counts"]["unreachable"] == 1
    assert fields["problems"][0]["blinds"] == ["reassignment_backlog"]
    assert fields["verdicts"][0]["failed_rows"] == 1200
    assert {cause["error"] for cause in fields["causes"]} >= {"BROKER_NOT_ALIVE"}
    table = {"table": "reassignment_backlog", "rows": 2, "is_complete": False, "visibility": "proven"}
    assert fields["tables"] == [table | {"missing": ["DescribeLogDirs of broker 3"], "failed": []}]

    cause = Cause("broker 3 did not answer", ("ListGroups",), ("brokers",), root="broker", broker_id=3)
    refused = fields_of(replace(REFUSAL, causes=(cause,), still_published="before"))
    assert (refused["state"], refused["still_published"]) == ("refused", "before")
    assert fields_of(REFUSAL)["state"] == "gated"
    assert json.loads(json.dumps(refused))["causes"][0]["broker_id"] == 3
