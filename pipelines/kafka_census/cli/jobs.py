"""Subcommands that are jobs: the options and the work of jobs/<name>.py."""

import argparse
from dataclasses import dataclass

from kafka_census.cli.usage import add_spark_conf
from kafka_census.declarations.jobs import summary
from kafka_census.terminal.log import Redactor


@dataclass(frozen=True)
class JobCommand:
    """A subcommand that is a job.

    job  the name in `declarations.jobs`; a job of several steps has one subcommand per step
    """

    job: str

    @property
    def HELP(self) -> str:  # noqa: N802 - what modules have as a constant
        """What the job does."""
        return summary(self.job)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The job's."""
        from kafka_census.cli.arguments import add_arguments

        for each in add_arguments(parser, self.job):
            add_spark_conf(each)

    def run(self, args: argparse.Namespace, redactor: Redactor) -> int:
        """Run the job in its own Spark session; returns the exit code. Raises CensusError."""
        from kafka_census.cli.job import perform
        from kafka_census.jars.spark_conf import add_settings

        add_settings(args.spark_conf)
        return perform(self.job, args, redactor)
