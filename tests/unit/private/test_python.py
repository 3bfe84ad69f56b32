"""Python reads an archive anew for each finder of it; modules that come from folders leave no such finder."""

import importlib
import sys
import zipfile
from pathlib import Path
from unittest.mock import patch
from zipimport import zipimporter

import pytest

from kafka_census.private.python import import_from_folders, without_archives


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    path = tmp_path / "archive.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("only_in_the_archive.py", "")
    monkeypatch.setattr(sys, "path", [*sys.path, str(path)])
    assert importlib.import_module("only_in_the_archive")
    return str(path)


def test_no_archive_is_read_again_once_modules_come_from_folders(archive: str) -> None:
    assert isinstance(sys.path_importer_cache[archive], zipimporter)
    import_from_folders("pyspark")
    with patch("zipimport._read_directory", side_effect=AssertionError("read again")):
        importlib.invalidate_caches()
    assert archive not in {*sys.path, *sys.path_importer_cache}


def test_archives_stay_where_no_folder_has_the_package(tmp_path: Path) -> None:
    """A Spark without pip has PySpark in an archive alone."""
    folder = str(Path(str(importlib.import_module("pyspark").__file__)).parents[1])
    archives = [str(tmp_path / "pyspark.zip"), str(tmp_path / "spark-core.jar")]
    assert without_archives([*archives, folder], "pyspark") == [folder]
    assert without_archives([*archives, str(tmp_path)], "pyspark") == [*archives, str(tmp_path)]
