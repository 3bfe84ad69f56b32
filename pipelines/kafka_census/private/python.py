"""Python: the finders of modules that the process has made, in `sys.path_importer_cache`.

Tried on Python 3.11.7. Spark's workers begin each task with `importlib.invalidate_caches()`, for which Python 3.11
reads the directory of an archive again for every finder that looks into it: a tenth of a second in each task. Python
3.12 reads a directory when it needs one: there archives are left out to no purpose, and without harm.
"""

import sys
from importlib.machinery import PathFinder

_ARCHIVES = (".zip", ".jar")


def import_from_folders(package: str) -> None:
    """Leave archives out of the import path, with what was found in them, where a folder of it has the package."""
    sys.path[:] = without_archives(sys.path, package)
    sys.path_importer_cache.clear()


def without_archives(paths: list[str], package: str) -> list[str]:
    """The folders of an import path, or all of it where the package is in no folder."""
    folders = [path for path in paths if not path.endswith(_ARCHIVES)]
    return folders if PathFinder.find_spec(package, folders) else paths
