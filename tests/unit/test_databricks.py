"""What Databricks offers a job: secret scopes and task values, and that no path of it is taken for this machine's.

`dbutils` is that of Databricks' SDK, which asks a workspace by REST: here a server on loopback. On a cluster another
a stand-in has its name, with the same methods; that one is not here to be tested.
"""

from collections.abc import Iterator
from contextlib import nullcontext
from errno import ENOSPC
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from harness.http_server import workspace
from kafka_census.census import task_values as reported
from kafka_census.census.gate.gate import Judgement, TableJudgement
from kafka_census.census.task_values import task_values
from kafka_census.census.work import Outcome
from kafka_census.cli import job
from kafka_census.config import load
from kafka_census.errors import ConfigError, Refused, TroubleFound
from kafka_census.lake.commit_retry import commit_with_retry
from kafka_census.lake.lake import Lake
from kafka_census.lake.run_lock import hold
from kafka_census.spark.started_by import dbutils
from kafka_census.terminal.progress import NullProgress
from spark.fake_lake import NOON, census

CANARY = "canary-hunter2"
CONF = """
lake: {catalog: main.census}
clusters:
  prod:
    bootstrap_servers: [h:1]
    security_protocol: SASL_SSL
    sasl: {mechanism: PLAIN, username: u, password: {secret: SECRET}}
"""
JUDGEMENT = Judgement("publish", (TableJudgement("quotas", True, (), "proven", 0, 7, NOON, NOON),), (), ())


@pytest.fixture
def on_databricks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABRICKS_RUNTIME_VERSION", "18.0")


@pytest.fixture(scope="module")
def scopes() -> Iterator[None]:
    """A workspace with a secret, and one that is empty; the SDK reads where it is once, when it is imported."""
    kept = {("kafka-census", "password"): CANARY, ("kafka-census", "empty"): ""}
    with pytest.MonkeyPatch.context() as patched, workspace(kept) as url:
        patched.setenv("DATABRICKS_HOST", url)
        patched.setenv("DATABRICKS_TOKEN", "token")
        dbutils()
        yield


def configured(folder: Path, secret: str) -> Path:
    path = folder / "census.yaml"
    path.write_text(CONF.replace("SECRET", secret), encoding="utf-8")
    return path


@pytest.mark.usefixtures("on_databricks", "scopes")
@pytest.mark.parametrize(
    ("key", "says"), [("away", "cannot be read: ResourceDoesNotExist: Secret does not"), ("empty", "is empty")]
)
def test_a_secret_is_read_from_its_scope_or_is_one_line(tmp_path: Path, key: str, says: str) -> None:
    found = load(configured(tmp_path, "kafka-census/password"), {})
    assert found.cluster("prod").sasl.password.reveal() == CANARY
    assert CANARY not in repr(found)
    config = load(configured(tmp_path, f"kafka-census/{key}"), {})
    line = rf"^{tmp_path}/census.yaml:7: clusters.prod.sasl.password: the secret kafka-census/{key} {says}[^\n]*$"
    with pytest.raises(ConfigError, match=line):
        config.cluster("prod")


@pytest.mark.parametrize("secret", ["password", "a/b/c", "'a b/c'", "/key", "scope/"])
def test_a_reference_is_a_scope_and_a_key(tmp_path: Path, secret: str) -> None:
    with pytest.raises(ConfigError, match=r"census\.yaml:7: clusters\.prod\.sasl\.password\.secret: "):
        load(configured(tmp_path, secret), {})


