"""Subcommands that are jobs: the options and the work of jobs/<name>.py."""

import argparse
import re
from dataclasses import dataclass

from kafka_census.declarations.jobs import summary
from kafka_census.terminal.log import Redactor

_CONF = "a setting of the Spark that is started, such as spark.driver.memory=4g; may be repeated"
_SETTING = re.compile(r"spark\.[^=\s]+=.*", re.DOTALL)


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
            each.add_argument(
                "--spark-conf", action="append", default=[], type=_setting, metavar="NAME=VALUE", help=_CONF
            )

    def run(self, args: argparse.Namespace, redactor: Redactor) -> int:
        """Run the job in its own Spark session; returns the exit code. Raises CensusError."""
        from kafka_census.cli.job import perform
        from kafka_census.jars.spark_conf import add_settings

        add_settings(args.spark_conf)
        return perform(self.job, args, redactor)


def _setting(text: str) -> str:
    """A setting in the form of spark-submit's --conf, which ignores other forms with a warning."""
    if not _SETTING.fullmatch(text):
        # Without its value, which may be the key of an object store.
        name, has_value, _ = text.partition("=")
        raise argparse.ArgumentTypeError(f"must be spark.NAME=VALUE{f', not {name!r}=...' if has_value else ''}")
    return text
