"""The process from which Spark forks its Python workers, as `pyspark.daemon`, with their imports done once.

Each worker would import Kafka's client itself otherwise: 0.7 s. And workers import PySpark from an archive, whose
directory Python 3.11 reads again in each task: a tenth of a second. Spark's setting `spark.python.daemon.module` names
this module, on one machine: the Python of a cluster's executors may get the package with the job.
"""

import gc
import sys
from importlib.machinery import PathFinder

_ARCHIVES = (".zip", ".jar")


def without_archives(paths: list[str]) -> list[str]:
    """The folders of an import path, or all of it where PySpark is in no folder."""
    folders = [path for path in paths if not path.endswith(_ARCHIVES)]
    return folders if PathFinder.find_spec("pyspark", folders) else paths


if __name__ == "__main__":
    sys.path[:] = without_archives(sys.path)
    sys.path_importer_cache.clear()

    from pyspark import daemon

    import kafka_census.landing.fetch.reader  # noqa: F401

    # A worker collects garbage after each task, and would traverse all imported objects.
    gc.freeze()
    daemon.manager()  # type: ignore[no-untyped-call]
