"""Jobs: arguments, exit codes, and the one line that an error is."""

import errno
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from kafka_census.census.fleet import run_fleet
from kafka_census.cli import job
from kafka_census.declarations.jobs import Job
from kafka_census.errors import AuthenticationFailed, ConfigError, Refused, Unreachable
from unit.workflow.stand_ins import BEFORE, CANARY, CONF

DISK_FULL = (
    "the disk is full: OSError: [Errno 28] No space left on device; free space where the lake is and where Spark keeps "
    "temporary files (spark.local.dir, /tmp), then run this again; what was committed is not lost"
)
TWO = "--cluster local --cluster secured"
LOCAL = "--cluster local --config census.yaml"
SECURED = "--cluster secured --config census.yaml"
Session = Callable[[BaseException], None]
Run = Callable[..., tuple[int, list[str]]]


@pytest.fixture
def conf(conf: Path) -> Path:
    conf.write_text(f"{CONF}tables: [quotas, brokers]\n", encoding="utf-8")
    return conf


@pytest.fixture
def run(conf: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a job; its exit code, and its lines on stderr. Nothing is printed."""

    def run(name: str, argv: str) -> tuple[int, list[str]]:
        code = job.main(name, argv.split())
        captured = capsys.readouterr()
        assert captured.out == ""
        return code, captured.err.splitlines()

    return run


@pytest.fixture
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CENSUS_PASSWORD", CANARY)


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Session:
    """Let an error be what comes of starting Spark."""
    return lambda error: monkeypatch.setattr(job, "job_session", Mock(side_effect=error))


@pytest.mark.parametrize("name", sorted(job.JOBS))
def test_every_job_has_an_entry_point_help_and_row_counts_where_it_judges(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """jobs/<name>.py starts the job of that name, and says how. Row counts are accepted for one run: no key says it."""
    entry, *step = name.split()
    text = (Path(__file__).parents[2] / "jobs" / f"{entry}.py").read_text(encoding="utf-8")
    assert f'start("{entry}")' in text
    assert f"    SPARK_CONF_DIR=build/spark-conf spark-submit jobs/{entry}.py {''.join(step)}" in text
    with pytest.raises(SystemExit) as caught:
        job.parser(entry).parse_args([*step, "--help"])
    text = capsys.readouterr().out
    assert (caught.value.code, "--config" in text, "--json" in text) == (0, True, True)
    assert ("--accept-row-counts" in text) == (name in ("census", "gate", "publish"))


@pytest.mark.parametrize(
    ("name", "argv", "line"),
    [
        ("census", "", "error: conf/census.yaml: no such file; name the brokers with --bootstrap-server HOST:PORT"),
        ("census", "--config census.yaml", "error: census.yaml has several clusters, local, secured: name one with"),
        ("transform", "--cluster x --resume", "error: unrecognized arguments: --resume; see --help"),
        ("ingest", f"{TWO} --config census.yaml", "error: argument --cluster: is given twice; see --help"),
        ("delete_groups", "apply --plan a --plan b", "error: argument --plan: is given twice"),
        ("census", "--cluster x --all-clusters", "error: argument --all-clusters: not allowed with argument"),
        ("census", f"{TWO} --config census.yaml --census-id {BEFORE}", "names a census of one cluster; give one"),
        ("census", f"{TWO} --config census.yaml", "variable CENSUS_PASSWORD is not set"),
        ("census", "--all-clusters --config census.yaml", "variable CENSUS_PASSWORD is not set"),
        ("census", SECURED, "variable CENSUS_PASSWORD is not set"),
        ("census", f"--cluster x --resume --census-id {BEFORE}", "error: argument --census-id: not allowed"),
        ("census", "--cluster local --config nowhere.yaml", "error: nowhere.yaml: no such file"),
        *(
            (name, "--cluster locl --config census.yaml", "error: census.yaml: no cluster 'locl'")
            for name in ("census", "report", "maintain")
        ),
        ("census", "--cluster local --fail-on offline,ofline", "--fail-on: 'ofline' is none of offline, u"),
        # Else nothing would ever fail on it.
        ("census", f"{LOCAL} --fail-on unreachable,hanging", "needs the table hanging_transactions, which is not surv"),
        ("report", "--config census.yaml --unpublished", "error: census.yaml has several clusters, loc"),
        ("report", f"--config census.yaml --census-id {BEFORE}", "error: --census-id goes with --unpublished"),
        ("delete_groups", "", "error: the following arguments are required: STEP; see --help"),
        ("delete_groups", "apply --cluster local", "error: the following arguments are required: --plan"),
        ("delete_groups", "plan --cluster local --limit=-1", "argument --limit: must be a whole number"),
        *(
            ("report", f"--limit={limit}", f"argument --limit: must be a whole number from 1 to 1000000, not '{limit}'")
            for limit in ("0", "1000001", "1e3", "", "\u0665")
        ),
    ],
)
def test_bad_usage_is_one_line_and_2_before_spark_starts(run: Run, name: str, argv: str, line: str) -> None:
    code, lines = run(name, argv)
    assert (code, len(lines)) == (2, 1)
    assert line in lines[0]


def test_only_jobs_that_write_need_a_lake_that_can_be_written(
    run: Run, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reports, dry runs and reviews go without: /proc takes no folder, from root neither."""
    monkeypatch.setenv("KAFKA_CENSUS__LAKE__ROOT", "/proc/lake")
    session(Refused("Spark was started"))
    plan, config = f"--plan {BEFORE} {LOCAL}", "--config census.yaml"
    for name, argv in (("report", config), ("maintain", config), ("delete_groups", f"apply {plan}")):
        assert run(name, argv)[0] == 3
    for name, argv in (
        *((each, LOCAL) for each in ("census", "ingest", "transform", "gate", "publish")),
        *((each, f"{config} --apply") for each in ("maintain", "migrate")),
        *(("delete_groups", each) for each in (f"plan {LOCAL}", f"apply --yes {plan}")),
    ):
        code, lines = run(name, argv)
        assert code == 2
        assert lines[-1].startswith("error: lake.root /proc/lake cannot be made in /proc: ")


@pytest.mark.usefixtures("reached")
def test_secrets_that_others_can_read_are_one_warning(conf: Path, run: Run, session: Session) -> None:
    session(Refused("not published"))
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        secret = Path(folder) / "password"
        secret.write_text(CANARY, encoding="utf-8")
        secret.chmod(0o644)
        conf.write_text(CONF.replace("{env: CENSUS_PASSWORD}", f"{{file: {secret}}}"), encoding="utf-8")
        code, (warning, error) = run("ingest", SECURED)
        assert (code, error) == (3, "error: not published")
        exposed = {"event": "secrets_exposed", "level": "warning", "files": [str(secret)]}
        assert exposed.items() <= json.loads(warning).items()


def test_bad_expectation_of_an_operator_is_one_line_and_2_before_spark_starts(conf: Path, run: Run) -> None:
    folder = conf.parent / "conf" / "expectations"
    folder.mkdir(parents=True)
    (folder / "nope.json").write_text("{}", encoding="utf-8")
    code, lines = run("gate", LOCAL)
    (line,) = (one for one in lines if one.startswith("error: "))
    assert (code, line.partition(";")[0]) == (2, "error: conf/expectations/nope.json: there is no table 'nope'")


@pytest.mark.parametrize(
    ("name", "argv", "asks"),
    [
        ("census", "", True),
        ("ingest", "", True),
        ("delete_groups", "apply --plan x --yes", True),
        ("delete_groups", "undo --plan x --yes", True),
        ("transform", "", False),
        ("report", "", False),
        ("delete_groups", "plan", False),
        ("delete_groups", "apply --plan x", False),
        ("delete_groups", "undo --plan x", False),
    ],
)
def test_a_job_that_asks_a_cluster_looks_for_it_before_spark_starts_and_others_need_none(
    conf: Path, run: Run, session: Session, name: str, argv: str, asks: bool
) -> None:
    conf.write_text(CONF.replace("9092", "1"), encoding="utf-8")
    session(ConfigError("the session is next"))
    code, lines = run(name, f"{argv} {LOCAL}")
    first = "error: cluster 'local': no bootstrap server answered (127.0.0.1:1"
    assert code == (1 if asks else 2)
    assert (lines[-1].startswith(first), "clusters.local.bootstrap_servers" in lines[-1]) == (asks, asks)
    assert asks or lines[-1] == "error: the session is next"


@pytest.mark.parametrize("name", ["maintain", "migrate"])
def test_a_job_that_changes_the_past_only_tells_unless_it_is_reported_to(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    handed: list[tuple[str, bool]] = []
    monkeypatch.setattr(job, "job_session", lambda *_: None)
    monkeypatch.setattr(job, "require_file_system", lambda *_, **__: None)
    monkeypatch.setattr(Job, "function", lambda _, work: handed.append((work.cluster, work.apply)))
    assert [run(name, f"--config census.yaml {apply}")[0] for apply in ("", "--apply")] == [0, 0]
    assert handed == [("", False), ("", True)]


INTERRUPTED = ValueError("the connection is in use")
INTERRUPTED.__context__ = KeyboardInterrupt()
"""What cleaning up after Ctrl-C may fail with."""

IS_A_BUG = "error: ValueError: odd ***; this is a bug, run again with --debug for the traceback"
RESUME = "error: interrupted; an unfinished census goes on with --resume"


@pytest.mark.usefixtures("reached", "password")
@pytest.mark.parametrize(
    ("name", "argv", "error", "code", "line"),
    [
        ("census", SECURED, AuthenticationFailed("broker refused SASL"), 1, "error: broker refused SASL"),
        ("census", SECURED, ConfigError("no Delta"), 2, "error: no Delta"),
        ("census", SECURED, Refused("not published"), 3, "error: not published"),
        ("census", SECURED, KeyboardInterrupt(), 1, RESUME),
        ("census", SECURED, OSError(errno.ENOSPC, "No space left on device"), 1, f"error: {DISK_FULL}"),
        ("census", SECURED, ValueError(f"odd {CANARY}\nsecond line"), 1, IS_A_BUG),
        # How to go on depends on the job.
        ("delete_groups", f"plan {LOCAL}", INTERRUPTED, 1, "error: interrupted; run it again"),
    ],
)
def test_exit_codes_and_their_line(
    run: Run, session: Session, name: str, argv: str, error: BaseException, code: int, line: str
) -> None:
    """0 done, 1 not surveyed or a bug, 2 usage, 3 refused; always one line, never a secret."""
    session(error)
    found, (said,) = run(name, argv)
    assert (found, said[: len(line)]) == (code, line)
    assert name != "census" or said == line


@pytest.mark.parametrize(("codes", "worst"), [("00", 0), ("40", 4), ("43", 3), ("23", 2), ("21", 1)])
def test_the_exit_code_of_several_clusters_is_the_worst(codes: str, worst: int) -> None:
    """All are surveyed, in one session, whatever comes of each."""
    events: list[str] = []

    def survey(_spark: object, cluster: str) -> None:
        events.append(cluster)
        if code := int(codes["ab".index(cluster)]):
            raise Refused(code)

    session: Any = lambda: events.append("session")  # noqa: E731
    assert run_fleet("ab", lambda _: None, session, survey, lambda _, error: int(error.args[0])) == worst
    assert events == ["session", *"ab"]


@pytest.mark.usefixtures("password")
def test_several_clusters_of_which_none_answers_start_no_session(
    run: Run, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(AssertionError("a session was made"))
    for error, lines in (
        (Unreachable("nobody answers"), [f"error: cluster '{name}': nobody answers" for name in ("local", "secured")]),
        (INTERRUPTED, [RESUME]),
    ):
        monkeypatch.setattr(job, "_reach", Mock(side_effect=error))
        code, said = run("census", f"{TWO} --cluster local --config census.yaml")
        assert (code, [line for line in said if line.startswith("error: ")]) == (1, lines)


@pytest.mark.usefixtures("reached", "conf", "password")
def test_on_databricks_a_job_returns_or_raises(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """No SystemExit there, not even 0; an unexpected error arrives without its secrets."""
    monkeypatch.setenv("DATABRICKS_RUNTIME_VERSION", "18.0")
    monkeypatch.setattr(sys, "argv", ["job", *SECURED.split()])
    session(ValueError(f"odd {CANARY}"))
    with pytest.raises(RuntimeError, match=r"ValueError: odd \*\*\*"):
        job.start("census")
    session(Refused("not published"))
    with pytest.raises(Refused):
        job.start("census")
    monkeypatch.setattr(job, "perform", lambda *_args: 0)
    job.start("census")
