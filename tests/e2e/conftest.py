"""Operators, and how everybody's answers are told apart."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from e2e.operator import Operator


@pytest.fixture(scope="session")
def operator(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Operator]:
    """Make an operator of a cluster, with a lake of its own."""

    def make(servers: str, name: str = "e2e", **settings: object) -> Operator:
        folder: Path = tmp_path_factory.mktemp(name)
        return Operator(spark, folder, servers, settings)

    return make
