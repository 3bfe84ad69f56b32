"""Every fenced block of README.md and docs/*.md runs unchanged, in the folder that README names: the project's.

The folder is a copy of the project's by links, with a small lake at build/demo/lake. A block that would take minutes,
or a cluster of the reader's, is checked by a rule that is named here; a block without a rule fails. So these are not
run: `make` (it has the targets and variables), `pip` (the wheel has the name, and the extra), `spark-submit` (the files
are there), and what asks brokers or needs a Spark of its own, such as `run`, `doctor`, `maintain` and `delete-groups`:
their options are parsed, and their configuration is read. Tests of e2e and emulator run these.
"""

import io
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from configparser import ConfigParser
from contextlib import redirect_stdout
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession

import kafka_census
from harness.documented import PAGES, QUESTIONS, ROOT, SQL, TUTORIAL, Block, block_with, blocks
from harness.submitted import write_spark_conf
from kafka_census import defaults
from kafka_census.census.gate.own_suites import own_suites
from kafka_census.cli.command import command, parser
from kafka_census.cli.usage import given
from kafka_census.config import Config, load, load_given
from kafka_census.data_source import CONFIGS
from kafka_census.declarations.audit import PUBLICATIONS, QUARANTINE
from kafka_census.declarations.deletions import DELETION_AUDIT_TABLES
from kafka_census.declarations.given import Given
from kafka_census.lake.lake import Lake
from kafka_census.reading.sql.session import Session
from kafka_census.tables.changes.columns import CHANGES
from kafka_census.tables.coordinator_load.columns import COORDINATOR_LOAD
from kafka_census.tables.failure_impact.columns import FAILURE_IMPACT
from kafka_census.tables.suites import SUITES
from kafka_census.terminal.log import Redactor
from spark.report_lake import append, census, ids_of, partition, publication, publish

CREDENTIALS = ROOT / "docs" / "credentials.md"
ALERTING = ROOT / "docs" / "alerts.md"
FORESIGHT = ROOT / "docs" / "foresight.md"
BACKUP = ROOT / "docs" / "backup.md"
RESTART = ROOT / "docs" / "restart.md"
BLOCKS = [block for page in PAGES for block in blocks(page)]
SHELL = re.compile(r"^([A-Z_]+=\S+[ \\\n]+)*(make|pip|python|\S*kafka-census|\S*spark-submit)\b")


