"""`--lake`, `--config`, `--as-of`: the lake that is read without Spark, and the time as of which it is read."""

import argparse
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec

from kafka_census.cli.usage import given
from kafka_census.declarations.census import started_at
from kafka_census.declarations.given import is_override
from kafka_census.errors import ConfigError
from kafka_census.lake.lake import Lake, absolute


def require_packages(extra: str, *packages: str) -> None:
    """Raise ConfigError where a package of this extra is not installed."""
    for package in packages:
        if find_spec(package) is None:
            raise ConfigError(f"the package {package} is not installed: pip install 'kafka-census[{extra}]'")


@dataclass(frozen=True)
class PathLake:
    """A lake that is read without Spark.

    root     a path or URI for deltalake
    present  the present name of a cluster by each of its former names; without a configuration none is known
    max_age  the age at which a published census is stale; None: never
    clusters the names of configured clusters, which the lake may lack
    """

    root: str
    present: Mapping[str, str]
    max_age: timedelta | None
    clusters: Collection[str] = ()


def path_lake(args: argparse.Namespace) -> PathLake:
    """The lake of `--lake` or of the configuration. Raises ConfigError."""
    options = given(args)
    present: Mapping[str, str] = {}
    max_age = None
    clusters: Collection[str] = ()
    if options.file() is None and (options.lake is not None or not any(map(is_override, os.environ))):
        lake = Lake(root=absolute(options.lake_alone()))
    elif find_spec("pyspark") is None:
        raise ConfigError("a configuration is checked with pyspark, which is not installed: name the lake with --lake")
    else:
        from kafka_census.config import load_given

        config = load_given(options, asks=False)
        lake, present, max_age, clusters = config.lake, config.present_names, config.max_age, tuple(config.clusters)
        if lake.root is None:
            raise ConfigError(
                f"{config.name}: only Spark can read lake.catalog (kafka_census.register); give --lake PATH"
            )
    return PathLake(str(lake.folder or lake.root), present, max_age, clusters)


def moment(text: str, root: str) -> datetime:
    """The aware time of `--as-of`: a given time, or the publication of a given census. Raises ConfigError."""
    from kafka_census.reading.without_spark import PublishedLake

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
    return PublishedLake(root).published_at(text)
