"""Jobs: arguments, exit codes, and the one line that an error is."""

import errno
import json
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from kafka_census.errors import AuthenticationFailed, ConfigError, CorruptLake, Refused, TroubleFound, Unreachable
from kafka_census.one_line import one_line
from kafka_census.protocol.settings import ClusterSettings
from kafka_census.workflows import job
from kafka_census.workflows.work import CensusWork
from unit.workflow.stand_ins import BEFORE, CANARY, CONF

DISK_FULL = (
    "the disk is full: OSError: [Errno 28] No space left on device; free space where the lake is and where Spark keeps "
    "temporary files (spark.local.dir, /tmp), then run this again; what was committed is not lost"
)
TWO = ("--cluster", "local", "--cluster", "secured")


@pytest.fixture
def conf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "census.yaml"
    path.write_text(CONF, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", sorted(job.JOBS))
def test_every_job_has_an_entry_point_and_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    entry, *step = name.split()
    text = (Path(__file__).parents[2] / "jobs" / f"{entry}.py").read_text(encoding="utf-8")
    assert f'start("{entry}")' in text
    with pytest.raises(SystemExit) as caught:
        job.parser(entry).parse_args([*step, "--help"])
    assert caught.value.code == 0
    assert "--config" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "argv", "line"),
    [
        ("census", [], "error: one of the arguments --cluster --all-clusters is required; see --help"),
        ("ingest", ["--clutser", "x"], "error: the following arguments are required: --cluster; see --help"),
        ("ingest", [*TWO, "--config", "census.yaml"], "error: argument --cluster: is given twice; see --help"),
        ("delete_groups", ["apply", "--plan", "a", "--plan", "b"], "error: argument --plan: is given twice"),
        ("transform", ["--census-id", BEFORE, "--census-id", BEFORE], "error: argument --census-id: is given twice"),
        ("census", ["--cluster", "x", "--all-clusters"], "error: argument --all-clusters: not allowed with argument"),
        ("census", [*TWO, "--config", "census.yaml", "--census-id", BEFORE], "names a census of one cluster; give one"),
        ("census", [*TWO, "--config", "census.yaml"], "variable CENSUS_PASSWORD is not set"),
        ("census", ["--all-clusters", "--config", "census.yaml"], "variable CENSUS_PASSWORD is not set"),
        ("census", ["--cluster", "x", "--resume", "--census-id", BEFORE], "error: argument --census-id: not allowed"),
        ("transform", ["--cluster", "x", "--resume"], "error: unrecognized arguments: --resume; see --help"),
        ("census", ["--cluster", "local", "--config", "nowhere.yaml"], "error: nowhere.yaml: no such file"),
        ("census", ["--cluster", "locl", "--config", "census.yaml"], "error: census.yaml: no cluster 'locl'"),
        ("census", ["--cluster", "local", "--fail-on", "offline,ofline"], "--fail-on: 'ofline' is none of offline, u"),
        ("report", ["--config", "census.yaml", "--unpublished"], "error: --unpublished is about one cluster; give"),
        ("report", ["--config", "census.yaml", "--census-id", BEFORE], "error: --census-id goes with --unpublished"),
        ("report", ["--cluster", "locl", "--config", "census.yaml"], "error: census.yaml: no cluster 'locl'"),
        ("maintain", ["--cluster", "locl", "--config", "census.yaml"], "error: census.yaml: no cluster 'locl'"),
        ("maintain", ["--census-id", BEFORE], "error: unrecognized arguments: --census-id"),
        ("migrate", ["--cluster", "local"], "error: unrecognized arguments: --cluster"),
        ("delete_groups", [], "error: the following arguments are required: STEP; see --help"),
        ("delete_groups", ["drop"], "error: argument STEP: invalid choice: 'drop'"),
        ("delete_groups", ["apply", "--cluster", "local"], "error: the following arguments are required: --plan"),
        ("delete_groups", ["plan", "--cluster", "local", "--yes"], "error: unrecognized arguments: --yes"),
        ("delete_groups", ["undo", "--cluster", "local", "--census-id", BEFORE], "error: the following arguments are"),
        *(
            (
                "report",
                [f"--limit={limit}"],
                f"argument --limit: must be a whole number from 1 to 1000000, not '{limit}'",
            )
            for limit in ("-1", "0", "1000001", "1e3", "x", "", "\u0665")
        ),
        ("delete_groups", ["plan", "--cluster", "local", "--limit=-1"], "argument --limit: must be a whole number"),
        ("publish", ["--cluster", "local", "--apply"], "error: unrecognized arguments: --apply"),
        ("census", ["--cluster", "secured", "--config", "census.yaml"], "variable CENSUS_PASSWORD is not set"),
    ],
)
def test_bad_usage_is_one_line_and_2_before_spark_starts(
    conf: Path, capsys: pytest.CaptureFixture[str], name: str, argv: list[str], line: str
) -> None:
    assert conf.exists()
    assert job.main(name, argv) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert line in captured.err


