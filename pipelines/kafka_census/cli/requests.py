"""Creates the work of a job from its arguments, and from the settings of its cluster."""

from argparse import Namespace
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from pyspark.sql import SparkSession

from kafka_census.alerts.webhook import Webhook
from kafka_census.census.work import CensusWork, DeletionWork, Outcome, UpkeepWork
from kafka_census.cli.arguments import ROWS
from kafka_census.clock import Clock
from kafka_census.config import Config
from kafka_census.declarations.desired import Desired
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.lake.runs import Runs
from kafka_census.terminal.log import Redactor
from kafka_census.terminal.progress import Progress

if TYPE_CHECKING:
    from kafka_census.census.gate.own_suites import OwnSuite

Common = tuple[SparkSession, Config, str, Clock, Progress, TextIO]
"""The fields of every `Work` that are no options, in their order."""


@dataclass(frozen=True)
class Inputs:
    """Inputs that only some jobs use."""

    runs: Runs
    redactor: Redactor
    settings: ClusterSettings | None
    desired: tuple[Desired, ...]
    own_suites: tuple["OwnSuite", ...]
    webhook: Webhook | None
    outcome: Outcome


def census_work(common: Common, inputs: Inputs, args: Namespace) -> CensusWork:
    """The work of a census, a step or a report."""
    return CensusWork(
        *common,
        as_json=args.json,
        runs=inputs.runs,
        redactor=inputs.redactor,
        settings=inputs.settings,
        census_id=getattr(args, "census_id", None),
        resume=getattr(args, "resume", False),
        limit=_rows(args),
        reports=not getattr(args, "no_report", False),
        unpublished=getattr(args, "unpublished", False),
        fail_on=getattr(args, "fail_on", ()),
        desired=inputs.desired,
        own_suites=inputs.own_suites,
        accept_row_counts=getattr(args, "accept_row_counts", False),
        webhook=inputs.webhook,
        outcome=inputs.outcome,
    )


def _rows(args: Namespace) -> int:
    """The number of rows of each table in a report."""
    return getattr(args, "limit", None) or (ROWS if getattr(args, "full", False) else 0)


def upkeep_work(common: Common, inputs: Inputs, args: Namespace) -> UpkeepWork:
    """The work of maintaining or migrating."""
    return UpkeepWork(
        *common,
        as_json=args.json,
        runs=inputs.runs,
        apply=args.apply,
        retire=tuple(getattr(args, "retire", ())),
    )


def deletion_work(common: Common, inputs: Inputs, args: Namespace) -> DeletionWork:
    """The work of a step of deleting groups."""
    return DeletionWork(
        *common,
        as_json=args.json,
        settings=inputs.settings,
        plan_id=getattr(args, "plan", None),
        apply=getattr(args, "yes", False),
        limit=getattr(args, "limit", ROWS),
    )
