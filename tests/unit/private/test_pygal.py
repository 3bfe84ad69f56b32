"""pygal's import hook: taken away, since a release has it that Python 3.11 warns of."""

import sys

import pygal

from kafka_census.private.pygal import remove_import_hook


def test_the_hook_is_there_and_goes() -> None:
    sys.meta_path.append(pygal.PluginImportFixer())
    assert not hasattr(pygal.PluginImportFixer, "find_spec")
    remove_import_hook()
    assert not any(isinstance(finder, pygal.PluginImportFixer) for finder in sys.meta_path)
