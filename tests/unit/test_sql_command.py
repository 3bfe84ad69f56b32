"""`kafka-census sql`: where statements come from, the prompt, and answers in each format."""

import io
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from harness.documented import SQL, block_with
from harness.hostile import HOSTILE, assert_harmless
from harness.small_lake import append, census_id, publish, stage
from kafka_census.cli.command import command
from kafka_census.declarations.audit import CENSUS_RUNS
from kafka_census.errors import BadQuery, ConfigError, CorruptLake, OutOfResources
from kafka_census.reading.sql.output import MOST_ROWS, TEXTS
from kafka_census.reading.sql.session import Rows
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_census.terminal.columns import cells_of
from kafka_census.terminal.log import Redactor
from unit.test_progress import Terminal

LAST = "SELECT value FROM current_quotas ORDER BY value DESC"
DAYS = r"\d+d( \d+[hms])?"
"""An age of days: `9d 2h`, and in some minutes of a day `9d 5m` or `9d`."""


def run(*arguments: str) -> int:
    return command(["sql", *arguments], Redactor())


def test_an_id_with_several_names_is_said_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On stderr with its age, as long as no configuration says that the cluster was renamed."""
    root = tmp_path / "lake"
    for number, cluster in ((1, "prod"), (3, "dev")):
        stage(root, QUOTAS, number, value=float(number))
        publish(root, number, cluster=cluster)
        published = {"census_id": census_id(number), "cluster": cluster, "event": "published", "at": datetime.now(UTC)}
        append(root, CENSUS_RUNS, [published])
    assert run("--lake", str(root), "-e", LAST, "--format", "csv") == 0
    printed = capsys.readouterr()
    assert printed.out == "value\n3.0\n"
    note = f"note: cluster id one has censuses under 2 names, dev, prod: .*{census_id(3)} of dev; .*\n"
    age = rf"note: cluster dev: census {census_id(3)}, published {DAYS} ago\n"
    assert re.fullmatch(note + age, printed.err)
    conf = tmp_path / "census.yaml"
    clusters = "{dev: {bootstrap_servers: [b:9092], former_names: [prod]}}"
    conf.write_text(f"lake: {{root: {root}}}\nclusters: {clusters}\n", encoding="utf-8")
    assert run("--config", str(conf), "-e", LAST, "--format", "csv") == 0
    assert re.fullmatch(age, capsys.readouterr().err)


def test_a_newer_census_that_is_not_published_is_said_on_stderr(
    lake: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = shutil.copytree(lake, tmp_path / "lake")
    event = {"census_id": census_id(7), "cluster": "c", "event": "failed", "at": datetime.now(UTC), "detail": "why"}
    append(root, CENSUS_RUNS, [event])
    assert run("--lake", str(root), "-e", LAST, "--format", "csv") == 0
    printed = capsys.readouterr()
    assert printed.out == "value\n5.0\n4.0\n"
    line = rf"note: cluster c: census {census_id(4)}, published {DAYS} ago. A newer census, {census_id(7)}, ended "
    see = f"See: SELECT * FROM census_runs WHERE census_id = '{census_id(7)}'"
    assert re.match(rf"{line}with an error \d+s ago: why. {re.escape(see)}\n", printed.err)
    assert run("--lake", str(root), "-e", LAST, "--as-of", "2026-11-21 15:30", "--format", "csv") == 0
    as_of = rf"note: cluster c as of 2026-11-21 15:30 UTC: census {census_id(2)}, published 1h 30m ago\n"
    assert re.match(as_of, capsys.readouterr().err)
    shutil.rmtree(root / "audit" / "census_runs")
    assert run("--lake", str(root), "-e", LAST, "--format", "csv") == 0
    assert ". Whether a newer census was refused is not known: " in capsys.readouterr().err


def test_limits_are_options(lake: Path) -> None:
    with pytest.raises(OutOfResources, match="more memory"):
        run("--lake", str(lake), "--memory-limit", "64MiB", "-e", "SELECT len(list(range)) FROM range(100000000)")
    for text in ("0", "-1", "nan", "inf", "1h", ""):
        with pytest.raises(ConfigError, match="is no number of seconds between 0 and 604,800"):
            run("--lake", str(lake), "--timeout", text, "-e", LAST)


def test_statements_come_from_a_file_or_from_stdin(
    lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "questions.sql"
    file.write_text(f"{LAST} LIMIT 1;\nSELECT '' AS empty;", encoding="utf-8")
    assert run("--lake", str(lake), "--format", "json", "--file", str(file)) == 0
    monkeypatch.setattr(sys, "stdin", io.StringIO(file.read_text(encoding="utf-8")))
    assert run("--lake", str(lake), "--format", "json") == 0
    assert capsys.readouterr().out == '{"value": 5.0}\n{"empty": ""}\n' * 2
    monkeypatch.setattr(sys, "stdin", io.StringIO("x" * 1_048_577))
    with pytest.raises(ConfigError, match=r"^stdin holds more than 1,048,576 characters; are these statements\?$"):
        run("--lake", str(lake))


def test_the_lake_is_that_of_the_configuration_or_any_folder_and_as_of_is_a_time_or_a_census(
    lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A backslash and `%20` deltalake takes for something else; any other name is one."""
    odd = tmp_path / "it's `so`, two words 50% a#b?c grüße😀 {a}[b]* a:b,c=d"
    shutil.copytree(lake, odd)
    monkeypatch.chdir(lake.parent)
    conf = tmp_path / "census.yaml"
    conf.write_text("lake: {root: lake}\nclusters: {a: {bootstrap_servers: [b:9092]}}\n", encoding="utf-8")
    for where in (("--config", str(conf)), ("--lake", "lake"), ("--lake", f"file:{lake}"), ("--lake", str(odd))):
        assert run(*where, "--format", "csv", "-e", f"{LAST} LIMIT 1") == 0
        assert capsys.readouterr().out == "value\n5.0\n"
    for moment in ("2026-11-21 15:30", "2026-11-21T16:30:00+01:00", census_id(3)):
        assert run("--lake", "lake", "--format", "csv", "--as-of", moment, "-e", LAST) == 0
        assert capsys.readouterr().out == "value\n3.0\n2.0\n"
    with pytest.raises(ConfigError, match=r"^--spark-conf is for a lake in a catalog: "):
        run("--config", str(conf), "--spark-conf", "spark.driver.memory=2g", "-e", LAST)


