"""Why a Python worker of Spark's forgets how it imports from archives once a task has ended.

Spark keeps a worker for the next task, which begins with `importlib.invalidate_caches()`. Python 3.11 then
reads the directory of an archive anew for every finder that looks into it: PySpark's own zip for each of
its packages, and the jar of Spark's core. That is a tenth of a second a task, ten times what a page costs.
A finder that is needed again is made anew from the directory that is known.
"""

import sys
from zipimport import zipimporter


def forget_archives() -> None:
    """Drop the finders that look into archives."""
    for path, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimporter):
            del sys.path_importer_cache[path]
