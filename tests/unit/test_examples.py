"""Every file of examples/: what it starts is a command that there is, with files that `make dist` writes.

Scripts are run with a stand-in for the program that they call; none of the platforms is here.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from configparser import ConfigParser
from itertools import accumulate
from pathlib import Path
from types import ModuleType
from typing import Any, Self

import pytest
import yaml

import kafka_census
from kafka_census.cli.command import parser
from kafka_census.jar_checksums import checksums
from kafka_census.jar_sets import DELTA

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
MADE = {"environment.tar.gz", "kafka-census.py", *(f"jars/{name}" for name in checksums(DELTA))}
"""What `make dist` writes, and examples name; a test on a cluster of Spark's runs it."""

DEFAULTS = (Path(kafka_census.__file__).parent / "defaults" / "spark_cluster" / "spark-defaults.conf").read_text(
    "utf-8"
)


def is_a_census(words: list[str]) -> None:
    """They are understood, and nothing but a census or its upkeep."""
    args = parser(words[:1]).parse_args(words)
    assert words[0] in ("run", "maintain")
    assert args.config.endswith("census.yaml")


def ran(script: Path, tmp_path: Path, program: str) -> list[str]:
    """What a script calls a program with, which is called once."""
    at, folder = tmp_path / program, tmp_path / "dist"
    at.write_text(f"#!{sys.executable}\nimport json, sys\nprint(json.dumps(sys.argv[1:]))\n", encoding="utf-8")
    at.chmod(0o755)
    folder.mkdir()
    names = ("SPARK_MASTER", "DRIVER_HOST", "EMR_CLUSTER", "BUCKET", "DATAPROC_CLUSTER", "REGION")
    given = dict.fromkeys(names, "given") | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "CENSUS_FOLDER": str(folder)}
    done = subprocess.run(["sh", str(script)], env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [str(word) for word in json.loads(done.stdout)]


def are_of_dist(words: list[str]) -> None:
    """Archive, jars and application are files that `make dist` writes, wherever somebody has put them."""
    named = [part.partition("#")[0] for word in words for part in word.split(",")]
    ours = [name for name in named if name.endswith((".tar.gz", ".jar", ".py")) and "=" not in name]
    assert ours
    assert [name for name in ours if not any(f"/{name}".endswith(f"/{made}") for made in MADE)] == []


def is_submitted(words: list[str]) -> None:
    """`spark-submit OPTIONS APPLICATION ARGUMENTS`, each option with a value; the settings are Spark's or known."""
    (at,) = (number for number, word in enumerate(words) if word.endswith("kafka-census.py"))
    assert [option for option in words[:at:2] if not re.fullmatch("--[a-z-]+", option)] == []
    settings = [value for option, value in zip(words[:at:2], words[1:at:2], strict=True) if option == "--conf"]
    assert [value for value in settings if not re.fullmatch(r"spark\.[\w.]+=.+", value)] == []
    are_of_dist(words[: at + 1])
    is_a_census(words[at + 1 :])


def submitting(tmp_path: Path, name: str) -> None:
    """A script that calls spark-submit."""
    is_submitted(ran(EXAMPLES / name, tmp_path, "spark-submit"))


def on_emr(tmp_path: Path, name: str) -> None:
    """A step, and the script that adds it."""
    words = ran(EXAMPLES / name, tmp_path, "aws")
    file = Path(words[-1].removeprefix("file://"))
    (step,) = json.loads(file.read_text(encoding="utf-8"))
    assert words[:2] == ["emr", "add-steps"]
    assert (file, step["Args"][0]) == (EXAMPLES / "emr" / "step.json", "spark-submit")
    is_submitted(step["Args"][1:])
    assert_settings({word for word in step["Args"] if "=" in word})


def on_dataproc(tmp_path: Path, name: str) -> None:
    """The options of gcloud end at `--`."""
    words = ran(EXAMPLES / name, tmp_path, "gcloud")
    assert words[:4] == ["dataproc", "jobs", "submit", "pyspark"]
    are_of_dist(words[: words.index("--")])
    is_a_census(words[words.index("--") + 1 :])
    assert_settings(set(words[words.index("--properties") + 1].split(",")))


def by_the_operator(_tmp_path: Path, name: str) -> None:
    """What the Spark operator reads; secrets are the driver's alone."""
    reported = yaml.safe_load((EXAMPLES / name).read_text(encoding="utf-8"))
    assert (reported["apiVersion"], reported["kind"]) == ("sparkoperator.k8s.io/v1beta2", "ScheduledSparkApplication")
    assert reported["spec"]["concurrencyPolicy"] == "Forbid"
    app = reported["spec"]["template"]
    assert {type(value) for value in app["sparkConf"].values()} == {str}
    assert ("secrets" in app["driver"], "secrets" in app["executor"]) == (True, False)
    is_a_census(app["arguments"])
    assert_settings({f"{key}={value}" for key, value in app["sparkConf"].items()})


def in_an_image(_tmp_path: Path, name: str) -> None:
    """It copies what `make dist` writes, to where the operator's file looks for it."""
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    copied = dict(re.findall(r"^(?:COPY|ADD) (\S+) (\S+)$", text, re.MULTILINE))
    assert set(copied) == {"kafka-census.py", "jars/", "environment.tar.gz"}
    applied = (EXAMPLES / "kubernetes" / "census.yaml").read_text(encoding="utf-8")
    assert f"local://{copied['kafka-census.py']}kafka-census.py" in applied
    assert f"{copied['environment.tar.gz']}bin/python" in applied


def by_airflow(_tmp_path: Path, name: str) -> None:
    """The DAG is made, of a stand-in for Airflow's classes."""
    made: list[dict[str, Any]] = []

    class Dag:
        def __init__(self, **options: Any) -> None:
            assert (options["max_active_runs"], options["catchup"]) == (1, False)

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_error: object) -> None:
            """It is made."""

    operators = "airflow.providers.apache.spark.operators.spark_submit"
    modules = {"airflow.sdk": {"DAG": Dag}, operators: {"SparkSubmitOperator": lambda **options: made.append(options)}}
    with pytest.MonkeyPatch.context() as patch:
        for module, names in modules.items():
            for parent in accumulate(module.split("."), "{}.{}".format):
                patch.setitem(sys.modules, parent, ModuleType(parent))
            vars(sys.modules[module]).update(names)
        exec(compile((EXAMPLES / name).read_text(encoding="utf-8"), name, "exec"), {})  # noqa: S102 - our own
    (task,) = made
    are_of_dist([task["application"], task["archives"], task["jars"]])
    is_a_census(task["application_args"])


