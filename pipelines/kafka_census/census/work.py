"""The work of a job, as one value that its functions are handed."""

import json
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, TextIO

from pyspark.sql import SparkSession

from kafka_census.clock import Clock
from kafka_census.declarations.census import Census, Shows
from kafka_census.declarations.operator_values import NO_VALUES, OperatorValues
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.lake.runs import Runs
from kafka_census.terminal.display import write_lines
from kafka_census.terminal.log import Redactor
from kafka_census.terminal.progress import Progress

if TYPE_CHECKING:
    from kafka_census.alerts.webhook import Webhook
    from kafka_census.census.gate.gate import Judgement
    from kafka_census.census.gate.own_suites import OwnSuite
    from kafka_census.config import Config
    from kafka_census.pages.landed_census import LandedCensus


@dataclass
class Outcome:
    """The progress of a census, which its steps record for the notifications at the end.

    census     the census, once it has an id
    judgement  the result of the gate; `landed` is the census in memory, until the job has notified
    published  whether readers see the census
    """

    census: Census | None = None
    judgement: "Judgement | None" = None
    landed: "LandedCensus | None" = None
    published: bool = False


@dataclass(frozen=True)
class Work:
    """The work of a job on one cluster: where it works, and what it may do. Each job reads the fields that it needs.

    cluster  the configured name of the cluster; empty for a job on the whole lake
    out      where results are printed
    as_json  whether they are printed as JSON, one object per line, and not for people
    settings   of the cluster, with its secrets; only jobs that ask Kafka have them
    census_id  the census that was asked for by name, or None
    resume     go on with the last unfinished census, if there is one
    limit      rows of each table in a report, or groups of a plan, that are printed; 0 for the headline of a report
    reports    whether a census ends with the report
    shows      what a report is about
    fail_on    words of problems of which one that is found ends the job with an error
    values     what the operator configured for the tables of the cluster
    own_suites         expectations of the operator's own
    accept_row_counts  for this run: a loss of rows since the previous census only warns
    webhook    who is notified of states that change, or None
    apply      whether anything is changed or sent, or only printed
    retire     censuses that maintaining retires by name, and does nothing else
    plan_id    the plan that is applied or undone
    outcome    what became of the census
    """

    spark: SparkSession
    config: "Config"
    cluster: str
    clock: Clock
    progress: Progress
    out: TextIO
    _: KW_ONLY
    runs: Runs
    redactor: Redactor = field(default_factory=Redactor)
    as_json: bool = False
    settings: ClusterSettings | None = None
    census_id: str | None = None
    resume: bool = False
    limit: int = 0
    reports: bool = True
    shows: Shows = "computed"
    fail_on: tuple[str, ...] = ()
    values: OperatorValues = NO_VALUES
    own_suites: tuple["OwnSuite", ...] = ()
    accept_row_counts: bool = False
    webhook: "Webhook | None" = None
    apply: bool = False
    retire: tuple[str, ...] = ()
    plan_id: str | None = None
    outcome: Outcome = field(default_factory=Outcome)

    @property
    def names(self) -> tuple[str, ...]:
        """The configured name of the cluster, then its former names; empty for a job on the whole lake."""
        return self.config.names(self.cluster) if self.cluster else ()

    @property
    def goes_on(self) -> bool:
        """Whether an unfinished census may be gone on with; else a new one starts."""
        return self.resume or self.census_id is not None

    def print_text(self, lines: Iterable[str]) -> None:
        """Print a result for people."""
        if not self.as_json:
            write_lines(lines, self.out)

    def print_json(self, **fields: object) -> None:
        """Print a result for scripts: one JSON object in one line; times are as ISO 8601 has them."""
        if self.as_json:
            write_lines([json.dumps(fields, default=str)], self.out)
