"""Kafka's own answers, to compare ours with: the Java AdminClient and Kafka's command-line classes."""

import json
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.broker import LATEST, class_path, java_command
from kafka_census.jars.ivy import spark_jars

_SOURCE = Path(__file__).with_name("AdminOracle.java")
_LAUNCHER = Path(__file__).with_name("Launcher.java")
_HEAP = "256m"


class OracleFailed(RuntimeError):
    """The Java program ended with an error; the message is its output."""


def ask(
    bootstrap: str, *kinds: str, properties: Mapping[str, str] | None = None, version: str = LATEST
) -> list[dict[str, Any]]:
    """The answers of the Java AdminClient, one dict per line of `AdminOracle`, with the key `kind`.

    Kinds: cluster, group, coordinator, partition, config, reassignment, log_dir, transaction, acl,
    quota, scram_user, config_resource, quorum; classic_member, consumer_member, share_member,
    streams_member, group_offset, share_offset, group_coordinator; earliest, latest, last_stable,
    max_timestamp, producer, described_transaction, transaction_coordinator; node, feature,
    volume, config_entry. An item that it could not read is a dict with `error`. `properties` are more client
    properties, such as SASL's; `version` is the release of the client.
    """
    said = run_java(bootstrap, _SOURCE, *kinds, properties=properties, version=version)
    return [json.loads(line) for line in said.splitlines()]


def run_java(
    bootstrap: str, source: Path, *arguments: str, properties: Mapping[str, str] | None = None, version: str = LATEST
) -> str:
    """The output of a Java program; its first argument is a file of client properties."""
    with _client(bootstrap, properties) as config:
        return output_of(java_program(source, config.name, *arguments, keep_classes=True, version=version))


def java_program(source: Path, *arguments: str, keep_classes: bool = False, version: str = LATEST) -> list[str]:
    """The command that runs the main class of a Java source, named as its file, which may use others of its folder.

    keep_classes  as for `java_command`

    Spark's Janino compiles them in memory: Java without type inference of generics, lambdas or modules.
    """
    compiler = [str(jar) for name in ("janino-*", "commons-compiler-*") for jar in spark_jars().glob(f"{name}.jar")]
    path = ":".join([*compiler, class_path(f"kafka-{version}")])
    compile_and_run = ("org.codehaus.janino.SimpleCompiler", str(_LAUNCHER), _LAUNCHER.stem)
    program = (*compile_and_run, str(source.parent), source.stem, *arguments)
    return java_command(path, *program, heap=_HEAP, logs="error", keep_classes=keep_classes)


def command_line(bootstrap: str, main_class: str, *arguments: str, step: str = "", file: Path | None = None) -> str:
    """The output of one of Kafka's command-line classes.

    For example `command_line(servers, "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand", "--describe",
    "--all-groups", "--state")`; `--bootstrap-server` and `--command-config` are added. `step` is the word that some
    classes want before all options; `file` is another client.properties.
    """
    with _client(bootstrap, None) as config:
        path = class_path(f"kafka-tools-{LATEST}", f"kafka-{LATEST}")
        access = ("--bootstrap-server", bootstrap, "--command-config", str(file or config.name))
        command = (main_class, *([step] if step else []), *access, *arguments)
        return output_of(java_command(path, *command, heap=_HEAP, logs="error", keep_classes=True))


def _client(bootstrap: str, properties: Mapping[str, str] | None) -> Any:
    """A file of client properties; deleted when closed."""
    config = tempfile.NamedTemporaryFile("w", suffix=".properties")  # noqa: SIM115 - the caller closes it
    settings = {
        "bootstrap.servers": bootstrap,
        "default.api.timeout.ms": "15000",
        "request.timeout.ms": "5000",
        **(properties or {}),
    }
    config.writelines(f"{key}={value}\n" for key, value in settings.items())
    config.flush()
    return config


def output_of(command: list[str]) -> str:
    """The output of a Java command. Raises OracleFailed."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise OracleFailed(f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return done.stdout
