"""The command `kafka-census`: its subcommands, what they import, and that jobs are the twins of jobs/*.py."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import kafka_census
from kafka_census.cli.arguments import parser as twin
from kafka_census.cli.command import COMMANDS, SUBCOMMANDS, parser
from kafka_census.cli.same_options import options_of, with_options
from kafka_census.config import load
from kafka_census.declarations import jobs
from kafka_census.defaults import CENSUS
from kafka_census.errors import ConfigError
from unit.configuring import ran

HEAVY = ("pyspark", "great_expectations", "kafka", "pandas", "duckdb", "deltalake")
TOLD = f"""
import sys
from contextlib import suppress
from kafka_census.cli.command import main
for words in (["init", "--help"], ["--help"]):
    sys.argv[1:] = words
    with suppress(SystemExit):
        main()
    ours = [name for name in sys.modules if name.startswith("kafka_census.cli.")]
    print("#", *({{*sys.modules}} & {{*{HEAVY}}}), *ours)
"""


ALONE = """
import kafka_census, sys, time
from kafka_census.cli.command import command
from kafka_census.terminal.log import Redactor
lake, html = sys.argv[1:]
seconds = []
for words in (
    ["sql", "--format", "csv", "-e", "SELECT value FROM current_quotas ORDER BY value DESC"],
    ["diff", "--cluster", "c"],
    ["report", "--cluster", "c", "--html", html],
):
    assert command([*words, "--lake", lake], Redactor()) == 0
    seconds.append(time.process_time())