def by_cron(_tmp_path: Path, name: str) -> None:
    """Five fields, a user, a command."""
    lines = (EXAMPLES / name).read_text(encoding="utf-8").splitlines()
    jobs = [line.split(maxsplit=6) for line in lines if re.match(r"[\d*]", line)]
    assert [job[0] for job in jobs] == ["0", "30"]
    for *_, user, command in jobs:
        assert user == "census"
        program, *words = shlex.split(re.split(r" 2?>>", command)[0])
        assert program.endswith("/bin/kafka-census")
        is_a_census(words)


def by_systemd(_tmp_path: Path, name: str) -> None:
    """A unit that systemd understands, where it is; the timer starts the service of its name."""
    unit = ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(EXAMPLES / name, encoding="utf-8")
    if name.endswith(".timer"):
        assert (unit["Timer"]["OnCalendar"], (EXAMPLES / name).with_suffix(".service").is_file()) == ("hourly", True)
        return
    program, *words = shlex.split(unit["Service"]["ExecStart"])
    assert program.endswith("/bin/kafka-census")
    is_a_census(words)
    if shutil.which("systemd-analyze"):
        command = ["systemd-analyze", "verify", "--recursive-errors=no", str(EXAMPLES / name)]
        said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
        # The command is not on this machine.
        assert [line for line in said.splitlines() if name in line and "is not executable" not in line] == []


def assert_settings(given: set[str]) -> None:
    """What an example sets by itself is what dist/cluster/conf says, of what a census cannot do without."""
    reported = dict(re.findall(r"^(spark\.\S+) +(\S+)$", DEFAULTS, re.MULTILINE))
    needed = {f"{name}={reported[name]}" for name in reported if name.startswith(("spark.sql.", "spark.locality"))}
    assert needed <= given


RULES: Mapping[str, Callable[[Path, str], None]] = {
    "standalone/census.sh": submitting,
    "yarn/census.sh": submitting,
    "emr/census.sh": on_emr,
    "emr/step.json": on_emr,
    "dataproc/census.sh": on_dataproc,
    "kubernetes/census.yaml": by_the_operator,
    "kubernetes/Dockerfile": in_an_image,
    "airflow/census_dag.py": by_airflow,
    "cron/kafka-census": by_cron,
    "systemd/kafka-census.service": by_systemd,
    "systemd/kafka-census.timer": by_systemd,
}


@pytest.mark.parametrize("name", [name for name in RULES if name != "emr/step.json"])
def test_an_example_starts_what_there_is(tmp_path: Path, name: str) -> None:
    """By a rule of its own."""
    RULES[name](tmp_path, name)


def test_every_example_has_a_rule_and_is_reported_of() -> None:
    """docs/spark-cluster.md names each, and says what was run."""
    files = {str(path.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("*") if path.is_file()}
    page = (ROOT / "docs" / "spark-cluster.md").read_text(encoding="utf-8")
    assert files == set(RULES)
    assert [name for name in files if f"examples/{name}" not in page] == []