@pytest.mark.usefixtures("on_databricks")
@pytest.mark.parametrize("root", ["/lake", "dbfs:/lake"])
def test_a_path_of_databricks_is_no_folder_of_this_machine(root: str, tmp_path: Path) -> None:
    """Neither its run lock nor its tables' are files: a volume knows no flock."""
    lake = Lake(root=root.replace("/lake", f"{tmp_path}/lake"))
    assert lake.folder is None
    with hold(lake, ["prod"], "a census"):
        commit_with_retry(lake, "audit", "calls", lambda: None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mount", ["Volumes", "dbfs", "Workspace"])
def test_a_mount_of_databricks_is_no_folder_of_the_driver(
    mount: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a scheme neither: what is behind it knows no flock. Any other folder is the driver's."""
    assert Lake(root=f"file:/{mount}/lake").folder == Path(f"/{mount}/lake")  # elsewhere it is any folder
    monkeypatch.setenv("DATABRICKS_RUNTIME_VERSION", "18.0")
    assert Lake(root=f"file:/{mount}/main/census/files/lake").folder is None
    assert Lake(root=f"file:///{mount}").folder is None
    assert Lake(root=f"file:/{mount}2/lake").folder == Path(f"/{mount}2/lake")
    assert Lake(root=f"file:{tmp_path}/{mount}").folder == tmp_path / mount


@pytest.fixture
def values(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    task = SimpleNamespace(set=lambda key, value: kept.update({key: value}))
    monkeypatch.setattr(reported, "dbutils", lambda: SimpleNamespace(jobs=SimpleNamespace(taskValues=task)))
    return kept


@pytest.fixture
def outcome() -> Outcome:
    return Outcome(census=census(), judgement=JUDGEMENT)


@pytest.mark.usefixtures("on_databricks")
@pytest.mark.parametrize(
    ("published", "error", "verdict"),
    [
        *((True, None, "published"), (True, TroubleFound("offline"), "published"), (False, None, "passed")),
        *((False, Refused("refused"), "refused"), (False, ValueError("odd"), "failed")),
        (False, KeyboardInterrupt(), "failed"),
    ],
)
def test_the_next_task_knows_how_a_census_ended(
    outcome: Outcome, values: dict[str, Any], published: bool, error: BaseException | None, verdict: str
) -> None:
    outcome.published = published
    with pytest.raises(type(error)) if error else nullcontext(), task_values({"_prod": outcome}, NullProgress(), str):
        if error:
            raise error
    failed = type(error).__name__ if error else ""
    told = {"verdict_prod": verdict, "row_counts_prod": {"quotas": 7}, "error_prod": failed}
    assert values == {"census_id_prod": census().census_id, **told}


def test_only_databricks_has_scopes_and_task_values(tmp_path: Path, outcome: Outcome, values: dict[str, Any]) -> None:
    config = load(configured(tmp_path, "kafka-census/password"), {})
    remedy = r"only Databricks has the secret scope of kafka-census/password; give \{env: NAME\} or \{file: PATH\} else"
    with pytest.raises(ConfigError, match=remedy):
        config.cluster("prod")
    with task_values({"": outcome}, NullProgress(), str):
        outcome.published = True
    assert values == {}


@pytest.mark.usefixtures("on_databricks", "scopes")
@pytest.mark.parametrize(
    ("secret", "error"), [("kafka-census/password", "Unreachable"), ("kafka-census/away", "ConfigError")]
)
@pytest.mark.parametrize("clusters", [("prod",), ("prod", "other")], ids=len)
def test_a_census_that_never_began_has_failed(
    tmp_path: Path, values: dict[str, Any], secret: str, error: str, clusters: tuple[str, ...]
) -> None:
    path = configured(tmp_path, secret)
    both = path.read_text(encoding="utf-8").replace("h:1", "127.0.0.1:1")
    path.write_text(f"{both}  other: {{bootstrap_servers: [127.0.0.1:1]}}\n", encoding="utf-8")
    named = [word for cluster in clusters for word in ("--cluster", cluster)]
    assert job.main("census", [*named, "--config", str(path)]) == (2 if error == "ConfigError" else 1)
    suffixes = [f"_{cluster}" for cluster in clusters] if len(clusters) > 1 else [""]
    told = (("verdict", "failed"), ("error", error))
    assert values == {f"{key}{suffix}": value for suffix in suffixes for key, value in told}


@pytest.mark.usefixtures("on_databricks")
def test_a_session_that_does_not_start_fails_the_census(
    tmp_path: Path, values: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "census.yaml"
    path.write_text("lake: {catalog: main.census}\nclusters: {prod: {bootstrap_servers: [h:1]}}\n", encoding="utf-8")
    monkeypatch.setattr(job, "job_session", Mock(side_effect=OSError(ENOSPC, "No space left on device")))
    assert job.main("maintain", ["--config", str(path), "--apply"]) == 1
    assert values == {}
    assert job.main("gate", ["--cluster", "prod", "--config", str(path)]) == 1
    assert values == {"verdict": "failed", "error": "OutOfResources"}


@pytest.mark.usefixtures("on_databricks", "scopes")
def test_databricks_sdk_takes_the_values_as_they_are_set(outcome: Outcome, monkeypatch: pytest.MonkeyPatch) -> None:
    warnings: list[str] = []
    monkeypatch.setattr(NullProgress, "warning", lambda _self, event, **_fields: warnings.append(event))
    with task_values({"": outcome}, NullProgress(), str):
        pass
    assert warnings == []
    monkeypatch.setattr(reported, "dbutils", lambda: None)
    with task_values({"": outcome}, NullProgress(), str):
        pass
    assert warnings == ["task_values_not_set"]