def test_mistakes_have_exit_codes(lake: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reported = []
    for arguments in (
        ("--lake", str(lake), "-e", "SELECT wrong FROM calls"),
        ("--lake", str(lake), "--as-of", "yesterday", "-e", LAST),
        ("--lake", str(lake), "--file", str(tmp_path / "nothing.sql")),
        ("--lake", str(tmp_path), "-e", LAST),
    ):
        with pytest.raises((BadQuery, ConfigError, CorruptLake)) as mistake:
            run(*arguments)
        said = re.split("[;!]| .run ", str(mistake.value))[0].replace(str(tmp_path), "HERE")
        reported.append((mistake.value.exit_code, said))
    assert capsys.readouterr().out == ""
    assert reported == [
        (2, 'line 1, column 8: Referenced column "wrong" not found in FROM clause'),
        (2, "--as-of: 'yesterday' is no census id"),
        (2, "--file HERE/nothing.sql cannot be read: No such file or directory"),
        (1, "HERE/audit/publications is no Delta table: nothing was published there yet, or it is no lake"),
    ]


def test_a_package_that_is_missing_is_named_with_its_extra(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [path for path in sys.path if "site-packages" not in path])
    for name in [name for name in sys.modules if name.partition(".")[0] in ("duckdb", "_duckdb")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ConfigError, match=r"^the package duckdb is not installed: pip install 'kafka-census\[sql\]'$"):
        run("--lake", str(lake), "-e", LAST)


# The signal is ignored where tests run in the background, and blocked where the process has started Spark; so it would
# be in what they start.
PROMPT = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
runpy.run_module("kafka_census", run_name="__main__")
"""


@contextmanager
def prompted(lake: Path, state: Path) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", PROMPT, "sql", "--lake", str(lake)]
    # A dumb terminal, as where TERM is not set, is drawn anew with its prompt for each edited line.
    environment = {**os.environ, "TERM": "xterm", "XDG_STATE_HOME": str(state)}
    on_terminal = {"stdin": theirs, "stdout": theirs, "stderr": theirs, "env": environment}
    with subprocess.Popen(command, start_new_session=True, **on_terminal) as asked:
        os.close(theirs)
        try:
            yield ours, asked
            os.write(ours, b"\\q\n")
            assert asked.wait(30) == 0
        finally:
            asked.kill()
    os.close(ours)


def answered(terminal: int, typed: bytes = b"") -> str:
    os.write(terminal, typed)
    reported = b""
    while not reported.endswith(b"> "):
        reported += os.read(terminal, 4096)
    return reported.decode().replace("\r\n", "\n")


@pytest.mark.timeout(120)
def test_a_terminal_is_asked_for_statements(lake: Path, tmp_path: Path) -> None:
    with prompted(lake, tmp_path) as (terminal, asked):
        banner = answered(terminal)
        assert re.match(rf"kafka-census [\d.]+, lake \S+\ncluster c: census \S+, published {DAYS} ago\n", banner)
        _, _, *below = block_with(SQL, "census>").text.splitlines(keepends=True)
        assert banner.endswith("".join(below).rstrip("\n") + " ")
        assert answered(terminal, b"SELECT 1 AS a\n").endswith("    ..> ")
        described = answered(terminal, b"\\d quotas\n")
        assert "quotas: One row per client quota: " in described
        assert re.search(r"\nvalue +DOUBLE +The limit", described)
        assert answered(terminal, b", 2 AS b;\n").endswith("a  b\n1  2\n(1 row)\n\ncensus> ")
        assert "error: line 1, column 8: Referenced column" in answered(terminal, b"SELECT wrong;\n")
        assert answered(terminal, b"SELECT 'dropped\n").endswith("    ..> ")
        asked.send_signal(signal.SIGINT)
        # Python misses a signal that comes between its prompt and its wait for input.
        while not select.select([terminal], [], [], 10)[0]:
            asked.send_signal(signal.SIGINT)
        assert answered(terminal).endswith("\ncensus> ")
        assert answered(terminal, b"SELECT max(val\t) FROM current_qu\t;\n").endswith("5.0\n(1 row)\n\ncensus> ")
        assert "error: there is no command \\x; \\? lists them" in answered(terminal, b"\\x\n")
        assert "\\q, exit    leave" in answered(terminal, b"help\n")
    history = tmp_path / "kafka-census" / "sql_history"
    assert history.stat().st_mode & 0o777 == 0o600
    remembered = ["\\d quotas", "SELECT 1 AS a , 2 AS b;", "SELECT wrong;"]
    assert history.read_text(encoding="utf-8").splitlines()[:3] == remembered
    with prompted(lake, tmp_path) as (terminal, _):
        answered(terminal)
        assert answered(terminal, b"\x1b[A" * 3 + b"\x01\x0b SELECT 3 AS c;\n").endswith("c\n3\n(1 row)\n\ncensus> ")
        assert answered(terminal, b"\x1b[A" * 4 + b"\n").endswith("5.0\n(1 row)\n\ncensus> ")


def test_a_file_is_written_whole_or_not_at_all(
    lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    out = tmp_path / "answer.csv"
    assert run("--lake", str(lake), "--output", str(out), "-e", LAST) == 0
    for query in ("SELECT 1; SELECT wrong", "SELECT 1; SELECT error('in the middle') FROM range(3)"):
        with pytest.raises(BadQuery):
            run("--lake", str(lake), "--output", str(out), "-e", query)
    assert out.read_text(encoding="utf-8") == "value\n5.0\n4.0\n"
    assert list(tmp_path.iterdir()) == [out]
    with pytest.raises(ConfigError, match=r"^--output .*nowhere/a cannot be written: No such file or directory$"):
        run("--lake", str(lake), "--output", str(tmp_path / "nowhere" / "a"), "-e", LAST)
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(sys, "stdout", Terminal())
    with pytest.raises(ConfigError, match=r"^--output needs statements: give them by -e, by --file or on stdin$"):
        run("--lake", str(lake), "--output", str(out))
    with pytest.raises(ConfigError, match=r"^Parquet is not for a terminal: add --output FILE, or send it to another"):
        run("--lake", str(lake), "--format", "parquet", "-e", LAST)


TYPED = """
SELECT TIMESTAMPTZ '2026-11-21 12:00:00.000005+00' AS at, [1, NULL] AS list, {'a': 'x', 'b': NULL} AS struct,
    NULL::BIGINT AS nothing, 0.10::DECIMAL(4, 2) AS exact, '' AS empty, sum(range) AS large FROM range(3)
"""


def test_parquet_keeps_types(lake: Path, tmp_path: Path) -> None:
    out = tmp_path / "answer.parquet"
    assert run("--lake", str(lake), "--output", str(out), "-e", TYPED) == 0
    found = parquet.read_table(out)
    assert found.to_pylist() == [
        {"at": NOON, "list": [1, None], "struct": {"a": "x", "b": None}, "nothing": None}
        | {"exact": Decimal("0.10"), "empty": "", "large": 3}
    ]
    assert str(found.schema.field("at").type) == "timestamp[us, tz=UTC]"
    assert str(found.schema.field("nothing").type) == "int64"
    for query, said in {
        "SELECT 1; SELECT 2": "one file of Parquet holds one result; these are 2 statements",
        "SELECT 1 AS a, 2 AS a": "two columns have the name a, which Parquet does not allow",
        "SELECT INTERVAL 1 DAY AS a": "Parquet does not hold a column of this type: CAST it to VARCHAR",
        "SELECT error('in the middle') AS a FROM range(30000)": "in the middle",
    }.items():
        with pytest.raises(BadQuery, match=re.escape(said)):
            run("--lake", str(lake), "--output", str(out), "-e", query)
    endless = "SELECT sum(range) AS a FROM range(1::BIGINT << 40)"
    with pytest.raises(OutOfResources, match="longer than"):
        run("--lake", str(lake), "--output", str(out), "--timeout", "0.3", "-e", endless)
    assert parquet.read_table(out).num_rows == 1
    assert run("--lake", str(lake), "--output", str(out), "-e", f"{LAST} LIMIT 0") == 0
    assert parquet.read_table(out).schema.names == ["value"]


NOON, AT_NOON = datetime(2026, 11, 21, 12, 0, 0, 5, tzinfo=UTC), "2026-11-21T12:00:00.000005Z"


def written(form: str, columns: Sequence[str], *rows: tuple[Any, ...], out: io.StringIO | None = None) -> str:
    out = out or io.StringIO()
    TEXTS[form](Rows(columns, iter(rows)), out)
    return out.getvalue()


def test_a_table_tells_null_from_text() -> None:
    """Text that is empty or could be taken for null is quoted, and so is what begins with a quote."""
    rows = [(None, 1), ("", 22), ("NULL", None), ("'x'", 4), ("plain", 5)]
    assert written("table", ["name", "n"], *rows) == (
        "name        n\nNULL        1\n''         22\n'NULL'   NULL\n'''x'''     4\nplain       5\n(5 rows)\n\n"
    )
    assert written("table", ["a", "b"]) == "a  b\n(0 rows)\n\n"


@pytest.mark.parametrize("columns", [2, 30])
@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_table_is_no_wider_than_the_terminal(monkeypatch: pytest.MonkeyPatch, columns: int, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    names = [f"column_{number}" for number in range(columns)]
    text = written("table", names, tuple("long words " * 20 for _ in names), tuple(range(columns)))
    assert max(map(cells_of, text.splitlines())) <= width
    assert ("-- row 2 ---" in text) == (columns == 30)
    assert all(name in text for name in names)


def test_a_table_ends_in_time() -> None:
    rows = iter([(number,) for number in range(3 * MOST_ROWS)])
    out = io.StringIO()
    TEXTS["table"](Rows(["n"], rows), out)
    assert out.getvalue().endswith(f"{MOST_ROWS - 1}\n(the first 1,000 rows; --format csv or json has all)\n\n")
    assert len(list(rows)) >= 2 * MOST_ROWS - 1


@pytest.mark.parametrize("form", TEXTS)
def test_names_of_kafka_drive_no_terminal(form: str) -> None:
    text = written(form, ["\x1b[2Jpwned", *"bc"], *((name, [name], {"a": name}) for name in HOSTILE), out=Terminal())
    assert_harmless(text)
    assert len(text.splitlines()) >= len(HOSTILE)


def test_markdown_is_a_table_whatever_is_in_it() -> None:
    text = written("markdown", ["a|b", "n_n"], ("x|y\n<b>*z* __a_b", 1), (["[a](b)"], None))
    rows = ["| a\\|b | n_n |", "| --- | ---: |", r"| x\|y\\n\<b>\*z\* \_\_a_b | 1 |", '| ["[a\\](b)"] | NULL |']
    assert text.splitlines() == rows


def test_csv_is_exact() -> None:
    odd = (None, "", "a,b", 'say "so"', "two\nlines", "\x1b[2J")
    text = written("csv", list("abcdef"), odd, (True, 2**63, 0.1, Decimal("1.50"), NOON, [1, None]))
    first = 'a,b,c,d,e,f\n,"","a,b","say ""so""","two\nlines",\x1b[2J\n'
    assert text == f'{first}true,9223372036854775808,0.1,1.50,{AT_NOON},"[1, null]"\n'
    assert written("csv", ["a", "b"]) == "a,b\n"


def test_json_is_exact() -> None:
    """One object per line; a reader of JSON gets back what was there, with every digit and in ASCII.

    No column is lost because it has the name of another.
    """
    values: dict[str, tuple[Any, Any]] = {
        "null": (None, None),
        "text": ("größe \x1b\u2028😀", "größe \x1b\u2028😀"),
        "large": (2**63, 2**63),
        "decimal": (Decimal("0.10000000000000000001"), Decimal("0.10000000000000000001")),
        "nested": ([{"a": [1.5, None], "at": NOON}], [{"a": [Decimal("1.5"), None], "at": AT_NOON}]),
        "day": (date(2026, 11, 21), "2026-11-21"),
        "bytes": (b"\x00\xff", "00ff"),
        "no_number": (float("nan"), "NaN"),
        "endless": (float("-inf"), "-Infinity"),
        "took": (timedelta(hours=1), "1:00:00"),
    }
    text = written("json", list(values), tuple(value for value, _ in values.values()))
    assert text.isascii()
    assert json.loads(text, parse_float=Decimal) == {name: shown for name, (_, shown) in values.items()}
    assert len(written("json", ["a"], ("x\ny",), ("z",)).splitlines()) == 2
    assert written("json", ["a", "b"]) == ""
    with pytest.raises(BadQuery, match=r"^two columns have the name a, which JSON does not allow: name them with"):
        written("json", ["a", "b", "a"], (1, 2, 3))
