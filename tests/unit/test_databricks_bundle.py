"""The bundle for Databricks: it declares what Databricks takes, and what our command and configuration take.

The job is read by the model of Databricks' SDK, which forgets what it does not know: what is left is compared. Rights
are of its enumerations. Only the tests that need the SDK import it, which takes two seconds. That a workspace deploys
the bundle is not tested: docs/databricks.md.
"""

import json
import re
from collections.abc import Iterator, Mapping
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml

from kafka_census.cli import command
from kafka_census.config import load

ROOT = Path(__file__).parents[2]
WORKSPACE = {
    "workspace.file_path": "/Workspace/files",
    "workspace.current_user.userName": "me@example.com",
    "workspace.current_user.short_name": "me",
}
"""What whoever deploys it is given."""
Yaml = dict[str, Any]


def read(file: Path) -> Yaml:
    loaded: Yaml = yaml.safe_load(file.read_text(encoding="utf-8"))
    return loaded


BUNDLE = read(ROOT / "databricks.yml")
KINDS = [kind for file in (ROOT / "resources").glob("*.yml") for kind in read(file)["resources"].items()]
RESOURCES = {(kind, name): resource for kind, named in KINDS for name, resource in named.items()}
JOB = RESOURCES["jobs", "census"]
SERVERLESS = BUNDLE["targets"]["serverless"]["resources"]["jobs"]["serverless"]
TASKS = {task["task_key"]: task for task in JOB["tasks"]}
SETUP = ConfigParser()
SETUP.read(ROOT / "setup.cfg", encoding="utf-8")


def deployed(value: Any, variables: Mapping[str, Any]) -> Any:
    """A value with the variables of a target, the names of resources, and the path of files in a workspace."""

    def put(found: re.Match[str]) -> str:
        kind, *path = found[1].split(".")
        if kind == "resources":
            return str(RESOURCES[path[0], path[1]][path[2]])
        return WORKSPACE.get(found[1]) or str(variables[path[0]])

    text = json.dumps(value)
    while "${" in text:
        # What is a whole value keeps its type.
        text = re.sub(r'"\$\{var\.(\w+)\}"', lambda found: json.dumps(variables[found[1]]), text)
        text = re.sub(r"\$\{([\w.]+)\}", put, text)
    return json.loads(text)


def variables(target: str) -> Yaml:
    defaults = {name: one["default"] for name, one in BUNDLE["variables"].items() if "default" in one}
    return defaults | BUNDLE["targets"][target]["variables"]


def scope(target: str) -> str:
    return str(deployed(RESOURCES["secret_scopes", "kafka"]["name"], variables(target)))


def upstream(task: Yaml) -> Iterator[str]:
    for each in task.get("depends_on", ()):
        yield each["task_key"]
        yield from upstream(TASKS[each["task_key"]])


@pytest.mark.parametrize("target", BUNDLE["targets"])
def test_jobs_and_the_dashboard_are_those_of_databricks_sdk(target: str) -> None:
    """The dashboard asks the lake of the target."""
    from databricks.sdk.service.dashboards import Dashboard
    from databricks.sdk.service.jobs import JobSettings

    given = variables(target)
    assert set(given) == set(BUNDLE["variables"])
    for job in (JOB, SERVERLESS):
        wanted = deployed(job, given)
        assert JobSettings.from_dict(wanted).as_dict() == wanted
    resource = deployed(RESOURCES["dashboards", "census"], given)
    path, *lake = (resource.pop(name) for name in ("file_path", "dataset_catalog", "dataset_schema"))
    assert Dashboard.from_dict(resource).as_dict() == resource
    assert (ROOT / "resources" / path).is_file()
    assert lake == [given["catalog"], given["schema"]]


@pytest.mark.parametrize("task", [task for task in JOB["tasks"] if "python_wheel_task" in task],
                         ids=lambda task: task["task_key"])  # fmt: skip
