"""The whole census under spark-submit, Spark's start included: on an empty cluster, and at 2,000 / 5,000."""

import tempfile
import time
from pathlib import Path

import yaml

from benchmarks.common import NAME, filled, folder_size, reported, submitted, table

AIM_SECONDS = 150


def main() -> None:
    """Wall seconds of a first census (it makes the lake) and of the next one."""
    rows: list[list[object]] = []
    for title, partitions, groups in (("empty cluster", 0, 0), ("2,000 partitions, 5,000 groups", 2_000, 5_000)):
        with filled(partitions, groups) as cluster, tempfile.TemporaryDirectory() as folder:
            config = Path(folder, "census.yaml")
            clusters = {NAME: {"bootstrap_servers": cluster.bootstrap_servers.split(",")}}
            config.write_text(yaml.safe_dump({"lake": {"root": f"{folder}/lake"}, "clusters": clusters}))
            first, second = census(config), census(config)
            rows.append([title, first, second, folder_size(f"{folder}/lake") // 2_000_000])
    table(
        f"Whole census of all tables under spark-submit, two cores (aim on an empty cluster: {AIM_SECONDS} s)",
        ["cluster", "first s", "next s", "lake MB a census"],
        rows,
    )


def census(config: Path) -> float:
    """Wall seconds of one census."""
    log = config.with_name("census.log")
    start = time.perf_counter()
    process = submitted("census", config, log)
    process.wait()
    seconds = time.perf_counter() - start
    reported(process, log)
    return seconds
