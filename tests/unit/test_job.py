"""Jobs: arguments, exit codes, and the one line that an error is."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from kafka_census import job
from kafka_census.errors import AuthenticationFailed, ConfigError, Refused
from kafka_census.wording import one_line

BEFORE = "20261121T115000000Z-00000a"
CANARY = "canary-hunter2"
CONF = """
lake: {root: lake}
clusters:
  local: {bootstrap_servers: [127.0.0.1:9092]}
  secured:
    bootstrap_servers: [127.0.0.1:9092]
    security_protocol: SASL_PLAINTEXT
    sasl: {mechanism: PLAIN, username: u, password: {env: CENSUS_PASSWORD}}
"""


@pytest.fixture
def conf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration file in the current directory."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "census.yaml"
    path.write_text(CONF, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", sorted(job.JOBS))
def test_every_job_has_an_entry_point_and_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """jobs/<name>.py starts the job of that name; --help explains every argument."""
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
        ("census", [], "error: the following arguments are required: --cluster; see --help"),
        ("census", ["--clutser", "x"], "error: the following arguments are required: --cluster; see --help"),
        ("census", ["--cluster", "x", "--resume", "--census-id", BEFORE], "error: argument --census-id: not allowed"),
        ("transform", ["--cluster", "x", "--resume"], "error: unrecognized arguments: --resume; see --help"),
        ("census", ["--cluster", "local", "--config", "nowhere.yaml"], "error: nowhere.yaml: no such file"),
        ("census", ["--cluster", "locl", "--config", "census.yaml"], "error: census.yaml: no cluster 'locl'"),
        ("report", ["--cluster", "locl", "--config", "census.yaml"], "error: census.yaml: no cluster 'locl'"),
        ("maintain", ["--cluster", "locl", "--config", "census.yaml"], "error: census.yaml: no cluster 'locl'"),
        ("maintain", ["--census-id", BEFORE], "error: unrecognized arguments: --census-id"),
        ("migrate", ["--cluster", "local"], "error: unrecognized arguments: --cluster"),
        ("delete_groups", [], "error: the following arguments are required: STEP; see --help"),
        ("delete_groups", ["drop"], "error: argument STEP: invalid choice: 'drop'"),
        ("delete_groups", ["apply", "--cluster", "local"], "error: the following arguments are required: --plan"),
        ("delete_groups", ["plan", "--cluster", "local", "--yes"], "error: unrecognized arguments: --yes"),
        ("delete_groups", ["undo", "--cluster", "local", "--census-id", BEFORE], "error: the following arguments are"),
        ("publish", ["--cluster", "local", "--apply"], "error: unrecognized arguments: --apply"),
        ("census", ["--cluster", "secured", "--config", "census.yaml"], "variable CENSUS_PASSWORD is not set"),
    ],
)
def test_bad_usage_is_one_line_and_2_before_spark_starts(
    conf: Path, capsys: pytest.CaptureFixture[str], name: str, argv: list[str], line: str
) -> None:
    """No session is made for a job that cannot run."""
    assert conf.exists()
    assert job.main(name, argv) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert line in captured.err


def test_bad_expectation_of_an_operator_is_one_line_and_2_before_spark_starts(
    conf: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A job that judges reads them first; one that does not has no need to."""
    folder = conf.parent / "conf" / "expectations"
    folder.mkdir(parents=True)
    (folder / "nope.json").write_text("{}", encoding="utf-8")
    assert job.main("gate", ["--cluster", "local", "--config", str(conf)]) == 2
    line = "error: conf/expectations/nope.json: there is no table 'nope'"
    assert next(one for one in capsys.readouterr().err.splitlines() if one.startswith("error: ")).startswith(line)


@pytest.mark.parametrize("name", sorted(job.JOBS))
def test_only_jobs_that_judge_accept_row_counts(name: str) -> None:
    """For one run: no key of the configuration says it."""
    entry, *step = name.split()
    options = set() if step else job.parser(entry)._option_string_actions
    assert ("--accept-row-counts" in options) == (name in ("census", "gate", "publish"))


@pytest.mark.parametrize("name", ["maintain", "migrate"])
def test_a_job_that_changes_the_past_only_tells_unless_it_is_told_to(
    conf: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Without --apply nothing is changed; neither job needs a cluster."""
    handed: list[tuple[str, bool]] = []
    monkeypatch.setattr(job, "session", lambda _name: None)
    ran = replace(job.JOBS[name], run=lambda work: handed.append((work.cluster, work.apply)))
    monkeypatch.setitem(job.JOBS, name, ran)
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


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (AuthenticationFailed("broker refused SASL"), 1, "error: broker refused SASL\n"),
        (ConfigError("no Delta"), 2, "error: no Delta\n"),
        (Refused("not published"), 3, "error: not published\n"),
        (KeyboardInterrupt(), 1, "error: interrupted; an unfinished census goes on with --resume\n"),
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
    monkeypatch.setattr(job, "session", Fails(error))
    assert job.main("census", ["--cluster", "secured", "--config", str(conf)]) == code
    assert capsys.readouterr().err == line


def test_debug_shows_the_traceback_without_the_secret(
    conf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """--debug adds the traceback before the line, redacted."""
    monkeypatch.setenv("CENSUS_PASSWORD", CANARY)
    monkeypatch.setattr(job, "session", Fails(ValueError(f"odd {CANARY}")))
    assert job.main("census", ["--cluster", "secured", "--config", str(conf), "--debug"]) == 1
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert err.endswith("error: ValueError: odd ***\n")
    assert CANARY not in err


def test_on_databricks_a_job_returns_or_raises(conf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No SystemExit there, not even 0; an unexpected error arrives without its secrets."""
    monkeypatch.setenv("DATABRICKS_RUNTIME_VERSION", "18.0")
    monkeypatch.setenv("CENSUS_PASSWORD", CANARY)
    monkeypatch.setattr(sys, "argv", ["job", "--cluster", "secured", "--config", str(conf)])
    monkeypatch.setattr(job, "session", Fails(ValueError(f"odd {CANARY}")))
    with pytest.raises(RuntimeError, match=r"ValueError: odd \*\*\*"):
        job.start("census")
    monkeypatch.setattr(job, "session", Fails(Refused("not published")))
    with pytest.raises(Refused):
        job.start("census")
    monkeypatch.setattr(job, "perform", lambda *_args: None)
    job.start("census")


def test_elsewhere_a_job_ends_the_process_with_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """spark-submit passes the code on."""
    monkeypatch.delenv("DATABRICKS_RUNTIME_VERSION", raising=False)
    monkeypatch.setattr(job, "main", lambda _name, _argv: 3)
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
    """Ours speaks for itself; others are named by type and first line."""
    assert one_line(error) == expected
