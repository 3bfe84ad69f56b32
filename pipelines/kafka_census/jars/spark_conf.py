"""Spark's configuration folder: the packaged folder (`kafka_census.defaults`), with the paths of Delta's jars.

There are two: for one machine, where the driver is on loopback, and for clusters, where it must not be. A job on a
cluster refuses the first.

spark-submit finds a copy by `SPARK_CONF_DIR` (`make jars` writes build/spark-conf). A job that is started without
spark-submit and without `SPARK_CONF_DIR` gets a folder below the user's cache: PySpark starts the JVM with it, and so
with its driver memory and JVM options.
"""

import hashlib
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from string import Template

from kafka_census.defaults import SPARK, SPARK_CLUSTER
from kafka_census.errors import ConfigError
from kafka_census.files import whole_file
from kafka_census.jars.class_archive import ClassArchive, archive_for, written_archive
from kafka_census.jars.delta import delta_jars
from kafka_census.jars.ivy import cache_folder, cache_unusable, java
from kafka_census.spark.started_by import on_connect, on_databricks, under_spark_submit

_VARIABLE = "SPARK_CONF_DIR"
_ARGUMENTS = "PYSPARK_SUBMIT_ARGS"
"""PySpark's own variable: the arguments of the spark-submit with which it starts a JVM."""


ONE_MACHINE = "spark.kafka_census.one_machine"
"""The setting that marks the folder for one machine."""


def write_spark_conf(target: Path) -> None:
    """Write the files for one machine, and the archive of classes that they name. Raises as `delta_jars` does.

    `${delta_jars}` becomes Delta's jars, comma-separated.
    """
    delta = delta_jars()
    _write(target, _rendered(delta, archive=written_archive(delta)))


def write_cluster_conf(target: Path, delta: Iterable[Path]) -> None:
    """Write the files for a cluster, with the given paths of Delta's jars. Raises ConfigError."""
    _write(target, _rendered(delta, SPARK_CLUSTER))


def _write(target: Path, files: Mapping[str, str]) -> None:
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            whole_file.replace(target / name, text.encode())
    except OSError as error:
        raise ConfigError(
            f"jars: Spark's configuration cannot be written: {error.filename}: {error.strerror}"
        ) from None


def provide_spark_conf() -> None:
    """Set `SPARK_CONF_DIR`, unless it is set, for the JVM that is about to be started.

    Raises ConfigError where Java is missing or too old, and as `delta_jars` does.
    """
    if _VARIABLE in os.environ:
        java()
    else:
        os.environ[_VARIABLE] = str(_cached())


def add_settings(settings: Sequence[str]) -> None:
    """Give the JVM that is about to be started these settings, such as `spark.driver.memory=3g`; they override others.

    Raises ConfigError where this command does not start the JVM.
    """
    if not settings:
        return
    if on_databricks() or on_connect() or under_spark_submit():
        raise ConfigError("--spark-conf is for a Spark that this command starts; this one is running already")
    words = [word for setting in settings for word in ("--conf", shlex.quote(setting))]
    os.environ[_ARGUMENTS] = " ".join([*words, os.environ.get(_ARGUMENTS, "pyspark-shell")])


def _rendered(delta: Iterable[Path], *others: Path, archive: ClassArchive | None = None) -> dict[str, str]:
    """The files by name; files of other folders override those for one machine."""
    values = {"delta_jars": ",".join(map(str, delta)), "class_path": "", "class_archive": ""}
    if archive is not None and archive.written:
        values["class_path"] = f"spark.driver.extraClassPath {archive.class_path}"
        values["class_archive"] = archive.options
    return {
        template.name: Template(template.read_text(encoding="utf-8")).safe_substitute(values)
        for folder in (SPARK, *others)
        for template in sorted(folder.iterdir())
    }


def _cached() -> Path:
    """The folder in the user's cache, one per content: jobs of another release may be reading theirs."""
    delta = delta_jars()
    files = _rendered(delta, archive=archive_for(delta))
    folder = cache_folder() / "spark-conf" / hashlib.sha256(repr(files).encode()).hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            _keep(folder / name, text)
    except OSError as error:
        raise cache_unusable(error) from None
    return folder


def _keep(file: Path, text: str) -> None:
    """Write a file that is missing or was changed, atomically: another job may be reading it."""
    with suppress(FileNotFoundError):
        if whole_file.read(file) == text.encode():
            return
    whole_file.replace(file, text.encode())