def test_a_task_is_a_command_line_of_ours(task: Yaml) -> None:
    wheel = task["python_wheel_task"]
    assert wheel["package_name"] == SETUP["metadata"]["name"]
    scripts = dict(line.split(" = ") for line in SETUP["options.entry_points"]["console_scripts"].strip().splitlines())
    module, _, function = scripts[wheel["entry_point"]].partition(":")
    assert (module, function) == (command.__name__, command.main.__name__)
    words = deployed(wheel["parameters"], variables("prod"))
    args = command.parser(words[:1]).parse_args(words)
    assert args.config == "/Workspace/files/conf/databricks.yaml"
    assert task["libraries"] == [{"whl": "../dist/*.whl"}]
    assert BUNDLE["artifacts"]["kafka_census"]["build"].endswith("--wheel-dir dist .")


def test_a_second_run_waits_for_no_lock() -> None:
    for job in (JOB, SERVERLESS):
        assert (job["max_concurrent_runs"], job["queue"]) == (1, {"enabled": False})
    assert BUNDLE["targets"]["serverless"]["resources"]["jobs"]["census"]["schedule"] == {"pause_status": "PAUSED"}
    assert {"census", "maintain"} <= {task["task_key"] for task in JOB["tasks"]}


def test_a_failure_that_the_end_of_the_job_hides_is_mailed_by_its_task() -> None:
    """A job whose last task succeeds is a success, whatever failed before: no mail of the job's own."""
    from databricks.sdk.service.jobs import RunIf

    needs_success = {RunIf.ALL_SUCCESS, RunIf.NONE_FAILED}
    despite = [task for task in TASKS.values() if RunIf(task.get("run_if", "ALL_SUCCESS")) not in needs_success]
    assert {key for task in despite for key in upstream(task)} == {"census"}
    assert TASKS["census"]["email_notifications"]["on_failure"] == "${var.told}"
    assert TASKS["census"]["notification_settings"] == {"alert_on_last_attempt": True}
    assert JOB["email_notifications"]["on_failure"] == "${var.told}"


@pytest.mark.parametrize("target", BUNDLE["targets"])
def test_the_configuration_takes_what_the_job_sets(target: str) -> None:
    """A cluster's executors ask the brokers, and the driver of serverless compute."""
    given = variables(target)
    environ = deployed(JOB["job_clusters"][0]["new_cluster"]["spark_env_vars"], given)
    [of_serverless] = deployed(SERVERLESS["environment_variables"], given)
    driver = {"KAFKA_CENSUS__COLLECT__COLLECT_ON": "driver"}
    assert of_serverless["spec"]["variables"] == environ | driver
    config = load(ROOT / "conf/databricks.yaml", environ | driver)
    assert config.collect.collect_on == "driver"
    assert config.lake.catalog == f"{given['catalog']}.{given['schema']}"
    [task] = SERVERLESS["tasks"]
    assert task["python_wheel_task"] == TASKS["census"]["python_wheel_task"]
    words = deployed(TASKS["census"]["python_wheel_task"]["parameters"], given)
    (cluster,) = command.parser(words[:1]).parse_args(words).cluster
    section = config.section(cluster)
    assert ",".join(section.bootstrap_servers) == given["bootstrap_servers"]
    assert section.sasl.password.secret == f"{scope(target)}/password"


def test_the_principal_that_runs_it_may_read_the_secrets_of_its_target_and_write_the_lake() -> None:
    """Whoever deploys it owns schema and scope, and another one runs it: Databricks knows each right.

    No target has the scope of another, which `bundle destroy` deletes; development mode puts no name before its own.
    """
    from databricks.sdk.service.catalog import PermissionsChange
    from databricks.sdk.service.workspace import AclPermission

    given = variables("prod")
    principal = BUNDLE["targets"]["prod"]["run_as"]["service_principal_name"]
    (granted,) = deployed(RESOURCES["schemas", "lake"]["grants"], given)
    rights = PermissionsChange.from_dict({"principal": principal, "add": granted["privileges"]}).add
    assert [right.value for right in rights] == ["USE_SCHEMA", "CREATE_TABLE", "SELECT", "MODIFY", "READ_VOLUME"]
    assert granted["principal"] == principal
    assert deployed(RESOURCES["secret_scopes", "kafka"]["permissions"], given) == [
        {"service_principal_name": principal, "level": AclPermission.READ.value}
    ]
    assert len({scope(target) for target in BUNDLE["targets"]}) == len(BUNDLE["targets"])
    assert WORKSPACE["workspace.current_user.short_name"] in scope("dev")
