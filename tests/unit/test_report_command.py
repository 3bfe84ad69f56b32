"""`kafka-census report --html` and `--md`: what is written where, without Spark, and what is said of mistakes."""

import resource
import signal
from pathlib import Path

import pytest

from harness.page_lake import BAD_DAY, write_census
from harness.small_lake import census_id
from kafka_census.cli.command import command
from kafka_census.errors import ConfigError, CorruptLake
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS
from kafka_census.terminal.log import Redactor


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
    last = f"**shop**: census of 2026-11-21 15:00 UTC (`{census_id(3)}`)\n"
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
        ("--lake", small),
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
        (2, "--lake is for a report without Spark: give --html FILE or --md with it"),
        (2, "--as-of is for a report without Spark: give --html FILE or --md with it"),
        (2, "--fail-on is for a report on the terminal: leave it out, or --html and --md"),
        (2, "--limit is for a report on the terminal: leave it out, or --html and --md"),
        (2, "no census of a cluster other is published in LAKE; it has shop"),
        (2, "HERE/no folder/x.html cannot be written: No such file or directory; name another FILE"),
        (2, "HERE cannot be written: Is a directory; name another FILE"),
        (1, "HERE/no lake/audit/publications is no Delta table: nothing was published there yet, or it is no lake"),
    ]
