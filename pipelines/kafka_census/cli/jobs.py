"""Subcommands that are jobs: the options and the work of jobs/<name>.py."""

import argparse
import re
from dataclasses import dataclass

from kafka_census.log import Redactor
from kafka_census.workflows.jobs import summary

_CONF = "a setting of the Spark that is started, such as spark.driver.memory=4g; may be given again"
_SETTING = re.compile(r"spark\.[^=\s]+=.*", re.DOTALL)


@dataclass(frozen=True)
class JobCommand:
    """One of them.

    job  its name in `workflows.jobs`; one of several steps has a subcommand per step
    """

    job: str

    @property
    def HELP(self) -> str:  # noqa: N802 - what modules have as a constant
        """What the job does."""
        return summary(self.job)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The job's."""
        from kafka_census.workflows.arguments import add_arguments

        for each in add_arguments(parser, self.job):
            each.add_argument(
                "--spark-conf", action="append", default=[], type=_setting, metavar="NAME=VALUE", help=_CONF
            )

    def run(self, args: argparse.Namespace, redactor: Redactor) -> int:
        """The job, in a Spark session that is made for it. Raises CensusError."""
        from kafka_census.spark_conf import add_settings
        from kafka_census.workflows.job import perform

        add_settings(args.spark_conf)
        return perform(self.job, args, redactor)


def _setting(text: str) -> str:
    """A setting as spark-submit's --conf takes it; others it would leave out with a warning."""
    if not _SETTING.fullmatch(text):
        raise argparse.ArgumentTypeError(f"must be spark.NAME=VALUE, not '{text}'")
    return text
