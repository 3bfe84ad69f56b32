"""The lake of the large census, two censuses later: an incident that was published, and a census that was refused.

Of the large world ten topics lose their leaders in the second census, ten recover, ten moves are cancelled, and what
is written goes on while no group reads it. In the third a broker is down as well, and an operator's own expectation
fails. Both have a few tables: the others stay as the first census published them.
"""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from e2e.operator import Operator
from emulator.large_census import LargeCensus, census_of, published
from harness.known_world import KnownWorld, Row
from harness.large_world import BROKEN, large_world
from kafka_census.tables.all_tables import tables_named
from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.group_lag.columns import GROUP_LAG
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS

DURING = (
    GROUP_COORDINATOR_PLACEMENT,
    UNDER_MIN_ISR_PARTITIONS,
    REASSIGNMENT_BACKLOG,
    CONSUMER_LAG,
    GROUP_LAG,
    LOG_DIR_USAGE,
)
"""Tables of the second census."""

AFTER = (GROUP_COORDINATOR_PLACEMENT, UNDER_MIN_ISR_PARTITIONS)
"""Tables of the third."""

LOST = tuple(f"ledger-{number:02}" for number in range(10))
RECOVERED = tuple(f"behind-{number:02}" for number in range(10))
CANCELLED = tuple(f"moved-{number:02}" for number in range(10))
WRITTEN = 1000
"""Records that each partition of the topics log-00 to log-59 has more than before."""

RULE = "everything_has_a_leader"
EXPECTATION = {
    "name": "our own",
    "expectations": [
        {
            "type": "expect_column_values_to_not_be_in_set",
            "kwargs": {"column": "status", "value_set": ["OFFLINE"]},
            "severity": "critical",
            "meta": {"rule": RULE},
        }
    ],
}


@dataclass(frozen=True)
class Incident:
    """The lake's root, the world of each of its three censuses, and the rows of each table as it is shown now.

    test_truth_at_size.py holds those of the first census against its world.
    """

    lake: str
    before: LargeCensus
    during: KnownWorld
    after: KnownWorld
    now: Mapping[str, list[Row]]


def incident(by: Operator, before: LargeCensus) -> Incident:
    """Take both censuses in a copy of the large census' lake, which stays as it is."""
    shutil.copytree(before.lake, by.lake)
    by.tables = DURING
    during = census_of(by, world_during(), "--no-report")
    suites: Path = by.folder / "expectations"
    suites.mkdir()
    (suites / "under_min_isr_partitions.json").write_text(json.dumps(EXPECTATION), encoding="utf-8")
    by.tables = AFTER
    world = world_during()
    world["brokers"]["stopped"] = [BROKEN]
    after = census_of(by, world, "--no-report", code=3, KAFKA_CENSUS__GATE__EXPECTATIONS=str(suites))
    surveyed = tables_named([table.name for table in DURING])
    return Incident(by.lake, before, during, after, before.rows | published(by.lake, surveyed))


def world_during() -> dict[str, Any]:
    world = large_world()
    for topic in world["topics"]["declared"]:
        if topic["name"] in LOST:
            topic["states"] = [{"partition": 0, "leader": -1, "isr": []}]
        elif topic["name"] in (*RECOVERED, *CANCELLED):
            topic["states"] = []
        elif topic["name"].startswith("log-"):
            topic["log_end"] += WRITTEN
    return world
