"""Subcommands that are jobs: the options and the work of jobs/<name>.py."""

import argparse
from dataclasses import dataclass

from kafka_census.log import Redactor
from kafka_census.workflows.jobs import summary


@dataclass(frozen=True)
class JobCommand:
    """One of them.

    job       its name in `workflows.jobs`; one of several steps has a subcommand a step
    redactor  learns the secrets of the clusters that the job asks
    """

    job: str
    redactor: Redactor

    @property
    def HELP(self) -> str:  # noqa: N802 - what modules have as a constant
        """What the job does."""
        return summary(self.job)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The job's."""
        from kafka_census.workflows.arguments import add_arguments

        add_arguments(parser, self.job)

    def run(self, args: argparse.Namespace) -> int:
        """The job, in a Spark session that is made for it. Raises CensusError."""
        from kafka_census.workflows.job import perform

        return perform(self.job, args, self.redactor)