@pytest.fixture(scope="module")
def project(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The project's folder after `make demo` and `kafka-census init`, with the documented client.properties."""
    folder = tmp_path_factory.mktemp("documented")
    for entry in (*ROOT.iterdir(), *(ROOT / "conf").iterdir()):
        at = folder / entry.relative_to(ROOT)
        if entry == ROOT / "conf":
            at.mkdir()
        elif entry.name not in ("build", ".git", "census.yaml"):
            at.symlink_to(entry)
    shutil.copy(defaults.CENSUS, folder / "conf" / "census.yaml")
    (folder / "client.properties").write_text(block_with(CREDENTIALS, "security.protocol=").text, encoding="latin-1")
    (folder / "build").mkdir()
    write_spark_conf(folder / "build" / "spark-conf")
    lake = Lake(root=str(folder / "build" / "demo" / "lake"))
    fine = partition("fine", 0, "OK")
    before = {"under_min_isr_partitions": [partition("orders", 0, "OK", leader_id=2), fine]}
    rows = {"under_min_isr_partitions": [partition("orders", 0, "UNDER"), fine]}
    publish(lake, {census(0, "demo"): before, census(1, "demo"): rows})
    for table in (QUARANTINE, *DELETION_AUDIT_TABLES, COORDINATOR_LOAD, CHANGES):
        append(lake, table, [])
    now = census(1, "demo")
    losses = [{"name": "1", "verdict": "loses_availability"}, {"name": "3", "verdict": "safe"}]
    named = ids_of(now) | {"kind": "broker", "reason": "as it is", "observed_at": now.started_at}
    append(lake, FAILURE_IMPACT, [named | loss for loss in losses])
    append(lake, PUBLICATIONS, [publication(now, FAILURE_IMPACT, len(losses), ())])
    kafka_census.register(spark, str(lake.root))
    # The folder in which Spark runs data sources: the current folder when Spark was started.
    spark.conf.set(CONFIGS, str(Path(defaults.CONFIG).absolute()))
    yield folder
    spark.conf.unset(CONFIGS)


@pytest.fixture
def here(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(project)
    return project


def commands(block: Block) -> list[tuple[dict[str, str], list[str]]]:
    found = []
    for line in block.text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        reported = [word for word in words if re.match(r"[A-Z_]+=", word)] if not line.startswith("make") else []
        if words:
            found.append((dict(word.split("=", 1) for word in reported), words[len(reported) :]))
    return found


def is_made(words: list[str]) -> None:
    """`make TARGET NAME=value`: the Makefile has both. To run them takes minutes, or a cluster of the reader's."""
    makefile = Path("Makefile").read_text(encoding="utf-8")
    for word in words:
        name, given, _ = word.partition("=")
        assert re.search(rf"^{name} *\?=" if given else rf"^{name}:.* ## ", makefile, re.MULTILINE), word


def is_submitted(environment: dict[str, str], words: list[str]) -> None:
    """A spark-submit command for a cluster of the reader's: its file and the files that it names exist."""
    program, script, *arguments = words
    assert program == "spark-submit" or Path(program).exists()
    assert all(Path(value).exists() for value in environment.values())
    assert Path(script).is_file()
    assert Path(script).name == "kafka-census.py"
    is_a_command(arguments)


def is_a_command(arguments: list[str]) -> None:
    """`kafka-census`: commands without requests and Spark are run; the options and config of others are checked."""
    if arguments[0] == "init":
        Path(defaults.CONFIG).unlink()
    if arguments[0] in ("init", "config"):
        assert command(arguments, Redactor()) == 0
    if arguments[0] == "init":
        shutil.copy(defaults.CENSUS, defaults.CONFIG)
    options = given(parser(arguments[:1]).parse_args(arguments))
    reads = arguments[0] in ("sql", "report", "diff", "impact") and options.lake is not None
    assert load_given(options, asks=not reads).clusters or reads


def foretells(arguments: list[str]) -> None:
    """`kafka-census impact` of a lake: the exit code says what the verdict does."""
    out = io.StringIO()
    with redirect_stdout(out):
        code = command(arguments, Redactor())
    assert (code == 0) == (": safe" in out.getvalue())


def restarts(block: Block, _spark: SparkSession) -> None:
    """A script or a playbook of the reader's that asks before each restart: it is well-formed, as what it asks."""
    if block.language == "sh":
        subprocess.run(["bash", "-n", "-c", block.text], check=True)
    else:
        yaml.safe_load(block.text.replace("{{ broker_id }}", "1"))
    asked = re.findall(r"kafka-census (impact [^;\n]*)", block.text)
    assert asked
    for line in asked:
        words = shlex.split(line.replace("{{ broker_id }}", "1").replace("$broker", "1"))
        assert parser(["impact"]).parse_args(words).live


def is_installed(words: list[str]) -> None:
    install, requirement = words
    named = re.fullmatch(r"dist/(?P<wheel>.+)\[(?P<extra>\w+)\]", requirement)
    assert named is not None
    setup = ConfigParser()
    setup.read("setup.cfg", encoding="utf-8")
    assert (install, named["wheel"]) == ("install", f"kafka_census-{kafka_census.__version__}-py3-none-any.whl")
    assert named["extra"] in setup["options.extras_require"]


def serves(words: list[str], block: Block) -> None:
    """The emulator: it starts, prints the text below the command, and is stopped."""
    command = [sys.executable, *words[1:]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as emulator:
        assert emulator.stdout is not None
        line = emulator.stdout.readline()
        emulator.terminate()
    said = re.sub(r"\d+", "0", line.strip())
    assert said in re.sub(r"\d+", "0", block.text)


def said(arguments: list[str]) -> str:
    """The output of a command without Spark, about the lake in this folder."""
    out = io.StringIO()
    with redirect_stdout(out):
        assert command(arguments, Redactor()) == 0
    return out.getvalue()


def asks(arguments: list[str]) -> None:
    """`kafka-census sql`: it answers."""
    answer = said(arguments)
    assert "orders" in answer
    assert "fine" not in answer


def compares(arguments: list[str], block: Block) -> None:
    """`kafka-census diff`: it prints the text below the command."""
    below = [line for line in block.text.splitlines() if line.startswith("#")]
    assert [f"# {line}".rstrip() for line in said(arguments).splitlines()] == below


def is_written(arguments: list[str]) -> None:
    """`kafka-census report`: the file, or the message, names what is wrong."""
    answer = said(arguments)
    if "--html" in arguments:
        path = Path(arguments[-1])
        files = path.glob("cluster-*.html") if path.is_dir() else [path]
        assert "orders-0" in "".join(file.read_text(encoding="utf-8") for file in files)
    else:
        assert "`orders-0`" in answer


def shell(block: Block, _spark: SparkSession) -> None:
    for environment, words in commands(block):
        if words[0] == "make":
            is_made(words[1:])
        elif words[0] == "pip":
            is_installed(words[1:])
        elif words[:2] == ["kafka-census", "sql"]:
            asks(words[1:])
        elif words[:2] == ["kafka-census", "diff"]:
            compares(words[1:], block)
        elif words[:2] == ["kafka-census", "report"] and {"--html", "--md"} & {*words}:
            is_written(words[1:])
        elif words[0].endswith("kafka-census"):
            (foretells if words[1] == "impact" and "--lake" in words else is_a_command)(words[1:])
        elif words[0].endswith("spark-submit"):
            is_submitted(environment, words)
        elif words[1:3] == ["-m", "kafka_emulator"]:
            serves(words, block)
        else:
            raise AssertionError(f"{block}: no rule of this test runs or checks {words}")


def python(block: Block, _spark: SparkSession) -> None:
    names: dict[str, object] = {}
    exec(compile(block.text, str(block), "exec"), names)  # noqa: S102 - our own docs
    for value in names.values():
        if isinstance(value, subprocess.Popen):
            with value:
                value.terminate()


def sql(block: Block, spark: SparkSession) -> None:
    spark.sql(block.text).collect()


def duckdb(block: Block, _spark: SparkSession) -> None:
    [result] = Session("build/demo/lake").results(block.text)
    list(result.rows)


def configured(block: Block, **environment: str) -> tuple[dict[str, Any], Config]:
    """The block, and conf/census.yaml with it instead of the same sections."""
    reported = yaml.safe_load(block.text)
    whole = yaml.safe_load(Path("conf/census.yaml").read_text(encoding="utf-8")) | reported
    path = Path("build/census.yaml")
    path.write_text(yaml.safe_dump(whole), encoding="utf-8")
    return reported, load(path, environment)


def settings(block: Block, _spark: SparkSession) -> None:
    """The block is accepted, and has the documented effect."""
    reported, read = configured(block)
    assert {name: getattr(read, name).model_dump() for name in reported} == reported


def foresight(block: Block, _spark: SparkSession) -> None:
    """What the tables `risks` and `usage_by_owner` are given of it."""
    reported, read = configured(block)
    values = read.operator_values(next(iter(read.clusters)))
    given = asdict(values.policy)
    given["accept"] = [{name: one[name] for name in one if one[name] is not None} for one in given["accept"]]
    assert given == reported.get("risks", given)
    assert [one.name for one in values.owners] == [one["owner"] for one in reported.get("owners", ())]


def alerting(block: Block, _spark: SparkSession) -> None:
    """On a machine that has the folder and the variable."""
    url = "https://example.org/hook"
    _, read = configured(block, KAFKA_CENSUS__ALERTS__PROMETHEUS_FOLDER="build", CENSUS_WEBHOOK_URL=url)
    webhook = read.webhook()
    assert webhook is not None
    assert (webhook.url.reveal(), webhook.timeout) == (url, timedelta(seconds=10))


def runbooks(block: Block, _spark: SparkSession) -> None:
    """Every address of a runbook is that of the reader's copy."""
    folder = Path(defaults.__file__).parent
    done = subprocess.run(shlex.split(block.text), cwd=folder, capture_output=True, text=True, check=True)
    addresses = set(re.findall(r"runbook_url: (\S+?/docs/|\S+)", done.stdout))
    assert addresses == {"https://docs.example.org/kafka-census/docs/"}


def clusters(block: Block, _spark: SparkSession) -> None:
    """Every key is one that a cluster has, and no secret is read."""
    reported, read = configured(block)
    found = {name: one.model_dump(mode="json", exclude_unset=True) for name, one in read.clusters.items()}
    assert found == reported["clusters"]


def properties(block: Block, _spark: SparkSession) -> None:
    """Every key is used, and no secret is read."""
    Path("build/client.properties").write_text(block.text, encoding="latin-1")
    read = load_given(Given(bootstrap_server="h:1", command_config="build/client.properties"), {})
    assert (read.only_cluster, read.notes) == ("kafka", ())


def suite(block: Block, _spark: SparkSession) -> None:
    folder = Path("build/expectations")
    folder.mkdir(exist_ok=True)
    (folder / "group_lag.json").write_text(block.text, encoding="utf-8")
    assert own_suites(folder, SUITES)


def elsewhere(_block: Block, _spark: SparkSession) -> None:
    """A picture, a question, or what a command prints or sends: compared by tests of these."""


def rules() -> Iterator[tuple[Callable[[Block], bool], Callable[[Block, SparkSession], None]]]:
    """The rules that run or check blocks; the first matching rule applies."""
    yield lambda block: block.page == BACKUP, elsewhere  # performed in unit/test_damaged_lake.py
    yield lambda block: block.page.name == "tables.md", elsewhere  # generated: tests/test_layout.py
    yield lambda block: block.page == RESTART and block.language in ("sh", "yaml"), restarts
    yield lambda block: block.language == "python", python
    yield lambda block: block.language == "sql" and block.page in (SQL, TUTORIAL, RESTART), duckdb
    yield (
        lambda block: block.language == "sql" and block.page == QUESTIONS,
        elsewhere,
    )  # each is asked in test_what_people_ask.py
    yield lambda block: block.language == "sql", sql
    yield lambda block: block.language == "yaml" and block.page == FORESIGHT, foresight
    yield lambda block: block.language == "yaml" and block.page == ALERTING, alerting
    yield lambda block: block.language == "yaml" and block.text.startswith("clusters:"), clusters
    yield lambda block: block.language == "yaml", settings
    yield lambda block: block.language == "properties", properties
    yield lambda block: block.language == "json" and block.page == ALERTING, elsewhere
    yield lambda block: block.language == "json", suite
    yield lambda block: block.text.startswith("Census ") or "\ncensus>" in block.text, elsewhere
    yield lambda block: block.text.startswith("sed "), runbooks
    yield lambda block: block.language in ("", "sh") and SHELL.match(block.text) is not None, shell
    yield lambda block: block.page.name in ("fault-matrix.md", "doctor.md", "report.md", "sql.md"), elsewhere


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_block_of_the_docs_does_what_it_says(spark: SparkSession, block: Block) -> None:
    rule = next((rule for knows, rule in rules() if knows(block)), None)
    assert rule is not None, f"{block}: no rule of this test runs or checks such a block"
    rule(block, spark)
