"""The jobs, declared: what each does in a line, what it works on, and so which options its command line has.

What they run is in `kafka_census.workflows.job`. Nothing is imported here, so that a command line can be explained
without Spark.
"""

from collections.abc import Mapping
from dataclasses import dataclass

_RESUMED = "an unfinished census goes on with --resume"
_GOES_ON = "run it again: it goes on, and does nothing twice"


@dataclass(frozen=True)
class Job:
    """One job: whether it asks Kafka, computes tables, judges, and of what it works.

    help     what it does, in a line
    cluster  whether `--cluster` must be given; None where the job works on the whole lake
    fleet    whether it may be given several times, or as `--all-clusters`
    applies  whether it changes anything only with `--apply`
    plan     whether it works on a plan to delete groups, and sends anything only with `--yes`
    again    how to go on, for whoever interrupted it
    """

    help: str
    asks: bool = False
    computes: bool = False
    judges: bool = False
    cluster: bool | None = True
    fleet: bool = False
    applies: bool = False
    plan: bool = False
    again: str = "run it again"

    @property
    def surveys(self) -> bool:
        """Whether it is a census, or a step of one."""
        return not self.plan and (self.asks or self.computes or self.judges)


JOBS: Mapping[str, Job] = {
    "census": Job(
        "Survey a cluster: land, compute, gate, publish, report.",
        asks=True,
        computes=True,
        judges=True,
        fleet=True,
        again=_RESUMED,
    ),
    "ingest": Job("Ask the brokers and land their pages.", asks=True, again=_RESUMED),
    "transform": Job("Compute the tables of a landed census.", computes=True),
    "gate": Job("Judge a staged census.", judges=True),
    "publish": Job("Publish a staged census if the gate lets it.", judges=True),
    "report": Job("Print what the last published census says.", cluster=False),
    "maintain": Job("Delete what `retention` no longer keeps.", cluster=False, applies=True),
    "migrate": Job("Add the columns of this release to a lake.", cluster=None, applies=True),
    "delete_groups plan": Job("Plan which groups to delete, from history; asks nobody.", again=_GOES_ON),
    "delete_groups apply": Job(
        "Delete the groups of a plan that are as it says.", asks=True, plan=True, again=_GOES_ON
    ),
    "delete_groups undo": Job(
        "Restore the offsets of deleted groups that are still absent.", asks=True, plan=True, again=_GOES_ON
    ),
}
"""By name; a job of several steps has an entry per step."""

OF_STEPS: Mapping[str, str] = {"delete_groups": "Delete groups that nobody needs: plan it, apply the plan, undo it."}
"""What a job of several steps does, in a line."""


def summary(name: str) -> str:
    """What a job does, in a line, whether or not it has steps."""
    return JOBS[name].help if name in JOBS else OF_STEPS[name]