(quotas,) = kafka_census.current(lake, "quotas")
assert quotas.count_rows() == 2
assert not [name for name in sys.modules if name.startswith(("pyspark", "great_expectations", "kafka."))]
assert seconds[0] < 3 and seconds[2] < 8, seconds
"""


def printed() -> Iterator[tuple[str, str]]:
    """The commands in the texts of the package, each with the text; what is filled in is `x`."""
    for file in Path(kafka_census.__file__).parent.rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                text = "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not {id(node)} & (docs | parts):
                text = node.value
            else:
                continue
            for found in re.finditer(rf"kafka-census ((?:{'|'.join(SUBCOMMANDS)})\b[^;,`'()\n]*)", text):
                yield found[1].partition('"')[0].rstrip(". "), text


def test_a_command_in_a_message_is_one_that_the_command_takes() -> None:
    """Those of the demo are run by e2e/test_demo.py; what is filled in there is `x` here."""
    # A first word that is filled in may be any options.
    commands = {
        re.sub(r"^([a-z-]+) x\b", r"\1", line).replace("--broker NAME", "--broker 1"): text
        for line, text in printed()
        if "--help" not in line
    }
    mistakes = []
    for line, text in commands.items():
        try:
            parser(line.split()[:1]).parse_args(line.split())
        except ConfigError as error:
            mistakes += [(text, line, error)] if not re.search("are required|expected one", str(error)) else []
    assert len(commands) > 12
    assert mistakes == []


@pytest.mark.parametrize(
    ("argv", "before", "after"),
    [
        ("run", "", " --bootstrap-server HOST:PORT"),
        ("run --config a.yaml --cluster c", "", " --config a.yaml"),
        ("report --lake=a b", "", " --bootstrap-server HOST:PORT --lake a"),
        ("run --bootstrap-server h:1 --lake l", " --config given", ""),
        ("sql --lake s3a://key:secret@bucket/lake", "", " --bootstrap-server HOST:PORT"),
    ],
)
@pytest.mark.usefixtures("conf")
def test_a_command_in_an_error_leads_to_the_same_configuration(argv: str, before: str, after: str) -> None:
    """And says where brokers must be named; a secret in the address of a lake is not repeated."""
    told = with_options(f"first: kafka-census run{before} --cluster c", options_of(argv.split()))
    assert told == f"first: kafka-census run{after}{before} --cluster c"
    assert "kafka-census report --full" in with_options("kafka-census report --full", "")


def test_help_imports_nothing_heavy_and_a_subcommand_no_other() -> None:
    """It comes at once, and another subcommand may need what is not installed."""
    command = [sys.executable, "-c", TOLD]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, cwd=Path("/"))
    assert [name for name in SUBCOMMANDS if f"\n    {name}" not in done.stdout] == []
    chosen, every = (set(line.split()[1:]) for line in done.stdout.splitlines() if line.startswith("# "))
    assert chosen == {f"kafka_census.cli.{name}" for name in ("command", "ending", "init", "same_options", "usage")}
    assert every.isdisjoint(HEAVY)


def test_readers_of_a_lake_load_no_spark_and_take_seconds_of_cpu_time(lake: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", ALONE, str(lake), str(tmp_path / "census.html")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout[:14]) == (0, "value\n5.0\n4.0\n"), done.stderr


@pytest.mark.parametrize(("name", "job"), COMMANDS.items())
def test_a_job_has_the_options_of_its_twin(name: str, job: str) -> None:
    common = ["--config", "x.yaml", "--debug"]
    one = [] if job == "migrate" else ["--cluster", "a"]
    plan = {"apply": ["--plan", "1", "--yes"], "undo": ["--plan", "1"]}
    assert {each.partition(" ")[0] for each in jobs.JOBS} == set(COMMANDS.values())
    steps = [each.partition(" ")[2] for each in jobs.JOBS if each.partition(" ")[0] == job]
    for step in steps:
        words = [*filter(None, [step]), *common, *one, *plan.get(step, [])]
        ours = vars(parser([name]).parse_args([name, *words]))
        theirs = vars(twin(job).parse_args(words))
        assert {key: ours[key] for key in theirs} == theirs
        assert theirs["step"] == step


@pytest.mark.usefixtures("conf")
def test_init_writes_a_configuration_that_is_right_as_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran("init") == 0
    assert load("conf/census.yaml", {}).clusters
    assert Path("conf/census.yaml").read_text(encoding="utf-8") == CENSUS.read_text(encoding="utf-8")
    assert capsys.readouterr().out.endswith("then: kafka-census run\n")
    assert ran("init", "my census.yaml") == 0
    assert "kafka-census run --config 'my census.yaml'\n" in capsys.readouterr().out


@pytest.mark.usefixtures("conf")
def test_init_overwrites_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.yaml").write_text("mine", encoding="utf-8")
    Path("link.yaml").symlink_to("nowhere.yaml")
    for path, there in (("mine.yaml", "mine.yaml"), ("link.yaml", "link.yaml"), ("mine.yaml/x.yaml", "mine.yaml")):
        assert ran("init", path) == 2
        assert capsys.readouterr().err == f"error: {there} already exists and stays as it is; name another PATH\n"
    assert Path("mine.yaml").read_text(encoding="utf-8") == "mine"
    assert not Path("nowhere.yaml").exists()
    assert ran("init", "/proc/x/census.yaml") == 2
    assert capsys.readouterr().err.startswith("error: /proc/x/census.yaml cannot be written: ")


def test_without_a_known_word_the_help_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        ran("help")
    whole = capsys.readouterr().out
    assert whole.startswith("usage: kafka-census ")
    for argv, line in (((), "the following arguments are required: COMMAND"), (("rnu",), "argument COMMAND: invalid")):
        assert ran(*argv) == 2
        shown = capsys.readouterr()
        assert (shown.out, shown.err.startswith(f"{whole}error: {line}")) == ("", True)
    with pytest.raises(SystemExit, match="0"):
        ran("help", "run")
    assert capsys.readouterr().out.startswith("usage: kafka-census run ")


def test_a_reader_that_has_enough_is_no_error() -> None:
    """As `head`: nothing is said, and the exit code is that of other tools."""
    command = [sys.executable, "-m", "kafka_census", "config", "show", "--config", str(CENSUS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as shown:
        shown.stdout.close()
        assert shown.stderr.read() == ""
        assert shown.wait(timeout=60) == 141


def test_a_relative_lake_is_named_whole(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (("sql", "-e", "FROM brokers"), ("report", "--md"), ("diff", "--cluster", "c")):
        assert ran(*words, "--lake", "lake") == 1
        assert capsys.readouterr().err.startswith(f"error: {conf.parent}/lake/audit/publications is no Delta table")
