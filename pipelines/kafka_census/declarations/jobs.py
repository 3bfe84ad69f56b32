"""The declared jobs: a one-line description, the kind of work, and thereby the options of the command line.

jobs/<name>.py, the subcommands of `kafka-census` and the options of both are made from this. This module imports
nothing, so that `--help` needs no Spark.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafka_census.census.work import Work

_RESUMED = "an unfinished census goes on with --resume"
_GOES_ON = "run it again: it goes on, and does nothing twice"


@dataclass(frozen=True)
class Job:
    """One job: whether it asks Kafka, computes tables and judges, and its options.

    help     a description in one line
    run      its function, in `kafka_census`
    cluster  whether `--cluster` must be given; None for a job on the whole lake
    fleet    whether `--cluster` may be repeated, or replaced by `--all-clusters`
    applies  whether the job needs `--apply` to change anything
    plan     whether the job works on a plan to delete groups, and needs `--yes` to send anything
    again    how to continue after an interrupt
    """

    help: str
    run: str
    asks: bool = False
    computes: bool = False
    judges: bool = False
    cluster: bool | None = True
    fleet: bool = False
    applies: bool = False
    plan: bool = False
    again: str = "run it again"

    def function(self, work: "Work") -> None:
        """Do the work of the job."""
        module, _, name = self.run.rpartition(".")
        getattr(import_module(f"kafka_census.{module}"), name)(work)

    @property
    def surveys(self) -> bool:
        """Whether the job is a census or a step of a census."""
        return not self.plan and (self.asks or self.computes or self.judges)


JOBS: Mapping[str, Job] = {
    "census": Job(
        "Survey a cluster: land, compute, gate, publish, report.",
        "census.run.run_census",
        asks=True,
        computes=True,
        judges=True,
        fleet=True,
        again=_RESUMED,
    ),
    "ingest": Job("Ask the brokers and land their pages.", "census.run.run_ingest", asks=True, again=_RESUMED),
    "transform": Job("Compute the tables of a landed census.", "census.run.run_transform", computes=True),
    "gate": Job("Judge a staged census.", "census.run.run_gate", judges=True),
    "publish": Job("Publish a staged census if the gate lets it.", "census.run.run_publish", judges=True),
    "report": Job("Print the newest census, published or refused.", "census.report.run_report", cluster=False),
    "maintain": Job("Delete what `retention` no longer keeps.", "upkeep.run.run_maintain", cluster=False, applies=True),
    "migrate": Job("Add the columns of this release to a lake.", "upkeep.run.run_migrate", cluster=None, applies=True),
    "delete_groups plan": Job(
        "Plan which groups to delete, from history; asks nobody.", "deletion.run.run_plan", again=_GOES_ON
    ),
    "delete_groups apply": Job(
        "Delete the groups of a plan that are as it says.",
        "deletion.run.run_apply",
        asks=True,
        plan=True,
        again=_GOES_ON,
    ),
    "delete_groups undo": Job(
        "Restore the offsets of deleted groups that are still absent.",
        "deletion.run.run_undo",
        asks=True,
        plan=True,
        again=_GOES_ON,
    ),
}
"""The jobs by name; a job of several steps has one entry per step."""

OF_STEPS: Mapping[str, str] = {"delete_groups": "Delete groups that nobody needs: plan it, apply the plan, undo it."}
"""Descriptions of jobs of several steps, in one line."""

COMMANDS: Mapping[str, str] = {
    "run" if name == "census" else name.replace("_", "-"): name
    for name in dict.fromkeys(name.partition(" ")[0] for name in JOBS)
}
"""Jobs by their subcommand of `kafka-census`; a job of several steps has a subcommand of its own for each step."""


def summary(name: str) -> str:
    """The description of a job in one line, whether or not it has steps."""
    return JOBS[name].help if name in JOBS else OF_STEPS[name]
