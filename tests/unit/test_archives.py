"""A worker of Spark's looks into archives by finders that are not read anew with each task."""

import importlib
import sys
import zipfile
from pathlib import Path
from unittest.mock import patch
from zipimport import zipimporter

import pytest

from kafka_census.source.archives import forget_archives


def test_what_was_imported_from_an_archive_is_forgotten_and_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No finder is left for `invalidate_caches` to read; the next import makes one."""
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
