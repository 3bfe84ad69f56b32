"""The whole census under spark-submit, Spark's start included: on an empty cluster, and at 2,000 / 5,000."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from benchmarks.common import ROOT, filled, folder_size, table

AIM_SECONDS = 60


def main() -> None:
    """Wall seconds of a first census (it makes the lake) and of the next one."""
    rows: list[list[object]] = []
    for title, partitions, groups in (("empty cluster", 0, 0), ("2,000 partitions, 5,000 groups", 2_000, 5_000)):
        with filled(partitions, groups) as cluster, tempfile.TemporaryDirectory() as folder:
            config = Path(folder, "census.yaml")
            clusters = {"bench": {"bootstrap_servers": cluster.bootstrap_servers.split(",")}}
            config.write_text(yaml.safe_dump({"lake": {"root": f"{folder}/lake"}, "clusters": clusters}))
            first, second = census(config), census(config)
            rows.append([title, first, second, folder_size(f"{folder}/lake") // 2_000_000])
    table(
        f"Whole census under spark-submit, two cores (aim at 2,000 / 5,000: {AIM_SECONDS} s)",
        ["cluster", "first s", "next s", "lake MB a census"],
        rows,
    )


def census(config: Path) -> float:
    """Wall seconds of one census."""
    environment = {
        **os.environ,
        "SPARK_CONF_DIR": str(ROOT / "build/spark-conf"),
        "PYSPARK_PYTHON": sys.executable,
    }
    command = [str(Path(sys.executable).with_name("spark-submit")), "jobs/census.py", "--config", str(config)]
    start = time.perf_counter()
    done = subprocess.run(
        [*command, "--cluster", "bench"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return seconds
