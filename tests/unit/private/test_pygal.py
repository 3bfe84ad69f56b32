"""pygal adds an import hook of the class that is removed again."""

import subprocess
import sys

HOOKS = """
import sys
import pygal
hooks = [finder for finder in sys.meta_path if isinstance(finder, pygal.PluginImportFixer)]
others = [finder for finder in sys.meta_path if finder not in hooks]
import kafka_census.private.pygal
assert (len(hooks), sys.meta_path) == (1, others)
"""


def test_the_hook_is_removed_and_no_other() -> None:
    subprocess.run([sys.executable, "-c", HOOKS], check=True, timeout=60)
