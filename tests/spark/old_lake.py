"""A lake that an older release wrote, unpacked from tests/lakes, and the jobs of this release on it."""

import io
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import kafka_census
from kafka_census.clock import Clock
from kafka_census.config import load
from kafka_census.errors import CorruptLake
from kafka_census.lake.lake import Lake
from kafka_census.lake.runs import Runs
from kafka_census.log import Redactor
from kafka_census.progress import NullProgress
from kafka_census.workflows import census, upkeep
from kafka_census.workflows.work import CensusWork, UpkeepWork

LAKES = Path(__file__).parents[1] / "lakes"


@dataclass(frozen=True)
class OldLake:
    """The lake, and the work of jobs on it: the steps of a census, and maintenance, which changes the lake."""

    census: CensusWork
    upkeep: UpkeepWork

    @property
    def spark(self) -> SparkSession:
        """The session of the jobs."""
        return self.census.spark

    @property
    def lake(self) -> Lake:
        """The location of its tables."""
        return self.census.config.lake

    @property
    def runs(self) -> Runs:
        """Its `census_runs`."""
        return self.census.runs

    def is_refused(self, match: str) -> None:
        """Check that computing and maintenance fail in one line, before anything is changed."""
        with pytest.raises(CorruptLake, match=match) as computing:
            census.run_transform(self.census)
        with pytest.raises(CorruptLake, match=match) as maintaining:
            upkeep.run_maintain(self.upkeep)
        assert "\n" not in f"{computing.value}{maintaining.value}"

    def migrated(self, *, apply: bool) -> str:
        """The output of jobs/migrate.py."""
        out = io.StringIO()
        upkeep.run_migrate(replace(self.upkeep, apply=apply, out=out))
        return out.getvalue()

    def views(self) -> SparkSession:
        """A session that has not seen the lake before, with its views."""
        fresh = self.spark.newSession()
        kafka_census.register(fresh, str(self.lake.root))
        return fresh


@contextmanager
def old_lake(spark: SparkSession, folder: Path, archive: str, conf: str) -> Iterator[OldLake]:
    """Unpack an archive of tests/lakes into a folder, which is the current folder meanwhile."""
    with tarfile.open(LAKES / archive) as packed, pytest.MonkeyPatch.context() as patched:
        packed.extractall(folder, filter="data")
        patched.chdir(folder)
        (folder / "census.yaml").write_text(conf, encoding="utf-8")
        config, clock = load("census.yaml", {}), Clock()
        common = (spark, config, "test", clock, NullProgress(), io.StringIO())
        runs = Runs(spark, config.lake, clock)
        yield OldLake(
            census=CensusWork(*common, runs=runs, redactor=Redactor()),
            upkeep=UpkeepWork(*common, runs=runs, apply=True),
        )
