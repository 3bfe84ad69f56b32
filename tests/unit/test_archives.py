"""A worker of Spark's has no finder of archives that is read anew with each task, and PySpark from a folder."""

import importlib.util
import sys
import zipfile
from pathlib import Path
from unittest.mock import patch
from zipimport import zipimporter

import pytest

from kafka_census.landing.fetch.archives import forget_archives
from kafka_census.landing.fetch.worker_daemon import without_archives


def test_what_was_imported_from_an_archive_is_forgotten_and_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "archive.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("first_of_archive.py", "NAME = 'first'")
        file.writestr("second_of_archive.py", "NAME = 'second'")
    monkeypatch.syspath_prepend(str(archive))
    assert importlib.import_module("first_of_archive").NAME == "first"
    assert isinstance(sys.path_importer_cache[str(archive)], zipimporter)
    others = {path for path, finder in sys.path_importer_cache.items() if not isinstance(finder, zipimporter)}
    forget_archives()
    assert set(sys.path_importer_cache) == others
    with patch("zipimport._read_directory", side_effect=AssertionError("read anew")):
        importlib.invalidate_caches()
        assert importlib.import_module("second_of_archive").NAME == "second"


def test_archives_are_left_out_where_pyspark_is_in_a_folder(tmp_path: Path) -> None:
    """A Spark without pip has PySpark in an archive alone."""
    spec = importlib.util.find_spec("pyspark")
    folder = str(Path(spec.origin).parents[1])
    archives = [str(tmp_path / "pyspark.zip"), str(tmp_path / "spark-core.jar")]
    assert without_archives([*archives, folder]) == [folder]
    assert without_archives([*archives, str(tmp_path)]) == [*archives, str(tmp_path)]
