"""Drop the import finders for archives from a Python worker of Spark once a task has ended.

Spark keeps a worker for the next task, which begins with `importlib.invalidate_caches()`. Python 3.11 then
rereads the directory of an archive for every finder that looks into it: PySpark's own zip for each of
its packages, and the jar of Spark's core. That takes a tenth of a second per task, ten times the cost of a page.
A finder that is needed again is created from the cached directory.
"""

import sys
from zipimport import zipimporter


def forget_archives() -> None:
    """Drop the finders of archives."""
    for path, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimporter):
            del sys.path_importer_cache[path]
