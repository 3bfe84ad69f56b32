"""Shared by the tests of a lake in a catalog and in a bucket: a log, a retention of nothing, an older lake, a plan."""

import json
import tarfile
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from e2e.operator import Ran
from emulator.asking import serving
from emulator.deleting import TOPICS, Emulated, names, served
from spark.old_lake import LAKES

_KEYS = ("RESUME_WITHIN", "RETENTION__LANDED", "RETENTION__EVERY", "RETENTION__DAILY", "RETENTION__GRACE")
SHORT = {f"KAFKA_CENSUS__{key}": "1ms" for key in _KEYS}
"""Only the last census of each table stays."""


def events(ran: Ran, name: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in ran.err.splitlines() if line.startswith("{")]
    return [line for line in lines if line["event"] == name]


def upload_older_lake(spark: SparkSession, folder: Path, to: str) -> list[tuple[str, str]]:
    with tarfile.open(LAKES / "0.1.0.tar.xz") as packed:
        packed.extractall(folder, filter="data")
    context: Any = spark.sparkContext
    hadoop, settings = context._jvm.org.apache.hadoop.fs, context._jsc.hadoopConfiguration()
    here, there = (hadoop.Path(each) for each in ((folder / "lake").as_uri(), to))
    files = [path.getFileSystem(settings) for path in (here, there)]
    assert hadoop.FileUtil.copy(files[0], here, files[1], there, False, settings)
    return [(log.parts[-3], log.parts[-2]) for log in sorted(folder.glob("lake/*/*/_delta_log"))]


def delete_and_restore(spark: SparkSession, folder: Path, address: str) -> None:
    with serving(served(3, set())) as server:
        at, cluster_id = server.bootstrap_servers, server.world.cluster_id
        deleting = Emulated(spark, folder, at, cluster_id, TOPICS, server=server, address=address)
        groups = names(2)
        plan_id = deleting.plan(groups)
        assert deleting.run("apply", plan_id) == ""
        assert deleting.there(groups) == []
        assert deleting.run("undo", plan_id) == ""
        assert deleting.there(groups) == groups
