"""The process that Python workers are forked from reads PySpark from a folder, where there is one."""

import importlib.util
from pathlib import Path

from kafka_census.source.worker_daemon import without_archives


def test_archives_are_left_out_where_pyspark_is_in_a_folder(tmp_path: Path) -> None:
    """A Spark without pip has PySpark in an archive alone."""
    spec = importlib.util.find_spec("pyspark")
    folder = str(Path(spec.origin).parents[1])
    archives = [str(tmp_path / "pyspark.zip"), str(tmp_path / "spark-core.jar")]
    assert without_archives([*archives, folder]) == [folder]
    assert without_archives([*archives, str(tmp_path)]) == [*archives, str(tmp_path)]