def test_what_fail_on_names_must_be_surveyed(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conf.write_text(f"{CONF}tables: [quotas, brokers]\n", encoding="utf-8")
    argv = ["--cluster", "local", "--config", "census.yaml", "--fail-on", "unreachable,hanging"]
    assert job.main("census", argv) == 2
    assert capsys.readouterr().err == (
        "error: --fail-on hanging needs the table hanging_transactions, which is not surveyed: add it to `tables`\n"
    )


@pytest.mark.parametrize("name", ["census", "report"])
def test_a_lake_that_is_a_file_is_one_line_and_2_before_spark_starts(
    conf: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (conf.parent / "lake").write_text("", encoding="utf-8")
    assert job.main(name, ["--cluster", "local", "--config", str(conf)]) == 2
    lake = conf.parent / "lake"
    assert capsys.readouterr().err == (
        f"error: lake.root {lake}: {lake} is not a folder; name another lake.root, or move it away\n"
    )


def test_only_jobs_that_write_need_a_lake_that_can_be_written(
    conf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Reports, dry runs and reviews go without: /proc takes no folder, from root neither."""
    monkeypatch.setenv("KAFKA_CENSUS__LAKE__ROOT", "/proc/lake")
    monkeypatch.setattr(job, "job_session", Fails(Refused("Spark was started")))
    common = ["--config", str(conf)]
    plan = ["--plan", BEFORE, "--cluster", "local", *common]
    for name, argv in (("report", common), ("maintain", common), ("delete_groups", ["apply", *plan])):
        assert job.main(name, argv) == 3
    capsys.readouterr()
    census = ["--cluster", "local", *common]
    for name, argv in (
        *((each, census) for each in ("census", "ingest", "transform", "gate", "publish")),
        ("maintain", [*common, "--apply"]),
        ("migrate", [*common, "--apply"]),
        ("delete_groups", ["plan", *census]),
        ("delete_groups", ["apply", "--yes", *plan]),
    ):
        assert job.main(name, argv) == 2
        err = capsys.readouterr().err.splitlines()
        assert err[-1].startswith("error: lake.root /proc/lake cannot be made in /proc: ")


@pytest.mark.usefixtures("reached")
def test_secrets_that_others_can_read_are_one_warning(
    conf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(job, "job_session", Fails(Refused("not published")))
    monkeypatch.delenv("CENSUS_PASSWORD", raising=False)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        secret = Path(folder) / "password"
        secret.write_text(CANARY, encoding="utf-8")
        secret.chmod(0o644)
        conf.write_text(CONF.replace("{env: CENSUS_PASSWORD}", f"{{file: {secret}}}"), encoding="utf-8")
        argv = ["--cluster", "secured", "--config", str(conf)]
        assert job.main("ingest", argv) == 3
        warning, error = capsys.readouterr().err.splitlines()
        assert error == "error: not published"
        assert {"event": "secrets_exposed", "level": "warning", "files": [str(secret)]}.items() <= (
            json.loads(warning).items()
        )
        secret.chmod(0o640)
        assert job.main("ingest", argv) == 3
        assert capsys.readouterr().err == "error: not published\n"


def test_bad_expectation_of_an_operator_is_one_line_and_2_before_spark_starts(
    conf: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = conf.parent / "conf" / "expectations"
    folder.mkdir(parents=True)
    (folder / "nope.json").write_text("{}", encoding="utf-8")
    assert job.main("gate", ["--cluster", "local", "--config", str(conf)]) == 2
    line = "error: conf/expectations/nope.json: there is no table 'nope'"
    assert next(one for one in capsys.readouterr().err.splitlines() if one.startswith("error: ")).startswith(line)


def test_every_mistake_of_a_configuration_is_a_line_of_its_own(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conf.write_text(f"{CONF}colect: {{}}\ngate: {{keep_rows: 2}}\n", encoding="utf-8")
    assert job.main("census", ["--cluster", "local", "--config", "census.yaml"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "error: census.yaml:10: unknown key 'colect' in the file; did you mean 'collect'?",
        "error: census.yaml:11: gate.keep_rows must be less than or equal to 1, not 2",
    ]


ASKING = ("census", "ingest", "delete_groups apply", "delete_groups undo")


@pytest.mark.parametrize("name", ASKING)
def test_a_cluster_that_does_not_answer_is_reported_before_spark_starts(
    conf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    conf.write_text(CONF.replace("9092", "1"), encoding="utf-8")
    monkeypatch.setattr(job, "job_session", Fails(AssertionError("a session was made")))
    entry, *step = name.split()
    argv = [*step, "--cluster", "local", "--config", str(conf), *(("--plan", "x", "--yes") if step else ())]
    assert job.main(entry, argv) == 1
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith("error: cluster 'local': no bootstrap server answered (127.0.0.1:1")
    assert "check clusters.local.bootstrap_servers" in line


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("transform", ()),
        ("report", ()),
        ("delete_groups plan", ()),
        ("delete_groups apply", ("--plan", "x")),
        ("delete_groups undo", ("--plan", "x")),
    ],
)
def test_a_job_that_sends_nothing_asks_nobody(
    conf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, arguments: tuple[str]
) -> None:
    monkeypatch.setattr(job, "job_session", Fails(ConfigError("the session is next")))
    entry, *step = name.split()
    assert job.main(entry, [*step, "--cluster", "local", "--config", str(conf), *arguments]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "error: the session is next"


@pytest.mark.parametrize("name", sorted(job.JOBS))
def test_only_jobs_that_judge_accept_row_counts(name: str) -> None:
    entry, *step = name.split()
    options = set() if step else job.parser(entry)._option_string_actions
    assert ("--accept-row-counts" in options) == (name in ("census", "gate", "publish"))


@pytest.mark.parametrize("name", ["maintain", "migrate"])
def test_a_job_that_changes_the_past_only_tells_unless_it_is_reported_to(
    conf: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    handed: list[tuple[str, bool]] = []
    monkeypatch.setattr(job, "job_session", lambda *_: None)
    monkeypatch.setattr(job, "require_file_system", lambda *_, **__: None)
    ran = replace(job.RUNNERS[name], run=lambda work: handed.append((work.cluster, work.apply)))
    monkeypatch.setitem(job.RUNNERS, name, ran)
    assert job.main(name, ["--config", str(conf)]) == 0
    assert job.main(name, ["--config", str(conf), "--apply"]) == 0
    assert handed == [("", False), ("", True)]


@dataclass
class Fails:
    """A function that raises."""

    error: BaseException

    def __call__(self, *_args: object) -> None:
        """Raise it."""
        raise self.error


@pytest.mark.usefixtures("reached")
@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (AuthenticationFailed("broker refused SASL"), 1, "error: broker refused SASL\n"),
        (ConfigError("no Delta"), 2, "error: no Delta\n"),
        (Refused("not published"), 3, "error: not published\n"),
        (KeyboardInterrupt(), 1, "error: interrupted; an unfinished census goes on with --resume\n"),
        (OSError(errno.ENOSPC, "No space left on device"), 1, f"error: {DISK_FULL}\n"),
        (
            ValueError(f"odd {CANARY}\nsecond line"),
            1,
            "error: ValueError: odd ***; this is a bug, run again with --debug for the traceback\n",
        ),
    ],
)
def test_exit_codes_and_their_line(
    conf: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    line: str,
) -> None:
    """0 done, 1 not surveyed or a bug, 2 usage, 3 refused; always one line, never a secret."""
    monkeypatch.setenv("CENSUS_PASSWORD", CANARY)
    monkeypatch.setattr(job, "job_session", Fails(error))
    assert job.main("census", ["--cluster", "secured", "--config", str(conf)]) == code
    assert capsys.readouterr().err == line


@pytest.mark.parametrize("name", ["maintain", "delete_groups"])
def test_what_fails_because_of_an_interrupt_is_an_interrupt(
    conf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Cleaning up after Ctrl-C may fail; how to go on depends on the job."""
    failed = ValueError("the connection is in use")
    failed.__context__ = KeyboardInterrupt()
    monkeypatch.setattr(job, "job_session", Fails(failed))
    step = ["plan", "--cluster", "local"] if name == "delete_groups" else []
    assert job.main(name, [*step, "--config", str(conf)]) == 1
    assert capsys.readouterr().err.startswith("error: interrupted; run it again")


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        ((None, None, None), 0),
        ((None, Refused("census 1 of b is not published"), None), 3),
        ((Refused("census 1 of a is not published"), CorruptLake("a table is lost"), None), 1),
        ((ConfigError("too old"), None, ValueError("odd")), 1),
        ((TroubleFound("census 1 of a shows 3 offline"), None, None), 4),
        ((TroubleFound("census 1 of a shows 3 offline"), Refused("census 1 of b is not published"), None), 3),
    ],
)
def test_several_clusters_are_surveyed_one_after_the_other(
    conf: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    outcomes: tuple[Exception | None, ...],
    code: int,
) -> None:
    """In one session; what one fails of is its own line and stops no other, and the exit code is the worst."""
    clusters = ("a", "b", "c")
    text = "".join(f"  {name}: {{bootstrap_servers: [127.0.0.1:9092]}}\n" for name in (*clusters, "silent"))
    conf.write_text(f"lake: {{root: lake}}\nclusters:\n{text}", encoding="utf-8")
    events: list[str] = []
    outcome = dict(zip(clusters, outcomes, strict=True))

    def run(work: CensusWork) -> None:
        events.append(work.cluster)
        assert work.settings is not None
        assert work.settings.name == work.cluster
        error = outcome[work.cluster]
        if error is not None:
            raise error

    def reach(settings: ClusterSettings, _config: object) -> None:
        if settings.name == "silent":
            raise Unreachable("cluster 'silent': no bootstrap server answered")

    monkeypatch.setattr(job, "job_session", lambda *_: events.append("session"))
    monkeypatch.setattr(job, "require_file_system", lambda *_, **__: None)
    monkeypatch.setattr(job, "_reach", reach)
    monkeypatch.setitem(job.RUNNERS, "census", replace(job.RUNNERS["census"], run=run))
    named = [word for name in (*clusters, "a") for word in ("--cluster", name)]
    assert job.main("census", [*named, "--config", str(conf)]) == code
    assert events == ["session", *clusters]
    reported = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    assert len(reported) == sum(error is not None for error in outcomes)
    for name, line in zip([name for name in clusters if outcome[name]], reported, strict=True):
        assert line.startswith(f"error: cluster '{name}': ")
    assert job.main("census", ["--all-clusters", "--config", str(conf)]) == 1
    assert events == ["session", *clusters] * 2
    assert "error: cluster 'silent': no bootstrap server answered\n" in capsys.readouterr().err


def test_several_clusters_of_which_none_answers_start_no_session(
    conf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each failure is reported; Spark does not start if no cluster answers. An interrupt ends all clusters."""
    monkeypatch.setenv("CENSUS_PASSWORD", CANARY)
    monkeypatch.setattr(job, "job_session", Fails(AssertionError("a session was made")))
    monkeypatch.setattr(job, "_reach", Fails(Unreachable("nobody answers")))
    assert job.main("census", [*TWO, "--config", str(conf)]) == 1
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    assert lines == [f"error: cluster '{name}': nobody answers" for name in ("local", "secured")]
    interrupted = ValueError("the connection is in use")
    interrupted.__context__ = KeyboardInterrupt()
    monkeypatch.setattr(job, "_reach", Fails(interrupted))
    assert job.main("census", [*TWO, "--config", str(conf)]) == 1
    assert [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")] == [
        "error: interrupted; an unfinished census goes on with --resume"
    ]


@pytest.mark.usefixtures("reached")
def test_debug_shows_the_traceback_without_the_secret(
    conf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CENSUS_PASSWORD", CANARY)
    monkeypatch.setattr(job, "job_session", Fails(ValueError(f"odd {CANARY}")))
    assert job.main("census", ["--cluster", "secured", "--config", str(conf), "--debug"]) == 1
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert err.endswith("error: ValueError: odd ***\n")
    assert CANARY not in err


@pytest.mark.usefixtures("reached")
def test_on_databricks_a_job_returns_or_raises(conf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No SystemExit there, not even 0; an unexpected error arrives without its secrets."""
    monkeypatch.setenv("DATABRICKS_RUNTIME_VERSION", "18.0")
    monkeypatch.setenv("CENSUS_PASSWORD", CANARY)
    monkeypatch.setattr(sys, "argv", ["job", "--cluster", "secured", "--config", str(conf)])
    monkeypatch.setattr(job, "job_session", Fails(ValueError(f"odd {CANARY}")))
    with pytest.raises(RuntimeError, match=r"ValueError: odd \*\*\*"):
        job.start("census")
    monkeypatch.setattr(job, "job_session", Fails(Refused("not published")))
    with pytest.raises(Refused):
        job.start("census")
    monkeypatch.setattr(job, "perform", lambda *_args: 0)
    job.start("census")


def test_elsewhere_a_job_ends_the_process_with_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABRICKS_RUNTIME_VERSION", raising=False)
    monkeypatch.setattr(job, "perform", lambda *_args: 3)
    monkeypatch.setattr(sys, "argv", ["job", "--cluster", "local"])
    with pytest.raises(SystemExit) as caught:
        job.start("census")
    assert caught.value.code == 3


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ConfigError("a\n  b"), "a b"),
        (ValueError("\n\n first\nsecond"), "ValueError: first"),
        (KeyError(), "KeyError"),
        (ValueError("x" * 600), f"ValueError: {'x' * 487}…"),
    ],
)
def test_an_error_in_one_line(error: Exception, expected: str) -> None:
    assert one_line(error, str) == expected
