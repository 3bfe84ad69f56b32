"""`--lake`, `--config`, `--as-of`: the lake that `sql`, `diff` and pages read, and the time as of which it is read.

A lake on a path is read in this process; for a lake in a catalog a Spark is started, or found, by `SPARK_REMOTE` too.
"""

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from kafka_census.cli.usage import given
from kafka_census.declarations.census import started_at
from kafka_census.declarations.given import is_override
from kafka_census.errors import ConfigError
from kafka_census.lake.lake import Lake, absolute

if TYPE_CHECKING:
    from kafka_census.reading.report.presentation import Presentation
    from kafka_census.reading.without_spark import PublishedLake


def require_packages(extra: str, *packages: str) -> None:
    """Raise ConfigError where a package of this extra is not installed."""
    for package in packages:
        if find_spec(package) is None:
            raise ConfigError(f"the package {package} is not installed: pip install 'kafka-census[{extra}]'")


@dataclass(frozen=True)
class LakeToRead:
    """A lake of published censuses.

    open     opens it as it is now
    present  the present name of a cluster by each of its former names; without a configuration none is known
    max_age  the age at which a published census is stale; None: never
    how      the options that lead to it, and the brokers of configured clusters, which the lake may lack
    """

    open: "Callable[[], PublishedLake]"
    present: Mapping[str, str]
    max_age: timedelta | None
    how: "Presentation"


def lake_to_read(args: argparse.Namespace) -> LakeToRead:
    """The lake of `--lake` or of the configuration. Raises ConfigError."""
    from kafka_census.reading.report.presentation import Presentation, presentation
    from kafka_census.reading.without_spark import PublishedLake

    options = given(args)
    present: Mapping[str, str] = {}
    max_age = None
    how = Presentation(options)
    if options.file() is None and (options.lake is not None or not any(map(is_override, os.environ))):
        lake = Lake(root=absolute(options.lake_alone()))
    elif find_spec("pyspark") is None:
        raise ConfigError("a configuration is checked with pyspark, which is not installed: name the lake with --lake")
    else:
        from kafka_census.config import load_given

        config = load_given(options, asks=False)
        lake, present, max_age = config.lake, config.present_names, config.max_age
        how = presentation(config, sys.stdout)
    if lake.root is None:
        return LakeToRead(_of_catalog(lake, args.spark_conf), present, max_age, how)
    if args.spark_conf:
        raise ConfigError("--spark-conf is for a lake in a catalog: a lake on a path is read without Spark")
    return LakeToRead(partial(PublishedLake, str(lake.folder or lake.root)), present, max_age, how)


def _of_catalog(lake: Lake, settings: list[str]) -> "Callable[[], PublishedLake]":
    """Opens a lake in a catalog, by a Spark that is started with these settings where none runs."""
    from kafka_census.jars.spark_conf import add_settings
    from kafka_census.reading.spark_tables import SparkTables
    from kafka_census.reading.without_spark import PublishedLake
    from kafka_census.spark.session import job_session, require_schema

    add_settings(settings)
    spark = job_session("kafka-census")
    require_schema(spark, lake)
    return lambda: PublishedLake(tables=SparkTables(spark, lake))


def moment(text: str, open_lake: "Callable[[], PublishedLake]") -> datetime:
    """The aware time of `--as-of`: a given time, or the publication of a given census. Raises ConfigError."""
    try:
        named = datetime.fromisoformat(text)
    except ValueError:
        pass
    else:
        return named if named.tzinfo else named.replace(tzinfo=UTC)
    try:
        started_at(text)
    except ConfigError as error:
        raise ConfigError(f"--as-of: {error}; a time is written 2026-11-20 12:00") from None
    return open_lake().published_at(text)
