"""The published tables: a table is a folder of this room, named in `NAMES`.

`columns.py` declares the table, `transform.py` computes it (a pure function of DataFrames), `rules.py` says what must
hold of it, `view.py` what a terminal shows, `problems.py` what its rows show that is wrong. What transforms share is in
`shared`. The modules `all_tables`, `transforms`, `suites`, `views` and `problems` collect one part of each folder: so
collecting never imports what is computed, and a command line that names problems imports no Spark.
"""

from importlib import import_module
from typing import Any

NAMES = (
    "under_min_isr_partitions",
    "topic_readiness",
    "failure_impact",
    "group_coordinator_placement",
    "transaction_coordinator_placement",
    "coordinator_load",
    "reassignment_backlog_by_broker",
    "reassignment_backlog",
    "hanging_transactions",
    "group_lag",
    "consumer_lag",
    "group_members",
    "deletable_groups",
    "topics",
    "partitions",
    "producer_state",
    "brokers",
    "log_dir_usage",
    "config_drift",
    "configs",
    "acl_inventory",
    "quotas",
    "quorum",
    "scram_users",
    "risks",
    "usage_by_owner",
    "changes",
)
"""Every published table in the order of the report: those that affect writers first."""


def part(table: str, file: str, suffix: str = "") -> Any:
    """What a file of a table's folder declares: `GROUP_LAG` of columns.py, `GROUP_LAG_VIEW` of view.py."""
    return getattr(import_module(f"{__name__}.{table}.{file}"), f"{table.upper()}{suffix}")
